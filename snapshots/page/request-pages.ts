/** Pages that are made per request: sorting, facets, search results, history. */
import { ShelfError } from "../errors.ts";
import { diffPage, snapshotsPage } from "../history.ts";
import { pagePath, parseSlug } from "../layout.ts";
import { parseCubQuery } from "../query/cubs.ts";
import { parseSearch, search } from "../query/search.ts";
import { canonicalJson } from "../digest.ts";
import { compareNames } from "../tree.ts";
import type { OpenSnapshot, View } from "../view.ts";
import { findCollection, type ViewData } from "../view-data.ts";
import { countBy } from "./cards.ts";
import { browsePage } from "./library-pages.ts";
import { BROWSE_SORTS, type BrowseSort, type PageInput, type PageModel, type SearchPage } from "./model.ts";
import { registryPage } from "./registry-pages.ts";
import { searchForm } from "./service-pages.ts";
import { CUB_FILTERS } from "../schema/cubs.ts";

export type RequestPage = { readonly input: PageInput; /** Decides the page together with the snapshot; null: the page's own bytes do. */ readonly tag: string | null };

/** @returns null when the path is that of a stored page, or of none
 *  @throws ShelfError "snapshot_not_found" for a comparison with a snapshot that is not kept */
export async function requestPage(view: View, open: OpenSnapshot, path: string, params: URLSearchParams): Promise<RequestPage | null> {
  const data = await open.snapshot.data();
  const page = (model: PageModel, tag: string | null): RequestPage => ({
    input: {
      chrome: { library: data.library.title, view: data.library.view, path, canonical: data.library.base_url === "" ? null : data.library.base_url + path },
      model,
    },
    tag,
  });
  if (path === pagePath.snapshots) return page(await snapshotsPage(view), null);
  const pair = /^\/snapshots\/([0-9a-f]{8,64})\.\.([0-9a-f]{8,64})\/$/.exec(path);
  if (pair !== null) {
    const [from, to] = await Promise.all([findSnapshot(view, pair[1] ?? ""), findSnapshot(view, pair[2] ?? "")]);
    return page(await diffPage(view, from, to), null);
  }
  if (path === pagePath.search && params.has("q")) {
    return page(await searchResults(open, data, params), canonicalJson(["search", params.get("q"), params.get("prefix") ?? "", view.options.view]));
  }
  const filtered = ["q", "part", ...CUB_FILTERS.map(({ name }) => name)].filter((name) => params.has(name));
  if (path === pagePath.registry && filtered.length > 0) {
    const query = parseCubQuery(params);
    const part = Math.max(1, Number.parseInt(params.get("part") ?? "1", 10) || 1);
    const known = filtered.map((name) => [name, params.getAll(name)]);
    return page(registryPage(data, query, part), canonicalJson(["registry", known, view.options.view]));
  }
  const sort = params.get("sort");
  if (path.startsWith("/browse/") && sort !== null && sort !== "name") {
    if (!(BROWSE_SORTS as readonly string[]).includes(sort)) {
      throw new ShelfError("bad_parameter", `The parameter "sort" takes ${BROWSE_SORTS.join(", ")}.`);
    }
    const [, slug = "", part = "1"] = /^\/browse\/(.*?)(?:=p([0-9]{1,6})\/)?$/.exec(path) ?? [];
    const prefix = slug === "" ? "" : parseSlug(decodeURIComponent(slug));
    const model = prefix === null ? null : browsePage(data, prefix, sort as BrowseSort, Number(part));
    return model === null ? null : page(model, canonicalJson(["browse", path, sort, view.options.view]));
  }
  return null;
}

/** By a unique beginning of its id, so that links stay short. */
async function findSnapshot(view: View, start: string): Promise<OpenSnapshot> {
  const ids = new Set((await view.records()).map((record) => record.snapshot).filter((id) => id.startsWith(start)));
  const [id] = ids;
  const open = id === undefined || ids.size > 1 ? null : await view.byId(id);
  if (open === null) throw new ShelfError("snapshot_not_found", ids.size > 1 ? "Several snapshots begin with this id." : "No snapshot with this id is kept.");
  return open;
}

async function searchResults(open: OpenSnapshot, data: ViewData, params: URLSearchParams): Promise<SearchPage> {
  const form = { ...searchForm(data), query: params.get("q") ?? "", prefix: params.get("prefix") ?? "" };
  if (form.query.trim() === "") return form;
  try {
    const results = await search(await open.reader(), parseSearch(params));
    const hits = results.map((result) => ({
      title: result.title,
      kind: result.kind,
      key: result.key,
      path:
        result.kind === "record"
          ? pagePath.record(result.key)
          : result.kind === "claim"
            ? pagePath.claim(result.key)
            : `${pagePath.object(result.key)}${result.row.start_line > 0 && result.kind === "code" ? `#L${result.row.start_line}` : ""}`,
      summary: "",
      snippet: result.snippet,
      exact: result.exact,
    }));
    const titleOf = (key: string): string => findCollection(data.library.collections, key)?.title ?? "";
    return {
      ...form,
      hits,
      byCollection: countBy(results.filter((result) => result.collection !== ""), (result) => titleOf(result.key)).toSorted((a, b) => b.count - a.count || compareNames(a.value, b.value)),
      byKind: countBy(results, (result) => result.kind),
    };
  } catch (error) {
    // A form that fails shows why, beside the form.
    if (error instanceof ShelfError) return { ...form, hits: null, problem: error.message };
    throw error;
  }
}

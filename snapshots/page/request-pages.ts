/** Pages that are made per request: sorting, facets, search results, history. */
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { ShelfError } from "../errors.ts";
import { findSnapshot, type History } from "../query/history.ts";
import { diffPage, snapshotsPage } from "./history.ts";
import { pagePath, parseDiffPath, parseRevisionsPath, parseSlug } from "../format/layout.ts";
import { licencesOf } from "../query/list.ts";
import { parseCubQuery } from "../query/cubs.ts";
import { canonicalJson } from "../digest.ts";
import type { ViewData } from "../format/view-data.ts";
import { unansweredPage } from "./ask-page.ts";
import { browsePage, claimsPage, objectFacts, objectPage } from "./library-pages.ts";
import { BROWSE_SORTS, type BrowseSort, type ObjectPage, type PageInput, type PageModel } from "./model.ts";
import { type LineRange, MAX_QUOTED_BYTES, pageBytes, parseLineRange, quotedLines } from "./quoted-lines.ts";
import { registryPage } from "./registry-pages.ts";
import { revisionsPage } from "./revisions.ts";
import { relationsOf } from "../format/relations.ts";
import { chromeOf, parseBrowse } from "./stored-pages.ts";
import { searchParameters, searchResults } from "./search-page.ts";
import { CUB_FACETS } from "../schema/cub-facets.ts";

export type RequestPage = {
  readonly input: PageInput;
  /** Decides the page together with the snapshot; null: the page's own bytes do. */
  readonly tag: string | null;
};

/** @returns null when the path is that of a stored page, or of none
 *  @throws ShelfError "snapshot_not_found" for a comparison with a snapshot that is not kept */
export async function requestPage(
  history: History,
  open: OpenSnapshot,
  path: string,
  params: URLSearchParams,
): Promise<RequestPage | null> {
  const data = await open.snapshot.data();
  const page = (model: PageModel, tag: string | null): RequestPage => ({
    input: { chrome: chromeOf(data, path), model },
    tag,
  });
  const snapshotsPart = parseSnapshotsPart(path);
  if (snapshotsPart !== null) {
    const model = await snapshotsPage(history, open, snapshotsPart);
    return model === null ? null : page(model, null);
  }
  if (path.startsWith(pagePath.snapshots) && parseRevisionsPath(path) !== null) {
    const model = await revisionsPage(history, open, path, params);
    return model === null ? null : page(model, null);
  }
  const pair = parseDiffPath(path);
  if (pair !== null) {
    const [from, to] = await Promise.all([findSnapshot(history, pair[0]), findSnapshot(history, pair[1])]);
    return page(await diffPage(open, from, to), null);
  }
  if (path === pagePath.search && params.has("q")) {
    return page(await searchResults(open, data, params), canonicalJson(["search", searchParameters(params), data.library.view]));
  }
  // A process that does answer has taken the request before it came here.
  if (path === pagePath.ask && params.has("question")) return page(unansweredPage(data, params), null);
  const filtered = ["q", "part", ...CUB_FACETS.map(({ name }) => name)].filter((name) => params.has(name));
  if (path === pagePath.registry && filtered.length > 0) {
    const query = parseCubQuery(params, CUB_FACETS);
    const part = Math.max(1, Number.parseInt(params.get("part") ?? "1", 10) || 1);
    const known = filtered.map((name) => [name, params.getAll(name)]);
    return page(registryPage(data, query, part), canonicalJson(["registry", known, data.library.view]));
  }
  if (path === pagePath.claims && params.has("status")) {
    const statuses = params.getAll("status");
    return page(claimsPage(data, statuses), canonicalJson(["claims", statuses, data.library.view]));
  }
  const range = path.startsWith("/object/") ? parseLineRange(params) : null;
  if (range !== null) {
    const model = await quotingPage(open, data, path, range);
    return model === null ? null : page(model, canonicalJson(["lines", path, range, data.library.view]));
  }
  const sort = params.get("sort") ?? "name";
  const licences = licencesOf(params);
  if (path.startsWith("/browse/") && (sort !== "name" || licences.length > 0)) {
    if (!(BROWSE_SORTS as readonly string[]).includes(sort)) {
      throw new ShelfError("bad_parameter", `The parameter "sort" takes ${BROWSE_SORTS.join(", ")}.`);
    }
    const { prefix, part } = parseBrowse(path.slice("/browse/".length).replace(/\/$/, ""));
    const folder = prefix === null ? undefined : relationsOf(data).folders.get(prefix);
    if (folder === undefined || pagePath.browsePart(folder.prefix, part) !== path) return null;
    const model = browsePage(data, folder, sort as BrowseSort, part, licences);
    return part > model.parts ? null : page(model, canonicalJson(["browse", path, sort, licences, data.library.view]));
  }
  return null;
}

/** The number of a part of the list of snapshots; null for every other path. */
function parseSnapshotsPart(path: string): number | null {
  if (!path.startsWith(pagePath.snapshots)) return null;
  const part = Number(/^=p([1-9][0-9]{0,6})\/$/.exec(path.slice(pagePath.snapshots.length))?.[1] ?? 1);
  return pagePath.snapshotsPart(part) === path ? part : null;
}

/** An object's page with lines of it on top; null when the path is no object's page. */
async function quotingPage(open: OpenSnapshot, data: ViewData, path: string, range: LineRange): Promise<ObjectPage | null> {
  const key = parseSlug(decodeURIComponent(path.slice("/object/".length, -1)));
  const row = key === null || pagePath.object(key) !== path ? undefined : relationsOf(data).objectByKey.get(key);
  if (row === undefined) return null;
  const { snapshot } = open;
  const [entry, extract] = await Promise.all([snapshot.find(`objects/${row.key}`), snapshot.extract(row.key)]);
  if (entry?.kind !== "blob" || extract === null) throw new ShelfError("snapshot_damaged", "An object has no bytes or no extract.");
  const model = objectPage(data, objectFacts(data, row), extract);
  if (row.kind === "pdf") {
    const page = range.page ?? 1;
    return { ...model, quoted: quotedLines(pageBytes(extract.passages, page), { ...range, page }, snapshot.id) };
  }
  const bytes = entry.size > MAX_QUOTED_BYTES ? null : await snapshot.read(entry);
  return { ...model, quoted: quotedLines(bytes, { ...range, page: null }, snapshot.id) };
}

/** Pages that are made per request: sorting, facets, search results, quoted lines. */
import { type History, licencesOf, type OpenSnapshot, parseCubQuery } from "#snapshots/query";
import { ShelfError } from "#snapshots/errors";
import { isOf, type RouteMatch, type PageId } from "#snapshots/routes";
import { pagePath, parseSlug, relationsOf, type ViewData } from "#snapshots/format";
import { canonicalJson } from "#snapshots/digest";
import { isAsked, unansweredPage } from "./ask-page.ts";
import { browsePage, claimsPage, objectFacts, objectPage, openObject } from "./library-pages.ts";
import { BROWSE_SORTS, type BrowseSort, type ObjectPage, type PageInput, type PageModel } from "./model.ts";
import { type QuoteRange, MAX_QUOTED_BYTES, pageBytes, parseLineRange, quotedLines } from "./quoted-lines.ts";
import { lineWithin } from "./object-parts.ts";
import { registryPage } from "./registry-pages.ts";
import { chromeOf, type PageAt, parseBrowse } from "./stored-pages.ts";
import { searchParameters, searchResults } from "./search-page.ts";
import { RECORD_FILTERS, hasParts } from "#snapshots/schema";

export type RequestPage = {
  readonly input: PageInput;
  /** Decides the page together with the snapshot; null: the page's own bytes do. */
  readonly tag: string | null;
};

/** A PageRequest is a request for a page. */
export type PageRequest = PageAt & {
  readonly history: History;
  readonly open: OpenSnapshot;
  readonly data: ViewData;
  readonly params: URLSearchParams;
};
/** A PageMaker makes a page for a request to a row of the route table. It returns null where the stored page answers, or where there is no page.
 *  @throws ShelfError for a value that the page does not take */
export type PageMaker = (request: PageRequest, parts: RouteMatch["parts"]) => RequestPage | null | Promise<RequestPage | null>;

export function requested({ data, path }: Pick<PageRequest, "data" | "path">, model: PageModel, tag: string | null): RequestPage {
  return { input: { chrome: chromeOf(data, path), model }, tag };
}

/** requestPage makes the page at a path, or returns null when it is a stored page's, or no page's.
 *  @param makers of every row that has such a page
 *  @throws ShelfError "snapshot_not_found" for a comparison with a snapshot that is not kept */
export async function requestPage(makers: Readonly<Record<string, PageMaker>>, request: PageRequest): Promise<RequestPage | null> {
  const { match } = request;
  if (match?.exact !== true || !isOf(match, makers)) return null;
  return (await makers[match.route.id]?.(request, match.parts)) ?? null;
}

/** REQUEST_PAGES are the core's pages that follow from more than the snapshot. */
export const REQUEST_PAGES = {
  async "search-page"(request) {
    const { open, data, params } = request;
    if (!params.has("q")) return null;
    return requested(
      request,
      await searchResults(open, data, params),
      canonicalJson(["search", searchParameters(params), data.library.view]),
    );
  },
  // A process that does answer has taken the request before it came here.
  "ask-page": (request) => (isAsked(request.params) ? requested(request, unansweredPage(request.data, request.params), null) : null),
  "registry-page"(request) {
    const { data, params } = request;
    const filtered = ["q", "part", "sort", ...RECORD_FILTERS.map(({ name }) => name)].filter((name) => params.has(name));
    if (filtered.length === 0) return null;
    const query = parseCubQuery(params);
    const part = Math.max(1, Number.parseInt(params.get("part") ?? "1", 10) || 1);
    const known = filtered.map((name) => [name, params.getAll(name)]);
    const model = registryPage(data, query, part);
    if (part > model.parts) throw new ShelfError("not_found", `The list has ${model.parts} parts.`);
    return requested(request, model, canonicalJson(["registry", known, data.library.view]));
  },
  "claims-page"(request) {
    const { data, params } = request;
    if (!params.has("standing")) return null;
    const standings = params.getAll("standing");
    return requested(request, claimsPage(data, standings), canonicalJson(["claims", standings, data.library.view]));
  },
  async "object-page"(request) {
    const { open, data, path, params } = request;
    const range = parseLineRange(params);
    const model = range === null ? null : await quotingPage(open, data, path, range);
    return model === null ? null : requested(request, model, canonicalJson(["lines", path, range, data.library.view]));
  },
  browse(request, { prefix: rest = "" }) {
    const { data, path, params } = request;
    const sort = params.get("sort") ?? "name";
    const licences = licencesOf(params);
    if (sort === "name" && licences.length === 0) return null;
    if (!(BROWSE_SORTS as readonly string[]).includes(sort)) {
      throw new ShelfError("bad_parameter", `The parameter "sort" takes ${BROWSE_SORTS.join(", ")}.`);
    }
    const { prefix, part } = parseBrowse(rest);
    const folder = prefix === null ? undefined : relationsOf(data).folders.get(prefix);
    if (folder === undefined || pagePath.browsePart(folder.prefix, part) !== path) return null;
    const model = browsePage(data, folder, sort as BrowseSort, part, licences);
    return part > model.parts ? null : requested(request, model, canonicalJson(["browse", path, sort, licences, data.library.view]));
  },
} as const satisfies Readonly<Partial<Record<PageId | "browse", PageMaker>>>;

/** An object's page with lines of it on top; null when the path is no object's page. */
async function quotingPage(open: OpenSnapshot, data: ViewData, path: string, range: QuoteRange): Promise<ObjectPage | null> {
  const key = parseSlug(decodeURIComponent(path.slice("/object/".length, -1)));
  const row = key === null || pagePath.object(key) !== path ? undefined : relationsOf(data).objectByKey.get(key);
  if (row === undefined) return null;
  const { snapshot } = open;
  const [entry, extract] = await Promise.all([snapshot.find(`objects/${row.key}`), snapshot.extract(row.key)]);
  if (entry?.kind !== "blob" || extract === null) throw new ShelfError("snapshot_damaged", "An object has no bytes or no extract.");
  const model = objectPage(objectFacts(data, row), openObject(data, row, extract), { line: lineWithin(range.page, range.start) });
  // A notebook that is shown as JSON has no cells.
  if (hasParts(row.kind) && extract.passages[0]?.page !== null) {
    const page = range.page ?? 1;
    return { ...model, quoted: quotedLines(pageBytes(extract.passages, page), { ...range, page }, snapshot.id) };
  }
  const bytes = entry.size > MAX_QUOTED_BYTES ? null : await snapshot.read(entry);
  return { ...model, quoted: quotedLines(bytes, { ...range, page: null }, snapshot.id) };
}

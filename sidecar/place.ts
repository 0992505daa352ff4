/** Where a target leads by the route table: into which view, to which row, who may come and what is counted.
 *
 *  The choice cannot leak. What is not plainly gated is public, and the public way holds the public view only: a path that
 *  merely looks like a gated one (another case, an encoded letter, a doubled slash) is not found there. */
import { splitAt } from "../snapshots/routes/match.ts";
import type { PageRoute, RateGroup, Route, RouteAccess } from "../snapshots/routes/route.ts";
import { pagePath, parseDiffPath } from "../snapshots/format/layout.ts";
import { COMPARISON, COSTLY_PAGES, KEPT_SNAPSHOT, ROUTES } from "../snapshots/routes/routes.ts";

const INTERNAL = "/internal";

type Row = Route | PageRoute;

export type Place = {
  /** As the client wrote it, percent-encoded and without the query; the caller controls it. */
  readonly path: string;
  readonly query: string;
  readonly mount: "" | typeof INTERNAL;
  /** What stands between /at/ and the next slash: a snapshot's id, if it is one; null for the snapshot of now. */
  readonly at: string | null;
  /** The row of the table, pages included; null for what only the view itself knows. */
  readonly route: Row | null;
  readonly access: RouteAccess;
  readonly limit: RateGroup | null;
};

/** What a request is counted as, given which kept snapshots are open. */
export function limitOf({ limit, at }: Place, isOpen: (id: string) => boolean): RateGroup | null {
  return limit ?? (at === null || isOpen(at) ? null : KEPT_SNAPSHOT.limit);
}

const ROWS: readonly Row[] = [
  ...ROUTES,
  ...COSTLY_PAGES,
  ...COSTLY_PAGES.map((page): PageRoute => ({ ...page, path: INTERNAL + page.path, access: "gated" })),
];
const BY_PATH: ReadonlyMap<string, Row> = new Map(ROWS.filter(({ path }) => !path.includes("{")).map((row) => [row.path, row]));
/** A file's other name and a page's path without its last slash cost what the row costs. */
const LIMIT_BY_SPELLING: ReadonlyMap<string, RateGroup | null> = new Map(
  [...BY_PATH.values()].map(({ path, limit }) => [path.endsWith("/") ? path.slice(0, -1) : `${path}.json`, limit]),
);
/** Outside that mount, what is gated with everything in its folder, whether or not the rest of the path fits. */
const GATED_FOLDERS = ROUTES.filter(({ access, path }) => isGated(access) && !path.startsWith(`${INTERNAL}/`)).map((route) => ({
  route,
  folder: route.path.split("{")[0] ?? "",
}));

/** @param target path and query of a request */
export function findPlace(target: string): Place {
  const cut = target.indexOf("?");
  const path = cut < 0 ? target : target.slice(0, cut);
  const mount = path === INTERNAL || path.startsWith(`${INTERNAL}/`) ? INTERNAL : "";
  const gated = GATED_FOLDERS.find(({ folder }) => path.startsWith(folder))?.route ?? null;
  const closed = mount !== "" || gated !== null;
  const inView = path.slice(mount.length);
  const kept = inView.startsWith("/at/") ? splitAt(inView) : null;
  const named = kept === null ? path : mount + kept.path;
  const row = BY_PATH.get(named) ?? gated;
  // What is gated in itself has no place in a kept snapshot of the public view.
  const route = row !== null && isGated(row.access) && !closed ? null : row;
  return {
    path,
    query: cut < 0 ? "" : target.slice(cut + 1),
    mount,
    at: kept?.id ?? null,
    route,
    access: closed && !isGated(route?.access ?? "public") ? "gated" : (route?.access ?? "public"),
    limit: (route === null ? (LIMIT_BY_SPELLING.get(named) ?? limitOfPage(kept?.path ?? inView)) : route.limit) ?? null,
  };
}

function limitOfPage(path: string): RateGroup | null {
  const spelled = path.endsWith("/") ? path : `${path}/`;
  return parseDiffPath(spelled) === null && !isOfRevisions(spelled) ? null : COMPARISON.limit;
}

/** Whatever it names: what is no path at all is refused after it is counted. */
function isOfRevisions(path: string): boolean {
  return path.startsWith(`${pagePath.snapshots}object/`) || path.startsWith(`${pagePath.snapshots}registry/`);
}

export function isGated(access: RouteAccess): boolean {
  return access === "gated" || access === "person";
}

/** Where a target leads: into which view and which snapshot, to which row of the route table, and who may come. The one place that reads
 *  paths; each request is matched once. Who puts the service together hands in the table.
 *
 *  The choice cannot leak. What is not plainly gated is public, and the public way holds the public view only: a path that merely looks
 *  like a gated one (another case, an encoded letter, a doubled slash) is not found there. */
import { parseKeyPath, parseListPath } from "#snapshots/format";
import { cursorOf } from "#snapshots/query";
import type { RateGroup, RouteAccess, RouteRow } from "./route.ts";

const INTERNAL = "/internal";
type Mount = "" | typeof INTERNAL;

export type RouteMatch = {
  readonly route: RouteRow;
  /** The parts in braces, decoded. */
  readonly parts: Readonly<Record<string, string>>;
  /** False for another spelling: a file's name, or a page's path without its last slash. */
  readonly exact: boolean;
  /** The file beside the page that is asked for, in place of the page. */
  readonly beside: string | null;
};

export type RoutePlace = {
  readonly mount: Mount;
  /** The part between /at/ and the next slash: a snapshot's id, if it is one; null for the snapshot of now. */
  readonly at: string | null;
  /** Inside the view and the snapshot, as the client wrote it: percent-encoded, without the query. */
  readonly path: string;
  readonly query: string;
  /** Null for what no row has. */
  readonly match: RouteMatch | null;
  readonly access: RouteAccess;
};

/** A Router reads paths by one table. */
export type Router = {
  /** findPlace reads a target, and throws at none.
   *  @param target path and query of a request; the caller controls it */
  findPlace(target: string): RoutePlace;
  /** matchPath finds the row of a path, whatever the method. Static paths win over patterns, and files over pages. A static host needs an
   *  ending: `/api/catalog.json` is `/api/catalog`, and a listing has a file's name too.
   *  @param path as sent, still percent-encoded, without /internal and without /at/<snapshot> */
  matchPath(path: string, mount?: Mount): RouteMatch | null;
  /** True when other paths begin with a path of this row: a bucket holds both, a folder cannot. */
  beginsOthers(row: RouteRow): boolean;
};

/** openRouter makes a router of a table. @param besideFiles names of files that every page has beside it */
export function openRouter(rows: readonly RouteRow[], besideFiles: readonly string[]): Router {
  const matchers: Readonly<Record<Mount, Find>> = {
    "": matcher(
      rows.filter(({ views }) => views !== "internal"),
      besideFiles,
    ),
    [INTERNAL]: matcher(
      rows.map((row) => ({ ...row, path: row.gatedPath ?? row.path })),
      besideFiles,
    ),
  };
  /** Outside /internal, what is gated is so with everything in its folder, whether or not the rest of the path fits. */
  const gatedFolders = rows
    .filter(({ access, views }) => access === "gated" && views === "public")
    .map((route) => ({ route, start: route.path.split("{")[0] ?? "" }));
  const matchPath = (path: string, mount: Mount = ""): RouteMatch | null => {
    try {
      return matchers[mount](path);
    } catch {
      // A path that cannot be decoded has no row.
      return null;
    }
  };
  return {
    matchPath,
    findPlace(target) {
      const [whole, query] = splitTarget(target);
      const mount = whole === INTERNAL || whole.startsWith(`${INTERNAL}/`) ? INTERNAL : "";
      const { id: at, path } = splitAt(whole.slice(mount.length)) ?? { id: null, path: whole.slice(mount.length) };
      const match = matchPath(path, mount);
      const folder = mount === "" && at === null ? gatedFolders.find(({ start }) => path.startsWith(start)) : undefined;
      return {
        mount,
        at,
        path,
        query,
        match: folder === undefined ? match : { route: folder.route, parts: match?.parts ?? {}, exact: true, beside: null },
        access: mount === "" ? (folder?.route.access ?? (match?.route.access === "token" ? "token" : "public")) : accessBehind(match, at),
      };
    },
    beginsOthers: ({ id, path }) => id === "list" || rows.some((other) => other.path.startsWith(`${path}/`)),
  };
}

/** isGated tells whether the gate is asked before anything else. */
export function isGated({ access }: RoutePlace): boolean {
  return access === "gated" || access === "person";
}

/** keptIn names the snapshot that a request is answered from where that may be an earlier one: its address says so, or its cursor. */
function keptIn({ at, query }: RoutePlace): string | null {
  if (at !== null || query === "") return at;
  try {
    return cursorOf(new URLSearchParams(query))?.snapshot ?? null;
  } catch {
    // It is refused before anything is read.
    return null;
  }
}

/** limitOf says what a request is counted as.
 *  @param of the view, which says whether a kept snapshot is open, so that asking for it costs no more than asking for now */
export function limitOf(place: RoutePlace, of: { isOpen(id: string): boolean }): RateGroup | null {
  // A kept snapshot is read and parsed first, whatever is asked of it.
  const kept = keptIn(place);
  return place.match?.route.limit ?? (kept === null || of.isOpen(kept) ? null : "at");
}

function accessBehind(match: RouteMatch | null, at: string | null): RouteAccess {
  return at === null && match?.exact === true && match.route.access === "person" ? "person" : "gated";
}

/** {name} or {name...}, the dots escaped already. */
const PART = /\{(\w+)((?:\\\.){3})?\}/g;

type Find = (path: string) => RouteMatch | null;

function matcher(rows: readonly RouteRow[], besideFiles: readonly string[]): Find {
  /** Routes that end in a key: its ending is the key's own. */
  const keyed = rows.filter(({ path, page }) => path.endsWith("...}") && !page).map(({ path }) => path.slice(0, path.indexOf("{")));
  const withoutEnding = (path: string): string => {
    if (!path.startsWith("/api/") || !path.endsWith(".json")) return path;
    return keyed.some((folder) => path.startsWith(folder)) ? path : path.slice(0, -".json".length);
  };
  const exact = new Map(rows.filter(({ path }) => !path.includes("{")).map((route) => [route.path, route]));
  const patterns = rows
    .filter(({ path }) => path.includes("{"))
    .map((route) => ({ route, pattern: new RegExp(`^${route.path.replaceAll(".", "\\.").replaceAll(PART, segment)}$`, "s") }));
  const files = patterns.filter(({ route }) => !route.page);
  const pages = patterns.filter(({ route }) => route.page);
  const list = rows.find(({ id }) => id === "list");

  const findExact: Find = (path) => {
    const route = exact.get(path);
    return route === undefined ? null : { route, parts: {}, exact: true, beside: null };
  };
  const findFile: Find = (path) => findExact(path) ?? firstOf(files, path);
  const findPage: Find = (path) => {
    const found = findExact(path) ?? firstOf(pages, path);
    return found?.route.page === true ? found : null;
  };
  const findBeside: Find = (path) => {
    const beside = besideFiles.find((file) => path.endsWith(`/${file}`)) ?? null;
    const page = beside === null ? null : findPage(path.slice(0, -beside.length));
    return page === null ? null : { ...page, beside };
  };
  /** A file's name of a route: it wins over a part of a path that happens to end so. */
  const findNamed: Find = (path) => {
    const prefix = parseListPath(path);
    if (prefix !== null && list !== undefined) return { route: list, parts: { prefix }, exact: false, beside: null };
    const bare = withoutEnding(path);
    const found = bare === path ? null : findFile(bare);
    return found === null ? null : { ...found, exact: false };
  };
  const findWithoutSlash: Find = (path) => {
    const found = path.endsWith("/") ? null : findPage(`${path}/`);
    return found === null ? null : { ...found, exact: false };
  };
  const ways = [findExact, findNamed, findFile, findBeside, findPage, findWithoutSlash];
  return (path) => {
    for (const find of ways) {
      const found = find(path);
      if (found !== null) return found;
    }
    return null;
  };
}

function firstOf(patterns: readonly { readonly route: RouteRow; readonly pattern: RegExp }[], path: string): RouteMatch | null {
  for (const { route, pattern } of patterns) {
    const groups = pattern.exec(path)?.groups;
    if (groups === undefined) continue;
    const parts = Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, parseKeyPath(value)]));
    return { route, parts, exact: true, beside: null };
  }
  return null;
}

function segment(_: string, name: string, rest: string | undefined): string {
  return `(?<${name}>${rest === undefined ? "[^/]+" : ".*"})`;
}

export function splitTarget(target: string): readonly [path: string, query: string] {
  const at = target.indexOf("?");
  return at < 0 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)];
}

/** splitAt takes a path under /at/<snapshot> apart: what is asked for, and in which snapshot, whatever stands for its id. Null for another path. */
function splitAt(path: string): { readonly id: string; readonly path: string } | null {
  const [, id, rest = ""] = /^\/at\/([^/]*)(\/.*)?$/s.exec(path) ?? [];
  return id === undefined ? null : { id, path: rest };
}

/** fillParts writes `api/cubs/{id}.json` with the parts in their places. */
export function fillParts(file: string, parts: RouteMatch["parts"]): string {
  return file.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? "");
}

/** isOf tells the row that a request is for, so that a table by ids answers it. */
export function isOf<Id extends string>(
  match: RouteMatch | null,
  table: Readonly<Record<Id, unknown>>,
): match is RouteMatch & { readonly route: { readonly id: Id } } {
  return match !== null && Object.hasOwn(table, match.route.id);
}

/** Which route a path is of, and what its parts are: the one place that reads paths of the API. */
import { parseKeyPath, parseListPath } from "../format/layout.ts";
import type { Route, ViewRouteId } from "./route.ts";
import { ROUTES, VIEW_ROUTES } from "./routes.ts";

export type Match<Found extends Route = Route> = {
  readonly route: Found;
  /** The parts in braces, decoded. */
  readonly parts: Readonly<Record<string, string>>;
};

/** {name} or {name...}, the dots escaped already. */
const PART = /\{(\w+)((?:\\\.){3})?\}/g;

/** The route inside a view that a path is of, whatever the method, or null. Static paths win over patterns. A static host needs an
 *  ending: `/api/catalog.json` is `/api/catalog`, and a listing has a file's name too.
 *  @param path as sent, still percent-encoded, without /internal and without /at/<snapshot> */
export function matchRoute(path: string): Match<Route<ViewRouteId>> | null {
  const prefix = parseListPath(path);
  return prefix === null ? inView(withoutEnding(path)) : { route: LIST, parts: { prefix } };
}

/** As `matchRoute`, over every route of the service, the gated ones under /internal; file names have no other spelling here. */
export const matchService: (path: string) => Match | null = matcher(ROUTES);

const inView = matcher(VIEW_ROUTES);
const LIST = VIEW_ROUTES.find(({ id }) => id === "list") as Route<ViewRouteId>;

/** Of routes that end in a key: its ending is the key's own. */
const KEYED = VIEW_ROUTES.filter(({ path }) => path.endsWith("...}")).map(({ path }) => path.slice(0, path.indexOf("{")));

function withoutEnding(path: string): string {
  if (!path.startsWith("/api/") || !path.endsWith(".json") || path === "/api/openapi.json" || path === "/api/cubs.json") return path;
  return KEYED.some((folder) => path.startsWith(folder)) ? path : path.slice(0, -".json".length);
}

function matcher<Found extends Route>(routes: readonly Found[]): (path: string) => Match<Found> | null {
  const exact = new Map(routes.filter(({ path }) => !path.includes("{")).map((route) => [route.path, route]));
  const patterns = routes
    .filter(({ path }) => path.includes("{"))
    .map((route) => ({ route, pattern: new RegExp(`^${route.path.replaceAll(".", "\\.").replaceAll(PART, segment)}$`, "s") }));
  return (path) => {
    const known = exact.get(path);
    if (known !== undefined) return { route: known, parts: {} };
    for (const { route, pattern } of patterns) {
      const groups = pattern.exec(path)?.groups;
      if (groups !== undefined) return withParts(route, groups);
    }
    return null;
  };
}

function withParts<Found extends Route>(route: Found, groups: Readonly<Record<string, string>>): Match<Found> | null {
  try {
    return { route, parts: Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, parseKeyPath(value)])) };
  } catch {
    return null;
  }
}

function segment(_: string, name: string, rest: string | undefined): string {
  return `(?<${name}>${rest === undefined ? "[^/]+" : ".*"})`;
}

/** A path under /at/<snapshot>: what is asked for, and in which snapshot, whatever stands for its id. Null for another path. */
export function splitAt(path: string): { readonly id: string; readonly path: string } | null {
  const [, id, rest = ""] = /^\/at\/([^/]*)(\/.*)?$/s.exec(path) ?? [];
  return id === undefined ? null : { id, path: rest };
}

/** `api/cubs/{id}.json` with the parts in their places. */
export function fillParts(file: string, parts: Match["parts"]): string {
  return file.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? "");
}

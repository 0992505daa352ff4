/** Where a link leads that names no object as the store has it: generators of sites leave endings out, write `.html` for `.md`, `/x/` for
 *  `x/index.md`, begin at the root of their site, which is some folder of the library, and let a page say its address itself
 *  (`permalink`). A link leads where exactly one object fits. */
import { leadingPrefixes, parentPrefix } from "./relations.ts";
import type { ObjectRow } from "./view-data.ts";

/** Endings of files that generators make pages of. */
/** README is the name of a file that describes its folder. */
export const README = /^readme(?:\.(?:md|markdown|txt|rst|adoc|asciidoc|asc|org|html?))?$/i;

const ENDING = /\.(?:md|mdx|markdown|mdown|mdwn|mkdn?|html?|xhtml|rst|adoc|asciidoc|asc|org|ipynb|qmd)$/i;
/** Files that stand for their folder. */
const INDEX = /(?:^|\/)(?:index|_index|readme)$/i;

export type LeadsTo = (from: string, target: string) => string | null;

/** The name of a page whatever its generator makes of it: without its ending, its folder for the first page in it; packages of Linux compress what
 *  is long. */
function siteName(target: string): string {
  return target
    .replace(/\/+$|\.gz$/, "")
    .replace(ENDING, "")
    .replace(INDEX, "");
}

/** The name by which a link means a page; for an article its date and name. */
function linkName(target: string): string {
  return siteName(target).replace(/^.*?(?=\d{4}\/\d\d\/\d\d\/[^/]+$)/, "");
}

/** The names that generators make of a path by their conventions: files of `public/` and `static/` lie at the root, `_docs/` is `docs/`, an
 *  article has its date as folders, and for some a number in front of a name gives the order alone. */
function usualNames(key: string): readonly string[] {
  const name = siteName(key)
    .replace(/(?<=^|\/)(?:public|static)\//, "")
    .replace(/(?<=^|\/)_posts\/(?:.*\/)?(\d{4})-(\d\d)-(\d\d)-(?=[^/]+$)/, "$1/$2/$3/")
    .replaceAll(/(?<=^|\/)_(?=[a-z])/g, "");
  return [name, name.replaceAll(/(?<=^|\/)\d{1,3}[-_.](?=[^\d/])/g, "")].filter((usual) => usual !== siteName(key));
}

/** Sphinx copies the sources of its pages into `_sources/`, and leaves what they link to beside the pages, or pictures in `_images/`. */
function builtNames(name: string): readonly string[] {
  const [, root, within] = /^((?:.*\/)?)_sources\/(.+)$/s.exec(name) ?? [];
  return root === undefined || within === undefined ? [] : [root + within, `${root}_images/${within.replace(/^.*\//s, "")}`];
}

/** openSite returns a function that tells which object a link means that stands in the object `from` and names no object; null where none or
 *  several fit.
 *  @param rows of all objects */
export function openSite(rows: Iterable<Pick<ObjectRow, "key" | "addresses">>): LeadsTo {
  /** By name; null where several have it. */
  const named = new Map<string, string | null>();
  /** By an address that an object gives itself, below each folder that may be the root of its site. */
  const addressed = new Map<string, string | null>();
  /** By the last part of the name, for links of wikis, which name a page wherever it lies. */
  const ended = new Map<string, string[]>();
  const add = (map: Map<string, string | null>, name: string, key: string): void => {
    map.set(name, (map.get(name) ?? key) === key && map.get(name) !== null ? key : null);
  };
  const keys = new Set<string>();
  for (const { key, addresses = [] } of rows) {
    keys.add(key);
    add(named, siteName(key), key);
    const end = linkEnd(key);
    const same = ended.get(end);
    if (same === undefined) ended.set(end, [key]);
    else same.push(key);
    for (const usual of usualNames(key)) add(addressed, usual, key);
    for (const address of addresses) for (const root of rootsOf(key)) add(addressed, root + siteName(address.replace(/^\/+/, "")), key);
  }
  const lead = (folder: string, roots: readonly string[], target: string): string | null => {
    const name = linkName(target);
    // The first page of a site is that of the outermost folder that may be its root.
    if (name === "") return roots.map((root) => root + target).findLast((key) => keys.has(key)) ?? null;
    // An address that an object gives itself counts first, and the nearest site before one around it.
    for (const root of roots) {
      const key = addressed.get(root + name) ?? null;
      if (key !== null) return key;
    }
    const found = new Set(roots.flatMap((root) => (named.has(root + name) ? [named.get(root + name) ?? null] : [])));
    const [only = null] = found;
    if (found.size > 0) return found.size === 1 ? only : null;
    const built = builtNames(name).flatMap((other) => named.get(other) ?? []);
    if (built.length > 0) return built.length === 1 ? (built[0] ?? null) : null;
    // Where a page is shown as a folder of its own, "../" before a name is what lies beside it.
    const above = folder === "" ? "" : parentPrefix(folder);
    const beside = folder !== "" && name.startsWith(above) ? (named.get(folder + name.slice(above.length)) ?? null) : null;
    if (beside !== null) return beside;
    // A wiki names a page by its path from the root of all notes, in letters of either case.
    const rest = folder !== "" && name.startsWith(folder) ? name.slice(folder.length) : "";
    const rooted = rest.includes("/") ? roots.map((root) => named.get(root + rest)).find((key) => key !== undefined) : undefined;
    return rooted ?? (ENDING.test(target) || target.endsWith("/") ? null : nearest(ended.get(linkEnd(target)) ?? [], target, roots));
  };
  // Objects are asked for folder by folder, and those of a folder link to the same ones.
  let near: { readonly folder: string; readonly roots: readonly string[]; readonly led: Map<string, string | null> } | null = null;
  return (from, target) => {
    const folder = parentPrefix(from);
    if (near?.folder !== folder) near = { folder, roots: rootsOf(from).reverse(), led: new Map() };
    let led = near.led.get(target);
    if (led === undefined) near.led.set(target, (led = lead(folder, near.roots, target)));
    return led;
  };
}

/** The library and each folder around a key: any may be the root of a site. */
const rootsOf = (key: string): string[] => ["", ...leadingPrefixes(key)];

/** The only page of a name, spelled as in the link where some are, that has most folders in common with it. @param roots around the link */
function nearest(keys: readonly string[], target: string, roots: readonly string[]): string | null {
  const last = (path: string): string => linkName(path).replace(/^.*\//s, "");
  const exact = keys.filter((key) => last(key) === last(target));
  const near = (exact.length > 0 ? exact : keys).map((key) => ({ key, folders: roots.filter((root) => key.startsWith(root)).length }));
  const most = Math.max(...near.map(({ folders }) => folders));
  const [only, other] = near.filter(({ folders }) => folders === most);
  return other === undefined ? (only?.key ?? null) : null;
}

/** linkEnd returns the last name of a link's target, in small letters. */
export const linkEnd = (target: string): string => linkName(target).replace(/^.*\//s, "").toLowerCase();

/** siteEnds returns the last names of all links that may mean `key`, besides those of the addresses that it gives itself. */
export function siteEnds(key: string): readonly string[] {
  return [...[key, ...usualNames(key)].map(linkEnd), ...(INDEX.test(key.replace(ENDING, "")) ? [""] : [])];
}

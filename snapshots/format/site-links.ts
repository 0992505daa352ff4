/** Where a link leads that names no object as the store has it: generators of sites leave endings out, write `.html` for `.md`, `/x/` for
 *  `x/index.md`, and begin at the root of their site, which is some folder of the library. It leads where exactly one object fits. */
import { leadingPrefixes } from "./relations.ts";

/** Endings of files that generators make pages of. */
const ENDING = /\.(?:md|mdx|markdown|html?|xhtml|rst|adoc|ipynb|qmd)$/i;
/** Files that stand for their folder. */
const INDEX = /(?:^|\/)(?:index|_index|readme)$/i;

export type LeadsTo = (from: string, target: string) => string | null;

/** What a page is called whatever its generator makes of its name: without its ending, its folder for the first page in it. */
export function siteName(target: string): string {
  return target.replace(/\/+$/, "").replace(ENDING, "").replace(INDEX, "");
}

/** @param keys of all objects
 *  @returns a function that tells which object a link of the object `from` means, which names none; null where none or several fit */
export function openSite(keys: Iterable<string>): LeadsTo {
  /** By name; null where several have it. */
  const named = new Map<string, string | null>();
  for (const key of keys) {
    const name = siteName(key);
    named.set(name, named.has(name) ? null : key);
  }
  return (from, target) => {
    const name = siteName(target);
    if (name === "") return null;
    let found: string | null = null;
    for (const root of ["", ...leadingPrefixes(from)]) {
      const key = named.get(root + name);
      if (key === undefined) continue;
      if (key === null || found !== null) return null;
      found = key;
    }
    return found;
  };
}

/** Names by which a link to `key` can be written, in links of any object. */
export function siteNames(key: string): readonly string[] {
  const name = siteName(key);
  return [name, ...leadingPrefixes(name).map((root) => name.slice(root.length))];
}

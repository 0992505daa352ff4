/** A text of Sphinx takes from its site the pages of a `toctree`, and what conf.py says for all texts. */
import { resolveKey } from "./links.ts";
import { isGlob, type Others } from "./others.ts";

/** docHref gives the address of a page that is named as Sphinx does, without its ending. */
export const docHref = (target: string): string => (/^https?:|\.\w{2,4}$|\/$/.test(target) ? target : `${target}.rst`);

type Entry = { readonly href: string; readonly title: string };

/** entriesOf gives the links of a line of a `toctree`: one, or one for each page that its pattern means. A title of "" is that of its page. */
export function entriesOf(line: string, key: string, others: Others): readonly Entry[] {
  const [, title = "", target = line.trim()] = /^(.*?)\s*<([^<>]+)>$/.exec(line.trim()) ?? [];
  if (target === "" || /^(?:self|:)/.test(target)) return [];
  if (/^https?:/.test(target)) return [{ href: target, title: title || target }];
  if (title !== "" || !isGlob(target)) return [{ href: docHref(target), title }];
  const found = others.places(resolveKey(key, encodeURI(target)) ?? "");
  return found.map((place) => ({ href: `/${encodeURI(place.key)}`, title: place.title }));
}

const SETTING =
  /^(\w{1,40})[ \t]*=[ \t]*(?:[rRuUbB]{0,2}(?:("""|''')([^]{0,20000}?)\2|(["'])((?:(?!\4)[^\\\n]|\\.){0,1000})\4)|(\w+))[ \t]*(?:#.*)?$/gm;

/** settingsOf reads conf.py: values that stand between bars by their names, and texts that stand above and below each text. */
export function settingsOf(text: string): { readonly values: ReadonlyMap<string, string>; readonly texts: readonly string[] } {
  const all = new Map<string, string>();
  for (const [, name = "", , long, , short, other = ""] of text.matchAll(SETTING)) {
    const value = long ?? short ?? all.get(other);
    if (value !== undefined) all.set(name, value);
  }
  const values = ["version", "release", "project", "author", "copyright"].flatMap((name) =>
    all.has(name) ? [[name, all.get(name) ?? ""] as const] : [],
  );
  return { values: new Map(values), texts: [all.get("rst_prolog") ?? "", all.get("rst_epilog") ?? ""] };
}

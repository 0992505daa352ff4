/** "Did you mean": the words that a library has in place of those that stand nowhere in it. */
import { distance } from "fastest-levenshtein";
import type { IndexRow } from "#snapshots/index";
import { rawWords, words } from "#snapshots/words";
import type { Instead } from "./understand.ts";

/** Meant is a word of a query that stands nowhere, and the one that was found in its place, as the library writes it. */
export type Meant = { readonly asked: string; readonly meant: string };

/** findMeant finds how the library writes the words that were searched in place of others.
 *  @param rows that were found, the best first
 *  @returns nothing for a word that stands in none of the rows */
export function findMeant(
  instead: Instead,
  rows: readonly Pick<IndexRow, "name" | "title" | "text">[],
  languages: readonly string[],
): readonly Meant[] {
  const raws = instead.size === 0 ? [] : [...new Set(rows.flatMap(({ name, title, text }) => rawWords(`${name}\n${title}\n${text}`)))];
  return [...instead].flatMap(([asked, lists]) => {
    const written = raws.filter((raw) => {
      const own = words(raw, languages);
      return lists.some((list) => list.every((word) => own.includes(word)));
    });
    // One word of the index may be written in several ways: "verfied" was to be "verified", and not "verify".
    const far = written.map((raw) => distance(raw.toLowerCase(), asked.toLowerCase()));
    const meant = written[far.indexOf(Math.min(...far))];
    return meant === undefined ? [] : [{ asked, meant }];
  });
}

/** correct returns a query with the words that were meant, each of them as a whole word: "burro burrow" has one slip. */
export function correct(q: string, meant: readonly Meant[]): string {
  const whole = (word: string): RegExp => new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_])${RegExp.escape(word)}(?![\\p{L}\\p{M}\\p{N}_])`, "gu");
  return meant.reduce((text, one) => text.replaceAll(whole(one.asked), () => one.meant), q);
}

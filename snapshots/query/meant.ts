/** "Did you mean": the words that a library has in place of those that stand nowhere in it. */
import type { IndexRow } from "../index/row.ts";
import { rawWords, words } from "../index/words.ts";
import type { Instead } from "./understand.ts";

/** A word of a query that stands nowhere, and the one that was found in its place, as the library writes it. */
export type Meant = { readonly asked: string; readonly meant: string };
/** @param rows what was found, the best first
 *  @returns nothing of what stands in none of them */
export function findMeant(instead: Instead, rows: readonly Pick<IndexRow, "name" | "title" | "text">[]): readonly Meant[] {
  return [...instead].flatMap(([asked, lists]) => {
    for (const { name, title, text } of rows) {
      const meant = rawWords(`${name}\n${title}\n${text}`).find((raw) => {
        const own = words(raw);
        return lists.some((list) => list.every((word) => own.includes(word)));
      });
      if (meant !== undefined) return [{ asked, meant }];
    }
    return [];
  });
}

/** A query with the words that were meant. */
export function correct(q: string, meant: readonly Meant[]): string {
  return meant.reduce((text, one) => text.replaceAll(one.asked, () => one.meant), q);
}

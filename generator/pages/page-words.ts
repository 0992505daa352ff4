/** What each word says about a page, for the browser's index: a word of the title says more than one of the text, the second time less
 *  than the first. It follows from the page alone, so that a page which changes changes nothing of the others. */
import { LEAST } from "../../snapshots/page/browser-index.ts";
import { words } from "../../snapshots/index/words.ts";

/** Fields with what one word in them counts. */
const WORTH = { title: 8, names: 4, headings: 3, key: 3, text: 1 } as const;
/** Worth at which a word has half of the most that it can have, in a text of the usual length. */
const HALF = 3;
const USUAL_WORDS = 150;
/** Lengths are rounded up to it, so that a few more words do not change what all others weigh. */
const LENGTH_STEP = 50;
const MAX_WORDS = 400; // of one page, those that say most

export type PageTexts = Readonly<Record<keyof typeof WORTH, string>>;

/** @param languages that it is written in, as of the server's index
 *  @returns word → weight: 0 is the most, LEAST the least */
export function weighPage(texts: PageTexts, languages: readonly string[]): ReadonlyMap<string, number> {
  const worth = new Map<string, number>();
  let length = 0;
  for (const [field, value] of Object.entries(WORTH)) {
    const found = words(texts[field as keyof PageTexts], languages);
    for (const word of found) worth.set(word, (worth.get(word) ?? 0) + value);
    if (field === "text") length = Math.ceil(found.length / LENGTH_STEP) * LENGTH_STEP;
  }
  const half = HALF * (0.5 + (0.5 * length) / USUAL_WORDS);
  const best = [...worth].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1)).slice(0, MAX_WORDS);
  return new Map(best.map(([word, value]) => [word, Math.round((LEAST * half) / (value + half))]));
}

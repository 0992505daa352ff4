/** Spelling correction: what a word that stands nowhere may have been meant for. */
import { words } from "#snapshots/words";

/** RowsWith tells in how many rows or pages a word stands; 0 when in none. */
export type RowsWith = (word: string) => number;

const MIN_LENGTH = 5; // a shorter word is near too many others
const MAX_NEAR = 2;
const MIN_HALF = 3; // letters of each half of a compound
const LATIN = "abcdefghijklmnopqrstuvwxyz";
const CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюя";

/** findNear finds words that differ from a word by one letter, or by two that changed places; those in most rows first. */
export function findNear(raw: string, rowsWith: RowsWith, languages: readonly string[]): string[] {
  const word = raw.toLowerCase();
  if (word.length < MIN_LENGTH) return [];
  const found = new Map<string, number>();
  for (const near of edits(word)) {
    for (const form of words(near, languages)) {
      const rows = rowsWith(form);
      if (rows > 0) found.set(form, rows);
    }
  }
  return [...found]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(([near]) => near);
}

/** findNearNames finds names that differ so, as the index has them: whole, without their case. @param least letters that a name has to have */
export function findNearNames(raw: string, rowsWith: RowsWith, least = MIN_LENGTH): string[] {
  return raw.length < least ? [] : [...new Set(edits(raw.toLowerCase()))].filter((near) => rowsWith(near) > 0).slice(0, MAX_NEAR);
}

/** findSplit returns the two words that a compound is made of, or null. */
export function findSplit(raw: string, rowsWith: RowsWith): string[] | null {
  const word = raw.toLowerCase();
  let best: { readonly halves: string[]; readonly rows: number } | null = null;
  for (let at = MIN_HALF; at <= word.length - MIN_HALF; at++) {
    const halves = [...words(word.slice(0, at)), ...words(word.slice(at))];
    const rows = Math.min(...halves.map((half) => rowsWith(half)));
    if (halves.length === 2 && rows > (best?.rows ?? 0)) best = { halves, rows };
  }
  return best?.halves ?? null;
}

function* edits(word: string): Generator<string> {
  const letters = /\p{Script=Cyrillic}/u.test(word) ? CYRILLIC : LATIN;
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    if (after.length > 1) yield before + after.charAt(1) + after.charAt(0) + after.slice(2);
    if (after !== "") yield before + after.slice(1);
    for (const letter of letters) {
      yield before + letter + after;
      if (after !== "") yield before + letter + after.slice(1);
    }
  }
}

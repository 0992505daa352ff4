/** Query rewriting: the words of a query stand for themselves, or for what somebody meant who wrote them otherwise. The server's index and
 *  the browser's are asked alike. */
import { identifierWords, qualifiedSuffixes, words } from "#snapshots/words";
import { findNear, findNearNames, findSplit, type RowsWith } from "./near-words.ts";

/** Instead maps a word that stands nowhere to the lists of words that are looked for instead: one of these lists, whole. */
export type Instead = ReadonlyMap<string, readonly (readonly string[])[]>;
export const NOTHING_INSTEAD: Instead = new Map();

export type Understood = {
  readonly found: readonly string[];
  /** True when all of them have to stand together: they are those of one identifier that stands nowhere as a whole. */
  readonly all: boolean;
  readonly instead: Instead;
  /** True when a word stands nowhere, and nothing that it may have been meant for does. */
  readonly unknown: boolean;
  /** True when the query is one identifier that stands nowhere: nobody knows its meaning, and no text is near it. */
  readonly nowhere: boolean;
};

/** Digits of the shortest number that is an id; a number with fewer stands in many places. */
const MIN_ID = 4;

/** understand finds the words of raw words that stand somewhere. For those that do not it finds what may have been meant.
 *  @param raw as `rawWords` has them
 *  @param lone whether the query has no space: "CUB-2701" is one name of two words
 *  @param knowsName whether something is declared by that name, however it is written
 *  @param languages of the library */
export function understand(
  raw: readonly string[],
  lone: boolean,
  rowsWith: RowsWith,
  knowsName: (name: string) => boolean,
  languages: readonly string[],
): Understood {
  const knows = (word: string): boolean => rowsWith(word) > 0;
  const [only = "", ...others] = raw;
  const names = others.length === 0 ? identifierWords(only) : [];
  if (names.length > 0 && !knows(names[0] ?? "") && !knowsName(only)) return understandName(only, names, rowsWith, knowsName);
  if (lone && others.length > 0) {
    const numbers = raw.filter((word) => /\p{N}/u.test(word));
    const stands = (word: string): boolean =>
      (identifierWords(word).length > 0 ? identifierWords(word).slice(0, 1) : words(word)).some(knows);
    if (!numbers.every(stands)) return NOWHERE;
    // An id means nothing but all of it.
    if (raw.some((word) => /^\d+$/.test(word) && word.length >= MIN_ID))
      return {
        found: raw.flatMap((word) => words(word)).filter(knows),
        all: true,
        instead: NOTHING_INSTEAD,
        unknown: false,
        nowhere: false,
      };
  }
  const instead = new Map<string, readonly (readonly string[])[]>();
  const meant = raw.map((word, at) => {
    const known = words(word, languages).filter(knows);
    if (known.length > 0 || words(word).length !== 1 || !isPlain(word)) return known;
    // "band pass" may be `bandpass`, and the other way round.
    const joined = [(raw[at - 1] ?? "") + word, word + (raw[at + 1] ?? "")]
      .filter(isPlain)
      .flatMap((one) => words(one, languages))
      .filter(knows);
    const same = joined.length > 0 ? joined : findSplit(word, rowsWith);
    if (same !== null) return same;
    const near = findNear(word, rowsWith, languages);
    if (near.length > 0)
      instead.set(
        word,
        near.map((one) => [one]),
      );
    return near;
  });
  const unknown = raw.some((word, at) => words(word).length > 0 && meant[at]?.length === 0);
  // A hash, a number, a version: one word, and none of any language.
  const nowhere = unknown && others.length === 0 && !isPlain(only) && /\p{N}/u.test(only);
  return { found: meant.flat(), all: false, instead, unknown, nowhere };
}

const NOWHERE: Understood = { found: [], all: true, instead: NOTHING_INSTEAD, unknown: true, nowhere: true };

/** One identifier that stands nowhere: a name near it may have been meant, or the name that it qualifies, or what has all its pieces; what
 *  has some of them is not.
 *  @param names as `identifierWords` has them */
function understandName(only: string, names: readonly string[], rowsWith: RowsWith, knowsName: (name: string) => boolean): Understood {
  const knows = (word: string): boolean => rowsWith(word) > 0;
  const meant = (...lists: readonly (readonly string[])[]): Understood => ({
    found: lists.flat(),
    all: lists.length === 1,
    instead: new Map([[only, lists]]),
    unknown: true,
    nowhere: true,
  });
  const near = findNearNames(only, rowsWith);
  if (near.length > 0) return { ...meant(...near.map((name) => [name])), unknown: false };
  const short = qualifiedSuffixes(only)
    .slice(1)
    .find((name) => /^\p{L}/u.test(name) && (knowsName(name) || knows(identifierWords(name)[0] ?? "")));
  if (short !== undefined) {
    const own = words(short).filter(knows);
    if (own.length > 0) return meant(own);
  }
  const pieces = words(only).filter((word) => !names.includes(word));
  return pieces.some((word) => /\p{L}/u.test(word)) && pieces.every(knows) ? meant(pieces) : NOWHERE;
}

function isPlain(word: string): boolean {
  return /^(?:[A-Za-z]+|\p{Script=Cyrillic}+)$/u.test(word);
}

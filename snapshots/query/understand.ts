/** What the words of a query stand for in a library: themselves, or what somebody meant who wrote them otherwise. The server's index and
 *  the browser's are asked alike. */
import { words } from "../index/words.ts";
import { findNear, findNearNames, findSplit, type RowsWith } from "./near-words.ts";

/** What stands nowhere, and what is looked for instead: one of these lists, whole. */
export type Instead = ReadonlyMap<string, readonly (readonly string[])[]>;
export const NOTHING_INSTEAD: Instead = new Map();

export type Understood = {
  readonly found: readonly string[];
  /** Whether all of them have to stand together: they are those of one identifier that stands nowhere as a whole. */
  readonly all: boolean;
  readonly instead: Instead;
  /** Whether a word stands nowhere, nor anything that it may have been meant for. */
  readonly unknown: boolean;
};

/** The words of raw words that stand somewhere; instead of those that do not, what may have been meant.
 *  @param raw as `rawWords` has them
 *  @param knowsName whether something is declared by that name, however it is written */
export function understand(raw: readonly string[], rowsWith: RowsWith, knowsName: (name: string) => boolean): Understood {
  const knows = (word: string): boolean => rowsWith(word) > 0;
  const [only = "", ...others] = raw;
  const parts = words(only);
  if (others.length === 0 && parts.length > 1 && !parts.some((part) => knows(part) && isIdentifier(part))) {
    // One identifier that stands nowhere: what has all its parts may be a near name; what has some is not.
    const pieces = parts.filter((part) => !isIdentifier(part));
    if (!knowsName(only)) {
      const near = findNearNames(only, rowsWith);
      if (near.length > 0)
        return { found: near, all: near.length === 1, instead: new Map([[only, near.map((name) => [name])]]), unknown: false };
      return pieces.every(knows)
        ? { found: pieces, all: true, instead: new Map([[only, [pieces]]]), unknown: true }
        : { found: [], all: true, instead: NOTHING_INSTEAD, unknown: true };
    }
  }
  const instead = new Map<string, readonly (readonly string[])[]>();
  const meant = raw.map((word, at) => {
    const own = words(word);
    const known = own.filter(knows);
    if (known.length > 0 || own.length !== 1 || !isPlain(word)) return known;
    // "band pass" may be `bandpass`, and the other way round.
    const joined = [(raw[at - 1] ?? "") + word, word + (raw[at + 1] ?? "")].filter(isPlain).flatMap(words).filter(knows);
    const same = joined.length > 0 ? joined : findSplit(word, rowsWith);
    if (same !== null) return same;
    const near = findNear(word, rowsWith);
    if (near.length > 0)
      instead.set(
        word,
        near.map((one) => [one]),
      );
    return near;
  });
  const unknown = raw.some((word, at) => words(word).length > 0 && meant[at]?.length === 0);
  return { found: meant.flat(), all: false, instead, unknown };
}

function isPlain(word: string): boolean {
  return /^[A-Za-z]+$/.test(word);
}

/** Whether a word of the index is an identifier of several parts. */
function isIdentifier(word: string): boolean {
  return words(word).length > 1 || /[^\p{L}]/u.test(word);
}

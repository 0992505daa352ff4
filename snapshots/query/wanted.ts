/** A query in the index's words. */
import type { Statistics } from "../index/statistics.ts";
import { exactMark, type IndexRow, nameMark, normalizeExact } from "../index/row.ts";
import { rawWords, words } from "../index/words.ts";
import { findNear, findNearNames, findSplit } from "./near-words.ts";

const MAX_WORDS = 32; // the rarest of a query: bounds the time of a pasted page

/** What a query asks for. */
export type Wanted = {
  /** With repetitions; at most MAX_WORDS different ones. */
  readonly words: readonly string[];
  /** Whether some word of the query stands nowhere, nor anything that it may have been meant for. */
  readonly unknown: boolean;
  /** Whether a passage has to have all of them: those of one identifier that stands nowhere as a whole. */
  readonly all: boolean;
  /** Word sequences in double quotes that a result has to have; [] unless the whole query is quoted. */
  readonly phrases: readonly string[];
  /** The mark of a row that the query names exactly. */
  readonly exactMark: string;
  /** Marks of rows whose name is the query, however it is written. */
  readonly nameMarks: readonly string[];
  /** How much each word tells. */
  readonly worth: ReadonlyMap<string, number>;
  /** What stands nowhere, and what is looked for instead: one of these lists, whole. */
  readonly instead: ReadonlyMap<string, readonly (readonly string[])[]>;
};

type Understood = Pick<Wanted, "all" | "instead" | "unknown"> & { readonly found: readonly string[] };
const NOTHING_INSTEAD: Wanted["instead"] = new Map();

export type ExactReason = "key" | "id" | "name" | "title";

/** Query text is words, never syntax. Only a query that is quoted as a whole asks for its words together: quotes within a
 *  sentence name or doubt something, and as a demand they cost five of the 52 CACM queries nearly all their results. */
export function parseWanted(q: string, { statistics }: { readonly statistics: Statistics }): Wanted {
  const text = q.toWellFormed().normalize("NFC");
  const quoted = /^\s*(?:"[^"]+"\s*)+$/.test(text) ? [...text.matchAll(/"([^"]+)"/g)] : [];
  const phrases = quoted.map((match) => words(match[1] ?? "").join(" ")).filter((phrase) => phrase !== "");
  const raw = rawWords(text);
  const { found, all, instead, unknown } =
    phrases.length > 0 ? { found: words(text), all: true, instead: NOTHING_INSTEAD, unknown: false } : understand(raw, statistics);
  const worth = new Map(found.map((word) => [word, statistics.worth(word)]));
  const kept = new Set([...worth.keys()].sort((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0)).slice(0, MAX_WORDS));
  const mark = nameMark(text);
  return {
    words: found.filter((word) => kept.has(word)),
    unknown,
    all,
    phrases,
    exactMark: exactMark(text),
    nameMarks: statistics.rowsWith(mark) > 0 ? [mark] : [],
    worth,
    instead,
  };
}

/** The words of raw words that stand somewhere; instead of those that do not, what may have been meant. */
function understand(raw: readonly string[], statistics: Statistics): Understood {
  const knows = (word: string): boolean => statistics.rowsWith(word) > 0;
  const [only = "", ...others] = raw;
  const parts = words(only);
  if (others.length === 0 && parts.length > 1 && !parts.some((part) => knows(part) && isIdentifier(part))) {
    // One identifier that stands nowhere: what has all its parts may be a near name; what has some is not.
    const pieces = parts.filter((part) => !isIdentifier(part));
    if (!knows(nameMark(only))) {
      const near = findNearNames(only, statistics);
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
    const same = joined.length > 0 ? joined : findSplit(word, statistics);
    if (same !== null) return same;
    const near = findNear(word, statistics);
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

export function findReason(row: IndexRow, q: string): ExactReason | null {
  const whole = normalizeExact(q);
  if (normalizeExact(row.key) === whole) return row.kind === "record" || row.kind === "claim" ? "id" : "key";
  if (normalizeExact(row.name) === whole) return "name";
  return normalizeExact(row.title) === whole ? "title" : null;
}

/** GET /api/search: words in, Sources out, best first. Pure but for the reader it is given. */
import { ShelfError } from "../errors.ts";
import type { Candidate, IndexReader } from "../index/reader.ts";
import { exactMark, type IndexRow, normalizeExact } from "../index/row.ts";
import { openFinder, words } from "../index/words.ts";
import { inverseFrequency, openScorer, type Scorer, type WeightedWord, weighWords } from "./rank.ts";
import { snippet } from "./snippet.ts";

/** conventions: characters of q after NFC. */
export const MAX_QUERY = 500;
/** UTF-8 bytes; no key is longer. */
export const MAX_PREFIX_BYTES = 1024;
export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 500;
/** Words of a query that count, the rarest first: bounds the time of a pasted page. */
const MAX_WORDS = 32;
/** Rows fetched per wanted result: passages of one object fold, and the engine's order is not yet ours. */
const ROWS_PER_RESULT = 4;
const MIN_ROWS = 200;
const MAX_ROWS = 8_000;
/** Significant digits of a score: below them the order of additions decides, above them the texts do. */
const SCORE_DIGITS = 9;
/** Added to the score of what the query names exactly: more than any number of words can reach. */
const EXACT_BONUS = 1_000;

export type ExactReason = "key" | "id" | "name" | "title";

export type SearchQuery = { readonly q: string; readonly prefix: string; readonly limit: number };

/** One object, record or claim, by its best passage. */
export type SearchResult = {
  readonly doc: string;
  readonly key: string;
  readonly kind: IndexRow["kind"];
  readonly collection: string;
  readonly title: string;
  /** Plain text around the words, at most 320 characters. */
  readonly snippet: string;
  /** Finite, higher is better. */
  readonly score: number;
  /** Why it stands first: the query is its whole key, id, declared name or title; else null. */
  readonly exact: ExactReason | null;
  /** The best passage. */
  readonly row: IndexRow;
};

/** @param params of the URL; the caller refuses unknown names
 *  @throws ShelfError "missing_parameter" without q, "bad_parameter" for one that is too long or out of range */
export function parseSearch(params: URLSearchParams): SearchQuery {
  const q = params.get("q")?.normalize("NFC") ?? "";
  if (q.trim() === "") throw new ShelfError("missing_parameter", "The parameter q is missing or empty.", { errors: [{ pointer: "q", detail: "give some words" }] });
  if ([...q].length > MAX_QUERY) {
    throw new ShelfError("bad_parameter", `The parameter q is longer than ${MAX_QUERY} characters.`, { errors: [{ pointer: "q", detail: `at most ${MAX_QUERY} characters` }] });
  }
  const prefix = params.get("prefix") ?? "";
  if (Buffer.byteLength(prefix) > MAX_PREFIX_BYTES) {
    throw new ShelfError("bad_prefix", `The prefix is longer than ${MAX_PREFIX_BYTES} bytes.`);
  }
  const limit = params.get("limit") ?? String(DEFAULT_LIMIT);
  if (!/^[0-9]{1,4}$/.test(limit) || Number(limit) > MAX_LIMIT) {
    throw new ShelfError("bad_parameter", `The parameter limit is not a number from 0 to ${MAX_LIMIT}.`, { errors: [{ pointer: "limit", detail: `0 to ${MAX_LIMIT}` }] });
  }
  return { q, prefix, limit: Number(limit) };
}

/** What a query asks for, in index words. */
export type Wanted = {
  readonly words: readonly WeightedWord[];
  /** Word sequences in double quotes that a result has to have; [] unless the whole query is quoted. */
  readonly phrases: readonly string[];
  readonly mark: string;
};

/** Query text is words, never syntax. Only a query that is quoted as a whole asks for its words together: quotes within a
 *  sentence name or doubt something, and as a demand they cost five of the 52 CACM queries nearly all their results. */
export function parseWanted(q: string): Wanted {
  const text = q.toWellFormed().normalize("NFC");
  const quoted = /^\s*(?:"[^"]+"\s*)+$/.test(text) ? [...text.matchAll(/"([^"]+)"/g)] : [];
  const phrases = quoted.map((match) => words(match[1] ?? "").join(" ")).filter((phrase) => phrase !== "");
  return { words: weighWords(words(text)), phrases, mark: exactMark(text) };
}

/** Sources for a query, best first, at most `limit`; one per document; ties by key.
 *  @see interface §4 behaviour rules 1 and 2 */
export async function search(reader: IndexReader, query: SearchQuery): Promise<SearchResult[]> {
  if (query.limit === 0) return [];
  const wanted = parseWanted(query.q);
  const { statistics } = reader;
  const worth = new Map(wanted.words.map(({ word, weight }) => [word, weight * inverseFrequency(statistics.rows, statistics.rowsWith(word))]));
  const kept = [...wanted.words].sort((a, b) => (worth.get(b.word) ?? 0) - (worth.get(a.word) ?? 0)).slice(0, MAX_WORDS);
  const all = [...new Set(wanted.phrases.flatMap((phrase) => phrase.split(" ")))];
  const score = openScorer(statistics, kept);

  let limit = Math.min(MAX_ROWS, Math.max(MIN_ROWS, query.limit * ROWS_PER_RESULT));
  let best: Best[];
  for (;;) {
    const candidates = await reader.candidates({ any: [...kept.map(({ word }) => word), wanted.mark], all, prefix: query.prefix, limit });
    best = fold(candidates, wanted, score);
    // A full page of rows that folded into too few documents: there may be more behind them.
    if (candidates.length < limit || best.length >= query.limit || limit >= MAX_ROWS) break;
    limit = Math.min(MAX_ROWS, limit * 4);
  }
  best = best.slice(0, query.limit);
  const find = openFinder(worth);
  const rows = await reader.rows(best.map(({ candidate }) => candidate.ref));
  return best.flatMap(({ score: value, exact }, at) => {
    const row = rows[at];
    if (row === undefined) return [];
    return [{
      doc: row.doc, key: row.key, kind: row.kind, collection: row.collection, title: row.title,
      snippet: snippet(row.text, find), score: value, exact: exact ? findReason(row, query.q) : null, row,
    }];
  });
}

type Best = { readonly candidate: Candidate; readonly score: number; readonly exact: boolean };

/** The best passage of each document, ordered. */
function fold(candidates: readonly Candidate[], wanted: Wanted, score: Scorer): Best[] {
  const byDoc = new Map<string, Best>();
  for (const candidate of candidates) {
    const lines = candidate.terms.split("\n");
    if (!wanted.phrases.every((phrase) => lines.some((line) => ` ${line} `.includes(` ${phrase} `)))) continue;
    const exact = ` ${lines.at(-1)} `.includes(` ${wanted.mark} `);
    const value = Number(((exact ? EXACT_BONUS : 0) + score(candidate.terms, candidate.length)).toPrecision(SCORE_DIGITS));
    const item = { candidate, score: value, exact };
    const known = byDoc.get(candidate.doc);
    if (known === undefined || compare(item, known) < 0) byDoc.set(candidate.doc, item);
  }
  return [...byDoc.values()].sort(compare);
}

/** Best first; ties by key, then by passage, so that the order never depends on how the index came to be. */
function compare(a: Best, b: Best): number {
  if (a.score !== b.score) return b.score - a.score;
  const [keyA, keyB] = [keyOf(a.candidate.doc), keyOf(b.candidate.doc)];
  if (keyA !== keyB) return keyA < keyB ? -1 : 1;
  if (a.candidate.doc !== b.candidate.doc) return a.candidate.doc < b.candidate.doc ? -1 : 1;
  return a.candidate.n - b.candidate.n;
}

function keyOf(doc: string): string {
  return doc.slice(doc.indexOf(":") + 1);
}

function findReason(row: IndexRow, q: string): ExactReason | null {
  const whole = normalizeExact(q);
  if (normalizeExact(row.key) === whole) return row.kind === "record" || row.kind === "claim" ? "id" : "key";
  if (normalizeExact(row.name) === whole) return "name";
  return normalizeExact(row.title) === whole ? "title" : null;
}

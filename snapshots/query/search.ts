/** GET /api/search: words in, Sources out, best first. Pure but for the reader it is given. */
import type { SearchResult } from "./search-result.ts";
import { ShelfError } from "../errors.ts";
import type { IndexReader } from "../index/reader.ts";
import type { IndexRow } from "../index/row.ts";
import { openFinder } from "../index/words.ts";
import { MAX_SNIPPET } from "../schema/resources.ts";
import { foldDuplicates, SPARE_RESULTS } from "./duplicates.ts";
import { badParameter, DEFAULT_LIMIT, MAX_QUERY, parseLimit, single } from "./params.ts";
import { snippet } from "./snippet.ts";
import { compareScored, type ExactReason, findPassages, findReason, openPassageScorer, parseWanted, type Scored } from "./wanted.ts";

const MAX_PREFIX_BYTES = 1024; // no key is longer
const ROWS_PER_RESULT = 4; // passages of one object fold, and the engine's order is not yet ours
const MIN_ROWS = 200;
const MAX_ROWS = 8_000;
/** Added to the score of what the query names exactly: more than any number of words can reach. */
const EXACT_BONUS = 1_000;

export type SearchQuery = { readonly q: string; readonly prefix: string; readonly limit: number };

/** @param usual limit without one
 *  @throws ShelfError "missing_parameter" without q, "bad_parameter" for one that is too long, out of range or there twice */
export function parseSearch(params: URLSearchParams, usual = DEFAULT_LIMIT): SearchQuery {
  const q = single(params, "q")?.normalize("NFC") ?? "";
  if (q.trim() === "")
    throw new ShelfError("missing_parameter", "The parameter q is missing or empty.", {
      errors: [{ pointer: "q", detail: "give some words" }],
    });
  if ([...q].length > MAX_QUERY) throw badParameter("q", `is longer than ${MAX_QUERY} characters`);
  const prefix = single(params, "prefix") ?? "";
  if (Buffer.byteLength(prefix) > MAX_PREFIX_BYTES) {
    throw new ShelfError("bad_prefix", `The prefix is longer than ${MAX_PREFIX_BYTES} bytes.`);
  }
  return { q, prefix, limit: parseLimit(params, usual) };
}

/** Sources for a query, best first; one per document; ties by key (interface §4 behaviour rules 1 and 2). */
export async function search(reader: IndexReader, query: SearchQuery): Promise<SearchResult[]> {
  if (query.limit === 0) return [];
  const wanted = parseWanted(query.q, reader);
  const score = openPassageScorer(reader, wanted);
  let limit = Math.min(MAX_ROWS, Math.max(MIN_ROWS, query.limit * ROWS_PER_RESULT));
  let asked = limit;
  let found = await findPassages(reader, wanted, query.prefix, asked);
  let scored = score(found);
  let best = fold(scored);
  // The rows folded into too few documents, or few of them have the phrase: there may be more behind them.
  while (found.length >= limit && best.length < query.limit && limit < MAX_ROWS) {
    const looked = limit;
    limit = Math.min(MAX_ROWS, limit * 4);
    if (limit > asked) {
      // How many rows a phrase takes nobody knows beforehand: the engine is asked for them once.
      asked = wanted.phrases.length > 0 ? MAX_ROWS : limit;
      found = await findPassages(reader, wanted, query.prefix, asked);
      scored = score(found.slice(0, limit));
    } else scored.push(...score(found.slice(looked, limit)));
    best = fold(scored);
  }
  best = best.slice(0, query.limit + SPARE_RESULTS);
  const rows = await reader.rows(best.map(({ candidate }) => candidate.ref));
  const results = best.flatMap(({ score, exact }, at) => {
    const row = rows[at];
    return row === undefined ? [] : [{ row, score, exact: exact ? findReason(row, query.q) : null }];
  });
  const find = openFinder(wanted.worth);
  return foldDuplicates(results)
    .slice(0, query.limit)
    .map(({ row, score, exact }) => toResult(row, score, exact, find));
}

export function toResult(row: IndexRow, score: number, exact: ExactReason | null, find: ReturnType<typeof openFinder>): SearchResult {
  const { doc, key, kind, collection, title } = row;
  return { doc, key, kind, collection, title, snippet: snippet(row.text, find, MAX_SNIPPET), score, exact, row };
}

/** The best passage of each document, ordered. */
function fold(passages: readonly Scored[]): Scored[] {
  const best = new Map<string, Scored>();
  for (const passage of passages) {
    const item = passage.exact ? { ...passage, score: passage.score + EXACT_BONUS } : passage;
    const known = best.get(item.candidate.doc);
    if (known === undefined || compareScored(item, known) < 0) best.set(item.candidate.doc, item);
  }
  return [...best.values()].sort(compareScored);
}

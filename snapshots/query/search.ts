/** GET /api/search: words in, Sources out, best first. Pure but for the reader it is given. */
import type { SearchResult } from "./search-result.ts";
import { ShelfError } from "#snapshots/errors";
import type { IndexReader, IndexRow } from "#snapshots/index";
import { openFinder } from "#snapshots/words";
import { MAX_SNIPPET } from "#snapshots/schema";
import { takeDistinct } from "./duplicates.ts";
import type { RankedDocument } from "./rank.ts";
import { rankWithFeedback } from "./relevance-feedback.ts";
import { findMeant, type Meant } from "./meant.ts";
import { badParameter, DEFAULT_LIMIT, MAX_QUERY, parseLimit, single } from "./params.ts";
import { excerptText } from "./excerpt.ts";
import { rememberRows } from "./remember.ts";
import { type ExactReason, findReason, type IndexQuery, parseIndexQuery } from "./parsed-query.ts";

const MAX_PREFIX_BYTES = 1024; // no key is longer
const MAX_LOOKED = 65_536; // rows of one list of the engine
const STEP = 4;
const LOOKED_AT = 10; // results in which a word is looked up as it is written

export type SearchQuery = { readonly q: string; readonly prefix: string; readonly limit: number };

/** parseSearch reads the parameters of a search. @param usual limit without one
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

export type SearchFindings = { readonly results: readonly SearchResult[]; readonly meant: readonly Meant[] };

/** search finds sources for a query, best first; one per document; ties by key (interface §4 behaviour rules 1 and 2). */
export async function search(reader: IndexReader, query: SearchQuery): Promise<readonly SearchResult[]> {
  return (await searchMeant(reader, query)).results;
}

/** searchMeant finds the same, and tells which words it searched in place of words that stand nowhere.
 *  @param passes leaves only some documents in, by their ids; null leaves all */
export async function searchMeant(
  index: IndexReader,
  query: SearchQuery,
  passes: ((doc: string) => boolean) | null = null,
): Promise<SearchFindings> {
  if (query.limit === 0) return { results: [], meant: [] };
  const reader = rememberRows(passes === null ? index : narrow(index, passes));
  const wanted = parseIndexQuery(query.q, reader);
  const { results } = await rankDistinct(reader, wanted, query);
  return { results, meant: meantBy(wanted, results) };
}

/** rankDistinct ranks documents until as many as are wanted can be told apart, and shows those as a search does: copies of one file are one result. */
export async function rankDistinct(
  reader: IndexReader,
  wanted: IndexQuery,
  query: SearchQuery,
): Promise<{ readonly ranked: readonly RankedDocument[]; readonly results: readonly SearchResult[] }> {
  const { prefix, limit } = query;
  for (let least = limit, before = 0; ; ) {
    const ranked = await rankWithFeedback(reader, wanted, prefix, least);
    const results = await showRanked(reader, wanted, query, ranked);
    // A ranking ends where it has enough, and copies may be all of that.
    if (results.length >= limit || ranked.length < least || ranked.length === before) return { ranked, results };
    [least, before] = [ranked.length + limit, ranked.length];
  }
}

async function showRanked(
  reader: IndexReader,
  { worth, languages }: IndexQuery,
  { q, limit }: SearchQuery,
  ranked: readonly RankedDocument[],
): Promise<readonly SearchResult[]> {
  const kept = await takeDistinct(ranked, limit, async (next) => {
    const rows = await reader.rows(next.flatMap(({ passages }) => passages[0]?.ref ?? []));
    return next.flatMap(({ score, exact }, at) => {
      const row = rows[at]?.row;
      return row === undefined ? [] : [{ row, score, exact: exact ? findReason(row, q) : null }];
    });
  });
  const find = openFinder(worth, languages);
  return kept.map(({ row, score, exact }) => toResult(row, score, exact, find));
}

/** meantBy returns the words that were searched in place of words that stand nowhere; nothing where the query names a result exactly. */
export function meantBy({ instead, languages }: IndexQuery, results: readonly Pick<SearchResult, "row" | "exact">[]): readonly Meant[] {
  return results.some(({ exact }) => exact !== null)
    ? []
    : findMeant(
        instead,
        results.slice(0, LOOKED_AT).map(({ row }) => row),
        languages,
      );
}

export function toResult(row: IndexRow, score: number, exact: ExactReason | null, find: ReturnType<typeof openFinder>): SearchResult {
  const { doc, key, kind, collection, title } = row;
  return { doc, key, kind, collection, title, snippet: excerptText(kind, row.text, find, MAX_SNIPPET, row.name), score, exact, row };
}

/** A reader that finds rows of some documents alone: whatever else the engine finds first is passed over. @param passes tells of a document's id whether it is one of them */
function narrow(reader: IndexReader, passes: (doc: string) => boolean): IndexReader {
  return {
    ...reader,
    async find(query) {
      for (let limit = query.limit; ; limit = Math.min(limit * STEP, MAX_LOOKED)) {
        const found = await reader.find({ ...query, limit });
        const passing = found.filter(({ doc }) => passes(doc));
        if (passing.length >= query.limit || found.length < limit || limit >= MAX_LOOKED) return passing.slice(0, query.limit);
      }
    },
  };
}

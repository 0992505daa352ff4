/** GET /api/ai-search: full text and nearness of meaning together. Every query can be answered without it: what is missing
 *  is said in a notice, never thrown. */
import type { SearchResult } from "./search-result.ts";
import type { Embedder } from "#snapshots/embed";
import type { IndexReader, IndexRow } from "#snapshots/index";
import { openFinder } from "#snapshots/words";
import { ShelfError } from "#snapshots/errors";
import { takeDistinct } from "./duplicates.ts";
import type { Meant } from "./meant.ts";
import { meantBy, rankDistinct, type SearchQuery, toResult } from "./search.ts";
import { rememberRows } from "./remember.ts";
import { bareScore } from "./rank.ts";
import { findReason, parseIndexQuery } from "./parsed-query.ts";

export const DEFAULT_SEMANTIC_LIMIT = 20;
const NEAR_ROWS = 200; // passages taken by their meaning
/** The score that the nearest passage adds to the best text score of 1 (figures in index/README.md). */
const NEAR_WEIGHT = 0.1;
/** The same of a weak model where the query's words say all: as much as makes what they do not find follow what they find. */
const LAST_WEIGHT = 0.001;
/** Above everything that text and nearness can reach together. */
const EXACT_BONUS = 2;
const MAX_CHUNKS = 3; // passages shown of one document
const SCORE_DIGITS = 6;

type SemanticChunk = { readonly text: string; readonly start_line: number; readonly end_line: number; readonly score: number };
type SemanticResult = SearchResult & { readonly chunks: readonly SemanticChunk[] };
export type SemanticAnswer = {
  readonly mode: "semantic" | "unavailable";
  /** Empty, or what to do. */
  readonly notice: string;
  readonly results: readonly SemanticResult[];
  /** The words that were searched in place of words that stand nowhere. */
  readonly meant: readonly Meant[];
};

/** semantic searches by words and by meaning. @throws ShelfError "search_unavailable" when the index cannot be read */
export async function semantic(index: IndexReader, embedder: Embedder | null, query: SearchQuery): Promise<SemanticAnswer> {
  if (embedder === null) return unavailable("Semantic search is not configured. Add embeddings to proofshelf.yaml and build again.");
  const reader = rememberRows(index);
  const vectors = await reader.vectors(embedder.id);
  if (vectors === null)
    return unavailable(
      "The vectors of this snapshot by the configured model are not made yet. They follow a build: wait for them, or build again if none is running. Of an earlier snapshot they are not made again. /api/search answers all the same.",
    );
  const wanted = parseIndexQuery(query.q, reader);
  const [{ ranked }, near] = await Promise.all([
    rankDistinct(reader, wanted, query),
    wanted.nowhere
      ? []
      : embedder.embed([query.q.toWellFormed()]).then(
          ([vector]) => (vector === undefined ? [] : vectors.nearest(vector, query.prefix, NEAR_ROWS)),
          (error: unknown) => error,
        ),
  ]);
  if (!Array.isArray(near))
    return unavailable(`${near instanceof ShelfError ? near.message : "The embedding model failed."} Use /api/search meanwhile.`);
  const documents = new Map<string, Weighed>();
  const best = Math.max(...ranked.map(({ score }) => bareScore(score)), Number.MIN_VALUE);
  for (const { doc, score, exact, passages } of ranked) {
    const top = Math.max(...passages.map((passage) => bareScore(passage.score)), Number.MIN_VALUE);
    const share = bareScore(score) / best;
    const chunks = passages.map(({ n, ref, score: value }) => ({ doc, n, ref, text: (share * bareScore(value)) / top, near: 0 }));
    documents.set(doc, { doc, text: share, near: 0, exact, chunks: new Map(chunks.map((chunk) => [chunk.n, chunk])) });
  }
  // Nearness is compared within the answer: its absolute values say little, and each model has its own range.
  const similarities = near.map(({ similarity }) => similarity);
  const [low, high] = [Math.min(...similarities), Math.max(...similarities)];
  for (const { doc, n, similarity } of near) {
    const share = high > low ? (similarity - low) / (high - low) : 1;
    const known = documents.get(doc) ?? { doc, text: 0, near: 0, exact: false, chunks: new Map<number, Chunk>() };
    known.chunks.set(n, { ...(known.chunks.get(n) ?? { doc, n, ref: null, text: 0 }), near: share });
    documents.set(doc, { ...known, near: Math.max(known.near, share) });
  }
  const weight = embedder.weak === true && !wanted.unknown ? LAST_WEIGHT : NEAR_WEIGHT;
  const results = await collect(reader, query, documents.values(), weight, openFinder(wanted.worth, wanted.languages));
  return { mode: "semantic", notice: "", results, meant: meantBy(wanted, results) };
}

function unavailable(notice: string): SemanticAnswer {
  return { mode: "unavailable", notice, results: [], meant: [] };
}

type Chunk = { readonly doc: string; readonly n: number; readonly ref: bigint | null; readonly text: number; readonly near: number };
/** Both values of a document are those of its best passage, or more. */
type Weighed = {
  readonly doc: string;
  readonly text: number;
  readonly near: number;
  readonly exact: boolean;
  readonly chunks: Map<number, Chunk>;
};

async function collect(
  reader: IndexReader,
  query: SearchQuery,
  weighed: Iterable<Weighed>,
  weight: number,
  find: ReturnType<typeof openFinder>,
): Promise<SemanticResult[]> {
  const worth = ({ text, near }: Pick<Chunk, "text" | "near">): number => text + weight * near;
  const documents = [...weighed].map(({ doc, text, near, exact, chunks: all }) => {
    const chunks = [...all.values()].sort((a, b) => worth(b) - worth(a) || a.n - b.n).slice(0, MAX_CHUNKS);
    return { doc, exact, score: Number((worth({ text, near }) + (exact ? EXACT_BONUS : 0)).toPrecision(SCORE_DIGITS)), chunks };
  });
  documents.sort((a, b) => b.score - a.score || (a.doc < b.doc ? -1 : 1));
  return takeDistinct(documents, query.limit, async (next) => {
    const rows = await readRows(
      reader,
      next.flatMap(({ chunks }) => chunks),
    );
    return next.flatMap(({ doc, exact, score, chunks }) => {
      const found = chunks.flatMap((chunk) => {
        const row = rows.get(`${chunk.n} ${doc}`);
        return row === undefined ? [] : [{ row, score: Number(worth(chunk).toPrecision(SCORE_DIGITS)) }];
      });
      const top = found[0];
      if (top === undefined) return [];
      return [
        {
          ...toResult(top.row, score, exact ? findReason(top.row, query.q) : null, find),
          // A document without text has no lines to show.
          chunks: found
            .filter(({ row }) => row.start_line > 0)
            .map(({ row, score: value }) => ({
              text: row.text,
              start_line: row.start_line,
              end_line: row.end_line,
              score: value,
            })),
        },
      ];
    });
  });
}

async function readRows(reader: IndexReader, chunks: readonly Chunk[]): Promise<Map<string, IndexRow>> {
  // Passages that were found by nearness alone have no known place in the table yet.
  const unknown = await reader.at(chunks.filter(({ ref }) => ref === null));
  const refs = [...chunks.flatMap(({ ref }) => ref ?? []), ...unknown.map(({ ref }) => ref)];
  const rows = await reader.rows(refs);
  return new Map(rows.map(({ row }) => [`${row.n} ${row.doc}`, row]));
}

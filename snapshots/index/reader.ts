/** One view's index at one tag. It never changes: what a later update writes is invisible here. */
import { ShelfError } from "#snapshots/errors";
import type { IndexRow } from "./row.ts";
import { numbersOf, refsOf, stringsOf, textAt } from "./columns.ts";
import { storedFieldsAt } from "./stored-fields.ts";
import { loadStemmers } from "#snapshots/words";
import { openStatistics, type Statistics } from "./statistics.ts";
import type { Engine } from "./engine.ts";
import { PASSAGES, sqlLists, sqlString, WORDS } from "./tables.ts";
import { withinLimit } from "./time-limit.ts";
import { openVectors, type VectorReader, vectorTableName } from "./vectors.ts";
import type { Table } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";

/** A RowCandidate is a row that holds some of the words. */
export type RowCandidate = {
  /** Good for `rows` of the same reader only. */
  readonly ref: bigint;
  readonly doc: string;
  /** Number of the passage in its document, from 0. */
  readonly n: number;
  readonly defines: boolean;
  /** The engine's BM25; comparable within one answer. */
  readonly score: number;
};

export type FoundRow = {
  readonly ref: bigint;
  readonly row: IndexRow;
  /** Its words, a line for each field. */
  readonly terms: string;
};

type TextQuery = {
  /** Analysed words (see `words`) and marks; each counts as often as it stands here. */
  readonly words: readonly string[];
  /** True when a row has to have all of them; else any will do. */
  readonly all: boolean;
  /** The words that are looked at: those of the passage, or on the first row of a document with several those of all of it. */
  readonly of: "terms" | "whole";
  /** Only objects whose key starts with it; "" for everything, records and claims included. */
  readonly prefix: string;
  readonly limit: number;
};

export type IndexReader = {
  readonly statistics: Statistics;
  /** The best `limit` rows, the best first; of equal ones some. */
  find(query: TextQuery): Promise<RowCandidate[]>;
  /** The candidates at these places, with a score of 0; a place without a row is left out. In no promised order. */
  at(places: readonly { readonly doc: string; readonly n: number }[]): Promise<RowCandidate[]>;
  /** The words of many candidates, in the order asked. */
  terms(refs: readonly bigint[]): Promise<string[]>;
  /** The vectors of this tag by a model, or null when they were not made (yet). */
  vectors(embedderId: string): Promise<VectorReader | null>;
  /** The rows behind candidates, in the order asked. */
  rows(refs: readonly bigint[]): Promise<FoundRow[]>;
  /** False once a file that it reads is not what was written any more, or could not be read. Looks again aside, at most once in LOOK_MS. */
  whole(): boolean;
  close(): void;
};

const PLACE_COLUMNS = ["doc", "n", "defines"] as const;
/** The words of a document stand on its first row; nothing else of the row counts then. */
const WHOLE_COLUMNS = ["doc"] as const;
/** How long a look at the files is trusted. */
const LOOK_MS = 1_000;

export async function openReader(engine: Engine, tag: string, passages: Table, words: Table): Promise<IndexReader> {
  const { MatchQuery, Operator } = engine.lancedb;
  const statistics = await readStatistics(words);
  await loadStemmers(statistics.languages);
  const vectors = new Map<string, Promise<VectorReader | null>>();
  let damaged = false;
  let looked = performance.now();
  const look = async (): Promise<void> => {
    for (const table of [PASSAGES, WORDS, ...[...vectors.keys()].map(vectorTableName)]) {
      damaged ||= (await engine.manifests.findDamage(table, tag)) !== null;
    }
  };

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await withinLimit(work());
    } catch (cause) {
      if (cause instanceof ShelfError) throw cause;
      // When an index is made anew for this tag, the files that this reader goes by may be gone: another reader finds the new ones.
      damaged = true;
      throw new ShelfError("search_unavailable", "The search index could not be read.", { cause });
    }
  }

  /** In no promised order. */
  async function* take(refs: readonly bigint[], columns: readonly string[]): AsyncGenerator<RecordBatch> {
    if (refs.length > 0)
      yield* passages
        .takeRowIds(refs)
        .select([...columns])
        .withRowId();
  }

  return {
    statistics,
    find: ({ words: wanted, all, of, prefix, limit }) =>
      guarded(async () => {
        if (wanted.length === 0 || !prefix.isWellFormed() || prefix.includes("\0")) return [];
        let found = passages
          .query()
          .fullTextSearch(new MatchQuery(wanted.join(" "), of, { operator: all ? Operator.And : Operator.Or }))
          .select([...(of === "whole" ? WHOLE_COLUMNS : PLACE_COLUMNS), "_score"])
          .withRowId()
          .limit(limit);
        if (prefix !== "") found = found.where(`starts_with(doc, ${sqlString(`object:${prefix}`)})`);
        return readCandidates(found);
      }),
    at: (places) =>
      guarded(async () => {
        const names = new Set(places.map(({ doc, n }) => `${n} ${doc}`));
        const out: RowCandidate[] = [];
        for (const filter of sqlLists("doc", [...new Set(places.map(({ doc }) => doc))])) {
          const found = passages
            .query()
            .where(filter)
            .select([...PLACE_COLUMNS])
            .withRowId();
          out.push(...(await readCandidates(found)).filter(({ doc, n }) => names.has(`${n} ${doc}`)));
        }
        return out;
      }),
    terms: (refs) =>
      guarded(async () => {
        const byRef = new Map<bigint, string>();
        for await (const batch of take(refs, ["terms"])) {
          const found = refsOf(batch);
          const terms = stringsOf(batch, "terms");
          for (let at = 0; at < batch.numRows; at++) byRef.set(found[at] ?? 0n, textAt(terms, at));
        }
        return refs.map((ref) => byRef.get(ref) ?? "");
      }),
    async vectors(embedderId) {
      const known = vectors.get(embedderId) ?? guarded(() => openVectors(engine, tag, embedderId));
      vectors.set(embedderId, known);
      const found = await known.catch((error: unknown) => {
        vectors.delete(embedderId);
        throw error;
      });
      // They may be made later.
      if (found === null) vectors.delete(embedderId);
      return found;
    },
    rows: (refs) =>
      guarded(async () => {
        const byRef = new Map<bigint, FoundRow>();
        for await (const batch of take(refs, ["shown", "terms"])) {
          const found = refsOf(batch);
          const [shown, terms] = [stringsOf(batch, "shown"), stringsOf(batch, "terms")];
          for (let at = 0; at < batch.numRows; at++) {
            const ref = found[at] ?? 0n;
            byRef.set(ref, { ref, row: storedFieldsAt(shown, at), terms: textAt(terms, at) });
          }
        }
        return refs.flatMap((ref) => byRef.get(ref) ?? []);
      }),
    whole() {
      if (performance.now() - looked > LOOK_MS) {
        looked = performance.now();
        // A look that fails now, for want of open files for instance, is tried again later.
        void look().catch(() => undefined);
      }
      return !damaged;
    },
    close: () => {
      for (const opened of vectors.values())
        void opened.then(
          (reader) => reader?.close(),
          () => {},
        );
      words.close();
      passages.close();
    },
  };
}

async function readStatistics(words: Table): Promise<Statistics> {
  const counts = openStatistics(await words.countRows());
  for await (const batch of words.query().select(["word", "count"])) {
    const names = stringsOf(batch, "word");
    const numbers = numbersOf(batch, "count");
    for (let row = 0; row < batch.numRows; row++) counts.add(textAt(names, row), numbers[row] ?? 0);
  }
  return counts.done();
}

async function readCandidates(found: AsyncIterable<RecordBatch>): Promise<RowCandidate[]> {
  const out: RowCandidate[] = [];
  for await (const batch of found) {
    const refs = refsOf(batch);
    const docs = stringsOf(batch, "doc");
    const [numbers, defines] = batch.getChild("n") === null ? [[], []] : [numbersOf(batch, "n"), numbersOf(batch, "defines")];
    const scores = batch.getChild("_score");
    for (let row = 0; row < batch.numRows; row++) {
      out.push({
        ref: refs[row] ?? 0n,
        doc: textAt(docs, row),
        n: numbers[row] ?? 0,
        defines: defines[row] === 1,
        score: Number(scores?.get(row) ?? 0),
      });
    }
  }
  return out;
}

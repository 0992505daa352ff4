/** One view's index at one tag. It never changes: what a later update writes is invisible here. */
import { ShelfError } from "../errors.ts";
import type { IndexRow } from "./row.ts";
import { numbersOf, refsOf, stringsOf, textAt } from "./columns.ts";
import { openHolder } from "./holder.ts";
import { loadRows, type ResidentRows } from "./resident.ts";
import { openStatistics, type Statistics } from "./statistics.ts";
import type { Engine } from "./engine.ts";
import { PASSAGES, sqlLists, sqlString, warmTerms, WORDS } from "./tables.ts";
import { readTerms, type Terms } from "./terms.ts";
import { openVectors, type VectorReader, vectorTableName } from "./vectors.ts";
import type { FullTextQuery, Operator as Operators, Table } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";

/** A row that holds some of the words, as the ranking needs it. */
export type Candidate = {
  /** Good for `rows` of the same reader only. */
  readonly ref: bigint;
  readonly doc: string;
  /** Number of the passage in its document, from 0. */
  readonly n: number;
  /** FIELDS and a line of marks; see `rowsOf`. */
  readonly terms: Terms;
  /** Words of its text. */
  readonly length: number;
};

type CandidateQuery = {
  /** Analysed words (see `words`); a row with any of them is a candidate. */
  readonly any: readonly string[];
  /** A row with this mark is one, too. */
  readonly mark: string;
  /** Words that a candidate has all of; [] for no such demand. */
  readonly all: readonly string[];
  /** Only objects whose key starts with it; "" for everything, records and claims included. */
  readonly prefix: string;
  readonly limit: number;
};

export type IndexReader = {
  readonly statistics: Statistics;
  /** The best `limit` rows by the engine's own BM25, the best first; of equal ones some. */
  candidates(query: CandidateQuery): Promise<Candidate[]>;
  /** The candidates at these places; a place without a row is left out. In no promised order. */
  find(places: readonly { readonly doc: string; readonly n: number }[]): Promise<Candidate[]>;
  /** The vectors of this tag by a model, or null when they were not made (yet). */
  vectors(embedderId: string): Promise<VectorReader | null>;
  /** The rows behind candidates, in the order asked. */
  rows(refs: readonly bigint[]): Promise<IndexRow[]>;
  /** False once a file that it reads is not what was written any more. Looks again aside, at most once in LOOK_MS. */
  whole(): boolean;
  /** Releases the memory of its rows, for a snapshot that is no longer current. */
  release(): void;
  close(): void;
};

const ROW_COLUMNS = [
  "doc",
  "n",
  "key",
  "kind",
  "collection",
  "title",
  "heading",
  "name",
  "text",
  "page",
  "start_line",
  "end_line",
  "sha256",
] as const;

/** How long a look at the files is trusted. */
const LOOK_MS = 1_000;

export async function openReader(engine: Engine, tag: string, passages: Table, words: Table): Promise<IndexReader> {
  const { MatchQuery, BooleanQuery, Occur, Operator } = engine.lancedb;
  // For words of a single row 1 is the answer anyway (see openStatistics). Totals begin with a space.
  const counts = new Map<string, number>();
  for await (const batch of words.query().where("count > 1 OR starts_with(word, ' ')").select(["word", "count"])) {
    const names = stringsOf(batch, "word");
    const numbers = numbersOf(batch, "count");
    for (let row = 0; row < batch.numRows; row++) counts.set(textAt(names, row), numbers[row] ?? 0);
  }

  const vectors = new Map<string, Promise<VectorReader | null>>();
  let damaged = false;
  let looked = performance.now();
  const look = async (): Promise<void> => {
    for (const table of [PASSAGES, WORDS, ...[...vectors.keys()].map(vectorTableName)]) {
      damaged ||= (await engine.manifests.findDamage(table, tag)) !== null;
    }
  };

  const holder = openHolder(async (room) => {
    const rows = await loadRows(passages, room);
    if (rows !== null) await warmTerms(passages);
    return rows;
  });

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw new ShelfError("search_unavailable", "The search index could not be read.", { cause });
    }
  }

  return {
    statistics: openStatistics(counts),
    candidates: (query) =>
      guarded(async () => {
        if (!query.prefix.isWellFormed() || query.prefix.includes("\0")) return [];
        const held = holder.rows();
        const find = (text: FullTextQuery): Promise<Candidate[]> => {
          let found = passages
            .query()
            .fullTextSearch(text)
            .select(held === null ? ["doc", "n", "terms", "length", "_score"] : ["_score"])
            .withRowId()
            .limit(query.limit);
          if (query.prefix !== "") found = found.where(`starts_with(doc, ${sqlString(`object:${query.prefix}`)})`);
          return held === null ? readCandidates(found) : holdCandidates(found, held);
        };
        const having = (names: readonly string[], operator: Operators) => new MatchQuery(names.join(" "), "terms", { operator });
        const any = [...query.any, query.mark];
        if (query.all.length === 0) return find(having(any, Operator.Or));
        const same = new Set(query.any).symmetricDifference(new Set(query.all)).size === 0;
        if (!same)
          return find(
            new BooleanQuery([
              [Occur.Must, having(query.all, Operator.And)],
              [Occur.Should, having(any, Operator.Or)],
            ]),
          );
        // The same rows in the same order as of both together.
        const [marked, others] = await Promise.all([
          find(having([...query.all, query.mark], Operator.And)),
          find(having(query.all, Operator.And)),
        ]);
        const first = new Set(marked.map(({ ref }) => ref));
        return [...marked, ...others.filter(({ ref }) => !first.has(ref))].slice(0, query.limit);
      }),
    find: (places) =>
      guarded(async () => {
        const names = new Set(places.map(({ doc, n }) => `${n} ${doc}`));
        const out: Candidate[] = [];
        for (const filter of sqlLists("doc", [...new Set(places.map(({ doc }) => doc))])) {
          const found = passages.query().where(filter).select(["doc", "n", "terms", "length"]).withRowId();
          out.push(...(await readCandidates(found)).filter(({ doc, n }) => names.has(`${n} ${doc}`)));
        }
        return out;
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
        if (refs.length === 0) return [];
        const held = holder.rows();
        if (held !== null) return refs.flatMap((ref) => held.row(ref) ?? []);
        const table = await passages
          .takeRowIds(refs)
          .select([...ROW_COLUMNS])
          .withRowId()
          .toArrow();
        const found = table.getChild("_rowid");
        const columns = ROW_COLUMNS.map((name) => [name, table.getChild(name)] as const);
        const byRef = new Map<bigint, IndexRow>();
        for (let at = 0; at < table.numRows; at++) {
          const row = Object.fromEntries(columns.map(([name, column]) => [name, column?.get(at)])) as IndexRow;
          // 0 stands for "no page".
          byRef.set(BigInt(found?.get(at)), { ...row, page: row.page === 0 ? null : row.page });
        }
        return refs.flatMap((ref) => byRef.get(ref) ?? []);
      }),
    whole() {
      if (performance.now() - looked > LOOK_MS) {
        looked = performance.now();
        // What cannot be looked at now, for want of open files for instance, is looked at again.
        void look().catch(() => undefined);
      }
      return !damaged;
    },
    release: () => holder.release(),
    close: () => {
      for (const opened of vectors.values())
        void opened.then(
          (reader) => reader?.close(),
          () => {},
        );
      words.close();
      void holder.close().then(() => passages.close());
    },
  };
}

async function holdCandidates(found: AsyncIterable<RecordBatch>, held: ResidentRows): Promise<Candidate[]> {
  const out: Candidate[] = [];
  for await (const batch of found) {
    for (const ref of refsOf(batch)) {
      const place = held.place(ref);
      if (place !== null) out.push({ ref, ...place });
    }
  }
  return out;
}

async function readCandidates(found: AsyncIterable<RecordBatch>): Promise<Candidate[]> {
  const out: Candidate[] = [];
  for await (const batch of found) {
    const refs = refsOf(batch);
    const [docs, terms] = [stringsOf(batch, "doc"), stringsOf(batch, "terms")];
    const [numbers, lengths] = [numbersOf(batch, "n"), numbersOf(batch, "length")];
    for (let row = 0; row < batch.numRows; row++) {
      const [start = 0, end = 0] = [terms.offsets[row], terms.offsets[row + 1]];
      const codes = new Int32Array(end - start);
      out.push({
        ref: refs[row] ?? 0n,
        doc: textAt(docs, row),
        n: numbers[row] ?? 0,
        terms: { of: codes, start: 0, end: readTerms(terms.bytes, start, end, codes, 0) },
        length: lengths[row] ?? 0,
      });
    }
  }
  return out;
}

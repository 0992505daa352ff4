/** The rows of one tag held in memory, as the bytes that the engine gives: a row is then a few slices away, where a request
 *  to the engine takes a millisecond and more however few rows it is for. Finding is still the engine's. */
import type { Table } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";
import { numbersOf, refsOf, sameText, type Strings, stringsOf, textAt } from "./columns.ts";
import type { IndexKind, IndexRow, Terms } from "./row.ts";

/** Bytes of texts and words above which nothing is held, and every row is fetched from the engine: some 200,000 passages. */
const MAX_BYTES = 384 * 1024 * 1024;

/** What the ranking needs of a row. */
export type ResidentPlace = { readonly doc: string; readonly n: number; readonly terms: Terms; readonly length: number };

export type ResidentRows = {
  /** null for a ref that no row of the tag has. */
  place(ref: bigint): ResidentPlace | null;
  row(ref: bigint): IndexRow | null;
};

type DocFacts = { readonly doc: string; readonly key: string; readonly kind: IndexKind; readonly collection: string; readonly title: string; readonly sha256: string };
const DOC_COLUMNS = ["doc", "key", "kind", "collection", "title", "sha256"] as const;
const NUMBER_COLUMNS = ["n", "length", "page", "start_line", "end_line"] as const;
const LONG_COLUMNS = ["terms", "text", "heading", "name"] as const;

type LongBatch = Readonly<Record<(typeof LONG_COLUMNS)[number], Strings>>;

/** @returns null when the rows are too many to be held */
export async function loadRows(passages: Table): Promise<ResidentRows | null> {
  const rows = await passages.countRows();
  const numbers = Object.fromEntries(NUMBER_COLUMNS.map((name) => [name, new Int32Array(rows)])) as Record<(typeof NUMBER_COLUMNS)[number], Int32Array>;
  const docs: DocFacts[] = [];
  const docOf = new Int32Array(rows);
  const positions = openPositions();

  let at = 0;
  for await (const batch of scan(passages, [...DOC_COLUMNS, ...NUMBER_COLUMNS])) {
    const columns = DOC_COLUMNS.map((name) => stringsOf(batch, name));
    const [ids] = columns;
    for (const name of NUMBER_COLUMNS) numbers[name].set(numbersOf(batch, name), at);
    positions.add(halves(refsOf(batch)), at);
    for (let row = 0; row < batch.numRows; row++) {
      // The rows of a document mostly stand together, and then all that is the document's is theirs.
      if (row === 0 || ids === undefined || !sameText(ids, row, row - 1)) {
        const [doc = "", key = "", kind, collection = "", title = "", sha256 = ""] = columns.map((column) => textAt(column, row));
        docs.push({ doc, key, kind: kind as IndexKind, collection, title, sha256 });
      }
      docOf[at + row] = docs.length - 1;
    }
    at += batch.numRows;
  }

  const longs: LongBatch[] = [];
  /** Of each row, by its position: the batch that holds its long columns, and where in it. */
  const batchOf = new Uint16Array(rows);
  const rowOf = new Uint16Array(rows);
  let bytes = 0;
  for await (const batch of scan(passages, LONG_COLUMNS)) {
    const refs = halves(refsOf(batch));
    const strings = Object.fromEntries(LONG_COLUMNS.map((name) => [name, stringsOf(batch, name)])) as LongBatch;
    for (const name of LONG_COLUMNS) bytes += strings[name].bytes.length;
    if (bytes > MAX_BYTES || longs.length > 0xffff || batch.numRows > 0xffff) return null;
    for (let row = 0; row < batch.numRows; row++) {
      const position = positions.find(refs[2 * row + 1] ?? 0, refs[2 * row] ?? 0);
      batchOf[position] = longs.length;
      rowOf[position] = row;
    }
    longs.push(strings);
  }

  const find = (ref: bigint): number => positions.find(Number(ref >> 32n), Number(ref & 0xffffffffn));
  const long = (position: number, name: (typeof LONG_COLUMNS)[number]): string => {
    const batch = longs[batchOf[position] ?? 0];
    return batch === undefined ? "" : textAt(batch[name], rowOf[position] ?? 0);
  };
  return {
    place(ref) {
      const position = find(ref);
      const facts = docs[docOf[position] ?? 0];
      if (position < 0 || facts === undefined) return null;
      const { bytes, offsets } = longs[batchOf[position] ?? 0]?.terms ?? NO_STRINGS;
      const row = rowOf[position] ?? 0;
      return { doc: facts.doc, n: numbers.n[position] ?? 0, terms: { bytes, start: offsets[row] ?? 0, end: offsets[row + 1] ?? 0 }, length: numbers.length[position] ?? 0 };
    },
    row(ref) {
      const position = find(ref);
      const facts = docs[docOf[position] ?? 0];
      if (position < 0 || facts === undefined) return null;
      const page = numbers.page[position] ?? 0;
      return {
        ...facts, n: numbers.n[position] ?? 0,
        heading: long(position, "heading"), name: long(position, "name"), text: long(position, "text"),
        // 0 stands for "no page".
        page: page === 0 ? null : page, start_line: numbers.start_line[position] ?? 0, end_line: numbers.end_line[position] ?? 0,
      };
    },
  };
}

function scan(passages: Table, columns: readonly string[]): AsyncIterable<RecordBatch> {
  return passages.query().select([...columns]).withRowId();
}

const NO_STRINGS: Strings = { bytes: Buffer.alloc(0), offsets: new Int32Array(2) };

/** Of each row the low and the high half of its ref. */
function halves(refs: BigUint64Array): Uint32Array {
  return new Uint32Array(refs.buffer, refs.byteOffset, refs.length * 2);
}

/** Refs → positions. A ref is a fragment's number and a place in it, and places run from 0 with few gaps. */
function openPositions(): { add(refs: Uint32Array, first: number): void; find(fragment: number, place: number): number } {
  const fragments = new Map<number, Int32Array>();
  return {
    add(refs, first) {
      for (let row = 0; row * 2 < refs.length; row++) {
        const [place = 0, fragment = 0] = [refs[2 * row], refs[2 * row + 1]];
        let places = fragments.get(fragment);
        if (places === undefined || place >= places.length) {
          const grown = new Int32Array(Math.max(place + 1, (places?.length ?? 512) * 2)).fill(-1);
          if (places !== undefined) grown.set(places);
          places = grown;
          fragments.set(fragment, places);
        }
        places[place] = first + row;
      }
    },
    find: (fragment, place) => fragments.get(fragment)?.[place] ?? -1,
  };
}

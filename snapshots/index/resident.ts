/** The rows of one tag held in memory, nearly as the engine gives them. Finding is still the engine's. */
import type { Table } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";
import { numbersOf, type Part, refsOf, sameText, type Strings, stringsOf, textAt } from "./columns.ts";
import type { IndexKind, IndexRow } from "./row.ts";
import { readTerms, type Terms } from "./terms.ts";

type ResidentPlace = { readonly doc: string; readonly n: number; readonly terms: Terms; readonly length: number };

export type ResidentRows = {
  readonly bytes: number;
  /** null for a ref that no row of the tag has. */
  place(ref: bigint): ResidentPlace | null;
  row(ref: bigint): IndexRow | null;
};

const DOC_COLUMNS = ["doc", "key", "kind", "collection", "title", "sha256"] as const;
type DocFacts = Pick<IndexRow, (typeof DOC_COLUMNS)[number]>;
const BYTES_PER_DOC = 600; // of names and titles
const BYTES_PER_ROW = 64; // of numbers and where texts lie
const NUMBER_COLUMNS = ["n", "length", "page", "start_line", "end_line"] as const;
const LONG_COLUMNS = ["text", "heading", "name"] as const;

/** @returns null when they take more than `room` bytes */
export async function loadRows(passages: Table, room: number): Promise<ResidentRows | null> {
  const rows = await passages.countRows();
  const numbers = Object.fromEntries(NUMBER_COLUMNS.map((name) => [name, new Int32Array(rows)])) as Record<
    (typeof NUMBER_COLUMNS)[number],
    Int32Array
  >;
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

  let taken = rows * BYTES_PER_ROW + docs.length * BYTES_PER_DOC;
  const terms = await loadColumn(passages, "terms", positions, rows, room - taken, openTermBatches());
  if (terms === null) return null;
  taken += terms.size;
  const held: Column<Buffer>[] = [];
  for (const name of LONG_COLUMNS) {
    const column = await loadColumn(passages, name, positions, rows, room - taken, keepTexts);
    if (column === null) return null;
    taken += column.size;
    held.push(column);
  }
  const [text, heading, name] = held as [Column<Buffer>, Column<Buffer>, Column<Buffer>];

  const find = (ref: bigint): number => positions.find(Number(ref >> 32n), Number(ref & 0xffffffffn));
  return {
    bytes: taken,
    place(ref) {
      const position = find(ref);
      const facts = docs[docOf[position] ?? 0];
      if (position < 0 || facts === undefined) return null;
      return { doc: facts.doc, n: numbers.n[position] ?? 0, terms: terms.at(position), length: numbers.length[position] ?? 0 };
    },
    row(ref) {
      const position = find(ref);
      const facts = docs[docOf[position] ?? 0];
      if (position < 0 || facts === undefined) return null;
      const page = numbers.page[position] ?? 0;
      return {
        ...facts,
        n: numbers.n[position] ?? 0,
        heading: textOf(heading.at(position)),
        name: textOf(name.at(position)),
        text: textOf(text.at(position)),
        // 0 stands for "no page".
        page: page === 0 ? null : page,
        start_line: numbers.start_line[position] ?? 0,
        end_line: numbers.end_line[position] ?? 0,
      };
    },
  };
}

type Column<T> = { readonly size: number; at(position: number): Part<T> };

/** Strings as they are held; offsets are where each begins and the last one ends. */
type Keep<T> = (strings: Strings, rows: number) => { readonly held: T; readonly size: number; readonly offsets: Int32Array };

/** @returns null when they take more than `room` bytes */
async function loadColumn<T>(
  passages: Table,
  name: string,
  positions: Positions,
  rows: number,
  room: number,
  keep: Keep<T>,
): Promise<Column<T> | null> {
  const batches: T[] = [];
  const batchOf = new Uint16Array(rows);
  const starts = new Int32Array(rows);
  const ends = new Int32Array(rows);
  let size = 0;
  for await (const batch of scan(passages, [name])) {
    const refs = halves(refsOf(batch));
    const kept = keep(stringsOf(batch, name), batch.numRows);
    size += kept.size;
    if (size > room || batches.length > 0xffff) return null;
    for (let row = 0; row < batch.numRows; row++) {
      const position = positions.find(refs[2 * row + 1] ?? 0, refs[2 * row] ?? 0);
      batchOf[position] = batches.length;
      starts[position] = kept.offsets[row] ?? 0;
      ends[position] = kept.offsets[row + 1] ?? 0;
    }
    batches.push(kept.held);
  }
  return {
    size,
    at: (position) => ({
      of: batches[batchOf[position] ?? 0] as T,
      start: starts[position] ?? 0,
      end: ends[position] ?? 0,
    }),
  };
}

/** A copy: the engine uses its own memory again for the next batch. */
function keepTexts({ bytes, offsets }: Strings, rows: number): ReturnType<Keep<Buffer>> {
  const first = offsets[0] ?? 0;
  const held = Buffer.from(bytes.subarray(first, offsets[rows]));
  return { held, size: held.length, offsets: offsets.subarray(0, rows + 1).map((offset) => offset - first) };
}

function openTermBatches(): Keep<Int32Array> {
  let scratch = new Int32Array(0);
  return ({ bytes, offsets }, rows) => {
    const length = (offsets[rows] ?? 0) - (offsets[0] ?? 0);
    if (scratch.length < length) scratch = new Int32Array(length);
    const starts = new Int32Array(rows + 1);
    for (let row = 0; row < rows; row++) {
      starts[row + 1] = readTerms(bytes, offsets[row] ?? 0, offsets[row + 1] ?? 0, scratch, starts[row] ?? 0);
    }
    const held = scratch.slice(0, starts[rows]);
    return { held, size: held.byteLength, offsets: starts };
  };
}

function textOf({ of, start, end }: Part<Buffer>): string {
  return of.toString("utf8", start, end);
}

function scan(passages: Table, columns: readonly string[]): AsyncIterable<RecordBatch> {
  return passages
    .query()
    .select([...columns])
    .withRowId();
}

/** Of each row the low and the high half of its ref. */
function halves(refs: BigUint64Array): Uint32Array {
  return new Uint32Array(refs.buffer, refs.byteOffset, refs.length * 2);
}

/** Refs → positions. A ref is a fragment's number and a place in it, and places run from 0 with few gaps. */
type Positions = { add(refs: Uint32Array, first: number): void; find(fragment: number, place: number): number };

function openPositions(): Positions {
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

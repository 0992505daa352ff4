/** The words of a bundle and of a shard as bytes, in the format of snapshots/page/browser-index.ts. A library has millions of postings, so none of
 *  them is an object of its own here: what a page says of a word is a number until it is written. */
import { MAX_POSTINGS, POSTING_BYTES } from "../../snapshots/page/browser-index.ts";
import { shardOf } from "../../snapshots/query/words.ts";

/** What a page has in the index. */
export type IndexedPage = {
  /** Its number; two pages may have the same one. */
  readonly page: number;
  /** Ascending, each once. */
  readonly groups: readonly number[];
  /** With their weights, from 0 to 255. */
  readonly words: Iterable<readonly [word: string, weight: number]>;
};

const FIRST_BYTES = 1 << 16;
const PAGES = 2 ** 32; // numbers that a page may have

/** ByteWriter owns bytes that grow. */
class ByteWriter {
  private bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  length = 0;

  reserve(more: number): Buffer {
    if (this.length + more > this.bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.length + more));
      this.bytes.copy(grown, 0, 0, this.length);
      this.bytes = grown;
    }
    return this.bytes;
  }

  /** beginWord writes a word and leaves room for its two counts. @returns where they go */
  beginWord(word: string): number {
    const bytes = this.reserve(1 + 3 * word.length + 8);
    const length = bytes.write(word, this.length + 1);
    bytes[this.length] = length;
    this.length += 1 + length + 8;
    return this.length - 8;
  }

  endWord(at: number, pages: number, postings: number): void {
    this.bytes.writeUInt32BE(pages, at);
    this.bytes.writeUInt32BE(postings, at + 4);
  }

  posting(weight: number, page: number, group: number): void {
    const bytes = this.reserve(POSTING_BYTES);
    bytes[this.length] = weight;
    bytes.writeUInt32BE(page, this.length + 1);
    bytes.writeUInt16BE(group, this.length + 5);
    this.length += POSTING_BYTES;
  }

  copy(from: Buffer, start: number, end: number): void {
    const bytes = this.reserve(end - start);
    from.copy(bytes, this.length, start, end);
    this.length += end - start;
  }

  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

/** The words of a bundle: the length of each shard's part (4 bytes, big-endian), then these. */
export function formatBundleWords(indexed: readonly IndexedPage[], shards: number): Uint8Array {
  // A page by its place among the numbers: weight and place are then one small number, in the order of postings.
  const pages = indexed.toSorted((a, b) => a.page - b.page);
  const lists = new Map<string, number[]>();
  for (const [place, { words }] of pages.entries()) {
    for (const [word, weight] of words) {
      const list = lists.get(word);
      if (list === undefined) lists.set(word, [weight * pages.length + place]);
      else list.push(weight * pages.length + place);
    }
  }
  const byShard: string[][] = Array.from({ length: shards }, () => []);
  for (const word of lists.keys()) byShard[shardOf(word, shards)]?.push(word);
  const writer = new ByteWriter();
  writer.reserve(4 * shards);
  writer.length = 4 * shards;
  for (const [shard, words] of byShard.entries()) {
    const start = writer.length;
    for (const word of words.sort()) writePostings(writer, word, lists.get(word) ?? [], pages);
    writer.written().writeUInt32BE(writer.length - start, 4 * shard);
  }
  return writer.written();
}

function writePostings(writer: ByteWriter, word: string, list: number[], pages: readonly IndexedPage[]): void {
  if (list.length > 1) list.sort((a, b) => a - b);
  const head = writer.beginWord(word);
  let [count, postings, last] = [0, 0, -1];
  for (let at = 0; at < list.length; at++) {
    const value = list[at] ?? 0;
    const weight = Math.floor(value / pages.length);
    const { page = 0, groups = [] } = pages[value % pages.length] ?? {};
    let all = groups;
    // Of pages with one number and one weight, postings go by their groups.
    for (let next = list[at + 1]; next !== undefined && Math.floor(next / pages.length) === weight; next = list[at + 1]) {
      const other = pages[next % pages.length];
      if (other?.page !== page) break;
      all = [...all, ...other.groups].sort((a, b) => a - b);
      at++;
    }
    for (const group of all) writer.posting(weight, page, group);
    postings += all.length;
    if (page !== last) count++;
    last = page;
  }
  writer.endWord(head, count, postings);
}

/** Where a word's postings lie in a bundle's part of a shard. */
type Segment = { readonly part: Buffer; readonly bundle: number; readonly pages: number; at: number; readonly end: number };

export type ShardWords = { readonly bytes: Uint8Array; readonly words: readonly { readonly word: string; readonly pages: number }[] };

/** mergeShard makes a shard of what each bundle says of its words: of every word the best postings.
 *  @param parts by the number of the bundle, as `formatBundleWords` has them */
export function mergeShard(parts: readonly Uint8Array[]): ShardWords {
  const found = new Map<string, Segment[]>();
  for (const [bundle, bytes] of parts.entries()) {
    const part = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < part.length; ) {
      const end = at + 1 + (part[at] ?? 0);
      const word = part.toString("utf8", at + 1, end);
      const to = end + 8 + part.readUInt32BE(end + 4) * POSTING_BYTES;
      const segment = { part, bundle, pages: part.readUInt32BE(end), at: end + 8, end: to };
      const known = found.get(word);
      if (known === undefined) found.set(word, [segment]);
      else known.push(segment);
      at = to;
    }
  }
  const writer = new ByteWriter();
  const words = [...found.keys()].sort().map((word) => {
    const segments = found.get(word) ?? [];
    const head = writer.beginWord(word);
    const start = writer.length;
    const [only] = segments;
    const pages = segments.length === 1 && only !== undefined ? copyBest(writer, only) : mergeSegments(writer, segments, parts.length);
    writer.endWord(head, pages, (writer.length - start) / POSTING_BYTES);
    return { word, pages };
  });
  return { bytes: writer.written(), words };
}

function copyBest(writer: ByteWriter, { part, at, end, pages }: Segment): number {
  writer.copy(part, at, Math.min(end, at + MAX_POSTINGS * POSTING_BYTES));
  return pages;
}

/** @returns how many pages there are in all */
function mergeSegments(writer: ByteWriter, segments: readonly Segment[], bundles: number): number {
  const ofBundle = new Map(segments.map((segment) => [segment.bundle, segment]));
  const ranks = new Float64Array(segments.reduce((sum, { at, end }) => sum + (end - at) / POSTING_BYTES, 0));
  let filled = 0;
  for (const { part, at, end } of segments) {
    for (let from = at; from < end; from += POSTING_BYTES) ranks[filled++] = (part[from] ?? 0) * PAGES + part.readUInt32BE(from + 1);
  }
  ranks.sort();
  let [pages, last] = [0, -1];
  for (let n = 0; n < ranks.length; n++) {
    const page = (ranks[n] ?? 0) % PAGES;
    if (page !== last) pages++;
    last = page;
    if (n >= MAX_POSTINGS) continue;
    // A page's number says which bundle it is in, and a bundle has its postings in their order.
    const segment = ofBundle.get(page % bundles);
    if (segment === undefined) throw new Error("A posting is in no bundle.");
    writer.copy(segment.part, segment.at, segment.at + POSTING_BYTES);
    segment.at += POSTING_BYTES;
  }
  return pages;
}

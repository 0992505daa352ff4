/** The index by which a page searches from files alone: few small files for each query, however large the library is. All of it lies
 *  under pagefind/, beside the bundles of Pagefind, which look through every text when a reader asks for that:
 *  - `bundles.json`, a `BundleList`: the bundles by number, how many pages there are, and in which languages;
 *  - `words/<shard>`: the words that `shardOf` puts there, each with the pages that it says most about, as `formatWords` has them;
 *  - `near/<shard>`: the words whose first or last letters `nearShards` puts there, without pages: what an unknown word may be meant for;
 *  - `endings/<language>.js`, for each language of the library but English: a module whose `stemmer` takes endings off its words;
 *  - `<bundle>/cards/<n>.json`, a list of `BrowserCard`: what results show, of the pages that `cardPath` puts there; some eight where the
 *    bundle is full, since hosts count files.
 *  A page's number is the CRC-32 of what it is (`object:notes/a.md`); its bundle is that number modulo how many bundles there are.
 *  Words are those of the server's index, and `MARKS`. */
import { shardOf } from "../query/words.ts";
import { type Kind, KIND_NUMBERS } from "../schema/kinds.ts";

/** A shard then has the words of few pages, and both numbers change only when a library has grown to twice its size. */
const SHARDS_PER_BUNDLE = 32;
const NEAR_PER_BUNDLE = 8;
const END_LETTERS = 2;
const SHORTEST = 4;
/** That a word has in a shard, the best: more of them no reader looks through, and a word of every page must stay small. */
export const MAX_POSTINGS = 500;

/** What a page is named, has or is of, as words of the index that no text holds. */
export const MARKS = {
  /** @param name key, id, title or declared name, as `foldSpaces` has it */
  name: (name: string): string => `name:${name}`,
  /** @param digits at least the first eight of a digest: of more, those count */
  digest: (digits: string): string => `digest:${digits.slice(0, 8)}`,
  kind: (kind: string): string => `kind:${kind}`,
  repo: (repo: string): string => `repo:${repo}`,
} as const;

/** `languages`: whose endings have been taken off the words. */
export type BundleList = {
  readonly bundles: readonly string[];
  readonly pages: number;
  readonly languages: readonly string[];
  /** Whether Pagefind's files are there, too. */
  readonly texts: boolean;
};

/** What a word says about a page: weight from 0, the most, to 255; the page's number; its group. Where copies are one page, there is
 *  one for each group that they are in. */
export const POSTING_BYTES = 7;
export const LEAST = 255;

/** `pages` counts all that hold the word; `postings`, of POSTING_BYTES each, are some of them, the best first. */
export type WordEntry = { readonly word: string; readonly pages: number; readonly postings: Uint8Array };
export type Posting = { readonly weight: number; readonly page: number; readonly group: number };

/** Big-endian, so that the order of bytes is the order of postings: weight, page (4 bytes), group (2). */
export function formatPosting({ weight, page, group }: Posting): Uint8Array {
  const bytes = new Uint8Array(POSTING_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, weight);
  view.setUint32(1, page);
  view.setUint16(5, group);
  return bytes;
}

export function* splitPostings(postings: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < postings.length; at += POSTING_BYTES) yield postings.subarray(at, at + POSTING_BYTES);
}

export function parsePosting(bytes: Uint8Array): Posting {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { weight: view.getUint8(0), page: view.getUint32(1), group: view.getUint16(5) };
}

/** Of each word: its length in bytes (1), its UTF-8, how many pages hold it (4), how many postings follow (4), these. */
export function formatWords(entries: Iterable<WordEntry>): Uint8Array[] {
  const encoder = new TextEncoder();
  return [...entries].flatMap(({ word, pages, postings }) => {
    const name = encoder.encode(word);
    const head = new Uint8Array(name.length + 9);
    const view = new DataView(head.buffer);
    view.setUint8(0, name.length);
    head.set(name, 1);
    view.setUint32(name.length + 1, pages);
    view.setUint32(name.length + 5, postings.length / POSTING_BYTES);
    return [head, postings];
  });
}

export function* parseWords(bytes: Uint8Array): Generator<WordEntry> {
  const decoder = new TextDecoder();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + view.getUint8(at);
    const from = end + 8;
    const to = from + view.getUint32(end + 4) * POSTING_BYTES;
    yield { word: decoder.decode(bytes.subarray(at + 1, end)), pages: view.getUint32(end), postings: bytes.subarray(from, to) };
    at = to;
  }
}

export type CardPassage = {
  /** Declared name, or "". */
  readonly name: string;
  /** Line that the text begins at, from 1; 0 where lines mean nothing. */
  readonly line: number;
  /** Of the declaration, or of the passage: "#L12", "#P3L1" or "". */
  readonly anchor: string;
  /** As in the object; "" for those behind the first ones. */
  readonly text: string;
};

export type BrowserCard = {
  /** Number of the page; two pages may have the same. */
  readonly page: number;
  readonly path: string;
  readonly title: string;
  readonly key: string;
  readonly kind: Kind;
  /** Other keys with the same bytes, each with its page. */
  readonly copies: readonly { readonly key: string; readonly path: string }[];
  readonly passages: readonly CardPassage[];
};

export const countShards = (bundles: number): number => SHARDS_PER_BUNDLE * bundles;

export const countNearShards = (bundles: number): number => NEAR_PER_BUNDLE * bundles;

/** Shards of the words that begin or end like a word: one letter that is wrong leaves one end as it is. */
export function nearShards(word: string, bundles: number): readonly number[] {
  const shards = countNearShards(bundles);
  return [...new Set([`^${word.slice(0, END_LETTERS)}`, `${word.slice(-END_LETTERS)}$`].map((end) => shardOf(end, shards)))];
}

/** Whether a word is listed for others that are near it: marks are none, and a short word is near too many. */
export const isListed = (word: string): boolean => word.length >= SHORTEST && !word.includes(":");

export const nearPath = (shard: number): string => `pagefind/near/${shard}`;
export const wordsPath = (shard: number): string => `pagefind/words/${shard}`;
export const stemmerPath = (language: string): string => `pagefind/endings/${language}.js`;
/** By the first bits of a page's number: its bundle follows from the last ones. */
export const cardPath = (bundle: number, page: number): string => `pagefind/${bundle}/cards/${page >>> 26}.json`;

const KIND_ROOM = 16;

/** What filters go by, as one number.
 *  @param collection its place among the library's collections, or -1 */
export function groupOf(kind: Kind, collection: number): number {
  return (collection + 1) * KIND_ROOM + KIND_NUMBERS.indexOf(kind);
}

export function readGroup(group: number): { readonly kind: Kind; readonly collection: number } {
  return { kind: KIND_NUMBERS[group % KIND_ROOM] ?? "binary", collection: Math.floor(group / KIND_ROOM) - 1 };
}

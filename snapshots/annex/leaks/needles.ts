/** MIN_NEEDLE_BYTES is the shortest byte string that is searched for. This file finds any of many byte strings in one pass: the time does not
 *  depend on how many there are. */

export const MIN_NEEDLE_BYTES = 4; // shorter strings occur by accident

/** A Needle is a byte string to find. `id` is the caller's; `whole` wants the match not to go on into a longer name ("notes/a" in "notes/ab" or
 *  "notes/a.md"). */
export type Needle = { readonly bytes: Uint8Array; readonly id: number; readonly whole: boolean };

/** A NeedleMatch says from where to where in the bytes a needle stands. */
export type NeedleMatch = { readonly id: number; readonly offset: number; readonly end: number };

/** Needles with the same first eight (short ones: four) bytes: by length, then by their bytes as latin1. */
type Bucket = Map<number, Map<string, Needle[]>>;

const FILTER_BITS = 18;
const hashLong = (first: number, last: number): number => (Math.imul(first, 0x9e3779b1) ^ Math.imul(last, 0x85ebca6b)) >>> 0;

/** createMatcher returns a function that yields every occurrence, in order of the end of its first bytes. */
export function createMatcher(needles: Iterable<Needle>): (haystack: Uint8Array) => Generator<NeedleMatch> {
  const long = new Map<number, Bucket>();
  const short = new Map<number, Bucket>();
  const longFilter = new Uint8Array(1 << FILTER_BITS);
  const shortFilter = new Uint8Array(1 << FILTER_BITS);
  for (const needle of needles) {
    const bytes = Buffer.from(needle.bytes);
    if (bytes.length < MIN_NEEDLE_BYTES) continue;
    const isLong = bytes.length >= 8;
    const key = isLong ? hashLong(bytes.readInt32BE(0), bytes.readInt32BE(4)) : bytes.readInt32BE(0);
    (isLong ? longFilter : shortFilter)[slot(key)] = 1;
    const bucket = insert(isLong ? long : short, key);
    const texts = bucket.get(bytes.length) ?? new Map<string, Needle[]>();
    bucket.set(bytes.length, texts);
    const text = bytes.toString("latin1");
    texts.set(text, [...(texts.get(text) ?? []), needle]);
  }

  return function* match(input) {
    if (long.size + short.size === 0) return;
    const haystack = Buffer.from(input.buffer, input.byteOffset, input.length);
    // Most libraries have no name that is so short.
    const hasShort = short.size > 0;
    let first = 0;
    let last = 0;
    for (let at = 0; at < haystack.length; at++) {
      first = (first << 8) | (last >>> 24);
      last = (last << 8) | (haystack[at] as number);
      if (hasShort && at >= 3 && shortFilter[slot(last)] === 1) yield* matchBucket(short.get(last), haystack, at - 3);
      if (at < 7) continue;
      const key = hashLong(first, last);
      if (longFilter[slot(key)] === 1) yield* matchBucket(long.get(key), haystack, at - 7);
    }
  };
}

function slot(key: number): number {
  return (Math.imul(key, 0x9e3779b1) >>> (32 - FILTER_BITS)) & ((1 << FILTER_BITS) - 1);
}

function insert(map: Map<number, Bucket>, key: number): Bucket {
  const bucket = map.get(key) ?? new Map();
  map.set(key, bucket);
  return bucket;
}

function* matchBucket(bucket: Bucket | undefined, haystack: Buffer, start: number): Generator<NeedleMatch> {
  for (const [length, texts] of bucket ?? []) {
    for (const needle of texts.get(haystack.toString("latin1", start, start + length)) ?? []) {
      const end = start + length;
      if (!needle.whole || endsHere(haystack, end)) yield { id: needle.id, offset: start, end };
    }
  }
}

/** endsHere tells whether a name ends at `at`: what follows is no letter, digit, "_" or "-", and no "." before one of them. */
function endsHere(haystack: Uint8Array, at: number): boolean {
  const next = haystack[at];
  if (next === undefined) return true;
  return next === 0x2e ? !isNameByte(haystack[at + 1]) : !isNameByte(next);
}

function isNameByte(byte: number | undefined): boolean {
  return byte !== undefined && (byte >= 0x80 || /[\w-]/.test(String.fromCharCode(byte)));
}

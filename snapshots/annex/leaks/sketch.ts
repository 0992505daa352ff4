/** A filter of what public files say: of a run of words, of a name or of a digest it says "no" or "perhaps". It never says no to what was added,
 *  so that what it says no to need not be looked for in those files; a "perhaps" costs a look, and nothing else. */
import type { Needle } from "./needles.ts";

/** Bits of the first part; each further one has four times as many (a scalable Bloom filter), each of blocks of one cache line. */
const FIRST_BITS = 1 << 20;
const GROWTH = 4;
const BLOCK_WORDS = 16;
const BITS_EACH = 32; // for an entry: one "perhaps" in a hundred thousand is wrong
const PROBES = 8;
/** Parts that are worth keeping: 43 MB, and eleven million entries. */
const MAX_PARTS = 5;
/** Bytes of a stretch. Those are added of which a hash ends in zeros: the same ones in whatever text they stand. */
const STRETCH = 8;
const SAMPLED = 3;
const DIGEST_DIGITS = 16; // hex digits that stand for a digest

/** SketchBits are the bits of a sketch, and how many entries its last part has. */
export type SketchBits = { readonly parts: readonly Uint32Array[]; readonly size: number };

export class Sketch {
  #parts: Uint32Array[];
  #size: number;
  #full: boolean;

  /** @param bits of another one, which must not be used any more; null for one that had too many */
  constructor(bits: SketchBits | null = { parts: [], size: 0 }) {
    this.#parts = [...(bits?.parts ?? [])];
    this.#size = bits?.size ?? 0;
    this.#full = bits === null;
  }

  /** Null when there are more than are worth keeping: then it says "perhaps" to everything. */
  get bits(): SketchBits | null {
    return this.#full ? null : { parts: this.#parts, size: this.#size };
  }

  has(high: number, low: number): boolean {
    for (let at = this.#parts.length - 1; at >= 0; at--) if (probe(this.#parts[at] as Uint32Array, high, low, false)) return true;
    return this.#full;
  }

  add(high: number, low: number): void {
    if (this.has(high, low)) return;
    let last = this.#parts.at(-1);
    if (last === undefined || this.#size >= (last.length * 32) / BITS_EACH) {
      this.#full = this.#parts.length === MAX_PARTS;
      if (this.#full) this.#parts = [];
      if (this.#full) return;
      last = new Uint32Array(last === undefined ? FIRST_BITS / 32 : last.length * GROWTH);
      this.#parts.push(last);
      this.#size = 0;
    }
    this.#size++;
    probe(last, high, low, true);
  }

  addBytes(bytes: Uint8Array): void {
    eachStretch(bytes, (high, low) => this.add(high, low));
  }

  /** @param run hex digits in lower case */
  addDigests(run: string): void {
    for (let from = 0; from + DIGEST_DIGITS <= run.length; from++) this.add(...halvesOf(run.slice(from, from + DIGEST_DIGITS)));
  }

  mayHaveDigest(hex: string): boolean {
    return this.has(...halvesOf(hex));
  }

  /** A needle of which no stretch was sampled may be anywhere. */
  mayHave({ bytes }: Pick<Needle, "bytes">): boolean {
    let all = true;
    eachStretch(bytes, (high, low) => (all &&= this.has(high, low)));
    return all;
  }
}

/** @returns whether all bits of an entry were set */
function probe(words: Uint32Array, high: number, low: number, set: boolean): boolean {
  const block = (mix(high ^ Math.imul(low, 0x27d4eb2f)) % (words.length / BLOCK_WORDS)) * BLOCK_WORDS;
  let hash = mix(low);
  const step = mix(high) | 1;
  for (let n = 0; n < PROBES; n++) {
    const bit = hash >>> 23;
    hash = (hash + step) | 0;
    const at = block + (bit >>> 5);
    const mask = 1 << (bit & 31);
    if (set) (words[at] as number) |= mask;
    else if (((words[at] as number) & mask) === 0) return false;
  }
  return true;
}

function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function eachStretch(bytes: Uint8Array, take: (high: number, low: number) => void): void {
  let first = 0;
  let last = 0;
  for (let at = 0; at < bytes.length; at++) {
    first = (first << 8) | (last >>> 24);
    last = (last << 8) | (bytes[at] as number);
    const hash = Math.imul(first ^ Math.imul(last, 0x9e3779b1), 0x85ebca6b);
    if (at < STRETCH - 1 || ((hash >>> 15) & SAMPLED) !== 0) continue;
    take(hash >>> 0, (first ^ Math.imul(last, 0xc2b2ae35)) >>> 0);
  }
}

function halvesOf(hex: string): [high: number, low: number] {
  return [Number.parseInt(hex.slice(0, 8), 16), Number.parseInt(hex.slice(8, DIGEST_DIGITS), 16)];
}

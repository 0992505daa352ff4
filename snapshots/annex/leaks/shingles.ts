/** Runs of eight words, as 64-bit fingerprints: how a stretch of one text is found again inside another. */

/** SHINGLE_WORDS is how many words a run has. Shorter runs occur by accident. */
export const SHINGLE_WORDS = 8;
/** A run must say something: "0 0 0 0 0 0 0 0" and rows of punctuation names occur everywhere. */
const MIN_DISTINCT_WORDS = 5;
const MIN_LETTERS = 24;
const ALONE_WEIGHT = 3;
/** Fingerprints kept. Beyond it every second one is dropped, by its own value, so that both sides look for the same runs. */
const MAX_FINGERPRINTS = 4 << 20;

/** The class of every UTF-16 unit: 0 not looked at, else one of the three. Filled as units are met. */
const CLASSES = new Uint8Array(1 << 16);
const GAP = 1; // ends a word
const LETTER = 2; // part of a word
const ALONE = 3; // a word by itself, in scripts that write no space between words; Hangul is written with spaces
const ALONE_LETTERS = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/;
const WORD_LETTERS = /[\p{L}\p{N}\p{M}]/u;

function classOf(unit: number): number {
  const known = CLASSES[unit] as number;
  if (known !== 0) return known;
  const text = String.fromCharCode(unit);
  // Half of a surrogate pair counts as a letter: rare scripts and pictures, which both sides treat alike.
  const found = !WORD_LETTERS.test(text) && text.isWellFormed() ? GAP : ALONE_LETTERS.test(text) ? ALONE : LETTER;
  CLASSES[unit] = found;
  return found;
}

const HIGH_BASE = 0x9e3779b1 | 0;
const LOW_BASE = 0xc2b2ae35 | 0;
const power = (base: number): number => Array.from({ length: SHINGLE_WORDS - 1 }).reduce<number>((product) => Math.imul(product, base), 1);
const HIGH_OUT = power(HIGH_BASE);
const LOW_OUT = power(LOW_BASE);

/** foldText returns a text as it is compared: case and width do not count. Line breaks stay, lengths may not. */
export function foldText(text: string): string {
  return (/[^\0-\x7f]/.test(text) ? text.normalize("NFKC") : text).toLowerCase();
}

/** eachShingle calls `take` with the two halves of the fingerprint of every run of eight words, in order, and where in the folded text the run
 *  ends. Punctuation does not count.
 *  @param telling only runs that say something: for what is looked for, not for where it is looked for */
export function eachShingle(input: string, take: (high: number, low: number, end: number) => void, telling = false): void {
  const text = foldText(input);
  const first = new Int32Array(SHINGLE_WORDS);
  const second = new Int32Array(SHINGLE_WORDS);
  const lengths = new Int32Array(SHINGLE_WORDS);
  let words = 0;
  let a = 0;
  let b = 0;
  let letters = 0;
  let length = 0;
  let high = 0;
  let low = 0;
  const close = (end: number): void => {
    if (length === 0) return;
    const slot = words % SHINGLE_WORDS;
    // Polynomials over the last eight words, modulo 2³²: the oldest leaves, the newest comes.
    high = (Math.imul(high - Math.imul(first[slot] as number, HIGH_OUT), HIGH_BASE) + a) | 0;
    low = (Math.imul(low - Math.imul(second[slot] as number, LOW_OUT), LOW_BASE) + b) | 0;
    first[slot] = a;
    second[slot] = b;
    lengths[slot] = letters;
    length = 0;
    if (++words < SHINGLE_WORDS || (telling && !tells(first, lengths))) return;
    take(high >>> 0, low >>> 0 || 1, end);
  };
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const kind = CLASSES[unit] || classOf(unit);
    if (kind !== LETTER) close(at);
    if (kind === GAP) continue;
    if (length === 0) {
      a = 0x811c9dc5;
      b = 0x1b873593;
      letters = 0;
    }
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 13);
    length++;
    if (unit > 0x39) letters++; // digits tell little
    if (kind === ALONE) {
      letters = ALONE_WEIGHT;
      close(at + 1);
    }
  }
  close(text.length);
}

/** findRunStart finds where the run of eight words begins that ends at `end`. */
export function findRunStart(folded: string, end: number): number {
  let at = end;
  for (let words = 0; words < SHINGLE_WORDS && at > 0; words++) {
    while (at > 0 && classOf(folded.charCodeAt(at - 1)) === GAP) at--;
    if (at > 0 && classOf(folded.charCodeAt(at - 1)) === ALONE) at--;
    else while (at > 0 && classOf(folded.charCodeAt(at - 1)) === LETTER) at--;
  }
  return at;
}

function tells(words: Int32Array, lengths: Int32Array): boolean {
  let letters = 0;
  let distinct = 0;
  for (let at = 0; at < SHINGLE_WORDS; at++) {
    letters += lengths[at] as number;
    if (words.indexOf(words[at] as number) === at) distinct++;
  }
  return letters >= MIN_LETTERS && distinct >= MIN_DISTINCT_WORDS;
}

const PUBLISHED = 1;
const COMMON = 2;

/** Fingerprints is a set of fingerprints, each with a mark and the number of the text that said it first: open addressing in typed arrays. */
export class Fingerprints {
  #high = new Uint32Array(1 << 12);
  #low = new Uint32Array(1 << 12);
  #owners = new Uint32Array(1 << 12);
  #marks = new Uint8Array(1 << 12);
  #sampled = 0;
  size = 0;

  /** Tells whether a run's fingerprint is one that is looked for at the present sampling. */
  #counts(low: number): boolean {
    return (Math.imul(low, 0x9e3779b1) >>> 8) % (1 << this.#sampled) === 0;
  }

  #place(high: number, low: number): number {
    const mask = this.#low.length - 1;
    let at = (Math.imul(high, 0x85ebca6b) ^ low) & mask;
    while (this.#low[at] !== 0 && (this.#low[at] !== low || this.#high[at] !== high)) at = (at + 1) & mask;
    return at;
  }

  add(high: number, low: number, owner: number): void {
    if (!this.#counts(low)) return;
    const at = this.#place(high, low);
    if (this.#low[at] !== 0) {
      if (this.#owners[at] !== owner) (this.#marks[at] as number) |= COMMON;
      return;
    }
    this.#high[at] = high;
    this.#low[at] = low;
    this.#owners[at] = owner;
    this.size++;
    if (this.size > MAX_FINGERPRINTS) this.#sampled++;
    if (this.size > MAX_FINGERPRINTS || this.size * 2 > this.#low.length) this.#rebuild();
  }

  #rebuild(): void {
    const [high, low, owners, marks] = [this.#high, this.#low, this.#owners, this.#marks];
    const length = this.size > MAX_FINGERPRINTS ? low.length : low.length * 2;
    this.#high = new Uint32Array(length);
    this.#low = new Uint32Array(length);
    this.#owners = new Uint32Array(length);
    this.#marks = new Uint8Array(length);
    this.size = 0;
    for (let from = 0; from < low.length; from++) {
      const value = low[from] as number;
      if (value === 0 || !this.#counts(value)) continue;
      const at = this.#place(high[from] as number, value);
      this.#high[at] = high[from] as number;
      this.#low[at] = value;
      this.#owners[at] = owners[from] as number;
      this.#marks[at] = marks[from] as number;
      this.size++;
    }
  }

  /** The place of a fingerprint while nothing is added, or -1. */
  find(high: number, low: number): number {
    const at = this.#place(high, low);
    return this.#low[at] === 0 ? -1 : at;
  }

  ownerOf(place: number): number {
    return this.#owners[place] as number;
  }

  /** Tells whether several say it. */
  isCommon(place: number): boolean {
    return ((this.#marks[place] as number) & COMMON) !== 0;
  }

  /** True when there are so many that not all of them are looked for. */
  get isSampled(): boolean {
    return this.#sampled > 0;
  }

  /** Calls `take` with every fingerprint that is said in public. */
  eachPublished(take: (place: number, high: number, low: number) => void): void {
    for (let at = 0; at < this.#low.length; at++) if (this.isPublished(at)) take(at, this.#high[at] as number, this.#low[at] as number);
  }

  publish(place: number): void {
    (this.#marks[place] as number) |= PUBLISHED;
  }

  isPublished(place: number): boolean {
    return ((this.#marks[place] as number) & PUBLISHED) !== 0;
  }
}

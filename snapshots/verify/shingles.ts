/** Runs of eight words, as 64-bit fingerprints: how a stretch of one text is found again inside another. */

/** Words in a run. Shorter runs occur by accident. */
export const SHINGLE_WORDS = 8;
/** A run must say something: "0 0 0 0 0 0 0 0" and rows of punctuation names occur everywhere. */
const MIN_DISTINCT_WORDS = 5;
const MIN_LETTERS = 24;
/** Fingerprints kept: 4 million are about 30 million bytes of text and 75 MB of memory. Beyond it every second one is
 *  dropped, by its own value, so that the same runs are looked for on both sides. */
const MAX_FINGERPRINTS = 4 << 20;

const WORD = /[\p{L}\p{N}]+/gu;
/** From here on, scripts that write no space between words: each letter counts as a word. Hangul is written with spaces. */
const SPACELESS = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/u;

/** Calls `take` with the two halves of the fingerprint of every run of eight words, in order. */
export function eachShingle(text: string, take: (high: number, low: number) => void): void {
  const words: { readonly a: number; readonly b: number; readonly letters: number }[] = [];
  const push = (word: string): void => {
    let a = 0x811c9dc5;
    let b = 0x1b873593;
    for (let at = 0; at < word.length; at++) {
      const unit = word.charCodeAt(at);
      a = Math.imul(a ^ unit, 0x01000193);
      b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 13);
    }
    words.push({ a, b, letters: /\p{L}/u.test(word) ? word.length : 0 });
    if (words.length > SHINGLE_WORDS) words.shift();
    if (words.length < SHINGLE_WORDS) return;
    let high = 0;
    let low = 0;
    let letters = 0;
    for (const part of words) {
      high = Math.imul(high ^ part.a, 0x9e3779b1) + 0x7f4a7c15;
      low = Math.imul(low ^ part.b, 0xc2b2ae35) ^ (low >>> 15);
      letters += part.letters;
    }
    if (letters >= MIN_LETTERS && new Set(words.map((part) => part.a)).size >= MIN_DISTINCT_WORDS) take(high >>> 0, low >>> 0 || 1);
  };
  for (const [word] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    if (SPACELESS.test(word)) for (const letter of word) push(letter);
    else push(word);
  }
}

/** Per fingerprint: seen in a source that is public anyway, or told already. */
const PUBLISHED = 1;

/** A set of fingerprints, each with a mark. Open addressing in typed arrays: a Set of numbers takes four times the memory. */
export class Fingerprints {
  #high = new Uint32Array(1 << 12);
  #low = new Uint32Array(1 << 12);
  #marks = new Uint8Array(1 << 12);
  #sampled = 0;
  size = 0;

  /** Whether a run's fingerprint is one that is looked for at the present sampling. */
  #counts(low: number): boolean {
    return (Math.imul(low, 0x9e3779b1) >>> 8) % (1 << this.#sampled) === 0;
  }

  #place(high: number, low: number): number {
    const mask = this.#low.length - 1;
    let at = (Math.imul(high, 0x85ebca6b) ^ low) & mask;
    while (this.#low[at] !== 0 && (this.#low[at] !== low || this.#high[at] !== high)) at = (at + 1) & mask;
    return at;
  }

  add(high: number, low: number): void {
    if (!this.#counts(low)) return;
    const at = this.#place(high, low);
    if (this.#low[at] !== 0) return;
    this.#high[at] = high;
    this.#low[at] = low;
    this.size++;
    if (this.size > MAX_FINGERPRINTS) this.#sampled++;
    if (this.size > MAX_FINGERPRINTS || this.size * 2 > this.#low.length) this.#rebuild();
  }

  #rebuild(): void {
    const [high, low, marks] = [this.#high, this.#low, this.#marks];
    const length = this.size > MAX_FINGERPRINTS ? low.length : low.length * 2;
    this.#high = new Uint32Array(length);
    this.#low = new Uint32Array(length);
    this.#marks = new Uint8Array(length);
    this.size = 0;
    for (let from = 0; from < low.length; from++) {
      const value = low[from] as number;
      if (value === 0 || !this.#counts(value)) continue;
      const at = this.#place(high[from] as number, value);
      this.#high[at] = high[from] as number;
      this.#low[at] = value;
      this.#marks[at] = marks[from] as number;
      this.size++;
    }
  }

  /** The place of a fingerprint while nothing is added, or -1. */
  find(high: number, low: number): number {
    const at = this.#place(high, low);
    return this.#low[at] === 0 ? -1 : at;
  }

  publish(place: number): void {
    this.#marks[place] = PUBLISHED;
  }

  isPublished(place: number): boolean {
    return this.#marks[place] === PUBLISHED;
  }
}

/** The words of a row as numbers of 32 bits. A word that shares its number with another counts as that. */
import type { Part } from "./columns.ts";

/** Numbers of words in order; LINE_END where a field ends. */
export type Terms = Part<Int32Array>;

export const LINE_END = 0; // no word's number

const SPACE = 32;
const NEWLINE = 10;
const BASIS = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

/** @param bytes words with a space between two and a line for each field, UTF-8, from `start` to `end`
 *  @param into gets their numbers from `at` on; at most as many as there are bytes
 *  @returns where the next would be */
export function readTerms(bytes: Uint8Array, start: number, end: number, into: Int32Array, at: number): number {
  let next = at;
  let code = BASIS;
  let inside = false;
  for (let place = start; place <= end; place++) {
    const byte = place === end ? SPACE : (bytes[place] as number);
    if (byte > SPACE) {
      code = Math.imul(code ^ byte, PRIME);
      inside = true;
      continue;
    }
    if (inside) {
      into[next++] = code === LINE_END ? 1 : code;
      code = BASIS;
      inside = false;
    }
    if (byte === NEWLINE) into[next++] = LINE_END;
  }
  return next;
}

/** The numbers of some words with a space between two. */
export function termsOf(words: string): Int32Array {
  const bytes = Buffer.from(words);
  const codes = new Int32Array(bytes.length);
  return codes.subarray(0, readTerms(bytes, 0, bytes.length, codes, 0));
}

/** In how many rows each word stands. Kept beside the rows, because the engine does not say it: a query knows by it which words are
 *  unknown, which tell much, and which an unknown one may have been meant for. */
import { ownText } from "#snapshots/own-text";
import { languageMark, languagesIn } from "#snapshots/words";

export type Statistics = {
  readonly rows: number;
  /** Languages whose endings have been taken off the words, English first. */
  readonly languages: readonly string[];
  /** Rows that hold the word; 0 when none does. */
  rowsWith(word: string): number;
  /** How much a word tells: more for rarer ones; one that stands nowhere, as one that stands once. */
  worth(word: string): number;
};

/** Words are stored under their name, the number of rows under one that no word can have. */
const ROWS_TOTAL = " rows";
/** DEAD_TOTAL is such a name, too. Its number is that of the rows that are gone and that the full-text indexes still count. */
export const DEAD_TOTAL = " dead";

/** WordCounts count in how many rows each word stands: what rows add and take away. */
export class WordCounts {
  readonly #counts = new Map<string, number>();

  /** Adds (`sign` 1) or takes away (-1) one row's share. @param terms as StoredRow has them */
  add(terms: string, sign: 1 | -1): void {
    for (const word of new Set(terms.replaceAll("\n", " ").split(" "))) if (word !== "") this.#add(word, sign);
    this.#add(ROWS_TOTAL, sign);
  }

  addDead(rows: number): void {
    this.#add(DEAD_TOTAL, rows);
  }

  #add(name: string, by: number): void {
    const known = this.#counts.get(name);
    if (known === undefined) this.#counts.set(ownText(name), by);
    else this.#counts.set(name, known + by);
  }

  changes(): Map<string, number> {
    return new Map([...this.#counts].filter(([, count]) => count !== 0));
  }
}

/** openStatistics collects the counts of words. It holds a word by a hash of 32 bits, in eight bytes. With a million words, one in some four
 *  thousand of the words that stand nowhere counts as known. */
export function openStatistics(size: number): { add(word: string, count: number): void; done(): Statistics } {
  // A word and its count share a number, so that sorting keeps them together.
  const packed = new Float64Array(size);
  let used = 0;
  let rows = 0;
  return {
    add(word, count) {
      if (word === DEAD_TOTAL) return;
      if (word === ROWS_TOTAL) rows = count;
      else if (count > 0) packed[used++] = hash(word) * COUNT_LIMIT + Math.min(count, COUNT_LIMIT - 1);
    },
    done() {
      const sorted = packed.subarray(0, used).sort();
      const rowsWith = (word: string): number => {
        const first = hash(word) * COUNT_LIMIT;
        let [low, high] = [0, used];
        while (low < high) {
          const middle = (low + high) >>> 1;
          if ((sorted[middle] as number) < first) low = middle + 1;
          else high = middle;
        }
        const found = (sorted[low] ?? 0) - first;
        return found >= 0 && found < COUNT_LIMIT ? found : 0;
      };
      return {
        rows,
        languages: languagesIn((language) => rowsWith(languageMark(language)) > 0),
        rowsWith,
        worth(word) {
          const held = Math.max(1, rowsWith(word));
          return Math.log(1 + (rows - held + 0.5) / (held + 0.5));
        },
      };
    },
  };
}

const COUNT_LIMIT = 2 ** 21; // 32 bits of a hash and 21 of a count are exact in a number
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a. */
function hash(word: string): number {
  let code = BASIS;
  for (let at = 0; at < word.length; at++) code = Math.imul(code ^ word.charCodeAt(at), PRIME);
  return code >>> 0;
}

/** Operators are what stands beside the words in a search box: `kind:theorem`, `repo:sorted-lists`, `in:notes/`, a digest. A server and the
 *  browser's own search read it alike. */

export type Operators = {
  /** The words that are left to be searched. */
  readonly words: string;
  readonly kinds: readonly string[];
  readonly repos: readonly string[];
  /** null without one. */
  readonly inside: string | null;
};

/** parseOperators reads `kind:`, `repo:` and `in:` with their values, wherever they stand outside quotes; a value with spaces is quoted. */
export function parseOperators(q: string): Operators {
  const kinds: string[] = [];
  const repos: string[] = [];
  let inside: string | null = null;
  const words = q.replaceAll(
    /(?<=^|\s)(kind|repo|in):("[^"]*"|[^\s"]+)(?=\s|$)|"[^"]*"/g,
    (whole, name: string | undefined, value: string) => {
      const plain = (value ?? "").replaceAll('"', "");
      if (name === "kind") kinds.push(plain.toLowerCase());
      else if (name === "repo") repos.push(plain);
      else if (name === "in") inside = plain;
      else return whole;
      return " ";
    },
  );
  return { words: words.trim(), kinds, repos, inside };
}

/** DIGEST_START is the number of first digits by which the search of an export knows a digest. */
export const DIGEST_START = 16;

/** Fewer hex digits are a word, or a number. */
const MIN_DIGEST = 8;

/** parseDigestStart returns the digits of a text that is a digest or the beginning of one; null for anything else. */
export function parseDigestStart(text: string): string | null {
  const digits = text.toLowerCase().replace(/^sha-?256:/, "");
  return digits.length >= MIN_DIGEST && /^[0-9a-f]{8,64}$/.test(digits) ? digits : null;
}

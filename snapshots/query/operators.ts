/** What is typed into a search box beside words: `kind:theorem`, `repo:sorted-lists`, `in:notes/`, a digest. A server and the browser's own
 *  search read it alike. */

export type Operators = {
  /** What is left to be searched. */
  readonly words: string;
  readonly kinds: readonly string[];
  readonly repos: readonly string[];
  /** null without one. */
  readonly inside: string | null;
};

/** `kind:`, `repo:` and `in:` with their values, wherever they stand outside quotes; a value with spaces is quoted. */
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

/** First digits of a digest by which the search of an export knows it. */
export const DIGEST_START = 16;

/** Fewer hex digits are a word, or a number. */
const MIN_DIGEST = 8;

/** The digits of a digest that a text is, or the first of it; null for anything else. */
export function parseDigestStart(text: string): string | null {
  const digits = text.toLowerCase().replace(/^sha-?256:/, "");
  return digits.length >= MIN_DIGEST && /^[0-9a-f]{8,64}$/.test(digits) ? digits : null;
}

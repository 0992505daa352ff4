/** Irrelevance in Agda: what its checker compares or leaves out wrongly, as several proofs of the empty type show. A dot in a pattern is none of it. */

/** Words by which something is irrelevant, here or in the standard library. */
const WORDS = /@(?:irr|irrelevant|shape-irr|shape-irrelevant)\b|\bProp\b|--prop\b|\bIrrelevan|\bRecomputable|\bRefinement\b/;
/** Strings and signs in quotes, comments of a line, pragmas, the begin and the end of a comment, brackets, line breaks, and the rest by words. */
const TOKENS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.[^'\n]*)'|--(?=\s|$).*|\{-#[^]*?#-\}|\{-|-\}|\n *|[(){};]|(?:(?!-\})[^\s(){};"])+|"/gu;
/** A pattern goes on to one of these. */
const PATTERN_ENDS = new Set(["=", "with", "|", "rewrite"]);

/** hasIrrelevance tells whether a text of Agda has something irrelevant: a dot that leads to a colon or an arrow. What is doubtful has. */
export function hasIrrelevance(text: string): boolean {
  if (WORDS.test(text)) return true;
  const tokens = read(text);
  return tokens.some((token, at) => /^\.{1,2}(?!\.)/.test(token) && isIrrelevant(tokens, at));
}

/** read leaves comments out, which may stand in each other; a pragma is read as text. */
function read(text: string): string[] {
  const tokens: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === "{-") depth++;
    else if (token === "-}") depth = Math.max(0, depth - 1);
    else if (depth === 0 && !token.startsWith("--")) tokens.push(token);
  }
  return tokens;
}

function isIrrelevant(tokens: readonly string[], from: number): boolean {
  let depth = 0;
  for (let at = from + 1; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    if (token === "(" || token === "{") depth++;
    else if (token === ")" || token === "}") depth--;
    else if (token === ":") return true;
    // No line of a declaration begins where its module does.
    else if (token === "\n" && at + 1 < tokens.length && tokens[at + 1]?.startsWith("\n") === false) return false;
    else if (depth <= 0 && PATTERN_ENDS.has(token)) return false;
    else if (depth <= 0 && (token === "→" || token === "->")) return true;
  }
  return false;
}

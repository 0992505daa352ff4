const MAX_BLOCK = 20_000; // UTF-16 units in which the block has to end
/** Comments may stand above it, such as a licence's tag. */
const ABOVE = /^\ufeff?(?:(?:[ \t]*\r?\n|<!--(?:(?!-->)[\s\S]){0,5000}-->[ \t]*(?:\r?\n|$))*(?=---|\+\+\+|\{))?/;

/** Each form of the block; its first group is what is parsed. A rule that a blank line and no key follows begins no block: what stands between
 *  two rules is text. A list of facts begins with one of a few keys (MultiMarkdown), since any line of prose may have a colon. */
const FORMS = {
  YAML: /^---[ \t]*\r?\n(?![ \t]*\r?\n(?!\s*["'\w.-]+[ \t]*:\s))([\s\S]*?)(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m,
  TOML: /^\+\+\+[ \t]*\r?\n([\s\S]*?)\r?\n\+\+\+[ \t]*(?:\r?\n|$)/,
  JSON: /^(\{[ \t]*\r?\n[\s\S]*?\r?\n\})[ \t]*(?:\r?\n|$)/,
  "a title block": /^(%(?!%)[^\n]*\n(?:(?:%|[ \t]+\S)[^\n]*(?:\n|$))*)/,
  "a list of facts":
    /^((?=(?:title|authors?|date|subtitle|format|base header level|latex mode)[ \t]*:)(?:[a-z][\w -]{0,40}:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*)+)(?=[ \t]*\r?\n)/i,
} as const;

/** A FrontBlock is the block of facts that a document begins with, for a generator of sites. */
export type FrontBlock = {
  readonly form: keyof typeof FORMS;
  /** The text between its edges, or all of it where it has none. */
  readonly body: string;
  /** 1-based: the line that the body begins on. */
  readonly bodyLine: number;
  /** Lines of the block, its edges and comments above it included. */
  readonly lines: number;
};

/** findFrontBlock finds the block that a document begins with; null where it begins with text. */
export function findFrontBlock(text: string): FrontBlock | null {
  const head = text.slice(0, MAX_BLOCK);
  const above = ABOVE.exec(head)?.[0] ?? "";
  const rest = head.slice(above.length);
  for (const form of Object.keys(FORMS) as (keyof typeof FORMS)[]) {
    const [whole, body = ""] = FORMS[form].exec(rest) ?? [];
    if (whole === undefined || !rest.startsWith(whole) || (form === "JSON" && !isJson(body))) continue;
    if (form === "a title block" && isMyst(text)) continue;
    const bodyLine = (above + whole.slice(0, whole.indexOf(body))).split("\n").length;
    return { form, body, bodyLine, lines: (above + whole).trimEnd().split("\n").length };
  }
  return null;
}

const MYST =
  /^[ \t>]*(?:`{3,}|:{3,})\{(?!(?:python|r|julia|ojs|bash)\b)[a-z]|\{[a-z][\w:-]{0,40}\}`|^\([\w:. -]{1,100}\)=[ \t\r]*$|^(?:jupytext|mystnb|kernelspec):/m;

/** isMyst tells whether a text has marks that only MyST has: there a line that begins with `%` is a remark. */
export const isMyst = (text: string): boolean => MYST.test(text);

/** isJson tells JSON from other text in braces, such as a template's. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Fits the extractor's fragment, sanitised already, into an object's page: heading levels change, line anchors made of digits are
 *  added, and what a keyboard or a screen reader needs. */

/** Tags of the fragment: rehype writes them in lower case, and escapes "<" in text. */
const HEADING = /<(\/?)h([1-6])(?=[\s>])/g;
const FIRST_HEADING = /^\s*<h1(?:\s[^>]*)?>([\s\S]*?)<\/h1>/;
const LINE = /<span class="line" id="L(\d+)">/g;
/** The server writes into stored pages where comments of a kind stand; none may come from an object. */
const COMMENT = /<!--/g;
/** Each of these scrolls when it is wide, so a keyboard must reach it: code, a table, a formula on a line of its own. */
const SCROLLS = /<(pre|table|math(?=[^>]* display="block"))(?=[\s>])(?![^>]*tabindex)/g;
const INLINE_FORMULA = /<math(?=[\s>])(?![^>]* display="block")/;
/** Written from right to left. Where any of it is, each list and quotation has its bullets and its rule on the side of its own words. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const SIDED = /<(ul|ol|blockquote)(?=[\s>])/g;
const CHECKBOX = /<input\b(?![^>]*aria-label)([^>]*)>/g;

/** A tag that carries the anchor of a line, in a PDF of a line of a page. Text has no bare "<", and attributes no bare double quote. */
const ANCHOR = /(<[a-z][^<>]* id="((?:P(\d+))?L(\d+))")(?=[\s>])/g;

/** The anchor that shows where line `start` is: its own, or that of the block that it lies in. @param html sanitised
 *  @param page of a PDF, else null */
export function findAnchor(html: string, page: number | null, start: number): string | null {
  let best: { readonly id: string; readonly line: number } | null = null;
  for (const [, , id = "", ofPage, digits] of html.matchAll(ANCHOR)) {
    const line = Number(digits);
    if ((ofPage === undefined ? null : Number(ofPage)) === page && line <= start && line >= (best?.line ?? 0)) best = { id, line };
  }
  return best?.id ?? null;
}

/** Marks the lines, or blocks, between an anchor and a line, both included. */
export function markLines(html: string, from: string, to: number): string {
  const [, page, first] = /^(?:P(\d+))?L(\d+)$/.exec(from) ?? [];
  return html.replace(ANCHOR, (tag, start: string, _, ofPage: string | undefined, line: string) =>
    ofPage === page && Number(line) >= Number(first) && Number(line) <= to ? `${start} data-cited` : tag,
  );
}

/** @param html sanitised; @param title of the page, which has the only h1: an equal first heading is dropped */
export function fitObjectHtml(html: string, title: string): string {
  const first = FIRST_HEADING.exec(html);
  const body = first !== null && textOf(first[1] ?? "") === title.trim() ? html.slice(first[0].length) : html;
  // Below the page's own h1 nothing is left out: the headings of a text whose only h1 was its title stay where they are.
  const lower = body !== html && !/<h1[\s>]/.test(body) ? 0 : 1;
  return (FROM_RIGHT.test(body) ? body.replace(SIDED, '<$1 dir="auto"') : body)
    .replace(COMMENT, "&lt;!--")
    .replace(SCROLLS, '<$1 tabindex="0"')
    .replace(CHECKBOX, (_, rest: string) => `<input aria-label="${/\bchecked\b/.test(rest) ? "done" : "to do"}"${rest}>`)
    .replace(HEADING, (_, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + lower)}`)
    .replace(LINE, '<span class="line" id="L$1"><a href="#L$1" aria-hidden="true" tabindex="-1"></a>');
}

/** Tells whether a text scrolls as a whole: a formula within a line is not broken, and may be wider than the text. @param html sanitised */
export function scrollsWhole(html: string): boolean {
  return INLINE_FORMULA.test(html);
}

function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:lt|#x3C);/g, "<")
    .replace(/&(?:gt|#x3E);/g, ">")
    .replace(/&(?:amp|#x26);/g, "&")
    .trim();
}

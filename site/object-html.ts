/** Fits the extractor's fragment, sanitised already, into an object's page: heading levels change, line anchors made of digits are
 *  added, and what a keyboard or a screen reader needs. */

/** Tags of the fragment: rehype writes them in lower case, and escapes "<" in text. */
const HEADING = /<(\/?)h([1-6])(?=[\s>])/g;
/** With what may stand around it: a document's own sections, and anchors. */
const FIRST_HEADING = /^(?:\s|<\/?(?:div|section|header|span|a|p)(?=[\s>])[^>]*>)*?(<h([1-3])(?:\s[^>]*)?>([\s\S]*?)<\/h\2>)/;
const LINE = /<span class="line" id="L(\d+)">/g;
/** The server writes into stored pages where comments of a kind stand; none may come from an object. */
const COMMENT = /<!--/g;
/** Each of these scrolls when it is wide, so a keyboard must reach it: code, a table, a formula on a line of its own, which is no stop itself. */
const SCROLLS = /<(pre|table)(?=[\s>])(?![^>]*tabindex)/g;
const FORMULA = /(?<!<span tabindex="0" class="formula">)<math(?=[\s>])(?=[^>]* display="block")[\s\S]*?<\/math>/g;
const INLINE_FORMULA = /<math(?=[\s>])(?![^>]* display="block")/;
/** Written from right to left. Where any of it is, each list and quotation has its bullets and its rule on the side of its own words. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const SIDED = /<(ul|ol|blockquote)(?=[\s>])/g;
const CHECKBOX = /<input\b(?![^>]*aria-label)([^>]*)>/g;

/** A tag that carries the anchor of a line, in a PDF of a line of a page. Text has no bare "<", and attributes no bare double quote. */
const ANCHOR = /(<[a-z][^<>]* id="((?:P(\d+))?L(\d+))")(?=[\s>])/g;

/** breakNames lets long names of code break after a dot or an underscore, as they do outside of code, and not within a word. */
export const breakNames = (html: string): string =>
  html.replaceAll(/<[^>]*>|(?<=\w)[._](?=\w)/g, (part) => (part.startsWith("<") ? part : `${part}<wbr>`));

/** findAnchor finds the anchor that shows where line `start` is: its own, or that of the block that it lies in.
 *  @param html sanitised
 *  @param page of a PDF, else null */
export function findAnchor(html: string, page: number | null, start: number): string | null {
  let best: { readonly id: string; readonly line: number } | null = null;
  for (const [, , id = "", ofPage, digits] of html.matchAll(ANCHOR)) {
    const line = Number(digits);
    if ((ofPage === undefined ? null : Number(ofPage)) === page && line <= start && line >= (best?.line ?? 0)) best = { id, line };
  }
  return best?.id ?? null;
}

/** markLines marks the lines, or blocks, between an anchor and a line, both included. */
export function markLines(html: string, from: string, to: number): string {
  const [, page, first] = /^(?:P(\d+))?L(\d+)$/.exec(from) ?? [];
  return html.replace(ANCHOR, (tag, start: string, _, ofPage: string | undefined, line: string) =>
    ofPage === page && Number(line) >= Number(first) && Number(line) <= to ? `${start} data-cited` : tag,
  );
}

/** A comment at the top of a file that is its licence, from this many lines on, is folded. */
const LONG_LICENCE = 6;
const OF_LICENCE = /licen[cs]e|copyright|©|\(c\)/i;
const CODE_LINE = /<span class="line" id="L(\d+)">(.*)<\/span>(?:\n|$)/gm;
const COMMENT_ONLY = /^\s*<span class="c">.*<\/span>\s*$/;

/** foldLicence sets the lines of a licence at the top of code apart, so that the style can fold them. They stay in their place, with their numbers. */
function foldLicence(html: string): string {
  const start = html.indexOf('<span class="line" id="L1">');
  if (start < 0) return html;
  let [end, count, text] = [start, 0, ""];
  for (const match of html.slice(start).matchAll(CODE_LINE)) {
    const [whole, number, content = ""] = match;
    if (Number(number) !== count + 1 || match.index !== end - start || !COMMENT_ONLY.test(content)) break;
    [end, count, text] = [end + whole.length, count + 1, text + content];
  }
  if (count < LONG_LICENCE || !OF_LICENCE.test(textOf(text))) return html;
  const folded = `<span class="licence">${html.slice(start, end)}</span>`;
  return `<details class="fold"><summary>Licence, ${count} lines</summary></details>${html.slice(0, start)}${folded}${html.slice(end)}`;
}

/** fitObjectHtml fits the text of an object into its page.
 *  @param html sanitised
 *  @param title of the page, which has the only h1: an equal first heading is dropped, and what leads to it stays */
export function fitObjectHtml(html: string, title: string): string {
  const [before = "", heading = "", , words = ""] = FIRST_HEADING.exec(html) ?? [];
  const isTitle = heading !== "" && textOf(words).replace(/\s*[¶#]$/, "") === title.trim();
  const anchors = [...heading.matchAll(/ id="[^"]*"/g)].map(([id]) => `<span${id}></span>`).join("");
  const unfolded = isTitle ? html.slice(0, before.length - heading.length) + anchors + html.slice(before.length) : html;
  const body = foldLicence(unfolded);
  // The style counts lines from 1, and anew behind a licence that is set apart; a later part of a long text does not begin with 1.
  const isNumbered = body !== unfolded || (/<span class="line" id="L(\d+)">/.exec(body)?.[1] ?? "1") !== "1";
  return nestHeadings(FROM_RIGHT.test(body) ? body.replace(SIDED, '<$1 dir="auto"') : body)
    .replace(COMMENT, "&lt;!--")
    .replace(SCROLLS, '<$1 tabindex="0"')
    .replace(CHECKBOX, (_, rest: string) => `<input aria-label="${/\bchecked\b/.test(rest) ? "done" : "to do"}"${rest}>`)
    .replace(FORMULA, '<span tabindex="0" class="formula">$&</span>')
    .replace(LINE, `<span class="line" id="L$1"><a href="#L$1" aria-hidden="true" tabindex="-1">${isNumbered ? "$1" : ""}</a>`);
}

/** nestHeadings gives each heading the level at which it stands on its page, whose title has the first: a part of a text may begin deep within it,
 *  and authors leave levels out. */
function nestHeadings(html: string): string {
  const above: number[] = [];
  return html.replace(HEADING, (_, slash: string, written: string) => {
    const level = Number(written);
    while (slash === "" && (above.at(-1) ?? 0) >= level) above.pop();
    if (slash === "") above.push(level);
    return `<${slash}h${Math.min(6, above.length + 1)}`;
  });
}

/** showsLines tells whether a text is shown as it is written, a line with its number after the other. @param html sanitised */
export function showsLines(html: string): boolean {
  return html.startsWith('<pre class="code"><code><span class="line" id="L');
}

/** scrollsWhole tells whether a text scrolls as a whole: a formula within a line is not broken, and may be wider than the text. @param html
 *  sanitised */
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

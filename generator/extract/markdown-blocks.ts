/** Blocks that sites write in Markdown beside CommonMark's: boxes with a title in the forms of MkDocs, Docusaurus, VitePress, MyST, Pandoc, GitHub and
 *  Obsidian, and tabs. Their content is Markdown. */
import type { MarkdownIt, StateBlock, Token } from "markdown-it";
import { argumentOf, boxName, boxTitle, CODED, plainIn, SLASHED } from "#snapshots/blocks";
import { escapeHtml } from "#snapshots/highlight";
import { isIndented, lineOf, linkTo, pictureOf, pushWords } from "./markdown-lines.ts";
import type { MarkdownParts } from "./markdown-parts.ts";
import { entriesOf } from "./sphinx.ts";

/** Lines that open a box whose content is indented by four: MkDocs. */
const INDENTED = /^(?:(!!!|\?\?\?\+?)[ \t]+([\w-]+)(?:[ \t]+[\w-]+)*[ \t]*(?:"([^"\n]*)")?|(===)[!+]?[ \t]+"([^"\n]+)")[ \t]*$/;
/** Lines that open a box that a line of the same signs closes. */
const FENCED = /^(:{3,}|`{3,}|~{3,}|\/{3,})[ \t]*(\S.*?)[ \t]*:*$/;
const ALERT = /^\[!([\w-]+)(?:\|[^\]\n]*)?\]([+-]?)[ \t]*([^\n]*)(?:\n|$)/;
const SKIPPED = /^(?:\+\+\+(?:[ \t]+\{.*\})?|\[\[?_?TOC_?\]?\]|\$\{toc\}|\{\{#title\s.*\}\})[ \t]*$/i;
/** useBlocks adds the blocks to a parser. */
export function useBlocks(md: MarkdownIt): void {
  const alt = ["paragraph", "reference", "blockquote", "list"];
  md.block.ruler.before("fence", "indented_box", openIndented, { alt });
  md.block.ruler.before("fence", "fenced_box", openFenced, { alt });
  md.block.ruler.before("list", "abbreviations", skipAbbreviations);
  md.block.ruler.before("fence", "label", readLabel, { alt });
  md.block.ruler.before("fence", "break", skipLine, { alt });
  md.block.ruler.before("html_block", "markdown_within", openMarkdown, { alt });
  md.core.ruler.before("inline", "captions", (state) => {
    state.tokens = moveCaptions(state.tokens);
  });
  md.core.ruler.before("inline", "alerts", ({ tokens, Token: Made }) => openAlerts(tokens, (...made) => new Made(...made)));
  md.renderer.rules["box_title_open"] = () => "<p><strong>";
  md.renderer.rules["box_title_close"] = () => "</strong></p>\n";
}

/** A title as people read it: the kind in a capital where none is given. */
function titleOf(kind: string, given: string | undefined): string {
  const name = kind === "seealso" ? "see also" : kind.replace(/^callout-/, "").replaceAll("-", " ");
  return given ?? name.charAt(0).toUpperCase() + name.slice(1);
}

type Box = {
  readonly tag: "aside" | "details" | "div";
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly after: number;
  readonly indent: number;
};

/** Reads the content of a box as blocks. */
function pushBox(state: StateBlock, line: number, { tag, title, from, to, after, indent }: Box): void {
  const open = state.push("box_open", tag, 1);
  open.map = [line, after];
  open.block = true;
  pushTitle(state, tag, title, line);
  const before = { lineMax: state.lineMax, blkIndent: state.blkIndent, parentType: state.parentType };
  state.lineMax = to;
  state.blkIndent = indent;
  state.md.block.tokenize(state, from, to);
  Object.assign(state, before);
  state.push("box_close", tag, -1);
  state.line = after;
}

function pushTitle(state: StateBlock, tag: Box["tag"], title: string, line: number): void {
  if (title === "") return;
  state.push(tag === "details" ? "box_summary_open" : "box_title_open", tag === "details" ? "summary" : "p", 1);
  const inline = state.push("inline", "", 0);
  inline.content = title;
  inline.map = [line, line + 1];
  inline.children = [];
  state.push(tag === "details" ? "box_summary_close" : "box_title_close", tag === "details" ? "summary" : "p", -1);
}

function openIndented(state: StateBlock, line: number, end: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? "" : lineOf(state, line);
  const found = INDENTED.exec(text);
  // A meaning whose term a site's own program writes.
  const termless = silent ? 0 : (/^:[ \t]{3,}(?=\S)/.exec(text)?.[0].length ?? 0);
  if (found === null && termless === 0) return false;
  const [, sign = "", kind = "", title, , tab] = found ?? [];
  const indent = (state.sCount[line] ?? 0) + 4;
  let after = line + 1;
  for (let next = after; next < end; next++) {
    if (state.isEmpty(next)) continue;
    if ((state.sCount[next] ?? 0) < indent) break;
    after = next + 1;
  }
  if (termless > 0) {
    state.tShift[line] = (state.tShift[line] ?? 0) + termless;
    state.sCount[line] = indent;
    pushBox(state, line, { tag: "div", title: "", from: line, to: after, after, indent });
    return true;
  }
  if (after === line + 1 && (title ?? tab) === undefined) return false;
  if (silent) return true;
  const tag = tab !== undefined ? "div" : sign.startsWith("???") ? "details" : "aside";
  pushBox(state, line, { tag, title: tab ?? titleOf(kind, title), from: line + 1, to: after, after, indent });
  return true;
}

function openFenced(state: StateBlock, line: number, end: number, silent: boolean): boolean {
  const found = isIndented(state, line) ? null : FENCED.exec(lineOf(state, line));
  if (found === null) return false;
  const [, fence = "", info = ""] = found;
  const { name: kind, isBox, holdsText } = boxName(info);
  // A fence of code opens a box only with braces and the name of one, or of a directive whose content is text.
  if (/^[`~]/.test(fence) && !((holdsText || kind === "toctree") && info.startsWith("{"))) return false;
  if (fence.startsWith("/") && !SLASHED.test(lineOf(state, line))) return false;
  const noted = unclosedIn(state.env as object);
  if (noted.get(fence) === end) return false;
  const close = findClose(state, line + 1, end, fence);
  if (fence.startsWith("/") && close === end) {
    noted.set(fence, end);
    return false;
  }
  if (silent) return true;
  const to = Math.min(close, end);
  let from = line + 1;
  const settings = new Map<string, string>();
  for (; from < to; from++) {
    const [, name, value = ""] =
      (fence.startsWith("/") ? /^([\w-]+):[ \t]+(.*)$/ : /^:([\w-]+):[ \t]*(.*)$/).exec(lineOf(state, from)) ?? [];
    if (name === undefined) break;
    settings.set(name, value.trim());
  }
  const label = settings.get("label") ?? settings.get("name") ?? /^[{ ].*?#([\w:.-]+)/.exec(info)?.[1];
  if (label !== undefined) pushLabel(state, label, "");
  if (kind !== "toctree" && pushCode(state, line, { info, from, to, after: Math.min(close + 1, end) })) return true;
  const [, argument = ""] = /^\{[\w:-]+\}[ \t]+(\S.*)$/.exec(info) ?? [];
  if (kind === "toctree") pushContents(state, from, to);
  else if (/^(?:figure|image)$/.test(kind) && argument !== "") pushWords(state, pictureOf(argument, settings.get("alt") ?? ""));
  else if (!isBox && !TITLED.test(kind)) pushWords(state, saidOf(info));
  const before = state.tokens.length;
  const place = boxTitle(lineOf(state, line));
  const title = place === null ? undefined : lineOf(state, line).slice(...place);
  pushBox(state, line, {
    tag: kind === "details" ? "details" : isBox ? "aside" : "div",
    title: isBox ? titleOf(kind, title) : TITLED.test(kind) || !info.startsWith("{") || /\btitle=/.test(info) ? (title ?? "") : "",
    from: kind === "toctree" ? to : from,
    to,
    after: Math.min(close + 1, end),
    indent: state.blkIndent,
  });
  if (kind === "list-table") makeTable(state.tokens.slice(before), Number(settings.get("header-rows") ?? 0));
  return true;
}

/** Fences that nothing closes before a line, by text: nobody looks for their ends again. */
const UNCLOSED = new WeakMap<object, Map<string, number>>();

function unclosedIn(env: object): Map<string, number> {
  const found = UNCLOSED.get(env) ?? new Map<string, number>();
  UNCLOSED.set(env, found);
  return found;
}

/** Boxes whose argument is a title, though they stand in the text. */
const TITLED = /^(?:tab|tab-item|tab-set-item|code-group|step|card|grid-item-card|list-table|table|(?:proof|prf):[a-z]+|solution)$/;

/** saidOf gives in Markdown what a reader sees of the argument of a directive that nobody knows: a link to a file or a page, else a name. */
export function saidOf(info: string): string {
  const said = argumentOf(info);
  return said === null ? "" : said.isAddress ? linkTo(said.argument) : `\`${said.argument.replaceAll("`", "")}\``;
}

/** Code between colons. */
function pushCode(
  state: StateBlock,
  line: number,
  { info, from, to, after }: Pick<Box, "from" | "to" | "after"> & { readonly info: string },
): boolean {
  if (!CODED.test(lineOf(state, line))) return false;
  const fence = state.push("fence", "code", 0);
  fence.info = info;
  fence.content = state.getLines(from, to, state.blkIndent, true);
  fence.map = [line, after];
  state.line = after;
  return true;
}

/** The pages of a contents. */
function pushContents(state: StateBlock, from: number, to: number): void {
  const { parts } = state.env as { readonly parts?: MarkdownParts };
  const lines = Array.from({ length: to - from }, (_, at) => lineOf(state, from + at));
  const entries = parts === undefined ? [] : lines.flatMap((text) => entriesOf(text, parts.open[0] ?? "", parts.others));
  if (entries.length === 0) return;
  state.push("bullet_list_open", "ul", 1);
  for (const { href, title } of entries) {
    state.push("list_item_open", "li", 1);
    const inline = state.push("inline", "", 0);
    inline.content = `[${title.replaceAll(/[[\]]/g, "")}](<${href}>)`;
    inline.children = [];
    state.push("list_item_close", "li", -1);
  }
  state.push("bullet_list_close", "ul", -1);
}

/** Makes a table of a list of lists. */
function makeTable(tokens: readonly Token[], heads: number): void {
  let [depth, row] = [0, 0];
  for (const token of tokens) {
    const isList = /^(?:bullet|ordered)_list_/.test(token.type);
    if (isList && token.nesting === 1) depth++;
    if (token.type === "list_item_open" && depth === 1) row++;
    if (isList && depth === 1) token.tag = "table";
    else if (isList && depth === 2) token.hidden = true;
    else if (token.type.startsWith("list_item_") && depth < 3) token.tag = depth === 1 ? "tr" : row <= heads ? "th" : "td";
    if (isList && token.nesting === -1) depth--;
  }
}

/** A line that says nothing: `+++` divides a text into the cells of a notebook, and others stand where a site fills in its contents or a title. */
function skipLine(state: StateBlock, line: number, _: number, silent: boolean): boolean {
  if (isIndented(state, line) || !SKIPPED.test(lineOf(state, line))) return false;
  if (!silent) state.line = line + 1;
  return true;
}

/** A tag that says of itself that Markdown stands within. */
function openMarkdown(state: StateBlock, line: number, _: number, silent: boolean): boolean {
  if (
    isIndented(state, line) ||
    !/^<[a-z][\w-]{0,40}(?=\s)[^<>]{0,500}?\smarkdown(?:=["']?\w+["']?)?(?:\s[^<>]{0,500})?>[ \t]*$/i.test(lineOf(state, line))
  )
    return false;
  if (!silent) {
    state.push("html_block", "", 0).content = `${lineOf(state, line)}\n`;
    state.line = line + 1;
  }
  return true;
}

/** `(name)=` names what comes next. */
function readLabel(state: StateBlock, line: number, end: number, silent: boolean): boolean {
  const [, label] = (isIndented(state, line) ? null : /^\(([\w:. -]{1,100})\)=$/.exec(lineOf(state, line).trim())) ?? [];
  if (label === undefined) return false;
  if (silent) return true;
  let next = line + 1;
  while (next < end && state.isEmpty(next)) next++;
  pushLabel(state, label, next < end ? (/^#{1,6}[ \t]+(.*?)[ \t#]*$/.exec(lineOf(state, next))?.[1] ?? "") : "");
  state.line = line + 1;
  return true;
}

function pushLabel(state: StateBlock, label: string, title: string): void {
  const { parts } = state.env as { readonly parts?: MarkdownParts };
  parts?.others.offer(label, plainIn(title, "markdown"));
  state.push("html_block", "", 0).content = `<span id="${escapeHtml(label)}"></span>\n`;
}

/** Leaves out what `*[HTML]: …` says for a reader who points at the word. */
function skipAbbreviations(state: StateBlock, line: number, _: number, silent: boolean): boolean {
  if (isIndented(state, line) || !/^\*\[[^\]\n]+\]:/.test(lineOf(state, line))) return false;
  if (!silent) state.line = line + 1;
  return true;
}

/** @returns the line that closes the box, or `end` where none does */
function findClose(state: StateBlock, from: number, end: number, fence: string): number {
  const sign = fence.charAt(0);
  let [depth, code] = [1, ""];
  for (let line = from; line < end; line++) {
    if (!state.isEmpty(line) && (state.sCount[line] ?? 0) < state.blkIndent) return line;
    const text = lineOf(state, line);
    // Signs in code close no box.
    const [, item = "", ticks = ""] = (sign === ":" ? /^((?:[-*+][ \t]+)*)(`{3,}|~{3,})/.exec(text) : null) ?? [];
    if (code === "") code = ticks;
    else if (item === "" && ticks.startsWith(code) && text.trim() === ticks) code = "";
    if (code !== "") continue;
    if (!text.startsWith(sign.repeat(3)) || isIndented(state, line)) continue;
    const signs = new RegExp(`^\\${sign}+`).exec(text)?.[0].length ?? 0;
    if (/\S/.test(text.slice(signs))) depth += sign === ":" ? 1 : 0;
    else if (sign === ":" ? --depth === 0 : signs >= fence.length) return line;
  }
  return end;
}

/** A paragraph below a table that begins with a colon is its caption, as Pandoc has it. */
function moveCaptions(tokens: readonly Token[]): Token[] {
  const made: Token[] = [];
  let table = 0;
  for (let at = 0; at < tokens.length; at++) {
    const [token, inline] = [tokens[at], tokens[at + 1]];
    if (token === undefined) continue;
    if (token.type === "table_open") table = made.length;
    const isBelow = made.at(-1)?.type === "table_close" && token.type === "paragraph_open" && inline?.type === "inline";
    const [sign] = (isBelow ? /^(?:Table)?:[ \t]+(?=\S)/.exec(inline.content) : null) ?? [];
    made.push(token);
    if (sign === undefined || inline === undefined) continue;
    inline.content = inline.content.slice(sign.length).replace(/[ \t]*\{[^{}]*\}[ \t]*$/, "");
    const moved = tokens.slice(at, at + 3);
    for (const one of moved) if (one.type !== "inline") one.tag = "caption";
    made.pop();
    if (inline.content !== "") made.splice(table + 1, 0, ...moved);
    at += 2;
  }
  return made;
}

/** Makes boxes of quotations that begin with `[!NOTE]`. */
function openAlerts(tokens: Token[], make: (type: string, tag: string, nesting: -1 | 0 | 1) => Token): void {
  for (let at = 0; at < tokens.length; at++) {
    const [quote, paragraph, inline] = [tokens[at], tokens[at + 1], tokens[at + 2]];
    if (quote?.type !== "blockquote_open" || paragraph?.type !== "paragraph_open" || inline?.type !== "inline") continue;
    const alert = ALERT.exec(inline.content);
    if (alert === null) continue;
    const [whole, kind = "", fold = "", given = ""] = alert;
    const tag = fold === "" ? "aside" : "details";
    let close = at + 1;
    while (close < tokens.length && (tokens[close]?.type !== "blockquote_close" || tokens[close]?.level !== quote.level)) close++;
    for (const token of [quote, tokens[close]]) if (token !== undefined) token.tag = tag;
    const title = make("inline", "", 0);
    title.content = given === "" ? titleOf(kind.toLowerCase(), undefined) : given;
    title.map = inline.map;
    title.children = [];
    inline.content = inline.content.slice(whole.length);
    const named = fold === "" ? (["box_title", "p"] as const) : (["box_summary", "summary"] as const);
    const head = [make(`${named[0]}_open`, named[1], 1), title, make(`${named[0]}_close`, named[1], -1)];
    tokens.splice(at + 1, inline.content === "" ? 3 : 0, ...head);
  }
}

/** Markdown to hast: markdown-it, with notes and definitions by plugins of others, and with formulas and what sites write beside them by rules of our
 *  own. Each block has its line; HTML within the text is read as browsers read it. */
import type { Root } from "hast";
import { dl } from "@mdit/plugin-dl";
import { footnote } from "@mdit/plugin-footnote";
import createParser, { type MarkdownIt, type Token } from "markdown-it";
import { closedIn, replaceTags } from "#snapshots/blocks";
import { escapeHtml } from "#snapshots/highlight";
import { parsePart } from "./html-tree.ts";
import { saidOf, useBlocks } from "./markdown-blocks.ts";
import { formatFormula, useFormulas } from "./markdown-formulas.ts";
import { useInline } from "./markdown-inline.ts";
import { listingOf, type MarkdownParts, useParts, withCode } from "./markdown-parts.ts";
import { useTables } from "./markdown-tables.ts";
import { Others } from "./others.ts";
import { formatRst } from "./rst.ts";

/** Attribute with the line of a block, until the tree has it as a position. */
const LINE = "data-own-line";
const parser = createParser({ html: true, linkify: true });
const { linkify } = parser;
linkify.set({ fuzzyLink: false });
const matchAddress = linkify.matchAtStart.bind(linkify);
// A note directly behind an address is no part of it, nor are signs of emphasis at its end.
const ADDRESS_ENDS = /\[\^|(?<![*_~])[*_~]{1,3}(?=[\s.,;:!?)]|$)/;
linkify.matchAtStart = (text) => matchAddress(text.slice(0, 3000).split(ADDRESS_ENDS, 1)[0] ?? "");
linkify.add("www.", {
  // As of an address with its scheme, less the signs that are put before it.
  validate: (text, at) => Math.max(0, linkify.testSchemaAt(`//www.${text.slice(at, at + 2000)}`, "http:", 0) - 6),
  normalize: (match) => {
    match.url = `http://${match.url}`;
  },
});
// They are typed against another version of the parser.
for (const plugin of [footnote, dl]) parser.use(plugin as unknown as (md: MarkdownIt) => void);
useFormulas(parser);
useBlocks(parser);
useInline(parser);
useParts(parser);
useTables(parser);
addRules(parser);

/** parseTree makes the tree of a document, in which each block knows the line that it begins on. @param parts that it may take in @throws TooComplex */
export function parseTree(text: string, parts?: MarkdownParts): Root {
  const env = parts === undefined ? {} : { parts };
  const tokens = parser.parse(text, env);
  const closed = closedIn(text);
  for (const token of tokens) {
    if (token.map !== null && token.nesting >= 0) token.attrSet(LINE, String(token.map[0] + 1));
    showNames(token, closed);
  }
  const tree = parsePart(parser.renderer.render(tokens, parser.options, env));
  takeLines(tree);
  return tree;
}

/** Shows the signs of what is no tag: of a name between angle brackets, and of a tag that would swallow what follows, as nothing closes it where it stands.
 *  @param closed names of elements that the text closes */
function showNames(token: Token, closed: ReadonlyMap<string, number>): void {
  const parts = token.type === "html_block" ? [token] : (token.children ?? []).filter(({ type }) => type === "html_inline");
  // The parser leaves no NUL in a text.
  const written = parts.map(({ content }) => content).join("\0");
  const shown = replaceTags(written, (tag, _, isTag) => (isTag ? tag : `&lt;${tag.slice(1)}`), closed).split("\0");
  for (const [at, part] of parts.entries()) part.content = shown[at] ?? "";
}

function takeLines(node: Root | Root["children"][number]): void {
  if (node.type === "element") {
    const line = Number(node.properties["dataOwnLine"]);
    delete node.properties["dataOwnLine"];
    const point = { line, column: 1 };
    if (Number.isInteger(line) && line > 0) node.position = { start: point, end: point };
  }
  if ("children" in node) for (const child of node.children) takeLines(child);
}

/** Writes code, notes and lists of tasks as the pages show them. */
function addRules(md: MarkdownIt): void {
  const { renderer, core, utils } = md;
  const { rules } = renderer;
  const code = (written: string, info: string, line: string | number | null): string => {
    const { content, options } = cellIn(written, info);
    const language = languageOf(utils.unescapeAll(info));
    if (language === "math") return formatFormula(content, true);
    const name = language === "" ? "" : ` class="language-${escapeHtml(language)}"`;
    const said = saidOf(info.trim()) || titleIn(info);
    const captions = [...options].filter(([option]) => option.endsWith("-cap")).map(([, words]) => `*${words}*`);
    const [above = "", below = ""] = [said, captions.join(" ")].map((words) => (words === "" ? "" : `<p>${md.renderInline(words)}</p>\n`));
    const id = options.has("label") ? `<span id="${escapeHtml(options.get("label") ?? "")}"></span>` : "";
    if (content.trim() === "" && (above !== "" || info.trim().startsWith("{"))) return above;
    // A site marks the lines.
    const bare = content.replaceAll(/[ \t]*(?:\/\/|#|--|<!--|\/\*)[ \t]*\[!code [^\]\n]{1,40}\](?:[ \t]*(?:-->|\*\/))?/g, "");
    const shown = /^rust\b/.test(language) ? withoutHidden(bare) : bare;
    return `${id}${above}<pre${line === null ? "" : ` ${LINE}="${line}"`}><code${name}>${escapeHtml(shown)}</code></pre>\n${below}`;
  };
  rules["fence"] = (tokens, at, _, env) => {
    const { content = "", info = "", map = null } = tokens[at] ?? {};
    const { parts } = (env ?? {}) as { readonly parts?: MarkdownParts };
    const listing = listingOf(info.trim(), content, parts);
    if (listing !== null) return code(listing.code, listing.language, tokens[at]?.attrGet(LINE) ?? null);
    if (!info.trim().startsWith("{eval-rst}")) return code(withCode(content, parts), info, tokens[at]?.attrGet(LINE) ?? null);
    const { open: [key = ""] = [], others = new Others("") } = parts ?? {};
    return `${formatRst(content, { key, others }, map === null ? 0 : map[0] + 1)}\n`;
  };
  // On GitHub its marks would show: an author who wrote them so has a tool that reads them.
  rules["html_block"] = (tokens, at, _, env) =>
    (tokens[at]?.content ?? "").replaceAll(
      /(<(figcaption|small|summary)(?:\s[^<>]{0,500})?>)([^<>]{1,2000})(?=<\/\2>)/gi,
      (_, open: string, __, words: string) => open + md.renderInline(words.trim(), env),
    );
  rules["code_block"] = (tokens, at) => code(tokens[at]?.content ?? "", "", tokens[at]?.attrGet(LINE) ?? null);
  const idOf = (token: Token | undefined): string => {
    const { id = 0, label } = (token?.meta ?? {}) as { readonly id?: number; readonly label?: string };
    return label === undefined || label === "" ? String(id + 1) : label;
  };
  rules["footnote_ref"] = (tokens, at) => {
    const { id = 0, subId = 0 } = (tokens[at]?.meta ?? {}) as { readonly id?: number; readonly subId?: number };
    const name = escapeHtml(encodeURIComponent(idOf(tokens[at])));
    return `<sup><a href="#fn-${name}" id="fnref-${name}${subId > 0 ? `-${subId + 1}` : ""}">${id + 1}</a></sup>`;
  };
  rules["footnote_block_open"] = () => `<section class="footnotes"><h2 class="sr-only">Footnotes</h2><ol>\n`;
  rules["footnote_block_close"] = () => "</ol></section>\n";
  rules["footnote_open"] = (tokens, at) => `<li id="fn-${escapeHtml(encodeURIComponent(idOf(tokens[at])))}">`;
  rules["footnote_close"] = () => "</li>\n";
  rules["footnote_anchor"] = (tokens, at) =>
    ` <a href="#fnref-${escapeHtml(encodeURIComponent(idOf(tokens[at])))}" aria-label="Back to the text">↩</a>`;
  core.ruler.before("inline", "definitions", ({ tokens, env }) => {
    for (const token of tokens)
      if (token.type === "html_block")
        token.content = token.content.replace(DEFINITIONS, (lines) => {
          const left: Token[] = [];
          md.block.parse(lines, md, env, left);
          return left.every(({ type }) => type === "reference_definition") ? "" : lines;
        });
  });
  core.ruler.after("inline", "tasks", ({ tokens, Token: Made }) => {
    for (const [at, token] of tokens.entries()) {
      const task = token.type === "inline" && tokens[at - 2]?.type === "list_item_open" ? /^\[([ xX])\][ \t\n]/.exec(token.content) : null;
      const [first] = token.children ?? [];
      if (task === null || first?.type !== "text") continue;
      first.content = first.content.slice(3);
      const box = new Made("html_inline", "", 0);
      box.content = `<input type="checkbox" disabled${task[1] === " " ? "" : " checked"}>`;
      token.children?.unshift(box);
      tokens[at - 2]?.attrSet("class", "task-list-item");
    }
  });
}

/** Targets of links below the end of an element, which ends a block of HTML in other tools. */
const DEFINITIONS = /(?<=<\/[\w-]{1,40}>[ \t]*\n)(?:\[[^\]\n]{1,500}\]:[ \t]*\S[^\n]*\n?)+$/;

/** Code without what stands above it in a cell of Quarto or a directive of MyST: its options. */
function cellIn(written: string, info: string): { readonly content: string; readonly options: ReadonlyMap<string, string> } {
  if (!/^\s*\{/.test(info)) return { content: written, options: new Map() };
  const [above = ""] = /^(?:[ \t]*(?::[\w-]+:(?:[ \t][^\n]*)?|(?:#|\/\/|--|%%)\|[^\n]*)\n)+/.exec(written) ?? [];
  const options = Array.from(
    above.matchAll(/\|[ \t]*([\w.-]+):[ \t]*(?:"([^"\n]*)"|([^\n]*))/g),
    ([, name = "", quoted, bare = ""]) => [name, quoted ?? bare.trim()] as const,
  );
  return { content: written.slice(above.length), options: new Map(options) };
}

/** The name of a file behind a fence: `title="a.js"`, `[a.js]`. */
function titleIn(info: string): string {
  const [, quoted, bracketed] = /\s(?:title|filename|file)="([^"\n]{1,200})"|^[\w+#-]+\s+\[([^\]\n]{1,200})\]\s*$/.exec(info) ?? [];
  const title = quoted ?? bracketed;
  return title === undefined ? "" : `**${title.replaceAll("*", "")}**`;
}

/** Code of Rust without the lines that its documentation hides. */
function withoutHidden(code: string): string {
  const shown = code.split("\n").filter((line) => !/^[ \t]*#(?:[ \t]|$)/.test(line));
  return shown.join("").trim() === "" ? code : shown.map((line) => line.replace(/^([ \t]*#)#/, "$1")).join("\n");
}

/** The first word of what stands behind a fence, in braces or outside: `rust,no_run`, `{.python}`, `{r, echo=FALSE}`, `js{1,3}`, `rust:src/main.rs`. */
function languageOf(info: string): string {
  const inner = /^\s*(?:\{code(?:-block|-cell)?\}\s*)?\{?[\s.]*((?:[^\s{}.,:;=#[\]()]|[.](?=\w))[^\s{},:;=[\]()]*)/.exec(
    info.replace(/\{#[^\s}]*/, "{"),
  );
  return inner?.[1] ?? "";
}

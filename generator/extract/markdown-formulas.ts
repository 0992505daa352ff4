/** Formulas in Markdown, in every usual delimiter: `$…$`, `$$…$$`, `` $`…`$ ``, `\(…\)`, `\[…\]` on lines of its own, and bare environments of
 *  LaTeX. As in Pandoc a dollar opens before no white space and closes behind none and before no digit, and as on GitHub it opens behind no letter: a
 *  price is no formula, and no variable of a shell. */
import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import { FORMULA_NAME, isFormula as canBeFormula } from "#snapshots/blocks";
import { escapeHtml } from "#snapshots/highlight";
import { isIndented, lineOf } from "./markdown-lines.ts";

const MAX_UNITS = 4000; // UTF-16 units within a line; what looks for the end of each takes their product
const MAX_LINES = 200;
const INLINE: readonly (readonly [open: string, close: string, display: boolean])[] = [
  ["$`", "`$", false],
  ["$$", "$$", true],
  ["$", "$", false],
  ["\\(", "\\)", false],
];
const BLOCK: readonly (readonly [open: RegExp, close: (opening: RegExpExecArray) => string, keeps: boolean])[] = [
  [/^\$\$/, () => "$$", false],
  [/^\\\[/, () => "\\]", false],
  [
    /^\\begin\{((?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math)\*?)\}/,
    ([, name = ""]) => `\\end{${name}}`,
    true,
  ],
];

/** formatFormula writes what dress.ts makes a formula of. */
export function formatFormula(tex: string, display: boolean): string {
  const code = `<code class="math-${display ? "display" : "inline"}">${escapeHtml(tex.trim())}</code>`;
  return display ? `<pre>${code}</pre>` : code;
}

/** useFormulas adds formulas to a parser. */
export function useFormulas(md: MarkdownIt): void {
  md.inline.ruler.before("escape", "formula", inlineFormula);
  md.block.ruler.before("fence", "formula", blockFormula, { alt: ["paragraph", "reference", "blockquote", "list"] });
}

function inlineFormula(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const found = INLINE.find(([open]) => src.startsWith(open, pos));
  if (found === undefined) return false;
  const [open, close, display] = found;
  const from = pos + open.length;
  const to = findClose(src, from, close);
  if (to === -1 || (open === "$" && (/[A-Za-z\d]/.test(src.charAt(pos - 1)) || !isFormula(src, from, to)))) {
    // Left as it is written, dollars as a whole: the second of two opens nothing.
    if (open === "\\(") return false;
    if (!silent) state.pending += open === "$$" ? "$$" : "$";
    state.pos += open === "$$" ? 2 : 1;
    return true;
  }
  if (!silent) state.push("html_inline", "", 0).content = formatFormula(src.slice(from, to), display).replaceAll(/<\/?pre>/g, "");
  state.pos = to + close.length;
  return true;
}

/** @returns where the sign that closes begins, unescaped and near; -1 where there is none */
function findClose(src: string, from: number, close: string): number {
  const near = src.slice(from, from + MAX_UNITS);
  for (let at = near.indexOf(close); at !== -1; at = near.indexOf(close, at + 1)) {
    const before = /\\*$/.exec(near.slice(Math.max(0, at - 20), at))?.[0].length ?? 0;
    if (before % 2 === 0) return at === 0 ? -1 : from + at;
  }
  return -1;
}

function isFormula(src: string, from: number, to: number): boolean {
  if (/\s/.test(src.charAt(from)) || /\s/.test(src.charAt(to - 1)) || /[\dA-Z_]/.test(src.charAt(to + 1))) return false;
  return canBeFormula(src.slice(from, to));
}

function blockFormula(state: StateBlock, line: number, end: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = lineOf(state, line);
  for (const [open, close, keeps] of BLOCK) {
    const opening = open.exec(text);
    if (opening === null) continue;
    const sign = close(opening);
    // Text goes on behind a formula on the same line.
    if (!keeps && /\S/.test(bare(text).slice(2).split(sign).slice(1).join(sign))) continue;
    const last = findLine(
      state,
      line,
      Math.min(end, line + MAX_LINES),
      (one, at) => bare(one).endsWith(sign) && (at > line || bare(one).length > opening[0].length + sign.length - 1),
    );
    if (last === null) return false;
    const whole = bare(state.getLines(line, last + 1, state.blkIndent, false).trim());
    // Escaped brackets around words.
    if (sign === "\\]" && last === line && !/[\\^_=+<>{}]/.test(whole.slice(2, -2))) return false;
    if (silent) return true;
    const token = state.push("html_block", "", 0);
    const [, braced, id = braced] = FORMULA_NAME.exec(lineOf(state, last)) ?? [];
    token.content = `${id === undefined ? "" : `<span id="${id}"></span>`}${formatFormula(keeps ? whole : whole.slice(opening[0].length, whole.length - sign.length), true)}\n`;
    token.map = [line, last + 1];
    state.line = last + 1;
    return true;
  }
  return false;
}

const bare = (text: string): string => text.replace(FORMULA_NAME, "").trimEnd();

function findLine(state: StateBlock, from: number, end: number, fits: (text: string, line: number) => boolean): number | null {
  for (let line = from; line < end; line++) {
    if (!state.isEmpty(line) && (state.sCount[line] ?? 0) < state.blkIndent) return null;
    if (fits(lineOf(state, line), line)) return line;
  }
  return null;
}

/** ReadMarkdown reads lines of Markdown: paragraphs, items, rows, code, headings. */
import { plainIn } from "./plain.ts";
import { type Entry, indent, isBlank, isPart, MAX_HEADING, MIN_SAID, part, type Read, type Reader } from "./read-line.ts";
import { boxTitle, type LineState, SLASHED } from "./markdown-lines.ts";

/** A line that opens a box or a tab, as sites write it. */
const BOX = /^(?:(?:!!!|\?\?\?\+?)[ \t]+[\w-]|===[!+]?[ \t]+"|:{3,}|[`~]{3,}[ \t]*\{)/;
const ALERT = /^[\s>]*>[ \t]*\[![\w-]+(?:\|[^\]\n]*)?\][+-]?[ \t]*/;
const RULED = /^[\s|:-]*-[\s|:-]*$/;
const CELL = /(?:[^|\\]|\\[\s\S])+/g;

/** readMarkdown makes a reader of a text whose lines are known. @param states of its lines, asides blanked */
export function readMarkdown(states: readonly LineState[]): Reader {
  let columns: readonly string[] | null = null;
  return ({ text }, at, lines) => {
    const state = states[at];
    if (state === "code") return part(0, false, "code");
    if (state === "edge" || isBlank(text)) {
      columns = null;
      return null;
    }
    const [before, below] = [lines[at - 1]?.text ?? "", lines[at + 1]?.text ?? ""];
    // A rule of a table that is drawn: one of double dashes stands below the names of columns.
    if (/^\s*\+(?:[-=:]+\+)+\s*$/.test(text)) {
      columns = text.includes("=") ? cellsIn(before) : columns;
      return null;
    }
    if (states[at + 1] === "text" && below.includes("|") && RULED.test(below) && text.includes("|") && columns === null) {
      columns = cellsIn(text);
      return readRow(text, true, columns);
    }
    if (columns !== null || (/^\s*\|/.test(text) && !isPart(before))) return readRow(text, false, columns ?? []);
    return headingIn(text, below) ?? taggedHeading(text, before, below) ?? textIn(text);
  };
}

function headingIn(text: string, below: string): Read {
  const [, signs = "", heading = ""] = /^ {0,3}(#{1,6})(?:[ \t]+(\S.*))?$/.exec(text.trimEnd()) ?? [];
  if (signs !== "") return { heading: titleIn(heading), level: signs.length };
  const [row = ""] = /^ {0,3}(?:=+|-{2,})\s*$/.exec(below) ?? [];
  if (row === "" || /^\s*(?:[-*+>|]|\d+[.)])\s/.test(text) || /^ {0,3}(?:=+|-{2,}|\+)\s*$/.test(text)) return null;
  return { heading: titleIn(text), level: row.includes("=") ? 1 : 2, under: true };
}

/** A heading between tags, which may stand on lines of their own. */
function taggedHeading(text: string, before: string, below: string): Read {
  const [, level, inner = ""] = /^\s*<h([1-6])\b[^<>]*>(.{1,500})<\/h\1>\s*$/i.exec(text) ?? [];
  if (level !== undefined) return { heading: titleIn(inner), level: Number(level) };
  const [, above] = /^\s*<h([1-6])\b[^<>]*>\s*$/i.exec(before) ?? [];
  return above !== undefined && below.trim().toLowerCase() === `</h${above}>`
    ? { heading: titleIn(text.trim()), level: Number(above) }
    : null;
}

/** Lines that say nothing: rows, tags and lists of attributes by themselves, addresses of links, what abbreviations stand for, signs of boxes, labels, and
 *  what takes in another file. */
const UNSAID =
  /^\s*(?:=+|-{2,}|\+|(?:\* ?){3,}|(?:_ ?){3,}|(?:- ){2,}-|<\/?[a-z][^>]*>|\{:?[ \t]*(?:[.#]|[\w-]+=)[^}]*\}|:{3,}|\{\{#.{1,300}\}\}|\[\[?_?TOC_?\]?\]|\$\{toc\}|-{1,3}8<.{1,300}|\+\+\+(?:[ \t]+\{.*\})?|\([\w:. -]{1,100}\)=|\*\[[^\]]+\]:.*|\[(?!\^)[^\]]+\]:\s.*)\s*$/i;

function textIn(text: string): Read {
  if (UNSAID.test(text)) return null;
  const item = /^[\s>]*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+|:{3,}[ \t{].*)?/.exec(text);
  if (item !== null) return part(item[0].length, true, "item");
  const [alert] = ALERT.exec(text) ?? [];
  if (alert !== undefined) return isBlank(text.slice(alert.length)) ? null : part(alert.length, true);
  const [held = ""] = /^[\s>]*/.exec(text) ?? [];
  const own = text.slice(held.length);
  if (BOX.test(own) || SLASHED.test(own)) {
    const title = boxTitle(own);
    return title === null ? null : { from: held.length + title[0], to: held.length + title[1], form: "prose" };
  }
  // A heading in a quotation, the text of a note, the meaning of a term.
  const sign = /^(?:#{1,6}[ \t]+|\[\^[^\]]+\]:[ \t]+|:[ \t]+)/.exec(own)?.[0].length ?? 0;
  return part(held.length + sign, sign > 0);
}

/** The title of a heading of Markdown, without the signs that may close it and the id that generators of sites read there. */
const titleIn = (heading: string): string =>
  plainIn(
    heading
      .slice(0, MAX_HEADING)
      .replace(/\{:?[ \t]*(?:[#.:]|[\w-]+=)[^{}]*\}\s*$/, "")
      .replace(/[ \t]#+\s*$/, ""),
    "markdown",
  );

/** readRow reads a row: an entry where the cells after the first say something of it in words, else one that is read with the names of its columns.
 *  The line below the head is none. */
export function readRow(text: string, isHead: boolean, columns: readonly string[]): Entry | null {
  const cells = [...text.matchAll(CELL)];
  const [first, last] = [cells.find(([cell]) => !isBlank(cell)), cells.findLast(([cell]) => !isBlank(cell))];
  if (first === undefined || last === undefined || RULED.test(text)) return null;
  const says = !isHead && cells.some((cell) => cell !== first && cell[0].trim().split(/\s+/).length >= MIN_SAID);
  const place = { from: first.index + indent(first[0]), to: last.index + last[0].trimEnd().length };
  const row = columns.length === 0 || isHead ? {} : { row: { columns, cells: cellsIn(text) } };
  if (says) return { ...place, form: "entry", ...row };
  return isHead || columns.length === 0
    ? { ...place, form: "cells" }
    : {
        ...place,
        form: "row",
        head: headOf(columns),
        ...row,
      };
}

/** headOf joins the names of columns to what a row is read with. */
export const headOf = (columns: readonly string[]): string =>
  columns
    .filter((name) => name !== "")
    .join(" · ")
    .slice(0, MAX_HEADING);

/** cellsIn returns the cells of a row, those at its ends that have no sign before or behind them, too. */
export function cellsIn(text: string): readonly string[] {
  const own = text.trim().replaceAll(/^\||(?<!\\)\|$/g, "");
  return own.split(/(?<!\\)\|/).map((cell) => plainIn(cell.replaceAll("\\|", "|"), "markdown"));
}

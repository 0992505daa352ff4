/** Source code: declarations where we know the language, else its paragraphs. */
import { formatCode } from "./code-view.ts";
import { isProse, MAX_SUMMARY, type Body, type Source } from "./body.ts";
import { findCoqMarks } from "./coq.ts";
import { loadLanguage } from "./highlight.ts";
import { findLeanMarks } from "./lean.ts";
import type { Lines } from "./lines.ts";
import { cutPassages, shorten, type Mark } from "./passages.ts";
import { findRustMarks } from "./rust.ts";

const MARKS: Readonly<Record<string, (lines: Lines) => Mark[]>> = {
  coq: findCoqMarks,
  lean: findLeanMarks,
  rust: findRustMarks,
};

const OPENING = 4000; // UTF-16 units in which title and summary are looked for
/** Comments of the languages that people document in. No quantifier stands beside another that takes the same signs:
 *  a hostile file costs at most the square of OPENING. */
const COMMENT =
  /\(\*([\s\S]*?)\*\)|\/-[!-]?([\s\S]*?)-\/|\/\*([\s\S]*?)\*\/|((?:^[ \t]*(?:\/\/[/!]?|--|#(?![![])|;;|%)[^\n]*\n)+)|"""([\s\S]*?)"""/gm;
/** A heading at the start of a documentation comment: `(** * Title *)` in coqdoc, `# Title` elsewhere. */
const COQDOC_TITLE = /^\*\s+\*{1,4}\s+([^\n*]{1,200})/;
const DOC_TITLE = /^\s*#\s+([^\n]{1,200})/;

export async function readCode(source: Source, language: string | null): Promise<Body> {
  await loadLanguage(language);
  const find = language === null ? undefined : MARKS[language];
  const marks = find === undefined ? [] : find(source.lines);
  const { title, summary } = findOpening(`${source.text.slice(0, OPENING)}\n`);
  return { title, summary, passages: cutPassages(source.lines, marks), html: formatCode(source, language), notes: [] };
}

function findOpening(opening: string): { title: string | null; summary: string } {
  let title: string | null = null;
  for (const found of opening.matchAll(COMMENT)) {
    const raw = found[1] ?? found[2] ?? found[3] ?? found[5] ?? (found[4] ?? "").replaceAll(/^[ \t]*(?:\/\/[/!]?|--|#+|;;+|%+) ?/gm, "");
    if (/copyright|licen[cs]e|SPDX|all rights reserved|development team/i.test(raw)) continue;
    // Coq people draw boxes of one-line comments around their licence; only `(**` is documentation on one line.
    if (found[1] !== undefined && !/^\*\s/.test(raw) && !raw.includes("\n")) continue;
    // Rows of stars and bars, and stars down the left side, are frames and not text.
    const rows = raw.replace(/^[*!]+(?=\s)/, "").replaceAll(/^[ \t]*[*/|=~#-]{3,}[ \t]*$/gm, "");
    const text = found[3] === undefined ? rows : rows.replaceAll(/^[ \t]*\*[ \t]?/gm, "");
    const heading: RegExpExecArray | null =
      title !== null || found[3] !== undefined || found[5] !== undefined
        ? null
        : found[1] === undefined
          ? DOC_TITLE.exec(raw)
          : COQDOC_TITLE.exec(raw);
    if (heading !== null) title = heading[1]?.trim() ?? null;
    const prose = heading === null ? text : raw.slice(heading[0].length);
    const paragraph = prose.split(/\n\s*\n/).find((part) => isProse(part));
    if (paragraph !== undefined) return { title, summary: shorten(paragraph, MAX_SUMMARY) };
  }
  return { title, summary: "" };
}

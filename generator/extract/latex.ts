/** LaTeX: sections, \title and the abstract; shown as source. */
import { formatCode } from "./code-view.ts";
import { composeAccents } from "../../snapshots/blocks/index.ts";
import { isProse, MAX_SUMMARY, type Body, type Source } from "./body.ts";
import { addHeadings, openHeadings } from "./headings.ts";
import { loadLanguage } from "../../snapshots/page/highlight/highlight.ts";
import { cutPassages, shorten } from "./passages.ts";

/** UTF-16 units that a braced argument may take; an open brace must not swallow the file. */
const MAX_ARGUMENT = 1000;
const OPENING = 60_000; // UTF-16 units in which title and abstract are looked for

export async function readLatex(source: Source): Promise<Body> {
  await loadLanguage("latex");
  const { lines, text } = source;
  const list = openHeadings(lines);
  addHeadings(lines, "latex", list);
  const opening = text.slice(0, OPENING).replaceAll(/(?<!\\)%.*/g, "");
  return {
    title: findTitle(opening),
    summary: findSummary(opening),
    passages: cutPassages(lines, list.marks),
    html: formatCode(source, "latex"),
    notes: [],
  };
}

function findTitle(opening: string): string | null {
  const found = /\\title\s*(?:\[[^\]]{0,200}\])?\{/.exec(opening) ?? /\\(?:chapter|section)\*?\{/.exec(opening);
  const title = found === null ? null : readArgument(opening, found.index + found[0].length);
  return title === null ? null : plainLatex(title) || null;
}

function findSummary(opening: string): string {
  const abstract = opening.indexOf("\\begin{abstract}");
  const body = opening.indexOf("\\begin{document}");
  const from = abstract >= 0 ? abstract + "\\begin{abstract}".length : body >= 0 ? body + "\\begin{document}".length : 0;
  const paragraph = opening
    .slice(from, from + 8000)
    .split(/\n\s*\n|\\end\{abstract\}/)
    .map(plainLatex)
    .find(isProse);
  return shorten(paragraph ?? "", MAX_SUMMARY);
}

/** The text up to the brace that closes the one just before `from`, or null when it stays open. */
export function readArgument(text: string, from: number): string | null {
  const until = Math.min(text.length, from + MAX_ARGUMENT);
  for (let at = from, depth = 1; at < until; at++) {
    const sign = text[at];
    if (sign === "\\") at++;
    else if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return text.slice(from, at);
  }
  return null;
}

export function plainLatex(text: string): string {
  return composeAccents(text.slice(0, 4000))
    .replaceAll(
      /\\(?:label|cite\w*|ref|vspace|hspace|thanks|footnote|input|include|usepackage|documentclass|bibliography\w*|begin|end)\*?(?:\[[^\]]*\])?\{[^{}]*\}/g,
      "",
    )
    .replaceAll(/\\\\(?:\[[^\]]*\])?/g, " ")
    .replaceAll(/\\([%&#_$])/g, "$1")
    .replaceAll(/\\[A-Za-z@]+\*?(?:\[[^\]]*\])?/g, "")
    .replaceAll(/[{}~]/g, (sign) => (sign === "~" ? " " : ""))
    .replaceAll(/\s+/g, " ")
    .trim();
}

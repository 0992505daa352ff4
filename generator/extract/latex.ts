/** LaTeX: sections, \title and the abstract; shown as source. */
import { formatCode } from "./code-view.ts";
import { blocksOf, plainIn } from "#snapshots/blocks";
import { isProse, MAX_SUMMARY, type Body, type SourceText } from "./body.ts";
import { addHeadings, openHeadings } from "./headings.ts";
import { loadLanguage } from "#snapshots/highlight";
import { cutPassages, shorten } from "./passages.ts";

/** UTF-16 units that a braced argument may take; an open brace must not swallow the file. */
const MAX_ARGUMENT = 1000;
const OPENING = 60_000; // UTF-16 units in which title and abstract are looked for
const MAX_ABSTRACT = 8_000; // UTF-16 units

export async function readLatex(source: SourceText): Promise<Body> {
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
  return title === null ? null : plainIn(title, "latex") || null;
}

function findSummary(opening: string): string {
  const [edge] = /\\begin\{abstract\}/.exec(opening) ?? /\\begin\{document\}/.exec(opening) ?? [""];
  const from = opening.indexOf(edge) + edge.length;
  const said = blocksOf(opening.slice(from, from + MAX_ABSTRACT), "latex").find(({ plain }) => isProse(plain));
  return shorten(said?.plain ?? "", MAX_SUMMARY);
}

/** readArgument returns the text up to the brace that closes the one just before `from`, or null when that stays open. */
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

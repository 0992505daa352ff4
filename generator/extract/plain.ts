/** Plain text and reStructuredText: underlined headings, else paragraphs packed to passages. */
import { blocksOf, type Lines } from "#snapshots/blocks";
import { formatCode } from "./code-view.ts";
import { isSummary, MAX_SUMMARY, type Body, type SourceText } from "./body.ts";
import { addHeadings, openHeadings } from "./headings.ts";
import { cutPassages, shorten } from "./passages.ts";

const MAX_PARAGRAPH = 2000; // UTF-16 units of it that are looked at
const OPENING_LINES = 200;

export function readPlain(source: SourceText): Body {
  const { lines } = source;
  const list = openHeadings(lines);
  const first = addHeadings(lines, "text", list);
  return {
    title: first !== null && first.line <= OPENING_LINES ? first.title : null,
    summary: findSummary(lines),
    passages: cutPassages(lines, list.marks),
    html: formatCode(source, null),
    notes: [],
  };
}

/** The first paragraph of the opening that says something. */
function findSummary(lines: Lines): string {
  const opening = blocksOf(lines.slice(1, Math.min(lines.count, OPENING_LINES)), "text");
  const said = opening.map(({ plain }) => plain.slice(0, MAX_PARAGRAPH));
  return shorten((said.find(isSummary) ?? "").replace(/::\s*$/, ":"), MAX_SUMMARY);
}

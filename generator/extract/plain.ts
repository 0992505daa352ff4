/** Plain text and reStructuredText: underlined headings, else paragraphs packed to passages. */
import { formatCode } from "./code-view.ts";
import { isSummary, MAX_SUMMARY, type Body, type Source } from "./body.ts";
import { openHeadings } from "./headings.ts";
import type { Lines } from "./lines.ts";
import { cutPassages, shorten, type Mark } from "./passages.ts";

const MAX_TITLE = 160;
const OPENING_LINES = 200;

export function readPlain(source: Source): Body {
  const { title, marks } = findTitles(source.lines);
  return {
    title,
    summary: findSummary(source.lines),
    passages: cutPassages(source.lines, marks),
    html: formatCode(source, null),
    notes: [],
  };
}

/** A line with a row of one sign below it, and perhaps above it. The order in which signs first occur gives their levels. */
function findTitles(lines: Lines): { title: string | null; marks: Mark[] } {
  const list = openHeadings(lines);
  const styles: string[] = [];
  let title: string | null = null;
  for (let line = 2; line <= lines.count; line++) {
    const sign = findAdornment(lines, line);
    if (sign === null || lines.isBlank(line - 1)) continue;
    const length = lines.end(line - 1) - lines.start(line - 1);
    const row = lines.end(line) - lines.start(line);
    if (length > MAX_TITLE || findAdornment(lines, line - 1) !== null) continue;
    const over = line > 2 && findAdornment(lines, line - 2) === sign;
    const text = lines.slice(line - 1, line - 1);
    const alone = over || line === 2 || lines.isBlank(line - 2);
    if (!alone || text.trim().length > row || (!over && /^\s/.test(text)) || !/\p{L}|\p{N}/u.test(text)) continue;
    const style = over ? `${sign}${sign}` : sign;
    if (!styles.includes(style)) styles.push(style);
    const level = styles.indexOf(style) + 1;
    list.add(over ? line - 2 : line - 1, line, level, text.trim());
    if (title === null && line <= OPENING_LINES) title = text.trim();
  }
  return { title, marks: list.marks };
}

/** The sign that a line repeats, or null when it is no row of one sign. */
function findAdornment(lines: Lines, line: number): string | null {
  const start = lines.start(line);
  const end = lines.end(line);
  const unit = lines.text.charCodeAt(start);
  if (end - start < 3 || end - start > MAX_TITLE * 2 || unit < 33 || unit > 126 || /[\w()[\]{}<>]/.test(String.fromCharCode(unit))) {
    return null;
  }
  let last = end;
  while (last > start && (lines.text.charCodeAt(last - 1) === 13 || lines.text.charCodeAt(last - 1) === 32)) last--;
  for (let at = start + 1; at < last; at++) if (lines.text.charCodeAt(at) !== unit) return null;
  return last - start >= 3 ? String.fromCharCode(unit) : null;
}

function findSummary(lines: Lines): string {
  const until = Math.min(lines.count, OPENING_LINES);
  for (let line = 1; line <= until; ) {
    if (lines.isBlank(line)) {
      line++;
      continue;
    }
    let end = line;
    while (end < lines.count && end < line + 30 && !lines.isBlank(end + 1)) end++;
    const text = lines.slice(line, end).slice(0, 2000);
    const titled = end > line && findAdornment(lines, Math.min(end, line + 1)) !== null;
    if (!titled && findAdornment(lines, line) === null && !/^\s*(?:\.\.|:[\w -]+:|[|+=*#$>])/.test(text) && isSummary(text)) {
      return shorten(text.replaceAll("``", "").replace(/::\s*$/, ":"), MAX_SUMMARY);
    }
    line = end + 1;
  }
  return "";
}

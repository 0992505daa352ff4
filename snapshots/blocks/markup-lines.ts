/** Lines of reStructuredText, AsciiDoc and Org: what only these have, tables and settings, before the lines that all texts have. */
import { cellsIn, headOf, readRow } from "./markdown.ts";
import { plainIn } from "./plain.ts";
import { indent, isBlank, MAX_HEADING, part, type Read, type Reader } from "./read-line.ts";

/** Puts bars between cells that spaces divide. */
const barred = (text: string): string => `|${text.trim().replaceAll(/ {2,}/g, "|")}|`;

/** Reads rows of a table that begin and end with bars: the first has the names of the columns where a line below it says so. */
function readTables(
  isHead: (text: string, below: readonly string[], isFirst: boolean) => boolean,
): (text: string, below: readonly string[]) => Read | undefined {
  let columns: readonly string[] | null = null;
  return (text, below) => {
    if (!/^\s*\|.*\|\s*$/.test(text)) {
      if (!/^\s*\+[-=+]+\+?\s*$/.test(text)) columns = null;
      return undefined;
    }
    const first = columns === null && isHead(text, below, columns === null);
    if (first) columns = cellsIn(text);
    columns ??= [];
    return readRow(text, first, columns);
  };
}

/** readRst adds to a reader what reStructuredText has. */
export function readRst(plain: Reader): Reader {
  const table = readTables((_, below) => below.slice(0, 3).some((one) => /^\s*\+=[=+]*\s*$/.test(one)));
  let inOptions = false;
  /** Names of the columns of a table between rows of signs; null outside of one. */
  let columns: readonly string[] | null = null;
  return (line, at, lines) => {
    const { text } = line;
    inOptions = /^\s*\.\.\s+[\w:+-]+::/.test(text) || (inOptions && /^\s+:[^:]+:/.test(text));
    if (inOptions && /^\s+:[^:]+:/.test(text)) return null;
    if (/^\s*__ \S/.test(text)) return null;
    // Names alone that are filled in, as those of badges are, say nothing.
    if (/^\s*(?:\+(?:[-=]+\+)+|(?:\|[^|\s]{1,100}\|_{0,2}\s+)*\|[^|\s]{1,100}\|_{0,2})\s*$/.test(text)) return null;
    if (/^\s*=+(?: +=+)+\s*$/.test(text)) {
      if (columns === null) columns = [];
      else if (isBlank(lines[at + 1]?.text ?? "")) columns = null;
      return null;
    }
    if (columns !== null && !isBlank(text)) {
      const isFirst = columns.length === 0 && /^\s*=+(?: +=+)+\s*$/.test(lines[at + 1]?.text ?? "") && !isBlank(lines[at + 2]?.text ?? "");
      if (isFirst) columns = cellsIn(barred(text));
      const place = { from: indent(text), to: text.trimEnd().length };
      return isFirst || columns.length === 0
        ? { ...place, form: "cells" }
        : { ...place, form: "row", head: headOf(columns), row: { columns, cells: cellsIn(barred(text)) } };
    }
    const row = table(
      text,
      [1, 2, 3].map((n) => lines[at + n]?.text ?? ""),
    );
    if (row !== undefined) return row;
    return /^\s*\| \S/.test(text) ? part(indent(text) + 2) : plain(line, at, lines);
  };
}

/** readAsciidoc adds to a reader what AsciiDoc has. */
export function readAsciidoc(plain: Reader): Reader {
  let columns: readonly string[] | null = null;
  let above: string[] = [];
  /** The row that ends a listing, in which no line is a mark. A row below a title opens none. */
  let fence = "";
  let isUnderlined = false;
  return (line, at, lines) => {
    const { text } = line;
    if (fence !== "" || (columns === null && !isUnderlined && /^([-./+])\1{3,}\s*$/.test(text))) {
      if (fence === "") fence = text.trimEnd();
      else if (text.trimEnd() === fence) fence = "";
      return plain(line, at, lines);
    }
    isUnderlined = false;
    if (/^[|,:!]={3,}\s*$/.test(text)) {
      columns = columns === null ? [] : null;
      above = [];
      return null;
    }
    if (columns !== null) {
      if (isBlank(text)) return null;
      const cells = text.replace(/^\s*(?:[\d.+*<>^]*[a-z]?)\|/, "");
      const isFirst = columns.length === 0 && above.length === 0 && /\|/.test(cells) && isBlank(lines[at + 1]?.text ?? "");
      above.push(text);
      const from = text.length - cells.length + indent(cells);
      if (isFirst) columns = cellsIn(`|${cells}|`);
      if (from >= text.trimEnd().length) return null;
      return cells.includes("|") && !isFirst && columns.length > 0
        ? { from, to: text.trimEnd().length, form: "row", head: headOf(columns), row: { columns, cells: cellsIn(`|${cells}|`) } }
        : isFirst
          ? { from, to: text.trimEnd().length, form: "cells" }
          : part(from, true);
    }
    if (
      /^(?:(?:ifn?def|ifeval|endif|include|image|video|audio|toc)::|\.[^\s.].*$|\[.*\]\s*$|(?:\(\(\([^()]*\)\)\))+\s*$|<<<\s*$|--\s*$|:!?[\w-]+!?:|=\s*$)/.test(
        text,
      )
    )
      return null;
    const [admonition = ""] = /^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION): +/.exec(text) ?? [];
    if (admonition !== "") return part(admonition.length, true);
    const found = plain(line, at, lines);
    isUnderlined = found !== null && "under" in found && found.under === true;
    return found;
  };
}

const ORG_CODE = /^\s*#\+begin_(?:src|example|export)\b/i;

/** readOrg reads Org. */
export function readOrg(): Reader {
  const table = readTables((_, below) => /^\s*\|[-+|]+\s*$/.test(below[0] ?? ""));
  let [inCode, inDrawer, inList, inComment] = [false, false, false, false];
  /** Level of a heading that is commented out with all below it. */
  let silent = Infinity;
  return ({ text }, at, lines) => {
    const [, level = "", keyword = ""] = /^(\*+)\s+(COMMENT\b)?/.exec(text) ?? [];
    if (!inCode && level !== "" && level.length <= silent) silent = keyword === "" ? Infinity : level.length;
    if (silent < Infinity) return null;
    if (inComment || /^\s*#\+begin_comment\b/i.test(text)) {
      inComment = !/^\s*#\+end_comment\b/i.test(text);
      return null;
    }
    if (inCode) {
      inCode = !/^\s*#\+end_/i.test(text);
      return inCode ? part(0, false, "code") : null;
    }
    if (ORG_CODE.test(text)) {
      inCode = true;
      return null;
    }
    if (inDrawer || /^\s*:[\w-]+:\s*$/.test(text)) {
      inDrawer = !/^\s*:end:\s*$/i.test(text);
      return null;
    }
    const [, stars = "", title = ""] =
      /^(\*+)\s+(?:(?:TODO|DONE|NEXT|WAIT(?:ING)?|CANCELL?ED|COMMENT)\s+)?(?:\[#\w\]\s+)?(.*)$/.exec(text) ?? [];
    if (stars !== "") {
      inList = false;
      return { heading: plainIn(title.slice(0, MAX_HEADING).replace(/\s:[\w@#%:]+:\s*$/, ""), "org"), level: stars.length };
    }
    if (isBlank(text) || /^\s*(?:#(?:\+|\s|$)|-{5,}\s*$|(?:CLOCK|DEADLINE|SCHEDULED|CLOSED):|\\(?:begin|end)\{)/.test(text)) return null;
    if (/^\s*:(?:\s|$)/.test(text)) return part(indent(text) + 2, false, "code");
    if (/^\s*\|[-+|]+\s*$/.test(text)) return null;
    const row = table(text, [lines[at + 1]?.text ?? ""]);
    if (row !== undefined) return row;
    const item = /^(?:\s*(?:[-+]|\d{1,4}[.)])|\s+\*)\s+(?:\[[ xX-]\]\s+)?/.exec(text);
    if (item !== null) {
      inList = true;
      return part(item[0].length, true, "item");
    }
    inList &&= indent(text) > 0;
    return part(indent(text), false, inList ? "item" : "prose");
  };
}

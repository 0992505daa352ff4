/** The licence that a file states of itself, by its SPDX tag. */
import type { ObjectKind } from "#snapshots/schema";

const TAG = /SPDX-License-Identifier:[ \t]*([^\r\n]{0,500})/;
/** Stretches that REUSE leaves out, too. */
const IGNORED = /REUSE-IgnoreStart[\s\S]*?(?:REUSE-IgnoreEnd|$)/g;
const ID = /^(?:DocumentRef-[A-Za-z0-9.-]+:)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?\+?/;

/** findLicenceHeader finds the first SPDX tag that speaks of the file itself: not one in a string or in prose, and in Markdown none in code.
 *  @returns the expression after it as far as it is one by SPDX's grammar, or null */
export function findLicenceHeader(text: string, kind: ObjectKind): string | null {
  const own = kind === "markdown" ? withoutCode(text) : text;
  for (const line of own.replaceAll(IGNORED, "").split(/\r\n?|\n/)) {
    const found = TAG.exec(line);
    if (found !== null && isHeader(line.slice(0, found.index), kind)) return readExpression(found[1] ?? "");
  }
  return null;
}

/** In prose the tag stands in a comment or alone on its line; in code no string has begun before it. */
function isHeader(before: string, kind: ObjectKind): boolean {
  if (kind === "markdown" || kind === "html") return /^\s*$|<!--[^"'`]*$|^[\s\W]*$/.test(before) && !/["'`]/.test(before);
  return !/["'`]/.test(before);
}

function withoutCode(text: string): string {
  return text
    .replaceAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:\n {0,3}\1[`~]*[ \t]*(?=\n|$)|$)/gm, "")
    .replaceAll(/^(?: {4}|\t).*$/gm, "");
}

/** readExpression reads the longest SPDX expression that a text begins with, as it is written; null when it begins with none. */
export function readExpression(text: string): string | null {
  const end = endOfExpression(text, skipBlanks(text, 0), 0);
  return end === null ? null : text.slice(0, end).trim();
}

const MAX_DEPTH = 20;

/** @returns where the expression that begins at `from` ends, or null when none does */
function endOfExpression(text: string, from: number, depth: number): number | null {
  let end = endOfTerm(text, from, depth);
  for (let next = end; next !== null; ) {
    end = next;
    const operator = /^\s+(?:AND|OR)\s+/i.exec(text.slice(end));
    next = operator === null ? null : endOfTerm(text, end + operator[0].length, depth);
  }
  return end;
}

function endOfTerm(text: string, from: number, depth: number): number | null {
  if (text[from] === "(" && depth < MAX_DEPTH) {
    const inner = endOfExpression(text, skipBlanks(text, from + 1), depth + 1);
    const close = inner === null ? -1 : skipBlanks(text, inner);
    return text[close] === ")" ? close + 1 : null;
  }
  const id = ID.exec(text.slice(from))?.[0];
  if (id === undefined || /^(?:and|or|with)$/i.test(id)) return null;
  const end = from + id.length;
  const exception = /^\s+WITH\s+/i.exec(text.slice(end));
  const named = exception === null ? undefined : ID.exec(text.slice(end + exception[0].length))?.[0];
  return exception === null || named === undefined ? end : end + exception[0].length + named.length;
}

function skipBlanks(text: string, from: number): number {
  return from + (/^[ \t]*/.exec(text.slice(from))?.[0].length ?? 0);
}

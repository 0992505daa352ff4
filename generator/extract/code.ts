/** Source code: declarations where we know the language, else its paragraphs. */
import { formatCode } from "./code-view.ts";
import type { Body, SourceText } from "./body.ts";
import { findCoqMarks } from "./coq.ts";
import { findDeclarations } from "./declarations.ts";
import { loadLanguage } from "#snapshots/highlight";
import { findLeanMarks } from "./lean.ts";
import type { Lines } from "#snapshots/blocks";
import { moduleName } from "./module-name.ts";
import { readOpening } from "./opening.ts";
import { cutPassages, type Mark } from "./passages.ts";

const MARKS: Readonly<Record<string, (lines: Lines) => Mark[]>> = {
  coq: findCoqMarks,
  lean: findLeanMarks,
};

export async function readCode(source: SourceText, language: string | null): Promise<Body> {
  await loadLanguage(language);
  const { key, text, lines } = source;
  const marks = language === null ? [] : (MARKS[language]?.(lines) ?? findDeclarations(lines, language) ?? []);
  const declared = marks.find(({ name }) => name !== null)?.line;
  const { title, summary } = readOpening(text, language, declared === undefined ? text.length : lines.start(declared));
  return {
    title: title ?? moduleName(key, text, language),
    summary,
    passages: cutPassages(lines, marks),
    html: formatCode(source, language),
    notes: [],
  };
}

/** The sides of a proof: of each file that a record pins, the lines of its declaration (the theorem, its twin in another prover, the
 *  function). Lines are shown only where an object of the same view has the very bytes that the record pins. */
import { pagePath } from "#snapshots/format";
import { declarationLine } from "#snapshots/query";
import type { CubCodeFile, CubRecord, Extract, Passage } from "#snapshots/schema";
import { type KnownName, wordsOf } from "./linked-names.ts";
import { findStatement, type StatementParts } from "./statement.ts";

export type CodeFileRow = Omit<CubCodeFile, "gated" | "media_type"> & {
  /** Key of a public library object with the same digest, so that its lines can be read. */
  readonly object: string | null;
};

export type RecordSide = {
  readonly file: CodeFileRow;
  /** Name of the declaration in the file, as the record has it, or "". */
  readonly name: string;
  /** null when this view does not have the file's bytes, or nothing of that name is declared in them. */
  readonly lines: {
    /** 1-based, inclusive, with the comment before the declaration. */
    readonly start: number;
    readonly end: number;
    /** First line of the declaration itself. */
    readonly declared: number;
    /** The first lines, highlighted and harmless. */
    readonly html: readonly string[];
    /** Number of the one that begins the proof, from 0; null where nothing tells. */
    readonly proof: number | null;
  } | null;
  /** Its statement in parts, highlighted and harmless, where another side has one too: so that they can be read part by part. */
  readonly parts?: StatementParts;
};

/** Files that are shown side by side; a record that pins more lists the others. */
const MAX_SIDES = 4;
/** Lines of one side: a longer declaration goes on in its file. */
const MAX_LINES = 48;
/** UTF-16 units of HTML on one side, whatever the lines are like. */
const MAX_HTML = 8 * 1024;

/** The statement first, then its twin, then the code. */
const ORDER = ["coq", "lean"];

/** sidesOf returns the files that are shown side by side, each with the name of the declaration that the record speaks of, in the order in which
 *  they are read. */
export function sidesOf(record: CubRecord, files: readonly CodeFileRow[]): readonly SideOf[] {
  const rank = ({ role, system }: CodeFileRow): number =>
    role === "runtime" ? ORDER.length + 1 : ORDER.includes(system) ? ORDER.indexOf(system) : ORDER.length;
  const declaring = files.filter(({ role, path }) => role === "proof" || path === record.exec_file);
  return declaring
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, MAX_SIDES)
    .map((file) => ({ file, name: file.path === record.exec_file ? record.exec_fn : record.theorem_name }));
}

/** declaredLines returns the lines of a side's declaration. @param extract of the object that has the side's bytes
 *  @returns null when nothing of that name is declared there */
export function declaredLines({ file, name }: SideOf, record: CubRecord, extract: Extract): RecordSide["lines"] {
  const passages = declaringPassages({ file, name }, record, extract);
  const [first, last] = [passages[0], passages.at(-1)];
  if (first === undefined || last === undefined || extract.html === null) return null;
  const html = linesOf(extract, first.start_line, last.end_line);
  if (html.length === 0) return null; // a file that is too long to be shown so far
  const declared = declarationLine({ ...first, name });
  const text = passages.flatMap((passage) => passage.text.split("\n"));
  const proof = file.role === "proof" ? findProof(text, declared - first.start_line, file.system) : null;
  return { start: first.start_line, end: last.end_line, declared, html: fit(html), proof };
}

type SideOf = Omit<RecordSide, "lines">;

function declaringPassages({ file, name }: SideOf, record: CubRecord, extract: Extract): readonly Passage[] {
  const [anchored, line] = /^(.+):([1-9][0-9]{0,8})$/.exec(record.rust_anchor)?.slice(1) ?? [];
  return findDeclared(extract.passages, name, anchored === file.path ? Number(line) : null);
}

/** declaredText returns the text of a declaration and the text before it; null when nothing of that name is declared there. */
export function declaredText(side: SideOf, record: CubRecord, extract: Extract): { readonly before: string; readonly text: string } | null {
  const passages = declaringPassages(side, record, extract);
  const [first] = passages;
  if (first === undefined) return null;
  const lines = passages.flatMap(({ text }) => text.split("\n"));
  const declared = declarationLine({ ...first, name: side.name }) - first.start_line;
  return { before: lines.slice(0, declared).join("\n"), text: lines.slice(declared).join("\n") };
}

/** declaredBefore returns what the file of a side declares above its declaration and the words of a text may mean: by a whole name, or from inside
 *  the same modules, which headings of a passage name. Two of one name are both told, and so mean nothing. */
export function declaredBefore(side: SideOf, record: CubRecord, extract: Extract, text: string): readonly KnownName[] {
  const [own] = declaringPassages(side, record, extract);
  const { object, system } = side.file;
  if (own === undefined || object === null) return [];
  const words = wordsOf(text);
  const within = (own.name ?? "").split(".").slice(0, -1);
  const isSeen = ({ name, heading, start_line: line }: Passage): boolean =>
    name !== null &&
    line < own.start_line &&
    words.has(shortName(name)) &&
    heading.every((title) => !/^[\w']+$/.test(title) || own.heading.includes(title)) &&
    (words.has(name) ||
      name
        .split(".")
        .slice(0, -1)
        .every((part, at) => part === within[at]));
  return extract.passages.filter(isSeen).map((passage): KnownName => {
    const name = passage.name ?? "";
    const line = declarationLine({ ...passage, name });
    return { name, path: `${pagePath.object(object)}#L${line}`, type: typeOf(passage, line, system) };
  });
}

/** typeAt returns what a file declares at a line; null where it declares nothing there. */
export function typeAt(extract: Extract, line: number, system: string): string | null {
  const passage = extract.passages.find((one) => one.name !== null && declarationLine({ ...one, name: one.name }) === line);
  return passage === undefined ? null : typeOf(passage, line, system);
}

function typeOf(passage: Passage, line: number, system: string): string {
  const declared = passage.text
    .split("\n")
    .slice(line - passage.start_line)
    .join("\n");
  return findStatement(declared, passage.name ?? "", system) ?? declared.split(/:=|\bProof\b|\bwhere\b|\n\s*\n/)[0] ?? "";
}

/** @param from of the lines, where the declaration stands */
function findProof(lines: readonly string[], from: number, system: string): number | null {
  const at = lines.findIndex((line, index) => index >= from && (system === "lean" ? /:=(?:\s*by)?\s*$/ : /^\s*Proof\b/).test(line));
  return at < 0 ? null : system === "lean" ? at + 1 : at;
}

/** As ../../generator/extract/code-view.ts writes it: each line ends where it began, with all that it opened closed. */
const LINE = /^(?:<pre[^>]*><code>)?<span class="line" id="L(\d+)">(.*)<\/span>$/gm;

/** linesOf gives the lines of a file as harmless HTML, 1-based and inclusive; none of a file that is too long to be shown so far. */
export function linesOf({ html }: Pick<Extract, "html">, from: number, to: number): readonly string[] {
  return html === null ? [] : [...html.matchAll(LINE)].slice(from - 1, to).map(([, , content = ""]) => content);
}

function fit(html: readonly string[]): readonly string[] {
  let size = 0;
  return html.slice(0, MAX_LINES).filter((line) => (size += line.length) <= MAX_HTML);
}

/** Passages of the declaration: one, or the parts of a long one. @param line that the registry says it stands at */
function findDeclared(passages: readonly Passage[], name: string, line: number | null): readonly Passage[] {
  const short = shortName(name);
  const named = short === "" ? [] : passages.filter((passage) => passage.name !== null && shortName(passage.name) === short);
  const holds = (passage: Passage): boolean => line !== null && passage.start_line <= line && line <= passage.end_line;
  const found = named.find(holds) ?? named[0] ?? passages.find(holds);
  if (found === undefined) return [];
  const from = passages.indexOf(found);
  const rest = passages.slice(from + 1);
  const next = rest.findIndex((passage) => passage.name === null || passage.name !== found.name);
  return [found, ...rest.slice(0, next < 0 ? rest.length : next)];
}

function shortName(name: string): string {
  return name.split(/\.|::/).at(-1) ?? "";
}

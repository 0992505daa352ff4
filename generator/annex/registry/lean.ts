/** Lean text into declarations, without Lean. The reader of passages finds the commands; this takes them apart. */
import { findLeanMarks, type LeanCommand, skipComment } from "#generator/extract";
import { openLines } from "#snapshots/blocks";
import { type Declaration, fold, type Hole } from "./declaration.ts";

const CLASSES = new Map<string, Declaration["class"]>(
  (
    [
      ["theorem", "theorem lemma"],
      ["definition", "def abbrev instance opaque alias irreducible_def"],
      ["type", "structure class inductive coinductive"],
      ["axiom", "axiom"],
    ] as const
  ).flatMap(([name, words]) => words.split(" ").map((word) => [word, name] as const)),
);
const EDGES = /\/-|-\//g;
/** A token of a statement. A character in quotes is one sign, so that '"' opens no string. */
const TOKEN = /\/-|--|"|'(?:\\.|[^\\'\n])'|:=|[\p{L}_][\p{L}\p{N}_'!?₀-₉]*|[()[\]{}⟨⟩⦃⦄]|\n\s*\||:|\S/gu;
const OPENS = new Set(["(", "[", "{", "⟨", "⦃"]);
const CLOSES = new Set([")", "]", "}", "⟩", "⦄"]);
const HOLES = new Set(["sorry", "admit"]);

/** scanLean lists what a Lean file declares with a name, in the order of its text. */
export function scanLean(text: string): Declaration[] {
  const lines = openLines(text);
  const commands: LeanCommand[] = [];
  const marks = findLeanMarks(lines, (command) => commands.push(command)).map(({ line }) => line);
  const scopes: string[][] = [[]];
  const found: Declaration[] = [];
  let at = 0;
  for (const [index, { line, word, name, declares }] of commands.entries()) {
    const next = commands[index + 1]?.line ?? lines.count + 1;
    // The comment of what follows is a mark of its own, and no part of this.
    while (at < marks.length && (marks[at] ?? 0) <= line) at++;
    const end = Math.min(next, marks[at] ?? next) - 1;
    const source = lines.slice(line, end);
    if (!declares) {
      if (word === "namespace" || word === "section" || word === "mutual") scopes.push([]);
      else if (word === "end" && scopes.length > 1) scopes.pop();
      // `variable … in` speaks of one declaration alone.
      else if (word === "variable" && !/\bin\s*$/.test(source)) scopes.at(-1)?.push(fold(source.replace(/^variable\s*/, "")));
      continue;
    }
    const kind = CLASSES.get(word);
    if (kind === undefined || name === "") continue;
    const { statement, holes } = readLean(source, word, line);
    found.push({
      kind: word,
      class: kind,
      name,
      line,
      endLine: lastLine(lines.slice(line, end), line),
      statement,
      context: scopes.flat(),
      holes,
      summary: docOf(lines.slice(marks[at - 1] ?? line, line)),
      abstract: false,
    });
  }
  return found;
}

/** The statement, up to where the proof or the body begins, and the holes after it. */
function readLean(source: string, word: string, line: number): { statement: string; holes: Hole[] } {
  const holes: Hole[] = [];
  let depth = 0;
  let from = -1;
  let to = -1;
  let binders = -1;
  TOKEN.lastIndex = 0;
  let named = false;
  let comments = "";
  let kept = 0;
  const keep = (until: number): void => {
    if (from >= 0 && to < 0) comments += source.slice(Math.max(kept, from), until);
  };
  for (let token = TOKEN.exec(source); token !== null; token = TOKEN.exec(source)) {
    const [sign] = token;
    if (sign === "--" || sign === "/-") {
      keep(token.index);
      const newline = source.indexOf("\n", token.index);
      TOKEN.lastIndex = sign === "/-" ? skipComment(source, token.index + 2, "/-", EDGES) : newline < 0 ? source.length : newline;
      kept = TOKEN.lastIndex;
    } else if (sign === '"') {
      const closed = /(?:[^"\\]|\\.)*"/y;
      closed.lastIndex = TOKEN.lastIndex;
      TOKEN.lastIndex = closed.test(source) ? closed.lastIndex : source.length;
    } else if (HOLES.has(sign)) holes.push({ line: line + source.slice(0, token.index).split("\n").length - 1, what: sign });
    else if (from < 0 && sign === "{" && source[token.index - 1] === ".") {
      const close = source.indexOf("}", token.index); // universes
      TOKEN.lastIndex = close < 0 ? source.length : close + 1;
    } else if (!named) {
      if (sign === word) named = true;
    } else if (from < 0) {
      // After the word stands the name, with dots, universes and signs of its own; then binders, a colon, or the body.
      if (OPENS.has(sign) || sign === ":" || sign === ":=" || sign === "where" || sign.includes("|")) from = token.index;
      if (from >= 0 && (sign === ":=" || sign === "where" || sign.includes("|"))) to = from;
      if (sign === ":") binders = from;
      if (OPENS.has(sign)) depth++;
    } else if (OPENS.has(sign)) depth++;
    else if (CLOSES.has(sign)) depth = Math.max(0, depth - 1);
    else if (depth === 0 && to < 0) {
      if (sign === ":" && binders < 0) binders = token.index;
      const body = sign === ":=" || sign === "where" || /^\n\s*\|$/.test(sign);
      if (body) {
        keep(token.index);
        to = token.index;
      }
    }
  }
  if (to < 0) keep(source.length);
  const head = fold(comments);
  if (head === "") return { statement: fold(source.slice(Math.max(0, to))), holes };
  return { statement: binders === from ? head.replace(/^:\s*/, "") : head, holes };
}

function lastLine(source: string, line: number): number {
  return line + source.trimEnd().split("\n").length - 1;
}

function docOf(before: string): string {
  return fold(/\/--([\s\S]*?)-\//.exec(before)?.[1] ?? "");
}

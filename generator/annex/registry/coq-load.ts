/** `Load part.` puts the text of another file where it stands: what is declared there belongs to the module of the file that loads it. */
import { readCoqCommands } from "#generator/extract";
import type { Declaration } from "./declaration.ts";

const MAX_DEPTH = 20;
const LOAD = /\bLoad\b/;

/** A text with all that it loads, and where each of its lines stands. */
type Loaded = { readonly text: string; readonly places: readonly { readonly path: string; readonly line: number }[] };

/** namedByLoad lists the files that a text loads, as they are named there: with folders or without, and without the ending. */
export function namedByLoad(text: string): string[] {
  return [...loadsIn(text)].map(({ name }) => name);
}

function* loadsIn(text: string): Generator<{ readonly name: string; readonly start: number; readonly end: number }> {
  if (!LOAD.test(text)) return;
  for (const { sentence, command, rest } of readCoqCommands(text)) {
    if (command.word !== "Load") continue;
    const name = /^\s+(?:Verbose\s+)?(?:"([^"]+)"|([\p{L}_][\p{L}\p{N}_']*))\s*\.?$/u.exec(rest);
    if (name !== null) yield { name: (name[1] ?? name[2] ?? "").replace(/\.v$/, ""), start: sentence.start, end: sentence.end };
  }
}

/** filesSought lists the last names of the files that a text requires or loads: another file so called may come in the place of what it had. */
export function filesSought(text: string): string[] {
  const required = [...readCoqCommands(text)].flatMap(({ command: { word }, rest }) =>
    word === "From" || word === "Require" ? (rest.match(REQUIRED) ?? []) : [],
  );
  return [...new Set([...required, ...namedByLoad(text)].map((name) => `${name.split(/[./]/).at(-1) ?? ""}.v`))];
}
const REQUIRED = /(?<![\p{L}\p{N}_'.])(?!(?:Require|Import|Export)\b)[\p{L}_][\p{L}\p{N}_']*(?:\.[\p{L}_][\p{L}\p{N}_']*)*/gu;

/** findLoaded finds the file that `Load` names: by its path from the root, beside the file that loads it, else the only one that ends so. */
export function findLoaded(name: string, from: string, paths: readonly string[]): string | null {
  const file = `${name.replace(/^\.\//, "")}.v`;
  const beside = `${from.slice(0, from.lastIndexOf("/") + 1)}${file}`;
  const ending = paths.filter((path) => path === file || path.endsWith(`/${file}`));
  return [beside, file].find((path) => ending.includes(path)) ?? (ending.length === 1 ? (ending[0] ?? null) : null);
}

/** expandLoads puts the texts in. What is not found stays a command that nobody reads; the prover says so. */
export function expandLoads(
  path: string,
  text: string,
  find: (name: string, from: string) => readonly [string, string] | null,
  depth = 0,
): Loaded {
  const lines: { readonly path: string; readonly line: number; readonly text: string }[] = [];
  let at = 0;
  let line = 1;
  const add = (to: number): void => {
    const own = text.slice(at, to).split("\n");
    for (const [index, one] of own.entries()) lines.push({ path, line: line + index, text: one });
    line += own.length - 1;
    at = to;
  };
  for (const { name, start, end } of loadsIn(text)) {
    const found = depth < MAX_DEPTH ? find(name, path) : null;
    if (found === null) continue;
    add(start);
    const part = expandLoads(found[0], found[1], find, depth + 1);
    for (const [index, one] of part.text.split("\n").entries()) lines.push({ ...(part.places[index] ?? { path, line }), text: one });
    line += text.slice(start, end).split("\n").length - 1;
    at = end;
  }
  add(text.length);
  return { text: lines.map((one) => one.text).join("\n"), places: lines.map(({ path: of, line: number }) => ({ path: of, line: number })) };
}

/** placeIn says of a declaration of the expanded text in which file and line it stands. */
export function placeIn({ places }: Loaded, declared: Declaration): Declaration {
  const placeOf = (line: number) => places[line - 1] ?? { path: "", line };
  const [start, end] = [placeOf(declared.line), placeOf(declared.endLine)];
  return {
    ...declared,
    path: start.path,
    line: start.line,
    endLine: end.path === start.path ? end.line : start.line,
    holes: declared.holes.map((hole) => ({ ...hole, line: placeOf(hole.line).line })),
  };
}

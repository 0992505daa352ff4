/** Readers of `_CoqProject`, `Make`, a Makefile or dune: they name the folders of a Coq development with their names, its options, its files. */
import { posix } from "node:path";
import { folderOf } from "./coq-paths.ts";

type CoqProject = {
  /** `-R folder Name`, folders from the root of the repository. */
  readonly paths: readonly string[];
  readonly flags: readonly string[];
  /** Options that are not taken over. */
  readonly dropped: readonly string[];
  /** Files that the project names; empty where it names none. */
  readonly files: readonly string[];
};

/** Options of one word that a proof does not depend on the strength of: the logic stays what it is, or gets stricter. */
const HARMLESS = new Set(["-noinit", "-indices-matter"]);
/** Options that say only what is printed or compiled along; the second word is theirs. */
const SILENT = new Set([
  "-w",
  "-native-compiler",
  "-color",
  "-async-proofs",
  "-async-proofs-cache",
  "-async-proofs-j",
  "-bytecode-compiler",
]);
/** Switches of checks are no settings of a project. */
const CHECKING = /check|type.in.type|definitional uip/i;

/** readCoqProject reads the first form that is there. @param files texts by path */
export function readCoqProject(files: ReadonlyMap<string, string>): CoqProject | null {
  const named = (name: string): [string, string][] => [...files].filter(([path]) => posix.basename(path) === name);
  for (const name of ["_CoqProject", "_RocqProject", "Make"]) {
    const found = named(name);
    if (found.length > 0) return unite(found.map(([path, text]) => readProject(posix.dirname(path), wordsOf(text))));
  }
  for (const read of [() => named("dune").map(([path, text]) => readDune(path, text)), () => named("Makefile").map(readMakefile)]) {
    const project = unite(read());
    if (project.paths.length > 0) return project;
  }
  return null;
}

function unite(all: readonly CoqProject[]): CoqProject {
  const of = (member: keyof CoqProject): string[] => [...new Set(all.flatMap((one) => one[member]))];
  // Options of two projects that differ would be options of both.
  const same = all.every((one) => JSON.stringify(one.flags) === JSON.stringify(all[0]?.flags));
  return {
    paths: of("paths"),
    flags: same ? [...(all[0]?.flags ?? [])] : [],
    dropped: [...of("dropped"), ...(same ? [] : of("flags"))],
    files: all.every(({ files }) => files.length > 0) ? of("files") : [],
  };
}

/** wordsOf parts a project file: words between blanks, with quotes, and comments from # to the end of the line. */
function wordsOf(text: string): string[] {
  const found = text.matchAll(/#[^\n]*|((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#])+)/g);
  return [...found].flatMap(([, word]) => (word === undefined ? [] : [unquote(word)]));
}

function unquote(word: string): string {
  const plain = (double: string): string => double.replaceAll(/\\(["\\])/g, "$1");
  return word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single = "") =>
    double === undefined ? single : plain(double),
  );
}

function readProject(below: string, words: readonly string[]): CoqProject {
  const at = (name: string): string => folderOf(posix.join(below, name));
  const paths: string[] = [];
  const dropped: string[] = [];
  const files: string[] = [];
  const args: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const next = (): string => words[++index] ?? "";
    if (word === "-R" || word === "-Q") paths.push(`${word} ${at(next()) || "."} ${next() || '""'}`);
    // A setting is one word, whatever blanks it has.
    else if (word === "-arg") args.push(...(/^-(?:un)?set$/.test(args.at(-1) ?? "") ? [unquote(next())] : wordsOf(next())));
    else if (word === "-I" || word === "-docroot" || word === "-generate-meta-for-package") {
      const value = next();
      if (word === "-I") dropped.push(`-I ${value}`);
    } else if (word.endsWith(".v")) files.push(at(word));
    else if (word.startsWith("-")) args.push(word);
  }
  const flags: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (HARMLESS.has(arg)) flags.push(arg);
    else if (SILENT.has(arg)) index++;
    else if (arg === "-set" || arg === "-unset") {
      const value = unquote(args[++index] ?? "");
      if (CHECKING.test(value)) dropped.push(`${arg} ${value}`);
      else flags.push(arg, value);
    } else if (arg.startsWith("-")) dropped.push(arg);
  }
  return { paths, flags, dropped, files };
}

/** readDune reads `(coq.theory (name X))`: its folder by that name, as dune calls Coq. */
function readDune(path: string, text: string): CoqProject {
  const names = [...text.replaceAll(/;[^\n]*/g, "").matchAll(/\((?:coq|rocq)\.theory\b[^]*?\(name\s+([\w.]+)\s*\)/g)];
  const folder = folderOf(posix.dirname(path)) || ".";
  return { paths: names.map(([, name = ""]) => `-R ${folder} ${name}`), flags: [], dropped: [], files: [] };
}

/** readMakefile reads the folders that it writes out; those in variables are not worked out. */
function readMakefile([path, text]: readonly [string, string]): CoqProject {
  const found = [...text.matchAll(/(?<![\w-])(-[RQ])\s+([^\s$"'()]+)\s+([\w.]+)/g)];
  return {
    ...readProject(
      posix.dirname(path),
      found.flatMap(([, how = "", folder = "", name = ""]) => [how, folder, name]),
    ),
    files: [],
  };
}

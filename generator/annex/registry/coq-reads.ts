/** The prover is asked if the words of a source are the type, read as a stranger reads them: by the prelude, what is imported from installed
 *  libraries, and plain names of these sources. No notation, coercion or scope of the sources themselves is there, so that words that pass mean
 *  what they seem to. It is a process of its own: whatever the words do to it, nothing else is asked there. */
import { randomBytes } from "node:crypto";
import { readCoqCommands, readSentences, withoutCoqComments } from "#generator/extract";
import type { Coq } from "./coq-ask.ts";
import type { AskedDeclaration } from "./request.ts";

/** CoqReading is a declaration whose words are asked of, and the words in them that are names of these sources. */
export type CoqReading<One extends AskedDeclaration> = { readonly one: One; readonly candidates: readonly string[] };
export type Read = {
  /** Read so, they are the type. */
  readonly isType: boolean;
  /** Names that mean something else where these sources are not imported, and what. */
  readonly shadows: ReadonlyMap<string, string>;
  /** The meaning of each name where these sources are imported, for those that mean something else where they are not. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** The meaning of each name where nothing of these sources is imported. */
  readonly usual: ReadonlyMap<string, string>;
};

export const NAMES = /[\p{L}_][\p{L}\p{N}_']*(?:\.[\p{L}_][\p{L}\p{N}_']*)*/gu;
/** Words of the language that no question may be asked of. */
const KEYWORDS = new Set(
  "forall exists exists2 fun let in match with end if then else return as fix cofix where for using is at Prop Set Type SProp _".split(" "),
);
const MAX_WORDS = 10_000; // UTF-16 units of a statement that is asked
const PLAIN = "-(coercions, notations)";

export function namesIn(words: string): string[] {
  return [...new Set(words.replaceAll(/"[^"]*"/g, " ").match(NAMES) ?? [])];
}

/** readPlainly asks Coq what the words of statements mean, without the coercions and notations of these sources.
 *  @param text of the file that declares them
 *  @param module full name of the file's module
 *  @param isOwn tells if a library or a module, as an import names it, is of these sources
 *  @param isOpen tells if it matters whether the words of one are its type */
export async function readPlainly<One extends AskedDeclaration>(
  { plain, seen }: { readonly plain: Coq; readonly seen: Coq },
  module: string,
  text: string,
  readings: readonly CoqReading<One>[],
  isOwn: (name: string, from: string) => boolean,
  isOpen: (one: One, read: Read) => boolean,
): Promise<ReadonlyMap<string, Read>> {
  const imports = importsOf(text);
  const write = ({ from, name, required }: Import, filter: string): string =>
    `${from === "" ? "" : `From ${from} `}${required ? "Require " : ""}Import ${filter}${name}.`;
  const [own, installed] = [true, false].map((wanted) => imports.filter(({ name, from }) => isOwn(name, from) === wanted)) as [
    Import[],
    Import[],
  ];
  const read = new Map<string, Read>();
  for (const [inner, some] of Map.groupBy(readings, ({ one }) => innerOf(one.name, module))) {
    const frame = randomBytes(8).toString("hex");
    const names = [...new Set(some.flatMap(({ one: { words } }) => namesIn(words)))].filter((name) => !KEYWORDS.has(name));
    const located = names.map((name) => `Locate Term ${name}.`);
    const modules = [module, ...(inner === "" ? [] : inner.split(".")).map((_, at, all) => [module, ...all.slice(0, at + 1)].join("."))];
    const importAll = (filter: string): string[] => [
      ...own.filter(({ required }) => required).map((one) => write(one, filter)),
      `Import ${filter}${module}.`,
      // Modules of the file itself are there after it alone.
      ...own.filter(({ required }) => !required).map((one) => write(one, filter)),
      ...modules.slice(1).map((name) => `Import ${filter}${name}.`),
    ];
    const [begin, end] = [[`Module plain${frame}.`, ...installed.map((one) => write(one, ""))], `End plain${frame}. Unset Printing All.`];
    const foundIn = (answers: readonly (string | null)[]) => new Map(names.map((name, at) => [name, foundBy(name, answers[at] ?? "")]));
    const [, ...first] = await plain.ask([begin.join("\n"), ...located]);
    const before = foundIn(first);
    const usual = new Map([...before].flatMap(([name, found]): [string, string][] => (found === null ? [] : [[name, found]])));
    const [imported = null, ...second] = await seen.ask([[...begin, ...importAll("")].join("\n"), ...located, end]);
    // Notations of the sources may take the words of a question, and go on to do so: that process answers no more.
    const isHeard = [imported, ...second].every((answer) => answer !== null && !/\bError:/.test(answer));
    if (!isHeard) await seen.end();
    const readBy = (after: ReadonlyMap<string, string | null>, { one, candidates }: CoqReading<One>, isType: boolean): Read => {
      const among = (words: readonly string[], meaning: (name: string) => string | null | undefined) =>
        new Map(words.flatMap((name): [string, string][] => [meaning(name)].flatMap((found) => (found == null ? [] : [[name, found]]))));
      const elsewhere = among(namesIn(one.words), (name) =>
        before.get(name) == null || before.get(name) === after.get(name) ? null : after.get(name),
      );
      return { isType, shadows: among(candidates, (name) => before.get(name)), elsewhere, usual };
    };
    const heard = foundIn(second);
    const those = some.filter((reading) => isOneTerm(reading.one.words) && (!isHeard || isOpen(reading.one, readBy(heard, reading, true))));
    // Names alone are imported: a whole module brings all that it exports along each way to it, and what else it has means nothing to a stranger.
    const wanted = new Set(
      those.flatMap(({ one }) => namesIn(one.words).flatMap((name) => (usual.has(name) ? [] : (heard.get(name) ?? [])))),
    );
    const near = [...wanted].map((full) => `Import ${full.replace(/\.([^.]+)$/, "($1)")}.`);
    const [, ...third] = await plain.ask([
      [...(isHeard ? near : importAll(PLAIN)), "Set Printing All."].join("\n"),
      ...those.map(({ one }, at) => `Definition read${at} : (${one.words}) := @${one.name}. Print read${at}.`),
      ...(isHeard ? [] : located),
      end,
    ]);
    const typed = new Set(those.filter(({ one }, at) => isItself(third[at] ?? "", one.name)));
    const after = isHeard ? heard : foundIn(third.slice(those.length));
    for (const reading of some) read.set(reading.one.key, readBy(after, reading, typed.has(reading)));
  }
  return read;
}

/** isItself holds where what was defined is the theorem and nothing around it: a coercion would be another proof. */
function isItself(answer: string, name: string): boolean {
  const body = /^read\d+ =\s+@?(\S+)\s*\n?\s+:\s/m.exec(answer)?.[1];
  return body !== undefined && body.split(".").at(-1) === name.split(".").at(-1);
}

const FOUND = /^(?:Constant|Inductive|Constructor|Notation) (\S+)(?:\s+\(shorter name to refer to it in current context is ([^)]+)\))?$/;
const SHORTER = /^\s+\(shorter name to refer to it in current context is ([^)]+)\)/;

/** foundBy reads what a name means; null where nothing is so near. A name that is longer than it has to be means it, too. */
function foundBy(name: string, located: string): string | null {
  const lines = located.split("\n").filter((line) => line !== "");
  for (const [at, line] of lines.entries()) {
    const [, found, beside] = FOUND.exec(line) ?? [];
    const shorter = beside ?? SHORTER.exec(lines[at + 1] ?? "")?.[1] ?? name;
    if (found !== undefined && (name === shorter || name.endsWith(`.${shorter}`))) return found;
  }
  return null;
}

function innerOf(name: string, module: string): string {
  return name
    .slice(module.length + 1)
    .split(".")
    .slice(0, -1)
    .join(".");
}

/** isOneTerm refuses what would not stay between its brackets, what is cut off, and what runs tactics. */
function isOneTerm(words: string): boolean {
  if (words === "" || words.length > MAX_WORDS || /\bltac\s*:/.test(words)) return false;
  const [sentence, ...more] = readSentences(`x (${words}).`);
  if (sentence === undefined || more.length > 0 || words.includes("(*")) return false;
  const open: string[] = [];
  for (const sign of words.replaceAll(/"[^"]*"/g, "").match(/[()[\]{}"]/g) ?? []) {
    if (sign === '"') return false;
    if ("([{".includes(sign)) open.push(sign);
    else if (open.pop() !== { ")": "(", "]": "[", "}": "{" }[sign]) return false;
  }
  return open.length === 0;
}

type Import = { readonly from: string; readonly name: string; readonly required: boolean };
const IMPORT = /^(?:From\s+(\S+)\s+)?(Require\s+)?(?:Import|Export)\s+(?:-?\([^)]*\)\s*)?([^]*)$/;

/** importsOf lists what a text imports, one name each. */
function importsOf(text: string): Import[] {
  const found: Import[] = [];
  for (const { command, rest } of readCoqCommands(text)) {
    if (!/^(?:From|Require|Import|Export)$/.test(command.word)) continue;
    const bare = withoutCoqComments(`${command.word}${rest}`).trim().replace(/\.$/, "");
    const [, from = "", required, names = ""] = IMPORT.exec(bare) ?? [];
    for (const name of names.replaceAll(/\([^)]*\)/g, " ").split(/\s+/)) {
      if (/^[\p{L}_][\p{L}\p{N}_'.]*$/u.test(name)) found.push({ from, name, required: required !== undefined });
    }
  }
  return found;
}

/** Questions to a Coq that has loaded compiled files and nothing else, and its answers, told apart by marks that nobody could know. */
import { randomBytes } from "node:crypto";
import { foldAll } from "./declaration.ts";
import type { Dialogue } from "./sandbox.ts";

export type Assumptions = { readonly names: readonly string[]; readonly unsafe: readonly string[] };

const UNSAFE = /^\S+ (?:is assumed to be|relies on) [^:]*\.$/;
/** Titles of what an answer lists, in the words of Coq 8 and of Rocq 9. */
const TITLES = /^(?:Axioms|Theory):$/;
const NAME = /^[\p{L}_][\p{L}\p{N}_'.]*(?= :|$)/u;
/** Settings that a loaded file may have changed for whoever loads it. */
const SETTINGS =
  "Unset Silent. Unset Printing All. Set Printing Notations. Unset Printing Universes. Set Printing Width 1000000. Set Printing Depth 1000000.";

/** Questions after which a process has a good part of a gigabyte. */
const MUCH = 4000;

/** Coq is one process that has loaded compiled files, and answers for as long as it lives; where it has died, another takes its place. */
export class Coq {
  readonly #open: () => Dialogue;
  #modules: string[];
  #running: Dialogue | null = null;
  #asked = 0;
  #answered = 0;

  constructor(open: () => Dialogue, modules: readonly string[] = []) {
    this.#open = open;
    this.#modules = [...modules];
  }

  /** @returns of each module whether it loads, beside all before it */
  async load(modules: readonly string[]): Promise<readonly boolean[]> {
    const answers = await this.ask(modules.map((name) => `Require ${name}. ${SETTINGS} Locate Library ${name}.`));
    const loaded = answers.map((answer) => LOADED.test(answer ?? ""));
    this.#modules.push(...modules.filter((_, at) => loaded[at]));
    return loaded;
  }

  /** Asks each question. Coq keeps a state for each sentence, so that there are as few as can be.
   *  @param setting of prints, while these are answered
   *  @returns what stands between its marks; null where Coq never came so far */
  async ask(questions: readonly string[], setting?: "Printing All" | "Printing Coercions"): Promise<readonly (string | null)[]> {
    if (questions.length === 0) return [];
    const mark = `mark_${randomBytes(12).toString("hex")}`;
    // It says that there is none, however silent a file has made it.
    const marked = (at: number): string => `Locate ${mark}_${at}.`;
    const isNew = this.#running === null || this.#running.ended;
    if (isNew) this.#running = this.#open();
    this.#answered += questions.length;
    // A question that cannot be read may take the sentence after it along, so that the end has two.
    const last = questions.length + 1;
    const script = [
      ...(isNew ? this.#modules.map((name) => `Require ${name}.`) : []),
      SETTINGS,
      setting === undefined ? "" : `Set ${setting}.`,
      ...questions.flatMap((question, at) => [marked(at), question]),
      marked(questions.length),
      setting === undefined ? "" : `Unset ${setting}.`,
      marked(last),
      "",
    ].join("\n");
    const answer = (await this.#running?.say(script, `${mark}_${last}\n`)) ?? "";
    const places = [...questions, ""].map((_, at) => answer.indexOf(`${mark}_${at}\n`));
    return questions.map((_, at) => {
      const [from = -1, to = -1] = [places[at], places[at + 1]];
      const end = answer.lastIndexOf("\n", to) + 1;
      return from < 0 || to < from ? null : answer.slice(from + `${mark}_${at}\n`.length, end);
    });
  }

  /** One question for all: each `let` carries its type, so that axioms of statements are in the answer, too. It names nothing of a library, whose
   *  name is another in another version.
   *  @returns the question, and the name of what it defines */
  tuple(names: readonly string[]): { readonly question: string; readonly name: string } {
    const name = `asked_${this.#asked++}`;
    const tuple = names.map((one) => `let _ := @${one} in `).join("");
    return {
      name,
      question: `Definition ${name} := ${tuple}Prop. Print Assumptions ${name}.`,
    };
  }

  /** rest lets a process go that has answered much, with all that was defined in it: the next question gets a fresh one. */
  async rest(): Promise<void> {
    if (this.#answered > MUCH) await this.end();
  }

  async end(): Promise<void> {
    await this.#running?.end();
    this.#running = null;
    this.#answered = 0;
  }
}

/** Coq's words for a library that it has loaded from its file, not for a module of this name in another. */
const LOADED = / has been loaded from file\b/;

/** readAssumptions reads the answer of `Print Assumptions` about a tuple. It must understand each line: one that it does not may be an axiom, so
 *  that the answer is then null. */
export function readAssumptions(answer: string): Assumptions | null {
  const lines = answer.split("\n").filter((line) => line !== "" && !line.startsWith("Fetching opaque proofs"));
  if (!/^asked_\d+ is defined$/.test(lines.shift() ?? "")) return null;
  if (lines.length === 1 && lines[0] === "Closed under the global context") return { names: [], unsafe: [] };
  const names: string[] = [];
  const unsafe: string[] = [];
  let title = "";
  for (const line of lines) {
    // More of a type, or where an axiom without a case is taken apart.
    if (title === "Axioms" && /^(?:\s|used in \S+ to prove)/.test(line)) continue;
    if (TITLES.test(line)) {
      title = line.slice(0, -1);
      continue;
    }
    if (title === "") return null;
    // Settings of the whole theory that all loaded files rest on: impredicative Set, collapsed universes, rewrite rules.
    if (title === "Theory") {
      unsafe.push(line.trim());
      continue;
    }
    const name = NAME.exec(line)?.[0];
    // A setting that a file leaves on is one of the question, too.
    if (UNSAFE.test(line)) unsafe.push(line.slice(0, -1).replace(/^asked_\d+ /, "whatever loads these files "));
    else if (name !== undefined) names.push(name);
    else return null;
  }
  return names.length + unsafe.length === 0 ? null : { names, unsafe };
}

/** readType gives the type that `Check @name.` printed; null when there is no such name. */
export function readType(answer: string): string | null {
  const lines = answer.split("\n").filter((line) => !line.startsWith("Fetching opaque proofs"));
  const at = lines.findIndex((line) => /^\s+:\s/.test(line));
  return at < 0
    ? null
    : foldAll(
        lines
          .slice(at)
          .join("\n")
          .replace(/^\s+:\s/, ""),
      );
}

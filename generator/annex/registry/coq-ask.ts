/** Questions to a Coq that has loaded compiled files and nothing else, and its answers, told apart by marks that nobody could know. */
import { randomBytes } from "node:crypto";
import { fold } from "./declaration.ts";

export type Ask = (script: string) => Promise<string>;
export type Assumptions = { readonly names: readonly string[]; readonly unsafe: readonly string[] };

const UNSAFE = /^\S+ (?:is assumed to be|relies on) [^:]*\.$/;
const NAME = /^[\p{L}_][\p{L}\p{N}_'.]*(?= :|$)/u;
/** What a loaded file may have set otherwise for whoever loads it. */
const SETTINGS =
  "Unset Silent. Unset Printing All. Set Printing Notations. Unset Printing Universes. Set Printing Width 1000000. Set Printing Depth 1000000.";

/** Asks each question, in one process. @returns what stands between its marks; null where Coq never came so far */
export async function askAll(ask: Ask, modules: readonly string[], questions: readonly string[]): Promise<readonly (string | null)[]> {
  const mark = `mark_${randomBytes(12).toString("hex")}`;
  const marked = (at: number): string => `Definition ${mark}_${at} : Coq.Init.Datatypes.unit := Coq.Init.Datatypes.tt.`;
  const script = [
    ...modules.map((name) => `Require ${name}.`),
    SETTINGS,
    ...questions.flatMap((question, at) => [marked(at), question]),
    marked(questions.length),
    "",
  ].join("\n");
  const answer = await ask(script);
  const places = questions.map((_, at) => answer.indexOf(`${mark}_${at} is defined\n`));
  places.push(answer.indexOf(`${mark}_${questions.length} is defined`));
  return questions.map((_, at) => {
    const [from = -1, to = -1] = [places[at], places[at + 1]];
    return from < 0 || to < from ? null : answer.slice(from + `${mark}_${at} is defined\n`.length, to);
  });
}

/** What `tupleOf` was answered. Each line has to be understood: null when one is not, for it may be what the rest hangs on. */
export function readAssumptions(answer: string): Assumptions | null {
  const lines = answer.split("\n").filter((line) => line !== "" && !line.startsWith("Fetching opaque proofs"));
  if (!/^asked_\d+ is defined$/.test(lines.shift() ?? "")) return null;
  if (lines.length === 1 && lines[0] === "Closed under the global context") return { names: [], unsafe: [] };
  if (lines.shift() !== "Axioms:") return null;
  const names: string[] = [];
  const unsafe: string[] = [];
  for (const line of lines) {
    if (/^\s/.test(line)) continue; // more of a type
    const name = NAME.exec(line)?.[0];
    if (UNSAFE.test(line)) unsafe.push(line.slice(0, -1));
    else if (name !== undefined) names.push(name);
    else return null;
  }
  return names.length + unsafe.length === 0 ? null : { names, unsafe };
}

/** The type that `Check @name.` printed; null when there is no such name. */
export function readType(answer: string): string | null {
  const lines = answer.split("\n").filter((line) => !line.startsWith("Fetching opaque proofs"));
  const at = lines.findIndex((line) => /^\s+:\s/.test(line));
  return at < 0
    ? null
    : fold(
        lines
          .slice(at)
          .join("\n")
          .replace(/^\s+:\s/, ""),
      );
}

/** One question for all: each `let` carries its type, so that axioms of statements are in the answer, too. */
export function tupleOf(names: readonly string[], at: number): string {
  const tuple = names.map((name) => `let _ := @${name} in `).join("");
  return `Definition asked_${at} : Coq.Init.Datatypes.unit := ${tuple}Coq.Init.Datatypes.tt. Print Assumptions asked_${at}.`;
}

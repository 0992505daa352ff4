/** Prints of the definitions that a statement names, of its own sources, as Coq prints it with everything shown: a statement of unchanged words
 *  says something else when a definition below it does. */
import { sha256 } from "#snapshots/digest";
import type { Coq } from "./coq-ask.ts";
import { foldAll } from "./declaration.ts";

/** Printed is a print in which each own name stands without its modules and with its place among `mentions`, so that what only moves prints the
 *  same. */
export type Printed = { readonly sha256: string; readonly mentions: readonly string[] };

/** Names of other modules have a dot: nothing is imported where Coq is asked, and what it binds itself has none. */
const DOTTED = /(?<![\p{L}\p{N}_'.])[\p{L}_][\p{L}\p{N}_']*(?:\.[\p{L}_][\p{L}\p{N}_']*)+/gu;
const MAX_PRINTED = 100_000; // definitions; no library has so many of its own below its statements

/** readPrint gives Coq's print of a definition, without the scopes of its arguments; null when there is no such name. */
function readPrint(answer: string | null): string | null {
  if (answer === null || /^Error:|is not a defined object\.$/m.test(answer)) return null;
  const text = answer.replaceAll(/^Fetching opaque proofs.*\n/gm, "").split(/^Arguments /m)[0] ?? "";
  return text.trim() === "" ? null : foldAll(text);
}

/** FullNames finds the full names of those that Coq prints, which are as short as they can be. */
export class FullNames {
  readonly #known = new Map<string, string>();
  readonly #coq: Coq;

  constructor(coq: Coq) {
    this.#coq = coq;
  }

  async locate(names: Iterable<string>): Promise<void> {
    const missing = [...new Set(names)].filter((name) => !this.#known.has(name));
    if (missing.length === 0) return;
    const answers = await this.#coq.ask(missing.map((name) => `Locate Term ${name}.`));
    for (const [at, name] of missing.entries()) {
      const found = /^(?:Constant|Inductive|Constructor) (\S+)/m.exec(answers[at] ?? "")?.[1];
      this.#known.set(name, found ?? name);
    }
  }

  of(name: string): string {
    return this.#known.get(name) ?? name;
  }

  /** @param isOwn whether a full name is of these sources
   *  @returns digests of the texts, and which own names are in them, in the order in which they come */
  async read(texts: readonly string[], isOwn: (name: string) => boolean): Promise<readonly Printed[]> {
    await this.locate(texts.flatMap((text) => text.match(DOTTED) ?? []));
    return texts.map((text) => {
      const mentions = new Map<string, number>();
      const whole = text.replaceAll(DOTTED, (name) => {
        const full = this.of(name);
        if (!isOwn(full)) return full;
        const place = mentions.get(full) ?? mentions.size;
        mentions.set(full, place);
        return `\0${place}.${full.split(".").at(-1)}`;
      });
      return { sha256: sha256(whole), mentions: [...mentions.keys()] };
    });
  }
}

/** printDefinitions prints what of the sources a statement may name, and what that names in turn, until nothing is open.
 *  @param names definitions to begin with
 *  @param theorems of those of them that are proofs, opaque and of a proposition, the type alone is printed: how it is proved means nothing
 *  @param known printed before
 *  @returns what was printed, and how many were left out because there are too many */
export async function printDefinitions(
  { coq, full, isOwn }: { readonly coq: Coq; readonly full: FullNames; readonly isOwn: (name: string) => boolean },
  names: readonly string[],
  theorems: ReadonlySet<string>,
  known: ReadonlyMap<string, Printed>,
): Promise<{ readonly printed: Map<string, Printed>; readonly left: number }> {
  const printed = new Map(known);
  const seen = new Set(known.keys());
  let open = names.filter((name) => !seen.has(name));
  while (open.length > 0 && printed.size + open.length <= MAX_PRINTED) {
    for (const name of open) seen.add(name);
    const proofs = await findProofs(
      coq,
      open.filter((name) => theorems.has(name)),
    );
    const answers = await coq.ask(
      open.map((name) => (proofs.has(name) ? `Check @${name}.` : `Print ${name}.`)),
      "Printing All",
    );
    const texts = answers.map((answer) => readPrint(answer));
    const there = open.flatMap((name, at) => (texts[at] == null ? [] : [{ name, text: texts[at] }]));
    const read = await full.read(
      there.map(({ text }) => text),
      isOwn,
    );
    for (const [at, { name }] of there.entries()) printed.set(name, read[at] as Printed);
    open = [...new Set(read.flatMap(({ mentions }) => mentions))].filter((name) => !seen.has(name));
  }
  return { printed, left: open.length };
}

/** findProofs picks the names whose bodies mean nothing: nobody can unfold them, and their types are propositions. */
async function findProofs(coq: Coq, names: readonly string[]): Promise<ReadonlySet<string>> {
  const answers = await coq.ask(
    names.flatMap((name) => [`About ${name}.`, `Check (fun any : forall P : Prop, P -> P => any _ (@${name})).`]),
  );
  return new Set(
    names.filter((_, at) => {
      const [about, check] = [answers[2 * at] ?? "", answers[2 * at + 1] ?? ""];
      return !/ is transparent$/m.test(about) && /^fun any\b/m.test(check) && !/^Error:/m.test(check);
    }),
  );
}

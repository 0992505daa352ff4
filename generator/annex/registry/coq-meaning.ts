/** What a statement names of its own sources, and what those definitions say, as Coq prints it with everything shown: a statement of unchanged
 *  words says something else when a definition below it does. */
import { sha256 } from "#snapshots/digest";
import type { Coq } from "./coq-ask.ts";
import { fold } from "./declaration.ts";

export type Printed = { readonly sha256: string; readonly mentions: readonly string[] };

/** Names of other modules have a dot: nothing is imported where Coq is asked, and what it binds itself has none. */
const DOTTED = /(?<![\p{L}\p{N}_'.])[\p{L}_][\p{L}\p{N}_']*(?:\.[\p{L}_][\p{L}\p{N}_']*)+/gu;
const MAX_ROUNDS = 4; // constructors and projections are found in what is printed, and name little that is not known then

function printOf(name: string): string {
  return `Set Printing All. Print ${name}. Unset Printing All.`;
}

/** What Coq printed of a definition, without what it says of arguments' scopes; null when there is no such name. */
function readPrint(answer: string | null): string | null {
  if (answer === null || /^Error:|is not a defined object\.$/m.test(answer)) return null;
  const text = answer.replaceAll(/^Fetching opaque proofs.*\n/gm, "").split(/^Arguments /m)[0] ?? "";
  return text.trim() === "" ? null : fold(text);
}

/** Full names for those that Coq prints, which are as short as they can be. */
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
   *  @returns the text with full names, as a digest, and which own ones are in it */
  async read(texts: readonly string[], isOwn: (name: string) => boolean): Promise<readonly Printed[]> {
    await this.locate(texts.flatMap((text) => text.match(DOTTED) ?? []));
    return texts.map((text) => {
      const mentions = new Set<string>();
      const whole = text.replaceAll(DOTTED, (name) => {
        const full = this.of(name);
        if (isOwn(full)) mentions.add(full);
        return full;
      });
      return { sha256: sha256(whole), mentions: [...mentions].sort() };
    });
  }
}

/** Prints what of the sources a statement may name, and what that names in turn.
 *  @param names definitions to begin with; of theorems the type alone is read, for what proves them means nothing
 *  @param known printed before */
export async function printDefinitions(
  coq: Coq,
  full: FullNames,
  names: readonly string[],
  theorems: ReadonlySet<string>,
  isOwn: (name: string) => boolean,
  known: ReadonlyMap<string, Printed>,
): Promise<Map<string, Printed>> {
  const printed = new Map(known);
  const seen = new Set(known.keys());
  let open = names.filter((name) => !seen.has(name));
  for (let round = 0; round < MAX_ROUNDS && open.length > 0; round++) {
    for (const name of open) seen.add(name);
    const answers = await coq.ask(
      open.map((name) => (theorems.has(name) ? `Set Printing All. Check @${name}. Unset Printing All.` : printOf(name))),
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
  return printed;
}

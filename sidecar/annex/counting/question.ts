/** One form is counted: count or list a SET with FACET values, joined by "and" and "but", each of them with or without "not".
 *
 *      How many verified theorems in sorted-lists are not deployable?
 *      count    STATE    KIND     in PLACE        link not STATE
 *
 *  Anything else is null, and is searched: a wrong number is worse than none. */
import type { ViewData } from "#snapshots/format";
import { type Condition, type CountedFacet, readWords, type SetName, type Word } from "./vocabulary.ts";

/** Narrowed says which values of one facet are asked for, or which are not. */
type Narrowed = { readonly values: readonly string[]; readonly isNot: boolean; readonly says: string };

export type CountingQuestion = {
  readonly ask: "count" | "list";
  readonly set: SetName;
  readonly filters: ReadonlyMap<CountedFacet, Narrowed>;
};

const MAX_LENGTH = 400; // characters; a longer question asks for more than a number

/** Said is a condition as it stands in a question. */
type Said = { readonly word: Word; readonly isNot: boolean };

export function readQuestion(question: string, data: ViewData): CountingQuestion | null {
  // "What is a record?" asks what the word means.
  if (question.length > MAX_LENGTH || /^\s*what(?:['\u2019]s|\s+is)\s/i.test(question)) return null;
  const [first, ...words] = readWords(question, data) ?? [];
  if (first?.is !== "count" && first?.is !== "list") return null;
  const noun = words.findIndex(({ is }) => is === "set" || is === "kind");
  if (noun < 0) return null;
  const kind = words[noun]?.is === "kind" ? words[noun] : null;
  const named = kind === null ? words[noun] : words[noun + 1]?.is === "set" ? words[noun + 1] : null;
  const before = adjectives(words.slice(0, noun));
  const after = clauses(words.slice(noun + (kind !== null && named !== null ? 2 : 1)));
  if (before === null || after === null) return null;
  const said = [...before, ...(kind === null ? [] : [{ word: kind, isNot: false }]), ...after];
  const sets = named?.set === undefined ? Object.keys(kind?.of ?? {}) : [named.set];
  const fitting = sets.filter((set) => said.every(({ word }) => word.of?.[set as SetName] !== undefined)) as SetName[];
  const [set, ...others] = fitting;
  // A bare "records" is a name to be looked for, and so is a noun that two sets have.
  if (set === undefined || others.length > 0) return null;
  const filters = narrow(said, set);
  return filters === null ? null : { ask: first.is, set, filters };
}

/** adjectives reads what stands before the noun: states alone, and no "not", whose reach nobody can tell there. */
function adjectives(words: readonly Word[]): readonly Said[] | null {
  const said: Said[] = [];
  for (const [at, word] of words.entries()) {
    if (word.is === "and" && at > 0 && at < words.length - 1) continue;
    if (word.is === "link" || word.is === "joint") continue;
    if (word.is !== "state" && word.is !== "place") return null;
    said.push({ word, isNot: false });
  }
  return said;
}

/** clauses reads what stands behind the noun. A "not" reaches to its own condition; behind it an "and" may go on with another "not" only,
 *  and a "but" with anything: "not verified and deployable" can be read in two ways. */
function clauses(words: readonly Word[]): readonly Said[] | null {
  const said: Said[] = [];
  let isNot = false;
  let inside = false;
  let isOpen = false;
  let join: "and" | "but" | null = null;
  for (const word of words) {
    const before = said.at(-1);
    if (word.is === "link") continue;
    if (word.is === "joint") {
      isOpen = true;
    } else if (word.is === "not") {
      if (isNot || inside) return null;
      isNot = true;
    } else if (word.is === "in") {
      if (inside) return null;
      inside = true;
    } else if (word.is === "and" || word.is === "but") {
      if (join !== null || isNot || inside || before === undefined) return null;
      join = word.is;
    } else if (word.is === "state" || word.is === "place") {
      // A place is said with "in", and a state is not.
      if (inside !== (word.is === "place")) return null;
      if (before?.isNot === true && (join === null || (join === "and" && !isNot))) return null;
      said.push({ word, isNot });
      [isNot, inside, isOpen, join] = [false, false, false, null];
    } else return null;
  }
  return isNot || inside || isOpen || join !== null ? null : said;
}

/** narrow puts the conditions of one facet together; null when two of them are said of one facet, but for two that are both denied. */
function narrow(said: readonly Said[], set: SetName): ReadonlyMap<CountedFacet, Narrowed> | null {
  const filters = new Map<CountedFacet, Narrowed>();
  for (const { word, isNot } of said) {
    const { facet, values, others }: Condition = word.of?.[set] ?? { facet: "standing", values: [] };
    const turned = isNot !== (others === true);
    const known = filters.get(facet);
    if (known !== undefined && !(known.isNot && turned)) return null;
    const says = `${isNot ? "not " : ""}${word.says ?? ""}`;
    filters.set(facet, {
      values: [...(known?.values ?? []), ...values],
      isNot: turned,
      says: known === undefined ? says : `${known.says} and ${says}`,
    });
  }
  return filters;
}

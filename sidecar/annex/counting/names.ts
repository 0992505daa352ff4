/** From the words of a question to terms: the lexicon, and the names of a library. */
import { memoize } from "../../../snapshots/format/relations.ts";
import type { ViewData } from "../../../snapshots/format/view-data.ts";
import { filterValues } from "../../../snapshots/query/filters.ts";
import { CUB_FACETS } from "../../../snapshots/schema/cub-facets.ts";
import { classesOf, type Facet, isRecordFacet, knownValues, LEXICON, type Term } from "./lexicon.ts";

const MAX_PHRASE = 8; // words
/** Facets whose values name themselves. Those of others are common words, and count beside the name of their facet only. */
const TELLING: ReadonlySet<Facet> = new Set([
  "repo",
  "standing",
  "production_consumption",
  "proof_consumption",
  "wiring",
  "invocation",
  "status",
]);

type Vocabulary = {
  readonly phrases: ReadonlyMap<string, Term>;
  /** Facet → folded value → value. */
  readonly values: ReadonlyMap<Facet, ReadonlyMap<string, string>>;
};

const wordsOf = (text: string): readonly string[] =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("\u2019", "'")
    .match(/[\p{L}\p{N}'%]+/gu) ?? [];
const fold = (text: string): string => wordsOf(text).join(" ");
const plurals = (noun: string): readonly string[] => [noun, noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`];

/** joinNegatives writes a value that begins with "not" as one word: "not verified" is everything that is not verified, NOT_VERIFIED one state. */
export function joinNegatives(text: string): string {
  return text.replaceAll(/\bnot[-_][\w-]+/gi, (value) => value.replaceAll(/[-_]/g, ""));
}

/** termOf returns what a value says. In objects and records one word may name different things. */
function termOf(facet: Facet, values: readonly string[], beside: boolean): Term {
  const subject = isRecordFacet(facet) ? "records" : "objects";
  return { is: classesOf(facet, beside), of: { [subject]: { facet, values } } };
}

function axiomTerm(values: readonly string[]): Term {
  return { is: ["AXIOM"], of: { records: { facet: "axiom", values } } };
}

const SAID: ReadonlySet<string> = new Set(LEXICON.flatMap(([alternatives]) => alternatives.split(" | ")));

const vocabularyOf = memoize((data: ViewData): Vocabulary => {
  const phrases = new Map<string, Term>();
  const add = (phrase: string, term: Term): void => {
    const known = phrases.get(phrase);
    const same = known !== undefined && known.is.join() === term.is.join();
    // Of two facets of one subject the first of the table is meant: a repository before a crate.
    if (phrase !== "") phrases.set(phrase, same ? { ...term, of: { ...term.of, ...known.of } } : term);
  };
  const values = new Map<Facet, ReadonlyMap<string, string>>();
  for (const { name } of CUB_FACETS) {
    const known = knownValues(name);
    const all = [...new Set([...known, ...data.cubs.flatMap((record) => filterValues(record, name))])].filter((value) => value !== "");
    values.set(name, new Map(all.map((value) => [fold(value), value])));
    // An axiom is called by its full name, and by the last part of it where one alone is called so.
    if (name === "axiom") {
      for (const [short, those] of Map.groupBy(all, (value) => fold(value.split(".").at(-1) ?? "")))
        if (those.length === 1) add(short, axiomTerm(those));
      for (const value of all) add(fold(value), axiomTerm([value]));
    }
    if (TELLING.has(name)) for (const value of all) add(fold(joinNegatives(value)), termOf(name, [value], false));
    if (name === "kind") for (const value of all) for (const noun of plurals(fold(value))) add(noun, termOf(name, [value], false));
    // "Coq" is every value that names Coq among others: "Coq", "Coq+Lean".
    if (name === "formal_systems")
      for (const system of new Set(all.flatMap((value) => value.split("+")))) {
        const holders = all.filter((value) => value.split("+").includes(system));
        add(fold(system), termOf(name, holders, false));
      }
  }
  const collections = data.library.collections.flatMap(({ id, title, prefix }) =>
    [id, title, prefix].map((name) => [fold(name), id] as const),
  );
  values.set("collection", new Map(collections.filter(([name]) => !SAID.has(name))));
  for (const [name, id] of new Map(collections)) add(name, termOf("collection", [id], false));
  for (const kind of new Set(data.objects.map((row) => row.kind)))
    if (kind !== "text" && kind !== "binary") for (const noun of plurals(kind)) add(noun, termOf("object_kind", [kind], false));
  for (const [phrase, entity] of entitiesOf(data)) {
    const known = phrases.get(phrase);
    // An open proof is a record, and an axiom of whatever uses it.
    if (known?.is.join() === "AXIOM") phrases.set(phrase, { ...known, ...entity, is: [...known.is, ...entity.is] });
    else if (phrase.includes(" ") || known === undefined) phrases.set(phrase, entity);
  }
  for (const [alternatives, said] of LEXICON)
    for (const phrase of alternatives.split(" | ")) {
      const term = typeof said === "string" ? { is: [said] } : said;
      const named = phrases.has(phrase) || values.get("kind")?.has(phrase) === true;
      // What things are is no name ("dead records"); any other word that is one too may be meant either way, and is not understood.
      if (named && !term.is.includes("STATE") && /^[A-Z]|^registry$|^library$/.test(term.is.join())) phrases.delete(phrase);
      else phrases.set(phrase, term);
    }
  return { phrases, values };
});

/** entitiesOf returns ids, and names of theorems that only one record has. */
function entitiesOf(data: ViewData): ReadonlyMap<string, Term> {
  const named = [
    ...data.claims.claims.map(({ id }) => ({ name: fold(id), entity: { kind: "claim" as const, id } })),
    ...data.cubs.flatMap(({ id, theorem_name }) =>
      [...new Set([fold(id), fold(theorem_name)])].map((name) => ({ name, entity: { kind: "record" as const, id } })),
    ),
  ];
  const found = new Map<string, Term>();
  for (const [name, [first, ...more]] of Map.groupBy(named, (one) => one.name))
    if (name !== "" && first !== undefined && more.length === 0) found.set(name, { is: ["ENTITY"], entity: first.entity });
  return found;
}

/** knownWords returns every word that a question to be counted may have. */
export const knownWords = memoize((data: ViewData): ReadonlySet<string> => {
  const { phrases, values } = vocabularyOf(data);
  const named = [...phrases].flatMap(([phrase, { entity }]) => (entity === undefined ? [phrase] : []));
  return new Set([...named, ...[...values.values()].flatMap((one) => [...one.keys()])].flatMap((phrase) => phrase.split(" ")));
});

/** termsOf returns the terms of a question in order, or null when a word of it is none. */
export function termsOf(question: string, data: ViewData): readonly Term[] | null {
  const vocabulary = vocabularyOf(data);
  const pieces = question.split(",").map(wordsOf);
  const words = pieces.flat();
  const commas = new Set(pieces.map((_, at) => pieces.slice(0, at).flat().length).filter((at) => at > 0));
  const terms: Term[] = [];
  for (let at = 0; at < words.length; ) {
    if (commas.has(at)) terms.push({ is: ["comma"] });
    const found = termAt(words, at, vocabulary) ?? valueBehind(words, at, terms, vocabulary) ?? numberAt(words, at);
    if (found === null) return null;
    if (!found.term.is.includes("filler")) terms.push(found.term);
    at = found.end;
  }
  return terms;
}

type Found = { readonly term: Term; readonly end: number };

/** termAt finds the longest phrase that begins here. */
function termAt(words: readonly string[], at: number, vocabulary: Vocabulary): Found | null {
  for (let length = Math.min(MAX_PHRASE, words.length - at); length > 0; length--) {
    const phrase = words.slice(at, at + length).join(" ");
    const found = valueBeside(words, at, length, vocabulary);
    if (found !== null) return found;
    const term = vocabulary.phrases.get(phrase);
    if (term !== undefined) return { term, end: at + length };
  }
  return null;
}

function numberAt(words: readonly string[], at: number): Found | null {
  const word = words[at] ?? "";
  return /^\d{1,9}$/.test(word) ? { term: { is: ["NUMBER"], number: Number(word) }, end: at + 1 } : null;
}

/** valueBehind finds the 2 of "tier 1 or 2". */
function valueBehind(words: readonly string[], at: number, terms: readonly Term[], { values }: Vocabulary): Found | null {
  const [before, link] = terms.slice(-2);
  const facet = before?.of?.records?.facet;
  if (facet === undefined || (link?.is[0] !== "or" && link?.is[0] !== "and")) return null;
  return longestValue(words, at, facet, values);
}

const JOINTS: ReadonlySet<string> = new Set(["is", "named", "called", "of", "being", "the"]);

/** valueBeside finds a facet beside one of its values: "crate sorted-lists", "tier 2", "the sorted-lists crate". */
function valueBeside(words: readonly string[], at: number, length: number, { phrases, values }: Vocabulary): Found | null {
  const here = words.slice(at, at + length).join(" ");
  const facet = phrases.get(here)?.facet;
  if (facet !== undefined) {
    let from = at + length;
    while (JOINTS.has(words[from] ?? "")) from++;
    return longestValue(words, from, facet, values);
  }
  for (let size = 1; size <= 2; size++) {
    const behind = phrases.get(words.slice(at + length, at + length + size).join(" "))?.facet;
    const value = behind === undefined ? undefined : values.get(behind)?.get(here);
    if (behind !== undefined && value !== undefined) return { term: termOf(behind, [value], true), end: at + length + size };
  }
  return null;
}

function longestValue(words: readonly string[], from: number, facet: Facet, values: Vocabulary["values"]): Found | null {
  for (let length = Math.min(MAX_PHRASE, words.length - from); length > 0; length--) {
    const value = values.get(facet)?.get(words.slice(from, from + length).join(" "));
    if (value !== undefined) return { term: termOf(facet, [value], true), end: from + length };
  }
  return null;
}

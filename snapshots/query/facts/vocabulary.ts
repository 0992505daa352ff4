/** From the words of a question to what each of them means: the lexicon, and the names of this library. */
import { oncePer } from "../../format/relations.ts";
import type { ViewData } from "../../format/view-data.ts";
import { CUB_FACETS, type CubFacet } from "../../schema/cub-facets.ts";
import { KNOWN_VALUES } from "../../schema/cubs.ts";
import { words } from "../../index/words.ts";
import { filterValues } from "../filters.ts";
import { findNearNames } from "../near-words.ts";
import { type Condition, type Facet, LEXICON, type Subject, type Term } from "./lexicon.ts";

/** A record or claim that a question names. */
export type Entity = { readonly kind: "record" | "claim"; readonly id: string };

/** How many of a group there have to be, ends included. */
export type Threshold = { readonly min: number; readonly max: number };

export type Read =
  /** Of a word of the lexicon, what things may be called so in this library. */
  | (Term & { readonly names?: ReadonlySet<Subject> })
  | { readonly is: "entity"; readonly entity: Entity }
  | { readonly is: "threshold"; readonly threshold: Threshold }
  | { readonly is: "comma" };

const MAX_PHRASE = 8; // words
/** Facets whose values name themselves; those of others are common words, and count beside the name of their facet only. */
const TELLING: ReadonlySet<Facet> = new Set([
  "repo",
  "verification_state",
  "production_consumption",
  "proof_consumption",
  "wiring",
  "invocation",
  "status",
]);
const OBJECTS: ReadonlySet<Subject> = new Set(["objects"]);

type Vocabulary = {
  readonly phrases: ReadonlyMap<string, readonly Term[]>;
  /** Values of facets of records, by folded words. */
  readonly values: ReadonlyMap<Facet, ReadonlyMap<string, string>>;
  readonly entities: ReadonlyMap<string, Entity>;
  /** The lexicon's phrases that something in this library is called by, too, and of which subjects that can be said: a crate "runtime". */
  readonly ambiguous: ReadonlyMap<string, ReadonlySet<Subject>>;
  /** Every word of all of them. */
  readonly known: ReadonlySet<string>;
};

/** Folded words; what joins an identifier's parts sets them apart, as everywhere. */
function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize("NFC")
      .toLowerCase()
      .replaceAll("\u2019", "'")
      .match(/[\p{L}\p{N}'%]+/gu) ?? []
  );
}

const fold = (text: string): string => wordsOf(text).join(" ");

const plurals = (noun: string): readonly string[] => [noun, noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`];

const vocabularyOf = oncePer((data: ViewData): Vocabulary => {
  const phrases = new Map<string, Term[]>();
  const add = (phrase: string, term: Term): void => {
    if (phrase === "") return;
    const known = phrases.get(phrase);
    if (known === undefined) phrases.set(phrase, [term]);
    else known.push(term);
  };
  const values = new Map<Facet, ReadonlyMap<string, string>>();
  for (const { name, field } of CUB_FACETS) {
    const known: readonly string[] = Object.hasOwn(KNOWN_VALUES, field) ? KNOWN_VALUES[field as keyof typeof KNOWN_VALUES] : [];
    const all = [...new Set([...known, ...data.cubs.flatMap((record) => filterValues(record, name))])].filter((value) => value !== "");
    values.set(name, new Map(all.map((value) => [fold(value), value])));
    for (const value of TELLING.has(name) ? all : []) add(phraseOf(value), recordsWith(name, [value]));
    if (name === "formal_systems") for (const [system, holders] of systemsOf(all)) add(fold(system), recordsWith(name, holders));
    if (name === "kind") for (const value of all) for (const noun of plurals(fold(value))) add(noun, kindOf(value));
  }
  for (const kind of new Set(data.objects.map((row) => row.kind))) {
    if (kind === "text" || kind === "binary") continue;
    const term: Term = { is: "condition", of: { objects: { facet: "object_kind", values: [kind] } } };
    for (const noun of plurals(kind)) add(noun, term);
  }
  for (const { id, title, prefix } of data.library.collections) {
    const term: Term = { is: "condition", of: { objects: { facet: "collection", values: [id] } } };
    for (const name of new Set([fold(id), fold(title), fold(prefix)])) add(name, term);
  }
  // The lexicon's own words stand before names that happen to be spelt like them.
  const ambiguous = new Map<string, ReadonlySet<Subject>>();
  for (const [alternatives, term] of LEXICON) {
    for (const phrase of alternatives.split(" | ")) {
      const subjects = namesOf(phrase.replace(/^in /, ""), term, phrases, values);
      if (subjects.size > 0) ambiguous.set(phrase, subjects);
      phrases.set(phrase, [term]);
    }
  }
  const named = Map.groupBy(
    [
      ...data.claims.claims.map(({ id }) => ({ name: fold(id), kind: "claim" as const, id })),
      ...data.cubs.flatMap(({ id, theorem_name }) =>
        [...new Set([fold(id), fold(theorem_name)])].map((name) => ({ name, kind: "record" as const, id })),
      ),
    ],
    ({ name }) => name,
  );
  // A name of two things names neither.
  const entities = new Map(
    [...named].flatMap(([name, [first, ...more]]) => (first === undefined || more.length > 0 ? [] : [[name, first] as const])),
  );
  const known = new Set(
    [...phrases.keys(), ...[...values.values()].flatMap((one) => [...one.keys()])].flatMap((phrase) => phrase.split(" ")),
  );
  return { phrases, values, entities, ambiguous, known };
});

/** What can be called by a phrase of the lexicon that says something else. Small words are never names. */
function namesOf(phrase: string, term: Term, phrases: Vocabulary["phrases"], values: Vocabulary["values"]): ReadonlySet<Subject> {
  const subjects = new Set<Subject>();
  if (!["condition", "others", "subject", "facet", "library", "registry"].includes(term.is)) return subjects;
  const own = "of" in term ? term.of.records?.facet : undefined;
  if ([...values].some(([facet, known]) => facet !== own && known.has(phrase))) subjects.add("records");
  for (const named of phrases.get(phrase) ?? []) {
    if (named.is !== "condition") continue;
    if (named.of.objects !== undefined) subjects.add("objects");
    if (named.of.records !== undefined && named.of.records.facet !== own) subjects.add("records");
  }
  return subjects;
}

/** A value that begins with "not" is one word, as it is written: "not verified" is everything that is not verified. */
const NEGATIVE = /\bnot[-_][\w-]+/gi;

/** A question whose words were mistyped, as it was meant: a word that stands nowhere in the library is read as the one word of the lexicon
 *  or name of this library that differs from it by one letter, or by two that changed places.
 *  @param standsNowhere whether no text of the library has a word */
export function mendSlips(question: string, data: ViewData, standsNowhere: (word: string) => boolean): string {
  const { known } = vocabularyOf(data);
  return question.replaceAll(/[\p{L}\p{N}]+/gu, (raw) => {
    const word = raw.toLowerCase();
    const [near, ...others] = known.has(word) ? [] : findNearNames(word, (one) => (known.has(one) ? 1 : 0));
    if (near === undefined || others.length > 0) return raw;
    // "Verifyed" has the stem of "verified", which does stand somewhere.
    return standsNowhere(word) || words(word).join(" ") === words(near).join(" ") ? near : raw;
  });
}

/** "NOT_VERIFIED" as one word. */
export function joinNegatives(text: string): string {
  return text.replaceAll(NEGATIVE, joinParts);
}

function phraseOf(value: string): string {
  return fold(joinNegatives(value));
}

function joinParts(value: string): string {
  return value.replaceAll(/[-_]/g, "");
}

function recordsWith(facet: CubFacet, values: readonly string[]): Term {
  return { is: "condition", of: { records: { facet, values } } };
}

function kindOf(value: string): Term {
  return recordsWith("kind", [value]);
}

/** "Coq" → every value that names Coq among others: "Coq", "Coq+Lean". */
function systemsOf(values: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const systems = new Set(values.flatMap((value) => value.split("+")));
  return new Map([...systems].map((system) => [system, values.filter((value) => value.split("+").includes(system))]));
}

/** The terms of a question in order, or null when a word of it is none. */
export function termsOf(question: string, data: ViewData): readonly Read[] | null {
  const vocabulary = vocabularyOf(data);
  const pieces = question.split(",").map(wordsOf);
  const words = pieces.flat();
  const commas = new Set<number>();
  for (let at = 0, piece = 0; piece < pieces.length - 1; piece++) commas.add((at += pieces[piece]?.length ?? 0));
  const terms: Read[] = [];
  for (let at = 0; at < words.length; ) {
    if (commas.has(at)) terms.push({ is: "comma" });
    const found = termAt(words, at, vocabulary) ?? thresholdAt(words, at, terms) ?? valueBehind(words, at, terms, vocabulary);
    if (found === null) return null;
    terms.push(found.term);
    at = found.end;
  }
  return terms;
}

type Found = { readonly term: Read; readonly end: number };

/** The longest phrase that begins here. */
function termAt(words: readonly string[], at: number, { phrases, values, entities, ambiguous }: Vocabulary): Found | null {
  for (let length = Math.min(MAX_PHRASE, words.length - at); length > 0; length--) {
    const phrase = words.slice(at, at + length).join(" ");
    const end = at + length;
    const entity = entities.get(phrase);
    if (entity !== undefined && (length > 1 || !phrases.has(phrase))) return { term: { is: "entity", entity }, end };
    // A facet beside one of its values: "crate sorted-lists", "tier 2", "the sorted-lists crate".
    const named = valueBeside(words, at, length, phrases, values);
    if (named !== null) return named;
    const found = phrases.get(phrase);
    if (found === undefined) continue;
    const term = mergeTerms(found);
    // One word for a kind of file and a collection: "code files" are of the kind, and "in code" may be either.
    const names = found.length > 1 && term?.is === "condition" && term.of.objects !== undefined ? OBJECTS : ambiguous.get(phrase);
    return term === null ? null : { term: names === undefined ? term : { ...term, names }, end };
  }
  return null;
}

/** "Tier 1 or 2": a value of the facet that was named before the first. */
function valueBehind(words: readonly string[], at: number, terms: readonly Read[], { values }: Vocabulary): Found | null {
  const [before, link] = terms.slice(-2);
  const facet = before?.is === "condition" ? before.of.records?.facet : undefined;
  if (facet === undefined || (link?.is !== "or" && link?.is !== "and")) return null;
  const found = longestValue(words, at, values.get(facet));
  return found === null ? null : { term: recordsWith(facet as CubFacet, [found.value]), end: found.end };
}

/** "more than 10", "at least 10": the bound before a number is taken back, for only with it is it one. */
function thresholdAt(words: readonly string[], at: number, terms: Read[]): Found | null {
  const word = words[at] ?? "";
  if (!/^\d{1,9}$/.test(word)) return null;
  const count = Number(word);
  const last = terms.at(-1);
  const before = terms.at(-2);
  const found = (min: number, max: number, taken: number): Found => {
    terms.splice(-taken);
    return { term: { is: "threshold", threshold: { min, max } }, end: at + 1 };
  };
  if (last?.is === "bound") return found(last.bound === "max" ? 0 : count, last.bound === "min" ? Number.POSITIVE_INFINITY : count, 1);
  if (last?.is !== "than" || before?.is !== "ask") return null;
  if (before.ask === "more") return found(count + 1, Number.POSITIVE_INFINITY, 2);
  return before.ask === "fewer" ? found(0, count - 1, 2) : null;
}

function mergeTerms(terms: readonly Term[]): Term | null {
  const [first] = terms;
  if (first === undefined) return null;
  if (terms.length === 1) return first;
  const conditions = terms.flatMap((term) => (term.is === "condition" ? [term.of] : []));
  const subjects = new Set(conditions.flatMap((of) => Object.keys(of)));
  if (conditions.length !== terms.length) return null;
  // Of two readings about the same subject the first facet of the table is meant: a repository before a crate.
  const merged: Partial<Record<Subject, Condition>> = {};
  for (const of of conditions.toReversed()) Object.assign(merged, of);
  return subjects.size === 0 ? null : { is: "condition", of: merged };
}

const JOINTS: ReadonlySet<string> = new Set(["is", "named", "called", "of", "being", "the"]);

function valueBeside(
  words: readonly string[],
  at: number,
  length: number,
  phrases: Vocabulary["phrases"],
  values: Vocabulary["values"],
): { readonly term: Term; readonly end: number } | null {
  const here = words.slice(at, at + length).join(" ");
  const facetHere = facetOf(phrases.get(here));
  if (facetHere !== null) {
    let from = at + length;
    while (JOINTS.has(words[from] ?? "")) from++;
    const found = longestValue(words, from, values.get(facetHere));
    return found === null ? null : { term: recordsWith(facetHere as CubFacet, [found.value]), end: found.end };
  }
  for (let size = 1; size <= 2; size++) {
    const behind = facetOf(phrases.get(words.slice(at + length, at + length + size).join(" ")));
    const value = behind === null ? undefined : values.get(behind)?.get(here);
    if (behind !== null && value !== undefined) return { term: recordsWith(behind as CubFacet, [value]), end: at + length + size };
  }
  return null;
}

function facetOf(terms: readonly Term[] | undefined): Facet | null {
  const [term] = terms ?? [];
  return term?.is === "facet" ? term.facet : null;
}

function longestValue(
  words: readonly string[],
  from: number,
  known: ReadonlyMap<string, string> | undefined,
): { value: string; end: number } | null {
  for (let length = Math.min(MAX_PHRASE, words.length - from); length > 0; length--) {
    const value = known?.get(words.slice(from, from + length).join(" "));
    if (value !== undefined) return { value, end: from + length };
  }
  return null;
}

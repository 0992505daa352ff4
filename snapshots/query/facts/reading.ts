/** From a question to what it asks for, or to null: a word that the lexicon and this library do not know, two subjects, a contradiction, and
 *  nothing is understood. */
import { oncePer } from "../../format/relations.ts";
import type { ViewData } from "../../format/view-data.ts";
import { CUB_FACETS, type CubFacet } from "../../schema/cub-facets.ts";
import { KNOWN_VALUES } from "../../schema/cubs.ts";
import { filterValues } from "../filters.ts";
import { type Condition, type Facet, LEXICON, type Subject, type Term } from "./lexicon.ts";

/** Which values a facet may have. */
export type Chosen = { readonly include: readonly string[] | null; readonly exclude: readonly string[] };
export type Filters = ReadonlyMap<Facet, Chosen>;

export type Asked = {
  readonly ask: Extract<Term, { is: "ask" }>["ask"] | "more" | "fewer" | "most" | "least" | "newest";
  readonly subject: Subject;
  /** Whose values are asked for, or by which the subject is counted. */
  readonly facet: Facet | null;
  /** What all of them are: the whole of a share, the "all" of a question. */
  readonly base: Filters;
  readonly filters: Filters;
  /** The other side of a comparison. */
  readonly than: Filters | null;
  /** Whether the registry itself is named. */
  readonly registry: boolean;
  /** Whether objects are named too: of what was left out, only they are meant. */
  readonly onlyObjects: boolean;
  /** A record or claim that the question names. */
  readonly entity: { readonly kind: "record" | "claim"; readonly id: string } | null;
};

const MAX_PHRASE = 8; // words
const MAX_WORDS = 40; // a longer question asks for more than a number
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
/** What says where records are, and not what they are. */
const PLACES: ReadonlySet<Facet> = new Set(["repo", "crate", "collection"]);

type Vocabulary = {
  readonly phrases: ReadonlyMap<string, readonly Term[]>;
  /** Values of facets of records, by folded words. */
  readonly values: ReadonlyMap<Facet, ReadonlyMap<string, string>>;
  readonly entities: ReadonlyMap<string, NonNullable<Asked["entity"]>>;
};

type Read = Term | { readonly is: "entity"; readonly entity: NonNullable<Asked["entity"]> };

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
  for (const [alternatives, term] of LEXICON) for (const phrase of alternatives.split(" | ")) phrases.set(phrase, [term]);
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
  return { phrases, values, entities };
});

/** A value that begins with "not" is one word, as it is written: "not verified" is everything that is not verified. */
const NEGATIVE = /\bnot[-_][\w-]+/gi;

function phraseOf(value: string): string {
  return fold(value.replaceAll(NEGATIVE, joinParts));
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
function termsOf(words: readonly string[], { phrases, values, entities }: Vocabulary): Read[] | null {
  const terms: Read[] = [];
  next: for (let at = 0; at < words.length; ) {
    for (let length = Math.min(MAX_PHRASE, words.length - at); length > 0; length--) {
      const phrase = words.slice(at, at + length).join(" ");
      const entity = entities.get(phrase);
      if (entity !== undefined && (length > 1 || !phrases.has(phrase))) {
        terms.push({ is: "entity", entity });
        at += length;
        continue next;
      }
      // A facet beside one of its values: "crate sorted-lists", "tier 2", "the sorted-lists crate".
      const named = valueBeside(words, at, length, phrases, values);
      if (named !== null) {
        terms.push(named.term);
        at = named.end;
        continue next;
      }
      const found = phrases.get(phrase);
      if (found === undefined) continue;
      // One word for a collection and a kind of file: both say something of objects, and which is meant nobody knows.
      const merged = mergeTerms(found);
      if (merged === null) return null;
      terms.push(merged);
      at += length;
      continue next;
    }
    return null;
  }
  return terms;
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

/** One condition of a question, in the order of its words. */
type Said = {
  readonly of: Partial<Record<Subject, Condition>>;
  readonly excluded: boolean;
  readonly others: boolean;
  /** Whether it stands behind an "or". */
  readonly alternative: boolean;
  readonly at: number;
};

/** Where a second question begins: after a full stop or a question mark, or with a question word of its own. */
const NEXT_QUESTION = /[?;.]\s+(?=\S)|,?\s+and\s+(?=(?:how|which|what|when|why|who|is|are)\b)/gi;
/** What stands beside a question to be counted and takes nothing from it. */
const OTHER_QUESTION = /^\s*(?:why|who|how\s+(?!many\b|much\b)\w+|what\s+(?:is|are|does|do)|define|explain)\b/i;

/** @returns one for each question in it that is to be counted, and the others as they were asked; none and all of it when anything that may
 *  belong to what is to be counted is not understood */
export function readQuestions(question: string, data: ViewData): { readonly all: readonly Asked[]; readonly rest: string } {
  const all: Asked[] = [];
  const rest: string[] = [];
  for (const part of question.split(NEXT_QUESTION)) {
    const asked = readQuestion(part, data, all.at(-1)?.subject ?? null);
    if (asked !== null) all.push(asked);
    else if (OTHER_QUESTION.test(part)) rest.push(part);
    else return { all: [], rest: question };
  }
  return all.length === 0 ? { all, rest: question } : { all, rest: rest.map((part) => `${part.replace(/[?.]?\s*$/, "")}?`).join(" ") };
}

/** @param before what the question before it was about, for one that names nothing: "and how many are deployable?"
 *  @returns null when anything of it is not understood */
function readQuestion(question: string, data: ViewData, before: Subject | null): Asked | null {
  // "What is a record?" asks what the word means.
  if (/^\s*what(?:['\u2019]s|\s+is)\s+an?\s+\S+\W*$/i.test(question)) return null;
  const words = wordsOf(
    question
      .replaceAll(/\brun[ -]time\b/gi, "runtime")
      .replaceAll(/\bwhat['\u2019]s\b/gi, "what is")
      .replaceAll(NEGATIVE, joinParts),
  );
  if (words.length === 0 || words.length > MAX_WORDS) return null;
  const terms = termsOf(words, vocabularyOf(data));
  if (terms === null || terms.some(({ is }) => is === "unclear")) return null;

  const asks: Asked["ask"][] = [];
  const subjects = new Set<Subject>();
  const facets: Facet[] = [];
  const entities: NonNullable<Asked["entity"]>[] = [];
  const said: Said[][] = [[]];
  let negated: "next" | "rest" | null = null;
  let subjectAt = -1;
  let verbAt = -1;
  let joined = false;
  let lastFacet = "";
  for (const [at, term] of terms.entries()) {
    switch (term.is) {
      case "ask":
        asks.push(term.ask);
        break;
      case "subject":
        subjects.add(term.subject);
        subjectAt = at;
        break;
      case "facet":
        facets.push(term.facet);
        break;
      case "entity":
        entities.push(term.entity);
        break;
      case "not":
        if (negated !== null) return null;
        negated = "next";
        break;
      case "except":
      case "neither":
        negated = "rest";
        break;
      case "or":
        joined = true;
        break;
      case "more":
      case "fewer":
      case "most":
      case "least":
      case "newest":
        asks.push(term.is);
        break;
      case "than":
        if (said.length > 1 || negated !== null) return null;
        said.push([]);
        break;
      case "verb":
        verbAt = at;
        break;
      case "condition":
      case "others": {
        const [condition] = Object.values(term.of);
        const facet = condition?.facet ?? "";
        const before = said.at(-1)?.at(-1);
        // "not in this or that": the second is left out as the first is.
        const carried = joined && before !== undefined && before.excluded && facet === lastFacet;
        // Of two facets "or" asks for more than one list.
        if (joined && before !== undefined && facet !== lastFacet && negated !== "rest") return null;
        said.at(-1)?.push({ of: term.of, excluded: negated !== null || carried, others: term.is === "others", alternative: joined, at });
        if (negated === "next") negated = null;
        joined = false;
        lastFacet = facet;
        break;
      }
      default:
    }
  }
  if (negated === "next") return null;
  const registry = terms.some(({ is }) => is === "registry");
  if (asks.filter((ask) => ask === "count").length > 1) return null;
  if (subjects.size === 0 && before !== null) subjects.add(before);
  return put(asks, subjects, facets, entities, said, { subjectAt, verbAt, registry }, data);
}

function put(
  asks: readonly Asked["ask"][],
  subjects: ReadonlySet<Subject>,
  facets: readonly Facet[],
  entities: readonly NonNullable<Asked["entity"]>[],
  said: readonly (readonly Said[])[],
  { subjectAt, verbAt, registry }: { readonly subjectAt: number; readonly verbAt: number; readonly registry: boolean },
  data: ViewData,
): Asked | null {
  const all = said.flat();
  if (facets.length > 1 || entities.length > 1) return null;
  const byCollection = subjects.has("objects") && subjects.has("collections") && !all.some(({ of }) => of.objects?.facet === "collection");
  const facet = facets[0] ?? (byCollection ? "collection" : null);
  const subject = subjectOf(subjects, all, facet, entities) ?? (asks.includes("size") && all.length === 0 && !registry ? "objects" : null);
  if (subject === null) return null;
  // "When was it last updated": the last is what "when" asks for anyway.
  const strong = asks.filter(
    (ask) => !["count", "list", "any"].includes(ask) && !(ask === "newest" && (asks.includes("when") || subject === "changes")),
  );
  // Only of the last publication it is known at once what it changed.
  if (subject === "changes" && !asks.includes("newest")) return null;
  const ask = strong[0] ?? asks[0] ?? (entities.length > 0 ? "any" : null);
  // "How many … the most …": one question at a time.
  if (ask === null || strong.length > 1) return null;
  const than = said.length > 1;
  if (than !== (ask === "more" || ask === "fewer")) return null;
  const isBase = (one: Said): boolean => {
    if (ask === "share") return one.at < verbAt;
    if (ask !== "all") return false;
    const facetOfOne = one.of[subject]?.facet;
    // "All theorems": the kind is the noun.
    const isNoun = facetOfOne === "kind" && subjectAt < 0 && one === all[0];
    return one.at < subjectAt || isNoun || (facetOfOne !== undefined && PLACES.has(facetOfOne));
  };
  const base = filtersOf(all.filter(isBase), subject, data);
  const filters = filtersOf(
    (than ? (said[0] ?? []) : all).filter((one) => !isBase(one)),
    subject,
    data,
  );
  const other = than ? filtersOf(said[1] ?? [], subject, data) : null;
  if (base === null || filters === null || (than && (other === null || filters.size === 0 || other.size === 0))) return null;
  if ((ask === "share" || ask === "all") && filters.size === 0) return null;
  return { ask, subject, facet, base, filters, than: other, registry, onlyObjects: subjects.has("objects"), entity: entities[0] ?? null };
}

/** The one thing that all conditions can be said of. */
function subjectOf(
  subjects: ReadonlySet<Subject>,
  said: readonly Said[],
  facet: Facet | null,
  entities: readonly NonNullable<Asked["entity"]>[],
): Subject | null {
  const possible = (subject: Subject): boolean => said.every(({ of }) => of[subject] !== undefined);
  // "How many objects were added in the last publication?" asks about changes.
  if (said.some(({ of }) => of.changes !== undefined)) {
    return said.every(({ of }) => of.changes !== undefined) && [...subjects].every((one) => one !== "rejected") ? "changes" : null;
  }
  const [entity] = entities;
  if (entity !== undefined) {
    const own: Subject = entity.kind === "record" ? "records" : "claims";
    return [...subjects].every((one) => one === own) && possible(own) ? own : null;
  }
  const named = [...subjects];
  if (subjects.has("rejected"))
    return said.length === 0 && named.every((one) => one === "rejected" || one === "objects") ? "rejected" : null;
  if (named.length === 1) return named[0] !== undefined && possible(named[0]) ? named[0] : null;
  if (named.length > 1) {
    // "In which collection are the most objects?" counts objects by collection.
    const counted = named.filter((one) => one !== "collections");
    return counted.length === 1 && counted[0] === "objects" && possible("objects") ? "objects" : null;
  }
  // What is said of one kind of thing alone needs no noun: "How many theorems are verified?"
  if (facet !== null && facet !== "collection") return possible("records") ? "records" : null;
  const fitting = (["records", "claims", "objects", "collections"] as const).filter(possible);
  return said.length > 0 && fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** Null for a contradiction: it is the question that was misread. */
function filtersOf(said: readonly Said[], subject: Subject, data: ViewData): Filters | null {
  const filters = new Map<Facet, { include: string[] | null; exclude: string[] }>();
  for (const { of, excluded, others, alternative } of said) {
    const condition = of[subject];
    if (condition === undefined) return null;
    const { facet, values } = condition;
    const known = filters.get(facet) ?? { include: null, exclude: [] };
    filters.set(facet, known);
    // A record has one value for all its systems: "in Coq and Lean" wants those that name both.
    if (others === excluded && facet === "formal_systems" && known.include !== null && !alternative)
      known.include = known.include.filter((value) => values.includes(value));
    else if (others === excluded) known.include = [...(known.include ?? []), ...values];
    else known.exclude.push(...values);
  }
  for (const [facet, { include, exclude }] of filters) {
    if (include !== null && exclude.length > 0) return null;
    // A record may have several values of a list: then "not this one" is no list of others.
    if (exclude.length > 0 && data.cubs.some((record) => facet === "use_case" && filterValues(record, "use_case").length > 0)) return null;
  }
  return filters;
}

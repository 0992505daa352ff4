/** From a question to what it asks for, or to null: a word that the lexicon and this library do not know, two subjects, a contradiction, two
 *  ways to read it, and nothing is understood. */
import type { ViewData } from "../../format/view-data.ts";
import type { Ask, Condition, Facet, Subject } from "./lexicon.ts";
import { LISTS, NOUNS, PLACES, type Said, scopesOf } from "./scopes.ts";
import { type Entity, joinNegatives, type Read, termsOf, type Threshold } from "./vocabulary.ts";

/** Which values a facet may have. */
export type Chosen = { readonly include: readonly string[] | null; readonly exclude: readonly string[] };
export type Filters = ReadonlyMap<Facet, Chosen>;

export type Asked = {
  readonly ask: Ask;
  readonly subject: Subject;
  /** Whose values are asked for, or by which the subject is counted. */
  readonly facet: Facet | null;
  /** What all of them are: the whole of a share, the "all" of a question. */
  readonly base: Filters;
  readonly filters: Filters;
  /** The other side of a comparison. */
  readonly than: Filters | null;
  /** Whether the answer of a comparison is yes or no. */
  readonly yesNo: boolean;
  /** How many there have to be of each value of the facet, or of all. */
  readonly threshold: Threshold | null;
  /** Whether the registry itself is named. */
  readonly registry: boolean;
  /** Whether objects are named too: of what was left out, only they are meant. */
  readonly onlyObjects: boolean;
  /** A record or claim that the question names. */
  readonly entity: Entity | null;
};

const MAX_LENGTH = 400; // characters; a longer question asks for more than a number
const COMPARISONS: ReadonlySet<Ask> = new Set(["more", "fewer", "as many"]);
/** What asks for no more than the others of a question do. */
const WEAK: ReadonlySet<Ask> = new Set(["count", "list", "any"]);
const NONE: Filters = new Map();

/** Where a second question begins: after a full stop or a question mark, or with a question word of its own. */
const NEXT_QUESTION = /[?;.]\s+(?=\S)|,?\s+and\s+(?=(?:how|which|what|when|why|who|(?:is|are)\s+(?:there|all|every|any))\b)/gi;
/** What stands beside a question to be counted and takes nothing from it. */
const OTHER_QUESTION = /^\s*(?:why|who|how\s+(?!many\b|much\b)\w+|what\s+(?:is|are|does|do)|define|explain)\b/i;

/** @returns one for each question in it that is to be counted, and the others as they were asked; none and all of it when anything that may
 *  belong to what is to be counted is not understood */
export function readQuestions(question: string, data: ViewData): { readonly all: readonly Asked[]; readonly rest: string } {
  const all: Asked[] = [];
  const rest: string[] = [];
  for (const part of question.split(NEXT_QUESTION)) {
    const asked = readQuestion(part, data, all.at(-1) ?? null);
    if (asked !== null) all.push(asked);
    else if (OTHER_QUESTION.test(part)) rest.push(part);
    else return { all: [], rest: question };
  }
  return all.length === 0 ? { all, rest: question } : { all, rest: rest.map((part) => `${part.replace(/[?.]?\s*$/, "")}?`).join(" ") };
}

/** @param before the question before it, for one that names nothing ("and how many are deployable?") or "them", which are what it counted
 *  @returns null when anything of it is not understood */
function readQuestion(question: string, data: ViewData, before: Asked | null): Asked | null {
  // "What is a record?" asks what the word means.
  if (question.length > MAX_LENGTH || /^\s*what(?:['\u2019]s|\s+is)\s+an?\s+\S+\W*$/i.test(question)) return null;
  const text = joinNegatives(
    question
      .replaceAll(/\brun[ -]time\b/gi, "runtime")
      .replaceAll(/\bwhat['\u2019]s\b/gi, "what is")
      // "Isn't it verified?" expects a yes, and asks whether it is.
      .replace(/^\s*(is|are|do|does|has|have)n['\u2019]t\b/i, "$1"),
  );
  const terms = termsOf(text, data);
  if (terms === null || terms.length === 0) return null;
  const named = namedIn(terms, before?.subject ?? null);
  if (named === null || !areWhole(terms, named) || mayName(terms, named)) return null;
  // "How many of them", "how many of those".
  if (terms.some(({ is }, at) => is === "them" || (is === "those" && terms[at - 1]?.is === "ask")))
    return before === null ? null : amongThem(plainOf(terms, named), before);
  return COMPARISONS.has(named.ask) ? comparisonOf(terms, named) : plainOf(terms, named);
}

/** Of those that the question before it counted. */
function amongThem(asked: Asked | null, before: Asked): Asked | null {
  const isList = (one: Asked): boolean => (one.ask === "count" || one.ask === "list") && one.facet === null && one.threshold === null;
  if (asked === null || !isList(asked) || !isList(before) || asked.subject !== before.subject || before.entity !== null) return null;
  const clash = [...asked.filters.keys()].some((facet) => before.filters.has(facet));
  return clash ? null : { ...asked, filters: new Map([...before.filters, ...asked.filters]) };
}

/** What a question names besides its conditions. */
type Named = {
  readonly ask: Ask;
  readonly subject: Subject;
  readonly facet: Facet | null;
  readonly entity: Entity | null;
  readonly threshold: Threshold | null;
  readonly registry: boolean;
  readonly onlyObjects: boolean;
  /** Whether yes or no is the answer. */
  readonly yesNo: boolean;
};

function namedIn(terms: readonly Read[], before: Subject | null): Named | null {
  const asks = asksOf(terms);
  const subjects = new Set(terms.flatMap((term) => (term.is === "subject" ? [term.subject] : [])));
  const facets = terms.flatMap((term, at) => (term.is === "facet" && isAskedFor(terms, at) ? [term.facet] : []));
  const entities = terms.flatMap((term) => (term.is === "entity" ? [term.entity] : []));
  const thresholds = terms.flatMap((term) => (term.is === "threshold" ? [term.threshold] : []));
  const of = terms.flatMap((term) => (term.is === "condition" || term.is === "others" ? [term.of] : []));
  const registry = terms.some(({ is }) => is === "registry");
  if (facets.length > 1 || entities.length > 1 || thresholds.length > 1) return null;
  const inCollection = of.some(({ objects }) => objects?.facet === "collection");
  const facet = facets[0] ?? (subjects.has("objects") && subjects.has("collections") && !inCollection ? "collection" : null);
  // Each noun of a question is one of its conditions, or its subject.
  const noun = of.some((one) => Object.values(one).some((condition) => NOUNS.has(condition.facet)));
  if (subjects.size === 0 && before !== null) subjects.add(before);
  const subject = subjectOf(subjects, of, facet, entities) ?? (asks.includes("size") && of.length === 0 && !registry ? "objects" : null);
  if (
    subject === null ||
    (subjects.size === 0 && !noun && facet === null && entities.length === 0 && subject !== "objects" && subject !== "changes")
  )
    return null;
  // "When was it last updated": the last is what "when" asks for anyway.
  const strong = asks.filter((ask) => !WEAK.has(ask) && !(ask === "newest" && (asks.includes("when") || subject === "changes")));
  // Only of the last publication it is known at once what it changed.
  if (subject === "changes" && !asks.includes("newest")) return null;
  if (terms.some(({ is }) => is === "made") && subject !== "snapshots") return null;
  // "How many … the most …": one question at a time.
  if (new Set(strong).size > 1 || asks.filter((ask) => ask === "count").length > 1) return null;
  const first = terms.find(({ is }) => is !== "glue");
  // "Are all" begins a question; within one it is said of each of many things.
  if (terms.some((term) => term !== first && term.is === "ask" && term.ask === "all")) return null;
  const yesNo = first?.is === "verb" || first?.is === "hold" || (first?.is === "ask" && (first.ask === "any" || first.ask === "all"));
  // "Records not verified" lists them.
  const plain =
    entities.length > 0 ? "any" : !yesNo && asks.length === 0 && of.length > 0 && subjects.size + Number(noun) > 0 ? "list" : null;
  const own = subject === "claims" && facet === "status" ? "claim_status" : facet;
  const ask = strong[0] ?? (asks.includes("count") ? "count" : (asks[0] ?? (yesNo && thresholds.length > 0 ? "any" : plain)));
  if (ask === null) return null;
  const [entity = null] = entities;
  const [threshold = null] = thresholds;
  return { ask, subject, facet: own, entity, threshold, registry, onlyObjects: subjects.has("objects"), yesNo };
}

/** "Which" asks at the beginning, and narrows a noun elsewhere. */
function asksOf(terms: readonly Read[]): readonly Ask[] {
  const first = terms.findIndex(({ is }) => is !== "glue" && is !== "in");
  return terms.flatMap((term, at): readonly Ask[] =>
    term.is === "ask" ? [term.ask] : term.is === "relative" && at === first ? ["list"] : [],
  );
}

/** Not the "crate" of "with a crate", which is a condition. */
function isAskedFor(terms: readonly Read[], at: number): boolean {
  const before = terms.slice(0, at).findLast(({ is }) => is !== "glue" && is !== "in");
  return before === undefined || !["hold", "with", "no", "without", "not"].includes(before.is);
}

/** Whether every word has something to say something of. */
function areWhole(terms: readonly Read[], { ask, subject, facet, registry }: Named): boolean {
  const told = terms.filter(({ is }) => is !== "glue" && is !== "in");
  const saying = (term: Read | undefined): boolean => term?.is === "condition" || term?.is === "others";
  for (const [at, term] of told.entries()) {
    const before = told[at - 1];
    const next = told[at + 1];
    // "How many claims hold?" asks for something else than for claims; what each collection holds is a number of things.
    const container =
      registry || facet !== null || told.slice(0, at).some((one) => one.is === "library" || saying(one) || one.is === "entity");
    if (term.is === "hold" && next === undefined && !container) return false;
    if (term.is === "run" && !saying(next)) return false;
    // "The repository coq" names none.
    if (term.is === "facet" && saying(next) && !(terms[terms.indexOf(term) + 1]?.is === "in")) return false;
    // "All" says how many there are of a noun that is asked for, and of none within a question.
    if (term.is === "every" && at > 0 && !(before?.is === "ask" && (at === 1 || before.ask === "count")) && before?.is !== "verb")
      return false;
    if (term.is === "every" && before?.is === "verb" && at > 1) return false;
    if (term.is === "different" && next?.is !== "facet") return false;
    if (term.is === "bound" || (term.is === "than" && !COMPARISONS.has(ask))) return false;
  }
  // "Which repositories are verified?": all of what is in them, or something?
  const nouns = terms.some(
    (term) => term.is === "subject" || (saying(term) && "of" in term && NOUNS.has(term.of[subject]?.facet ?? "repo")),
  );
  const states = terms.some((term) => saying(term) && "of" in term && !PLACES.has(term.of[subject]?.facet ?? "repo"));
  return facet === null || nouns || !states || terms.some(({ is }) => is === "entity");
}

/** Whether a word of the lexicon may stand for what is called so in this library: "in runtime", where there is a crate "runtime". What things
 *  are ("dead records", "is verified") is no name. */
function mayName(terms: readonly Read[], { subject, facet, yesNo }: Named): boolean {
  const told = terms.filter(({ is }) => is !== "glue");
  const isNoun = (term: Read | undefined): boolean =>
    term?.is === "subject" || (term?.is === "condition" && NOUNS.has(term.of[subject]?.facet ?? "repo"));
  const isSaid = (at: number): boolean => {
    const before = told[at - 1];
    const next = told[at + 1];
    if (next?.is === "hold") return false;
    if (isNoun(next) || before === undefined) return true;
    if (["verb", "not", "neither", "nor", "run", "ask"].includes(before.is)) return true;
    // "Are all records verified?", and not "is it from verified?"
    const term = told[at];
    if (yesNo && next === undefined && term !== undefined && terms[terms.indexOf(term) - 1] === before)
      return isNoun(before) || before.is === "entity";
    const linked = told[at - 2];
    return (
      ["and", "or", "but", "comma"].includes(before.is) &&
      (linked?.is === "condition" || linked?.is === "others") &&
      !PLACES.has(linked.of[subject]?.facet ?? "repo") &&
      isSaid(at - 2)
    );
  };
  return told.some((term, at) => {
    if (!("names" in term) || term.names?.has(subject) !== true) return false;
    if (term.is === "condition" || term.is === "others") return !isSaid(at);
    const before = told[at - 1];
    // "How many states are there?", where some are of the kind "State".
    if (term.is === "facet") return facet !== null && before?.is !== "per";
    return before?.is === "in" || (before?.is === "subject" && before.subject === "collections");
  });
}

function plainOf(terms: readonly Read[], named: Named): Asked | null {
  const { subject, entity, facet, threshold, yesNo } = named;
  const isAll = yesNo && terms.some(({ is }) => is === "every");
  const ask = isAll && named.ask === "list" ? "all" : isAll && entity === null && WEAK.has(named.ask) ? "all" : named.ask;
  const said = scopesOf(terms, subject, yesNo);
  if (said === null || (entity !== null && said.some(({ excepted }) => excepted))) return null;
  const parted = ask === "share" ? shareOf(said) : ask === "all" ? allOf(said, nounAt(terms, subject)) : { base: [], asked: said };
  if (parted === null) return null;
  const base = filtersOf(parted.base);
  const filters = filtersOf(parted.asked);
  if (base === null || filters === null || ((ask === "share" || ask === "all") && filters.size === 0)) return null;
  if (threshold !== null && !((facet !== null && (ask === "count" || ask === "list")) || (facet === null && ask === "any"))) return null;
  return { ...named, ask, base, filters, than: null };
}

/** What the whole is, and what is asked of it. */
type Parts = { readonly base: readonly Said[]; readonly asked: readonly Said[] };

function shareOf(said: readonly Said[]): Parts | null {
  const behind = said.filter(({ excepted, relative, predicate }) => predicate && !excepted && !relative);
  // "The share of verified theorems" is that of both.
  const asked = behind.length > 0 ? behind : said.length === 1 ? said : [];
  // "What share is verified in this": of what is in this, or of all?
  const places = asked.filter(({ condition }) => PLACES.has(condition.facet)).length;
  return asked.length === 0 || (places > 0 && places < asked.length) ? null : { base: said.filter((one) => !asked.includes(one)), asked };
}

/** @param noun place of the noun among the terms */
function allOf(said: readonly Said[], noun: number): Parts | null {
  const free = said.filter(({ excepted, at }) => !excepted && at !== noun);
  const groups: Said[][] = [];
  for (const one of free) {
    if (one.linked && groups.length > 0) groups.at(-1)?.push(one);
    else groups.push([one]);
  }
  const isState = (group: readonly Said[]): boolean => group.some(({ condition }) => !PLACES.has(condition.facet));
  const last = groups.at(-1);
  if (last === undefined) return null;
  const earlier = groups.slice(0, -1).filter((group) => isState(group) && group.every(({ relative }) => !relative));
  if (last.some(({ relative }) => relative) && earlier.length > 0) return null;
  // "Are all theorems verified in this": the place is said of the theorems.
  const behind = earlier.filter((group) => group.every(({ at }) => at > noun));
  const asked = isState(last) || behind.length === 0 ? last : behind.length === 1 ? (behind[0] ?? null) : null;
  if (asked === null || asked.some(({ excluded, condition }) => excluded && condition.values.length === 1 && condition.values[0] !== ""))
    return null;
  return { base: said.filter((one) => !asked.includes(one)), asked };
}

/** "Are there more verified records in this than in that?" What only one side says holds of both where it is plain that it does. */
function comparisonOf(terms: readonly Read[], named: Named): Asked | null {
  const { subject, facet, entity, threshold, yesNo } = named;
  if (facet !== null || entity !== null || threshold !== null) return null;
  const at = terms.findIndex(({ is }) => is === "than");
  const sides = at < 0 ? choiceOf(terms, subject) : sidesOf(terms.slice(0, at), terms.slice(at + 1), subject, yesNo);
  if (sides === null) return null;
  const [filters, than] = sides.map((side) => filtersOf(side));
  if (filters === undefined || than === undefined || filters === null || than === null || isSame(filters, than)) return null;
  return { ...named, base: NONE, filters, than, yesNo: yesNo && at >= 0 };
}

type Sides = readonly [readonly Said[], readonly Said[]];

/** "Which has more records, this or that?" */
function choiceOf(terms: readonly Read[], subject: Subject): Sides | null {
  const or = terms.findLastIndex(({ is }) => is === "or");
  const said = scopesOf(terms, subject, true);
  const [first, second] = said?.slice(-2) ?? [];
  if (said === null || or < 0 || first === undefined || second === undefined || said.some(({ excepted }) => excepted)) return null;
  const others = said.slice(0, -2);
  const { facet } = first.condition;
  if (facet !== second.condition.facet || !(first.at < or && or < second.at) || first.excluded || second.excluded) return null;
  return others.some(({ condition }) => condition.facet === facet)
    ? null
    : [
        [...others, first],
        [...others, second],
      ];
}

function sidesOf(before: readonly Read[], behind: readonly Read[], subject: Subject, yesNo: boolean): Sides | null {
  const left = scopesOf(before, subject, yesNo);
  const right = scopesOf(behind, subject, yesNo);
  if (left === null || right === null || left.length === 0 || right.length === 0) return null;
  if ([...left, ...right].some(({ excepted }) => excepted)) return null;
  const facetsOf = (side: readonly Said[]): ReadonlySet<Facet> => new Set(side.map(({ condition }) => condition.facet));
  const [ofLeft, ofRight] = [facetsOf(left), facetsOf(right)];
  const leftOnly = left.filter(({ condition }) => !ofRight.has(condition.facet));
  const rightOnly = right.filter(({ condition }) => !ofLeft.has(condition.facet));
  // A place or a verb at the end is of both; what stands before the noun is of the noun.
  const shared = rightOnly.filter(({ condition, predicate, relative, at }) => {
    if (relative || at < Math.max(...right.filter((one) => !rightOnly.includes(one)).map((one) => one.at), -1)) return false;
    return PLACES.has(condition.facet) || predicate || (yesNo && at === right.at(-1)?.at && !NOUNS.has(condition.facet));
  });
  if (rightOnly.length < right.length) {
    return shared.length < rightOnly.length
      ? null
      : [
          [...left, ...shared],
          [...leftOnly, ...right],
        ];
  }
  // Nothing is said of both: then each side is one state or noun, and a noun on both sides keeps a place to itself.
  const states = right.filter(({ condition }) => !PLACES.has(condition.facet));
  const places = right.filter(({ condition }) => PLACES.has(condition.facet));
  if (left.length !== 1 || states.length !== 1 || left.some(({ condition }) => PLACES.has(condition.facet))) return null;
  if (places.length > 0 && before.some(({ is }) => is === "subject")) return null;
  return [[...left, ...places], right];
}

function isSame(a: Filters, b: Filters): boolean {
  const text = (filters: Filters): string => JSON.stringify([...filters].sort(([one], [other]) => (one < other ? -1 : 1)));
  return text(a) === text(b);
}

/** The one thing that all conditions can be said of. */
function subjectOf(
  subjects: ReadonlySet<Subject>,
  said: readonly Partial<Record<Subject, Condition>>[],
  facet: Facet | null,
  entities: readonly Entity[],
): Subject | null {
  const possible = (subject: Subject): boolean => said.every((of) => of[subject] !== undefined);
  // "How many objects were added in the last publication?" asks about changes.
  if (said.some((of) => of.changes !== undefined)) {
    return said.every((of) => of.changes !== undefined) && [...subjects].every((one) => one !== "rejected") ? "changes" : null;
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

/** Where the noun of a question stands: its subject, or a kind that names things. */
function nounAt(terms: readonly Read[], subject: Subject): number {
  const at = terms.findIndex(({ is }) => is === "subject");
  return at >= 0 ? at : terms.findIndex((term) => term.is === "condition" && NOUNS.has(term.of[subject]?.facet ?? "repo"));
}

/** Null for a contradiction: it is the question that was misread. */
function filtersOf(said: readonly Said[]): Filters | null {
  const filters = new Map<Facet, { include: string[] | null; exclude: string[] }>();
  for (const { condition, excluded, linked } of said) {
    const { facet, values } = condition;
    const known = filters.get(facet) ?? { include: null, exclude: [] };
    filters.set(facet, known);
    if (excluded) known.exclude.push(...values);
    // A record has one value for all its systems: "in Coq and Lean" wants those that name both.
    else if (facet === "formal_systems" && linked && known.include !== null)
      known.include = known.include.filter((value) => values.includes(value));
    else known.include = [...(known.include ?? []), ...values];
  }
  for (const [facet, { include, exclude }] of filters) {
    if (include !== null && exclude.length > 0) return null;
    // A record may have several values of a list: then "not this one" is no list of others.
    if (exclude.length > 0 && LISTS.has(facet)) return null;
  }
  return filters;
}

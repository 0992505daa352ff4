/** From a question to what it asks for, or to null: a word that neither the lexicon nor the library knows, a contradiction, two ways to
 *  read it, and nothing is understood. */
import type { ViewData } from "../../../snapshots/format/view-data.ts";
import { type FormKind, readForms, type Taken } from "./forms.ts";
import { type Entity, type Facet, isRecordFacet, type Subject } from "./lexicon.ts";
import { joinNegatives, termsOf } from "./names.ts";

/** Which values a facet may have. */
export type Chosen = { readonly include: readonly string[] | null; readonly exclude: readonly string[] };
export type Filters = ReadonlyMap<Facet, Chosen>;

/** What is asked for. "most" and "least" are of numbers of things, "largest" and "smallest" of bytes or objects, "newest" is of time. */
const ASKS = ["count", "list", "any", "share", "all", "size", "when", "newest", "largest", "smallest", "most", "least"] as const;
const COMPARISONS = ["more", "fewer", "as many"] as const;
type Ask = (typeof ASKS)[number] | (typeof COMPARISONS)[number];

/** How many there have to be, ends included. */
type Bounds = { readonly min: number; readonly max: number };

export type Asked = {
  readonly kind: FormKind;
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
  readonly bounds: Bounds | null;
  /** Whether the registry itself is named. */
  readonly registry: boolean;
  /** Whether objects are named: of what was left out, only they are meant. */
  readonly onlyObjects: boolean;
  readonly entity: Entity | null;
};

const MAX_LENGTH = 400; // characters; a longer question asks for more than a number
const CONDITIONS: ReadonlySet<string> = new Set(["AXIOM", "STATE", "PLACE", "KIND", "VALUE", "SYSTEM", "FACET", "CHANGED"]);
const NOTHING: Filters = new Map();

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

/** @param before the question before it, for one that names nothing ("and how many are deployable?") or "them" */
function readQuestion(question: string, data: ViewData, before: Asked | null): Asked | null {
  // "What is a record?" asks what the word means.
  if (question.length > MAX_LENGTH || /^\s*what(?:['\u2019]s|\s+is)\s+an?\s+\S+\W*$/i.test(question)) return null;
  const text = joinNegatives(
    question
      .replaceAll(/\brun[ -]time\b/gi, "runtime")
      .replaceAll(/\bwhat['\u2019]s\b/gi, "what is")
      // "Isn't it verified?" expects a yes, and asks whether it is.
      .replace(/^\s*(is|are|do|does|has|have)n['\u2019]t\b/i, "$1")
      .replaceAll(/\b(is|are|do|does)n['\u2019]t\b/gi, "$1 not"),
  );
  const readings = new Map<string, Asked>();
  for (const [kind, taken] of readForms(termsOf(text, data) ?? [])) {
    const asked = askedBy(kind, taken, before);
    if (asked !== null)
      readings.set(
        JSON.stringify(asked, (_, value: unknown) => (value instanceof Map ? [...value].sort() : value)),
        asked,
      );
  }
  const [only = null, ...others] = readings.values();
  return others.length === 0 ? only : null;
}

function askedBy(kind: FormKind, taken: readonly Taken[], before: Asked | null): Asked | null {
  const has = (name: string): boolean => taken.some(({ as }) => as === name);
  const ask = askOf(kind, has);
  const facetNamed = taken.find(({ as }) => as === "BY" || as === "CONTAINER")?.term.facet ?? null;
  const entity = taken.find(({ as }) => as === "ENTITY")?.term.entity ?? null;
  const subject = countedSubject(kind, taken, facetNamed, entity, before);
  if (subject === null) return null;
  // "What does it rest on?" asks for axioms, and names none.
  const asks = kind === "entity" && has("rest") && !has("AXIOM") ? ("axiom" as const) : facetNamed;
  const facet = asks === null ? null : ownFacet(asks, subject);
  const said = { kind, ask, subject, facet: facet ?? null, entity, registry: has("registry"), onlyObjects: false };
  const plain = { ...said, base: NOTHING, filters: NOTHING, than: null, yesNo: false, bounds: boundsOf(taken) };
  if (facet === undefined) return null;
  if (kind === "rejected")
    return { ...plain, onlyObjects: taken.some(({ term }) => term.subject === "objects" || term.subject === "collections") };
  if (kind === "compared") return compared(plain, taken);
  const isAsked = ({ table }: Taken): boolean => table === "PREDICATE" || table === "HAVING";
  const asked = taken.filter(isAsked);
  const parted = ask === "share" || ask === "all";
  // "Are all records not verified?": none of them, or not all?
  if (ask === "all" && asked.some(({ mark, as }) => mark !== "" && as !== "FACET")) return null;
  const whole = filtersOf(taken, subject);
  const base = parted
    ? filtersOf(
        taken.filter((one) => !isAsked(one)),
        subject,
      )
    : NOTHING;
  const filters = parted ? filtersOf(asked, subject) : whole;
  if (whole === null || base === null || filters === null) return null;
  // Records alone, or a kind of theirs, are named; they are not asked for.
  if (kind === "things" && taken[0]?.table === "SET" && (filters.size === 0 || taken.length < 2)) return null;
  const among = kind === "things" && !has("SUBJECT") && !has("KIND") && (has("them") || has("those")) && taken[0]?.table === "";
  return among ? amongThem({ ...plain, base, filters }, before) : { ...plain, base, filters };
}

function askOf(kind: FormKind, has: (name: string) => boolean): Ask {
  if (kind === "bounded" || kind === "entity") return "any";
  const strong = [...COMPARISONS, ...ASKS.slice(5)].find((ask) =>
    kind !== "grouped" || !COMPARISONS.some((one) => one === ask) ? has(ask) : false,
  );
  return strong ?? ASKS.find(has) ?? (has("every") ? "all" : "list");
}

/** amongThem adds what the question before it counted. */
function amongThem(asked: Asked, before: Asked | null): Asked | null {
  const isList = ({ kind, ask }: Asked): boolean => kind === "things" && (ask === "count" || ask === "list");
  if (before === null || !isList(asked) || !isList(before) || asked.subject !== before.subject) return null;
  const clash = [...asked.filters.keys()].some((facet) => before.filters.has(facet));
  return clash ? null : { ...asked, filters: new Map([...before.filters, ...asked.filters]) };
}

/** countedSubject returns the one thing that all conditions can be said of; where no noun names it, a kind or a facet does. */
function countedSubject(
  kind: FormKind,
  taken: readonly Taken[],
  facet: Facet | null,
  entity: Entity | null,
  before: Asked | null,
): Subject | null {
  if (kind === "changes" || kind === "rejected") return kind;
  if (kind === "when") return "snapshots";
  const named = new Set(taken.flatMap(({ as, term }) => (as === "SUBJECT" ? (term.subject ?? []) : [])));
  const possible = (subject: Subject): boolean => taken.every(({ as, term }) => !CONDITIONS.has(as) || term.of?.[subject] !== undefined);
  if (named.size > 1) return null;
  const [noun] = named;
  const known = noun ?? (entity === null ? undefined : entity.kind === "record" ? "records" : "claims");
  if (known !== undefined) return possible(known) ? known : null;
  if (taken.some(({ as }) => as === "AXIOM")) return possible("records") ? "records" : null;
  if (facet !== null) return possible("records") && facet !== "collection" ? "records" : null;
  if (taken.some(({ as }) => as === "KIND")) {
    const fitting = (["records", "objects"] as const).filter(possible);
    return fitting.length === 1 ? (fitting[0] ?? null) : null;
  }
  if (kind === "extreme") return "objects";
  return before !== null && possible(before.subject) ? before.subject : null;
}

/** ownFacet returns what a subject has of a facet that a question names; undefined when it has none. */
function ownFacet(facet: Facet, subject: Subject): Facet | undefined {
  if (subject === "records") return isRecordFacet(facet) ? facet : undefined;
  if (subject === "claims") return facet === "status" ? "claim_standing" : undefined;
  if (subject !== "objects") return undefined;
  return facet === "kind" ? "object_kind" : facet === "collection" ? facet : undefined;
}

function boundsOf(taken: readonly Taken[]): Bounds | null {
  const number = taken.find(({ as }) => as === "NUMBER")?.term.number;
  if (number === undefined) return null;
  const by = taken.find(({ table, as }) => table === "BOUND" && as !== "than" && as !== "NUMBER")?.as;
  if (by === "more") return { min: number + 1, max: Number.POSITIVE_INFINITY };
  if (by === "fewer") return { min: 0, max: number - 1 };
  return { min: by === "max" ? 0 : number, max: by === "min" ? Number.POSITIVE_INFINITY : number };
}

/** compared reads the two sides: what only one of them says tells them apart, and what stands once is said of both. */
function compared(asked: Omit<Asked, "than" | "yesNo">, taken: readonly Taken[]): Asked | null {
  const { subject } = asked;
  const sets = Map.groupBy(
    taken.filter(({ table }) => table === "SET"),
    ({ place }) => place,
  );
  const [left = [], right] = sets.values();
  const own = taken.filter(({ table, as }) => table === "" && CONDITIONS.has(as));
  const [first, second] = own;
  const facetOf = ({ term }: Taken): Facet | undefined => term.of?.[subject]?.facet;
  const sides =
    right !== undefined
      ? [left, right]
      : first === undefined
        ? []
        : second !== undefined
          ? [
              [...left, first],
              [...left, second],
            ]
          : [left, [...left.filter((one) => facetOf(one) !== facetOf(first)), first]];
  const [filters = null, than = null] = sides.map((side) => filtersOf(side, subject));
  if (filters === null || than === null) return null;
  const facets = (side: Filters): string => [...side.keys()].sort().join();
  const isOne = (side: Filters): boolean => side.size === 1 && !["repo", "crate", "collection"].includes(facets(side));
  // "Verified theorems" and "dead lemmas" differ in two ways.
  if (facets(filters) !== facets(than) && !(right !== undefined && isOne(filters) && isOne(than))) return null;
  if (JSON.stringify([...filters]) === JSON.stringify([...than])) return null;
  return { ...asked, filters, than, yesNo: !["count", "list"].some((name) => taken[0]?.term.is.includes(name)) };
}

/** filtersOf returns null for a contradiction: it is the question that was misread. */
function filtersOf(taken: readonly Taken[], subject: Subject): Filters | null {
  const filters = new Map<Facet, Chosen>();
  let before: Facet | null = null;
  for (const { term, as, mark } of taken) {
    const condition = CONDITIONS.has(as) ? term.of?.[subject] : undefined;
    if (condition === undefined) continue;
    const { facet, values, others = false } = condition;
    const isOut = mark.startsWith("!") !== others;
    const known = filters.get(facet);
    const goesOn = mark.endsWith("=") || mark === "&";
    // A record may have several use cases: then "not this one" is no list of others.
    if ((known !== undefined) !== goesOn || (goesOn && (others || facet !== before)) || (isOut && facet === "use_case")) return null;
    before = facet;
    const { include = null, exclude = [] } = known ?? {};
    if (isOut) filters.set(facet, { include, exclude: [...exclude, ...values] });
    else if (mark === "&") filters.set(facet, { include: (include ?? []).filter((value) => values.includes(value)), exclude });
    else filters.set(facet, { include: [...(include ?? []), ...values], exclude });
  }
  for (const { include, exclude } of filters.values()) if (include !== null && exclude.length > 0) return null;
  // "Verified in Lean": checked there, or of what is written there? A record says the second alone.
  const isJudged = filters.has("standing") || filters.has("claim_standing");
  return isJudged && (filters.has("formal_systems") || filters.has("kernels")) ? null : filters;
}

/** counting answers a question that counts or lists a set as the query that it is, and links to the page of that query. */
import { CLAIMS_WORDS, pagePath, REGISTRY_WORDS, type ViewData } from "#snapshots/format";
import { claimsPath, directPath, findClaims, findCubs, findObjects, registryPath } from "#snapshots/query";
import type { CubFacet } from "#snapshots/schema";
import type { CountedFacts, FactPart } from "#snapshots/answer";
import type { CountedSnapshot, Counting } from "#sidecar/ask";
import { type CountingQuestion, readQuestion } from "./question.ts";
import { type CountedFacet, knownWords, valuesOf } from "./vocabulary.ts";

const MAX_NAMED = 12; // of a list in a sentence; its link leads to all

export const counting: Counting = { answer, knownWords };

async function answer(question: string, prefix: string, snapshot: CountedSnapshot): Promise<CountedFacts | null> {
  const data = await snapshot.data();
  const asked = readQuestion(question, data);
  // Records, claims and snapshots have no key that could lie under a prefix.
  if (asked === null || asked.filters.get("axiom")?.isNot === true || (prefix !== "" && asked.set !== "objects")) return null;
  const missing = missingOf(asked, data.library);
  if (missing !== null) return { parts: [missing], found: [] };
  if (asked.set === "snapshots") return countSnapshots(asked, snapshot);
  const counted = QUERIES[asked.set](data, valuesAsked(asked, data), prefix);
  return counted === null ? null : say(asked, counted);
}

/** missingOf says why there is nothing to count, which is not the number 0. */
function missingOf({ set }: CountingQuestion, { registry, claims }: ViewData["library"]): string | null {
  if (set === "records" && (registry === "none" || registry === "failed")) return REGISTRY_WORDS[registry];
  return set === "claims" && (claims === "none" || claims === "failed") ? CLAIMS_WORDS[claims] : null;
}

type Values = ReadonlyMap<CountedFacet, readonly string[]>;

/** valuesAsked turns each "not" into the other values of its facet, as a query has them. Of each of these facets, but for axioms, a thing has one
 *  value. */
function valuesAsked({ filters }: CountingQuestion, data: ViewData): Values {
  const valuesIn = (facet: CountedFacet, values: readonly string[], isNot: boolean): readonly string[] =>
    isNot ? valuesOf(data, facet).filter((value) => !values.includes(value)) : values;
  return new Map([...filters].map(([facet, { values, isNot }]) => [facet, valuesIn(facet, values, isNot)]));
}

type Listed = { readonly name: string; readonly kind: string; readonly key: string };
/** Counted is what a query finds, how many there are without its filters, and the site path of the page that lists it. */
type Counted = { readonly count: number; readonly total: number; readonly first: readonly Listed[]; readonly path: string };

const QUERIES: Readonly<
  Record<Exclude<CountingQuestion["set"], "snapshots">, (data: ViewData, values: Values, prefix: string) => Counted | null>
> = {
  records({ cubs }, values) {
    const filters = new Map([...values].map(([facet, chosen]) => [facet as CubFacet, chosen.toSorted()]));
    const found = findCubs(cubs, { q: "", filters, limit: MAX_NAMED });
    const first = found.cubs.map(({ id, theorem_name: name }) => ({ name: `${name} (${id})`, kind: "record", key: id }));
    return { count: found.count, total: cubs.length, first, path: registryPath({ q: "", filters }) };
  },
  claims(data, values) {
    const standings = values.get("claim_standing") ?? null;
    const found = findClaims(data, standings);
    const first = found.slice(0, MAX_NAMED).map(({ id, title }) => ({ name: `${title} (${id})`, kind: "claim", key: id }));
    return { count: found.length, total: data.claims.claims.length, first, path: claimsPath(standings) };
  },
  objects(data, values, prefix) {
    const query = { kinds: values.get("object_kind") ?? null, collections: values.get("collection") ?? null, prefix };
    const found = findObjects(data, query);
    const path = directPath(data, query);
    if (path === null) return null;
    const total = findObjects(data, { kinds: null, collections: null, prefix }).length;
    const first = found.slice(0, MAX_NAMED).map(({ key, title, kind }) => ({ name: title === key ? key : `${title} (${key})`, kind, key }));
    return { count: found.length, total, first, path };
  },
  collections({ library }) {
    const first = library.collections.map(({ title, prefix }) => ({ name: `${title} (${prefix})`, kind: "collection", key: prefix }));
    return { count: first.length, total: first.length, first: first.slice(0, MAX_NAMED), path: pagePath.browse("") };
  },
};

function say({ ask, set, filters }: CountingQuestion, { count, total, first, path }: Counted): CountedFacts {
  const figure: FactPart = { value: String(count), path };
  const which = [...filters.values()].map(({ says }) => says).join(" and ");
  const counted: readonly FactPart[] = filters.size === 0 ? [figure, ` ${set}`] : [figure, ` of ${total} ${set} are ${which}`];
  if (ask === "count") return { parts: [...counted, "."], found: [] };
  const names = first.flatMap(({ name }, at): FactPart[] => [at === 0 ? ": " : ", ", { name }]);
  const more = count > first.length ? ` and ${count - first.length} more.` : ".";
  return { parts: [...counted, ...names, more], found: first.map(({ kind, key }) => ({ kind, key })) };
}

async function countSnapshots({ filters }: CountingQuestion, { record, shelf }: CountedSnapshot): Promise<CountedFacts | null> {
  if (filters.size > 0) return null;
  const { records } = await shelf.records.index();
  const kept = records.filter(({ sequence }) => sequence <= record.sequence).length;
  return {
    parts: [
      { value: String(kept), path: pagePath.snapshots },
      ` ${kept === 1 ? "snapshot is" : "snapshots are"} kept; the newest is of ${record.created}.`,
    ],
    found: [],
  };
}

/** GET /api/cubs: records by filters and words. Conventions "Lists, filters, search". */
import { ShelfError } from "../errors.ts";
import { CUB_FACETS, RECORD_FILTERS, type CubFacet } from "../schema/cub-facets.ts";
import { CUB_ID_PATTERN, type CubRecord } from "../schema/cubs.ts";
import { badParameter, MAX_QUERY, parseLimit, single } from "./params.ts";
import { foldCase, foldSpaces, identifierParts, parseWordQuery, partsLine, searchWords, type WordForms } from "./words.ts";
import { type Counts, type Filters, filterValues, inOrder, namesOf, rowOf, SEARCHED } from "./filters.ts";
import { parseDigestStart, parseOperators } from "./operators.ts";
import { lazily, memoize } from "../format/relations.ts";

export type CubQuery = {
  /** "" means no restriction. */
  readonly q: string;
  readonly filters: Filters;
  readonly limit: number;
};

export type CubMatches = { readonly count: number; readonly cubs: readonly CubRecord[]; readonly next: number | null };

/** @param facets the parameters that are read
 *  @throws ShelfError "bad_parameter" for a limit that is no number from 0 to 500, a `deployable` that is no truth value, a q over
 *  500 characters, or a q or limit given twice */
export function parseCubQuery(params: URLSearchParams, facets: readonly { readonly name: CubFacet }[] = RECORD_FILTERS): CubQuery {
  const q = single(params, "q") ?? "";
  if ([...q].length > MAX_QUERY) throw badParameter("q", `is longer than ${MAX_QUERY} characters`);
  const filters = new Map<CubFacet, readonly string[]>();
  for (const { name } of facets) {
    const values = params.getAll(name).map((value) => value.normalize("NFC"));
    if (values.length === 0) continue;
    if (name === "deployable" && values.some((value) => value !== "true" && value !== "false")) {
      throw badParameter("deployable", 'takes "true" or "false"');
    }
    filters.set(name, [...new Set(values)].sort());
  }
  return { q: q.normalize("NFC"), filters, limit: parseLimit(params) };
}

/** A CUB id as a path gives it. @throws ShelfError "bad_cub_id" */
export function parseCubId(id: string): string {
  if (!CUB_ID_PATTERN.test(id)) {
    throw new ShelfError("bad_cub_id", "A CUB id is CUB- and at least four digits.", { fixes: ["For example /api/cubs/CUB-0007."] });
  }
  return id;
}

/** Places in the list of records, ascending. */
type Postings = readonly number[];
type CubIndex = {
  readonly filters: ReadonlyMap<CubFacet, ReadonlyMap<string, Postings>>;
  readonly words: ReadonlyMap<string, Postings>;
  /** Folded ids, and names of theorems with and without their modules. */
  readonly names: ReadonlyMap<string, Postings>;
  /** Of files, with the place of their record. */
  readonly digests: readonly (readonly [digest: string, place: number])[];
};

const NONE: Postings = [];

/** Each part is made when it is first asked for, and once for a list of records: no query looks at all of them, and who counts
 *  values needs no words. */
const indexOf = memoize((records: readonly CubRecord[]) =>
  lazily<CubIndex>({
    filters: () =>
      new Map(CUB_FACETS.map(({ name }) => [name, placesOf(records, (record) => new Set(filterValues(record, name)))] as const)),
    words: () => {
      const forms: WordForms = new Map();
      return placesOf(records, (record) => searchWords(SEARCHED.map((field) => record[field]).join("\n"), forms));
    },
    names: () => placesOf(records, (record) => new Set([foldCase(record.id), ...namesOf(record)])),
    digests: () =>
      records.flatMap((record, place) => [...new Set(Object.values(record.file_shas))].map((digest) => [digest, place] as const)),
  }),
);

function placesOf(records: readonly CubRecord[], keysOf: (record: CubRecord) => ReadonlySet<string>): ReadonlyMap<string, Postings> {
  const places = new Map<string, number[]>();
  for (const [at, record] of records.entries()) {
    for (const key of keysOf(record)) {
      const known = places.get(key);
      if (known === undefined) places.set(key, [at]);
      else known.push(at);
    }
  }
  return places;
}

/** Made for the first phrase that is looked for. A separator that no query contains keeps a phrase inside one field. */
const textsOf = memoize((records: readonly CubRecord[]) =>
  records.map((record) => SEARCHED.map((field) => foldSpaces(record[field])).join("\0")),
);

/** Made for the first identifier that is looked for in longer ones. */
const partsOf = memoize((records: readonly CubRecord[]) =>
  records.map((record) => SEARCHED.map((field) => partsLine(record[field])).join("\0")),
);

/** Records that hold a word whole, or, of an identifier, its parts in a row: `insert_keeps` stands in `insert_keeps_sorted`. */
function holding(records: readonly CubRecord[], word: string): Postings {
  const { words } = indexOf(records);
  const whole = words.get(foldCase(word)) ?? NONE;
  const row = rowOf(word);
  if (row === null) return whole;
  // The last part may be the beginning of a word.
  const lists = identifierParts(word)
    .slice(0, -1)
    .map((part) => words.get(part) ?? NONE);
  const rarest = lists.reduce((least, list) => (list.length < least.length ? list : least));
  return [...new Set([...whole, ...rarest.filter((place) => partsOf(records)[place]?.includes(row) === true)])];
}

/** Places of the records that a query names outright, ascending; as `openNamed` has it. */
function namedBy(records: readonly CubRecord[], q: string): Postings {
  const name = q.trim();
  if (name === "" || /\s/.test(name)) return NONE;
  const { names, digests } = indexOf(records);
  const digest = parseDigestStart(name);
  const places = new Set([name.replaceAll("::", "."), foldCase(name)].flatMap((one) => names.get(one) ?? NONE));
  if (digest !== null) for (const [own, place] of digests) if (own.startsWith(digest)) places.add(place);
  return [...places].sort((a, b) => a - b);
}

/** Records that match, those that the query names outright first, then ascending by id as `records` are. @param position records to skip */
export function findCubs(records: readonly CubRecord[], query: CubQuery, position = 0): CubMatches {
  const matching = query.q.trim() === "" && query.filters.size === 0 ? records : findMatching(records, query);
  // Each part of the registry's page asks for all of them.
  const cubs = position === 0 && query.limit >= matching.length ? matching : matching.slice(position, position + query.limit);
  const end = position + cubs.length;
  return { count: matching.length, cubs, next: cubs.length > 0 && end < matching.length ? end : null };
}

/** What each value of a filter would leave of what a query finds. The filter's own values do not count: they are alternatives.
 *  @param found all that the query finds */
export function countNarrowed(records: readonly CubRecord[], query: CubQuery, found: readonly CubRecord[], name: CubFacet): Counts {
  if (query.q === "" && query.filters.size === 0) return countAll(records, name);
  if (!query.filters.has(name)) return countFacet(found, name);
  const filters = new Map(query.filters);
  filters.delete(name);
  return countFacet(findCubs(records, { ...query, filters, limit: records.length }).cubs, name);
}

function findMatching(records: readonly CubRecord[], { q, filters: wanted }: CubQuery): CubRecord[] {
  const { words: text, kinds, repos, inside } = parseOperators(q);
  const { words, phrases } = parseWordQuery(text);
  const { filters } = indexOf(records);
  const valued = (name: CubFacet, values: readonly string[]): Postings => values.flatMap((value) => filters.get(name)?.get(value) ?? NONE);
  const narrowed = [...wanted].map(([name, values]) => valued(name, values));
  const conditions = [...narrowed, ...words.map((word) => holding(records, word))];
  if (repos.length > 0) conditions.push(valued("repo", repos));
  if (kinds.length > 0 && !kinds.includes("record")) {
    const known = [...(filters.get("kind")?.keys() ?? [])];
    conditions.push(
      valued(
        "kind",
        known.filter((kind) => kinds.includes(kind.toLowerCase())),
      ),
    );
  }
  // A record has no key that it could lie under.
  if (inside !== null) conditions.push(NONE);
  const texts = phrases.length === 0 ? [] : textsOf(records);
  const passes = holdingAll(records, conditions);
  const found = (place: number): boolean => passes(place) && phrases.every((phrase) => texts[place]?.includes(phrase) === true);
  const left = holdingAll(records, narrowed);
  const first = namedBy(records, q).filter(left);
  const named = new Set(first);
  const rest = records.filter((_, place) => !named.has(place) && found(place));
  return [...first.flatMap((place) => records[place] ?? []), ...rest];
}

/** Whether all of some lists have a place. Alternatives may name a record twice. */
function holdingAll(records: readonly CubRecord[], conditions: readonly Postings[]): (place: number) => boolean {
  // How many conditions were found to hold, one after the other.
  const held = new Uint16Array(records.length);
  for (const [at, postings] of conditions.entries()) for (const place of postings) if (held[place] === at) held[place] = at + 1;
  return (place) => held[place] === conditions.length;
}

/** Of a filter in the whole registry: each part of its page says them. */
export function countAll(records: readonly CubRecord[], filter: CubFacet): Counts {
  return inOrder([...(indexOf(records).filters.get(filter) ?? [])].map(([value, { length }]) => ({ value, count: length })));
}

/** How often each value of a filter occurs among `records`, most frequent first, then by value. */
export function countFacet(records: readonly CubRecord[], filter: CubFacet): Counts {
  const counts = new Map<string, number>();
  for (const record of records) {
    for (const value of new Set(filterValues(record, filter))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return inOrder([...counts].map(([value, count]) => ({ value, count })));
}

/** GET /api/cubs: records by filters and words. Conventions "Lists, filters, search". */
import { LRUCache } from "lru-cache";
import { ShelfError } from "#snapshots/errors";
import { CUB_ID_PATTERN, type CubFacet, type CubRecord, RECORD_FILTERS } from "#snapshots/schema";
import { badParameter, MAX_QUERY, parseLimit, single } from "./params.ts";
import { foldCase, foldSpaces, formsOf, identifierParts, parseWordQuery, partsLine, wholeWords } from "./words.ts";
import {
  countColumn,
  type Counts,
  type FilterColumn,
  filterColumn,
  filterValues,
  inOrder,
  inSort,
  namesOf,
  REGISTRY_SORTS,
  type RegistryQuery,
  rowOf,
  SEARCHED,
} from "./filters.ts";
import { ownText } from "#snapshots/own-text";
import { parseDigestStart, parseOperators } from "#snapshots/words";
import { lazily, memoize } from "#snapshots/format";

/** A CubQuery is a query over records; "" as `q` means no restriction. */
export type CubQuery = RegistryQuery & { readonly limit: number };

export type CubMatches = { readonly count: number; readonly cubs: readonly CubRecord[]; readonly next: number | null };

/** parseCubQuery reads a query over records. @throws ShelfError "bad_parameter" for a limit that is no number from 0 to 500, a `deployable` that is no truth value, an unknown
 *  order, a q over 500 characters, or a q, sort or limit given twice */
export function parseCubQuery(params: URLSearchParams): CubQuery {
  const q = single(params, "q") ?? "";
  if ([...q].length > MAX_QUERY) throw badParameter("q", `is longer than ${MAX_QUERY} characters`);
  const filters = new Map<CubFacet, readonly string[]>();
  for (const { name } of RECORD_FILTERS) {
    const values = params.getAll(name).map((value) => value.normalize("NFC"));
    if (values.length === 0) continue;
    if (name === "deployable" && values.some((value) => value !== "true" && value !== "false")) {
      throw badParameter("deployable", 'takes "true" or "false"');
    }
    filters.set(name, [...new Set(values)].sort());
  }
  const order = single(params, "sort");
  const sort = REGISTRY_SORTS.find((known) => known === order) ?? null;
  if (order !== null && sort === null) throw badParameter("sort", `takes ${REGISTRY_SORTS.join(", ")}`);
  return { q: q.normalize("NFC"), filters, sort, limit: parseLimit(params) };
}

/** parseCubId checks a CUB id as a path gives it. @throws ShelfError "bad_cub_id" */
export function parseCubId(id: string): string {
  if (!CUB_ID_PATTERN.test(id)) {
    throw new ShelfError("bad_cub_id", "A CUB id is CUB- and at least four digits.", { fixes: ["For example /api/cubs/CUB-0007."] });
  }
  return id;
}

/** Places in the list of records, ascending. */
type Postings = readonly number[];
type CubIndex = {
  /** The column of a filter, made when it is first asked for. */
  column(name: CubFacet): FilterColumn;
  readonly words: WordIndex;
  /** Digests of files, each with the place of its record. */
  readonly digests: readonly (readonly [digest: string, place: number])[];
};

const NONE: Postings = [];

/** Each part is made when it is first asked for, and once for a list of records: no query looks at all of them, and who counts
 *  values needs no words. */
const indexOf = memoize((records: readonly CubRecord[]) => {
  const columns = new Map<CubFacet, FilterColumn>();
  return lazily<CubIndex>({
    column: () => (name) => {
      const column = columns.get(name) ?? filterColumn(records, name);
      columns.set(name, column);
      return column;
    },
    words: () => new WordIndex(records),
    digests: () =>
      records.flatMap((record, place) => [...new Set(Object.values(record.file_shas))].map((digest) => [digest, place] as const)),
  });
});

/** Records at a step of WordIndex: some milliseconds, for which others' requests wait. */
const STEP_RECORDS = 500;

/** The words, ids and names of records, taken in a part at a time while nobody asks, and all that is left when somebody does. */
class WordIndex {
  readonly #records: readonly CubRecord[];
  readonly #places = new Map<string, number[]>();
  /** The first two letters → forms that begin with them. */
  readonly #begun = new Map<string, string[]>();
  readonly #named = new Map<string, number[]>();
  /** Word as it is written → the lists of its forms: most words stand in many records. */
  readonly #listsOf = new Map<string, readonly number[][]>();
  #done = 0;

  constructor(records: readonly CubRecord[]) {
    this.#records = records;
  }

  holders(form: string): Postings {
    while (this.step());
    return this.#places.get(form) ?? NONE;
  }

  /** @returns places of the records with a form that begins so, each as often as it has one */
  holdersOfBegun(start: string): Postings {
    while (this.step());
    const forms = start.length < 2 ? this.#places.keys() : (this.#begun.get(start.slice(0, 2)) ?? []);
    return [...forms].flatMap((form) => (form.startsWith(start) ? (this.#places.get(form) ?? NONE) : NONE));
  }

  /** @param name a folded id, or the name of a theorem without its module */
  named(name: string): Postings {
    while (this.step());
    return this.#named.get(name) ?? NONE;
  }

  /** @returns whether anything is left */
  step(): boolean {
    const end = Math.min(this.#records.length, this.#done + STEP_RECORDS);
    for (; this.#done < end; this.#done++) {
      const record = this.#records[this.#done];
      if (record === undefined) continue;
      for (const field of SEARCHED) this.#take(record[field], this.#done);
      for (const name of [foldCase(record.id), record.theorem_name]) add(this.#named, name, this.#done);
    }
    if (end === this.#records.length) this.#listsOf.clear();
    return end < this.#records.length;
  }

  #take(text: string, place: number): void {
    for (const word of wholeWords(text)) {
      let lists = this.#listsOf.get(word);
      if (lists === undefined) {
        lists = formsOf(word).map((form) => {
          const known = this.#places.get(form);
          if (known !== undefined) return known;
          const list: number[] = [];
          this.#places.set(form, list);
          add(this.#begun, form.slice(0, 2), form);
          return list;
        });
        this.#listsOf.set(ownText(word), lists);
      }
      for (const list of lists) if (list.at(-1) !== place) list.push(place);
    }
  }
}

/** warmRecords makes the parts for which the first queries over records would have to wait, a step of some milliseconds at a time. */
export function* warmRecords(records: readonly CubRecord[]): Generator<void> {
  const { column, words } = indexOf(records);
  for (const { name } of RECORD_FILTERS) yield void column(name);
  while (words.step()) yield;
}

function add<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

/** Made for the first phrase that is looked for. A separator that no query contains keeps a phrase inside one field. */
const textsOf = memoize((records: readonly CubRecord[]) =>
  records.map((record) => SEARCHED.map((field) => foldSpaces(record[field])).join("\0")),
);

/** The parts of a record's words, made when an identifier is first looked for in it. */
const partsOf = memoize((records: readonly CubRecord[]) => {
  const lines: string[] = [];
  return (place: number): string => {
    const record = records[place];
    return (lines[place] ??= record === undefined ? "" : SEARCHED.map((field) => partsLine(record[field])).join("\0"));
  };
});

/** Records that hold a word whole, or, of an identifier, its parts in a row: `insert_keeps` stands in `insert_keeps_sorted`. */
function holding(records: readonly CubRecord[], word: string): Postings {
  const { words } = indexOf(records);
  const whole = words.holders(foldCase(word));
  const row = rowOf(word);
  if (row === null) return whole;
  const parts = identifierParts(word);
  // The last part may be the beginning of a word.
  const lists = [...parts.slice(0, -1).map((part) => words.holders(part)), words.holdersOfBegun(parts.at(-1) ?? "")];
  const lines = partsOf(records);
  return [...new Set([...whole, ...holdingAll(records, lists).filter((place) => lines(place).includes(row))])];
}

/** Places of the records that a query names outright, ascending; as `openNamed` has it. */
function namedBy(records: readonly CubRecord[], q: string): Postings {
  const name = q.trim();
  if (name === "" || /\s/.test(name)) return NONE;
  const { words, digests } = indexOf(records);
  const digest = parseDigestStart(name);
  const qualified = name.replaceAll("::", ".");
  const places = new Set(words.named(foldCase(name)).filter((place) => foldCase(records[place]?.id ?? "") === foldCase(name)));
  // A theorem's own name may have dots, too: each end of what is asked for may be it.
  for (const [at] of qualified.split(".").entries())
    for (const place of words.named(qualified.split(".").slice(at).join("."))) {
      const record = records[place];
      if (record !== undefined && namesOf(record).has(qualified)) places.add(place);
    }
  if (digest !== null) for (const [own, place] of digests) if (own.startsWith(digest)) places.add(place);
  return [...places].sort((a, b) => a - b);
}

/** findCubs finds the records that match. Unless another order is asked for, those that the query names outright come first, and the others
 *  ascend by id, as `records` do. @param position records to skip */
export function findCubs(records: readonly CubRecord[], query: CubQuery, position = 0): CubMatches {
  const places = findPlaces(records, query);
  const count = places?.length ?? records.length;
  const end = Math.min(count, position + query.limit);
  const cubs = places === null ? records.slice(position, end) : places.slice(position, end).flatMap((place) => records[place] ?? []);
  return { count, cubs, next: cubs.length > 0 && end < count ? end : null };
}

/** Results of the last queries: an answer, its counts and its later pages ask the same again. */
const lastFound = memoize((_: readonly CubRecord[]) => new LRUCache<string, Postings>({ max: 8 }));

/** findPlaces returns the places of the records that match, in the order of findCubs; null for all. */
export function findPlaces(records: readonly CubRecord[], query: RegistryQuery): Postings | null {
  const { q, filters, sort = null } = query;
  if (q.trim() === "" && filters.size === 0 && sort === null) return null;
  const found = lastFound(records);
  const key = JSON.stringify([q, [...filters], sort]);
  const matching = (): Postings => matchingPlaces(records, query);
  const places = found.get(key) ?? (sort === null ? matching() : inSort(records, matching(), sort));
  found.set(key, places);
  return places;
}

/** countNarrowed counts how many records each value of a filter would leave of those that a query finds. The filter's own values in the query do
 *  not count: they are alternatives.
 *  @param found places of all that the query finds */
export function countNarrowed(records: readonly CubRecord[], query: RegistryQuery, found: Postings | null, name: CubFacet): Counts {
  const filters = new Map(query.filters);
  const places = filters.delete(name) ? findPlaces(records, { ...query, filters, sort: null }) : found;
  return places === null ? countAll(records, name) : countColumn(indexOf(records).column(name), places);
}

function matchingPlaces(records: readonly CubRecord[], { q, filters: wanted }: RegistryQuery): Postings {
  const { words: text, kinds, repos, inside } = parseOperators(q);
  const { words, phrases } = parseWordQuery(text);
  const { column } = indexOf(records);
  const valued = (name: CubFacet, isWanted: (value: string) => boolean): ((place: number) => boolean) => {
    const { lists, of } = column(name);
    const fits = lists.map((list) => list.some(isWanted));
    return typeof of === "number" ? () => fits[of] === true : (place) => fits[of[place] ?? -1] === true;
  };
  const narrowed = [...wanted].map(([name, values]) => valued(name, (value) => values.includes(value)));
  const conditions = [...narrowed];
  if (repos.length > 0) conditions.push(valued("repo", (value) => repos.includes(value)));
  if (kinds.length > 0 && !kinds.includes("record")) conditions.push(valued("kind", (value) => kinds.includes(value.toLowerCase())));
  // A record has no key that it could lie under.
  if (inside !== null) conditions.push(() => false);
  const texts = phrases.length === 0 ? [] : textsOf(records);
  for (const phrase of phrases) conditions.push((place) => texts[place]?.includes(phrase) === true);
  const first = namedBy(records, q).filter((place) => narrowed.every((holds) => holds(place)));
  const named = new Set(first);
  const held = holdingAll(
    records,
    words.map((word) => holding(records, word)),
  );
  const left = conditions.reduce((places, holds) => places.filter(holds), held);
  return first.length === 0 ? left : [...first, ...left.filter((place) => !named.has(place))];
}

const allPlaces = memoize((records: readonly CubRecord[]): Postings => [...records.keys()]);

/** Places that all of some lists have, ascending. Alternatives may name a record twice. */
function holdingAll(records: readonly CubRecord[], lists: readonly Postings[]): Postings {
  if (lists.length === 0) return allPlaces(records);
  // How many lists were found to have it, one after the other.
  const held = new Uint16Array(records.length);
  for (const [at, postings] of lists.entries()) for (const place of postings) if (held[place] === at) held[place] = at + 1;
  const rarest = lists.reduce((least, list) => (list.length < least.length ? list : least));
  return [...new Set(rarest)].filter((place) => held[place] === lists.length).sort((a, b) => a - b);
}

const allCounts = memoize((_: readonly CubRecord[]) => new Map<CubFacet, Counts>());

/** countAll counts the values of a filter in the whole registry: each part of the registry's page shows these counts. */
export function countAll(records: readonly CubRecord[], filter: CubFacet): Counts {
  const known = allCounts(records);
  const counts = known.get(filter) ?? countColumn(indexOf(records).column(filter), allPlaces(records));
  known.set(filter, counts);
  return counts;
}

/** countFacet counts how often each value of a filter occurs among `records`, most frequent first, then by value. */
export function countFacet(records: readonly CubRecord[], filter: CubFacet): Counts {
  const counts = new Map<string, number>();
  for (const record of records) {
    for (const value of new Set(filterValues(record, filter))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return inOrder([...counts].map(([value, count]) => ({ value, count })));
}

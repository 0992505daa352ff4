/** Filters of records: the values that a record has under each, columns of them, and the addresses and orders of the registry's page. */
import { pagePath, RECORD_STANDINGS, recordStanding } from "#snapshots/format";
import { RECORD_FILTERS, type CubFacet, type CubRecord } from "#snapshots/schema";
import { foldCase, identifierParts } from "./words.ts";

/** Filters have the wanted values of each filter. Values of one filter are alternatives, different filters must all hold. */
export type Filters = ReadonlyMap<CubFacet, readonly string[]>;
export type Counts = readonly { readonly value: string; readonly count: number }[];

/** FilterColumn holds the lists of values that records have under one filter, and for each record which of them; one number where all
 *  records have the same. */
export type FilterColumn = { readonly lists: readonly (readonly string[])[]; readonly of: readonly number[] | number };

/** placeOfList tells which list of a column the record at a place has. */
function placeOfList({ of }: FilterColumn, place: number): number {
  return typeof of === "number" ? of : (of[place] ?? -1);
}

const FIELD_OF: ReadonlyMap<CubFacet, keyof CubRecord> = new Map(RECORD_FILTERS.map(({ name, field }) => [name, field]));

/** SEARCHED are the fields in which the words of a query are looked for. */
export const SEARCHED = ["id", "theorem_name", "module", "statement", "crate", "repo", "note"] as const satisfies (keyof CubRecord)[];

/** filterColumn makes the column of one filter: many records have the same value, and what it says is worked out once. */
export function filterColumn(records: readonly CubRecord[], name: CubFacet): FilterColumn {
  const field = COMPUTED.has(name) ? undefined : FIELD_OF.get(name);
  const ofValue = new Map<unknown, number>();
  const ofList = new Map<string, number>();
  const lists: (readonly string[])[] = [];
  const place = (record: CubRecord): number => {
    const list = [...new Set(filterValues(record, name))];
    const text = JSON.stringify(list);
    const known = ofList.get(text);
    if (known !== undefined) return known;
    ofList.set(text, lists.length);
    return lists.push(list) - 1;
  };
  const of = records.map((record) => {
    const value: unknown = field === undefined ? null : record[field];
    if (value === null || typeof value === "object") return place(record);
    const known = ofValue.get(value) ?? place(record);
    ofValue.set(value, known);
    return known;
  });
  return { lists, of: lists.length === 1 ? 0 : of };
}

/** Filters of what follows from several fields. */
const COMPUTED: ReadonlySet<CubFacet> = new Set(["check_state", "prover", "axiom", "standing"]);

/** filterValues returns the values of a record under a filter. */
export function filterValues(record: CubRecord, filter: CubFacet): readonly string[] {
  if (filter === "check_state" || filter === "prover") {
    const counted = (record.checks ?? []).filter((check) => check.counted !== false);
    return [...new Set(counted.map(({ state, prover }) => (filter === "prover" ? prover : state)))];
  }
  if (filter === "axiom") return record.axioms ?? [];
  const value: unknown = filter === "standing" ? recordStanding(record).state : (record[FIELD_OF.get(filter) ?? "repo"] ?? "");
  return (Array.isArray(value) ? value : [value]).map((item) => String(item).normalize("NFC"));
}

/** REGISTRY_SORTS are the orders of the registry's page besides that of ids; ids only grow, so the newest record has the last one. */
export const REGISTRY_SORTS = ["name", "state", "used", "newest"] as const;
export type RegistrySort = (typeof REGISTRY_SORTS)[number];

/** A RegistryQuery is what the registry's page is asked for. */
export type RegistryQuery = { readonly q: string; readonly filters: Filters; readonly sort?: RegistrySort | null };

export function parseRegistrySort(text: string | null): RegistrySort | null {
  return REGISTRY_SORTS.find((sort) => sort === text) ?? null;
}

/** inSort puts items that stand in the order of ids into another order; equals stay in the order of ids. */
export function inSort<T>(
  items: readonly T[],
  sort: RegistrySort | null,
  nameOf: (item: T) => string | number,
  stateOf: (item: T) => string,
  usesOf: (item: T) => number,
): readonly T[] {
  if (sort === null) return items;
  if (sort === "newest") return items.toReversed();
  const rank = (item: T): number => (RECORD_STANDINGS.indexOf(stateOf(item)) + RECORD_STANDINGS.length + 1) % (RECORD_STANDINGS.length + 1);
  const keyed = items.map((item) => ({
    item,
    rank: sort === "state" ? rank(item) : sort === "used" ? -usesOf(item) : 0,
    name: sort === "name" ? foldName(nameOf(item)) : "",
  }));
  return keyed.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ item }) => item);
}

function foldName(name: string | number): string | number {
  return typeof name === "number" ? name : foldCase(name);
}

/** registryPath returns the site path of the registry's page narrowed to what a query finds. */
export function registryPath({ q, filters, sort = null }: RegistryQuery, part = 1): string {
  const params = new URLSearchParams();
  if (q !== "") params.append("q", q);
  for (const { name } of RECORD_FILTERS) for (const value of filters.get(name) ?? []) params.append(name, value);
  if (sort !== null) params.append("sort", sort);
  if (part > 1) params.append("part", String(part));
  const text = params.toString();
  return text === "" ? pagePath.registry : `${pagePath.registry}?${text}`;
}

/** toggled returns the site path of the same query with one value of a filter more, or without it when it is set. */
export function toggled(query: RegistryQuery, name: CubFacet, value: string): string {
  const values = new Set(query.filters.get(name)).symmetricDifference(new Set([value]));
  return registryPath({ ...query, filters: new Map([...query.filters, [name, [...values]]]) });
}

/** inOrder sorts counts: most frequent first, then by value. */
export function inOrder(counts: Counts): Counts {
  return counts.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

/** countColumn counts how often each value of a filter occurs at these places, most frequent first, then by value. */
export function countColumn(column: FilterColumn, places: readonly number[]): Counts {
  const { lists } = column;
  const times = new Uint32Array(lists.length);
  for (const place of places) {
    const list = placeOfList(column, place);
    times[list] = (times[list] ?? 0) + 1;
  }
  const counts = new Map<string, number>();
  for (const [at, list] of lists.entries()) {
    const count = times[at] ?? 0;
    if (count > 0) for (const value of list) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return inOrder([...counts].map(([value, count]) => ({ value, count })));
}

/** namesOf returns a theorem's own name, and the same with as much of its module as anybody writes. */
export function namesOf({ theorem_name: name, module }: Pick<CubRecord, "theorem_name" | "module">): ReadonlySet<string> {
  const parts = module === "" ? [] : module.split(/\.|::/);
  return new Set([name, ...parts.map((_, at) => `${parts.slice(at).join(".")}.${name}`)]);
}

/** rowOf returns the parts of an identifier as they stand in a row in those of a longer one. The last of them may be begun only:
 *  `insert_keeps_sor` stands in `insert_keeps_sorted`. It returns null for a word of one part. */
export function rowOf(word: string): string | null {
  const parts = identifierParts(word);
  return parts.length < 2 ? null : ` ${parts.join(" ")}`;
}

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

/** REGISTRY_SORTS are the orders of GET /api/cubs and the registry's page besides that of ids; ids only grow, so the newest record has the last one. */
export const REGISTRY_SORTS = ["name", "state", "used", "newest"] as const;
export type RegistrySort = (typeof REGISTRY_SORTS)[number];

/** A RegistryQuery is what the registry's page is asked for. */
export type RegistryQuery = { readonly q: string; readonly filters: Filters; readonly sort?: RegistrySort | null };

/** inSort puts places of records, which ascend by id, into another order; equals stay as they are. */
export function inSort(records: readonly CubRecord[], places: readonly number[], sort: RegistrySort): readonly number[] {
  if (sort === "newest") return places.toSorted((a, b) => b - a);
  const keyOf = {
    name: ({ theorem_name: name }: CubRecord) => foldCase(name),
    // States that a registry makes up come last.
    state: (record: CubRecord) => {
      const at = RECORD_STANDINGS.indexOf(recordStanding(record).state);
      return at < 0 ? RECORD_STANDINGS.length : at;
    },
    used: (record: CubRecord) => -usesOf(record),
  }[sort];
  const keyed = places.flatMap((place) => (records[place] === undefined ? [] : { place, key: keyOf(records[place]) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ place }) => place);
}

/** usesOf counts what names a record, of the same sources. */
export function usesOf({ used_by: used }: Pick<CubRecord, "used_by">): number {
  return used?.count ?? 0;
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

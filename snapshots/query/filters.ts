/** Records by their filters, from columns of numbers: what a browser loads where no server answers, and what both have in common. */
import { pagePath } from "../format/layout.ts";
import { CUB_FACETS, type CubFacet } from "../schema/cub-facets.ts";
import type { CubRecord } from "../schema/cubs.ts";
import { RECORD_STANDINGS, recordStanding } from "../format/standing.ts";
import { parseDigestStart, parseOperators } from "./operators.ts";
import { foldCase, foldSpaces, identifierParts, parseWordQuery, partsLine, searchWords } from "./words.ts";

/** Values of one filter are alternatives, different filters must all hold. */
export type Filters = ReadonlyMap<CubFacet, readonly string[]>;
export type Counts = readonly { readonly value: string; readonly count: number }[];

/** Records as `/api/cubs.json` has them, in its order. */
export type FilterColumns = {
  readonly ids: readonly string[];
  /** Of each filter the lists of values that records have, and for each record which of them. */
  readonly filters: Readonly<Partial<Record<CubFacet, FilterColumn>>>;
};

type FilterColumn = { readonly lists: readonly (readonly string[])[]; readonly of: readonly number[] };
const NO_COLUMN: FilterColumn = { lists: [], of: [] };

const FIELD_OF: ReadonlyMap<CubFacet, keyof CubRecord> = new Map(CUB_FACETS.map(({ name, field }) => [name, field]));

/** What the words of a query are looked for in. */
export const SEARCHED = ["id", "theorem_name", "module", "statement", "crate", "repo", "note"] as const satisfies (keyof CubRecord)[];

/** Values of a record under a filter. */
export function filterValues(record: CubRecord, filter: CubFacet): readonly string[] {
  if (filter === "check_state" || filter === "prover") {
    const counted = (record.checks ?? []).filter((check) => check.counted !== false);
    return [...new Set(counted.map(({ state, prover }) => (filter === "prover" ? prover : state)))];
  }
  if (filter === "axiom") return record.axioms ?? [];
  const value: unknown = filter === "standing" ? recordStanding(record).state : (record[FIELD_OF.get(filter) ?? "repo"] ?? "");
  return (Array.isArray(value) ? value : [value]).map((item) => String(item).normalize("NFC"));
}

/** Orders of the registry's page besides that of ids; ids only grow, so the newest record has the last one. */
export const REGISTRY_SORTS = ["name", "state", "newest"] as const;
export type RegistrySort = (typeof REGISTRY_SORTS)[number];

/** What the registry's page is asked for. */
export type RegistryQuery = { readonly q: string; readonly filters: Filters; readonly sort?: RegistrySort | null };

export function parseRegistrySort(text: string | null): RegistrySort | null {
  return REGISTRY_SORTS.find((sort) => sort === text) ?? null;
}

/** InSort puts what stands in the order of ids into another one; equals stay in the order of ids. */
export function inSort<T>(
  items: readonly T[],
  sort: RegistrySort | null,
  nameOf: (item: T) => string,
  stateOf: (item: T) => string,
): readonly T[] {
  if (sort === null) return items;
  if (sort === "newest") return items.toReversed();
  const rank = (item: T): number => (RECORD_STANDINGS.indexOf(stateOf(item)) + RECORD_STANDINGS.length + 1) % (RECORD_STANDINGS.length + 1);
  const keyed = items.map((item) => ({
    item,
    rank: sort === "state" ? rank(item) : 0,
    name: sort === "name" ? foldCase(nameOf(item)) : "",
  }));
  return keyed.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ item }) => item);
}

/** Site path of the registry's page narrowed to what a query finds. */
export function registryPath({ q, filters, sort = null }: RegistryQuery, part = 1): string {
  const params = new URLSearchParams();
  if (q !== "") params.append("q", q);
  for (const { name } of CUB_FACETS) for (const value of filters.get(name) ?? []) params.append(name, value);
  if (sort !== null) params.append("sort", sort);
  if (part > 1) params.append("part", String(part));
  const text = params.toString();
  return text === "" ? pagePath.registry : `${pagePath.registry}?${text}`;
}

/** The same query with one value of a filter more, or without it when it is set. */
export function toggled(query: RegistryQuery, name: CubFacet, value: string): string {
  const values = new Set(query.filters.get(name)).symmetricDifference(new Set([value]));
  return registryPath({ ...query, filters: new Map([...query.filters, [name, [...values]]]) });
}

/** Most frequent first, then by value. */
export function inOrder(counts: Counts): Counts {
  return counts.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

export function filterColumns(records: readonly CubRecord[]): FilterColumns {
  const filters = CUB_FACETS.map(({ name }) => {
    const places = new Map<string, number>();
    const lists: (readonly string[])[] = [];
    const of = records.map((record) => {
      const list = [...new Set(filterValues(record, name))];
      const known = places.get(JSON.stringify(list)) ?? lists.length;
      if (known === lists.length) {
        places.set(JSON.stringify(list), known);
        lists.push(list);
      }
      return known;
    });
    return [name, { lists, of }] as const;
  });
  return { ids: records.map(({ id }) => id), filters: Object.fromEntries(filters) };
}

/** @param among whether a record at a place comes into question at all
 *  @returns places ascending */
export function narrow({ ids, filters }: FilterColumns, wanted: Filters, among: (place: number) => boolean): readonly number[] {
  const conditions = [...wanted].map(([name, values]) => {
    const { lists, of } = filters[name] ?? NO_COLUMN;
    return { of, fits: lists.map((list) => list.some((value) => values.includes(value))) };
  });
  const places: number[] = [];
  for (let place = 0; place < ids.length; place++) {
    if (among(place) && conditions.every(({ of, fits }) => fits[of[place] ?? -1])) places.push(place);
  }
  return places;
}

/** How often each value of a filter occurs at these places. */
export function countColumn({ filters }: FilterColumns, name: CubFacet, places: readonly number[]): Counts {
  const { lists, of } = filters[name] ?? NO_COLUMN;
  const times = new Uint32Array(lists.length);
  for (const place of places) times[of[place] ?? 0] = (times[of[place] ?? 0] ?? 0) + 1;
  const counts = new Map<string, number>();
  for (const [at, list] of lists.entries()) {
    const count = times[at] ?? 0;
    if (count > 0) for (const value of list) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return inOrder([...counts].map(([value, count]) => ({ value, count })));
}

/** A theorem's own name, and with as much of its module as anybody writes. */
export function namesOf({ theorem_name: name, module }: Pick<CubRecord, "theorem_name" | "module">): ReadonlySet<string> {
  const parts = module === "" ? [] : module.split(/\.|::/);
  return new Set([name, ...parts.map((_, at) => `${parts.slice(at).join(".")}.${name}`)]);
}

/** What names a record outright. */
type Naming = Pick<CubRecord, "id" | "theorem_name" | "module" | "file_shas">;

/** Whether a query is the id of a record, its name with or without its module, or a digest of its files or the first digits of one; `findCubs`
 *  has these first. Null for a query that can name none. */
export function openNamed(query: string): ((record: Naming) => boolean) | null {
  const name = query.trim();
  if (name === "" || /\s/.test(name)) return null;
  const [id, qualified, digest] = [foldCase(name), name.replaceAll("::", "."), parseDigestStart(name)];
  return (record) =>
    foldCase(record.id) === id ||
    namesOf(record).has(qualified) ||
    (digest !== null && Object.values(record.file_shas).some((own) => own.startsWith(digest)));
}

/** Whether a record holds the words and phrases of a query and its operators leave it in, or is named by it, as `findCubs` has it; for one
 *  look at each record, without an index. */
export function openMatcher(query: string): (record: Pick<CubRecord, (typeof SEARCHED)[number] | "kind"> & Naming) => boolean {
  const { words: text, kinds, repos, inside } = parseOperators(query);
  const { words, phrases } = parseWordQuery(text);
  const named = openNamed(query);
  const wanted = words.map((word) => ({ word: foldCase(word), row: rowOf(word) }));
  return (record) => {
    if (named?.(record) === true) return true;
    if (inside !== null || (repos.length > 0 && !repos.includes(record.repo))) return false;
    if (kinds.length > 0 && !kinds.some((kind) => kind === "record" || kind === record.kind.toLowerCase())) return false;
    const fields = SEARCHED.map((field) => record[field]);
    const folded = fields.map(foldSpaces);
    if (!phrases.every((phrase) => folded.some((field) => field.includes(phrase)))) return false;
    if (wanted.length === 0) return true;
    const held = searchWords(fields.join("\n"));
    return wanted.every(({ word, row }) => held.has(word) || (row !== null && fields.some((field) => partsLine(field).includes(row))));
  };
}

/** The parts of an identifier as they stand in a row in those of a longer one, the last of them perhaps begun only: `insert_keeps_sor`
 *  stands in `insert_keeps_sorted`. Null for a word of one part. */
export function rowOf(word: string): string | null {
  const parts = identifierParts(word);
  return parts.length < 2 ? null : ` ${parts.join(" ")}`;
}

/** Records by their filters, from columns of numbers: what a browser loads where no server answers, and what both have in common. */
import { pagePath, RECORD_STANDINGS, recordStanding } from "#snapshots/format";
import { CUB_FACETS, type CubFacet, type CubRecord } from "#snapshots/schema";
import { parseDigestStart, parseOperators } from "./operators.ts";
import { foldCase, foldSpaces, identifierParts, parseWordQuery, partsLine, searchWords, shardOf, type WordForms } from "./words.ts";

/** Values of one filter are alternatives, different filters must all hold. */
export type Filters = ReadonlyMap<CubFacet, readonly string[]>;
export type Counts = readonly { readonly value: string; readonly count: number }[];

/** Records as `/api/cubs.json` has them, in its order. */
export type FilterColumns = {
  /** Ids that are one more than the one before, as the first of them and how many there are. */
  readonly ids: readonly (readonly [first: string, count: number])[];
  /** How many files hold their words. */
  readonly words: number;
  /** Of each filter the lists of values that records have, and for each record which of them. */
  readonly filters: Readonly<Partial<Record<CubFacet, FilterColumn>>>;
};

/** `of` is one number where all records have the same. */
export type FilterColumn = { readonly lists: readonly (readonly string[])[]; readonly of: readonly number[] | number };
export const NO_COLUMN: FilterColumn = { lists: [], of: [] };

/** PlaceOfList tells which list of a column the record at a place has. */
export function placeOfList({ of }: FilterColumn, place: number): number {
  return typeof of === "number" ? of : (of[place] ?? -1);
}

const FIELD_OF: ReadonlyMap<CubFacet, keyof CubRecord> = new Map(CUB_FACETS.map(({ name, field }) => [name, field]));

/** What the words of a query are looked for in. */
export const SEARCHED = ["id", "theorem_name", "module", "statement", "crate", "repo", "note"] as const satisfies (keyof CubRecord)[];

/** FilterColumn makes the column of one filter: many records have the same value, and what it says is worked out once. */
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
  nameOf: (item: T) => string | number,
  stateOf: (item: T) => string,
): readonly T[] {
  if (sort === null) return items;
  if (sort === "newest") return items.toReversed();
  const rank = (item: T): number => (RECORD_STANDINGS.indexOf(stateOf(item)) + RECORD_STANDINGS.length + 1) % (RECORD_STANDINGS.length + 1);
  const keyed = items.map((item) => ({
    item,
    rank: sort === "state" ? rank(item) : 0,
    name: sort === "name" ? foldName(nameOf(item)) : "",
  }));
  return keyed.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ item }) => item);
}

function foldName(name: string | number): string | number {
  return typeof name === "number" ? name : foldCase(name);
}

/** NameOrder numbers records by their folded names; those of one name have one number. */
export function nameOrder(records: readonly CubRecord[]): readonly number[] {
  const folded = records.map(({ theorem_name: name }) => foldCase(name));
  const numbers = new Map([...new Set(folded)].sort().map((name, at) => [name, at]));
  return folded.map((name) => numbers.get(name) ?? 0);
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

/** @param words files that hold their words */
export function filterColumns(records: readonly CubRecord[], words: number): FilterColumns {
  const filters = CUB_FACETS.map(({ name }) => [name, filterColumn(records, name)] as const);
  return { ids: runsOf(records.map(({ id }) => id)), words, filters: Object.fromEntries(filters) };
}

function runsOf(ids: readonly string[]): FilterColumns["ids"] {
  const runs: [first: string, count: number][] = [];
  for (const id of ids) {
    const run = runs.at(-1);
    if (run !== undefined && idAfter(run[0], run[1]) === id) run[1]++;
    else runs.push([id, 1]);
  }
  return runs;
}

function idAfter(first: string, steps: number): string {
  const digits = first.slice(first.lastIndexOf("-") + 1);
  return first.slice(0, -digits.length) + String(Number(digits) + steps).padStart(digits.length, "0");
}

/** IdsOf returns the ids of all places. */
export function idsOf({ ids }: FilterColumns): readonly string[] {
  return ids.flatMap(([first, count]) => Array.from({ length: count }, (_, at) => idAfter(first, at)));
}

/** PlacesOf returns all places, ascending. */
function placesOf({ ids }: FilterColumns): readonly number[] {
  return [...Array(ids.reduce((sum, [, count]) => sum + count, 0)).keys()];
}

/** @param among whether a record at a place comes into question at all
 *  @returns places ascending */
export function narrow(columns: FilterColumns, wanted: Filters, among: (place: number) => boolean): readonly number[] {
  const conditions = [...wanted].map(([name, values]) => {
    const column = columns.filters[name] ?? NO_COLUMN;
    const { lists } = column;
    return { column, fits: lists.map((list) => list.some((value) => values.includes(value))) };
  });
  return placesOf(columns).filter((place) => among(place) && conditions.every(({ column, fits }) => fits[placeOfList(column, place)]));
}

/** How often each value of a filter occurs at these places, most frequent first, then by value. */
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

/** A theorem's own name, and with as much of its module as anybody writes. */
export function namesOf({ theorem_name: name, module }: Pick<CubRecord, "theorem_name" | "module">): ReadonlySet<string> {
  const parts = module === "" ? [] : module.split(/\.|::/);
  return new Set([name, ...parts.map((_, at) => `${parts.slice(at).join(".")}.${name}`)]);
}

/** What names a record outright. */
type Naming = Pick<CubRecord, "id" | "theorem_name" | "module" | "file_shas">;

/** Whether a query is the id of a record, its name with or without its module, or a digest of its files or the first digits of one; `findCubs`
 *  has these first. Null for a query that can name none. */
function openNamed(query: string): ((record: Naming) => boolean) | null {
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

/* The words of records in small files, so that a browser finds records without reading all of them. A shard has, of each term that
 * `shardOfTerm` puts there, the places of the records that have it. Terms are words, as `searchWords` has them; two neighbouring parts
 * of identifiers (`insert keeps`); names (`=CUB-0007`, `=Sort.keep`); and the first digits of digests (`#abcdef01`). */

/** Term → places ascending, each as its distance from the one before, in base 36. */
export type TermShard = Readonly<Record<string, string>>;

const TERMS_IN_A_SHARD = 2000;
const DIGEST_DIGITS = 8;
/** Records that are read one by one where terms alone do not tell; where there are more, all are read. */
const MAX_READ = 64;

/** @returns shards by their numbers; one at least */
export function wordShards(records: readonly CubRecord[]): readonly TermShard[] {
  const terms = new Map<string, { places: string; last: number }>();
  const forms: WordForms = new Map();
  for (const [place, record] of records.entries()) {
    for (const term of termsOf(record, forms)) {
      const known = terms.get(term);
      if (known === undefined) terms.set(term, { places: place.toString(36), last: place });
      else {
        known.places += ` ${(place - known.last).toString(36)}`;
        known.last = place;
      }
    }
  }
  const shards = Array.from({ length: Math.max(1, Math.ceil(terms.size / TERMS_IN_A_SHARD)) }, (): [string, string][] => []);
  for (const [term, { places }] of terms) shards[shardOfTerm(term, shards.length)]?.push([term, places]);
  return shards.map((shard) => Object.fromEntries(shard));
}

function termsOf(record: CubRecord, forms: WordForms): ReadonlySet<string> {
  const terms = new Set(searchWords(SEARCHED.map((field) => record[field]).join("\n"), forms));
  for (const field of SEARCHED) {
    const parts = partsLine(record[field]).trim().split(" ");
    for (const [at, part] of parts.slice(1).entries()) terms.add(`${parts[at]} ${part}`);
  }
  for (const name of [foldCase(record.id), ...namesOf(record)]) terms.add(`=${name}`);
  for (const digest of Object.values(record.file_shas)) terms.add(`#${digest.slice(0, DIGEST_DIGITS)}`);
  return terms;
}

/** Neighbours lie with all that begin with the first of them, because the second may be begun only. */
function shardOfTerm(term: string, shards: number): number {
  return shardOf(term.split(" ", 1)[0] ?? "", shards);
}

function parsePlaces(text: string): readonly number[] {
  let place = 0;
  if (text === "") return [];
  return text.split(" ").map((distance) => (place += Number.parseInt(distance, 36)));
}

export type WordFiles = {
  readonly columns: FilterColumns;
  shard(number: number): Promise<TermShard>;
  record(place: number): Promise<CubRecord>;
  /** Of all places. */
  all(): Promise<readonly CubRecord[]>;
};

/** FindInWords finds what `findCubs` finds.
 *  @returns places of the records that hold a query, and of those that it names outright */
export async function findInWords(
  query: string,
  files: WordFiles,
): Promise<{ readonly holding: ReadonlySet<number>; readonly named: ReadonlySet<number> }> {
  const { words: text, kinds, repos, inside } = parseOperators(query);
  const { words, phrases } = parseWordQuery(text);
  const named = await findNamed(query, files);
  if (inside !== null) return { holding: named, named };
  const conditions = await Promise.all([
    ...words.map((word) => holdersOf(word, files)),
    ...phrases.flatMap((phrase) => holdersOfPhrase(phrase, files)),
  ]);
  if (repos.length > 0) conditions.push(valued(files.columns, "repo", (value) => repos.includes(value)));
  if (kinds.length > 0 && !kinds.includes("record"))
    conditions.push(valued(files.columns, "kind", (value) => kinds.includes(value.toLowerCase())));
  const every = new Set(placesOf(files.columns));
  const left = conditions.reduce((both, condition) => both.intersection(condition), every);
  // Three parts of an identifier may stand in a row by two, and a phrase's words anywhere.
  const isExact = phrases.length === 0 && words.every((word) => identifierParts(word).length < 3);
  const holding = isExact ? left : await checked(left, query, files);
  return { holding: holding.union(named), named };
}

async function checked(places: ReadonlySet<number>, query: string, { record, all }: WordFiles): Promise<ReadonlySet<number>> {
  const matches = openMatcher(query);
  const records = places.size > MAX_READ ? await all() : null;
  const read = await Promise.all([...places].map(async (place) => [place, records?.[place] ?? (await record(place))] as const));
  return new Set(read.filter(([, one]) => matches(one)).map(([place]) => place));
}

async function holdersOf(word: string, files: WordFiles): Promise<ReadonlySet<number>> {
  const whole = await lookUp(foldCase(word), files);
  if (rowOf(word) === null) return whole;
  const parts = identifierParts(word);
  const pairs = parts.slice(1).map((part, at) => [parts[at] ?? "", part, at + 2 === parts.length] as const);
  const inRow = await Promise.all(
    pairs.map(async ([first, second, begun]) => {
      const shard = await files.shard(shardOfTerm(first, files.columns.words));
      const pair = `${first} ${second}`;
      const terms = begun ? Object.keys(shard).filter((term) => term.startsWith(pair)) : [pair];
      return new Set(terms.flatMap((term) => parsePlaces(shard[term] ?? "")));
    }),
  );
  return whole.union(inRow.reduce((both, one) => both.intersection(one)));
}

/** Of a phrase's words those between others are whole. */
function holdersOfPhrase(phrase: string, files: WordFiles): readonly Promise<ReadonlySet<number>>[] {
  const inner = parseWordQuery(phrase.split(" ").slice(1, -1).join(" ").replaceAll('"', " ")).words;
  return inner.map((word) => lookUp(foldCase(word), files));
}

async function findNamed(query: string, files: WordFiles): Promise<ReadonlySet<number>> {
  const isNamed = openNamed(query);
  if (isNamed === null) return new Set();
  const name = query.trim();
  const digest = parseDigestStart(name);
  const terms = [
    `=${foldCase(name)}`,
    `=${name.replaceAll("::", ".")}`,
    ...(digest === null ? [] : [`#${digest.slice(0, DIGEST_DIGITS)}`]),
  ];
  const places = (await Promise.all(terms.map((term) => lookUp(term, files)))).reduce((all, one) => all.union(one));
  if (digest === null || digest.length === DIGEST_DIGITS) return places;
  const read = await Promise.all([...places].map(async (place) => [place, await files.record(place)] as const));
  return new Set(read.filter(([, record]) => isNamed(record)).map(([place]) => place));
}

async function lookUp(term: string, files: WordFiles): Promise<ReadonlySet<number>> {
  const shard = await files.shard(shardOfTerm(term, files.columns.words));
  return new Set(Object.hasOwn(shard, term) ? parsePlaces(shard[term] ?? "") : []);
}

function valued(columns: FilterColumns, name: "repo" | "kind", isWanted: (value: string) => boolean): ReadonlySet<number> {
  const column = columns.filters[name];
  if (column === undefined) return new Set();
  const fits = column.lists.map((list) => list.some(isWanted));
  return new Set(placesOf(columns).filter((place) => fits[placeOfList(column, place)]));
}

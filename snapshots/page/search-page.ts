/** The search page with results: passages with the words marked, and filters that are links. */
import {
  copiesOf,
  correct,
  excerpt,
  findAnchor,
  findBegun,
  findNamed,
  findWords,
  isHalf,
  leavesIn,
  lineOf,
  listPassing,
  type NameReason,
  type OpenSnapshot,
  parseSearch,
  searchMeant,
  type SearchResult,
  standingOf,
} from "#snapshots/query";
import { ShelfError } from "#snapshots/errors";
import { type Operators, parseOperators } from "#snapshots/words";
import { compareNames, cutText, findCollection, hitFolder, pagePath, relationsOf, type ViewData } from "#snapshots/format";
import { MAX_SNIPPET, type Standing } from "#snapshots/schema";
import { countBy } from "./cards.ts";
import type { Facet } from "./facets.ts";
import { searchForm } from "./service-pages.ts";

/** One result; its pieces are its text as a reader reads it. */
type SearchHit = ReturnType<typeof excerpt> & {
  readonly title: string;
  readonly kind: string;
  readonly key: string;
  /** Site path, with "#L12" where a line is known. */
  readonly path: string;
  /** Name of the declaration that was found, or "". */
  readonly name: string;
  /** That the path leads to, or null. */
  readonly line: number | null;
  /** Other keys with the same bytes. */
  readonly copies: readonly string[];
  /** The part of it that is the whole query: its key, id, name, title or digest. */
  readonly exact: NameReason | null;
  /** Title of the collection that it is in, or "". */
  readonly collection: string;
  /** Where its title says little, the folder that it is in; else "". */
  readonly folder: string;
  /** Standing of a record or a claim, and who has read a record's statement. */
  readonly standing?: Standing;
  readonly reviewed?: readonly string[];
};

const MAX_FOUND = 200;
/** Results at first, and each time that a reader asks for more. */
const SHOWN = 10;
const LISTED = 50;

const FILTERS = ["collection", "kind"] as const;
type Filter = (typeof FILTERS)[number];

/** searchParameters returns the parameters that decide the page, besides the snapshot. */
export function searchParameters(params: URLSearchParams): readonly string[] {
  return ["q", "prefix", "shown", ...FILTERS].map((name) => params.get(name) ?? "");
}

/** The form with what was found: null before anything is, and where a problem is told. `found` counts the results that were looked at
 *  under the filters that are set, of which the best are the hits; facets are "collection" and "kind", with the number of results that
 *  each value leaves; `didYouMean` is the query that these are results of, where a word stands nowhere and another is near it. */
type Form = Omit<ReturnType<typeof searchForm>, "hits" | "facets" | "didYouMean" | "problem" | "more" | "atLeast"> & {
  readonly hits: readonly SearchHit[] | null;
  /** Site path of the same with more results, or null. */
  readonly more: string | null;
  readonly facets: readonly Facet[];
  readonly didYouMean: { readonly query: string; readonly path: string } | null;
  readonly problem: string | null;
  /** True where more may be found than were looked at. */
  readonly atLeast: boolean;
};

/** searchResults makes the form with its results. Filters exist on the page only: the API's search takes what the interface names. */
export async function searchResults(open: Pick<OpenSnapshot, "reader">, data: ViewData, asked: URLSearchParams): Promise<Form> {
  const form: Form = { ...searchForm(data), query: asked.get("q") ?? "", prefix: asked.get("prefix") ?? "" };
  const params = inLeftOver(data, asked);
  if (form.query.trim() === "") return form;
  try {
    const operators = parseOperators(form.query.trim());
    const narrowed = operators.kinds.length + operators.repos.length > 0 || operators.inside !== null;
    if (narrowed && operators.words === "") {
      const all = listPassing(data, operators);
      return { ...form, hits: inFolders(all.slice(0, LISTED).map(({ kind, key }) => cardOf(data, kind, key, null))), found: all.length };
    }
    const query = parseSearch(params);
    const prefix = operators.inside ?? query.prefix;
    const reader = await open.reader();
    const asTyped = narrowed ? operators.words : query.q.trim();
    const isBegun = isHalf(asTyped, (word) => reader.statistics.rowsWith(word), reader.statistics.languages);
    const first = distinct([...namedHits(data, asTyped, prefix), ...(isBegun ? begunHits(data, asTyped, prefix, operators) : [])]);
    const chosen = FILTERS.filter((name) => (params.get(name) ?? "") !== "");
    // The engine heeds the filters: what they leave out may stand before everything else.
    const search = async (filters: readonly Filter[]) => {
      const isChosen = ({ kind, key }: Pick<SearchHit, "kind" | "key">): boolean =>
        filters.every((name) => valueOf(data, name, kind, key) === params.get(name));
      const passes = (doc: string): boolean => {
        const thing = documentOf(data, doc);
        return isChosen(thing) && leavesIn(data, operators, thing.kind, thing.key);
      };
      const asked = { ...query, q: narrowed ? operators.words : query.q, prefix, limit: MAX_FOUND };
      const { results, meant } = await searchMeant(reader, asked, filters.length > 0 || narrowed ? passes : null);
      const others = results.filter(({ kind, key }) => !first.some((hit) => hit.key === key && hit.kind === kind));
      return { meant, named: first.filter(isChosen), found: others };
    };
    const { named, found, meant } = await search(chosen);
    const facets: Facet[] = [];
    for (const name of FILTERS) {
      const others = chosen.includes(name) ? await search(chosen.filter((filter) => filter !== name)) : { named, found };
      facets.push(facetOf(data, params, name, [...others.named, ...others.found]));
    }
    const corrected = correct(query.q, meant);
    const find = findWords(corrected, reader.statistics.languages);
    const shown = shownOf(params);
    const hits = inFolders([...named, ...found.slice(0, shown).map((result) => hitOf(data, result, find))].slice(0, shown));
    const all = Math.min(found.length + named.length, MAX_FOUND);
    const didYouMean = meant.length === 0 || first.length > 0 ? null : { query: corrected, path: hrefOf(params, "q", corrected) };
    return {
      ...form,
      hits,
      found: all,
      facets,
      didYouMean,
      atLeast: found.length === MAX_FOUND,
      more: all <= shown ? null : `${hrefOf(params, null, null)}&shown=${shown + 2 * SHOWN}`,
    };
  } catch (error) {
    // A form that fails shows why, beside the form.
    if (error instanceof ShelfError) return { ...form, hits: null, problem: error.message };
    throw error;
  }
}

/** documentOf tells what a document of the index is, by its id. */
function documentOf(data: ViewData, doc: string): { readonly kind: string; readonly key: string } {
  const [what, key] = [doc.slice(0, doc.indexOf(":")), doc.slice(doc.indexOf(":") + 1)];
  return { key, kind: what === "object" ? (relationsOf(data).objectByKey.get(key)?.kind ?? "") : what };
}

function valueOf({ library }: ViewData, name: Filter, kind: string, key: string): string {
  if (name === "kind") return kind;
  return kind === "record" || kind === "claim" ? "" : (findCollection(library.collections, key)?.id ?? "");
}

/** @param others the results under all other filters */
function facetOf(data: ViewData, params: URLSearchParams, name: Filter, others: readonly Pick<SearchHit, "kind" | "key">[]): Facet {
  const counts = countBy(others, ({ kind, key }) => valueOf(data, name, kind, key)).filter(({ value }) => value !== "");
  const chosen = params.get(name) ?? "";
  // A value that was chosen can always be taken back, even where nothing is left of it.
  const all = chosen === "" || counts.some(({ value }) => value === chosen) ? counts : [...counts, { value: chosen, count: 0 }];
  return {
    name,
    more: 0,
    values: all
      .toSorted((a, b) => b.count - a.count || compareNames(a.value, b.value))
      .map((count) => ({
        ...count,
        selected: count.value === chosen,
        href: hrefOf(params, name, count.value === chosen ? null : count.value),
      })),
  };
}

/** The things that the query names outright by digest, id or name: they stand before everything that only mentions it. The index itself finds keys
 *  and titles. */
function namedHits(data: ViewData, name: string, prefix: string): readonly SearchHit[] {
  return findNamed(data, name).flatMap(({ kind, item, by }) => {
    const key = kind === "collection" ? item.prefix : kind === "object" ? item.key : item.id;
    if (by === "title" || !key.startsWith(prefix)) return [];
    return kind === "collection" ? [cardOf(data, kind, key, by)] : [cardOf(data, kind === "object" ? item.kind : kind, key, by)];
  });
}

function distinct(hits: readonly SearchHit[]): readonly SearchHit[] {
  const first = new Map<string, SearchHit>();
  for (const hit of hits) if (!first.has(`${hit.kind} ${hit.key}`)) first.set(`${hit.kind} ${hit.key}`, hit);
  return [...first.values()];
}

/** begunHits are things whose names the query begins, where its last word stands nowhere as it is. */
function begunHits(data: ViewData, words: string, prefix: string, operators: Operators): readonly SearchHit[] {
  return findBegun(data, words)
    .filter(({ kind, key }) => key.startsWith(prefix) && leavesIn(data, operators, kind, key))
    .map(({ kind, key }) => cardOf(data, kind, key, null));
}

/** @returns as many as the address asks for, which anybody may write */
function shownOf(params: URLSearchParams): number {
  const asked = Number.parseInt(params.get("shown") ?? "", 10);
  return Number.isInteger(asked) ? Math.min(Math.max(asked, SHOWN), MAX_FOUND) : SHOWN;
}

function inFolders(hits: readonly SearchHit[]): readonly SearchHit[] {
  const titles = hits.map(({ title }) => title);
  const isFile = ({ kind }: SearchHit): boolean => kind !== "record" && kind !== "claim" && kind !== "collection";
  return hits.map((hit) => (isFile(hit) ? { ...hit, folder: hitFolder(hit.title, hit.key, titles) } : hit));
}

function collectionOf({ library }: ViewData, kind: string, key: string): Pick<SearchHit, "collection" | "folder"> {
  const none = kind === "record" || kind === "claim" || kind === "collection";
  return { collection: none ? "" : (findCollection(library.collections, key)?.title ?? ""), folder: "" };
}

function cardOf(data: ViewData, kind: string, key: string, exact: SearchHit["exact"]): SearchHit {
  const { recordById, claimById, objectByKey } = relationsOf(data);
  const record = kind === "record" ? recordById.get(key) : undefined;
  const claim = kind === "claim" ? claimById.get(key) : undefined;
  const collection = kind === "collection" ? data.library.collections.find(({ prefix }) => prefix === key) : undefined;
  const object = objectByKey.get(key);
  const title = record?.theorem_name ?? claim?.title ?? collection?.title ?? object?.title ?? key;
  const line = record?.statement ?? claim?.statement ?? collection?.summary ?? object?.summary ?? "";
  const pieces = line === "" ? [] : [{ text: cutText(line, MAX_SNIPPET), marked: false }];
  return {
    title,
    kind,
    key,
    path: pagePath.source(kind, key),
    pieces,
    code: false,
    name: "",
    line: null,
    copies: [],
    exact,
    ...collectionOf(data, kind, key),
    ...standingOf(data, kind, key),
  };
}

/** The form names the collection of all that is left over, whose prefix is empty, `=` and its id. */
function inLeftOver({ library }: ViewData, asked: URLSearchParams): URLSearchParams {
  const chosen = library.collections.find(({ id, prefix }) => prefix === "" && asked.get("prefix") === `=${id}`);
  if (chosen === undefined) return asked;
  const params = new URLSearchParams(asked);
  params.delete("prefix");
  params.set("collection", chosen.id);
  return params;
}

function hrefOf(params: URLSearchParams, name: Filter | "q" | null, value: string | null): string {
  const next = new URLSearchParams();
  for (const known of ["q", "prefix", ...FILTERS]) {
    const kept = known === name ? value : params.get(known);
    if (kept !== null && kept !== "") next.set(known, kept);
  }
  return `${pagePath.search}?${next.toString()}`;
}

function hitOf(data: ViewData, result: SearchResult, find: ReturnType<typeof findWords>): SearchHit {
  const { title, kind, key, exact, row } = result;
  const anchor = findAnchor(kind, row);
  const path = pagePath.source(kind, key) + anchor;
  const place = { name: row.name, line: lineOf(anchor) };
  return {
    // Its id stands below.
    title: relationsOf(data).recordById.get(kind === "record" ? key : "")?.theorem_name ?? title,
    kind,
    key,
    path,
    ...excerpt(kind, row.text, find, row.name),
    ...place,
    copies: copiesOf(data, key, row.sha256),
    exact,
    ...collectionOf(data, kind, key),
    ...standingOf(data, kind, key),
  };
}

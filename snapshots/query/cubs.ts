/** GET /api/cubs: records by filters and words. Conventions "Lists, filters, search". */
import { ShelfError } from "../errors.ts";
import { CUB_FILTERS, CUB_ID_PATTERN, type CubFilter, type CubRecord } from "../schema/cubs.ts";
import { badParameter, MAX_QUERY, parseLimit, single } from "./params.ts";
import { foldCase, foldSpaces, parseWordQuery, searchWords } from "./words.ts";
import { oncePer } from "../format/relations.ts";

export type CubQuery = {
  /** "" means no restriction. */
  readonly q: string;
  /** Values of one filter are alternatives, different filters must all hold. */
  readonly filters: ReadonlyMap<CubFilter, readonly string[]>;
  readonly limit: number;
};

export type CubMatches = { readonly count: number; readonly cubs: readonly CubRecord[]; readonly next: number | null };

/** @throws ShelfError "bad_parameter" for a limit that is no number from 0 to 500, a `deployable` that is no truth value, a q over
 *  500 characters, or a q or limit given twice */
export function parseCubQuery(params: URLSearchParams): CubQuery {
  const q = single(params, "q") ?? "";
  if ([...q].length > MAX_QUERY) throw badParameter("q", `is longer than ${MAX_QUERY} characters`);
  const filters = new Map<CubFilter, readonly string[]>();
  for (const { name } of CUB_FILTERS) {
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

/** Values of a record under a filter. */
export function filterValues(record: CubRecord, filter: CubFilter): readonly string[] {
  const field = CUB_FILTERS.find((candidate) => candidate.name === filter)?.field ?? "repo";
  const value: unknown = record[field];
  return (Array.isArray(value) ? value : [value]).map((item) => String(item).normalize("NFC"));
}

const SEARCHED = ["id", "theorem_name", "module", "statement", "crate", "repo", "note"] as const satisfies (keyof CubRecord)[];

type Searchable = { readonly words: ReadonlySet<string>; readonly text: string };
const searchableOf = oncePer((record: CubRecord): Searchable => {
  const texts = SEARCHED.map((field) => record[field]);
  // A separator that no query contains keeps a phrase inside one field.
  return { words: searchWords(texts.join("\n")), text: texts.map(foldSpaces).join("\0") };
});

/** Records that match, an exact id first, then ascending by id as `records` are. @param position records to skip */
export function findCubs(records: readonly CubRecord[], query: CubQuery, position = 0): CubMatches {
  const { words, phrases } = parseWordQuery(query.q);
  const exactId = foldCase(query.q.trim());
  const matching: CubRecord[] = [];
  const filters = [...query.filters];
  for (const record of records) {
    if (!filters.every(([filter, wanted]) => filterValues(record, filter).some((value) => wanted.includes(value)))) continue;
    if (query.q !== "") {
      const { words: known, text } = searchableOf(record);
      if (!words.every((word) => known.has(word)) || !phrases.every((phrase) => text.includes(phrase))) continue;
      if (foldCase(record.id) === exactId) {
        matching.unshift(record);
        continue;
      }
    }
    matching.push(record);
  }
  const cubs = matching.slice(position, position + query.limit);
  const end = position + cubs.length;
  return { count: matching.length, cubs, next: cubs.length > 0 && end < matching.length ? end : null };
}

/** How often each value of each filter occurs among `records`, most frequent first, then by value. */
export function countFacet(
  records: readonly CubRecord[],
  filter: CubFilter,
): readonly { readonly value: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const record of records) {
    for (const value of new Set(filterValues(record, filter))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

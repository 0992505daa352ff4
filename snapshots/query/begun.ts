/** Completions of half a word: things whose name, id or title the words of a query begin. */
import { lowerBound, memoize, type ViewData } from "#snapshots/format";
import { rawWords, words } from "#snapshots/words";

/** Things in one answer: as many as a first page of results shows. */
const MOST = 10;
const MAX_CANDIDATES = 500; // names that begin with the letters; more of them tell nothing

export type Begun = { readonly kind: string; readonly key: string };
type Entry = readonly [begin: string, name: string, thing: Begun];

/** Each name from each of its parts on, ascending: `insert_keeps_sorted` is there as itself, as `keeps_sorted` and as `sorted`. */
const entriesOf = memoize((data: ViewData): readonly Entry[] => {
  const things: readonly (readonly [string, Begun])[] = [
    ...data.cubs.flatMap(({ id, theorem_name: name }) => [id, name].map((text) => [text, { kind: "record", key: id }] as const)),
    ...data.claims.claims.map(({ id, title }) => [title, { kind: "claim", key: id }] as const),
    ...data.objects.map(({ key, kind, title }) => [title, { kind, key }] as const),
  ];
  const entries = things.flatMap(([text, thing]): readonly Entry[] => {
    const name = text.toLowerCase();
    return [...name.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].map(({ index }) => [name.slice(index), name, thing] as const);
  });
  return entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
});

/** isHalf tells whether the last word of a query stands nowhere as it is: whoever types is perhaps not at its end. */
export function isHalf(query: string, rowsWith: (word: string) => number, languages: readonly string[]): boolean {
  const last = rawWords(query).at(-1)?.toLowerCase() ?? "";
  if (last.length < 2 || !query.toLowerCase().endsWith(last)) return false;
  return rowsWith(last) === 0 && (/[_.]/.test(last) || words(last, languages).every((form) => rowsWith(form) === 0));
}

/** findBegun finds things by half a name. Those whose name begins with the query come first. Then come those that have a part of their name
 *  beginning with the last word, and have the other words. Shorter names stand before longer ones. */
export function findBegun(data: ViewData, query: string): readonly Begun[] {
  const [last = "", ...others] = query.toLowerCase().trim().split(/\s+/).toReversed();
  if (last === "") return [];
  const entries = entriesOf(data);
  const whole = query.toLowerCase().trim();
  const found = new Map<string, { readonly thing: Begun; readonly rank: number; readonly name: string }>();
  for (
    let at = lowerBound(entries, ([begin]) => begin < last), seen = 0;
    entries[at]?.[0].startsWith(last) === true && seen < MAX_CANDIDATES;
    at++, seen++
  ) {
    const [, name, thing] = entries[at] as Entry;
    if (!others.every((word) => name.includes(word))) continue;
    const rank = name.startsWith(whole) ? 0 : 1;
    const key = `${thing.kind} ${thing.key}`;
    if ((found.get(key)?.rank ?? 2) > rank) found.set(key, { thing, rank, name });
  }
  return [...found.values()]
    .sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ thing }) => thing);
}

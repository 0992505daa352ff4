/** The browser's index (snapshots/page/browser-index.ts), asked: one small file for each word of a query, and the cards of what is shown. */
import { rawWords, words } from "../../snapshots/index/words.ts";
import { useStemmers } from "../../snapshots/index/stemmers.ts";
import { type Operators, parseDigestStart } from "../../snapshots/query/operators.ts";
import { type Instead, understand, type Understood } from "../../snapshots/query/understand.ts";
import { foldSpaces, shardOf } from "../../snapshots/query/words.ts";
import {
  type BrowserCard,
  type BundleList,
  cardPath,
  countShards,
  LEAST,
  MARKS,
  nearPath,
  nearShards,
  parsePosting,
  parseWords,
  readGroup,
  splitPostings,
  stemmerPath,
  type WordEntry,
  wordsPath,
} from "../../snapshots/page/browser-index.ts";

const MAX_WORDS = 5; // of a query, the longest: each is a file
/** More than any words score: of what the query names outright. */
const EXACT = 1_000;
/** Of a file that a host has not. */
const NOTHING = new Uint8Array();

export type Group = ReturnType<typeof readGroup>;
/** Of copies that are one page, each place has a group. */
export type FoundPage = { readonly page: number; readonly score: number; readonly groups: readonly Group[] };
type Found = { readonly pages: readonly FoundPage[]; readonly instead: Instead };

export type WordIndex = {
  readonly bundles: readonly string[];
  /** Whether every text can be looked through. */
  readonly texts: boolean;
  readonly languages: readonly string[];
  /** Pages that the query names, then those that hold words of it, the best first; ties by number. Of words that many pages hold, the best
   *  of those. Without words, all that the operators leave in. */
  find(query: Pick<Operators, "words" | "kinds" | "repos">): Promise<Found>;
  cards(page: number): Promise<readonly BrowserCard[]>;
};

/** @returns null when this site has none */
export async function openWordIndex(root: URL): Promise<WordIndex | null> {
  const response = await fetch(new URL("pagefind/bundles.json", root));
  if (!response.ok) return null;
  const { bundles, pages, languages, texts } = (await response.json()) as BundleList;
  await useStemmers(languages, (language) => import(/* @vite-ignore */ new URL(stemmerPath(language), root).href));
  const files = new Map<string, Promise<Response>>();
  /** Asked for once. */
  const read = async (path: string): Promise<Response> => {
    const known = files.get(path) ?? fetch(new URL(path, root));
    files.set(path, known);
    return (await known).clone();
  };
  const entriesOf = async (path: string): Promise<readonly WordEntry[]> => {
    const file = await read(path);
    return [...parseWords(file.ok ? new Uint8Array(await file.arrayBuffer()) : NOTHING)];
  };
  const entryOf = async (word: string): Promise<WordEntry | undefined> =>
    (await entriesOf(wordsPath(shardOf(word, countShards(bundles.length))))).find((entry) => entry.word === word);
  /** Only for a word that stands nowhere, what is near it is asked for. */
  const understandQuery = async (query: string): Promise<Understood> => {
    const asked = [...new Set(words(query, languages))].sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
    const rows = new Map<string, number>();
    const learn = (entries: readonly (WordEntry | undefined)[]): void => {
      for (const entry of entries) if (entry !== undefined) rows.set(entry.word, entry.pages);
    };
    learn(await Promise.all(asked.map(entryOf)));
    const raw = rawWords(query).filter((one) => words(one, languages).some((word) => asked.includes(word)));
    // Of a lone identifier, whose first word is the whole of it, parts that stand somewhere say nothing.
    const partsOf = (one: string): readonly string[] => words(one, languages).slice(0, raw.length === 1 ? 1 : undefined);
    const unknown = raw.filter((one) => !partsOf(one).some((word) => rows.has(word)));
    const shards = unknown
      .flatMap((one) => [one.toLowerCase(), ...words(one, languages)])
      .flatMap((word) => nearShards(word, bundles.length));
    learn((await Promise.all([...new Set(shards)].map((shard) => entriesOf(nearPath(shard))))).flat());
    const named = await Promise.all((raw.length === 1 ? raw : []).map((one) => entryOf(MARKS.name(foldSpaces(one)))));
    return understand(
      raw,
      !/\s/.test(query.trim()),
      (word) => rows.get(word) ?? 0,
      () => named.some((entry) => entry !== undefined),
      languages,
    );
  };
  return {
    bundles,
    texts,
    languages,
    async find({ words: query, kinds, repos }) {
      const understood = await understandQuery(query);
      const asked = [...new Set(understood.found)].slice(0, MAX_WORDS);
      const found = new Map<number, { score: number; words: number; readonly groups: Set<number> }>();
      const take = (entry: WordEntry | undefined, worth: number): void => {
        if (entry === undefined) return;
        let last = -1;
        for (const posting of splitPostings(entry.postings)) {
          const { weight, page, group } = parsePosting(posting);
          const known = found.get(page) ?? { score: 0, words: 0, groups: new Set() };
          // One page's postings stand together, a posting for each group.
          if (page !== last) {
            known.score += worth * (1 - weight / (LEAST + 1));
            known.words++;
          }
          known.groups.add(group);
          found.set(page, known);
          last = page;
        }
      };
      for (const entry of await Promise.all(asked.map(entryOf)))
        take(entry, entry === undefined ? 0 : Math.log(1 + (pages - entry.pages + 0.5) / (entry.pages + 0.5)));
      if (understood.all) for (const [page, { words }] of found) if (words < asked.length) found.delete(page);
      const digits = parseDigestStart(query);
      const named = query === "" ? [] : [MARKS.name(foldSpaces(query)), ...(digits === null ? [] : [MARKS.digest(digits)])];
      for (const entry of await Promise.all(named.map(entryOf))) take(entry, EXACT);
      const [ofKind, ofRepo] = await Promise.all(
        [kinds.map(MARKS.kind), repos.map(MARKS.repo)].map((marks) => Promise.all(marks.map(entryOf))),
      );
      if (query === "") for (const entry of [...(ofKind ?? []), ...(ofRepo ?? [])]) take(entry, 0);
      const [inKind, inRepo] = [pagesOf(ofKind ?? []), pagesOf(ofRepo ?? [])];
      // A group says the kind of an object for any number of them.
      const isKind = (group: number): boolean => kinds.includes(readGroup(group).kind);
      const passing = [...found]
        .filter(([page, { groups }]) => kinds.length === 0 || inKind.has(page) || [...groups].some(isKind))
        .filter(([page]) => repos.length === 0 || inRepo.has(page))
        .map(([page, { score, groups }]) => ({ page, score, groups: [...groups].map(readGroup) }))
        .sort((a, b) => b.score - a.score || a.page - b.page);
      return { pages: passing, instead: understood.instead };
    },
    async cards(page) {
      const file = await read(cardPath(page % bundles.length, page));
      return file.ok ? ((await file.json()) as readonly BrowserCard[]).filter((card) => card.page === page) : [];
    },
  };
}

function pagesOf(entries: readonly (WordEntry | undefined)[]): ReadonlySet<number> {
  return new Set(
    entries.flatMap((entry) => (entry === undefined ? [] : [...splitPostings(entry.postings)].map((bytes) => parsePosting(bytes).page))),
  );
}

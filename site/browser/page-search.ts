/** The search of a host of plain files: Pagefind over the pages that the export wrote, by its own program. */
import { RECORD_FILTERS } from "#snapshots/schema";
import { DIGEST_START, parseDigestStart, parseOperators, spellOtherwise } from "#snapshots/words";
import { Refusal } from "./refusal.ts";

/** Values of one filter are alternatives; `not` names none that is there, so that all pass and are counted. */
type Filter = { readonly any: readonly string[] } | { readonly not: string };
type Fragment = {
  readonly raw_url: string;
  readonly excerpt: string;
  readonly meta: Readonly<Record<string, string>>;
};
type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;
type Pagefind = {
  options(options: { readonly basePath: string; readonly noWorker: boolean }): Promise<void>;
  init(): Promise<void>;
  search(
    words: string | null,
    options: { readonly filters: Readonly<Record<string, Filter>> },
  ): Promise<{ readonly results: readonly { data(): Promise<Fragment> }[]; readonly filters: Counts; readonly totalFilters: Counts }>;
};

/** FILTERS are the names of filters as the addresses of pages have them. */
export const FILTERS: readonly string[] = ["prefix", ...RECORD_FILTERS.map(({ name }) => name)];
/** Filters whose counts are shown: each is a file. */
const COUNTED = ["kind", "standing"] as const;
const ALL: Filter = { not: "" };
const TIME_LIMIT = 15_000; // milliseconds: Pagefind waits for ever for a filter that did not come

export type PageQuery = {
  readonly words: string;
  readonly filters: ReadonlyMap<string, readonly string[]>;
};

export type FoundPage = {
  readonly title: string;
  readonly link: URL;
  readonly key: string;
  /** An object's kind, or "record" or "claim". */
  readonly kind: string;
  readonly standing: string;
  /** Text, and marks as elements. */
  readonly excerpt: Node;
};

export type FoundPages = {
  readonly found: number;
  readonly pages: readonly FoundPage[];
  /** By filter and value; of a filter that is set beside words, what each of its values would leave. */
  readonly counts: Counts;
};

let opened: Promise<Pagefind | null> | null = null;
/** How often it could not be opened or asked: browsers remember a module that did not come by its address. */
let failures = 0;

/** searchPages finds pages, the best first; all that the filters leave where there are no words.
 *  @returns null where the export was made without a search
 *  @throws what the network or Pagefind throws; the next search begins anew */
export async function searchPages(root: URL, query: PageQuery, shown: number): Promise<FoundPages | null> {
  const begun = performance.now();
  try {
    const pagefind = await (opened ??= openPagefind(root));
    if (pagefind === null) return null;
    const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error("The search did not answer in time.")), TIME_LIMIT));
    const found = await Promise.race([ask(pagefind, root, query, shown), late]);
    if (found.found === 0) {
      await findEntry(root);
      checkChunks(begun);
    }
    return found;
  } catch (error) {
    opened = null;
    failures++;
    throw error;
  }
}

/** Pagefind takes words that did not come for words that stand nowhere; a browser knows which files did not come, a moment later.
 *  @throws Refusal, or that the network is not there */
function checkChunks(begun: number): void {
  const read = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  const chunks = read.filter(({ name, responseEnd }) => responseEnd >= begun && /\.pf_(?:index|filter)(?:\?|$)/.test(name));
  const refused = chunks.find(({ responseStatus }) => responseStatus === 0 || responseStatus >= 400);
  if (refused !== undefined)
    throw refused.responseStatus === 0 ? new Error("A part of the index did not come.") : new Refusal(refused.responseStatus);
}

/** findEntry asks the host whether it has a search. @throws Refusal, and what the network throws */
async function findEntry(root: URL): Promise<boolean> {
  const entry = await fetch(new URL("pagefind/pagefind-entry.json", root), { method: "HEAD", cache: "no-store" });
  if (!entry.ok && entry.status !== 404) throw new Refusal(entry.status);
  return entry.ok;
}

async function openPagefind(root: URL): Promise<Pagefind | null> {
  const folder = new URL("pagefind/", root);
  if (!(await findEntry(root))) return null;
  const program = new URL(failures === 0 ? "pagefind.js" : `pagefind.js?again=${failures}`, folder);
  const pagefind = (await import(/* @vite-ignore */ program.href)) as Pagefind;
  await pagefind.options({ basePath: folder.pathname, noWorker: true });
  await pagefind.init();
  return pagefind;
}

/** readQuery takes the operators out of what is typed: they are filters. */
export function readQuery(text: string, given: ReadonlyMap<string, readonly string[]> = new Map()): PageQuery {
  const { words, kinds, repos, inside } = parseOperators(text);
  const typed = [
    ["kind", kinds],
    ["repo", repos],
    ["prefix", inside === null ? [] : [inside]],
  ] as const;
  const digits = parseDigestStart(words);
  return {
    words: digits === null ? spellOtherwise(words) : digits.slice(0, DIGEST_START),
    filters: new Map([...given, ...typed].filter(([, values]) => values.length > 0)),
  };
}

async function ask(pagefind: Pagefind, root: URL, { words, filters }: PageQuery, shown: number): Promise<FoundPages> {
  const wanted = new Map<string, Filter>([
    ...COUNTED.map((name) => [name, ALL] as const),
    ...[...filters].map(
      ([name, values]) => [name, { any: name === "kind" ? values.map((value) => value.toLowerCase()) : values }] as const,
    ),
  ]);
  const answer = await pagefind.search(words === "" ? null : words, { filters: Object.fromEntries(wanted) });
  const fragments = await Promise.all(answer.results.slice(0, shown).map((result) => result.data()));
  if (words !== "" && !fragments.some((fragment) => isMeant(fragment, words))) return { found: 0, pages: [], counts: {} };
  const counts = COUNTED.map(
    (name) => [name, (words !== "" && filters.has(name) ? answer.totalFilters : answer.filters)[name] ?? {}] as const,
  );
  return {
    found: answer.results.length,
    pages: fragments.map((fragment) => readPage(fragment, root, words)),
    counts: Object.fromEntries(counts),
  };
}

/** isMeant tells if a marked word of an excerpt has half of a word that was asked for: of a word that stands nowhere Pagefind finds those that
 *  share its first letter. */
function isMeant({ excerpt, meta }: Fragment, words: string): boolean {
  const asked = words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = (meta["letters"] ?? "").split(" ");
  if (asked.some((word) => letters.some((one) => one.startsWith(word)))) return true;
  return [...excerpt.matchAll(/<mark>(.*?)<\/mark>/gs)].some(([, marked = ""]) =>
    asked.some((word) => marked.toLowerCase().includes(word.slice(0, Math.ceil(word.length / 2)))),
  );
}

function readPage({ raw_url: path, excerpt, meta }: Fragment, root: URL, words: string): FoundPage {
  const body = new DOMParser().parseFromString(excerpt, "text/html").body;
  const link = new URL(path, root);
  // Browsers go to the first place of a page that has these words.
  const marked = words === "" ? null : body.querySelector("mark");
  if (marked !== null) link.hash = `:~:text=${encodeURIComponent(marked.textContent ?? "").replaceAll("-", "%2D")}`;
  return {
    title: meta["title"] ?? path,
    link,
    key: meta["key"] ?? "",
    kind: meta["kind"] ?? "",
    standing: meta["standing"] ?? "",
    excerpt: body,
  };
}

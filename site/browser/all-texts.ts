/** Pagefind over all its bundles, for who wants every text looked through: phrases, and parts of words. It loads far more than a
 *  search by words, so it is asked for. Excerpts are the only HTML that comes from outside, and only their <mark> survives. */
import { drawCard, markedText } from "./draw.ts";

type Fragment = { readonly url: string; readonly excerpt: string; readonly meta: Readonly<Record<string, string>> };
type Result = { data(): Promise<Fragment> };
type Pagefind = {
  options(options: { baseUrl: string }): Promise<void>;
  init(): Promise<void>;
  mergeIndex(path: string, options?: { baseUrl: string }): Promise<void>;
  search(query: string): Promise<{ readonly results: readonly Result[] }>;
};

const SHOWN = 20;

let opened: Promise<Pagefind> | undefined;

/** @param bundles paths from the root
 *  @param isIn whether a key is among those that are looked through */
export async function searchTexts(
  root: URL,
  bundles: readonly string[],
  query: string,
  isIn: (key: string) => boolean,
): Promise<{ readonly cards: readonly HTMLElement[]; readonly found: number }> {
  const { results } = await (await (opened ??= open(root, bundles))).search(query);
  const fragments = await Promise.all(results.slice(0, SHOWN * 5).map((result) => result.data()));
  const inside = fragments.filter(({ meta }) => isIn(meta["key"] ?? ""));
  const found = results.length - fragments.length + inside.length;
  return { cards: inside.slice(0, SHOWN).map((fragment) => draw(fragment, root)), found };
}

async function open(root: URL, [first = "pagefind/0/", ...rest]: readonly string[]): Promise<Pagefind> {
  // The page's own address decides which bundle this is, so no bundler may look at it.
  const pagefind = (await import(/* @vite-ignore */ new URL(`${first}pagefind.js`, root).href)) as Pagefind;
  await pagefind.options({ baseUrl: "/" });
  await pagefind.init();
  for (const bundle of rest) await pagefind.mergeIndex(new URL(bundle, root).href, { baseUrl: "/" });
  return pagefind;
}

function draw({ url, excerpt, meta }: Fragment, root: URL): HTMLElement {
  return drawCard({
    title: meta["title"] ?? url,
    link: new URL(url.replace(/^\/+/, ""), root),
    line: markedText(new DOMParser().parseFromString(excerpt, "text/html").body),
    code: false,
    mark: meta["key"] ?? "",
    facts: [meta["kind"] ?? ""],
    copies: [],
  });
}

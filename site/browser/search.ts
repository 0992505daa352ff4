/** Answers from the files under /pagefind/ while one types, and when no server has answered, as on a static host. Sending the
 *  form always asks the server. Excerpts are the only HTML that comes from outside, and only their <mark> survives. */

import { drawCard, markedText } from "./draw.ts";

type Fragment = { readonly url: string; readonly excerpt: string; readonly meta: Readonly<Record<string, string>> };
type Result = { data(): Promise<Fragment> };
type Pagefind = {
  options(options: { baseUrl: string }): Promise<void>;
  init(): Promise<void>;
  mergeIndex(path: string, options?: { baseUrl: string }): Promise<void>;
  debouncedSearch(query: string): Promise<{ readonly results: readonly Result[] } | null>;
};

const SHOWN = 20;

const place = document.querySelector<HTMLElement>("[data-root]");
const form = document.querySelector<HTMLFormElement>("form.search");
const field = form?.querySelector<HTMLInputElement>("input[name=q]");
if (place && form && field && !("answered" in place.dataset)) start(place, form, field);

function start(place: HTMLElement, form: HTMLFormElement, field: HTMLInputElement): void {
  const root = new URL(place.dataset["root"] ?? "./", location.href);
  const status = place.querySelector<HTMLElement>("[data-status]");
  const list = place.querySelector<HTMLElement>("[data-hits]");
  const hints = place.querySelector<HTMLElement>(".hints");
  const collection = form.querySelector<HTMLSelectElement>("select[name=prefix]");
  const say = (words: string) => status && (status.textContent = words);
  let index: Promise<Pagefind | null> | undefined;

  const search = async () => {
    const query = field.value.trim();
    const pagefind = await (index ??= openIndex(root));
    if (pagefind === null || list === null) return;
    if (query === "") {
      list.replaceChildren();
      say("");
      hints?.removeAttribute("hidden");
      return;
    }
    const found = await pagefind.debouncedSearch(query).catch(() => ({ results: [] }));
    if (found === null || field.value.trim() !== query) return; // A later keystroke took over.
    const prefix = collection?.value ?? "";
    const fragments = await Promise.all(found.results.slice(0, prefix === "" ? SHOWN : SHOWN * 5).map((result) => result.data()));
    const shown = fragments.filter(({ meta }) => prefix === "" || isIn(meta["key"] ?? "", prefix)).slice(0, SHOWN);
    hints?.setAttribute("hidden", "");
    list.replaceChildren(...shown.map((fragment) => drawHit(fragment, root)));
    const count = prefix === "" ? found.results.length : shown.length;
    say(
      count === 0
        ? "Nothing found. Try fewer or other words."
        : count > shown.length
          ? `${count} results, the best ${shown.length} shown`
          : count === 1
            ? "1 result"
            : `${count} results`,
    );
  };

  /** "=" and an id is the collection of what lies in no other. */
  const isIn = (key: string, prefix: string): boolean => {
    if (!prefix.startsWith("=")) return key.startsWith(prefix);
    const others = [...(collection?.options ?? [])].map(({ value }) => value).filter((value) => value !== "" && !value.startsWith("="));
    return key !== "" && !others.some((other) => key.startsWith(other));
  };

  const given = new URL(location.href).searchParams;
  if (field.value === "") field.value = given.get("q") ?? "";
  if (collection && given.get("prefix")) collection.value = given.get("prefix") ?? "";
  field.addEventListener("input", search);
  collection?.addEventListener("change", search);
  if (field.value !== "") void search();
}

/** The index, with its further parts merged in; null when this site has none. */
async function openIndex(root: URL): Promise<Pagefind | null> {
  try {
    const [first = "pagefind/", ...rest] = await readBundles(root);
    // The page's own address decides which bundle this is, so no bundler may look at it.
    const pagefind = (await import(/* @vite-ignore */ new URL(`${first}pagefind.js`, root).href)) as Pagefind;
    await pagefind.options({ baseUrl: "/" });
    await pagefind.init();
    for (const bundle of rest) await pagefind.mergeIndex(new URL(bundle, root).href, { baseUrl: "/" });
    return pagefind;
  } catch {
    return null;
  }
}

async function readBundles(root: URL): Promise<string[]> {
  const response = await fetch(new URL("pagefind/bundles.json", root));
  if (!response.ok) return [];
  const { bundles } = (await response.json()) as { readonly bundles: readonly string[] };
  return bundles.map((path) => path.replace(/^\/+/, ""));
}

function drawHit({ url, excerpt, meta }: Fragment, root: URL): HTMLElement {
  const target = new URL(url.replace(/^\/+/, ""), root);
  return drawCard({
    title: meta["title"] ?? url,
    href: target.origin === root.origin ? target.href : null,
    line: markedText(new DOMParser().parseFromString(excerpt, "text/html").body),
    mark: meta["key"] ?? "",
    kind: meta["kind"] ?? "",
  });
}

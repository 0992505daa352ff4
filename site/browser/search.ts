/** Answers while one types, as sending the form would. A server is asked for that very page, and what it shows is shown here. A host of
 *  files gives the form back unanswered: there Pagefind answers, also when the form was sent, or a filter of the registry led here. */
import { hitFolder } from "#snapshots/format";
import { KINDS } from "#snapshots/schema";
import { isOpen, viewFacet, wordOf } from "../facet-view.ts";
import { formatCount, formatLine, formatPlural } from "../format.ts";
import { drawCard, element, markedText } from "./draw.ts";
import { fill, hasTemplate } from "./fill.ts";
import { FILTERS, type FoundPage, type FoundPages, readQuery, searchPages } from "./page-search.ts";
import { describeFailure, Refusal } from "./refusal.ts";

const SHOWN = 8; // cards, each a file
const MORE = 12; // that a reader asks for
const PAUSE = 200; // milliseconds without a keystroke

const place = document.querySelector<HTMLElement>("[data-root]");
const form = document.querySelector<HTMLFormElement>("form.search");
const field = form?.querySelector<HTMLInputElement>("input[name=q]");
if (place && form && field) start(place, form, field);

type Asked = { readonly query: string; readonly filters: ReadonlyMap<string, readonly string[]>; readonly shown: number };

/** The contents of the page below the form. */
type Shown = { readonly words: string; readonly nodes: readonly Node[]; readonly filters?: readonly Node[] };
const NO_SEARCH: Shown = { words: "This site was written without a search.", nodes: [] };

function start(place: HTMLElement, form: HTMLFormElement, field: HTMLInputElement): void {
  const root = new URL(place.dataset["root"] ?? "./", location.href);
  const collection = form.querySelector<HTMLSelectElement>("select[name=prefix]");
  const status = place.querySelector<HTMLElement>("[data-status]");
  const hints = place.querySelector<HTMLElement>(".hints");
  /** The line that tells how much was found stays, so that it is heard when it changes. */
  const filters = document.querySelector("[data-filters]");
  const show = ({ words, nodes, filters: drawn = [] }: Shown): void => {
    if (status) status.textContent = words;
    filters?.replaceChildren(...drawn);
    place.replaceChildren(...(status ? [status] : []), ...nodes);
  };
  const given = new URL(location.href).searchParams;
  const answered = "answered" in place.dataset;
  /** null while that is not known. */
  let served: boolean | null = answered ? true : given.get("q") ? false : null;
  let latest = 0;

  const ask = async (asked: Asked): Promise<void> => {
    const turn = ++latest;
    if (asked.query === "" && asked.filters.size === 0) {
      show({ words: "", nodes: hints ? [hints] : [] });
      history.replaceState(null, "", location.pathname);
      return;
    }
    const shown = await answerTo(asked).catch((error: unknown): Shown => ({ words: describeFailure(error), nodes: [] }));
    // All that was awaited may have come late, parts of an index too: the answer is given up, and no request.
    if (turn !== latest) return;
    show(shown);
    history.replaceState(null, "", addressOf(asked));
  };

  const answerTo = async (asked: Asked): Promise<Shown> => {
    // A server lists nothing for filters alone.
    if (served !== false && asked.query !== "") {
      const answer = await fetchAnswer(addressOf(asked));
      served = answer !== null;
      if (answer !== null) return answer;
    }
    const found = await searchPages(root, readQuery(asked.query, asked.filters), asked.shown);
    return found === null ? NO_SEARCH : draw(found, asked, ask);
  };

  const asked = (): Asked => {
    const prefix = collection?.value ?? "";
    return { query: field.value.trim(), filters: new Map(prefix === "" ? [] : [["prefix", [prefix]]]), shown: SHOWN };
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(asked()), PAUSE);
  });
  collection?.addEventListener("change", () => void ask(asked()));
  const named = FILTERS.filter((name) => given.getAll(name).some((value) => value !== ""));
  if (answered || (!given.has("q") && named.length === 0)) return;
  field.value = given.get("q") ?? "";
  if (collection) collection.value = given.get("prefix") ?? "";
  void ask({ query: field.value.trim(), filters: new Map(named.map((name) => [name, given.getAll(name)])), shown: SHOWN });
}

function describe(shown: number, found: number): string {
  if (found === 0) return "Nothing found. Try fewer or other words.";
  return shown < found ? `The best ${formatCount(shown)} of ${formatCount(found)} results` : formatPlural(found, "result");
}

function addressOf({ query, filters }: Pick<Asked, "query" | "filters">): string {
  const params = new URLSearchParams({ q: query });
  for (const [name, values] of filters) for (const value of values) params.append(name, value);
  return `${location.pathname}?${params.toString()}`;
}

/** fetchAnswer returns what the server shows at an address; null when it gives the form back. @throws Refusal, and what the network throws */
async function fetchAnswer(address: string): Promise<Shown | null> {
  const response = await fetch(address);
  if (!response.ok) throw new Refusal(response.status);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const place = page.querySelector<HTMLElement>("[data-root]");
  if (place === null || !("answered" in place.dataset)) return null;
  const words = place.querySelector("[data-status]")?.textContent ?? "";
  return {
    words,
    nodes: [...place.children].filter((child) => !child.matches("[data-status]")).map((child) => document.importNode(child, true)),
    filters: [...page.querySelectorAll("[data-filters] > *")].map((child) => document.importNode(child, true)),
  };
}

/** draw makes of what was found what a server would have shown. */
function draw({ found, pages, counts }: FoundPages, asked: Asked, ask: (asked: Asked) => Promise<void>): Shown {
  const list = element("ol", "cards");
  const titles = pages.map(({ title }) => title);
  list.append(...pages.map((page) => drawPage(page, titles)));
  const more = element("button", "", "More results");
  more.type = "button";
  more.addEventListener("click", () => {
    more.disabled = true;
    void ask({ ...asked, shown: asked.shown + MORE });
  });
  return { words: describe(pages.length, found), nodes: found > pages.length ? [list, more] : [list], filters: drawFilters(asked, counts) };
}

function drawPage({ title, link, key, kind, standing, excerpt }: FoundPage, titles: readonly string[]): HTMLElement {
  const folder = kind === "record" || kind === "claim" ? "" : hitFolder(title, key, titles);
  const state = `state ${standing}`;
  const card = drawCard({
    title: folder === "" ? title : `${title} · ${folder}`,
    link,
    line: markedText(excerpt),
    code: false,
    mark: key,
    facts: [titleOf(kind), standing === "" || hasTemplate(state) ? "" : wordOf("claim_standing", standing)],
    copies: [],
  });
  if (hasTemplate(state)) card.querySelector(".card-head")?.append(fill(state, {}));
  return card;
}

function titleOf(kind: string): string {
  return isKind(kind) ? KINDS[kind].title : formatLine(kind, 40);
}

const isKind = (name: string): name is keyof typeof KINDS => Object.hasOwn(KINDS, name);

function drawFilters({ query, filters }: Asked, counts: FoundPages["counts"]): readonly Node[] {
  const facets = Object.entries(counts).map(([name, ofValue]) => {
    const set = filters.get(name) ?? [];
    const values = Object.entries(ofValue)
      // A record is of its own kind, too: a theorem.
      .filter(([value, count]) => (count > 0 || set.includes(value)) && (name !== "kind" || isKind(value)))
      .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
      .map(([value, count]) => {
        const toggled = [...new Set(set).symmetricDifference(new Set([value]))];
        const others = new Map([...filters, [name, toggled] as const]);
        return { value, count, selected: set.includes(value), href: addressOf({ query, filters: others }) };
      });
    return { name, values, more: 0 };
  });
  return facets
    .filter(({ values }) => values.length > 1 || values.some(({ selected }) => selected))
    .map((facet, at) => {
      const view = viewFacet(facet, (path) => path);
      const values = view.values.map((value, at) =>
        facet.name === "kind" ? { ...value, word: titleOf(facet.values[at]?.value ?? "") } : value,
      );
      const drawn = fill("facet", { ...view, values });
      drawn.toggleAttribute("open", isOpen(facet, at));
      return drawn;
    });
}

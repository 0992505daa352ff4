/** Answers while one types, as sending the form would. A server is asked for that very page, and what it shows is shown here. A host of
 *  files gives the form back unanswered: there the browser's own index answers, also when the form was sent. */
import { words } from "../../snapshots/index/words.ts";
import { correct, findMeant } from "../../snapshots/query/meant.ts";
import { parseOperators } from "../../snapshots/query/operators.ts";
import type { BrowserCard, CardPassage } from "../../snapshots/page/browser-index.ts";
import { excerpt, findWords, hitFolder, lineOf, worthOf } from "../../snapshots/query/excerpt.ts";
import { KINDS } from "../../snapshots/schema/kinds.ts";
import { formatCount, formatLine, formatPiece, formatPlace, formatPlural } from "../format.ts";
import { searchTexts } from "./all-texts.ts";
import { drawCard, element } from "./draw.ts";
import { fill, type Values } from "./fill.ts";
import { type FoundPage, type Group, openWordIndex, type WordIndex } from "./word-index.ts";

const SHOWN = 10; // cards, each in a file with few others: as many as a server shows
const MORE = 12; // that a reader asks for
/** Further cards that are looked at where the prefix is none of a collection: only a card says whose key begins with it. */
const LOOKED_AT = 24;
const LISTED = 60; // cards of a list without words that are put in order
const PAUSE = 200; // milliseconds without a keystroke

const place = document.querySelector<HTMLElement>("[data-root]");
const form = document.querySelector<HTMLFormElement>("form.search");
const field = form?.querySelector<HTMLInputElement>("input[name=q]");
if (place && form && field) start(place, form, field);

type Asked = { readonly query: string; readonly prefix: string; readonly kind: string; readonly shown: number };

/** What stands below the form. */
type Shown = { readonly words: string; readonly nodes: readonly Node[]; readonly filters?: readonly Node[] };
const NO_INDEX: Shown = { words: "This site has no index that a browser can search.", nodes: [] };

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
  let served: boolean | null = answered ? true : given.has("q") ? false : null;
  let index: Promise<WordIndex | null> | undefined;
  let latest = 0;

  const ask = async (asked: Asked): Promise<void> => {
    const turn = ++latest;
    const isLatest = (): boolean => turn === latest;
    const address = addressOf(asked);
    if (asked.query === "") {
      show({ words: "", nodes: hints ? [hints] : [] });
      history.replaceState(null, "", location.pathname);
      return;
    }
    if (served !== false) {
      const answer = await fetchAnswer(address);
      if (!isLatest()) return;
      served = answer !== null;
      if (answer !== null) show(answer);
    }
    if (!served) {
      const found = await (index ??= openWordIndex(root).catch(() => null));
      const shown = found === null ? NO_INDEX : await answerFrom(found, asked);
      if (!isLatest()) return;
      show(shown);
    }
    history.replaceState(null, "", address);
  };

  const asked = (): Asked => ({ query: field.value.trim(), prefix: collection?.value ?? "", kind: "", shown: SHOWN });
  let timer: ReturnType<typeof setTimeout> | undefined;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(asked()), PAUSE);
  });
  collection?.addEventListener("change", () => void ask(asked()));
  if (answered || !given.has("q")) return;
  field.value = given.get("q") ?? "";
  const prefix = given.get("prefix") ?? "";
  if (collection) collection.value = prefix;
  void ask({ query: field.value.trim(), prefix, kind: given.get("kind") ?? "", shown: SHOWN });

  async function answerFrom(index: WordIndex, asked: Asked): Promise<Shown> {
    const operators = parseOperators(asked.query);
    const scope = openScope(collection, operators.inside ?? asked.prefix);
    const phrase = /^"([^"]+)"$/.exec(operators.words)?.[1] ?? null;
    const lists = operators.words === "";
    const { pages: all, instead } = await index.find(operators);
    const inside = all.filter(({ groups }) => groups.some(({ collection }) => scope.holds(collection)));
    const wanted = inside.filter(isOfKind(asked.kind));
    const some = lists ? LISTED : asked.shown + (scope.whole && phrase === null ? 0 : LOOKED_AT);
    const cards = (await Promise.all(wanted.slice(0, some).map(({ page }) => index.cards(page)))).flat();
    const inScope = cards.flatMap((card) => placeIn(card, scope) ?? []).filter((card) => phrase === null || holdsPhrase(card, phrase));
    const shown = lists ? inScope.sort(compareListed) : inScope;
    const meant = findMeant(
      instead,
      cards.flatMap(({ title, passages }) => passages.map(({ name, text }) => ({ name, title, text }))),
      index.languages,
    );
    const corrected = correct(asked.query, meant);
    const find = findWords(correct(operators.words, meant), index.languages);
    const list = element("ol", "cards");
    const cut = shown.slice(0, asked.shown);
    const titles = cut.map(({ title }) => title);
    list.append(...cut.map((card) => drawHit(card, { find, root, titles, collection: collectionOf(collection, card) })));
    const offer = element("p", "facts");
    const offerTo = (words: string, work: () => Promise<void>): void => {
      const button = element("button", "", words);
      button.type = "button";
      button.addEventListener("click", () => {
        button.disabled = true;
        void work();
      });
      offer.append(button);
    };
    if (wanted.length > asked.shown) offerTo("More results", () => ask({ ...asked, shown: asked.shown + MORE }));
    if (index.texts) {
      offerTo("Look through every text", async () => {
        if (status) status.textContent = "Loading the whole index…";
        const { cards, found } = await searchTexts(root, index.bundles, asked.query, scope.isIn).catch(() => ({ cards: [], found: 0 }));
        list.replaceChildren(...cards);
        show({ words: describe(cards.length, found), nodes: [list] });
      });
      offer.append(element("span", "", "for phrases and parts of words; it loads far more"));
    }
    return {
      words: describe(list.childElementCount, scope.whole && phrase === null ? wanted.length : shown.length),
      nodes: [
        ...(meant.length > 0
          ? [fill("meant", { query: formatLine(corrected, 160), link: addressOf({ ...asked, query: corrected }) })]
          : []),
        list,
        offer,
      ],
      filters: listFilters(asked, all, inside, collection).map((facet) => fill("facet", facet)),
    };
  }
}

function describe(shown: number, found: number): string {
  if (found === 0) return "Nothing found. Try fewer or other words.";
  return shown < found ? `The best ${shown} of ${formatCount(found)} results` : formatPlural(found, "result");
}

function addressOf({ query, prefix, kind }: Asked): string {
  const params = new URLSearchParams({ q: query });
  if (prefix !== "") params.set("prefix", prefix);
  if (kind !== "") params.set("kind", kind);
  return `${location.pathname}?${params.toString()}`;
}

/** What the server shows at an address; null when it gives the form back. */
async function fetchAnswer(address: string): Promise<Shown | null> {
  const response = await fetch(address).catch(() => null);
  if (response === null) return null;
  if (!response.ok) return { words: `The search did not answer (${response.status}). Try again in a while.`, nodes: [] };
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

type Scope = {
  /** Whether a collection's number tells all. */
  readonly whole: boolean;
  holds(collection: number): boolean;
  isIn(key: string): boolean;
};

/** @param prefix of keys; "=" and an id is the collection of what lies in no other */
function openScope(collection: HTMLSelectElement | null, prefix: string): Scope {
  const prefixes = [...(collection?.options ?? [])].slice(1).map(({ value }) => value);
  if (prefix === "") return { whole: true, holds: () => true, isIn: () => true };
  const isLeftOver = prefix.startsWith("=");
  const others = prefixes.filter((value) => !value.startsWith("="));
  const isIn = (key: string): boolean => (isLeftOver ? !others.some((other) => key.startsWith(other)) : key.startsWith(prefix));
  const holds = (at: number): boolean => {
    const own = prefixes[at] ?? "";
    return isLeftOver ? own === prefix : own.startsWith(prefix) || (at >= 0 && (own.startsWith("=") || prefix.startsWith(own)));
  };
  return { whole: prefixes.includes(prefix), holds, isIn };
}

const isOfKind =
  (wanted: string) =>
  ({ groups }: FoundPage): boolean =>
    wanted === "" || groups.some(({ kind }) => kind === wanted);

/** How many pages have each value in one of their groups. */
function countGroups<T>(pages: readonly FoundPage[], value: (group: Group) => T): [T, number][] {
  const all = pages.flatMap(({ groups }) => [...new Set(groups.map(value))]);
  return [...Map.groupBy(all, (one) => one)].map(([one, same]) => [one, same.length]);
}

/** Kinds and collections of what was found, as on a server's page. */
function listFilters(
  asked: Asked,
  all: readonly FoundPage[],
  inside: readonly FoundPage[],
  collection: HTMLSelectElement | null,
): readonly Values[] {
  const options = [...(collection?.options ?? [])].slice(1);
  const places = countGroups(all.filter(isOfKind(asked.kind)), ({ collection }) => collection).flatMap(([at, count]) => {
    const option = options[at];
    return option === undefined ? [] : [{ word: option.text, value: option.value, count }];
  });
  const kinds = countGroups(inside, ({ kind }) => kind).map(([kind, count]) => ({ word: KINDS[kind].title, value: kind, count }));
  const filters = [
    { title: "Collection", name: "prefix", values: places },
    { title: "Kind", name: "kind", values: kinds },
  ] as const;
  return filters
    .filter(({ name, values }) => values.length > 1 || asked[name] !== "")
    .map(({ title, name, values }) => ({
      title,
      rest: [],
      rarer: [],
      values: values
        .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
        .map(({ word, value, count }) => {
          const selected = value === asked[name];
          const link = addressOf({ ...asked, [name]: selected ? "" : value });
          return { word, count: formatCount(count), href: link, current: selected ? "true" : null };
        }),
    }));
}

/** A card by the one of its places that is looked at; null when none is. */
function placeIn(card: BrowserCard, { isIn }: Scope): BrowserCard | null {
  const { key, path, copies } = card;
  if (isIn(key)) return card;
  const place = copies.find((copy) => isIn(copy.key));
  return place === undefined ? null : { ...card, ...place, copies: [{ key, path }, ...copies.filter((copy) => copy !== place)] };
}

/** Whether the words of a phrase stand together in what a card has of its page. */
function holdsPhrase({ key, title, passages }: BrowserCard, phrase: string): boolean {
  const wanted = ` ${words(phrase).join(" ")} `;
  return [key, title, ...passages.map(({ text }) => text)].some((text) => ` ${words(text).join(" ")} `.includes(wanted));
}

/** Records by id, then claims, then objects by key, as a server lists them. */
function compareListed(a: BrowserCard, b: BrowserCard): number {
  const place = ({ kind }: BrowserCard): number => (kind === "record" ? 0 : kind === "claim" ? 1 : 2);
  return place(a) - place(b) || (a.key < b.key ? -1 : 1);
}

/** The title of the collection that a card's object is in, or "". */
function collectionOf(select: HTMLSelectElement | null, { kind, key }: BrowserCard): string {
  if (kind === "record" || kind === "claim") return "";
  const options = [...(select?.options ?? [])].slice(1);
  const [inside] = options.filter(({ value }) => key.startsWith(value)).toSorted((a, b) => b.value.length - a.value.length);
  return (inside ?? options.find(({ value }) => value.startsWith("=")))?.text ?? "";
}

type Drawing = {
  readonly find: ReturnType<typeof findWords>;
  readonly root: URL;
  /** Of all cards that are shown. */
  readonly titles: readonly string[];
  readonly collection: string;
};

function drawHit({ path, title, key, kind, copies, passages }: BrowserCard, { find, root, titles, collection }: Drawing): HTMLElement {
  const folder = kind === "record" || kind === "claim" ? "" : hitFolder(title, key, titles);
  const within = (path: string): URL => new URL(path.replace(/^\/+/, ""), root);
  const { name = "", anchor = "", text = "" } = bestPassage(passages, find) ?? {};
  const { pieces, code } = excerpt(kind, text, find, name);
  return drawCard({
    title: folder === "" ? title : `${title} · ${folder}`,
    link: within(path + anchor),
    line: pieces.map((piece) => (piece.marked ? element("mark", "", formatPiece(piece.text)) : formatPiece(piece.text))),
    code,
    mark: key,
    facts: [KINDS[kind].title, collection, formatPlace(name, lineOf(anchor))],
    copies: copies.map((copy) => ({ key: copy.key, link: within(copy.path) })),
  });
}

/** The one with the most words, in its name or its text; the first of equals. */
function bestPassage(passages: readonly CardPassage[], find: ReturnType<typeof findWords>): CardPassage | undefined {
  const worth = passages.map(({ name, text }) => 2 * worthOf(name, find) + worthOf(text, find));
  return passages[worth.indexOf(Math.max(...worth))];
}

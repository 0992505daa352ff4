/** Filters, search and order of a page on a host of plain files: such a host gives the page as if nothing had been asked. What a server
 *  would have made of the query is made here, of files that lie beside the page. */
import { pagePath } from "../../snapshots/format/layout.ts";
import { facetOf, REGISTRY_PART, tellsApart } from "../../snapshots/page/facets.ts";
import type { Facet } from "../../snapshots/page/model.ts";
import {
  countColumn,
  type FilterColumns,
  findInWords,
  idsOf,
  inSort,
  narrow,
  NO_COLUMN,
  parseRegistrySort,
  placeOfList,
  type RegistryQuery,
  REGISTRY_SORTS,
  registryPath,
  type TermShard,
  toggled,
} from "../../snapshots/query/filters.ts";
import { recordStanding } from "../../snapshots/format/standing.ts";
import { CUB_FACETS, type CubFacet } from "../../snapshots/schema/cub-facets.ts";
import type { CubRecord } from "../../snapshots/schema/index.ts";
import { formatCount, formatLine, formatPlural } from "../format.ts";
import { isOpen, viewFacet, wordOf } from "../facet-view.ts";
import { explain, titleOfField } from "../words.ts";
import { element, listFacts, partsOf } from "./draw.ts";
import { fill, hasTemplate } from "./fill.ts";
import { sortListing } from "./sort-listing.ts";

const MAX_QUERY = 500; // characters

/** Each file once: words of one query lie in one shard, and a record that was looked at is shown. It stands before what begins below. */
const loaded = new Map<string, Promise<unknown>>();

const place = document.querySelector<HTMLElement>("[data-on-files]");
if (place) void start(place);

async function start(place: HTMLElement): Promise<void> {
  const root = new URL(place.dataset["root"] ?? "./", location.href);
  const status = place.querySelector<HTMLElement>("[data-status]") ?? element("p", "");
  const params = new URL(location.href).searchParams;
  const sort = params.get("sort");
  try {
    const licences = params.getAll("license");
    const isFolder = location.pathname.startsWith(new URL(pagePath.browse("").slice(1), root).pathname);
    if (isFolder && (sort !== null || licences.length > 0)) await sortListing(sort ?? "name", licences, status);
    else if (!isFolder && place.closest("main")?.querySelector("#filters")) await filterRegistry(root, params, status);
  } catch {
    status.className = "warning";
    status.textContent = "The files that this takes did not come; everything is shown.";
  }
}

type Query = RegistryQuery & { readonly part: number };

function parseQuery(params: URLSearchParams): Query {
  const filters = new Map<CubFacet, readonly string[]>();
  for (const { name } of CUB_FACETS) {
    const values = params.getAll(name).map((value) => value.normalize("NFC"));
    if (values.length > 0) filters.set(name, [...new Set(values)].sort());
  }
  const part = Math.max(1, Number.parseInt(params.get("part") ?? "1", 10) || 1);
  return {
    q: [...(params.get("q") ?? "").normalize("NFC")].slice(0, MAX_QUERY).join(""),
    filters,
    sort: parseRegistrySort(params.get("sort")),
    part,
  };
}

async function filterRegistry(root: URL, params: URLSearchParams, status: HTMLElement): Promise<void> {
  const query = parseQuery(params);
  const { sort = null } = query;
  if (query.q === "" && query.filters.size === 0 && sort === null) return;
  status.className = "quiet";
  status.textContent = "Filtering…";
  const [columns, names] = await Promise.all([
    load<FilterColumns>(root, "registry/filters.json"),
    sort === "name" ? load<readonly number[]>(root, "registry/names.json") : null,
  ]);
  const ids = idsOf(columns);
  const record = (at: number): Promise<CubRecord> => load(root, `api/cubs/${ids[at] ?? ""}.json`);
  const words =
    query.q === ""
      ? null
      : await findInWords(query.q, {
          columns,
          shard: (number) => load<TermShard>(root, `registry/words/${number}.json`),
          record,
          all: async () => (await load<{ readonly cubs: readonly CubRecord[] }>(root, "api/cubs.json")).cubs,
        });
  const began = performance.now();
  const among = (at: number): boolean => words === null || words.holding.has(at);
  const passing = narrow(columns, query.filters, among);
  const isNamed = (at: number): boolean => words?.named.has(at) === true;
  const states = columns.filters.standing;
  const found = inSort(
    [...passing.filter(isNamed), ...passing.filter((at) => !isNamed(at))],
    sort,
    (at) => names?.[at] ?? 0,
    (at) => (states === undefined ? "" : (states.lists[placeOfList(states, at)]?.[0] ?? "")),
  );
  const facets = CUB_FACETS.map(({ name }): Facet => {
    const others = new Map(query.filters);
    others.delete(name);
    const counted = query.filters.has(name) ? narrow(columns, others, among) : found;
    return facetOf(query, name, countColumn(columns.filters[name] ?? NO_COLUMN, counted));
  }).filter(tellsApart);
  performance.measure("filter", { start: began });
  const shown = found.slice((query.part - 1) * REGISTRY_PART, query.part * REGISTRY_PART);
  const cards = await Promise.all(shown.map(record));
  document.querySelector("#filters")?.replaceChildren(
    ...facets.map((facet, at) => {
      const drawn = fill(
        "facet",
        viewFacet(facet, (path) => hrefOf(root, path)),
      );
      drawn.toggleAttribute("open", isOpen(facet, at));
      return drawn;
    }),
  );
  drawChips(root, query);
  const orders = document.querySelectorAll<HTMLAnchorElement>("[data-sorts] a");
  for (const [at, one] of [null, ...REGISTRY_SORTS].entries()) {
    const link = orders[at];
    if (link === undefined) continue;
    link.href = hrefOf(root, registryPath({ ...query, sort: one }));
    link.ariaCurrent = one === sort ? "true" : null;
  }
  const list = element("ul", "cards rows");
  list.append(...cards.map((record) => drawRecord(root, record)));
  const body = status.closest(".body");
  body?.replaceChildren(...[place, status, list, drawPager(root, query, found.length)].filter((node) => node !== null));
  status.textContent = `${formatCount(found.length)} of ${formatPlural(ids.length, "record")}`;
  const total = document.querySelector(".lead .facts span");
  const isNarrowed = query.q !== "" || query.filters.size > 0;
  if (total) total.textContent = isNarrowed ? status.textContent : formatPlural(ids.length, "record");
  const field = document.querySelector<HTMLInputElement>(".lead form.search input[name=q]");
  if (field) field.value = query.q;
}

function load<T>(root: URL, path: string): Promise<T> {
  const loading = loaded.get(path) ?? fetchJson(root, path);
  loaded.set(path, loading);
  return loading as Promise<T>;
}

async function fetchJson(root: URL, path: string): Promise<unknown> {
  const response = await fetch(new URL(path, root));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

const hrefOf = (root: URL, path: string): string => new URL(path.slice(1), root).href;

/** The filters that are set, each a link without it; and in the form, so that searching keeps them. */
function drawChips(root: URL, query: Query): void {
  const form = document.querySelector(".lead form.search");
  const set = [...query.filters].flatMap(([name, values]) => values.map((value) => ({ name, value })));
  const kept = [...set, ...(query.sort ? [{ name: "sort", value: query.sort }] : [])];
  for (const { name, value } of kept) form?.append(Object.assign(element("input", ""), { type: "hidden", name, value }));
  const chips = set.map(({ name, value }) => ({
    words: `${titleOfField(name)}: ${wordOf(name, value)}`,
    link: hrefOf(root, toggled(query, name, value)),
  }));
  if (set.length > 0) form?.after(fill("chips", { chips }));
}

function drawRecord(root: URL, record: CubRecord): HTMLElement {
  const { id, theorem_name: title, statement, kind, invocation } = record;
  const { state, says } = recordStanding(record);
  const called = invocation === "" ? "" : formatLine(explain("invocation", invocation).word, 40);
  const card = fill("record", {
    title: formatLine(title, 160),
    link: hrefOf(root, pagePath.record(id)),
    line: statement === "" ? null : formatLine(statement, 280),
    mark: partsOf(id),
    facts: listFacts([formatLine(kind, 40), called]),
  });
  card
    .querySelector(".card-head")
    ?.append(fill(hasTemplate(`state ${state}`) ? `state ${state}` : "state", { says: formatLine(says, 300) }));
  return card;
}

function drawPager(root: URL, query: Query, found: number): HTMLElement | null {
  const { part } = query;
  const parts = Math.max(1, Math.ceil(found / REGISTRY_PART));
  if (found === 0) return element("p", "nothing", "No record matches.");
  if (parts === 1) return null;
  const linkTo = (to: number): string | null => (to < 1 || to > parts ? null : hrefOf(root, registryPath(query, to)));
  const pager = fill("pager", { previous: linkTo(part - 1), here: `part ${part} of ${parts}`, next: linkTo(part + 1) });
  for (const link of pager.querySelectorAll("a:not([href])")) link.replaceWith(element("span", ""));
  return pager;
}

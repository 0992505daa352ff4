/** What a question about the registry, the claims, the catalog or the history asks for, counted from the snapshot that answers. Every
 *  number comes from the query that its link leads to; a question that is not understood has no facts. */
import { CLAIMS_WORDS, REGISTRY_WORDS } from "../../format/registry-words.ts";
import { pagePath } from "../../format/layout.ts";
import { relationsOf } from "../../format/relations.ts";
import { findCollection, type ObjectRow, type RegistryState, type ViewData } from "../../format/view-data.ts";
import { CUB_FACETS, type CubFacet } from "../../schema/cub-facets.ts";
import { type CubRecord, KNOWN_VALUES } from "../../schema/cubs.ts";
import { CLAIM_STATUSES, type Claim } from "../../schema/claims.ts";
import { VISIBILITIES } from "../../schema/resources.ts";
import type { Snapshot } from "../../shelf/read.ts";
import type { RecordLog } from "../../shelf/shelf.ts";
import { claimsPath, findClaims } from "../claims.ts";
import { countAll, findCubs } from "../cubs.ts";
import { filterValues, registryPath } from "../filters.ts";
import { directPath, findObjects, type ObjectQuery } from "../direct.ts";
import type { Facet } from "./lexicon.ts";
import { type Asked, type Chosen, type Filters, readQuestions } from "./reading.ts";

/** A number with the site path of the list that has as many entries. */
type Figure = { readonly value: string; readonly path: string };
/** Text of ours, a number, or the name of something, which is a stranger's text. */
type FactPart = string | Figure | { readonly name: string };

/** Of an open snapshot. */
export type Counted = Pick<Snapshot, "data" | "record"> & { readonly shelf: { readonly records: Pick<RecordLog, "index" | "changes"> } };

export type Facts = {
  readonly parts: readonly FactPart[];
  /** What the lists name, first ones first. */
  readonly found: readonly { readonly kind: string; readonly key: string }[];
};

const MAX_NAMED = 12; // of a list in a sentence; its link leads to all
const MAX_GROUPS = 30;
const NONE: Filters = new Map();

/** `rest` is what a question asks beside that, "" when that is all. */
export type FoundFacts = { readonly facts: readonly Facts[]; readonly rest: string };

/** @param prefix only keys under it: records and claims have no key, so only objects are counted then
 *  @returns no facts and the whole question when it is not understood */
export async function findFacts(question: string, prefix: string, snapshot: Counted): Promise<FoundFacts> {
  const data = await snapshot.data();
  const { all, rest } = readQuestions(question, data);
  const facts: Facts[] = [];
  for (const asked of all) {
    const found = prefix !== "" && asked.subject !== "objects" ? null : await answer(asked, prefix, snapshot, data);
    if (found === null) return { facts: [], rest: question };
    facts.push(found);
  }
  return { facts, rest };
}

async function answer(asked: Asked, prefix: string, snapshot: Counted, data: ViewData): Promise<Facts | null> {
  const missing = missingOf(asked, data);
  if (missing !== null) return told([missing]);
  if (asked.subject === "snapshots" || asked.subject === "changes" || asked.ask === "when") return historyFacts(asked, snapshot, data);
  const { entity } = asked;
  if (entity !== null)
    return entity.kind === "record" ? entityFacts(asked, recordList(data), entity.id) : entityFacts(asked, claimList(data), entity.id);
  switch (asked.subject) {
    case "records":
      return listFacts(asked, recordList(data));
    case "claims":
      return listFacts(asked, claimList(data));
    case "objects":
      return listFacts(asked, objectList(data, prefix));
    case "collections":
      return gatedFacts(asked, data) ?? listFacts(asked, collectionList(data));
    case "rejected":
      return rejectedFacts(asked, data);
  }
}

/** The public view names no gated collection; how many there are, it says. */
function gatedFacts({ ask, filters }: Asked, { library }: ViewData): Facts | null {
  const chosen = filters.get("visibility");
  const counts = library.collection_counts;
  if (library.view === "internal" || chosen === undefined || counts === undefined || filters.size > 1 || ask !== "count") return null;
  const [visibility, ...more] = allowed(chosen, VISIBILITIES);
  const count = [counts.public, counts.email_gated][VISIBILITIES.findIndex((one) => one === visibility)];
  if (count === undefined || more.length > 0) return null;
  const path = "/api/capabilities";
  return told([figure(count, path), " of ", figure(counts.public + counts.email_gated, path), ` collections are ${visibility}.`]);
}

function rejectedFacts({ ask, onlyObjects }: Asked, { rejected, withheld }: ViewData): Facts | null {
  if (ask !== "count" && ask !== "list" && ask !== "any") return null;
  const count = rejected.filter(({ source }) => !onlyObjects || source === "store").length + withheld;
  return told([figure(count, pagePath.rejected), ` ${onlyObjects ? "objects" : "inputs"} were left out of this snapshot.`]);
}

function told(parts: readonly FactPart[], found: Facts["found"] = []): Facts {
  return { parts, found };
}

function figure(count: number, path: string): Figure {
  return { value: String(count), path };
}

/** Why there is nothing to count, which is not the number 0. */
function missingOf({ subject, registry }: Asked, { library }: ViewData): string | null {
  const isMissing = (state: RegistryState | undefined): state is "none" | "failed" => state === "none" || state === "failed";
  if ((subject === "records" || registry) && isMissing(library.registry)) return REGISTRY_WORDS[library.registry];
  return subject === "claims" && isMissing(library.claims) ? CLAIMS_WORDS[library.claims] : null;
}

/** Things of one kind, as one of the queries lists them. */
type List<T> = {
  readonly noun: string;
  readonly all: readonly T[];
  find(filters: Filters): readonly T[];
  /** Null when no page lists just these. */
  path(filters: Filters): string | null;
  values(facet: Facet): readonly string[];
  /** Values of one of them. */
  valuesOf(item: T, facet: Facet): readonly string[];
  name(item: T): string;
  found(item: T): Facts["found"][number];
  readonly size: ((item: T) => number) | null;
  readonly time: ((item: T) => string | null) | null;
};

/** The values that pass. */
function allowed({ include, exclude }: Chosen, values: readonly string[]): readonly string[] {
  return (include ?? values).filter((value) => !exclude.includes(value));
}

function recordList(data: ViewData): List<CubRecord> {
  const filtersOf = (filters: Filters) =>
    new Map([...filters].map(([facet, chosen]) => [facet as CubFacet, allowed(chosen, valuesOfFacet(facet)).toSorted()]));
  const valuesOfFacet = (facet: Facet): readonly string[] => {
    const field = CUB_FACETS.find(({ name }) => name === facet)?.field ?? "repo";
    const known: readonly string[] = Object.hasOwn(KNOWN_VALUES, field) ? KNOWN_VALUES[field as keyof typeof KNOWN_VALUES] : [];
    return [...new Set([...countAll(data.cubs, facet as CubFacet).map(({ value }) => value), ...known])];
  };
  return {
    noun: "record",
    all: data.cubs,
    find: (filters) => findCubs(data.cubs, { q: "", filters: filtersOf(filters), limit: data.cubs.length }).cubs,
    path: (filters) => registryPath("", filtersOf(filters)),
    values: valuesOfFacet,
    valuesOf: (record, facet) => filterValues(record, facet as CubFacet),
    name: ({ id, theorem_name }) => `${theorem_name} (${id})`,
    found: ({ id }) => ({ kind: "record", key: id }),
    size: null,
    time: null,
  };
}

function claimList({ claims }: ViewData): List<Claim> {
  const statuses = (filters: Filters): readonly string[] | null => {
    const chosen = filters.get("claim_status");
    return chosen === undefined ? null : allowed(chosen, CLAIM_STATUSES);
  };
  return {
    noun: "claim",
    all: claims.claims,
    find: (filters) => findClaims(claims.claims, statuses(filters)),
    path: (filters) => claimsPath(statuses(filters)),
    values: () => CLAIM_STATUSES,
    valuesOf: ({ status }) => [status],
    name: ({ title, id }) => `${title} (${id})`,
    found: ({ id }) => ({ kind: "claim", key: id }),
    size: null,
    time: null,
  };
}

function objectList(data: ViewData, prefix: string): List<ObjectRow> {
  const { collections } = data.library;
  const collectionOf = (row: ObjectRow): string => findCollection(collections, row.key)?.id ?? "";
  const values = (facet: Facet): readonly string[] =>
    facet === "collection" ? collections.map(({ id }) => id) : [...new Set(data.objects.map(({ kind }) => kind))];
  const queryOf = (filters: Filters): ObjectQuery => {
    const [kinds, inside] = (["object_kind", "collection"] as const).map((facet) => {
      const chosen = filters.get(facet);
      return chosen === undefined ? null : allowed(chosen, values(facet));
    });
    return { kinds: kinds ?? null, collections: inside ?? null, prefix };
  };
  return {
    noun: "object",
    all: findObjects(data, queryOf(NONE)),
    find: (filters) => findObjects(data, queryOf(filters)),
    path: (filters) => directPath(data, queryOf(filters)),
    values,
    valuesOf: (row, facet) => [facet === "collection" ? collectionOf(row) : row.kind],
    name: ({ key, title }) => (title === key ? key : `${title} (${key})`),
    found: ({ key, kind }) => ({ kind, key }),
    size: ({ size }) => size,
    time: ({ uploaded }) => uploaded,
  };
}

type Shelved = {
  readonly id: string;
  readonly title: string;
  readonly prefix: string;
  readonly count: number;
  readonly updated: string | null;
};

function collectionList(data: ViewData): List<Shelved> {
  const { library } = data;
  const { totals } = relationsOf(data);
  const shown = library.collections.map(({ id, title, prefix, visibility }) => {
    const total = totals.get(id);
    return { id, title, prefix, visibility, count: total?.count ?? 0, updated: total?.updated ?? null };
  });
  return {
    noun: "collection",
    all: shown,
    find: (filters) => {
      const chosen = filters.get("visibility");
      return chosen === undefined ? shown : shown.filter(({ visibility }) => allowed(chosen, VISIBILITIES).includes(visibility));
    },
    // One page lists them all and says of each who may see it; the public view names no gated one.
    path: (filters) => (filters.has("visibility") && library.view === "public" ? null : pagePath.browse("")),
    values: () => VISIBILITIES,
    valuesOf: () => [],
    name: ({ title, prefix }) => `${title} (${prefix})`,
    found: ({ prefix }) => ({ kind: "collection", key: prefix }),
    size: ({ count }) => count,
    time: ({ updated }) => updated,
  };
}

function listFacts<T>(asked: Asked, list: List<T>): Facts | null {
  const { ask, facet, filters, base, than, threshold } = asked;
  const path = list.path(filters);
  if (path === null) return null;
  const items = list.find(filters);
  const whole = new Map([...base, ...filters]);
  const one = (count: number, of: Filters): FactPart => figure(count, list.path(of) ?? path);
  const total = one(list.all.length, NONE);
  const noun = `${list.noun}s`;
  if (facet !== null && ask !== "share" && ask !== "all") return than === null && base.size === 0 ? groupFacts(asked, facet, list) : null;
  if (than !== null) {
    const other = list.find(than);
    const difference = items.length - other.length;
    const holds = ask === "more" ? difference > 0 : ask === "fewer" ? difference < 0 : difference === 0;
    return told([
      asked.yesNo ? (holds ? "Yes: " : "No: ") : "",
      one(items.length, filters),
      ` ${noun} ${predicate(filters)}, `,
      one(other.length, than),
      ` ${predicate(than)}${difference === 0 ? ", which is as many" : `: ${Math.abs(difference)} ${difference > 0 ? "fewer" : "more"}`}.`,
    ]);
  }
  if (ask === "share" || ask === "all") {
    const within = list.find(base);
    const both = list.find(whole);
    if ([...filters.keys()].some((name) => base.has(name))) return null;
    const yes = ask === "share" ? "" : both.length === within.length ? "Yes: " : "No: ";
    const percent = within.length === 0 ? "" : ` (${((100 * both.length) / within.length).toFixed(1)} %)`;
    const those = base.size === 0 ? noun : `${noun} that ${predicate(base)}`;
    return told([
      yes,
      one(both.length, whole),
      " of ",
      one(within.length, base),
      ` ${those} ${predicate(filters)}${ask === "share" ? percent : ""}.`,
    ]);
  }
  if (threshold !== null) {
    const holds = items.length >= threshold.min && items.length <= threshold.max;
    return told([holds ? "Yes: " : "No: ", one(items.length, filters), ...of(total, filters, noun), "."]);
  }
  if (ask === "most" || ask === "least") return null;
  if (ask === "size" || ask === "newest" || ask === "largest" || ask === "smallest") return extremeFacts(asked, list, items);
  if (ask === "any") {
    const head = items.length === 0 ? "No: " : "Yes: ";
    return named([head, one(items.length, filters), ...of(total, filters, noun)], items, list);
  }
  const counted: FactPart[] = [one(items.length, filters), ...of(total, filters, noun)];
  return ask === "count" ? told([...counted, ...parted(filters, items, list), "."]) : named(counted, items, list);
}

/** " of 51 records are verified", or " records" of them all. */
function of(total: FactPart, filters: Filters, noun: string): readonly FactPart[] {
  return filters.size === 0 ? [` ${noun}`] : [" of ", total, ` ${noun} ${predicate(filters)}`];
}

/** What "not verified" is made of. */
function parted<T>(filters: Filters, items: readonly T[], list: List<T>): readonly FactPart[] {
  const [[facet, chosen] = [null, null], ...more] = filters;
  if (facet === null || chosen === null || more.length > 0 || (chosen.exclude.length === 0 && (chosen.include?.length ?? 0) < 2)) return [];
  const groups = countOf(items, facet, list).filter(({ count }) => count > 0);
  return groups.length < 2 ? [] : [": ", ...joined(groups, facet, NONE, list)];
}

function countOf<T>(items: readonly T[], facet: Facet, list: List<T>): readonly { readonly value: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const item of items) for (const value of new Set(list.valuesOf(item, facet))) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

function joined<T>(
  groups: readonly { readonly value: string; readonly count: number }[],
  facet: Facet,
  filters: Filters,
  list: List<T>,
): readonly FactPart[] {
  return groups.slice(0, MAX_GROUPS).flatMap(({ value, count }, at): FactPart[] => {
    const path = list.path(new Map([...filters, [facet, { include: [value], exclude: [] }]]));
    // A number beside a number says which is which.
    const told = /^\d/.test(value) ? `${titleOf(facet)} ${value}: ` : `${value === "" ? "(none)" : value} `;
    return [`${at === 0 ? "" : ", "}${told}`, path === null ? String(count) : figure(count, path)];
  });
}

function groupFacts<T>({ ask, filters, threshold }: Asked, facet: Facet, list: List<T>): Facts | null {
  if (filters.has(facet)) return null;
  const items = list.find(filters);
  const path = list.path(filters);
  if (path === null) return null;
  const groups = countOf(items, facet, list);
  const those = filters.size === 0 ? `${list.noun}s` : `${list.noun}s that ${predicate(filters)}`;
  const title = titleOf(facet);
  const isMost = ask === "most" || ask === "largest";
  if (isMost || ask === "least" || ask === "smallest") {
    const values = groups.filter(({ value }) => value !== "");
    const best = values.at(isMost ? 0 : -1)?.count;
    const first = values.filter(({ count }) => count === best);
    if (best === undefined) return null;
    const order = isMost ? "most" : "fewest";
    return told([`The ${title} with the ${order} ${those}: `, ...joined(first, facet, filters, list), "."]);
  }
  if (threshold !== null) {
    const { min, max } = threshold;
    // A group that has none is not among them, so none may be asked for.
    if (min === 0) return null;
    const fitting = groups.filter(({ value, count }) => value !== "" && count >= min && count <= max);
    const bounds = max === Number.POSITIVE_INFINITY ? `${min} or more` : min === max ? `${min}` : `${min} to ${max}`;
    const many = fitting.length === 1 ? `${title} has` : `${plural(title)} have`;
    return told([
      `${fitting.length} ${many} ${bounds} ${those}`,
      ...(fitting.length === 0 ? [] : [": ", ...joined(fitting, facet, filters, list)]),
      ".",
    ]);
  }
  if (groups.length > MAX_GROUPS) return null;
  const values = groups.filter(({ value }) => value !== "").length;
  return told([
    figure(values, path),
    ` different ${values === 1 ? "value" : "values"} of ${title} among the `,
    figure(items.length, path),
    ` ${those}: `,
    ...joined(groups, facet, filters, list),
    ".",
  ]);
}

function extremeFacts<T>({ ask, filters }: Asked, list: List<T>, items: readonly T[]): Facts | null {
  const { size, time } = list;
  const path = list.path(filters);
  if (size === null || path === null || items.length === 0) return null;
  const those = filters.size === 0 ? `${list.noun}s` : `${list.noun}s that ${predicate(filters)}`;
  if (ask === "size") {
    if (list.noun !== "object") return null;
    const bytes = items.reduce((sum, item) => sum + size(item), 0);
    return told([`The `, figure(items.length, path), ` ${those} have `, { value: String(bytes), path }, " bytes together."]);
  }
  if (ask === "newest") {
    const newest = items.reduce((best, item) => ((time?.(item) ?? "") > (time?.(best) ?? "") ? item : best));
    const when = time?.(newest) ?? null;
    return when === null
      ? null
      : told(
          [`The newest of the `, figure(items.length, path), ` ${those} is `, { name: list.name(newest) }, `, of ${when}.`],
          [list.found(newest)],
        );
  }
  const sign = ask === "largest" ? 1 : -1;
  const best = items.reduce((best, item) => (sign * (size(item) - size(best)) > 0 ? item : best));
  const found = list.found(best);
  const unit = list.noun === "object" ? "bytes" : "objects";
  return told(
    [
      `The ${ask} of the `,
      figure(items.length, path),
      ` ${those} is `,
      { name: list.name(best) },
      " with ",
      { value: String(size(best)), path: pagePath.source(found.kind, found.key) },
      ` ${unit}.`,
    ],
    [found],
  );
}

function named<T>(parts: readonly FactPart[], items: readonly T[], list: List<T>): Facts {
  const shown = items.slice(0, MAX_NAMED);
  const more = items.length - shown.length;
  const names = shown.flatMap((item, at): FactPart[] => [at === 0 ? ": " : ", ", { name: list.name(item) }]);
  const end = more > 0 ? ` and ${more} more.` : ".";
  return told(
    [...parts, ...names, end],
    shown.map((item) => list.found(item)),
  );
}

function entityFacts<T extends { readonly id: string }>({ ask, facet, filters }: Asked, list: List<T>, id: string): Facts | null {
  const item = list.all.find((one) => one.id === id);
  if (item === undefined) return null;
  const found = list.found(item);
  const head: FactPart = { value: id, path: pagePath.source(found.kind, found.key) };
  if (facet !== null && filters.size === 0) {
    const values = list.valuesOf(item, facet).map((value) => (value === "" ? "(none)" : value));
    return told([`The ${titleOf(facet)} of `, head, ` is ${values.join(", ") || "(none)"}.`], [found]);
  }
  if (filters.size === 0 || facet !== null || !["any", "list"].includes(ask)) return null;
  const holds = list.find(filters).includes(item);
  const states = [...filters.keys()].map((name) => `${titleOf(name)} ${list.valuesOf(item, name).join(", ") || "(none)"}`);
  return told([holds ? "Yes: " : "No: ", head, ` has ${states.join(" and ")}.`], [found]);
}

async function historyFacts(
  { ask, subject, filters, registry, base, than, facet }: Asked,
  snapshot: Counted,
  data: ViewData,
): Promise<Facts | null> {
  const { record, shelf } = snapshot;
  if (base.size > 0 || than !== null || facet !== null) return null;
  if (ask === "when" && (subject === "snapshots" || subject === "changes")) {
    if (subject === "changes" && filters.get("change")?.include?.join() !== "changed") return null;
    if (registry) return data.meta === null ? null : told([`The registry was last changed at ${data.meta.updated_iso}.`]);
    return told(["Publication ", figure(record.sequence, pagePath.snapshots), `, which answers, was made at ${record.created}.`]);
  }
  if (registry || ask === "when") return null;
  if (subject === "snapshots") {
    if (filters.size > 0) return null;
    if (ask === "newest")
      return told(["The newest is publication ", figure(record.sequence, pagePath.snapshots), ` of ${record.created}.`]);
    if (ask !== "count") return null;
    const { records } = await shelf.records.index();
    const kept = records.filter(({ sequence }) => sequence <= record.sequence).length;
    return told([figure(kept, pagePath.snapshots), ` publications are kept; the newest is of ${record.created}.`]);
  }
  const chosen = filters.get("change");
  if (!["count", "list"].includes(ask) || (chosen !== undefined && chosen.include === null)) return null;
  const wanted = (chosen?.include ?? ["added", "changed", "removed"]) as readonly ("added" | "changed" | "removed")[];
  for await (const [sequence, changes] of shelf.records.changes(record.sequence - 1, record.sequence)) {
    if (sequence !== record.sequence) continue;
    const path = record.previous === null ? pagePath.snapshots : pagePath.diff(record.previous, record.snapshot);
    const parts = wanted.flatMap((change, at): FactPart[] => [
      at === 0 ? " " : "; ",
      figure(changes[change].objects.length, path),
      ` objects, `,
      figure(changes[change].claims.length, path),
      ` claims and `,
      figure(changes[change].records.length, path),
      ` records ${change}`,
    ]);
    return told([`Publication ${record.sequence}, made at ${record.created}:`, ...parts, "."]);
  }
  return null;
}

function titleOf(facet: Facet): string {
  return facet === "repo" ? "repository" : facet.replaceAll("_", " ");
}

/** How a value is said of a thing. */
const SAID: Partial<Record<Facet, Readonly<Record<string, string>>>> = {
  verification_state: { VERIFIED: "verified", NOT_VERIFIED: "NOT_VERIFIED", UNSPECIFIED: "of unspecified verification state" },
  invocation: { runtime: "called at run time", "test-only": "called by tests only", dead: "dead code", unwired: "unwired" },
  deployable: { true: "deployable", false: "not deployable" },
  no_holes: { true: "free of holes", false: "with holes" },
  claim_status: { verified: "verified", scoped: "scoped", partial: "partial" },
  production_consumption: { "NOT-RUNTIME-CONSUMED": "not used at run time" },
  visibility: { public: "public", "email-gated": "email-gated" },
};
const BEFORE: Partial<Record<Facet, string>> = {
  repo: "in the repository",
  crate: "in the crate",
  collection: "in the collection",
  object_kind: "of kind",
  kind: "of kind",
};

function plural(noun: string): string {
  return noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : noun.endsWith("s") ? noun : `${noun}s`;
}

function say(facet: Facet, values: readonly string[]): string {
  if (values.length === 1 && values[0] === "" && SAID[facet]?.[""] === undefined) return `without ${titleOf(facet)}`;
  const words = values.map((value) => SAID[facet]?.[value] ?? (value === "" ? "(none)" : value)).join(" or ");
  return values.every((value) => SAID[facet]?.[value] !== undefined) ? words : `${BEFORE[facet] ?? `of ${titleOf(facet)}`} ${words}`;
}

/** "are verified and not in the repository sorted-lists". */
function predicate(filters: Filters): string {
  if (filters.size === 0) return "are there";
  const said = [...filters].map(([facet, { include, exclude }]) => {
    if (facet === "production_consumption" && exclude.length > 0) return "used in production";
    if (facet === "production_consumption" && include?.includes("") === true) return "not used in production";
    if (exclude.length === 1 && exclude[0] === "") return `with ${titleOf(facet)}`;
    return exclude.length > 0 ? `not ${say(facet, exclude)}` : say(facet, include ?? []);
  });
  return `are ${said.join(" and ")}`;
}

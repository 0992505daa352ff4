/** The figures of an answer, counted from the snapshot that answers, each with the site path of what it counts. */
import { CLAIMS_WORDS, REGISTRY_WORDS } from "../../../snapshots/format/index.ts";
import { standingWord } from "../../../snapshots/format/standing.ts";
import { pagePath } from "../../../snapshots/format/layout.ts";
import type { RegistryState, ViewData } from "../../../snapshots/format/view-data.ts";
import { VISIBILITIES } from "../../../snapshots/schema/index.ts";
import type { CountedSnapshot, FactPart, Facts, Figure } from "../../ask/counted.ts";
import type { Facet } from "./lexicon.ts";
import { allowed, type Item, type List, narrow, openList } from "./lists.ts";
import { named, plural, predicate, titleOf } from "./said.ts";
import type { Asked, Filters } from "./question.ts";

const MAX_NAMED = 12; // of a list in a sentence; its link leads to all
const MAX_GROUPS = 30;
const NONE: Filters = new Map();

/** answerAsked returns null when nothing in the snapshot proves a number.
 *  @param prefix only keys under it: records and claims have no key, so only objects are counted then */
export async function answerAsked(asked: Asked, prefix: string, snapshot: CountedSnapshot, data: ViewData): Promise<Facts | null> {
  const { subject, kind } = asked;
  if (prefix !== "" && subject !== "objects") return null;
  const missing = missingOf(asked, data.library);
  if (missing !== null) return told([missing]);
  if (subject === "snapshots" || kind === "when") return publicationFacts(asked, snapshot, data);
  if (subject === "changes") return changeFacts(asked, snapshot);
  if (subject === "rejected") return rejectedFacts(asked, data);
  const gated = subject === "collections" ? gatedFacts(asked, data.library) : null;
  if (gated !== null) return gated;
  const list = openList(subject, data, prefix);
  const path = list.path(asked.filters);
  if (path === null) return null;
  if (kind === "entity") return entityFacts(asked, list);
  const counted: Listed = { list, items: narrow(list, asked.filters), path };
  if (kind === "grouped") return asked.facet === null ? null : groupFacts(asked, asked.facet, counted);
  if (kind === "compared") return asked.than === null ? null : comparedFacts(asked, asked.than, counted);
  if (kind === "extreme") return extremeFacts(asked, counted);
  return asked.ask === "share" || asked.ask === "all" ? shareFacts(asked, list) : thingFacts(asked, counted);
}

/** What is left of a list, and the page that lists it. */
type Listed = { readonly list: List; readonly items: readonly Item[]; readonly path: string };

/** missingOf says why there is nothing to count, which is not the number 0. */
function missingOf({ subject, registry }: Asked, library: ViewData["library"]): string | null {
  const isMissing = (state: RegistryState): state is "none" | "failed" => state === "none" || state === "failed";
  if ((subject === "records" || registry) && isMissing(library.registry)) return REGISTRY_WORDS[library.registry];
  return subject === "claims" && isMissing(library.claims) ? CLAIMS_WORDS[library.claims] : null;
}

/** The public view names no gated collection; how many there are, it says. */
function gatedFacts({ ask, filters }: Asked, { view, collection_counts: counts }: ViewData["library"]): Facts | null {
  const chosen = filters.get("visibility");
  if (view === "internal" || chosen === undefined || ask !== "count") return null;
  const [visibility, ...more] = allowed(chosen, VISIBILITIES);
  const count = [counts.public, counts.email_gated][VISIBILITIES.findIndex((one) => one === visibility)];
  if (count === undefined || more.length > 0) return null;
  const path = "/api/capabilities";
  return told([figure(count, path), " of ", figure(counts.public + counts.email_gated, path), ` collections are ${visibility}.`]);
}

function rejectedFacts({ onlyObjects }: Asked, { rejected, withheld }: ViewData): Facts {
  const count = rejected.filter(({ source }) => !onlyObjects || source === "store").length + withheld;
  return told([figure(count, pagePath.rejected), ` ${onlyObjects ? "objects" : "inputs"} were left out of this snapshot.`]);
}

function told(parts: readonly FactPart[], found: Facts["found"] = []): Facts {
  return { parts, found };
}

function figure(count: number, path: string): Figure {
  return { value: String(count), path };
}

function thingFacts({ ask, filters, bounds }: Asked, { list, items, path }: Listed): Facts {
  const noun = `${list.noun}s`;
  const total = figure(list.all.length, list.path(NONE) ?? path);
  const count = figure(items.length, path);
  const counted: FactPart[] = filters.size === 0 ? [count, ` ${noun}`] : [count, " of ", total, ` ${noun} ${predicate(filters)}`];
  if (bounds !== null) return told([items.length >= bounds.min && items.length <= bounds.max ? "Yes: " : "No: ", ...counted, "."]);
  if (ask === "count") return told([...counted, ...madeOf(filters, items, list), ...besides(filters, list), "."]);
  const shown = items.slice(0, MAX_NAMED);
  const more = items.length - shown.length;
  return told(
    [
      ...(ask === "any" ? [items.length === 0 ? "No: " : "Yes: "] : []),
      ...counted,
      ...shown.flatMap(({ name }, at): FactPart[] => [at === 0 ? ": " : ", ", { name }]),
      more > 0 ? ` and ${more} more.` : ".",
    ],
    shown.map(({ found }) => found),
  );
}

function isStanding(facet: Facet): boolean {
  return facet === "standing" || facet === "claim_standing";
}

/** besides says how many more were called verified and do not stand as that now. */
function besides(filters: Filters, list: List): readonly FactPart[] {
  const [facet, chosen] = [...filters].find(([name]) => isStanding(name)) ?? [null, null];
  if (facet === null || chosen?.include?.join() !== "verified") return [];
  const parts = (["verified_lost", "verified_said"] as const).flatMap((state): FactPart[] => {
    const others = new Map([...filters, [facet, { include: [state], exclude: [] }]]);
    const count = narrow(list, others).length;
    const path = list.path(others);
    return count === 0 ? [] : ["; ", path === null ? String(count) : figure(count, path), ` ${BESIDES[state]}`];
  });
  return parts;
}

const BESIDES = {
  verified_lost: "more verified once, with files that have changed or are gone, or resting on such",
  verified_said: "more said to be verified, which could not be checked here",
} as const;

/** madeOf says what "not verified" is made of. */
function madeOf(filters: Filters, items: readonly Item[], list: List): readonly FactPart[] {
  const [[facet, chosen] = [null, null], ...more] = filters;
  if (facet === null || chosen === null || more.length > 0 || (chosen.exclude.length === 0 && (chosen.include?.length ?? 0) < 2)) return [];
  const groups = groupsOf(items, facet);
  return groups.length < 2 ? [] : [": ", ...joined(groups, facet, NONE, list)];
}

function shareFacts({ ask, base, filters }: Asked, list: List): Facts | null {
  const whole = new Map([...base, ...filters]);
  const [within, both] = [narrow(list, base), narrow(list, whole)];
  const [path, pathOfBoth] = [list.path(base), list.path(whole)];
  if (path === null || pathOfBoth === null || whole.size < base.size + filters.size) return null;
  const yes = ask === "share" ? "" : both.length === within.length ? "Yes: " : "No: ";
  const percent = ask === "all" || within.length === 0 ? "" : ` (${((100 * both.length) / within.length).toFixed(1)} %)`;
  const rest = ` ${named(list.noun, base)} ${predicate(filters)}${percent}.`;
  return told([yes, figure(both.length, pathOfBoth), " of ", figure(within.length, path), rest]);
}

function comparedFacts({ ask, filters, yesNo }: Asked, than: Filters, { list, items, path }: Listed): Facts | null {
  const others = narrow(list, than).length;
  const otherPath = list.path(than);
  if (otherPath === null) return null;
  const difference = items.length - others;
  const holds = ask === "more" ? difference > 0 : ask === "fewer" ? difference < 0 : difference === 0;
  return told([
    yesNo ? (holds ? "Yes: " : "No: ") : "",
    figure(items.length, path),
    ` ${list.noun}s ${predicate(filters)}, `,
    figure(others, otherPath),
    ` ${predicate(than)}${difference === 0 ? ", which is as many" : `: ${Math.abs(difference)} ${difference > 0 ? "fewer" : "more"}`}.`,
  ]);
}

type Group = { readonly value: string; readonly count: number };

/** groupsOf returns values with how many have them, the largest first. */
function groupsOf(items: readonly Item[], facet: Facet): readonly Group[] {
  const counts = new Map<string, number>();
  for (const item of items) for (const value of new Set(item.valuesOf(facet))) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

function joined(groups: readonly Group[], facet: Facet, filters: Filters, list: List): readonly FactPart[] {
  return groups.slice(0, MAX_GROUPS).flatMap(({ value, count }, at): FactPart[] => {
    const path = list.path(new Map([...filters, [facet, { include: [value], exclude: [] }]]));
    // A number beside a number says which is which.
    const word = isStanding(facet) ? standingWord(value) : value;
    const told = /^\d/.test(value) ? `${titleOf(facet)} ${value}: ` : `${word === "" ? "(none)" : word} `;
    return [`${at === 0 ? "" : ", "}${told}`, path === null ? String(count) : figure(count, path)];
  });
}

function groupFacts({ ask, filters, bounds }: Asked, facet: Facet, { list, items, path }: Listed): Facts | null {
  if (filters.has(facet)) return null;
  const groups = groupsOf(items, facet);
  const values = groups.filter(({ value }) => value !== "");
  const those = named(list.noun, filters);
  const title = titleOf(facet);
  if (ask !== "count" && ask !== "list") {
    const isMost = ask === "most" || ask === "largest";
    const best = values.at(isMost ? 0 : -1)?.count;
    const first = values.filter(({ count }) => count === best);
    return best === undefined
      ? null
      : told([`The ${title} with the ${isMost ? "most" : "fewest"} ${those}: `, ...joined(first, facet, filters, list), "."]);
  }
  if (bounds !== null) {
    const { min, max } = bounds;
    // A group that has none is not among them, so none may be asked for.
    if (min === 0) return null;
    const fitting = values.filter(({ count }) => count >= min && count <= max);
    const range = max === Number.POSITIVE_INFINITY ? `${min} or more` : min === max ? `${min}` : `${min} to ${max}`;
    const head = `${fitting.length} ${fitting.length === 1 ? `${title} has` : `${plural(title)} have`} ${range} ${those}`;
    return told([head, ...(fitting.length === 0 ? [] : [": ", ...joined(fitting, facet, filters, list)]), "."]);
  }
  if (groups.length > MAX_GROUPS) return null;
  const different = ` different ${values.length === 1 ? "value" : "values"} of ${title} among the `;
  return told([
    figure(values.length, path),
    different,
    figure(items.length, path),
    ` ${those}: `,
    ...joined(groups, facet, filters, list),
    ".",
  ]);
}

function extremeFacts({ ask, filters }: Asked, { list, items, path }: Listed): Facts | null {
  const isObject = list.noun === "object";
  const those = ` ${named(list.noun, filters)}`;
  const count = figure(items.length, path);
  if (ask === "size") {
    const bytes = items.reduce((sum, { size = 0 }) => sum + size, 0);
    return isObject ? told(["The ", count, `${those} have `, figure(bytes, path), " bytes together."]) : null;
  }
  const orderOf = ({ size = -1, time }: Item): string | number => (ask === "newest" ? (time ?? "") : ask === "largest" ? size : -size);
  const [first] = items;
  if (first?.size === undefined) return null;
  const best = items.reduce((one, item) => (orderOf(item) > orderOf(one) ? item : one));
  const head: FactPart[] = [`The ${ask} of the `, count, `${those} is `, { name: best.name }];
  if (ask === "newest") return (best.time ?? null) === null ? null : told([...head, `, of ${best.time}.`], [best.found]);
  const size = figure(best.size ?? 0, pagePath.source(best.found.kind, best.found.key));
  return told([...head, " with ", size, isObject ? " bytes." : " objects."], [best.found]);
}

function entityFacts({ entity, facet, filters }: Asked, list: List): Facts | null {
  const item = list.all.find(({ found }) => found.key === entity?.id);
  if (item === undefined) return null;
  const { found } = item;
  const head: FactPart = { value: found.key, path: pagePath.source(found.kind, found.key) };
  const valuesOf = (name: Facet): string =>
    isStanding(name) && item.says !== undefined
      ? item.says
      : item
          .valuesOf(name)
          .map((value) => (value === "" ? "(none)" : value))
          .join(", ") || "(none)";
  if (facet === "axiom") return restFacts(head, item, list);
  if (facet !== null) return told([`The ${titleOf(facet)} of `, head, ` is ${valuesOf(facet)}.`], [found]);
  const states = [...filters.keys()].map((name) => (isStanding(name) ? `is ${valuesOf(name)}` : `has ${titleOf(name)} ${valuesOf(name)}`));
  return told([narrow(list, filters).includes(item) ? "Yes: " : "No: ", head, ` ${states.join(" and ")}.`], [found]);
}

/** restFacts names the axioms of a record; each leads to everything that rests on it. */
function restFacts(head: FactPart, { found, axioms = null }: Item, list: List): Facts {
  if (axioms === null) return told(["Nobody has asked a prover what ", head, " rests on."], [found]);
  const shown = axioms.slice(0, MAX_NAMED).flatMap((name, at): FactPart[] => {
    const all = narrow(list, new Map([["axiom", { include: [name], exclude: [] }]]));
    return [at === 0 ? ": " : ", ", { name }, ` (${all.length} ${all.length === 1 ? "record" : "records"})`];
  });
  const more = axioms.length > MAX_NAMED ? ` and ${axioms.length - MAX_NAMED} more` : "";
  return told(
    [
      head,
      ` rests on ${axioms.length === 0 ? "no axiom" : axioms.length === 1 ? "1 axiom" : `${axioms.length} axioms`}`,
      ...shown,
      `${more}.`,
    ],
    [found],
  );
}

async function publicationFacts({ ask, filters, registry }: Asked, snapshot: CountedSnapshot, { meta }: ViewData): Promise<Facts | null> {
  const { record, shelf } = snapshot;
  const newest = figure(record.sequence, pagePath.snapshots);
  if (ask === "when") {
    if (registry) return meta === null ? null : told([`The registry was last changed at ${meta.updated_iso}.`]);
    return told(["Publication ", newest, `, which answers, was made at ${record.created}.`]);
  }
  if (registry || filters.size > 0) return null;
  if (ask === "newest") return told(["The newest is publication ", newest, ` of ${record.created}.`]);
  if (ask !== "count") return null;
  const { records } = await shelf.records.index();
  const kept = records.filter(({ sequence }) => sequence <= record.sequence).length;
  return told([figure(kept, pagePath.snapshots), ` publications are kept; the newest is of ${record.created}.`]);
}

/** changeFacts says what the last publication changed: only of the last it is known at once. */
async function changeFacts({ filters }: Asked, { record, shelf }: CountedSnapshot): Promise<Facts | null> {
  const wanted = (filters.get("change")?.include ?? ["added", "changed", "removed"]) as readonly ("added" | "changed" | "removed")[];
  for await (const [sequence, changes] of shelf.records.changes(record.sequence - 1, record.sequence)) {
    if (sequence !== record.sequence) continue;
    const path = record.previous === null ? pagePath.snapshots : pagePath.diff(record.previous, record.snapshot);
    const parts = wanted.flatMap((change, at): FactPart[] => {
      const { objects, claims, records } = changes[change];
      const [o, c, r] = [objects, claims, records].map(({ length }) => figure(length, path));
      return [at === 0 ? " " : "; ", o ?? "", " objects, ", c ?? "", " claims and ", r ?? "", ` records ${change}`];
    });
    return told([`Publication ${record.sequence}, made at ${record.created}:`, ...parts, "."]);
  }
  return null;
}

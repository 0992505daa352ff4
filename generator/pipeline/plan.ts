/** Plans what a build has to do, and why: the one place that says what is stale. Facts in, a value out; nothing is read or written.
 *
 *  The plan has two moments, because pages and documents follow from what objects hold: `planReading` says which objects to read, `planWriting`
 *  what to make once they are read. Work is kept from one build to the next while the program and what it was made from are as they were. */
import { isCitationFile, isLicenceFile } from "#generator/extract";
import { canonicalJson, type Sha256, sha256 } from "#snapshots/digest";
import {
  type FileEntry,
  findCollection,
  leadingPrefixes,
  linkEnd,
  memoize,
  parentPrefix,
  siteEnds,
  type ViewData,
} from "#snapshots/format";
import { type Extracts, storedPages } from "#snapshots/page";
import type { Config } from "#generator/config";
import type { BuildFacts, Looked } from "./facts.ts";
import type { ByView } from "#generator/shelves";
import { digestOfItem, type DocumentsPlan, type InternalIndex, planDocuments, planInternal } from "#generator/index";
import { type BuildState, EMPTY_STATE, type KnownObject, timesOf, type Why } from "#generator/kept";
import type { PlannedPage } from "#generator/pages";
import type { Views } from "./project.ts";
import type { StoredObject } from "#generator/sources";
import { ROUTES } from "#snapshots/service";

export type PlannedObject = {
  readonly row: StoredObject;
  readonly root: "public" | "internal";
  readonly why: readonly Why[];
  /** The object as a build that did not get to its end has read it, in this very version. */
  readonly known?: KnownObject;
};

export type ReadingPlan = {
  /** All inputs, and the program, are as they were: there is nothing to do at all. */
  readonly nothing: boolean;
  /** Digest of all inputs and of the program. */
  readonly fingerprint: Sha256;
  /** Why nothing of the last build's work can be used; null when it can. */
  readonly anew: "first" | "program" | "forgotten" | null;
  /** Ascending by key. */
  readonly read: readonly PlannedObject[];
  readonly kept: readonly KnownObject[];
  /** Keys that are gone. */
  readonly removed: readonly string[];
  /** Folders in which an object is added, read again or removed. */
  readonly touched: ReadonlySet<string>;
  /** The last build's work, where it is not void. */
  readonly known: BuildState;
};

type PlannedJson = {
  readonly facts: Sha256;
  /** All but the parts of the objects, which objects decide. */
  readonly kept: readonly FileEntry[] | null;
};

export type WritingPlan = {
  /** How many pages there are, when all are rendered; null when most are kept. */
  readonly pageCount: number | null;
  /** Every page, in order. Made while it is walked through: a page is compared shortly before it is rendered. */
  pages(): Iterable<PlannedPage>;
  /** Digest of what all pages share. */
  readonly shared: Sha256;
  readonly json: ByView<PlannedJson>;
  /** Trees that lie in the shelf, whole. */
  readonly trees: ByView<ReadonlySet<Sha256>>;
  readonly documents: ByView<DocumentsPlan>;
  readonly internalIndex: InternalIndex;
  /** Digest of what decides which earlier snapshots hold what is gated now. */
  readonly gating: Sha256;
};

/** isUnchanged tells whether all inputs, and the program, are as they were. It reads nothing of what the last build knew of its objects. */
export function isUnchanged(facts: BuildFacts | Looked, fingerprint = fingerprintOf(facts)): boolean {
  const { state, pointers, indexes } = facts;
  return (
    fingerprint === state.fingerprint &&
    // An object that could not be read is tried again, and told again.
    state.refused.length === 0 &&
    facts.setbacks.length === 0 &&
    !facts.due &&
    pointers.public !== null &&
    pointers.internal !== null &&
    pointers.public.snapshot === state.public?.snapshot &&
    pointers.internal.snapshot === state.internal?.snapshot &&
    indexes.public.problem === null &&
    indexes.internal.problem === null
  );
}

export function planReading(facts: BuildFacts): ReadingPlan {
  const { config, listed, state, journal } = facts;
  const fingerprint = fingerprintOf(facts);
  const nothing = isUnchanged(facts, fingerprint);
  const anew = whyAnew(facts);
  const known = anew === null ? state : EMPTY_STATE;
  const before = new Map(known.objects.map((object) => [object.key, object]));
  const refused = new Set(state.refused.map(({ key }) => key));
  const kept: KnownObject[] = [];
  const read: PlannedObject[] = [];
  for (const row of listed.rows) {
    const root = rootOf(config, row.key);
    const object = before.get(row.key);
    const why =
      object === undefined
        ? ([anew ?? (refused.has(row.key) ? "refused" : "new")] as const)
        : differences(row, root, object, config.pdf, state.times === timesOf(config));
    const journaled = journal.get(row.key);
    if (object !== undefined && why.length === 0) kept.push(object);
    else if (
      journaled?.version === row.version &&
      journaled.size === row.size &&
      journaled.root === root &&
      hasImages(journaled, config.pdf)
    )
      read.push({ row, root, why, known: journaled });
    else read.push({ row, root, why });
  }
  const there = new Set(listed.rows.map(({ key }) => key));
  const removed = [...before.keys()].filter((key) => !there.has(key));
  const touched = new Set([...read.map(({ row }) => row.key), ...removed].map(parentPrefix));
  // An object that has come or gone changes the pages that link to it.
  const moved = [...removed, ...read.filter(({ row, root }) => before.get(row.key)?.root !== root).map(({ row }) => row.key)];
  const places = new Set(moved.flatMap((key) => [key, ...leadingPrefixes(key)]));
  const ends = new Set(moved.flatMap(siteEnds));
  if (places.size > 0)
    for (const { key, links } of kept)
      if (links.some((target) => places.has(target) || places.has(`${target}/`) || ends.has(linkEnd(target))))
        touched.add(parentPrefix(key));
  return { nothing, fingerprint, anew, read, kept, removed, touched, known };
}

/** planWriting plans what to make once the objects are read.
 */
export function planWriting(
  facts: BuildFacts,
  reading: ReadingPlan,
  views: Views,
  extracts: Extracts,
  reindex: ByView<boolean>,
): WritingPlan {
  const { known, touched, anew } = reading;
  const data = views.public;
  const speaking = data.objects.filter(({ key }) => isLicenceFile(key) || isCitationFile(key)).map(({ key, sha256 }) => [key, sha256]);
  const addresses = data.objects.flatMap((row) => (row.addresses === undefined ? [] : [[row.key, row.addresses]]));
  const { sources, credits } = facts.config;
  const shared = sha256(
    JSON.stringify([data.library, data.claims, digestOfRecords(data.cubs).sha256, sources, credits, speaking, addresses]),
  );
  const json = (view: "public" | "internal"): PlannedJson => {
    const decisive = digestOfOthers(views[view]);
    const { api } = known.written[view];
    return { facts: decisive, kept: api.facts === decisive ? api.files : null };
  };
  const { indexes } = facts;
  const usableIndex = (view: "public" | "internal"): boolean => indexes[view].problem === null && !reindex[view];
  const before = { public: usableIndex("public") ? known.public : null, internal: usableIndex("internal") ? known.internal : null };
  const shown = planDocuments(views.public, extracts.digest, before.public);
  const internal = planInternal(views.internal, extracts.digest, shown, before.internal, indexes.internal);
  return {
    pageCount: anew === null ? null : countOf(storedPages(data, ROUTES, extracts)),
    *pages() {
      for (const page of storedPages(data, ROUTES, extracts)) {
        const before = known.pages[page.file];
        if (before !== undefined && shared === known.shared && page.folder !== null && !touched.has(page.folder)) {
          yield { page, facts: before.facts, kept: before };
          continue;
        }
        const decisive = sha256(JSON.stringify(page.facts()));
        yield { page, facts: decisive, kept: before?.facts === decisive ? before : null };
      }
    },
    shared,
    json: { public: json("public"), internal: json("internal") },
    trees: { public: new Set(known.written.public.trees), internal: new Set(known.written.internal.trees) },
    documents: { public: shown, internal: internal.documents },
    internalIndex: internal.kind,
    gating: gatingDigest(views, facts.registry.privateTexts),
  };
}

/** gatingDigest digests everything but gated bytes that decides what is exposed. While it is the same as the last build's, only gated bytes can
 *  be. */
export function gatingDigest({ internal }: Views, privateTexts: readonly string[]): Sha256 {
  return sha256(canonicalJson([internal.library.collections, internal.claims, [...privateTexts].sort()]));
}

// One digest of each list for all that follows from it: they are the same in both views.
const digestOfRecords = memoize((cubs: ViewData["cubs"]) => ({ sha256: sha256(cubs.map((record) => digestOfItem(record).sha256).join()) }));
const digestOfCode = memoize((code: ViewData["code"]) => ({
  sha256: sha256([...code.values()].map((index) => digestOfItem(index).sha256).join()),
}));

/** digestOfOthers digests all that a view says but its objects. */
function digestOfOthers({ library, claims, rejected, withheld, withdrawn, cubs, meta, code }: ViewData): Sha256 {
  const [records, indexes] = [digestOfRecords(cubs).sha256, digestOfCode(code).sha256];
  return sha256(JSON.stringify([library, claims, rejected, withheld, withdrawn, records, meta, indexes]));
}

/** saysTheSame tells whether the served view says the same as this one of everything but its objects, as far as the last build tells. */
export function saysTheSame({ state, pointers }: BuildFacts, view: "public" | "internal", data: ViewData): boolean {
  return pointers[view]?.snapshot === state[view]?.snapshot && state.written[view].api.facts === digestOfOthers(data);
}

function countOf(all: Iterable<unknown>): number {
  let count = 0;
  for (const _ of all) count++;
  return count;
}

function whyAnew({ state, program, pointers, kept }: BuildFacts): "first" | "program" | "forgotten" | null {
  if (pointers.public === null && pointers.internal === null) return "first";
  if (state.program !== "" && state.program !== program) return "program";
  const there = (["public", "internal"] as const).every((view) => kept[view].has(state[view]?.snapshot ?? ""));
  return there ? null : "forgotten";
}

function rootOf(config: Config, key: string): "public" | "internal" {
  return findCollection(config.collections, key)?.visibility === "public" ? "public" : "internal";
}

function differences(
  row: StoredObject,
  root: "public" | "internal",
  before: KnownObject,
  pdf: Config["pdf"],
  sameTimes: boolean,
): readonly Why[] {
  const found: Why[] = [];
  if (before.version !== row.version) found.push("version");
  if (before.size !== row.size) found.push("size");
  if (!sameTimes) found.push("time");
  if (!hasImages(before, pdf)) found.push("images");
  if (before.root !== root) found.push("root");
  return found;
}

function hasImages({ drawn }: KnownObject, { pageImages }: Config["pdf"]): boolean {
  return drawn === undefined || drawn.limit === pageImages;
}

/** Members of the configuration that no snapshot follows from: places of what is compared itself, rules of the build, and what a server does. */
const UNCOUNTED: ReadonlySet<string> = new Set(
  (
    "file sha256 store shelf claims withdrawals code " +
    "embeddings links extract gates keep log webhooks " +
    "access answers gateway trustProxy mcp"
  ).split(" "),
);

/** The same of its registry: what was read of it counts by its digest. */
const PLACES: ReadonlySet<string> = new Set(["path", "url", "sources"]);

/** countedOf gives all of the configuration that a snapshot may follow from: a member counts until somebody says that it need not. */
function countedOf(config: Config): string {
  const registry = config.registry && without(config.registry, PLACES);
  return canonicalJson(without({ ...config, registry, uploaded: timesOf(config) }, UNCOUNTED));
}

function without(members: object, names: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name)));
}

function fingerprintOf({ config, program, listed, registry, claims, withdrawals }: BuildFacts | Looked): Sha256 {
  return sha256(
    JSON.stringify([
      program,
      registry.inputs,
      claims.state,
      claims.sha256,
      claims.notes,
      countedOf(config),
      listed.rows.map(({ key, size, version }) => [key, size, version]),
      listed.rejected,
      withdrawals.list,
    ]),
  );
}

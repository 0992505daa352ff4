/** Previews a build: it makes the plan for a reader and does none of it. Nothing is written, no lock is taken.
 *
 *  What objects hold is known when they are read. Until then an object that is to be read is taken to keep its title and kind (a new one gets
 *  those of its name) and to have other bytes, so pages and documents are an estimate then, and said to be. */
import type { Rejection } from "#snapshots/schema";
import type { Config } from "#generator/config";
import { mediaTypeOfName } from "#generator/extract";
import { type BuildFacts, gatherFacts } from "./facts.ts";
import { findRunningBuild } from "#generator/files";
import { planReading, planWriting, type PlannedObject, type ReadingPlan } from "./plan.ts";
import type { DocumentsPlan } from "#generator/index";
import type { KnownObject, Why } from "#generator/kept";
import { project } from "./project.ts";
import type { Annexes } from "./annexes.ts";
import { NO_REMOVAL, type WithdrawnSnapshot } from "./made.ts";
import { extractsOf } from "./read-objects.ts";
import { recordSet, refusals } from "./record-set.ts";
import { openShelves } from "#generator/shelves";
import { openObjectStore } from "#generator/sources";

export type Preview = {
  /** There is nothing to do at all. */
  readonly nothing: boolean;
  /** The build that runs now and may change all this, in words; null when none does. */
  readonly running: string | null;
  /** Objects have to be read first: what is said of pages and documents is what follows unless they hold a surprise. */
  readonly estimated: boolean;
  readonly objects: {
    readonly kept: number;
    /** Ascending by key. */
    readonly read: readonly { readonly key: string; readonly why: readonly Why[] }[];
    readonly removed: readonly { readonly key: string; readonly why: readonly Why[] }[];
  };
  /** Pages of the public view; by site path, in no order of importance. */
  readonly pages: {
    readonly kept: number;
    readonly rendered: readonly { readonly path: string; readonly why: Why | null }[];
    /** Paths in the snapshot's tree. */
    readonly removed: readonly string[];
  };
  /** Why each view's JSON is written again; null where it is kept. The parts of the objects always are. */
  readonly json: { readonly public: Why | null; readonly internal: Why | null };
  /** Documents. */
  readonly index: { readonly public: IndexPreview; readonly internal: IndexPreview };
  /** Public snapshots that would be taken out of service, because they hold what is gated now. */
  readonly withdrawn: readonly WithdrawnSnapshot[];
  readonly rejected: readonly Rejection[];
  readonly notes: readonly string[];
};

export type IndexPreview = { readonly written: number; readonly removed: number; readonly why: Why | null };

/** Stands for the digest of bytes that nobody has read. */
const UNREAD = "0".repeat(64);

/** previewBuild tells what a build would do now.
 *  @param keepHistory as of a build
 *  @throws as a build does for sources that cannot be read as a whole */
export async function previewBuild(config: Config, annexes: Annexes, keepHistory: boolean): Promise<Preview> {
  const shelves = openShelves(config, annexes);
  await shelves.remote?.pull({ views: ["public", "internal"] });
  const registered = await annexes.steps();
  const running = await findRunningBuild(shelves.buildDir);
  const looked = await gatherFacts(config, shelves, {
    store: openObjectStore(config.store, annexes),
    now: () => new Date(),
    keep: false,
    acceptLoss: false,
    isDue: (withdrawals) => registered.some(({ isDue }) => isDue?.(shelves, withdrawals, null) === true),
    makeRegistry: annexes.makeRegistry,
    openStatements: annexes.openStatements,
  });
  const facts = await looked.whole();
  const reading = planReading(facts);
  const common = {
    nothing: reading.nothing,
    running,
    estimated: reading.read.length > 0,
    objects: {
      kept: reading.kept.length,
      read: reading.read.map(({ row, why }) => ({ key: row.key, why })),
      removed: reading.removed.map((key) => ({ key, why: ["gone" as const] })),
    },
    rejected: refusals(facts, []),
    notes: [...facts.withdrawals.notes, ...facts.registry.notes, ...facts.claims.notes],
  };
  if (reading.nothing) {
    const { pages } = facts.state;
    const none: IndexPreview = { written: 0, removed: 0, why: null };
    return {
      ...common,
      pages: { kept: Object.keys(pages).length, rendered: [], removed: [] },
      json: { public: null, internal: null },
      index: { public: none, internal: none },
      withdrawn: [],
    };
  }
  const objects = takenForRead(facts, reading);
  const views = project(recordSet(facts, { objects, refused: [] }));
  let removal = NO_REMOVAL;
  const notes = [...common.notes];
  for (const step of registered.flatMap((annex) => annex.open())) {
    if (step.at !== "before write") continue;
    const found = await step.run({ facts, reading, views, removal }, { shelves, keepHistory, signers: null });
    removal = found.removal;
    notes.push(...(found.notes ?? []));
  }
  const plan = planWriting(facts, reading, views, extractsOf(objects, shelves), removal.reindex);
  const pages = [...plan.pages()];
  const there = new Set(pages.map(({ page }) => page.file));
  return {
    ...common,
    pages: {
      kept: pages.filter(({ kept }) => kept !== null).length,
      rendered: pages.filter(({ kept }) => kept === null).map(({ page, why }) => ({ path: page.path, why })),
      removed: Object.keys(facts.state.pages).filter((file) => !there.has(file)),
    },
    json: { public: plan.json.public.why, internal: plan.json.internal.why },
    index: { public: describeDocuments(plan.documents.public), internal: describeDocuments(plan.documents.internal) },
    withdrawn: removal.withdrawn,
    notes,
  };
}

function describeDocuments({ upsert, remove, why }: DocumentsPlan): IndexPreview {
  return { written: upsert.size, removed: remove.length, why };
}

function takenForRead({ state }: BuildFacts, { kept, read }: ReadingPlan): readonly KnownObject[] {
  const before = new Map(state.objects.map((object) => [object.key, object]));
  return [...kept, ...read.map((planned) => takenFor(planned, before.get(planned.row.key)))].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function takenFor({ row, root, why }: PlannedObject, before: KnownObject | undefined): KnownObject {
  const { key, size, uploaded, version } = row;
  const listed = { key, size, uploaded, version, root };
  const unread = { sha256: UNREAD, size: 0 };
  if (before === undefined) {
    const { mediaType, kind } = mediaTypeOfName(key);
    const title = key.slice(key.lastIndexOf("/") + 1);
    return {
      ...listed,
      title,
      summary: "",
      kind,
      media_type: mediaType,
      sha256: UNREAD,
      extract: unread,
      notes: [],
      links: [],
      secrets: [],
    };
  }
  // Another root or time says nothing of the bytes; another program makes another extract of the same ones.
  if (why.every((one) => one === "root" || one === "time")) return { ...before, ...listed };
  return { ...before, ...listed, sha256: why.includes("program") ? before.sha256 : UNREAD, extract: unread };
}

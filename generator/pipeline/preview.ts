/** Previews a build: which objects it would read and why, and what it would take out of service. Nothing is written, no lock is taken.
 *
 *  What objects hold is known when they are read, so which pages and documents follow is not told. */
import type { Rejection } from "#snapshots/schema";
import type { Config } from "#generator/config";
import { type BuildFacts, gatherFacts } from "./facts.ts";
import { findRunningBuild } from "#generator/files";
import { planReading, type ReadingPlan } from "./plan.ts";
import type { KnownObject, Why } from "#generator/kept";
import { project } from "./project.ts";
import type { Annexes } from "./annexes.ts";
import { NO_REMOVAL, type WithdrawnSnapshot } from "./made.ts";
import { recordSet, refusals } from "./record-set.ts";
import { openShelves } from "#generator/shelves";
import { openObjectStore } from "#generator/sources";

export type Preview = {
  /** There is nothing to do at all. */
  readonly nothing: boolean;
  /** The build that runs now and may change all this, in words; null when none does. */
  readonly running: string | null;
  readonly objects: {
    readonly kept: number;
    /** Ascending by key. */
    readonly read: readonly { readonly key: string; readonly why: readonly Why[] }[];
    /** Keys that are gone. */
    readonly removed: readonly string[];
  };
  /** Public snapshots that would be taken out of service, because they hold what is gated now. */
  readonly withdrawn: readonly WithdrawnSnapshot[];
  readonly rejected: readonly Rejection[];
  readonly notes: readonly string[];
};

/** previewBuild tells what a build would do now.
 *  @param keepHistory as of a build
 *  @throws as a build does for sources that cannot be read as a whole */
export async function previewBuild(config: Config, annexes: Annexes, keepHistory: boolean): Promise<Preview> {
  const shelves = openShelves(config, annexes);
  await shelves.remote?.pull({ views: ["public", "internal"], wait: "look" });
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
    objects: {
      kept: reading.kept.length,
      read: reading.read.map(({ row, why }) => ({ key: row.key, why })),
      removed: reading.removed,
    },
    rejected: refusals(facts, []),
    notes: [...facts.withdrawals.notes, ...facts.registry.notes, ...facts.claims.notes],
  };
  if (reading.nothing) return { ...common, withdrawn: [] };
  const views = project(recordSet(facts, { objects: takenForRead(facts, reading), refused: [] }));
  let removal = NO_REMOVAL;
  const notes = [...common.notes];
  for (const step of registered.flatMap((annex) => annex.open())) {
    if (step.at !== "before write") continue;
    const found = await step.run({ facts, reading, views, removal }, { shelves, keepHistory, signers: null });
    removal = found.removal;
    notes.push(...(found.notes ?? []));
  }
  return { ...common, withdrawn: removal.withdrawn, notes };
}

/** Takes objects that are to be read for what the last build has read of them; of a new one nothing was published. */
function takenForRead({ state }: BuildFacts, { kept, read }: ReadingPlan): readonly KnownObject[] {
  const before = new Map(state.objects.map((object) => [object.key, object]));
  const changed = read.flatMap(({ row: { key, size, uploaded, version }, root }) => {
    const object = before.get(key);
    return object === undefined ? [] : [{ ...object, key, size, uploaded, version, root }];
  });
  return [...kept, ...changed].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** One build: its steps in their order (order.ts), and what is kept after each build. What did not change is not read, extracted,
 *  rendered or indexed again; a build that changes nothing publishes nothing. */
import { rm } from "node:fs/promises";
import { ShelfError } from "#snapshots/errors";
import { checkWritable, clearTemporary, CLOSED, OPEN, prune } from "#snapshots/shelf";
import type { Config } from "#generator/config";
import type { ExtractPool } from "#generator/extract";
import { clearHalfFiles, clearJournal, EMPTY_STATE, openUnread } from "#generator/kept";
import { checkOpenFiles, openProgress, type Progress, type Tasks, together } from "#generator/files";
import { openSigners, type Parts, usualParts } from "#generator/publish";
import {
  closeIndex,
  keepFormat,
  keepLogs,
  keepOwner,
  keepRecords,
  openShelves,
  refuseOther,
  type Shelves,
  withShelves,
} from "#generator/shelves";
import { knownListing, listingRules, type ObjectStore, openObjectStore } from "#generator/sources";
import type { Annexes } from "./annexes.ts";
import type { BuildFacts, Looked } from "./facts.ts";
import type { Accepted, Weaker } from "./gates.ts";
import { type Given, type Made, NO_REMOVAL, type Step, type Work } from "./made.ts";
import { orderSteps } from "./order.ts";
import { gateLasting } from "./steps.ts";
import { isUnchanged, planReading } from "./plan.ts";
import { type BuildSummary, noteFailure, type Outcome, summarise, unchanged } from "./summary.ts";

export type BuildOptions = {
  /** The build's clock; tests pass their own. */
  readonly now?: () => Date;
  readonly progress?: Progress;
  /** In place of the configured store; for tests. */
  readonly store?: ObjectStore;
  /** Publish although the store has lost much of what it held. */
  readonly acceptLoss?: boolean;
  /** Records and claims that may get weaker, and why. */
  readonly accept?: Accepted;
  /** Builds a shelf that another configuration has built so far. */
  readonly adopt?: boolean;
  /** Leaves snapshots in service that hold what is gated now. */
  readonly keepHistory?: boolean;
  /** Keys of the store that may have changed, and no others; null for all. */
  readonly keys?: readonly string[] | null;
  /** Called with what is built upon, before anything is written. */
  readonly opened?: (shelves: Shelves) => void;
};

/** build builds the library and publishes it. @throws ShelfError "build_running" when another build holds this shelf, "build_failed" and others
 *  with what to do */
export async function build(
  config: Config,
  annexes: Annexes,
  options: BuildOptions = {},
  parts: Parts = usualParts(),
): Promise<BuildSummary> {
  checkOpenFiles();
  const shelves = openShelves(config, annexes);
  await checkWritable(shelves.publicDir, OPEN);
  await checkWritable(shelves.internalDir, CLOSED);
  options.opened?.(shelves);
  const progress = options.progress ?? openProgress();
  let weaker: readonly Weaker[] | null = null;
  const tellEnd = (summary: BuildSummary | null, error: unknown): Promise<readonly string[]> => {
    const at = options.now?.() ?? new Date();
    return noteFailure(
      async () => (await annexes.ended?.({ config, buildDir: shelves.buildDir, at, weaker, summary, error })) ?? [],
      (code) => `Who is told of builds could not be told (${code}).`,
    );
  };
  try {
    const summary = await withShelves(shelves, () =>
      buildLocked(config, shelves, annexes, { ...options, progress, tellWeaker: (found) => (weaker = found) }, parts),
    );
    return { ...summary, notes: [...summary.notes, ...(await tellEnd(summary, null))] };
  } catch (error) {
    for (const note of await tellEnd(null, error)) process.stderr.write(`${note}\n`);
    throw error;
  } finally {
    progress.end();
  }
}

type LockedOptions = BuildOptions & Required<Pick<Given, "tellWeaker" | "progress">>;

async function buildLocked(
  config: Config,
  shelves: Shelves,
  annexes: Annexes,
  options: LockedOptions,
  parts: Parts,
): Promise<BuildSummary> {
  const clock = options.now ?? (() => new Date());
  const { progress } = options;
  const signers = openSigners(config);
  const started = clock();
  const began = performance.now();
  if (options.adopt !== true) await refuseOther(config, shelves);
  await clearTemporary(shelves.publicDir);
  await clearTemporary(shelves.internalDir);
  await clearHalfFiles(shelves.buildDir);

  const registered = await annexes.steps();
  const given: Given = {
    config,
    shelves,
    store: options.store ?? openObjectStore(config.store, annexes),
    parts,
    clock,
    progress,
    signers,
    acceptLoss: options.acceptLoss ?? false,
    accept: options.accept ?? new Map(),
    keepHistory: options.keepHistory ?? false,
    tellWeaker: options.tellWeaker,
    keys: options.keys ?? null,
    isDue: (withdrawals) => registered.some(({ isDue }) => isDue?.(shelves, withdrawals, signers) === true),
    makeRegistry: annexes.makeRegistry,
    openStatements: annexes.openStatements,
  };
  // The steps remember things for one build only, so a build that begins anew opens them anew.
  const order = () => orderSteps(registered.flatMap((annex) => annex.open()));
  const [list] = order();
  const { made: listed } = await walk([list], NOTHING, given);
  const { looked: facts } = listed;
  let fingerprint = "";
  const lastOrNew = async (): Promise<Outcome> => {
    fingerprint = facts.state.fingerprint;
    if (!isUnchanged(facts)) return from(await facts.whole());
    const notes = await gateLasting(facts, given);
    const outcome = unchanged(facts);
    return { ...outcome, notes: [...outcome.notes, ...notes] };
  };
  const from = async (known: BuildFacts): Promise<Outcome> => {
    const reading = planReading(known);
    fingerprint = reading.fingerprint;
    const [, ...rest] = order();
    return together((tasks) => carryOut(tasks, rest, { ...listed, facts: known, reading }, given));
  };
  const outcome = await lastOrNew().catch(async (error: unknown) => {
    if (!(error instanceof ShelfError && error.code === "snapshot_damaged") || (facts.state === EMPTY_STATE && facts.journal.size === 0)) {
      // Why the build failed is what its caller must hear; that something is left behind, only the operator.
      if (facts.kept.public.size + facts.kept.internal.size === 0)
        await clearUnpublished(shelves).catch((left: Error) =>
          process.stderr.write(`What this build has written could not be removed, the next one tries again: ${left.message}\n`),
        );
      throw error;
    }
    const anew = await from({ ...(await facts.whole()), state: EMPTY_STATE, journal: new Map() });
    return { ...anew, notes: [...anew.notes, `What the last build kept was damaged, so everything was made anew: ${error.message}`] };
  });
  const notes = [...outcome.notes];
  for (const [work, note] of AFTERWARDS) notes.push(...(await noteFailure(() => work({ ...given, facts, fingerprint, outcome }), note)));
  await closeIndex(shelves);
  return {
    started: started.toISOString(),
    finished: clock().toISOString(),
    duration_ms: Math.round(performance.now() - began),
    ...outcome,
    notes,
  };
}

type Done = Given & { readonly facts: Looked; readonly fingerprint: string; readonly outcome: Outcome };

/** Work after each build, also after one that had nothing to do, with the note for where it fails. */
const AFTERWARDS: readonly (readonly [work: (done: Done) => Promise<void>, note: (code: string) => string])[] = [
  [
    async ({ shelves, clock }) => {
      await shelves.public.writeChecked(clock().toISOString());
      await shelves.internal.writeChecked(clock().toISOString());
    },
    (code) => `The time of this look at the sources could not be kept (${code}): /health takes it for older than it is.`,
  ],
  [
    async ({ config, shelves }) => {
      await keepOwner(config, shelves);
      keepFormat(shelves);
    },
    (code) => `Whose this shelf is could not be kept (${code}): another configuration that writes it is not noticed.`,
  ],
  [
    ({ shelves }) => keepRecords(shelves),
    (code) => `The log of what was served could not be kept (${code}): servers read each record for it.`,
  ],
  // Makes the logs of a shelf that had none, or that is signed from now on.
  [
    ({ shelves, signers }) => keepLogs(shelves, signers),
    (code) => `The log of publications could not be brought up to date (${code}): run verify, and repair.`,
  ],
  [
    async ({ config, shelves, facts, fingerprint }) => {
      const { rejected, since } = facts.listed;
      const rules = listingRules(config, facts.withdrawals.list);
      knownListing(shelves.buildDir).write({ fingerprint, rules, rejected: [...rejected], since });
    },
    (code) => `What the store was listed with could not be kept (${code}): the next build lists everything.`,
  ],
  [
    // Each build that publishes adds packs; without this a shelf that nobody prunes would have ever more.
    async ({ shelves, outcome: { published, internal } }) => {
      if (!published && !internal.published) return;
      for (const view of ["internal", "public"] as const) await shelves[view].blobs.sweep({ isNeeded: null, leaveLoose: true });
    },
    (code) => `Packs could not be merged (${code}): the next build or prune tries again.`,
  ],
];

/** clearUnpublished removes what a failed build has written before anything was ever published: nothing needs it, and it may fill the disk. */
async function clearUnpublished(shelves: Shelves): Promise<void> {
  clearJournal(shelves.buildDir);
  for (const shelf of [shelves.internal, shelves.public]) {
    for (const folder of [shelf.indexUri, `${shelf.indexUri}.new`]) await rm(folder, { recursive: true, force: true });
    await prune({ shelf, keep: 1 });
  }
}

/** The values that exist before the first step; `walk` lets no step ask for more than is made. */
const NOTHING = { removal: NO_REMOVAL, inputs: { public: {}, internal: {} } } as Made;

/** Opens what the steps need, walks them, and closes it however that ends. */
async function carryOut(tasks: Tasks, steps: readonly Step<Work>[], begun: Made, given: Given): Promise<Outcome> {
  const { config, parts, shelves } = given;
  let pool: ExtractPool | null = null;
  const work: Work = {
    ...given,
    tasks,
    // All load while objects are read, which is other processes' work.
    index: parts.index({ public: shelves.publicDir, internal: shelves.internalDir }),
    renderer: tasks.run(() => begun.site.renderer()),
    pool: () => (pool ??= begun.site.pool({ budget: config.extract.budgetMs, unread: openUnread(shelves.buildDir, begun.facts.program) })),
  };
  const close = async (): Promise<void> => {
    await (pool as ExtractPool | null)?.close();
    await work.index.close();
  };
  // Closing ends the pool and the index, so that work which waits for them ends: nothing is waited for after a failure.
  tasks.signal.addEventListener("abort", () => void tasks.run(close));
  const { made, notes } = await walk(steps, begun, work);
  const outcome = await summarise(made, shelves, notes);
  await close();
  return outcome;
}

async function walk<W>(
  steps: readonly Step<W>[],
  begun: Made,
  work: W,
): Promise<{ readonly made: Made; readonly notes: readonly string[] }> {
  let made = begun;
  const said: string[] = [];
  for (const { name, needs, run } of steps) {
    const missing = needs.find((one) => made[one] === undefined);
    if (missing !== undefined)
      throw new ShelfError("internal", `The step "${name}" of a build needs ${missing}, which no step before it makes.`);
    const { notes = [], ...more } = await run(made, work);
    made = { ...made, ...more };
    said.push(...notes);
  }
  return { made, notes: said };
}

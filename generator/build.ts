/** One build: facts → plan → write → publish. What did not change is not read, extracted, rendered or indexed again; a build
 *  that changes nothing publishes nothing. */
import { rm } from "node:fs/promises";
import type { Rejection, ReindexSummary } from "../snapshots/schema/resources.ts";
import { ShelfError } from "../snapshots/errors.ts";
import { openRenderer } from "../snapshots/page/renderer.ts";
import { prune } from "../snapshots/shelf/prune.ts";
import { countChanges } from "../snapshots/shelf/diff.ts";
import { CLOSED, OPEN } from "../snapshots/shelf/modes.ts";
import { checkWritable, clearTemporary } from "../snapshots/shelf/shelf-directory.ts";
import type { Changes } from "../snapshots/shelf/shelf.ts";
import { ACCEPTED } from "../snapshots/format/weaker.ts";
import type { ViewData } from "../snapshots/format/view-data.ts";
import { isGatedKey } from "../snapshots/verify/held.ts";
import type { Config } from "./config/config.ts";
import { type ExtractPool, openExtractPool } from "./extract/pool.ts";
import { type ByView, type Facts, gatherFacts, journalMaker } from "./facts.ts";
import { openSources } from "./import-closure.ts";
import { type Accepted, acceptedIn, findWeaker, passGates, type Weaker } from "./gates.ts";
import { type IndexThread, openIndexThread } from "./index/index-thread.ts";
import { clearJournal, openJournal } from "./journal.ts";
import { trimIndex } from "./index/update-index.ts";
import { readBefore, refuseLoss } from "./loss.ts";
import { checkOpenFiles } from "./open-files.ts";
import { type CompiledSite, compileSite } from "./pages/compile-site.ts";
import { openPagefind, type PagefindProcess } from "./pages/pagefind-process.ts";
import { keepOwner, refuseOther } from "./owner.ts";
import { isUnchanged, leadingPrefixes, planReading, planWriting, type ReadingPlan, saysTheSame, type WritingPlan } from "./plan.ts";
import { openProgress, type Progress } from "./progress.ts";
import { project, type Views } from "./project.ts";
import {
  describeExposure,
  findExposure,
  gatingDigest,
  hasGatedBytes,
  isExposed,
  keepExposed,
  NOTHING_EXPOSED,
  withdraw,
  type WithdrawnSnapshot,
} from "./publish/gating.ts";
import { checkLeaks } from "./publish/leak-check.ts";
import { openSigners } from "./publish/log-signer.ts";
import { publish } from "./publish/publish.ts";
import { redact, withoutRedacted } from "./publish/redact.ts";
import { type ReadObjects, readObjects } from "./read-objects.ts";
import { recordSet, refusals } from "./record-set.ts";
import { closeIndex, keepLogs, keepRecords, openShelves, readServed, type Shelves, withShelves } from "./shelves.ts";
import { writeKnownListing } from "./sources/known-listing.ts";
import { listingRules } from "./sources/list-objects.ts";
import type { ObjectStore } from "./sources/object-store.ts";
import { describeUnknownClaims, type RegistryFinding } from "./sources/registry-findings.ts";
import { openObjectStore } from "./sources/open-object-store.ts";
import { clearHalfStates, EMPTY_STATE, formatState, type KnownObject, type SaidOfObjects, timesOf, writeState } from "./state.ts";
import type { LogSigner } from "../snapshots/shelf/log.ts";
import { type Tasks, together } from "./tasks.ts";
import { findTakenBack } from "./withdrawn.ts";
import { openOrigins } from "./origins.ts";
import { writeViews, type Written } from "./write.ts";

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
  /** Brings all blobs into few packs: those of a shelf that an earlier version wrote lie in files of their own. */
  readonly repack?: boolean;
  /** Keys of the store that may have changed, and no others; null for all. */
  readonly keys?: readonly string[] | null;
  /** Called with what is built upon, before anything is written. */
  readonly opened?: (shelves: Shelves) => void;
};

/** The body of POST /api/reindex, with what else an operator asks. */
export type BuildSummary = Readonly<Omit<ReindexSummary, "rejected">> & {
  readonly rejected: readonly Rejection[];
  /** False when nothing changed: the snapshot served before is served on. */
  readonly published: boolean;
  /** What this build had to do. */
  readonly work: { readonly read: number; readonly rendered: number; readonly indexed: number; readonly bundles: number };
  /** Objects that are served but could not be read in full, with what was wrong. */
  readonly unreadable: readonly { readonly key: string; readonly notes: readonly string[] }[];
  readonly notes: readonly string[];
  /** What is wrong with the registry's records. */
  readonly registry: readonly RegistryFinding[];
  /** Public snapshots that were taken out of service, because they held what is gated now. */
  readonly withdrawn: readonly WithdrawnSnapshot[];
  readonly internal: { readonly snapshot: string; readonly sequence: number; readonly published: boolean };
};

/** Objects that a note names, and finds in one of them. */
const MAX_SUSPICIONS = 20;

type Outcome = Omit<BuildSummary, "started" | "finished" | "duration_ms">;

/** @throws ShelfError "build_running" when another build holds this shelf, "build_failed" and others with what to do */
export async function build(config: Config, options: BuildOptions = {}): Promise<BuildSummary> {
  checkOpenFiles();
  const shelves = openShelves(config);
  await checkWritable(shelves.publicDir, OPEN);
  await checkWritable(shelves.internalDir, CLOSED);
  options.opened?.(shelves);
  return withShelves(shelves, () => buildLocked(config, shelves, options));
}

async function buildLocked(config: Config, shelves: Shelves, options: BuildOptions): Promise<BuildSummary> {
  const clock = options.now ?? (() => new Date());
  const progress = options.progress ?? openProgress();
  const signers = openSigners(config);
  const started = clock();
  const began = performance.now();
  if (options.adopt !== true) await refuseOther(config, shelves);
  await clearTemporary(shelves.publicDir);
  await clearTemporary(shelves.internalDir);
  await clearHalfStates(shelves.buildDir);

  const { acceptLoss = false, accept = new Map(), keepHistory = false, keys = null } = options;
  progress.step("list");
  const store = options.store ?? openObjectStore(config.store);
  const sources = openSources();
  const [site, facts] = await together(async ({ run }) => {
    const compiling = run(() => compileSite({ sources }));
    const gathering = run(() => gatherFacts(config, shelves, { store, now: clock, sources, keep: true, acceptLoss, signers, keys }));
    return [await compiling, await gathering] as const;
  });
  let fingerprint = "";
  const from = async (known: Facts): Promise<Outcome> => {
    fingerprint = known.state.fingerprint;
    if (isUnchanged(known)) return unchanged(known);
    const reading = planReading(known);
    fingerprint = reading.fingerprint;
    return together((tasks) =>
      carryOut(tasks, { facts: known, reading, site, store, shelves, clock, progress, signers, acceptLoss, accept, keepHistory }),
    );
  };
  const outcome = await from(facts).catch(async (error: unknown) => {
    if (!(error instanceof ShelfError && error.code === "snapshot_damaged") || (facts.state === EMPTY_STATE && facts.journal.size === 0)) {
      // Why the build failed is what its caller must hear; that something is left behind, only the operator.
      if (facts.kept.public.size + facts.kept.internal.size === 0)
        await clearUnpublished(shelves).catch((left: Error) =>
          process.stderr.write(`What this build has written could not be removed, the next one tries again: ${left.message}\n`),
        );
      throw error;
    }
    const anew = await from({ ...facts, state: EMPTY_STATE, journal: new Map() });
    return { ...anew, notes: [...anew.notes, `What the last build kept was damaged, so everything was made anew: ${error.message}`] };
  });
  const unchecked = await noteFailure(
    async () => {
      await shelves.public.writeChecked(clock().toISOString());
      await shelves.internal.writeChecked(clock().toISOString());
    },
    (code) => `The time of this look at the sources could not be kept (${code}): /health takes it for older than it is.`,
  );
  const unowned = await noteFailure(
    () => keepOwner(config, shelves),
    (code) => `Whose this shelf is could not be kept (${code}): another configuration that writes it is not noticed.`,
  );
  const unlogged = await noteFailure(
    () => keepRecords(shelves),
    (code) => `The log of what was served could not be kept (${code}): servers read each record for it.`,
  );
  // Of a shelf that had none, or that is signed from now on.
  const unsigned = await noteFailure(
    () => keepLogs(shelves, signers),
    (code) => `The log of publications could not be brought up to date (${code}): run verify, and repair.`,
  );
  const { rejected, since } = facts.listed;
  const unlisted = await noteFailure(
    () =>
      writeKnownListing(shelves.buildDir, {
        fingerprint,
        rules: listingRules(config, facts.withdrawals.list),
        rejected: [...rejected],
        since,
      }),
    (code) => `What the store was listed with could not be kept (${code}): the next build lists everything.`,
  );
  const untidy = await noteFailure(
    () => tidy(shelves, outcome, options.repack ?? false),
    (code) => `Packs could not be merged (${code}): the next build or prune tries again.`,
  );
  await closeIndex(shelves);
  progress.end();
  return {
    started: started.toISOString(),
    finished: clock().toISOString(),
    duration_ms: Math.round(performance.now() - began),
    ...outcome,
    notes: [...outcome.notes, ...unchecked, ...unowned, ...unlogged, ...unsigned, ...unlisted, ...untidy],
  };
}

/** Each build that publishes adds packs; without this a shelf that nobody prunes would have ever more. */
async function tidy(shelves: Shelves, { published, internal }: Outcome, repack: boolean): Promise<void> {
  if (!repack && !published && !internal.published) return;
  for (const view of ["internal", "public"] as const) await shelves[view].sweep({ isNeeded: null, leaveLoose: !repack });
}

/** What a build has written that failed before anything was ever published: nothing needs it, and it may fill the disk. */
async function clearUnpublished(shelves: Shelves): Promise<void> {
  clearJournal(shelves.buildDir);
  for (const shelf of [shelves.internal, shelves.public]) {
    for (const folder of [shelf.indexUri, `${shelf.indexUri}.new`]) await rm(folder, { recursive: true, force: true });
    await prune({ shelf, keep: 1 });
  }
}

type Work = {
  readonly facts: Facts;
  readonly reading: ReadingPlan;
  readonly site: CompiledSite;
  readonly store: ObjectStore;
  readonly shelves: Shelves;
  readonly clock: () => Date;
  readonly progress: Progress;
  readonly signers: ByView<LogSigner>;
  readonly acceptLoss: boolean;
  readonly accept: Accepted;
  readonly keepHistory: boolean;
};

/** Opens what the work needs, and closes it however it ends. */
async function carryOut(tasks: Tasks, work: Work): Promise<Outcome> {
  const { site, shelves, reading } = work;
  let pool: ExtractPool | null = null;
  let pagefind: PagefindProcess | null = null;
  const open = {
    // All load while objects are read, which is other processes' work.
    index: openIndexThread({ public: shelves.publicDir, internal: shelves.internalDir }),
    renderer: tasks.run(() => openRenderer(site.dist)),
    pool: () => (pool ??= openExtractPool({ worker: site.worker })),
    pagefind: () => (pagefind ??= openPagefind()),
  };
  const close = async (): Promise<void> => {
    (pagefind as PagefindProcess | null)?.close();
    await (pool as ExtractPool | null)?.close();
    await open.index.close();
  };
  // What waits for one of them hears that it has ended: nothing is waited for after a failure.
  tasks.signal.addEventListener("abort", () => void tasks.run(close));
  if (reading.read.length > 0 || reading.removed.length > 0) open.pagefind();
  const outcome = await readWritePublish(tasks, work, open);
  await close();
  return outcome;
}

type Open = {
  readonly index: IndexThread;
  readonly renderer: ReturnType<typeof openRenderer>;
  pool(): ExtractPool;
  pagefind(): PagefindProcess;
};

async function readWritePublish(tasks: Tasks, work: Work, open: Open): Promise<Outcome> {
  const { facts, reading, site, store, shelves, clock, progress, keepHistory } = work;
  const before = await readBefore(facts, shelves);
  const originOf = await openOrigins(facts, before);
  const journal = openJournal(shelves.buildDir, journalMaker(facts.makers, facts.config));
  const read = await readObjects({
    store,
    plan: reading,
    shelves,
    pool: open.pool,
    progress,
    originOf,
    journal,
    redacted: facts.redacted,
    pageImages: facts.config.pdf.pageImages,
  }).finally(() => journal.close());
  if (!work.acceptLoss) refuseLoss(facts, before, read.objects);
  const views = project(recordSet(facts, read));
  const passed = passGates(
    await weakerThanServed(facts, shelves, views.internal),
    facts.config.gates,
    work.accept,
    acceptedIn(facts.pointers.internal?.inputs ?? {}),
  );

  const said = sayOf(read.objects);
  progress.step("render");
  const { privateTexts } = facts.registry;
  const gating = gatingDigest(views, privateTexts);
  const checked = !facts.withdrawing && gating === reading.known.gating && !(await hasGatedBytes(shelves, views));
  const exposure = checked ? NOTHING_EXPOSED : await findExposure(shelves, facts.config.collections, views, privateTexts);
  const withdrawing = facts.withdrawing || (isExposed(exposure) && !keepHistory);
  const plan = planWriting(facts, reading, views, read.extracts, withdrawing);
  const clean = withdrawing ? exposure.clean : facts.redacting ? (await shelves.public.records.index()).records : [];
  const earlier = facts.redacting ? await withoutRedacted(shelves, clean, facts.withdrawals.list) : clean;
  const written = await writeViews(tasks, { plan, views, read, earlier, shelves, progress, ...open });
  // The thread ends while the rest is done.
  void tasks.run(() => open.index.close());

  // Both roots before the first pointer: the internal view refers to blobs of the public one.
  const flushed = (["internal", "public"] as const).map((view) =>
    // What is served may have lacked something.
    tasks.run(() => (facts.pointers[view]?.snapshot === written.drafts[view] ? shelves[view].seal() : shelves[view].flush())),
  );
  progress.step("look for what may not be public");
  const leaks = await checkLeaks({
    views,
    shelf: shelves.public,
    draft: written.drafts.public,
    extract: read.extracts.read,
    privateTexts,
    rules: facts.config.leaks,
    site,
    unchangedSince: plan.secrets.cleanSince,
  });
  const knowledge = formatState(facts.makers.state, {
    fingerprint: reading.fingerprint,
    makers: facts.makers,
    objects: read.objects,
    said,
    times: timesOf(facts.config),
    refused: read.refused,
    secrets: plan.secrets.digest,
    gating,
    ...written.known,
  });
  const accepted = Object.groupBy(Object.entries(passed.inputs), ([name]) =>
    isGatedKey(facts.config.collections, name.slice(ACCEPTED.length)) ? "true" : "false",
  );
  progress.step("publish");
  await Promise.all(flushed);
  const changes = await publish(shelves, {
    current: facts.pointers,
    next: written.drafts,
    created: clock().toISOString(),
    inputs: { ...inputsOf(facts), ...Object.fromEntries(accepted.false ?? []) },
    // The key of a gated object is nobody's business.
    own: { ...leaks.inputs, internal: { ...leaks.inputs.internal, ...Object.fromEntries(accepted.true ?? []) } },
    anew: facts.setbacks.length > 0,
    signers: work.signers,
  });
  const notes: string[] = [
    ...passed.notes,
    ...leaks.notes,
    ...describeExposure(exposure, keepHistory ? "kept" : "withdrawn"),
    ...written.earlier.notes,
  ];
  const withdrawn = keepHistory ? [] : exposure.snapshots;
  if (keepHistory && isExposed(exposure)) await keepExposed(shelves, exposure);
  // Before the state, which says that all of this has been looked at.
  if (withdrawing) notes.push(...(await withdraw(shelves, facts.config.collections, withdrawn, written.earlier.searchable)));
  if (facts.redacting) notes.push(...(await redact(shelves, facts.withdrawals.list, work.signers, written.earlier.searchable)));
  const untrimmed = await noteFailure(
    async () => {
      for (const view of ["public", "internal"] as const)
        if (plan.documents[view].base === null || (plan.seed && view === "internal")) await trimIndex(shelves, view);
    },
    (code) => `What the search index was made of could not be removed (${code}): prune does it.`,
  );
  const forgotten = await noteFailure(
    () => writeState(shelves.buildDir, knowledge),
    (code) => `What this build knows could not be kept (${code}): the next one has more to do.`,
  );
  if (forgotten.length === 0) clearJournal(shelves.buildDir);
  return summarise({
    facts,
    reading,
    plan,
    read,
    said,
    views,
    written,
    shelves,
    changes,
    withdrawn,
    notes: [...notes, ...untrimmed, ...forgotten],
  });
}

/** Apart from the rest, which needs the memory that what is served takes while it is held against what is read. */
async function weakerThanServed(facts: Facts, { internal }: Shelves, now: ViewData): Promise<readonly Weaker[]> {
  // Records, claims and their evidence, withdrawals: nothing of this has got weaker, and what does not hold now is told all the same.
  if (saysTheSame(facts, "internal", now)) return findWeaker(null, now);
  const { pointers, withdrawals } = facts;
  const last = pointers.internal === null ? null : await readServed(internal, pointers.internal);
  return [...findWeaker(last, now), ...findTakenBack(last, withdrawals.list)];
}

function inputsOf({ registry, claims }: Facts): Readonly<Record<string, string>> {
  return { ...registry.inputs, ...(claims.sha256 === "" ? {} : { claims: claims.sha256 }) };
}

async function summarise(done: {
  readonly facts: Facts;
  readonly reading: ReadingPlan;
  readonly plan: WritingPlan;
  readonly read: ReadObjects;
  readonly said: SaidOfObjects;
  readonly views: Views;
  readonly written: Written;
  readonly shelves: Shelves;
  readonly changes: Changes | null;
  readonly withdrawn: readonly WithdrawnSnapshot[];
  readonly notes: readonly string[];
}): Promise<Outcome> {
  const { facts, reading, plan, read, said, views, written, shelves, changes, withdrawn } = done;
  const after = { public: await shelves.public.readPointer(), internal: await shelves.internal.readPointer() };
  if (after.public === null || after.internal === null) throw new ShelfError("build_failed", "The pointer is gone after publication.");
  const counts = changes === null ? { added: 0, changed: 0, removed: 0 } : countChanges(changes);
  const total = views.public.objects.length + views.public.claims.claims.length + views.public.cubs.length;
  return {
    previous: facts.pointers.public?.snapshot ?? null,
    snapshot: after.public.snapshot,
    sequence: after.public.sequence,
    published: changes !== null,
    ...counts,
    unchanged: total - counts.added - counts.changed,
    rejected: refusals(facts, read.refused),
    work: {
      read: reading.read.filter(({ known }) => known === undefined).length,
      rendered: written.rendered,
      indexed: plan.documents.public.upsert.size + plan.documents.internal.upsert.size,
      bundles: plan.bundles.filter(({ kept }) => kept === null).length,
    },
    unreadable: said.unreadable,
    registry: facts.registry.findings,
    notes: [...notesOf(facts), ...indexNotes(facts, reading), ...said.notes, ...done.notes],
    withdrawn,
    internal: {
      snapshot: after.internal.snapshot,
      sequence: after.internal.sequence,
      published: after.internal.snapshot !== facts.pointers.internal?.snapshot,
    },
  };
}

function unchanged(facts: Facts): Outcome {
  const { said } = facts.state;
  const { public: shown, internal } = facts.pointers;
  if (shown === null || internal === null) throw new ShelfError("internal", "Nothing has changed since a build that published nothing.");
  return {
    previous: shown.snapshot,
    snapshot: shown.snapshot,
    sequence: shown.sequence,
    published: false,
    added: 0,
    changed: 0,
    removed: 0,
    unchanged: said.objects,
    rejected: refusals(facts, []),
    work: { read: 0, rendered: 0, indexed: 0, bundles: 0 },
    unreadable: said.unreadable,
    registry: facts.registry.findings,
    notes: [...notesOf(facts), ...said.notes],
    withdrawn: [],
    internal: { snapshot: internal.snapshot, sequence: internal.sequence, published: false },
  };
}

function notesOf({ config, registry, claims, setbacks, withdrawals, listed }: Facts): readonly string[] {
  const { front, security } = config;
  return [
    ...(front === null || listed.rows.some(({ key }) => key === front)
      ? []
      : [`The front page has no text: no object has the key ${JSON.stringify(front)} that the configuration names as front.`]),
    ...(security === null || Date.parse(security.expires) > Date.now()
      ? []
      : [`What security.txt says has expired (${security.expires}); write a later time as security.expires in the configuration.`]),
    ...(listed.why === null ? [] : [`The whole store was listed and not only the keys that were named: ${listed.why}.`]),
    ...withdrawals.notes,
    ...registry.notes,
    ...claims.notes,
    ...describeUnknownClaims(claims.unknownFields),
    ...setbacks.map((setback) => `${setback} This build has published what the sources hold now.`),
  ];
}

/** Of indexes that were not as they had been written. */
function indexNotes({ indexes }: Facts, { anew }: ReadingPlan): readonly string[] {
  return (["public", "internal"] as const).flatMap((view) => {
    const { problem } = indexes[view];
    return problem === null || anew !== null ? [] : [`The search index of the ${view} view was made anew: ${problem}`];
  });
}

function sayOf(objects: readonly KnownObject[]): SaidOfObjects {
  return {
    objects: objects.length,
    unreadable: objects.filter(({ notes }) => notes.length > 0).map(({ key, notes }) => ({ key, notes })),
    notes: [...suspicions(objects), ...deadLinks(objects)],
  };
}

/** For the operator only: a page that says where a secret lies would lead others to it. */
function suspicions(objects: readonly KnownObject[]): readonly string[] {
  const found = objects.filter(({ secrets }) => secrets.length > 0);
  if (found.length === 0) return [];
  const named = found
    .slice(0, MAX_SUSPICIONS)
    .map(({ key, secrets }) => `${JSON.stringify(key)} (${secrets.slice(0, MAX_SUSPICIONS).join(", ")})`);
  if (found.length > named.length) named.push(`and ${found.length - named.length} more`);
  return [
    `These objects look as if they held keys, tokens or passwords, and are served: ${named.join("; ")}. Make those that are real worthless, and take the files out of the store or name them in store.exclude.`,
  ];
}

/** Links and images within the library that lead nowhere, in neither view. */
function deadLinks(objects: readonly KnownObject[]): readonly string[] {
  const places = new Set(objects.flatMap(({ key }) => [key, ...leadingPrefixes(key)]));
  const dead = objects.flatMap(({ key, links }) =>
    links.filter((target) => !places.has(target)).map((target) => `${JSON.stringify(key)} to ${JSON.stringify(target)}`),
  );
  if (dead.length === 0) return [];
  const named = dead.slice(0, MAX_SUSPICIONS);
  if (dead.length > named.length) named.push(`and ${dead.length - named.length} more`);
  return [`These links and images lead to nothing in the library, and are shown as text: ${named.join("; ")}.`];
}

/** For what follows publication: the snapshot is served by then, so a full disk is worth a note and no more.
 *  @returns no note when all went well */
async function noteFailure(work: () => Promise<void>, note: (code: string) => string): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    return [note((error as NodeJS.ErrnoException).code ?? "unknown error")];
  }
}

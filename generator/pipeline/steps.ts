/** The core's steps of a build; order.ts puts them in order. */
import { ACCEPTED, isGatedKey, parentPrefix, type ViewData } from "#snapshots/format";
import { together } from "#generator/files";
import { trimIndex } from "#generator/index";
import { clearJournal, formatState, openDecisions, openJournal, timesOf, writeState } from "#generator/kept";
import { publish } from "#generator/publish";
import { refuseShown } from "#generator/sources";
import { readServed, type Shelves } from "#generator/shelves";
import { keepWithdrawals, standingWithdrawals } from "#generator/sources";
import { type BuildFacts, gatherFacts, journalDependency, type Looked } from "./facts.ts";
import { findTakenBack, findWeaker, findWrong, fitting, passGates, type Weaker } from "./gates.ts";
import { readBefore, refuseLoss } from "./loss.ts";
import { type Given, step, type Work } from "./made.ts";
import { openOrigins } from "./origins.ts";
import { planWriting, saysTheSame } from "./plan.ts";
import { project } from "./project.ts";
import { readObjects } from "./read-objects.ts";
import { recordSet } from "./record-set.ts";
import { noteFailure, sayOf } from "./summary.ts";
import { writeViews } from "./write.ts";

const VIEWS = ["internal", "public"] as const;

/** list lists the sources and the shelf; the pages are compiled beside that. */
export const list = step("list", [], ["looked", "site"], async (_, given: Given) => {
  given.progress.step("list");
  return together(async ({ run }) => {
    const site = run(() => given.parts.site());
    const looked = run(() => gatherFacts(given.config, given.shelves, { ...given, now: given.clock, keep: true }));
    return { site: await site, looked: await looked };
  });
});

export const readAll = step("read", ["facts", "reading"], ["read", "said"], async ({ facts, reading }, work: Work) => {
  const { shelves } = work;
  const before = await readBefore(facts, shelves);
  const originOf = await openOrigins(facts, before);
  const journal = openJournal(shelves.buildDir, journalDependency(facts.program, facts.config));
  const read = await readObjects({
    store: work.store,
    plan: reading,
    shelves,
    pool: work.pool,
    progress: work.progress,
    originOf,
    journal,
    redacted: facts.redacted,
    pageImages: facts.config.pdf.pageImages,
  }).finally(() => journal.close());
  if (!work.acceptLoss) refuseLoss(facts, before, read.objects);
  refuseShown(
    facts.config,
    facts.claims.claims,
    read.objects,
    new Set(facts.registry.cubs.flatMap(({ file_shas }) => Object.values(file_shas))),
  );
  return { read, said: sayOf(read.objects) };
});

export const projectViews = step("project", ["facts", "read"], ["views"], async ({ facts, read }) => ({
  views: project(recordSet(facts, read)),
}));

export const gate = step("gate", ["facts", "views"], ["accepted"], async ({ facts, views }, work: Work) => {
  const weaker = [...(await weakerThanServed(facts, work.shelves, views.internal)), ...findWrong(facts.registry)];
  work.tellWeaker?.(weaker);
  const { notes, ...accepted } = passGates(weaker, facts.config.gates, work.accept, openDecisions(work.shelves.buildDir));
  return { accepted, notes };
});

/** gateLasting holds what was published and goes on against the gates, as if it were new: a gate may have been closed since.
 *  @returns what is said to who builds
 *  @throws ShelfError "gate_refused" */
export async function gateLasting(
  { config, pointers, registry }: Looked,
  { shelves, accept, tellWeaker }: Pick<Given, "shelves" | "accept" | "tellWeaker">,
): Promise<readonly string[]> {
  const { internal } = pointers;
  const served =
    internal === null || (config.gates.drift !== "refuse" && config.gates.recall !== "refuse" && accept.size === 0)
      ? null
      : await readServed(shelves.internal, internal);
  const weaker = [...(served === null ? [] : findWeaker(null, served, registry.findings)), ...findWrong(registry)];
  // Without having looked nothing is known.
  if (served !== null) tellWeaker?.(weaker);
  const decisions = openDecisions(shelves.buildDir);
  const { accepted, notes } = passGates(weaker, config.gates, accept, decisions);
  if (accept.size > 0 && served !== null) decisions.set("accepted", accepted);
  return notes;
}

/** Apart from the rest, which needs the memory that what is served takes while it is held against what is read. */
async function weakerThanServed(facts: BuildFacts, shelves: Shelves, now: ViewData): Promise<readonly Weaker[]> {
  const { pointers, withdrawals, registry } = facts;
  // Records, claims and their evidence: nothing of this has got weaker, and what does not hold now is told all the same.
  const isSame = saysTheSame(facts, "internal", now) || pointers.internal === null;
  const last = isSame ? null : await readServed(shelves.internal, pointers.internal);
  return [...findWeaker(last, now, registry.findings), ...findTakenBack(standingWithdrawals(shelves, last), withdrawals.list)];
}

/** write writes everything that the next snapshots need. Nothing points to it yet. */
export const write = step(
  "write",
  ["facts", "reading", "read", "views", "removal"],
  ["plan", "written", "flushed"],
  async ({ facts, reading, read, views, removal }, work: Work) => {
    const { shelves, tasks, index } = work;
    work.progress.step("render");
    // A text that was read again beside others is in a folder that is touched.
    const touched = new Set([...reading.touched, ...read.again.map(parentPrefix)]);
    const plan = planWriting(facts, { ...reading, touched }, views, read.extracts, removal.reindex);
    const written = await writeViews(tasks, { ...work, plan, views, read, earlier: removal.earlier ?? [] });
    // The thread ends while the rest is done.
    void tasks.run(() => index.close());
    // A snapshot that is served already may have lacked a blob that was written now: its pack is sealed at once.
    const isServed = (view: "public" | "internal"): boolean => facts.pointers[view]?.snapshot === written.drafts[view];
    const flushed = VIEWS.map((view) => tasks.run(() => (isServed(view) ? shelves[view].blobs.seal() : shelves[view].blobs.flush())));
    return { plan, written, flushed, notes: written.earlier.notes };
  },
);

/** publishViews switches both views to their new snapshots, when both roots are on the disk: the internal view refers to blobs of the public one. */
export const publishViews = step(
  "publish",
  ["facts", "reading", "read", "said", "accepted", "plan", "written", "flushed", "inputs"],
  ["changes", "knowledge"],
  async ({ facts, reading, read, said, accepted, plan, written, flushed, inputs }, work: Work) => {
    const knowledge = formatState({
      fingerprint: reading.fingerprint,
      program: facts.program,
      objects: read.objects,
      said,
      times: timesOf(facts.config),
      refused: read.refused,
      gating: plan.gating,
      ...written.known,
    });
    const { true: gated = [], false: open = [] } = Object.groupBy(Object.entries(accepted.inputs), ([name]) =>
      isGatedKey(facts.config.collections, name.slice(ACCEPTED.length)) ? "true" : "false",
    );
    work.progress.step("publish");
    await Promise.all(flushed);
    const { registry, claims } = facts;
    const changes = await publish(work.shelves, {
      current: facts.pointers,
      next: written.drafts,
      created: work.clock().toISOString(),
      inputs: { ...registry.inputs, ...(claims.sha256 === "" ? {} : { claims: claims.sha256 }), ...fitting(Object.fromEntries(open)) },
      // The key of a gated object is nobody's business.
      own: { public: inputs.public, internal: { ...inputs.internal, ...fitting(Object.fromEntries(gated)) } },
      anew: facts.setbacks.length > 0,
      signers: work.signers,
    });
    openDecisions(work.shelves.buildDir).set("accepted", accepted.accepted);
    keepWithdrawals(work.shelves, facts.withdrawals.list);
    return { changes, knowledge };
  },
);

/** keep keeps what the next build begins with: it says that everything before this has been done. */
export const keep = step("keep", ["plan", "knowledge"], [], async ({ plan, knowledge }, { shelves }: Work) => {
  const untrimmed = await noteFailure(
    async () => {
      for (const view of VIEWS)
        if (plan.documents[view].base === null || (plan.internalIndex === "new" && view === "internal")) await trimIndex(shelves, view);
    },
    (code) => `What the search index was made of could not be removed (${code}): prune does it.`,
  );
  const forgotten = await noteFailure(
    async () => writeState(shelves.buildDir, knowledge),
    (code) => `What this build knows could not be kept (${code}): the next one has more to do.`,
  );
  if (forgotten.length === 0) clearJournal(shelves.buildDir);
  return { notes: [...untrimmed, ...forgotten] };
});

/** Repair: sets aside what is damaged, takes it from a copy or has it made anew by a build, and says what is lost.
 *
 *  logs and history from their copies → damaged blobs aside → verify → what that names: lists of changes from the trees, indexes without
 *  what is damaged, and a build → verify again, as long as it finds anything that can be mended */
import { ShelfError } from "#snapshots/errors";
import { openIndex } from "#snapshots/index";
import { parseKey } from "#snapshots/log";
import type { Finding } from "#snapshots/verify";
import { type Annexes, build } from "#generator/pipeline";
import type { Config } from "#generator/config";
import { describeFailure, openProgress, type Progress, withBuildLock } from "#generator/files";
import { embedViews } from "#generator/index";
import { forgetRedacted } from "#generator/annex/leaks";
import { verifyLibrary } from "#generator/publish";
import { keepWithdrawals } from "#generator/sources";
import { keepRecords, mendFormat, openShelves, readServed, rootsOf, vectorsDir, withShelves } from "#generator/shelves";
import { areDecisionsDamaged, DECISIONS, forgetState } from "#generator/kept";
import { dropLost, setDamagedAside } from "./blobs.ts";
import { mendChanges, mendHistory } from "./history.ts";
import { mendLogs } from "./log.ts";
import { type Mended, type Repair, setAside, VIEWS } from "./lost.ts";

export type Repaired = {
  readonly mended: readonly Mended[];
  /** Losses: all that a verification of everything still finds. */
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
};

/** repair mends a shelf. @throws ShelfError "build_running" when a build holds the shelf */
export async function repair(config: Config, annexes: Annexes, progress: Progress = openProgress()): Promise<Repaired> {
  const reformed = mendFormat(rootsOf(config));
  const { remote } = openShelves(config, annexes);
  // Files that are damaged here may be whole in the bucket.
  const fetched = (await remote?.pull({ views: VIEWS, anew: "files", wait: true })) ?? [];
  const mended: Mended[] = fetched.map(({ view, path }) => ({ root: view, path, how: "taken from the bucket again" }));
  if (reformed !== null) mended.push({ root: reformed, path: "format", how: "from the root of the other view" });
  const notes: string[] = [];
  // Vectors that are just being made are no damage.
  const alone = (work: (repair: Repair) => Promise<void>): Promise<void> => {
    const shelves = openShelves(config, annexes);
    return withShelves(shelves, () => withBuildLock(vectorsDir(shelves), () => work({ shelves, mended }), { work: "repair" }), {
      work: "repair",
    });
  };
  const verify = (): Promise<readonly Finding[]> => {
    progress.step("verify");
    return verifyLibrary(config, annexes, { snapshots: "all" });
  };
  await alone(async (one) => {
    progress.step("bucket");
    await mendBucket(one);
    progress.step("history");
    await mendLogs(one, config.log === null ? null : parseKey(config.log.publicKey));
    await mendHistory(one);
    await mendDecisions(one);
    await setDamagedAside(one, progress);
    await keepRecords(one.shelves);
  });
  let findings = await verify();
  if (findings.some((one) => one.severity === "error" && !isChanges(one))) {
    await alone(async (one) => {
      await mendIndexes(one, findings);
      // For an index alone nothing has to be read again.
      if (findings.every(({ severity, code }) => severity !== "error" || code === "index_mismatch")) return;
      await forgetState(one.shelves.buildDir);
      forgetRedacted(one.shelves);
    });
    let failure = await buildAnew(config, annexes, progress, notes);
    await alone(dropLost);
    // The build is tried again, since a file that was in its way may be aside now.
    if (failure !== null) failure = await buildAnew(config, annexes, progress, notes);
    if (failure !== null) notes.push(failure);
    findings = await verify();
  }
  if (findings.some(isChanges)) {
    await alone((one) => mendChanges(one, findings));
    findings = await verify();
  }
  progress.end();
  return { mended, findings, notes };
}

function isChanges({ code }: Finding): boolean {
  return code.startsWith("changes_");
}

/** @param notes takes those of the build
 *  @returns why there was none, in words; else null */
async function buildAnew(config: Config, annexes: Annexes, progress: Progress, notes: string[]): Promise<string | null> {
  progress.step("build");
  try {
    const built = await build(config, annexes, { progress });
    notes.push(...built.notes);
    const { notice } = await embedViews(config, annexes, { progress });
    if (notice !== "") notes.push(notice);
    return null;
  } catch (error) {
    return `No build could make anew what is missing: ${error instanceof ShelfError ? error.message : describeFailure(error)}`;
  }
}

/** mendDecisions sets damaged decisions aside. What is withdrawn stands in the newest snapshot as well; the rest is asked for again. */
async function mendDecisions(repair: Repair): Promise<void> {
  const { shelves } = repair;
  if (!areDecisionsDamaged(shelves.buildDir)) return;
  await setAside(repair, "internal", `build/${DECISIONS}`, "set aside: what was accepted or kept in history is to be decided again");
  const newest = (await shelves.internal.records.index()).records.at(-1);
  const held = newest === undefined ? null : await readServed(shelves.internal, newest);
  keepWithdrawals(shelves, held?.withdrawn ?? []);
}

/** Sends to the bucket again what it has lost. */
async function mendBucket({ shelves: { remote }, mended }: Repair): Promise<void> {
  const lost = (await remote?.findLost()) ?? [];
  remote?.mend(lost);
  mended.push(...lost.map(({ view, object }) => ({ root: view, path: `files/${object}`, how: "sent to the bucket again from the copy" })));
}

/** Forgets what of the indexes is damaged: the build makes what is served anew, and older snapshots are not searched any more. */
async function mendIndexes({ shelves, mended }: Repair, findings: readonly Finding[]): Promise<void> {
  for (const view of VIEWS) {
    const damaged = findings.filter(({ root, code }) => root === view && code === "index_mismatch");
    if (damaged.length === 0) continue;
    const index = await openIndex(shelves[view].indexUri, shelves[view].sharedIndexUri);
    await index.mend().finally(() => index.close());
    for (const { snapshot, detail } of damaged)
      mended.push({ root: view, path: "index", how: `forgotten for snapshot ${snapshot}: ${detail}` });
  }
}

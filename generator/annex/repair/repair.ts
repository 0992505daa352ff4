/** Repair: mends what follows from the rest, has the others made anew by a build, and says what is lost.
 *
 *  history from its copies → damaged blobs aside → indexes without what is damaged → verify → where anything is missing: a build,
 *  then what older snapshots miss from what is left, and verify again */
import { ShelfError } from "#snapshots/errors";
import { openIndex } from "#snapshots/index";
import { parseKey } from "#snapshots/log";
import type { Finding } from "#snapshots/verify";
import { type Annexes, build } from "#generator/pipeline";
import type { Config } from "#generator/config";
import { describeFailure, openProgress, type Progress, withBuildLock } from "#generator/files";
import { embedViews } from "#generator/index";
import { forgetRedacted } from "#generator/annex/leaks";
import { openDeriver, verifyLibrary } from "#generator/publish";
import { keepRecords, openShelves, type Shelves, vectorsDir, withShelves } from "#generator/shelves";
import { forgetState } from "#generator/kept";
import { mendSnapshots, setDamagedAside } from "./blobs.ts";
import { mendHistory } from "./history.ts";
import { mendLogs } from "./log.ts";
import { type Mended, VIEWS } from "./lost.ts";

export type Repaired = {
  readonly mended: readonly Mended[];
  /** Losses: all that a verification of everything still finds. */
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
};

/** repair mends a shelf. @throws ShelfError "build_running" when a build holds the shelf */
export async function repair(config: Config, annexes: Annexes, progress: Progress = openProgress()): Promise<Repaired> {
  const { remote } = openShelves(config, annexes);
  // Files that are damaged here may be whole in the bucket.
  const fetched = (await remote?.pull({ views: VIEWS, anew: "files" })) ?? [];
  // Vectors that are just being made are no damage.
  const alone = <T>(work: (shelves: Shelves) => Promise<T>): Promise<T> => {
    const shelves = openShelves(config, annexes);
    return withShelves(shelves, () => withBuildLock(vectorsDir(shelves), () => work(shelves), { work: "repair" }), { work: "repair" });
  };
  const mended: Mended[] = fetched.map(({ view, path }) => ({ root: view, path, how: "taken from the bucket again" }));
  const notes: string[] = [];
  await alone(async (shelves) => {
    progress.step("bucket");
    const lost = (await shelves.remote?.findLost()) ?? [];
    shelves.remote?.mend(lost);
    mended.push(
      ...lost.map(({ view, object }) => ({ root: view, path: `files/${object}`, how: "sent to the bucket again from the copy" })),
    );
    progress.step("history");
    mended.push(...(await mendHistory(shelves)));
    mended.push(...(await mendLogs(shelves, config.log === null ? null : parseKey(config.log.publicKey))));
    mended.push(...(await setDamagedAside(shelves, progress)));
    mended.push(...(await mendIndexes(shelves, progress)));
  });
  progress.step("verify");
  let findings = await verifyLibrary(config, annexes, { snapshots: "all" });
  if (findings.some(({ severity }) => severity === "error") || mended.some(({ path }) => path === "index")) {
    if (findings.some(({ severity, code }) => severity === "error" && code !== "index_mismatch"))
      await alone(async (shelves) => {
        await forgetState(shelves.buildDir);
        forgetRedacted(shelves);
      });
    // Only after a build may the parts of older snapshots be made again that it needs: then there is a second one.
    const deriver = openDeriver();
    try {
      for (const last of [false, true]) {
        progress.step("build");
        const failure = await buildAnew(config, annexes, progress, notes);
        const before = mended.length;
        await alone(async (shelves) => {
          mended.push(...(await mendSnapshots(shelves, deriver, progress)));
          for (const view of VIEWS) await shelves[view].flush();
          // More is known now, so that the history can be compared that could not be before.
          mended.push(...(await mendHistory(shelves)));
        });
        if (failure === null) break;
        if (!last && mended.length > before) continue;
        notes.push(failure);
        break;
      }
    } finally {
      await deriver.close();
    }
    progress.step("verify");
    findings = await verifyLibrary(config, annexes, { snapshots: "all" });
  }
  progress.end();
  return { mended, findings, notes };
}

/** @param notes takes those of the build
 *  @returns why there was none, in words; else null */
async function buildAnew(config: Config, annexes: Annexes, progress: Progress, notes: string[]): Promise<string | null> {
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

/** Forgets what of the indexes is damaged: the build makes what is served anew, and older snapshots are not searched any more. */
async function mendIndexes(shelves: Shelves, progress: Progress): Promise<Mended[]> {
  const done: Mended[] = [];
  for (const view of VIEWS) {
    progress.step(`index of the ${view} view`);
    const shelf = shelves[view];
    const { records } = await shelf.records.index();
    const index = await openIndex(shelf.indexUri, shelf.sharedIndexUri);
    try {
      for (const { snapshot } of records) {
        if (!(await index.knows(snapshot))) continue;
        const problem = await index.findProblem(snapshot);
        const problems = [...(problem === null ? [] : [problem]), ...(await index.findVectorProblems(snapshot))];
        for (const one of problems) done.push({ root: view, path: "index", how: `forgotten for snapshot ${snapshot}: ${one}` });
      }
      if (done.length > 0) await index.mend();
    } finally {
      index.close();
    }
  }
  await keepRecords(shelves);
  return done;
}

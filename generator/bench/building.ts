/** The cost of builds: from nothing, with nothing changed, with one object changed; Hugo before and after the first. */
import { execFile } from "node:child_process";
import { appendFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Corpus, writeCorpus } from "./corpus.ts";
import { type Figure, median, type Skipped } from "./figure.ts";
import { prepareHugo } from "./hugo.ts";
import { measureBuild, runCommand, writeConfig } from "./library.ts";
import type { Cost } from "./measure.ts";

const OBJECTS = 10_000;
const MIN_OF_HUGO = 0.5;
const MAX_PEAK_MB = 1500;
const MAX_UNCHANGED_PERCENT = 2;
const MAX_ONE_CHANGED_PERCENT = 5;
/** Objects changed one after another, spread over the library. */
const CHANGES = 5;

/** benchBuilding measures builds.
 *  @param folder its `library/` gets the documents, its `shelf/` the snapshots */
export async function benchBuilding(folder: string): Promise<readonly Figure[] | Skipped> {
  const corpus = await writeCorpus(join(folder, "library"), OBJECTS);
  if (typeof corpus === "string") return { skipped: corpus };
  const hugo = await prepareHugo(corpus, join(folder, "hugo"));
  if (typeof hugo === "string") return { skipped: hugo };
  const config = await writeConfig(folder, "Files of two Debian packages", corpus.collections);
  // One program's files, not yet on the disk, would be waited for by the next.
  const settled = async <T>(work: () => Promise<T>): Promise<T> => promisify(execFile)("sync").then(work);
  const before = await settled(hugo);
  const { cost: cold, summary } = await settled(() => measureBuild(config));
  const after = await settled(hugo);
  const { cost: same, summary: unchanged } = await settled(() => measureBuild(config));
  if (unchanged.published) throw new Error("A build of an unchanged library published a snapshot.");
  const changes = await changeObjects(corpus, config);
  // Fails when it finds anything: what came by changes is what a build from nothing would have made.
  const verified = await runCommand(["verify", "--config", config]);
  const hugoWall = (before.wall_s + after.wall_s) / 2;
  const one = { wall_s: median(changes.map(({ wall_s }) => wall_s)), cpu_s: median(changes.map(({ cpu_s }) => cpu_s)) };
  const shares = Object.entries(cold.by_process)
    .sort(([, a], [, b]) => b - a)
    .filter(([, cpu]) => cpu >= 0.1)
    .map(([name, cpu]) => `${name} ${cpu.toFixed(1)}`);
  return [
    {
      figure: `cold build of ${OBJECTS.toLocaleString("en")} texts, speed of Hugo's pages only`,
      value: hugoWall / cold.wall_s,
      unit: "×",
      target: { at: "least", value: MIN_OF_HUGO },
      note: `${(OBJECTS / cold.wall_s).toFixed(0)} objects/s: ${describe(cold)}, by program ${shares.join(", ")}; Hugo ${describe(before)} before, ${describe(after)} after; ${(corpus.bytes / 1e6).toFixed(0)} MB, ${summary.work.rendered} pages`,
    },
    {
      figure: "cold build, peak memory of all its processes",
      value: cold.peak_mb,
      unit: "MB",
      target: { at: "most", value: MAX_PEAK_MB },
      note: `Hugo ${before.peak_mb.toFixed(0)} MB`,
    },
    ofCold("nothing changed, of the cold build", MAX_UNCHANGED_PERCENT, same, cold),
    {
      ...ofCold(`one of ${OBJECTS.toLocaleString("en")} changed, of the cold build`, MAX_ONE_CHANGED_PERCENT, one, cold),
      note: `${ofCold("", 0, one, cold).note}; median of ${CHANGES}; verify found nothing after them, in ${verified.wall_s.toFixed(0)} s`,
    },
  ];
}

async function changeObjects({ root, keys }: Corpus, config: string): Promise<readonly Cost[]> {
  const costs: Cost[] = [];
  for (let at = 1; at <= CHANGES; at++) {
    await appendFile(join(root, keys[Math.floor((keys.length * at) / (CHANGES + 1))] ?? ""), "\nOne line more.\n");
    const { cost, summary } = await measureBuild(config);
    if (!summary.published) throw new Error("A build of a changed library published nothing.");
    costs.push(cost);
  }
  return costs;
}

type Times = Pick<Cost, "wall_s" | "cpu_s">;

/** The worse of the shares by the clock and by the processor: neighbours that came or went between the two builds change the first. */
function ofCold(figure: string, most: number, part: Times, cold: Times): Figure {
  const [wall, cpu] = [(100 * part.wall_s) / cold.wall_s, (100 * part.cpu_s) / cold.cpu_s];
  return {
    figure,
    value: Math.max(wall, cpu),
    unit: "%",
    target: { at: "most", value: most },
    note: `${wall.toFixed(1)} % by the clock, ${cpu.toFixed(1)} % by the processor: ${describe(part)}`,
  };
}

/** Where the processors were not busy, the disk or the machine's other work was waited for. */
function describe({ wall_s, cpu_s }: Times): string {
  return `${wall_s.toFixed(1)} s (${cpu_s.toFixed(1)} s of processor, ${((100 * cpu_s) / wall_s / availableParallelism()).toFixed(0)} % of all cores)`;
}

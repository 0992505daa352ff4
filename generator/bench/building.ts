/** What builds cost: from nothing, with nothing changed, with one object changed; Hugo beside the first. */
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { digestMakers } from "../makers.ts";
import { readState } from "../state.ts";
import type { Corpus } from "./corpus.ts";
import type { Figure } from "./figure.ts";
import { measureHugo } from "./hugo.ts";
import { type Cost, measure } from "./measure.ts";
import { CLI } from "../fixtures/serving-process.ts";
import { measureBuild, NODE_OPTIONS, writeConfig } from "./library.ts";

const MIN_OBJECTS_PER_SECOND = 1000;
const MAX_PEAK_MB = 1500;
const MAX_UNCHANGED_PERCENT = 3;
const MAX_ONE_CHANGED_PERCENT = 5;
/** Objects changed one after another, spread over the library. */
const CHANGES = 5;
const VERIFY_LIMIT_S = 900;
/** Pages that are named; far more than one change should render. */
const MAX_LISTED = 20;

/** @param folder whose `library/` is the corpus; the shelf stays there for the other parts */
export async function benchBuilding(corpus: Corpus, folder: string): Promise<readonly Figure[]> {
  const config = await writeConfig(folder);
  const { cost: cold, summary } = await measureBuild(config);
  const objects = corpus.keys.length;
  const shares = Object.entries(cold.by_process)
    .sort(([, a], [, b]) => b - a)
    .filter(([, cpu]) => cpu >= 0.1);
  const { cost: same, summary: unchanged } = await measureBuild(config);
  if (unchanged.published) throw new Error("A build of an unchanged library published a snapshot.");
  const build = join(folder, "shelf", "internal", "build");
  const shape = digestMakers().state;
  const changes: { readonly cost: Cost; readonly rendered: number; readonly pages: readonly string[] }[] = [];
  for (let at = 1; at <= CHANGES; at++) {
    const before = await readState(build, shape);
    const key = corpus.keys[Math.floor((objects * at) / (CHANGES + 1))] ?? "";
    await appendFile(join(corpus.root, key), "\nOne line more.\n");
    const { cost, summary } = await measureBuild(config);
    const after = await readState(build, shape);
    const pages = Object.keys(after.pages).filter((page) => after.pages[page]?.facts !== before.pages[page]?.facts);
    changes.push({ cost, rendered: summary.work.rendered, pages });
  }
  const middle = (value: (change: (typeof changes)[number]) => number): number =>
    changes.map(value).sort((a, b) => a - b)[Math.floor(CHANGES / 2)] ?? Number.NaN;
  const one = { wall_s: middle(({ cost }) => cost.wall_s), cpu_s: middle(({ cost }) => cost.cpu_s) };
  const { rendered, pages } = changes[Math.floor(CHANGES / 2)] ?? { rendered: Number.NaN, pages: [] };
  // Fails when it finds anything: what came by changes is what a build from nothing would have made.
  const verified = await measure([process.execPath, ...NODE_OPTIONS, CLI, "verify", "--config", config], { limit_s: VERIFY_LIMIT_S });
  // After the builds: the last thing a build does is to wait for the disk, and would wait for Hugo's files as well.
  const hugo = await measureHugo(corpus, join(folder, "hugo"));
  const beside = (
    value: (cost: { readonly wall_s: number; readonly cpu_s: number; readonly peak_mb: number }) => number,
  ): Figure["beside"] => (typeof hugo === "string" ? null : { name: "Hugo", value: value(hugo) });
  const percent = (figure: string, value: number, whole: number, most: number, note: string): Figure => ({
    figure,
    value: (100 * value) / whole,
    unit: "%",
    target: { at: "most", value: most },
    beside: null,
    note,
  });
  return [
    {
      figure: "cold build, objects per second",
      value: objects / cold.wall_s,
      unit: "objects/s",
      target: { at: "least", value: MIN_OBJECTS_PER_SECOND },
      beside: beside(({ wall_s }) => objects / wall_s),
      note:
        typeof hugo === "string"
          ? hugo
          : `${(corpus.bytes / 1e6).toFixed(0)} MB, ${summary.work.rendered} pages, index, ${summary.work.bundles} bundles; Hugo makes pages only`,
    },
    {
      figure: "cold build, processor time",
      value: cold.cpu_s,
      unit: "s",
      target: null,
      beside: beside(({ cpu_s }) => cpu_s),
      note: shares.map(([name, cpu]) => `${name} ${cpu.toFixed(1)}`).join(", "),
    },
    {
      figure: "cold build, peak memory of all processes",
      value: cold.peak_mb,
      unit: "MB",
      target: { at: "most", value: MAX_PEAK_MB },
      beside: beside(({ peak_mb }) => peak_mb),
    },
    percent(
      "nothing changed, of the cold time",
      same.wall_s,
      cold.wall_s,
      MAX_UNCHANGED_PERCENT,
      `${same.wall_s.toFixed(2)} s of ${cold.wall_s.toFixed(1)} s`,
    ),
    percent(
      "nothing changed, of the cold processor time",
      same.cpu_s,
      cold.cpu_s,
      MAX_UNCHANGED_PERCENT,
      `${same.cpu_s.toFixed(2)} s of ${cold.cpu_s.toFixed(1)} s`,
    ),
    percent(
      "one object changed, of the cold time",
      one.wall_s,
      cold.wall_s,
      MAX_ONE_CHANGED_PERCENT,
      `${one.wall_s.toFixed(2)} s of ${cold.wall_s.toFixed(1)} s; half of ${CHANGES} changes within`,
    ),
    percent(
      "one object changed, of the cold processor time",
      one.cpu_s,
      cold.cpu_s,
      MAX_ONE_CHANGED_PERCENT,
      `${one.cpu_s.toFixed(2)} s of ${cold.cpu_s.toFixed(1)} s`,
    ),
    {
      figure: "one object changed, pages rendered",
      value: rendered,
      unit: "pages",
      target: null,
      beside: null,
      note: pages.length > MAX_LISTED ? `${pages.slice(0, MAX_LISTED).join(" ")} …` : pages.join(" "),
    },
    {
      figure: "verify after these changes: every byte hashed, all derived again",
      value: verified.wall_s,
      unit: "s",
      target: null,
      beside: null,
      note: `${verified.cpu_s.toFixed(0)} s of processor time; nothing found`,
    },
  ];
}

/** Effects of a publication on readers, in a library of 100,000 objects: the site server in a process and on a core of its own,
 *  readers at a fixed rate, and meanwhile builds that each publish one changed object. */
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Pool } from "undici";
import { objectPath, pagePath } from "../../snapshots/format/layout.ts";
import { startServing } from "../testing/serving-process.ts";
import { installed } from "./debian.ts";
import { type Figure, percentile, type Skipped } from "./figure.ts";
import { measureBuild, WORDS, writeConfig } from "./library.ts";
import { ON_FIRST_CORE, ON_LAST_CORE } from "./load.ts";
import { writeNotes } from "./notes.ts";

const OBJECTS = 100_000;
const CHANGES = 5;
const REQUESTS_PER_SECOND = 100;
const CONNECTIONS = 64;
const MAX_TIMES = 3;
const WARM_UP_S = 10;
const WITHOUT_S = 30;
/** The readers of the new snapshot belong to its publication for so long after the first of them. */
const AFTER_MS = 2_000;
const LOOK_MS = 25;
/** Anything that has not happened by then never will. */
const WAIT_LIMIT_MS = 600_000;

type Sample = { readonly due: number; readonly took: number };

/** benchPublishing measures what readers notice of a publication.
 *  @param folder a new one */
export async function benchPublishing(folder: string): Promise<readonly Figure[] | Skipped> {
  const missing = await installed(["util-linux"]);
  if (missing !== null) return { skipped: missing };
  const keys = await writeNotes(folder, OBJECTS);
  const config = await writeConfig(folder, "A hundred thousand notes", ["notes"]);
  const { cost: cold } = await measureBuild(config);
  const site = await startServing(["--only", "site", "--config", config], ON_FIRST_CORE);
  const readers = startReaders(site.url, keys);
  try {
    await wait(WARM_UP_S * 1000);
    const began = performance.now();
    await wait(WITHOUT_S * 1000);
    const ended = performance.now();
    const windows: Window[] = [];
    for (let change = 0; change < CHANGES; change++) {
      windows.push(await publish(site.url, folder, config, keys[change * 17_017] ?? ""));
      await readers.caughtUp();
    }
    await readers.stop();
    const took = (inside: (due: number) => boolean): number[] =>
      readers.samples
        .filter(({ due }) => inside(due))
        .map((sample) => sample.took)
        .sort((a, b) => a - b);
    const without = took((due) => due >= began && due < ended);
    const during = took((due) => windows.some(({ swapped, to }) => due >= swapped && due < to));
    const building = took((due) => windows.some(({ from, swapped }) => due >= from && due < swapped));
    const show = (times: readonly number[]): string =>
      `p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)}, worst ${times.at(-1)?.toFixed(0)} ms`;
    return [
      {
        figure: `readers during a publication, ${OBJECTS.toLocaleString("en")} objects: p99, times that without`,
        value: percentile(during, 0.99) / percentile(without, 0.99),
        unit: "×",
        target: { at: "most", value: MAX_TIMES },
        note: `${during.length} requests from the pointer's move until ${AFTER_MS / 1000} s after the server has followed: ${show(during)}; ${without.length} without: ${show(without)}; while builds ran: ${show(building)}; ${CHANGES} publications, cold build ${cold.wall_s.toFixed(0)} s and ${cold.peak_mb.toFixed(0)} MB`,
      },
    ];
  } finally {
    await readers.stop();
    await site.stop();
  }
}

type Window = { readonly from: number; readonly swapped: number; readonly to: number };

/** Publishes one changed object. The build is kept off the server's core, and gives way to the readers on its own.
 *  @returns when the build began, when the pointer moved, and a while after the server answered from the new snapshot */
async function publish(url: string, folder: string, config: string, key: string): Promise<Window> {
  const pointer = join(folder, "shelf", "public", "current.json");
  const before = await readFile(pointer, "utf8");
  await appendFile(join(folder, "library", key), "\nOne line more.\n");
  const from = performance.now();
  const follow = async (): Promise<Window> => {
    await until("a build to move the pointer", async () => (await readFile(pointer, "utf8")) !== before);
    const swapped = performance.now();
    const { snapshot } = JSON.parse(await readFile(pointer, "utf8")) as { snapshot: string };
    await until(`the server to follow to ${snapshot}`, async () => {
      const served = (await (await fetch(`${url}/api/capabilities`)).json()) as { snapshot: string };
      return served.snapshot === snapshot;
    });
    await wait(AFTER_MS);
    return { from, swapped, to: performance.now() };
  };
  const [window] = await Promise.all([follow(), measureBuild(config, ["nice", "-n", "19", ...ON_LAST_CORE])]);
  return window;
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + WAIT_LIMIT_MS; !(await isSo()); await wait(LOOK_MS))
    if (performance.now() > end) throw new Error(`Waited for ${what} for ${WAIT_LIMIT_MS / 1000} s.`);
}

type Readers = {
  readonly samples: readonly Sample[];
  /** Returns when no more requests wait than readers have connections. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
};

/** Requests are sent when they are due, however slow the ones before are; each one's time counts from when it was due.
 *  @throws Error out of `stop` when an answer had another status than 200 */
function startReaders(url: string, keys: readonly string[]): Readers {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const samples: Sample[] = [];
  const open = new Set<Promise<void>>();
  let failure: Error | null = null;
  const began = performance.now();
  let sent = 0;
  const read = async (path: string, due: number): Promise<void> => {
    const { statusCode, body } = await pool.request({ path, method: "GET" });
    await body.dump({ limit: 1 << 30 });
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}.`);
    samples.push({ due, took: performance.now() - due });
  };
  const timer = setInterval(() => {
    for (
      let due = began + (sent * 1000) / REQUESTS_PER_SECOND;
      due <= performance.now();
      due = began + (sent * 1000) / REQUESTS_PER_SECOND
    ) {
      const one = read(targetOf(sent++, keys), due)
        .catch((error: Error) => void (failure ??= error))
        .finally(() => open.delete(one));
      open.add(one);
    }
  }, 1);
  return {
    samples,
    caughtUp: () => until("the readers to catch up", () => open.size <= CONNECTIONS),
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      if (!pool.destroyed) await pool.close();
      if (failure !== null) throw failure;
    },
  };
}

function targetOf(at: number, keys: readonly string[]): string {
  const key = keys[(at * 7919) % keys.length] ?? "";
  const folder = key.slice(0, key.lastIndexOf("/") + 1);
  const targets = [
    () => "/",
    () => `/api/list?prefix=${folder}`,
    () => objectPath(key),
    () => pagePath.object(key),
    () => pagePath.browse(folder),
    () => `/api/search?q=${WORDS[at % WORDS.length]}+${at}`,
  ];
  return (targets[at % targets.length] as () => string)();
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

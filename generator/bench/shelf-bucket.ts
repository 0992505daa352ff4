/** The cost of a shelf in a bucket beside one in a folder, on Ceph's gateway on this machine: builds, and a reader that starts with nothing.
 *  Every ratio is to the folder in the same run. */
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeBucket, NoCeph, startCeph, useCredentials } from "../../snapshots/annex/bucket/ceph-fixture.ts";
import { openFaultProxy } from "../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { type ServingProcess, startServing } from "../testing/serving-process.ts";
import { installed } from "./debian.ts";
import { type Figure, formatNumber, median, type Skipped } from "./figure.ts";
import { measureBuild, writeConfig } from "./library.ts";
import { load, LOAD_PACKAGES, ON_FIRST_CORE } from "./load.ts";
import { writeNotes } from "./notes.ts";

const OBJECTS = 10_000;
/** Added to each request, for a store that is not next door; milliseconds. */
const AWAY_MS = 30;
const READY_LIMIT_MS = 120_000;
/** Turns of load, one after another, each with all that is compared; and how long one takes. */
const ROUNDS = 3;
const ROUND_S = 2;

/** benchShelfBucket measures a shelf in a bucket.
 *  @param folder a new one */
export async function benchShelfBucket(folder: string, objects = OBJECTS): Promise<readonly Figure[] | Skipped> {
  const ceph = await startCeph(join(folder, "ceph")).catch((error: unknown) => {
    if (error instanceof NoCeph) return error.message;
    throw error;
  });
  if (typeof ceph === "string") return { skipped: ceph };
  useCredentials(ceph.server.owner);
  const proxy = await openFaultProxy(ceph.server.endpoint);
  try {
    const keys = await writeNotes(folder, objects);
    const plain = await writeConfig(folder, "Notes", ["notes"]);
    const configure = async (name: string, shelf: object): Promise<string> => {
      await mkdir(join(folder, name), { recursive: true });
      const config = JSON.parse(await readFile(plain, "utf8")) as object;
      const whole = { ...config, store: { kind: "directory", root: "../library" }, shelf };
      await writeFile(join(folder, name, "proofshelf.yaml"), JSON.stringify(whole));
      return join(folder, name, "proofshelf.yaml");
    };
    const near = { kind: "s3", ...(await makeBucket(ceph.server)), endpoint: proxy.endpoint, copy: "./copy" };
    const far = { kind: "s3", ...(await makeBucket(ceph.server)), endpoint: proxy.endpoint, copy: "./copy" };
    const [inFolder, inBucket, inFar] = [
      await configure("folder", { kind: "directory", root: "./shelf" }),
      await configure("near", near),
      await configure("far", far),
    ];
    const measure = async (config: string, delayMs = 0): Promise<{ readonly s: number; readonly mb: number; readonly asked: number }> => {
      proxy.reset();
      proxy.delayMs = delayMs;
      const { cost } = await measureBuild(config);
      return { s: cost.wall_s, mb: cost.peak_mb, asked: proxy.requests.length };
    };
    const cold = { folder: await measure(inFolder), near: await measure(inBucket), far: await measure(inFar, AWAY_MS) };
    const idle = { folder: await measure(inFolder), near: await measure(inBucket) };
    await appendFile(join(folder, "library", keys[0] ?? ""), "\nOne line more.\n");
    const changed = { folder: await measure(inFolder), near: await measure(inBucket) };
    const reader = await startReader(await configure("reader", near), proxy);
    proxy.delayMs = 0;
    const page = `/object/${keys[0] ?? ""}`;
    const readers = await measureReaders([inFolder, await configure("first", near), await configure("second", near)], page);
    const size = objects.toLocaleString("en");
    const ratio = (figure: string, value: number, most: number, note: string, unit = "×"): Figure => ({
      figure,
      value,
      unit,
      target: { at: "most", value: most },
      note,
    });
    return [
      ratio(
        `cold build of ${size} objects, shelf in a bucket: time, times that of a folder`,
        cold.near.s / cold.folder.s,
        1.6,
        `${cold.near.s.toFixed(1)} s to ${cold.folder.s.toFixed(1)} s`,
      ),
      ratio("the same: requests", cold.near.asked, 1500, "all of them for the shelf", "requests"),
      ratio(
        "the same: peak memory, times that of a folder",
        cold.near.mb / cold.folder.mb,
        1.1,
        `${cold.near.mb.toFixed(0)} MB to ${cold.folder.mb.toFixed(0)} MB`,
      ),
      ratio(`the same, ${AWAY_MS} ms added to each request: time`, cold.far.s / cold.folder.s, 2, `${cold.far.s.toFixed(1)} s`),
      ratio(
        "nothing changed: requests",
        idle.near.asked,
        10,
        `${idle.near.s.toFixed(1)} s, in a folder ${idle.folder.s.toFixed(1)} s`,
        "requests",
      ),
      ratio("one object changed: requests", changed.near.asked, 60, "", "requests"),
      ratio(
        "one object changed: time, times that of a folder",
        changed.near.s / changed.folder.s,
        1.5,
        `${changed.near.s.toFixed(1)} s to ${changed.folder.s.toFixed(1)} s`,
      ),
      ratio(
        `a reader that starts with nothing, ${AWAY_MS} ms added to each request: ready after`,
        reader.s,
        5,
        "from the start of the process until the snapshot is served",
        "s",
      ),
      ratio("the same: requests", reader.asked, 100, "", "requests"),
      ratio("the same in steady state: requests a second", reader.steady, 1.1, "of the pointer alone", "requests"),
      ...readers,
    ];
  } finally {
    await proxy.close();
    await ceph.stop();
  }
}

/** A server of a folder, and two readers with copies of their own, all on the first core.
 *  @param configs in this order */
async function measureReaders(configs: readonly string[], page: string): Promise<readonly Figure[]> {
  const missing = await installed(LOAD_PACKAGES);
  if (missing !== null) throw new Error(missing);
  const servers: ServingProcess[] = [];
  try {
    for (const config of configs)
      servers.push(await startServing(["--only", "site", "--no-rate-limits", "--config", config], ON_FIRST_CORE));
    const [folder, first, second] = servers as [ServingProcess, ServingProcess, ServingProcess];
    for (const { url } of servers) await untilReady(url);
    const rate = async ({ url, child }: ServingProcess, path: string): Promise<number> =>
      (await load(url + path, { pid: child.pid ?? 0, seconds: ROUND_S })).per_core_second;
    const beside = async (name: string, path: string): Promise<Figure> => {
      const rounds = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push([await rate(folder, path), await rate(first, path)] as const);
      return {
        figure: `${name} from a reader's copy: processor time, times that of a folder`,
        value: median(rounds.map(([plain, copied]) => plain / copied)),
        unit: "×",
        target: { at: "most", value: 1.1 },
        note: `${rounds.map(([plain, copied]) => `${formatNumber(copied)} to ${formatNumber(plain)}`).join("; ")} answers per second of processor time`,
      };
    };
    const added: (readonly [alone: number, together: number])[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await rate(first, page);
      const both = await Promise.all([rate(first, page), rate(second, page)]);
      added.push([alone, (both[0] + both[1]) / 2]);
    }
    return [
      await beside("/api/search", "/api/search?q=line"),
      await beside("a page", page),
      {
        figure: "two readers at once: answers per second of a reader's processor, of one alone",
        value: median(added.map(([alone, together]) => together / alone)),
        unit: "×",
        target: { at: "least", value: 0.95 },
        note: `${added.map(([alone, together]) => `${formatNumber(together)} to ${formatNumber(alone)}`).join("; ")}; they share nothing but the bucket, so machines add up`,
      },
    ];
  } finally {
    await Promise.all(servers.map((one) => one.stop()));
  }
}

async function untilReady(url: string): Promise<void> {
  for (const end = performance.now() + READY_LIMIT_MS; ; await wait(25)) {
    const answer = await fetch(`${url}/api/capabilities`);
    if (answer.ok && ((await answer.json()) as { snapshot: string | null }).snapshot !== null) return;
    if (performance.now() > end) throw new Error("The reader was not ready in time.");
  }
}

async function startReader(
  config: string,
  proxy: Awaited<ReturnType<typeof openFaultProxy>>,
): Promise<{ readonly s: number; readonly asked: number; readonly steady: number }> {
  proxy.reset();
  proxy.delayMs = AWAY_MS;
  const began = performance.now();
  const site = await startServing(["--only", "site", "--config", config]);
  try {
    await untilReady(site.url);
    const [s, asked] = [(performance.now() - began) / 1000, proxy.requests.length];
    proxy.reset();
    const from = performance.now();
    await wait(5_000);
    return { s, asked, steady: proxy.requests.length / ((performance.now() - from) / 1000) };
  } finally {
    await site.stop();
  }
}

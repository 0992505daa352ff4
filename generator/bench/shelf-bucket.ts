/** What a shelf in a bucket costs beside one in a folder, on Ceph's gateway on this machine: builds, and a reader that starts with nothing.
 *  Every ratio is to the folder in the same run. */
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeBucket, NoCeph, startCeph, useCredentials } from "../../snapshots/bucket/ceph.ts";
import { openFaultProxy } from "../../snapshots/bucket/fault-proxy-fixture.ts";
import { startServing } from "../fixtures/serving-process.ts";
import type { Figure, Skipped } from "./figure.ts";
import { measureBuild, writeConfig } from "./library.ts";
import { writeNotes } from "./notes.ts";

const OBJECTS = 10_000;
/** Added to each request, for a store that is not next door; milliseconds. */
const AWAY_MS = 30;
const READY_LIMIT_MS = 120_000;

/** @param folder a new one */
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
    ];
  } finally {
    await proxy.close();
    await ceph.stop();
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
    for (;;) {
      const answer = await fetch(`${site.url}/api/capabilities`);
      if (answer.ok && ((await answer.json()) as { snapshot: string | null }).snapshot !== null) break;
      if (performance.now() - began > READY_LIMIT_MS) throw new Error("The reader was not ready in time.");
      await wait(25);
    }
    const [s, asked] = [(performance.now() - began) / 1000, proxy.requests.length];
    proxy.reset();
    const from = performance.now();
    await wait(5_000);
    return { s, asked, steady: proxy.requests.length / ((performance.now() - from) / 1000) };
  } finally {
    await site.stop();
  }
}

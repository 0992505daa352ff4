/** Builders that are killed at random requests to a bucket, on machines of their own in turns: whenever that is, the bucket holds one
 *  whole state, the one before or the one after, and the next builder goes on from there. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BucketConfig } from "../../snapshots/annex/bucket/bucket.ts";
import { openFaultProxy } from "../../snapshots/annex/bucket/fault-proxy-fixture.ts";

import { openConfig } from "../config/config.ts";
import { writeSmallFixture } from "../testing/library.ts";

import { refresh } from "../shelves/shelves.ts";
import { openRandom } from "./random.ts";
import { build, openShelves, verifyLibrary } from "../testing/whole.ts";

const CHILD = fileURLToPath(new URL("../testing/crash-child.ts", import.meta.url));
const SILENT = { step() {}, end() {} };
/** Requests of a build, about: one that is over before its moment comes is killed nowhere. */
const MOMENTS = 40;

export type BuildersReport = { readonly killed: number; readonly moved: number; readonly failures: readonly string[] };

/** tortureBuilders lets builders compete.
 *  @param folder for libraries and copies; @param bucket an empty one */
export async function tortureBuilders(
  folder: string,
  bucket: BucketConfig,
  options: { readonly seed: number; readonly count: number; readonly onProgress?: (done: number) => void },
): Promise<BuildersReport> {
  const random = openRandom(options.seed);
  const dir = await mkdtemp(join(folder, "builders-"));
  const proxy = await openFaultProxy(bucket.endpoint ?? "");
  const plain = await readFile(await writeSmallFixture(dir), "utf8");
  const configure = async (endpoint: string | null, machine: string): Promise<string> => {
    // The same bytes on each machine: a shelf is one configuration's.
    const shelf = JSON.stringify({ kind: "s3", ...bucket, endpoint, copy: "./copy" });
    await mkdir(join(dir, machine));
    const file = join(dir, machine, "proofshelf.yaml");
    await writeFile(file, plain.replaceAll("./", "../").replace(/^shelf:.*$/m, `shelf: ${shelf}`));
    return file;
  };
  const reader = await openConfig(await configure(bucket.endpoint, "reader"));
  const builders = [await configure(proxy.endpoint, "one"), await configure(proxy.endpoint, "two")];
  const failures: string[] = [];
  let killed = 0;
  let moved = 0;
  let served: string | null = null;
  let builder = 0;
  try {
    for (let at = 0; at < options.count; at++) {
      await writeFile(join(dir, "library/notes/round.md"), `# Round ${at}\n`);
      // Another machine finds the lease of a killed one held and would wait for its end, so it comes after one that has ended well.
      const file = builders[builder] ?? "";
      const moment = random.below(MOMENTS);
      const said = await runUntil(file, proxy, moment);
      const where = `kill ${at}, seed ${options.seed}, request ${moment}`;
      if (said === "killed") killed++;
      else if (said !== "done") failures.push(`${where}: ${said}`);
      await refresh(openShelves(reader));
      const now = (await openShelves(reader).public.readPointer())?.snapshot ?? null;
      if (now !== null) {
        const errors = (await verifyLibrary(reader, { snapshots: "all" })).filter(({ severity }) => severity === "error");
        for (const { code, root, path, detail } of errors) failures.push(`${where}: ${code} ${root} ${path} ${detail}`);
      }
      if (now !== served) moved++;
      served = now;
      if (random.below(4) === 0) {
        const after = await build(await openConfig(file), { progress: SILENT });
        await refresh(openShelves(reader));
        served = (await openShelves(reader).public.readPointer())?.snapshot ?? null;
        if (served !== after.snapshot) failures.push(`${where}: what was built afterwards is not what readers get`);
        builder = 1 - builder;
      }
      options.onProgress?.(at + 1);
    }
    return { killed, moved, failures };
  } finally {
    await proxy.close();
    await rm(dir, { recursive: true, force: true });
  }
}

/** A build in a process of its own, killed at its n-th request. @returns how it ended */
async function runUntil(file: string, proxy: Awaited<ReturnType<typeof openFaultProxy>>, moment: number): Promise<string> {
  const child = fork(CHILD, [file], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-2000)));
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  await once(child, "message");
  proxy.reset();
  let killed = false;
  proxy.fault = (n) => {
    if (n < moment) return null;
    // Half of them when the request is done already.
    killed ||= child.kill("SIGKILL");
    return n % 2 === 0 ? "cut" : "lost";
  };
  child.send("build");
  const [code] = await ended;
  proxy.fault = () => null;
  return killed ? "killed" : code === 0 ? "done" : said;
}

/** Servers in processes of their own that share one cache of a machine, with no right but to read what is public: beside one another,
 *  killed, with a full disk, and cut off. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openFaultProxy } from "../../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { SHA256_PATTERN, sha256 } from "../../../snapshots/digest.ts";

import { openConfig } from "../../config/config.ts";
import { shelveInBucket } from "../../testing/bucket-library.ts";
import { SILENT, writeFixture } from "../../testing/library.ts";
import { type ServingProcess, startServing } from "../../testing/serving-process.ts";
import { until } from "../../testing/until.ts";
import { letOthersRead } from "../../torture/followers.ts";
import { onDisk } from "./room.ts";
import { build } from "../../testing/whole.ts";

const run = promisify(execFile);
const SHIM = fileURLToPath(new URL("../../torture/fault-shim.c", import.meta.url));
const MAX_BYTES = 1_700_000;
const NOTES = 75;
/** Number of the call from which on the disk may be full. */
const FULL_AT = 1_000_000_000n;

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const found = entry.isFile() ? await stat(join(entry.parentPath, entry.name)).catch(() => null) : null;
    bytes += onDisk(found?.size ?? 0);
  }
  return bytes;
}

/** Files whose name is their digest, and that are something else. */
async function findTorn(folder: string): Promise<readonly string[]> {
  const torn: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const digest = basename(entry.name, ".zip");
    if (!entry.isFile() || !SHA256_PATTERN.test(digest)) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => null);
    if (bytes !== null && sha256(bytes) !== digest) torn.push(entry.name);
  }
  return torn;
}

/** Preloaded, the disk under a folder is full whenever the test says so; null where there is no C compiler. */
async function openDisk(
  dir: string,
  folder: string,
): Promise<{ readonly env: readonly string[]; fill(full: boolean): Promise<void> } | null> {
  const [shim, state] = [join(dir, "shim.so"), join(dir, "state")];
  try {
    await run("cc", ["-shared", "-fPIC", "-O1", "-o", shim, SHIM, "-ldl"]);
  } catch {
    return null;
  }
  const fill = async (full: boolean): Promise<void> => {
    const counters = Buffer.alloc(16);
    counters.writeBigInt64LE(full ? FULL_AT + 1n : 0n, 0);
    counters.writeBigInt64LE(full ? 1n : 0n, 8);
    await writeFile(state, counters);
  };
  await fill(false);
  const env = [`LD_PRELOAD=${shim}`, `FAULT_ROOT=${folder}`, `FAULT_STATE=${state}`, `FAULT_AT=${FULL_AT}`, "FAULT_KIND=ENOSPC"];
  return { env, fill };
}

type Health = { readonly status: string; readonly checks: Record<string, { status: string; detail: string } | undefined> };

bucketTest(
  "servers that share a cache serve everything within its bound, killed, on a full disk and cut off",
  async (t: TestContext, server) => {
    const dir = await realpath(await mkdtemp(join(tmpdir(), "proofshelf-cached-serve-")));
    const folder = join(dir, "cache");
    const proxy = await openFaultProxy(server.endpoint);
    const servers: ServingProcess[] = [];
    t.after(async () => {
      await Promise.all(servers.map((one) => one.stop()));
      await proxy.close();
      await rm(dir, { recursive: true, force: true });
    });
    const bucket = await makeBucket(server);
    await writeFixture(dir);
    const texts = Array.from({ length: NOTES }, (_, at) => `# Note ${at}\n\n${sha256(`${at}`).repeat(120)}\n`);
    for (const [at, text] of texts.entries()) await writeFile(join(dir, `library/notes/note-${at}.md`), text);
    await letOthersRead(bucket, server);
    await build(await openConfig(await shelveInBucket(dir, bucket, "builder")), { progress: SILENT });

    const disk = await openDisk(dir, folder);
    const { accessKeyId, secretAccessKey } = server.other;
    const env = ["env", `AWS_ACCESS_KEY_ID=${accessKeyId}`, `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`, ...(disk?.env ?? [])];
    const file = await shelveInBucket(dir, { ...bucket, endpoint: proxy.endpoint }, "machine", { dir: "./cache", maxBytes: MAX_BYTES });
    const start = async (): Promise<ServingProcess> => {
      const started = await startServing(["--only", "site", "--config", file], env);
      servers.push(started);
      await until("a snapshot", async () => (await fetch(`${started.url}/api/catalog`)).status === 200);
      return started;
    };
    const read = async ({ url }: ServingProcess, at: number): Promise<number> => {
      const answer = await fetch(`${url}/objects/notes/note-${at}.md`);
      const text = await answer.text();
      if (answer.status === 200) assert.equal(text, texts[at]);
      return answer.status;
    };
    const readAll = async (one: ServingProcess): Promise<readonly number[]> => {
      const statuses: number[] = [];
      for (const at of texts.keys()) {
        statuses.push(await read(one, at));
        statuses.push((await fetch(`${one.url}/object/notes/note-${at}.md`)).status);
        if (at % 10 === 0) assert.ok((await bytesIn(folder)) <= MAX_BYTES, `${await bytesIn(folder)} bytes`);
      }
      return [...new Set(statuses)];
    };
    const health = async ({ url }: ServingProcess): Promise<Health> => (await (await fetch(`${url}/health`)).json()) as Health;

    const first = await start();
    const second = await start();
    assert.deepEqual(await Promise.all([readAll(first), readAll(second)]), [[200], [200]]);
    assert.deepEqual(await findTorn(folder), []);
    assert.ok(
      proxy.requests.every((line) => line.startsWith("GET /") && line.includes("/public/")),
      "nothing is listed, written or gated",
    );
    const said = await (await fetch(`${first.url}/api/capabilities`)).text();
    assert.match(said, /keeps at most 1\.7 MB of what is read of the bucket/);

    // One is killed in the middle of everything, starter and server: the other goes on, and so does the next.
    const reading = readAll(second);
    const busy = Promise.allSettled(Array.from(texts.keys(), (at) => read(first, NOTES - 1 - at)));
    await until("some of it read", async () => proxy.requests.length > 20);
    first.child.kill("SIGKILL");
    await busy;
    assert.deepEqual(await reading, [200]);
    assert.deepEqual(await findTorn(folder), []);
    const third = await start();
    assert.equal(await read(third, 3), 200);

    if (disk === null) t.diagnostic("there is no C compiler: the full disk is left out");
    else {
      await disk.fill(true);
      assert.deepEqual(await readAll(third), [200]);
      await until("a word of the full disk", async () => (await health(third)).checks["cache"]?.status === "warn");
      assert.match((await health(third)).checks["cache"]?.detail ?? "", /^the disk of the cache is full/);
      await disk.fill(false);
      assert.deepEqual(await readAll(third), [200]);
      await until("the end of the full disk", async () => (await health(third)).checks["cache"] === undefined);
    }

    // One that starts while the bucket is away serves what there is; the rest has to wait, and says for how long.
    assert.equal(await read(third, NOTES - 1), 200);
    proxy.fault = () => "cut";
    const fourth = await start();
    const answers = await Promise.all(
      texts.map(async (_, at) => {
        const answer = await fetch(`${fourth.url}/objects/notes/note-${at}.md`);
        return { status: answer.status, after: answer.headers.get("retry-after"), text: await answer.text() };
      }),
    );
    const away = answers.filter(({ status }) => status !== 200);
    assert.ok(away.length > 0 && away.length < NOTES, `${away.length} of ${NOTES}`);
    assert.ok(away.every(({ status, after, text }) => status === 503 && after === "5" && text.includes("bucket_unavailable")));
    assert.ok(
      away.every(({ text }) => !text.includes(bucket.bucket)),
      "nobody is told which bucket it is",
    );
    assert.equal((await fetch(`${fourth.url}/api/search?q=zebra`)).status, 200);
    proxy.fault = () => null;
    await until("the end of the outage", async () => (await read(fourth, 0)) === 200 && (await read(fourth, 1)) === 200);
  },
);

/** A bucket that fails: each request may be cut, slow, refused for a moment, or be done and lose its answer, at places that a seed
 *  picks. Whatever happens, an operation does what it says, a list is whole, and an export that was stopped is finished by the next. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Bucket, BucketConfig } from "../../snapshots/annex/bucket/bucket.ts";
import { type CephServer, makeBucket } from "../../snapshots/annex/bucket/ceph-fixture.ts";
import { type Fault, FAULTS, type FaultProxy, openFaultProxy } from "../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { RETRY_LIMITS } from "../../snapshots/annex/bucket/retry.ts";
import { openBucket } from "../../snapshots/annex/bucket/s3-bucket.ts";
import { ShelfError } from "../../snapshots/errors.ts";

import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { compileSite } from "../pages/compile-site.ts";
import { openStaticView } from "../annex/export/export.ts";
import { exportToBucket } from "../annex/export/export-bucket.ts";
import { exportedFiles } from "../annex/export/exported-files.ts";

import { openRandom, type Random } from "./random.ts";
import { build, openObjectStore, openShelves } from "../testing/whole.ts";

/** A killed export keeps its lease for so long; milliseconds. */
const EXPORT_LEASE_MS = 2_000;
const QUICK = { ...RETRY_LIMITS, firstPauseMs: 1, longestPauseMs: 20 };
/** An operation gives up after eight attempts, and one may be two requests. */
const MOST_IN_A_ROW = 3;
const KEYS = ["a", "a/b c", "a+b", "é", "e\u0301", "\uff5e", "\u{1F600}", "%41", "x".repeat(200)];

export type BucketReport = {
  /** Fault → how many of it. */
  readonly injected: ReadonlyMap<Fault, number>;
  readonly operations: number;
  readonly exports: number;
  readonly failures: readonly string[];
};

/** tortureWithBucket attacks a shelf in a bucket.
 *  @param folder an empty one
 *  @param count faults that are injected, at least */
export async function tortureWithBucket(
  server: CephServer,
  folder: string,
  {
    seed,
    count,
    onProgress,
  }: { readonly seed: number; readonly count: number; readonly onProgress?: (done: number, failed: number) => void },
): Promise<BucketReport> {
  const random = openRandom(seed);
  const proxy = await openFaultProxy(server.endpoint);
  const injected = new Map<Fault, number>();
  const total = (): number => injected.values().reduce((sum, number) => sum + number, 0);
  let row = 0;
  const inject = (): Fault | null => {
    const fault = row < MOST_IN_A_ROW && random.below(3) === 0 ? random.pick(FAULTS) : null;
    row = fault === null ? 0 : row + 1;
    if (fault !== null) injected.set(fault, (injected.get(fault) ?? 0) + 1);
    return fault;
  };
  const failures: string[] = [];
  let operations = 0;
  let exports = 0;
  try {
    const site = await openSite(server, proxy, folder);
    const config = await makeBucket(server);
    const model = new Map<string, string>();
    while (total() < count) {
      const said = `seed ${seed}, after ${operations} operations and ${exports} exports`;
      proxy.fault = inject;
      try {
        for (let turn = 0; turn < 50; turn++) {
          operations++;
          await operate({ ...config, endpoint: proxy.endpoint }, model, random, operations);
        }
        exports++;
        await site.round(random, inject);
      } catch (error) {
        failures.push(`${said}: ${error instanceof Error ? error.message : String(error)}`);
        model.clear();
        for await (const { key } of openBucket(config).list()) await openBucket(config).delete(key);
      }
      onProgress?.(total(), failures.length);
    }
  } finally {
    await proxy.close();
  }
  return { injected, operations, exports, failures };
}

/** One operation on a random key, compared with what has to come of it. */
async function operate(config: BucketConfig, model: Map<string, string>, random: Random, turn: number): Promise<void> {
  const bucket = openBucket(config, QUICK);
  const key = random.pick(KEYS);
  const there = model.get(key);
  const next = `turn ${turn}`;
  const etagOf = async (): Promise<string> => (await bucket.head(key))?.etag ?? "0".repeat(32);
  switch (random.below(7)) {
    case 0:
      await bucket.put(key, Buffer.from(next));
      model.set(key, next);
      return;
    case 1: {
      const outcome = await bucket.putIfAbsent(key, Buffer.from(next));
      assert.equal(outcome, there === undefined ? "written" : "other", `put if absent of ${key}`);
      if (there === undefined) model.set(key, next);
      return;
    }
    case 2: {
      const etag = await bucket.putIfMatch(key, Buffer.from(next), await etagOf());
      assert.equal(etag !== null, there !== undefined, `compare-and-swap of ${key}`);
      if (there !== undefined) model.set(key, next);
      return;
    }
    case 3:
      assert.equal(await bucket.putIfMatch(key, Buffer.from(next), "f".repeat(32)), null, `compare-and-swap of ${key} with a stale ETag`);
      return;
    case 4:
      await bucket.delete(key);
      model.delete(key);
      return;
    case 5: {
      const got = await bucket.get(key);
      assert.equal(got.state === "found" ? got.bytes.toString() : undefined, there, `bytes of ${key}`);
      return;
    }
    default: {
      const listed: string[] = [];
      const store = openObjectStore({ kind: "s3", ...config, uploadedFrom: null });
      for await (const object of store.list()) listed.push(object.key);
      assert.deepEqual(listed.sort(), [...model.keys()].sort(), "the list");
    }
  }
}

type Site = { round(random: Random, inject: () => Fault | null): Promise<void> };

/** A small library that changes, exported into a bucket under faults, and now and then stopped. */
async function openSite(server: CephServer, proxy: FaultProxy, folder: string): Promise<Site> {
  await writeFiles(folder, [
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections: [{ id: a, prefix: a/, title: A, visibility: public }]\n",
    ],
  ]);
  const { dist } = await compileSite();
  const made = await makeBucket(server);
  const bucket = openBucket({ ...made, endpoint: proxy.endpoint }, QUICK);
  let rounds = 0;
  return {
    async round(random, inject) {
      rounds++;
      await writeFiles(join(folder, "library"), [
        [`a/${random.below(4)}.md`, `# Round ${rounds}\n`],
        ["a/always.md", `# ${rounds}\n`],
      ]);
      const config = await openConfig(join(folder, "proofshelf.yaml"));
      await build(config, { progress: SILENT });
      const shelf = openShelves(config).public;
      const run = (): Promise<unknown> => exportToBucket({ shelf, dist, bucket, ttl: EXPORT_LEASE_MS });
      let left = random.below(150);
      proxy.fault = () => (left-- > 0 ? inject() : "403");
      await run().catch((error: unknown) => assert.ok(error instanceof ShelfError && error.code === "bucket_denied", String(error)));
      proxy.fault = inject;
      await run();
      const { view } = await openStaticView(shelf, dist);
      const expected = new Set([".proofshelf-export/manifest.json", ".proofshelf-export/lease"]);
      const direct = openBucket(made);
      for await (const { path, bytes } of exportedFiles(view, {})) {
        expected.add(path);
        if (random.below(10) === 0) await mustHave(direct, path, bytes);
      }
      const there: string[] = [];
      for await (const { key } of direct.list()) there.push(key);
      assert.deepEqual(there.sort(), [...expected].sort(), "the exported files");
    },
  };
}

async function mustHave(bucket: Bucket, path: string, bytes: Uint8Array): Promise<void> {
  const got = await bucket.get(path);
  assert.ok(got.state === "found" && got.bytes.equals(bytes), `bytes of ${path}`);
}

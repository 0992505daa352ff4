/** A shelf in a real bucket: published, followed, fought over, and cut off. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { BucketConfig } from "../../../snapshots/annex/bucket/bucket.ts";
import { bucketTest, makeBucket, useCredentials } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { writeSmallFixture } from "../../testing/library.ts";

import { refresh } from "../../shelves/shelves.ts";
import { lookAtFiles } from "./local-files.ts";
import { openRemote, type Reader } from "./remote.ts";

/** A reader that looks once. */
const LOOK: Reader = { spare: (_, paths) => paths };
import { takeLease } from "./lease.ts";
import { EMPTY, objectsOf } from "./inventory.ts";
import { readKnown } from "./known.ts";
import { openBucket } from "../../../snapshots/annex/bucket/s3-bucket.ts";
import { openFaultProxy } from "../../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { openS3Double } from "../../../snapshots/annex/bucket/s3-double-fixture.ts";
import { canonicalJson, sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { SILENT, configure, hasErrors, makeDir } from "./remote-fixture.ts";
import { build, openShelves, repair, verifyLibrary } from "../../testing/whole.ts";

/** Everything that lies under a prefix of the bucket. */
async function contents(config: BucketConfig, prefix: string): Promise<Map<string, Buffer>> {
  const bucket = openBucket(config);
  const found = new Map<string, Buffer>();
  for await (const { key } of bucket.list(prefix)) {
    const got = await bucket.get(key);
    if (got.state === "found") found.set(key, got.bytes);
  }
  return found;
}

bucketTest("what one machine publishes another one has, byte for byte, and goes on from there", async (t, server) => {
  const dir = await makeDir(t);
  await writeSmallFixture(dir);
  const bucket = await makeBucket(server, "deep/er/");
  const [one, two] = [await configure(dir, bucket, "one"), await configure(dir, bucket, "two")];
  const first = await build(one, { progress: SILENT });
  assert.equal(first.published, true);

  const elsewhere = openShelves(two);
  await refresh(elsewhere);
  assert.deepEqual(await elsewhere.public.readPointer(), await openShelves(one).public.readPointer());
  assert.deepEqual(await elsewhere.internal.readPointer(), await openShelves(one).internal.readPointer());
  assert.deepEqual(
    (await verifyLibrary(two, { snapshots: "all" })).filter(({ severity }) => severity === "error"),
    [],
  );

  const again = await build(two, { progress: SILENT, adopt: true });
  assert.deepEqual([again.published, again.work.read], [false, 0]);
  await writeFile(join(dir, "library/notes/new.md"), "# Something new\n");
  const second = await build(two, { progress: SILENT });
  assert.deepEqual([second.sequence, second.added, second.work.read], [2, 1, 1]);
  const third = await build(one, { progress: SILENT, adopt: true });
  assert.deepEqual([third.published, third.snapshot, third.work.read], [false, second.snapshot, 0]);
  assert.deepEqual(await verifyLibrary(one, { snapshots: "all" }), await verifyLibrary(two, { snapshots: "all" }));
});

bucketTest("a build that changes nothing, and one that changes an object, ask little of the bucket", async (t, server) => {
  const dir = await makeDir(t);
  await writeSmallFixture(dir);
  const proxy = await openFaultProxy(server.endpoint);
  t.after(() => proxy.close());
  const config = await configure(dir, { ...(await makeBucket(server)), endpoint: proxy.endpoint }, "one");
  await build(config, { progress: SILENT });
  proxy.reset();
  assert.equal((await build(config, { progress: SILENT })).published, false);
  assert.ok(proxy.requests.length <= 10, proxy.requests.join("\n"));
  await writeFile(join(dir, "library/notes/new.md"), "# Something new\n");
  proxy.reset();
  assert.equal((await build(config, { progress: SILENT })).published, true);
  assert.ok(proxy.requests.length <= 60, proxy.requests.join("\n"));
});

bucketTest("a builder that is not heard of loses its lease, and what it sends then takes no effect", async (t, server) => {
  const dir = await makeDir(t);
  const config = await makeBucket(server);
  const [slow, quick] = [join(dir, "slow"), join(dir, "quick")].map((copy) => openRemote(config, copy, { ttl: 500 }));
  assert.ok(slow !== undefined && quick !== undefined);
  const write = (copy: string, text: string): Promise<void> => writeFile(join(copy, "public/keys.json"), text);
  const first = { sequence: 1, snapshot: "a".repeat(64), created: "2026-01-01T00:00:00.000Z", previous: null, inputs: {} };
  const current = (sequence: number): Buffer => Buffer.from(canonicalJson({ ...first, sequence }));
  const proxy = await openFaultProxy(server.endpoint);
  t.after(() => proxy.close());
  const stalled = openRemote({ ...config, endpoint: proxy.endpoint }, slow.copy, { ttl: 500 });
  for (const { copy } of [slow, quick]) for (const view of ["public", "internal"]) await mkdir(join(copy, view), { recursive: true });
  await quick.publishing(
    async () => {
      await write(quick.copy, "first");
      await quick.announce("public", current(1));
      await writeFile(join(quick.copy, "public/current.json"), current(1));
    },
    { work: "build" },
  );

  const late = stalled.publishing(
    async () => {
      await write(slow.copy, "late");
      // Nothing of its renewals gets through while the other one waits for it, takes over and publishes.
      proxy.fault = () => "403";
      await quick.publishing(
        async () => {
          await write(quick.copy, "second");
          await quick.announce("public", current(2));
          await writeFile(join(quick.copy, "public/current.json"), current(2));
        },
        { work: "build", wait: true },
      );
      proxy.fault = () => null;
      await stalled.announce("public", current(3));
    },
    { work: "build" },
  );
  await assert.rejects(late, (error: unknown) => error instanceof ShelfError && error.code === "lost_race");
  const reader = openRemote(config, join(dir, "reader"));
  await reader.pull({ views: ["public"], reader: LOOK });
  assert.equal(await readFile(join(reader.copy, "public/keys.json"), "utf8"), "second");
});

bucketTest("what is gated lies under internal/ alone, and what was public leaves the bucket when it is gated", async (t, server) => {
  const dir = await makeDir(t);
  await writeSmallFixture(dir);
  const bucket = await makeBucket(server);
  const config = await configure(dir, bucket, "one");
  await writeFile(join(dir, "library/notes/soon-gated.md"), "# Zirconium ledger\n\nThe zirconium ledger is kept by the lamplighter.\n");
  await build(config, { progress: SILENT });
  await writeFile(join(dir, "library/notes/other.md"), "# Another\n");
  await build(config, { progress: SILENT });
  const reader = openRemote(bucket, join(dir, "reader"));
  await reader.pull({ views: ["public"], reader: LOOK });
  const before = new Set((await contents(bucket, "public/")).keys());

  const text = await readFile(config.file, "utf8");
  await rename(join(dir, "library/notes/soon-gated.md"), join(dir, "library/drafts/soon-gated.md"));
  await writeFile(config.file, text);
  assert.ok((await build(config, { progress: SILENT })).withdrawn.length > 0);
  const after = await contents(bucket, "public/");
  assert.ok([...before].filter((key) => !after.has(key)).length > 0);
  const fresh = openRemote(bucket, join(dir, "fresh"));
  await fresh.pull({ views: ["public"], reader: LOOK });
  // Everything that lies there belongs to what is published now: nothing older is left to be fetched.
  const inventory = (await readKnown(fresh.places.public.root, fresh.places.public.id))?.inventory;
  assert.deepEqual([...(inventory?.dropped ?? [])], []);
  assert.equal(
    after.size,
    new Set([...(inventory?.files.values() ?? [])].flatMap(({ pieces }) => pieces.map(([object]) => object))).size + 2,
  );
  const files = await lookAtFiles(fresh.places.public.root, new Map());
  for (const path of files.keys()) {
    const bytes = await readFile(join(fresh.places.public.root, path));
    assert.ok(!bytes.toString("latin1").toLowerCase().includes("zirconium"), path);
  }
  assert.deepEqual(await hasErrors(config), []);
});

bucketTest("an object that is not what its name says is never taken, verify finds it, and repair sends it again", async (t, server) => {
  const dir = await makeDir(t);
  await writeSmallFixture(dir);
  const bucket = await makeBucket(server);
  const config = await configure(dir, bucket, "one");
  await build(config, { progress: SILENT });
  const raw = openBucket(bucket);
  const { public: place } = openRemote(bucket, join(dir, "one")).places;
  const needed = objectsOf((await readKnown(place.root, place.id))?.inventory ?? EMPTY);
  const objects = [...(await contents(bucket, "public/files/"))].filter(([key]) => needed.has(key.slice("public/files/".length)));
  const [[gone = ""] = [], [spoiled = "", bytes = Buffer.alloc(0)] = []] = objects;
  await raw.delete(gone);
  await raw.put(spoiled, Buffer.concat([bytes.subarray(1), Buffer.from("x")]));
  const reader = openRemote(bucket, join(dir, "reader"));
  await assert.rejects(reader.pull({ views: ["public"], reader: LOOK }), /is not there|is not what its name says/);
  assert.equal(existsSync(join(dir, "reader/public/current.json")), false);
  const found = (await verifyLibrary(config, { snapshots: "current" })).filter(({ code }) => code === "bucket_object");
  assert.deepEqual(found.map(({ path }) => `public/${path}`).sort(), [gone, spoiled].sort());
  assert.equal((await repair(config, SILENT)).findings.filter(({ severity }) => severity === "error").length, 0);
  await reader.pull({ views: ["public"], reader: LOOK });
  assert.equal(existsSync(join(dir, "reader/public/current.json")), true);
});

test("a store that takes no notice of conditions, and one that does not know them, are refused", async (t) => {
  const dir = await makeDir(t);
  useCredentials({ accessKeyId: "key", secretAccessKey: "secret" });
  for (const [at, status] of [200, 501].entries()) {
    const objects = new Map<string, Buffer>();
    const double = await openS3Double(({ method, key, headers }, body) => {
      const there = objects.get(key);
      if (method === "GET")
        return there === undefined
          ? { status: 404, body: "<Error><Code>NoSuchKey</Code></Error>" }
          : { status: 200, body: there, headers: { etag: sha256(there) } };
      const conditional = headers["if-none-match"] !== undefined || headers["if-match"] !== undefined;
      if (conditional && status !== 200) return { status, body: "<Error><Code>NotImplemented</Code></Error>" };
      objects.set(key, body);
      return { status: 200, headers: { etag: sha256(body) } };
    });
    t.after(() => double.close());
    const taking = takeLease(openBucket(double.config), join(dir, `copy-${at}`), { work: "build" });
    await assert.rejects(taking, /does not keep If-None-Match|501/);
  }
});

/** A shelf in a bucket that many want at once, that is copied, and whose store fails. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BucketConfig } from "../../../snapshots/annex/bucket/bucket.ts";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { openConfig } from "../../config/config.ts";
import { writeSmallFixture } from "../../testing/library.ts";
import { lookAtFiles } from "./local-files.ts";
import { openRemote, type Reader } from "./remote.ts";

/** A reader that looks once. */
const LOOK: Reader = { spare: (_, paths) => paths };
import { copyIntoBucket, copyIntoFolder } from "./copy-shelf.ts";
import { FAULTS, openFaultProxy } from "../../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { tortureWithRaces } from "../../torture/races.ts";
import { SILENT, makeDir, configure, hasErrors } from "./remote-fixture.ts";
import { build, openShelves } from "../../testing/whole.ts";

bucketTest("of sixteen publishers who know the same state one wins, and what it published is what everybody gets", async (t, server) => {
  const { won, failures } = await tortureWithRaces(await makeDir(t), await makeBucket(server), { rounds: 2 });
  assert.deepEqual([won, failures], [2, []]);
});

bucketTest("builders on several machines go one at a time, and who comes too late hears who is at work", async (t, server) => {
  const dir = await makeDir(t);
  await writeSmallFixture(dir);
  const bucket = await makeBucket(server);
  const configs = await Promise.all(["one", "two", "three"].map((copy) => configure(dir, bucket, copy)));
  const ended = await Promise.allSettled(configs.map((config) => build(config, { progress: SILENT, adopt: true })));
  const refused = ended.flatMap((one) => (one.status === "rejected" ? [one.reason as ShelfError] : []));
  assert.ok(refused.length < 3, refused.join("\n"));
  for (const { code, message } of refused) {
    assert.equal(code, "build_running");
    assert.match(message, /Another build is running: .+, process \d+, since .+, until /);
  }
  const [last] = configs;
  assert.ok(last !== undefined);
  assert.equal((await build(last, { progress: SILENT, adopt: true })).sequence, 1);
  assert.deepEqual(await hasErrors(last), []);
});

bucketTest(
  "a shelf is copied into a bucket, another one and a folder, goes on where it was stopped, and is the same everywhere",
  async (t, server) => {
    const dir = await makeDir(t);
    const config = await openConfig(await writeSmallFixture(dir));
    await build(config, { progress: SILENT });
    const [first, second] = [await makeBucket(server, "a/"), await makeBucket(server)];
    const shelf = join(dir, "shelf");
    const proxy = await openFaultProxy(server.endpoint);
    t.after(() => proxy.close());
    proxy.fault = (n) => (n > 12 ? "403" : null);
    await assert.rejects(copyIntoBucket(shelf, { ...first, endpoint: proxy.endpoint }));
    await copyIntoBucket(shelf, first);
    await copyIntoFolder(first, join(dir, "between"));
    await copyIntoBucket(join(dir, "between"), second);
    await copyIntoFolder(second, join(dir, "back"));
    await copyIntoFolder(second, join(dir, "back"));
    for (const view of ["public", "internal"]) {
      const digests = async (root: string) =>
        [...(await lookAtFiles(join(root, view), new Map()))].map(([path, file]) => [path, file.sha256]).sort();
      assert.deepEqual(await digests(join(dir, "back")), await digests(shelf));
    }
    await writeFile(join(dir, "library/notes/new.md"), "# Something new\n");
    await build(config, { progress: SILENT });
    await copyIntoBucket(shelf, first);
    await copyIntoFolder(first, join(dir, "between"));
    await copyIntoBucket(join(dir, "between"), second);
    await copyIntoFolder(second, join(dir, "back"));
    const back = await configure(dir, first, "back");
    assert.equal((await openShelves(back).public.readPointer())?.sequence, 2);
    assert.deepEqual(await hasErrors(config), []);

    const other = join(dir, "other");
    await mkdir(other);
    await build(await openConfig(await writeSmallFixture(other)), { progress: SILENT, now: () => new Date("2030-01-01T00:00:00Z") });
    await assert.rejects(copyIntoBucket(join(other, "shelf"), first), /no earlier state of this one/);
    await assert.rejects(copyIntoFolder(first, join(other, "shelf")), /no copy of/);
  },
);

bucketTest(
  "a build goes through with every seventh request failing, and one whose bucket goes away leaves what was published",
  async (t, server) => {
    const dir = await makeDir(t);
    await writeSmallFixture(dir);
    const proxy = await openFaultProxy(server.endpoint);
    t.after(() => proxy.close());
    const config = await configure(dir, { ...(await makeBucket(server)), endpoint: proxy.endpoint }, "one");
    proxy.fault = (n) => (n % 7 === 3 ? (FAULTS[n % FAULTS.length] ?? null) : null);
    const { snapshot } = await build(config, { progress: SILENT });
    await writeFile(join(dir, "library/notes/new.md"), "# Something new\n");
    proxy.reset();
    proxy.fault = (n) => (n > 9 ? "403" : null);
    await assert.rejects(
      build(config, { progress: SILENT }),
      (error: unknown) => error instanceof ShelfError && error.code === "bucket_denied",
    );
    proxy.fault = () => null;
    assert.equal((await openShelves(config).public.readPointer())?.snapshot, snapshot);
    const reader = openRemote({ ...config.shelf, prefix: "" } as BucketConfig, join(dir, "reader"));
    await reader.pull({ views: ["public", "internal"], reader: LOOK });
    assert.equal(JSON.parse(await readFile(join(dir, "reader/public/current.json"), "utf8")).snapshot, snapshot);
    assert.equal((await build(config, { progress: SILENT })).published, true);
    assert.deepEqual(await hasErrors(config), []);
  },
);

/** A shelf in a real bucket: published, followed, fought over, and cut off. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { BucketConfig } from "../../snapshots/bucket/bucket.ts";
import { bucketTest, makeBucket } from "../../snapshots/bucket/server-fixture.ts";
import { build } from "../build.ts";
import { type Config, openConfig } from "../config/config.ts";
import { writeFixture } from "../fixtures/library.ts";
import { verifyLibrary } from "../publish/verify-library.ts";
import { openShelves, refresh } from "../shelves.ts";

const SILENT = { step() {}, end() {} };

async function makeDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "proofshelf-remote-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** The fixture's library with its shelf in a bucket. @param copy the machine's folder */
async function configure(dir: string, bucket: BucketConfig, copy: string): Promise<Config> {
  const file = join(dir, `${copy}.yaml`);
  const text = await readFile(join(dir, "proofshelf.yaml"), "utf8");
  const shelf = JSON.stringify({ kind: "s3", ...bucket, copy: `./${copy}` });
  await writeFile(file, text.replace(/^shelf:.*$/m, `shelf: ${shelf}`));
  return openConfig(file);
}

bucketTest("what one machine publishes another one has, byte for byte, and goes on from there", async (t, server) => {
  const dir = await makeDir(t);
  await writeFixture(dir);
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

/** What is redacted is in no bucket that a shelf lies in, whoever is behind. */
import assert from "node:assert/strict";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BucketConfig } from "../../../snapshots/annex/bucket/bucket.ts";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { openBucket } from "../../../snapshots/annex/bucket/s3-bucket.ts";
import { sha256 } from "../../../snapshots/digest.ts";
import { salvage } from "../../../snapshots/shelf/zip.ts";

import { type Config, openConfig } from "../../config/config.ts";
import { shelveInBucket } from "../../testing/bucket-library.ts";
import { SILENT, writeSmallFixture } from "../../testing/library.ts";
import { refresh } from "../../shelves/shelves.ts";
import { useParts } from "../../publish/parts.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { build, openShelves } from "../../testing/whole.ts";

useParts(PLAIN_PARTS);

const TEXT = "# The marrowfat\n\nIt turns with the sun.\n";

/** Objects that say it, in a file or in a blob of a pack. */
async function findHolders(config: BucketConfig): Promise<readonly string[]> {
  const bucket = openBucket(config);
  const holders: string[] = [];
  for await (const { key } of bucket.list("")) {
    const got = await bucket.get(key);
    if (got.state !== "found") continue;
    const bytes = Buffer.from(got.bytes);
    if ([bytes, ...[...salvage(bytes)].map(([, blob]) => Buffer.from(blob))].some((part) => part.includes("marrowfat"))) holders.push(key);
  }
  return holders;
}

bucketTest("what is redacted leaves the bucket with the build that redacts it, and every machine has the notice", async (t, server) => {
  const dir = await mkdtemp(join(tmpdir(), "proofshelf-remote-redacted-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await writeSmallFixture(dir);
  const bucket = await makeBucket(server);
  const file = join(dir, "proofshelf.yaml");
  await writeFile(join(dir, "withdrawals.yaml"), "withdrawals: []\n");
  await appendFile(file, "\nwithdrawals: { path: ./withdrawals.yaml }\n");
  const configure = async (machine: string): Promise<Config> => openConfig(await shelveInBucket(dir, bucket, machine));
  const [one, two] = [await configure("one"), await configure("two")];
  await writeFile(join(dir, "library/notes/flower.md"), TEXT);
  await build(one, { progress: SILENT });
  assert.notDeepEqual(await findHolders(bucket), []);
  const behind = openShelves(two);
  await refresh(behind);
  assert.ok(await behind.public.hasBlob(sha256(TEXT)));

  const entry = "{ key: notes/flower.md, reason: privacy, date: 2026-01-01, note: Somebody asked., redact: true }";
  await writeFile(join(dir, "withdrawals.yaml"), `withdrawals: [${entry}]\n`);
  const { notes } = await build(one, { progress: SILENT });
  assert.ok(
    notes.some((note) => note.startsWith("Redacted ")),
    notes.join("\n"),
  );
  assert.deepEqual(await findHolders(bucket), []);
  await refresh(behind);
  assert.equal(await behind.public.hasBlob(sha256(TEXT)), false);
  assert.ok((await behind.public.redactions.list()).includes(sha256(TEXT)));
});

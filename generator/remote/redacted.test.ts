/** What is redacted is in no bucket that a shelf lies in, whoever is behind. */
import assert from "node:assert/strict";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bucketTest, makeBucket } from "../../snapshots/bucket/server-fixture.ts";
import { openBucket } from "../../snapshots/bucket/s3-bucket.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { build } from "../build.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFixture } from "../fixtures/library.ts";
import { filesUnder } from "../fixtures/shelf-files.ts";
import { openShelves, refresh } from "../shelves.ts";

const TEXT = "# The heliotrope\n\nIt turns with the sun.\n";

bucketTest("what is redacted leaves the bucket with the build that redacts it, and every machine has the notice", async (t, server) => {
  const dir = await mkdtemp(join(tmpdir(), "proofshelf-remote-redacted-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await writeFixture(dir);
  const bucket = await makeBucket(server);
  const file = join(dir, "proofshelf.yaml");
  await writeFile(join(dir, "withdrawals.yaml"), "withdrawals: []\n");
  await appendFile(file, "\nwithdrawals: { path: ./withdrawals.yaml }\n");
  const text = await readFile(file, "utf8");
  const configure = async (copy: string) => {
    const shelf = JSON.stringify({ kind: "s3", ...bucket, copy: `./${copy}` });
    await writeFile(join(dir, `${copy}.yaml`), text.replace(/^shelf:.*$/m, `shelf: ${shelf}`));
    return openConfig(join(dir, `${copy}.yaml`));
  };
  const [one, two] = [await configure("one"), await configure("two")];
  await writeFile(join(dir, "library/notes/flower.md"), TEXT);
  await build(one, { progress: SILENT });
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
  const held = new Set([...filesUnder(join(dir, "one"))].map(({ bytes }) => sha256(bytes)));
  const spare: string[] = [];
  for await (const { key } of openBucket(bucket).list("")) {
    const [digest] = /[0-9a-f]{64}$/.exec(key) ?? [];
    if (digest !== undefined && !held.has(digest)) spare.push(key);
  }
  assert.ok(spare.length <= 2, `the list of files of each view, and nothing else that the copy has not: ${spare.join(", ")}`);
  await refresh(behind);
  assert.equal(await behind.public.hasBlob(sha256(TEXT)), false);
  assert.ok((await behind.public.redactions.list()).includes(sha256(TEXT)));
});

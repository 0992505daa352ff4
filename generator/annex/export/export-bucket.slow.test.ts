/** An export into a bucket with compressed texts, and by runs that are ended. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openFaultProxy } from "../../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { openBucket } from "../../../snapshots/annex/bucket/s3-bucket.ts";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { audit } from "../trust/audit.ts";
import { openOrigin } from "../trust/origin.ts";
import { openWebsite } from "../bucket/bucket-website-fixture.ts";
import { openLibrary, keysOf, mustHold } from "./export-bucket-fixture.ts";

bucketTest("with gzip text lies there compressed, and readers and strangers find what they would find without it", async (t, server) => {
  const library = await openLibrary(t);
  const made = await makeBucket(server);
  const bucket = openBucket(made);
  const { written } = await library.run(bucket, { gzip: true });
  const files = await library.expected();
  assert.equal(written, files.size);
  assert.equal((await library.run(bucket, { gzip: true })).written, 0);

  const website = await openWebsite(made);
  t.after(() => website.close());
  const { url } = website;
  const compressed = new Set<string>();
  for (const [path, { bytes }] of files) {
    const answer = await fetch(`${url}/${path.split("/").map(encodeURIComponent).join("/")}`);
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes), path);
    if (answer.headers.get("content-encoding") === "gzip") compressed.add(path);
  }
  for (const path of ["index.html", "api/catalog.json", "llms.txt"]) assert.ok(compressed.has(path), path);
  assert.deepEqual(
    [...compressed].filter((path) => /^(shelf|objects)\//.test(path)),
    [],
  );
  const origin = openOrigin(url);
  t.after(() => origin.close());
  const { lies, checked } = await audit(origin, { key: null, seen: null, since: null, sample: null, full: false, progress: SILENT });
  assert.deepEqual(lies, []);
  assert.ok(checked.addresses > checked.files / 2, JSON.stringify(checked));

  assert.equal((await library.run(bucket)).written, compressed.size);
  await mustHold(bucket, files);
});

bucketTest("a run that ends anywhere is finished by the next, and leaves nothing that was to go", async (t, server) => {
  const library = await openLibrary(t);
  const made = await makeBucket(server);
  const proxy = await openFaultProxy(server.endpoint);
  t.after(() => proxy.close());
  const bucket = openBucket({ ...made, endpoint: proxy.endpoint });
  const direct = openBucket(made);
  for (const [round, at] of [40, 3, 150].entries()) {
    // Each time a file comes, and one that an interrupted run may have written goes.
    await writeFiles(library.folder, [[`names/round-${round}.md`, `# Round ${round}\n`]]);
    if (round > 0) rmSync(join(library.folder, `names/round-${round - 1}.md`));
    await library.build();
    proxy.reset();
    proxy.fault = (n) => (n >= at ? "403" : n % 10 === 9 ? "lost" : null);
    await library
      .run(bucket)
      .catch((error: unknown) => assert.ok(error instanceof ShelfError && error.code === "bucket_denied", String(error)));
    assert.ok(!(await keysOf(direct)).some((key) => key.includes("plan.md")));
  }
  proxy.fault = () => null;
  await library.run(bucket);
  await mustHold(direct, await library.expected());
});

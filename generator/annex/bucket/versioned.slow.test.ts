/** What only Ceph's gateway does. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBucket } from "../../../snapshots/annex/bucket/s3-bucket.ts";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/server-fixture.ts";
import { ShelfError } from "../../../snapshots/errors.ts";

import { openConfig } from "../../config/config.ts";
import { shelveInBucket } from "../../testing/bucket-library.ts";
import { SILENT, writeSmallFixture } from "../../testing/library.ts";
import { build } from "../../testing/whole.ts";

bucketTest("a versioned bucket of Ceph, whose conditions do nothing, is refused before anything is published", async (t, server) => {
  const dir = await mkdtemp(join(tmpdir(), "proofshelf-versioned-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await writeSmallFixture(dir);
  const bucket = await makeBucket(server);
  const { PutBucketVersioningCommand, S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client({ endpoint: server.endpoint, region: "us-east-1", forcePathStyle: true, credentials: server.owner });
  await client.send(new PutBucketVersioningCommand({ Bucket: bucket.bucket, VersioningConfiguration: { Status: "Enabled" } }));
  client.destroy();
  const config = await openConfig(await shelveInBucket(dir, bucket, "one"));
  await assert.rejects(build(config, { progress: SILENT }), (error: unknown) => {
    assert.ok(error instanceof ShelfError);
    assert.deepEqual([error.code, /If-None-Match/.test(error.message), /versioning/.test(error.fixes.join())], ["bad_config", true, true]);
    return true;
  });
  assert.deepEqual(await Array.fromAsync(openBucket(bucket).list("public/")), []);
});

/** Real buckets for tests: on Ceph's gateway, one for a whole run of tests where the run has started it, else one for this process. */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { after, test, type TestContext } from "node:test";
import type { BucketConfig } from "./bucket.ts";
import { type BucketUser, type CephServer, type RunningCeph, startCeph } from "./ceph.ts";
import { type Found, findShared, makeFolder, problemOf } from "./shared-ceph.ts";

let own: RunningCeph | null = null;
let ownFolder: string | null = null;
let finding: Promise<Found> | null = null;

after(async () => {
  await own?.stop();
  if (ownFolder !== null) rmSync(ownFolder, { recursive: true, force: true });
});

/** A test that needs buckets; where there is no server it is skipped and says why. */
export function bucketTest(name: string, work: (t: TestContext, server: CephServer) => Promise<void>): void {
  void test(name, async (t) => {
    const found = await (finding ??= find());
    if ("problem" in found) return t.skip(`no real object storage here: ${found.problem}`);
    useCredentials(found.server.owner);
    await work(t, found.server);
  });
}

/** For this process and those that it starts. */
export function useCredentials({ accessKeyId, secretAccessKey }: BucketUser): void {
  process.env["AWS_ACCESS_KEY_ID"] = accessKeyId;
  process.env["AWS_SECRET_ACCESS_KEY"] = secretAccessKey;
  // Nobody is to be asked beyond this machine.
  process.env["AWS_EC2_METADATA_DISABLED"] = "true";
}

/** A new, empty bucket of the owner's. */
export async function makeBucket(server: CephServer, prefix = ""): Promise<BucketConfig> {
  const { CreateBucketCommand, S3Client } = await import("@aws-sdk/client-s3");
  const bucket = `test-${randomUUID()}`;
  const client = new S3Client({ endpoint: server.endpoint, region: "us-east-1", forcePathStyle: true, credentials: server.owner });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return { bucket, prefix, endpoint: server.endpoint, region: "us-east-1", forcePathStyle: true };
}

async function find(): Promise<Found> {
  const shared = findShared();
  if (shared !== null) return shared;
  ownFolder = makeFolder();
  try {
    own = await startCeph(ownFolder);
    return { server: own.server };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

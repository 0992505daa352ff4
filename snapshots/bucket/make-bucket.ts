/** Buckets of a server that was started for a trial. */
import { randomUUID } from "node:crypto";
import type { BucketConfig } from "./bucket.ts";
import type { BucketUser, CephServer } from "./ceph.ts";

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

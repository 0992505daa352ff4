/** A place on the command line: a folder, or s3://BUCKET/PREFIX. */
import type { BucketConfig } from "#snapshots/shelf";
import { ShelfError } from "#snapshots/errors";

export type BucketOptions = { readonly endpoint?: string; readonly region?: string };

/** parsePlace reads the address of a bucket; null for a folder. @throws ShelfError "bad_config" */
export function parsePlace(target: string, { endpoint, region = "us-east-1" }: BucketOptions): BucketConfig | null {
  const [, bucket, path] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/s.exec(target) ?? [];
  if (bucket === undefined) {
    if (target.startsWith("s3:")) throw new ShelfError("bad_config", `${target} is no bucket; write s3://BUCKET/PREFIX`);
    if (endpoint !== undefined)
      throw new ShelfError("bad_config", "--endpoint is for buckets; write s3://BUCKET/PREFIX in place of the folder");
    return null;
  }
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
    throw new ShelfError("bad_config", "--endpoint is not an http or https address");
  const prefix = (path ?? "").replace(/([^/])$/, "$1/");
  // Stores other than AWS answer at one name for all buckets.
  return { bucket, prefix, endpoint: endpoint ?? null, region, forcePathStyle: endpoint !== undefined };
}

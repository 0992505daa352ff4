/** `proofshelf export DIR` or `s3://BUCKET/PREFIX`: the public view as plain files. */
import { ShelfError } from "../../snapshots/errors.ts";
import { openBucket } from "../../snapshots/bucket/s3-bucket.ts";
import type { BucketConfig } from "../../snapshots/bucket/bucket.ts";
import { type CommonOptions, openConfigured, print } from "./options.ts";
import { compileSite } from "../pages/compile-site.ts";
import { exportView } from "../publish/export.ts";
import { exportToBucket } from "../publish/export-bucket.ts";

type BucketOptions = { readonly endpoint?: string; readonly region?: string };

export async function runExport(target: string, options: CommonOptions & BucketOptions): Promise<void> {
  const place = parsePlace(target, options);
  const { public: shelf } = await openConfigured(options);
  if ((await shelf.readPointer()) === null)
    throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run: proofshelf build"] });
  const { dist } = await compileSite();
  if (place === null) {
    const done = await exportView({ shelf, dist, dir: target });
    return print(options, done, `Wrote ${done.files} files of snapshot ${done.snapshot} to ${target}.\n`);
  }
  const done = await exportToBucket({ shelf, dist, bucket: openBucket(place) });
  const { files, written, removed, snapshot } = done;
  print(options, done, `Snapshot ${snapshot} is at ${target}: ${files} files, ${written} written, ${removed} removed.\n`);
}

/** Null for a folder. @throws ShelfError "bad_config" */
function parsePlace(target: string, { endpoint, region = "us-east-1" }: BucketOptions): BucketConfig | null {
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

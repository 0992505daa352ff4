/** `proofshelf shelf copy FROM TO`: a shelf between a folder and a bucket, or two buckets. */
import { resolve } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { copyBetweenBuckets, copyIntoBucket, copyIntoFolder } from "./copy-shelf.ts";
import { type BucketOptions, parsePlace } from "./bucket-address.ts";
import { type CommonOptions, print } from "#generator/commands";
import { withTemporaryFolder } from "#generator/files";

export async function runShelfCopy(from: string, to: string, options: CommonOptions & BucketOptions): Promise<void> {
  // Said once for both.
  const { endpoint: _, ...folder } = options;
  const [source, target] = [from, to].map((place) => parsePlace(place, place.startsWith("s3:") ? options : folder));
  if (source == null && target == null)
    throw new ShelfError("bad_config", "One of the two is a bucket: s3://BUCKET/PREFIX. A folder is copied into another by cp -a.");
  if (source == null && target != null) await copyIntoBucket(resolve(from), target);
  else if (source != null && target == null) await copyIntoFolder(source, resolve(to));
  else if (source != null && target != null) await withTemporaryFolder("copy", (scratch) => copyBetweenBuckets(source, target, scratch));
  print(options, { from, to }, `${to} holds what ${from} holds.\n`);
}

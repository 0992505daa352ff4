/** `proofshelf shelf copy FROM TO`: a shelf between a folder and a bucket. */
import { resolve } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { copyIntoBucket, copyIntoFolder } from "./copy-shelf.ts";
import { type BucketOptions, parsePlace } from "./bucket-address.ts";
import { type CommonOptions, print } from "#generator/commands";

export async function runShelfCopy(from: string, to: string, options: CommonOptions & BucketOptions): Promise<void> {
  // Said once for both.
  const { endpoint: _, ...folder } = options;
  const [source = null, target = null] = [from, to].map((place) => parsePlace(place, place.startsWith("s3:") ? options : folder));
  if (source === null && target !== null) await copyIntoBucket(resolve(from), target);
  else if (source !== null && target === null) await copyIntoFolder(source, resolve(to));
  else
    throw new ShelfError("bad_config", "One of the two is a bucket, s3://BUCKET/PREFIX, and the other a folder.", {
      fixes: ["A folder is copied into another by cp -a, and a bucket into another through a folder."],
    });
  print(options, { from, to }, `${to} holds what ${from} holds.\n`);
}

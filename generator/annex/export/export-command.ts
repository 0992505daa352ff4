/** `proofshelf export DIR` or `s3://BUCKET/PREFIX`: the public view as plain files. */
import { ShelfError } from "../../../snapshots/errors.ts";
import { openBucket } from "../../../snapshots/annex/bucket/index.ts";
import { type CommonOptions, openConfigured, print } from "../../commands/options.ts";
import { type BucketOptions, parsePlace } from "../bucket/bucket-address.ts";
import type { ShelfAnnexes } from "../../shelves/kinds.ts";
import { compileSite } from "../../pages/compile-site.ts";
import { exportView } from "./export.ts";
import { exportToBucket } from "../bucket/export-bucket.ts";

export async function runExport(
  target: string,
  options: CommonOptions & BucketOptions & { withHistory?: boolean; withoutShelf?: boolean; gzip?: boolean },
  annexes: ShelfAnnexes,
): Promise<void> {
  const place = parsePlace(target, options);
  if (place === null && options.gzip === true)
    throw new ShelfError("bad_config", "--gzip is for s3://; hosts of folders compress what they send.");
  const { public: shelf } = await openConfigured(options, annexes);
  if ((await shelf.readPointer()) === null)
    throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run: proofshelf build"] });
  const { dist } = await compileSite();
  const parts = { withHistory: options.withHistory === true, withoutShelf: options.withoutShelf === true };
  if (place === null) {
    const done = await exportView({ shelf, dist, dir: target, ...parts });
    return print(options, done, `Wrote ${done.files} files of snapshot ${done.snapshot} to ${target}.\n`);
  }
  const done = await exportToBucket({ shelf, dist, ...parts, gzip: options.gzip === true, bucket: openBucket(place) });
  const { files, written, removed, snapshot } = done;
  print(options, done, `Snapshot ${snapshot} is at ${target}: ${files} files, ${written} written, ${removed} removed.\n`);
}

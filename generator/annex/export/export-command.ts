/** `proofshelf export DIR` or `s3://BUCKET/PREFIX`: the public view as plain files. */
import { countOf } from "#snapshots/format";
import { relative, resolve, sep } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { openBucket } from "#snapshots/annex/bucket";
import { type Config, openConfig } from "#generator/config";
import { type CommonOptions, configOf, openConfigured, print } from "#generator/commands";
import { type BucketOptions, parsePlace } from "#generator/annex/bucket";
import { openProgress } from "#generator/files";
import type { ShelfAnnexes } from "#generator/shelves";
import { compileSite } from "#generator/pages";
import { exportView } from "./export.ts";
import { exportToBucket } from "./export-bucket.ts";

export async function runExport(
  target: string,
  options: CommonOptions & BucketOptions & { withHistory?: boolean; withoutShelf?: boolean; withoutSearch?: boolean; gzip?: boolean },
  annexes: ShelfAnnexes,
): Promise<void> {
  const place = parsePlace(target, options);
  if (place === null && options.gzip === true)
    throw new ShelfError("bad_config", "--gzip is for s3://; hosts of folders compress what they send.");
  const config = await openConfig(configOf(options), { checkSources: false });
  const { public: shelf } = await openConfigured(options, annexes);
  if ((await shelf.readPointer()) === null)
    throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run: proofshelf build"] });
  const { dist } = await compileSite();
  const progress = openProgress();
  const parts = {
    withHistory: options.withHistory === true,
    withoutShelf: options.withoutShelf === true,
    withoutSearch: options.withoutSearch === true,
    onProgress: (done: number, total: number) => progress.step("export", done, total),
  };
  if (place === null) {
    const done = await exportView({ shelf, dist, dir: target, ...parts }).finally(progress.end);
    print(options, done, `Wrote ${countOf(done.files, "file")} of snapshot ${done.snapshot} to ${target}.\n`);
    return note(options, adviseOn(config, resolve(target)));
  }
  const bucket = { gzip: options.gzip === true, bucket: openBucket(place) };
  const done = await exportToBucket({ shelf, dist, ...parts, ...bucket }).finally(progress.end);
  const { files, written, removed, snapshot } = done;
  note(options, adviseOn(config, null));
  print(options, done, `Snapshot ${snapshot} is at ${target}: ${countOf(files, "file")}, ${written} written, ${removed} removed.\n`);
}

/** adviseOn names the settings that a first export often has wrong.
 *  @param dir folder of the export; null of a bucket */
function adviseOn({ baseUrl, store }: Config, dir: string | null): readonly string[] {
  const { hostname } = new URL(baseUrl);
  const lines: string[] = [];
  if (/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
    lines.push(
      `Links in citations, feeds and the sitemap lead to ${baseUrl}, which is this machine. Write the address that readers use as baseUrl, build, and export again.`,
    );
  const inside = dir === null || store.kind !== "directory" ? ".." : relative(store.root, dir);
  if (inside !== ".." && !inside.startsWith(`..${sep}`))
    lines.push(`${dir ?? ""} lies among the library's own files, so the next build names it as left out. A folder beside them is better.`);
  return lines;
}

function note({ quiet = false }: CommonOptions, lines: readonly string[]): void {
  if (!quiet) for (const line of lines) process.stderr.write(`${line}\n`);
}

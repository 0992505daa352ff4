/** `proofshelf export DIR`: the public view as plain files. */
import { ShelfError } from "../../snapshots/errors.ts";
import { openShelves } from "../shelves.ts";
import type { CommonOptions } from "./options.ts";
import { compileSite } from "../pages/compile-site.ts";
import { openConfig } from "../config/config.ts";
import { exportView } from "../publish/export.ts";

export async function runExport(dir: string, options: CommonOptions): Promise<void> {
  const config = await openConfig(options.config ?? null, { checkSources: false });
  const { public: shelf } = openShelves(config);
  if ((await shelf.readPointer()) === null)
    throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run: proofshelf build"] });
  const done = await exportView({ shelf, dist: (await compileSite()).dist, dir });
  process.stdout.write(
    options.json === true ? `${JSON.stringify(done)}\n` : `Wrote ${done.files} files of snapshot ${done.snapshot} to ${dir}.\n`,
  );
}

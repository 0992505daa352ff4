/** `proofshelf export DIR`: the public view as plain files. */
import { ShelfError } from "../../snapshots/errors.ts";
import { type CommonOptions, openConfigured, print } from "./options.ts";
import { compileSite } from "../pages/compile-site.ts";
import { exportView } from "../publish/export.ts";

export async function runExport(dir: string, options: CommonOptions & { withHistory?: boolean }): Promise<void> {
  const { public: shelf } = await openConfigured(options);
  if ((await shelf.readPointer()) === null)
    throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run: proofshelf build"] });
  const done = await exportView({ shelf, dist: (await compileSite()).dist, dir, withHistory: options.withHistory === true });
  print(options, done, `Wrote ${done.files} files of snapshot ${done.snapshot} to ${dir}.\n`);
}

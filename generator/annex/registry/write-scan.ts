/** writeScan writes what a scan found: the lock, and the files of the revisions into the code store. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ShelfError } from "#snapshots/errors";
import { OPEN, writeWhole } from "#snapshots/shelf";
import type { RegistrySources } from "./config.ts";
import { readLock, writeLock } from "./lock.ts";
import type { SourcesScan } from "./scan-all.ts";

/** writeScan writes the lock, and the code store where there is one.
 *  @throws ShelfError "lost_race" when the lock says something else than the scan has read there: ids and acceptances of another command would be
 *  lost */
export function writeScan(config: RegistrySources, scan: Pick<SourcesScan, "lock" | "matched" | "sources">): void {
  if (!isDeepStrictEqual(readLock(config.lock), scan.matched.before))
    throw new ShelfError("lost_race", `${config.lock} was changed by another command meanwhile, and was left as that wrote it.`, {
      fixes: ["Run the command again: checks that were made are kept."],
    });
  writeLock(config.lock, scan.lock);
  if (config.code !== undefined) writeCode(config.code, scan.sources);
}

function writeCode(store: string, sources: SourcesScan["sources"]): void {
  for (const { source, head, files } of sources)
    for (const [path, bytes] of files) {
      const file = join(store, source.repo, head, path);
      // A file that is there may be half of one: somebody's disk was full.
      if (!existsSync(file) || !readFileSync(file).equals(bytes)) writeWhole(file, bytes, { modes: OPEN, durable: false });
    }
}

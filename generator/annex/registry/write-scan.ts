/** writeScan writes what a scan found: the lock, and the files of the revisions into the code store. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OPEN, writeWhole } from "#snapshots/shelf";
import type { RegistrySources } from "./config.ts";
import { writeLock } from "./lock.ts";
import type { SourcesScan } from "./scan-all.ts";

export function writeScan(config: RegistrySources, scan: Pick<SourcesScan, "lock" | "sources">): void {
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

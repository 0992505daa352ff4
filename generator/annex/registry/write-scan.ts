/** writeScan writes what a scan found: the lock, and the files of the revisions into the code store. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RegistrySources } from "./config.ts";
import { writeLock } from "./lock.ts";
import type { Scan } from "./scan-all.ts";

export function writeScan(config: RegistrySources, scan: Pick<Scan, "lock" | "sources">): void {
  writeLock(config.lock, scan.lock);
  if (config.code !== undefined) writeCode(config.code, scan.sources);
}

function writeCode(store: string, sources: Scan["sources"]): void {
  for (const { source, head, files } of sources)
    for (const [path, bytes] of files) {
      const file = join(store, source.repo, head, path);
      if (existsSync(file)) continue;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
}

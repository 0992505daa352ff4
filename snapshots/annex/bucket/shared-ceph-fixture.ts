/** One server for all the test processes of a run: whoever starts the run starts it, and says in a file where it is. */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CephServer, NoCeph, startCeph } from "./ceph-fixture.ts";

/** Names that file. */
const SHARED = "PROOFSHELF_TEST_BUCKETS";
/** For a server that is being installed; milliseconds. */
const SHARED_LIMIT_MS = 280_000;

/** Found says by `problem` why there is none. */
export type Found = { readonly server: CephServer } | { readonly problem: string };

/** shareServer starts the server that all test processes of this run share. It is not waited for.
 *  @returns what stops it */
export function shareServer(): () => Promise<void> {
  const folder = makeFolder();
  const file = join(folder, "server.json");
  process.env[SHARED] = file;
  const starting = startCeph(folder).then(
    (running) => {
      tell({ server: running.server });
      return running;
    },
    (error: unknown) => {
      tell({ problem: problemOf(error) });
      return null;
    },
  );
  function tell(found: Found): void {
    writeFileSync(`${file}.new`, JSON.stringify(found));
    renameSync(`${file}.new`, file);
  }
  return async () => {
    await (await starting)?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** findShared returns null when the run has started none. */
export function findShared(): Promise<Found> | null {
  const file = process.env[SHARED];
  return file === undefined ? null : waitFor(file);
}

async function waitFor(file: string): Promise<Found> {
  for (const end = Date.now() + SHARED_LIMIT_MS; Date.now() < end; await sleep(200)) {
    try {
      return JSON.parse(readFileSync(file, "utf8")) as Found;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return { problem: "it was not ready in time" };
}

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), "proofshelf-ceph-"));
}

export function problemOf(error: unknown): string {
  if (error instanceof NoCeph) return error.message;
  throw error;
}

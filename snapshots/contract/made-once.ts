/** Folders that several test processes of a run need and that take long to make: the first that asks makes one, and each gets a copy. */
import { cp, mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** rootOf names the folder of what was made in this run. */
const SHARED = "PROOFSHELF_TEST_MADE";
/** For what somebody else makes; milliseconds. */
const LIMIT_MS = 280_000;

/** shareMade shares with all test processes that are started from here on.
 *  @returns what removes what they made */
export function shareMade(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-made-"));
  process.env[SHARED] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** copyMade copies what is made once.
 *  @param make fills an empty folder; what it writes may not name the folder
 *  @returns a folder of the caller's own, who removes it */
export async function copyMade(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const own = await mkdtemp(join(tmpdir(), `proofshelf-${name}-`));
  const shared = process.env[SHARED];
  if (shared === undefined) await make(own);
  else await cp(await findMade(join(shared, name), make), own, { recursive: true, preserveTimestamps: true });
  return own;
}

async function findMade(made: string, make: (folder: string) => Promise<void>): Promise<string> {
  const draft = `${made}.draft`;
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(200)) {
    if (await isThere(made)) return made;
    if (
      !(await mkdir(draft).then(
        () => true,
        () => false,
      ))
    )
      continue;
    // Between the look and the folder somebody may have ended.
    if (await isThere(made)) await rm(draft, { recursive: true });
    else {
      try {
        await make(draft);
        await rename(draft, made);
      } catch (error) {
        await rm(draft, { recursive: true, force: true });
        throw error;
      }
    }
  }
  throw new Error(`${made} was not made in time.`);
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

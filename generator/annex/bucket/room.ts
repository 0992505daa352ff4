/** How much a reader's cache takes of the disk, and what makes room in it: blobs in files of their own, of which the one goes first that
 *  was read longest ago. Several processes may keep the same cache: each looks again before what it has added could matter. */
import { opendir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Sha256, SHA256_PATTERN } from "#snapshots/digest";
import { absent } from "#snapshots/shelf";

/** A block, in bytes: the room that a file takes is counted in blocks. */
const BLOCK = 4096;
/** Parts of the bound: up to where it is filled, how far room is made then, and what one process adds without a new look. The rest is
 *  for what others add meanwhile. */
const [FULL, EMPTIED, UNSEEN] = [15 / 16, 7 / 8, 1 / 32];
/** A file that is on its way for longer belongs to nobody any more; milliseconds. */
const LOST_MS = 60 * 60_000;
/** ARRIVING is the folder of a root in which blobs lie that are on their way. */
export const ARRIVING = "arriving";

type Loose = { readonly root: string; readonly digest: Sha256; readonly path: string; readonly bytes: number; readonly read: number };

export type DiskRoom = {
  /** Counts bytes in, and makes room for them when there is none.
   *  @param anyway they come even if there is not enough room
   *  @returns false when there is not enough: nothing is counted then */
  take(bytes: number, anyway?: "anyway"): Promise<boolean>;
  /** Bytes that cannot go, by the last look. */
  fixed(): number;
  /** Looks at every file. @returns the blobs in files of their own */
  look(): Promise<readonly Loose[]>;
};

/** onDisk gives the room that a file of so many bytes takes. */
export function onDisk(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

/** openRoom keeps the files of some roots within a bound. @param mayGo whether nobody needs this blob to be here */
export function openRoom(roots: readonly string[], maxBytes: number, mayGo: (root: string, digest: Sha256) => boolean): DiskRoom {
  let used = Number.POSITIVE_INFINITY;
  let unseen = 0;
  let fixed = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function look(): Promise<readonly Loose[]> {
    const loose: Loose[] = [];
    let all = 0;
    unseen = 0;
    for (const root of roots) {
      for await (const file of filesUnder(root)) {
        const bytes = onDisk(file.size);
        all += bytes;
        const digest = file.path.slice(file.path.lastIndexOf("/") + 1);
        if (file.path.startsWith(join(root, "blobs/")) && SHA256_PATTERN.test(digest))
          loose.push({ root, digest, path: file.path, bytes, read: file.read });
        else if (file.path.startsWith(join(root, ARRIVING)) && Date.now() - file.written > LOST_MS) await rm(file.path, { force: true });
      }
    }
    used = all;
    const free = loose.reduce((sum, one) => (mayGo(one.root, one.digest) ? sum + one.bytes : sum), 0);
    fixed = all - free;
    return loose;
  }

  async function empty(bytes: number): Promise<void> {
    const loose = await look();
    if (used + bytes <= maxBytes * FULL) return;
    const going = loose.filter((one) => mayGo(one.root, one.digest)).sort((a, b) => a.read - b.read);
    for (const one of going) {
      if (used + bytes <= maxBytes * EMPTIED) return;
      // A reader that has it open reads it to its end; the next that wants it asks for it.
      await rm(one.path, { force: true });
      used -= one.bytes;
    }
  }

  return {
    look,
    fixed: () => fixed,
    take(bytes, anyway) {
      const taken = turn.then(async () => {
        const size = onDisk(bytes);
        // All others together would not make room enough.
        if (anyway === undefined && fixed + size > maxBytes * FULL) return false;
        if (used + size > maxBytes * FULL || unseen + size > maxBytes * UNSEEN) await empty(size);
        if (used + size > maxBytes * FULL) return false;
        used += size;
        unseen += size;
        return true;
      });
      turn = taken.catch(() => undefined);
      return taken;
    },
  };
}

type Found = { readonly path: string; readonly size: number; readonly read: number; readonly written: number };

/** Also while others write and remove some. */
async function* filesUnder(folder: string): AsyncGenerator<Found> {
  const entries = await opendir(folder).catch(absent);
  if (entries === null) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    const found = entry.isFile() ? await stat(path).catch(absent) : null;
    if (found !== null) yield { path, size: found.size, read: found.atimeMs, written: found.mtimeMs };
  }
}

/** Blobs that are not what their names say are set aside. What a build does not make again is lost, unless a copy brings it. */
import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "#snapshots/digest";
import { isUnreadable, reachable } from "#snapshots/shelf";
import type { Progress } from "#generator/files";
import { readable, type Repair, rootDir, setAside, VIEWS } from "./lost.ts";

const DAMAGED = "set aside: it was not what its name says";

/** setDamagedAside hashes every blob of both roots and sets the damaged ones aside. From a damaged pack, whatever is whole goes into another. */
export async function setDamagedAside(repair: Repair, progress: Progress): Promise<void> {
  const { shelves } = repair;
  for (const view of VIEWS) {
    const blobs = await Array.fromAsync(shelves[view].blobs.list());
    for (const [at, { digest }] of blobs.entries()) {
      progress.step(`blobs of the ${view} view`, at + 1, blobs.length);
      const path = `blobs/${digest.slice(0, 2)}/${digest}`;
      const file = join(rootDir(shelves, view), path);
      if (existsSync(file) && (await sha256Of(createReadStream(file)).catch(withoutBytes)) !== digest)
        await setAside(repair, view, path, DAMAGED);
    }
    progress.step(`packs of the ${view} view`);
    const packs = await shelves[view].blobs.findDamagedPacks();
    for (const name of packs) {
      const [path, how] = [`packs/${name}.zip`, `${DAMAGED}; what is whole in it is written anew`];
      await setAside(repair, view, path, how, true).catch((error: unknown) => {
        if (!isUnreadable(error)) throw error;
        return setAside(repair, view, path, how);
      });
    }
    if (packs.length > 0) await shelves[view].blobs.sweep({ isNeeded: null, packs, leaveLoose: true });
  }
}

/** dropLost sets the records of snapshots aside of which a tree is lost, unless they are served: nothing is known of what they held. */
export async function dropLost(repair: Repair): Promise<void> {
  for (const view of VIEWS) {
    const shelf = repair.shelves[view];
    const served = await readable(shelf.readPointer());
    for (const { sequence, snapshot } of (await shelf.records.index()).records)
      if (snapshot !== served?.snapshot && (await readable(reachable(shelf, [snapshot]))) === null)
        await setAside(repair, view, `snapshots/${sequence}.json`, "set aside: a tree of its snapshot is lost");
  }
}

function withoutBytes(error: unknown): null {
  if (isUnreadable(error)) return null;
  throw error;
}

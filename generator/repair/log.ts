/** The logs of publications, put right: heads say what their entries must hash to, so whatever makes that root again is what was lost. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { appendEntries, readEntries, TILE_WIDTH, tileNodes } from "../../snapshots/log/tiles.ts";
import { hashLeaf, treeRoot } from "../../snapshots/log/tree.ts";
import { checkpointPath, KEYS_PATH, readCheckpoint, readLogKeys } from "../../snapshots/shelf/log.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import type { Shelves } from "../shelves.ts";
import { type Mended, rootDir, setAside, VIEWS, type ViewName } from "./lost.ts";

/** Under the build lock, when the records are mended. What cannot be made again is left, and the next verification tells it. */
export async function mendLogs(shelves: Shelves): Promise<Mended[]> {
  const done: Mended[] = [];
  for (const view of VIEWS) done.push(...(await mendLog(shelves, view)));
  return done;
}

async function mendLog(shelves: Shelves, view: ViewName): Promise<Mended[]> {
  const { log } = shelves[view];
  const done: Mended[] = [];
  if ((await sound(readLogKeys(log))) === null) {
    await setAside(shelves, view, KEYS_PATH);
    done.push({ root: view, path: KEYS_PATH, how: "set aside: the next build names its key anew" });
  }
  for (const size of (await log.sizes()).toReversed()) {
    const head = await sound(readCheckpoint(log, size));
    if (head === null) {
      await setAside(shelves, view, checkpointPath(size));
      done.push({ root: view, path: checkpointPath(size), how: "set aside: nothing else says what it was" });
      continue;
    }
    const entries = await findEntries(shelves[view], size);
    const files = new Map((await appendEntries(0, entries, async () => null)).map(({ path, bytes }) => [path, bytes]));
    if (
      !(
        await treeRoot(
          size,
          tileNodes(size, async (path) => files.get(path) ?? null),
        )
      ).equals(head.root)
    )
      break;
    const lost: string[] = [];
    for (const [path, bytes] of files) {
      const found = await readFile(join(rootDir(shelves, view), path)).catch(() => null);
      if (found === null || !bytes.equals(found)) lost.push(path);
    }
    if (lost.length === 0) break;
    for (const path of lost) await setAside(shelves, view, path);
    await log.put(size, () => ({
      checkpoint: head.text,
      files: lost.map((path) => ({ path, bytes: files.get(path) ?? Buffer.alloc(0) })),
    }));
    done.push(...lost.map((path) => ({ root: view, path, how: "from the records, as the log's head has them" })));
    break;
  }
  return done;
}

/** The first entries of the log, each from whatever still has it: its bundle, where the tile agrees, and else its record. */
async function findEntries(shelf: Shelf, size: number): Promise<readonly Buffer[]> {
  const { records, withdrawn } = await shelf.records.index();
  const known = new Map([...withdrawn, ...records].map((record) => [record.sequence, Buffer.from(canonicalJson(record))]));
  const nodes = tileNodes(size, shelf.log.read);
  const entries: Buffer[] = [];
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const bundle = (await sound(readEntries(index, size, shelf.log.read))) ?? [];
    for (let sequence = index * TILE_WIDTH + 1; sequence <= Math.min(size, (index + 1) * TILE_WIDTH); sequence++) {
      const kept = bundle[(sequence - 1) % TILE_WIDTH];
      const leaf = await sound(nodes(0, sequence - 1));
      const record = known.get(sequence);
      const agrees = (entry: Buffer | undefined) => entry !== undefined && leaf?.equals(hashLeaf(entry)) === true;
      entries.push([kept, record].find(agrees) ?? record ?? kept ?? Buffer.alloc(0));
    }
  }
  return entries;
}

/** Null for what is damaged. */
async function sound<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof ShelfError && (error.code === "bad_log" || error.code === "bad_checkpoint")) return null;
    throw error;
  });
}

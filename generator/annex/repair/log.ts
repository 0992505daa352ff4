/** The logs of publications, put right: heads say what their entries must hash to, so whatever makes that root again is what was lost. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import {
  appendEntries,
  fullTilePath,
  type Hash,
  hashLeaf,
  type NoteKey,
  partialTilePaths,
  readEntries,
  readTileFile,
  TILE_WIDTH,
  tileNodes,
  treeRoot,
  verifiedBy,
} from "#snapshots/log";
import {
  checkpointPath,
  keyOf,
  KEYS_PATH,
  readCheckpoint,
  readLogKeys,
  type Shelf,
  type SnapshotRecord,
  snapshotRecordSchema,
} from "#snapshots/shelf";
import type { Shelves } from "#generator/shelves";
import { type Mended, rootDir, setAside, VIEWS, type ViewName } from "./lost.ts";

/** mendLogs runs under the build lock, when the records are mended. What cannot be made again is left, and the next verification tells it.
 *  @param key signs the log today, as the configuration says; null for a log that nobody signs */
export async function mendLogs(shelves: Shelves, key: NoteKey | null): Promise<Mended[]> {
  const done: Mended[] = [];
  for (const view of VIEWS) done.push(...(await mendLog(shelves, view, key)));
  return done;
}

async function mendLog(shelves: Shelves, view: ViewName, key: NoteKey | null): Promise<Mended[]> {
  const { log } = shelves[view];
  const done: Mended[] = [];
  if ((await sound(readLogKeys(log))) === null) {
    await setAside(shelves, view, KEYS_PATH);
    done.push({ root: view, path: KEYS_PATH, how: "set aside: the next build names its key anew" });
  }
  for (const size of (await log.sizes()).toReversed()) {
    const head = await readHead(log, size, key);
    if (head === null) {
      await setAside(shelves, view, checkpointPath(size));
      done.push({ root: view, path: checkpointPath(size), how: "set aside: nothing else says what it was" });
      continue;
    }
    const made = await makeAgain(shelves[view], size, head.root);
    if (made === null) break;
    const files = new Map(made.files);
    const lost: string[] = [];
    // Those that a longer log has put aside are cut from it again.
    const read = async (path: string): Promise<Buffer | null> => files.get(path) ?? null;
    const aside = [...(await log.tiles()), ...(await log.sizes()).flatMap((one) => [...partialTilePaths(one)])];
    for (const path of aside.filter((one) => !files.has(one) && !files.has(fullTilePath(one)))) {
      const bytes = await readTileFile(path, size, read);
      if (bytes !== null) files.set(path, bytes);
    }
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

/** publishedRecords gives the records by their numbers, as the newest head of the log that can be read has them under its root; none when nothing
 *  makes that root. */
export async function publishedRecords(shelf: Shelf): Promise<ReadonlyMap<number, SnapshotRecord>> {
  for (const size of (await shelf.log.sizes()).toReversed()) {
    const head = await readHead(shelf.log, size, null);
    const made = head === null ? null : await makeAgain(shelf, size, head.root);
    if (made === null) continue;
    return new Map(made.entries.map((entry, at) => [at + 1, snapshotRecordSchema.parse(JSON.parse(entry.toString()))]));
  }
  return new Map();
}

/** readHead reads the head of so many entries.
 *  @param today the key that signs now: where the list of keys is lost, it must at least not have signed another text
 *  @returns null for one that is damaged, or that the key of its time did not sign */
async function readHead(log: Shelf["log"], size: number, today: NoteKey | null): Promise<Awaited<ReturnType<typeof readCheckpoint>>> {
  const head = await sound(readCheckpoint(log, size));
  if (head === null) return null;
  const then = keyOf((await sound(readLogKeys(log))) ?? [], size);
  const signers = await sound(
    Promise.try(
      verifiedBy,
      head.note,
      [then, today].filter((one) => one !== null),
    ),
  );
  return signers !== null && (then === null || signers.includes(then)) ? head : null;
}

type Made = { readonly entries: readonly Buffer[]; readonly files: ReadonlyMap<string, Buffer> };

/** The log's entries and files up to a size, from whatever still has them. @returns null when nothing of it makes this root */
async function makeAgain(shelf: Shelf, size: number, root: Hash): Promise<Made | null> {
  const choices = await findEntries(shelf, size);
  for (const entries of [choices.map(([first]) => first), choices.map((all) => all.at(-1))].map((all) =>
    all.filter((one) => one !== undefined),
  )) {
    if (entries.length < size) return null;
    const files = new Map((await appendEntries(0, entries, async () => null)).map(({ path, bytes }) => [path, bytes]));
    const made = await treeRoot(
      size,
      tileNodes(size, async (path) => files.get(path) ?? null),
    );
    if (made.equals(root)) return { entries, files };
  }
  return null;
}

/** findEntries lists what each of the first entries of the log may be: what its bundle or its record says, where its tile agrees; else what the
 *  record says, then what the bundle says; nothing where neither is left. */
async function findEntries(shelf: Shelf, size: number): Promise<readonly (readonly Buffer[])[]> {
  const { records, withdrawn } = await shelf.records.index();
  const known = new Map([...withdrawn, ...records].map((record) => [record.sequence, Buffer.from(canonicalJson(record))]));
  const nodes = tileNodes(size, shelf.log.read);
  const entries: (readonly Buffer[])[] = [];
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const bundle = (await sound(readEntries(index, size, shelf.log.read))) ?? [];
    for (let sequence = index * TILE_WIDTH + 1; sequence <= Math.min(size, (index + 1) * TILE_WIDTH); sequence++) {
      const kept = bundle[(sequence - 1) % TILE_WIDTH];
      const leaf = await sound(nodes(0, sequence - 1));
      const record = known.get(sequence);
      const left = [record, kept].filter((entry) => entry !== undefined);
      const agreed = left.find((entry) => leaf?.equals(hashLeaf(entry)) === true);
      entries.push(agreed === undefined ? left : [agreed]);
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

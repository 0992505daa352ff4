/** The logs of publications, put right: heads say what their entries must hash to, so whatever makes that root again is what was lost. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson } from "#snapshots/digest";
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
import { checkpointPath, keyOf, KEYS_PATH, readCheckpoint, readLogKeys, type Shelf } from "#snapshots/shelf";
import { readable, type Repair, rootDir, setAside, VIEWS, type ViewName } from "./lost.ts";

/** mendLogs mends the logs before the records, which are mended from them. What cannot be made again is left, and the next verification tells it.
 *  @param key signs the log today, as the configuration says; null for a log that nobody signs */
export async function mendLogs(repair: Repair, key: NoteKey | null): Promise<void> {
  for (const view of VIEWS) {
    const { log } = repair.shelves[view];
    if ((await readable(readLogKeys(log))) === null)
      await setAside(repair, view, KEYS_PATH, "set aside: the next build names its key anew");
    for (const size of (await log.sizes()).toReversed()) {
      const head = await readHead(log, size, key);
      if (head !== null) {
        await mendTiles(repair, view, head);
        break;
      }
      await setAside(repair, view, checkpointPath(size), "set aside: nothing else says what it was");
    }
  }
}

type Head = NonNullable<Awaited<ReturnType<typeof readCheckpoint>>>;

/** readHead reads the head of so many entries.
 *  @param today the key that signs now: where the list of keys is lost, it must at least not have signed another text
 *  @returns null for one that is damaged, or that the key of its time did not sign */
async function readHead(log: Shelf["log"], size: number, today: NoteKey | null): Promise<Head | null> {
  const head = await readable(readCheckpoint(log, size));
  if (head === null) return null;
  const then = keyOf((await readable(readLogKeys(log))) ?? [], size);
  const keys = [then, today].filter((one) => one !== null);
  const signers = await readable(Promise.try(verifiedBy, head.note, keys));
  return signers !== null && (then === null || signers.includes(then)) ? head : null;
}

/** mendTiles writes the tiles and bundles anew that are not what makes the root of a head. */
async function mendTiles(repair: Repair, view: ViewName, { size, root, text: checkpoint }: Head): Promise<void> {
  const { log } = repair.shelves[view];
  const made = await makeAgain(repair.shelves[view], size, root);
  if (made === null) return;
  const files = new Map(made);
  // Those that a longer log has put aside are cut from it again.
  for (const path of [...(await log.tiles()), ...(await log.sizes()).flatMap((one) => [...partialTilePaths(one)])]) {
    if (files.has(path) || made.has(fullTilePath(path))) continue;
    const bytes = await readTileFile(path, size, async (one) => made.get(one) ?? null);
    if (bytes !== null) files.set(path, bytes);
  }
  const lost: { readonly path: string; readonly bytes: Buffer }[] = [];
  for (const [path, bytes] of files) {
    const found = await readFile(join(rootDir(repair.shelves, view), path)).catch(() => null);
    if (found === null || !bytes.equals(found)) lost.push({ path, bytes });
  }
  if (lost.length === 0) return;
  for (const { path } of lost) await setAside(repair, view, path, "from the records, as the log's head has them");
  await log.put(size, () => ({ checkpoint, files: lost }));
}

/** makeAgain gives the log's files up to a size, from whatever still has its entries; null when nothing of it makes this root. */
async function makeAgain(shelf: Shelf, size: number, root: Hash): Promise<ReadonlyMap<string, Buffer> | null> {
  const choices = await findEntries(shelf, size);
  for (const which of [0, -1]) {
    const entries = choices.map((all) => all.at(which)).filter((one) => one !== undefined);
    if (entries.length < size) return null;
    const files = new Map((await appendEntries(0, entries, async () => null)).map(({ path, bytes }) => [path, bytes]));
    const read = tileNodes(size, async (path) => files.get(path) ?? null);
    if ((await treeRoot(size, read)).equals(root)) return files;
  }
  return null;
}

/** findEntries lists what each of the first entries of the log may be: what its bundle, its record or the pointer says, where its tile agrees;
 *  else whatever of these is left. */
async function findEntries(shelf: Shelf, size: number): Promise<readonly (readonly Buffer[])[]> {
  const { records, withdrawn } = await shelf.records.index();
  const pointer = await readable(shelf.readPointer());
  const known = Map.groupBy([...records, ...withdrawn, ...(pointer === null ? [] : [pointer])], ({ sequence }) => sequence);
  const nodes = tileNodes(size, shelf.log.read);
  const entries: (readonly Buffer[])[] = [];
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const bundle = (await readable(readEntries(index, size, shelf.log.read))) ?? [];
    for (let sequence = index * TILE_WIDTH + 1; sequence <= Math.min(size, (index + 1) * TILE_WIDTH); sequence++) {
      const leaf = await readable(nodes(0, sequence - 1));
      const told = (known.get(sequence) ?? []).map((record) => Buffer.from(canonicalJson(record)));
      const left = [...told, bundle[(sequence - 1) % TILE_WIDTH]].filter((entry) => entry !== undefined);
      const agreed = left.find((entry) => leaf?.equals(hashLeaf(entry)) === true);
      entries.push(agreed === undefined ? left : [agreed]);
    }
  }
  return entries;
}

/** A log as files, after C2SP tlog-tiles (https://c2sp.org/tlog-tiles): tiles of up to 256 hashes side by side, and bundles of up to 256 entries.
 *  A full tile never changes; of one that is not full there is a file for each width that a checkpoint had, until it is. */
import { ShelfError } from "#snapshots/errors";
import { hashesAt, splitEntries, TILE_HEIGHT, TILE_WIDTH, tilePath, widthOf } from "./shape.ts";
import { type Hash, hashLeaf, hashNode, type ReadNode } from "./tree.ts";

const HASH_BYTES = 32;
/** 16 bits say how long an entry is. */
const MAX_ENTRY_BYTES = 0xffff;

/** ReadTile reads a file of the log; null for one that is not there. The log's server controls the bytes. */
export type ReadTile = (path: string) => Promise<Uint8Array | null>;

/** A tile of a tree of this size. @throws ShelfError "bad_log" when it is not there, or too short or too long */
async function readTileOf(level: number, index: number, size: number, read: ReadTile): Promise<Hash[]> {
  const width = widthOf(level, index, size);
  const path = tilePath(level, index, width);
  // One that was not full may have gone when it was.
  const bytes = await read(path);
  const found = bytes ?? (width < TILE_WIDTH ? await read(tilePath(level, index, TILE_WIDTH)) : null);
  if (found === null) throw new ShelfError("bad_log", `${path} of the log is missing.`);
  const wanted = (bytes === null ? TILE_WIDTH : width) * HASH_BYTES;
  if (found.length !== wanted) throw new ShelfError("bad_log", `${path} of the log has ${found.length} bytes, not ${wanted}.`);
  const whole = Buffer.from(found);
  return Array.from({ length: width }, (_, at) => whole.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}

/** tileNodes reads nodes of a tree of this size out of its tiles, each tile once. That they are of the tree is for its root to tell.
 *  @throws (the reader) ShelfError "bad_log" */
export function tileNodes(size: number, read: ReadTile): ReadNode {
  const tiles = new Map<string, Promise<Hash[]>>();
  return async (height, index) => {
    const level = Math.floor(height / TILE_HEIGHT);
    const count = 2 ** (height % TILE_HEIGHT);
    const first = index * count;
    const tile = Math.floor(first / TILE_WIDTH);
    const name = `${level}/${tile}`;
    const reading = tiles.get(name) ?? readTileOf(level, tile, size, read);
    tiles.set(name, reading);
    const at = first % TILE_WIDTH;
    return foldHashes((await reading).slice(at, at + count));
  };
}

/** foldHashes returns the hash over a power of two of hashes. */
export function foldHashes(hashes: readonly Hash[]): Hash {
  const [first, second] = hashes;
  if (first === undefined) throw new ShelfError("bad_log", "A tile of the log is too short.");
  if (second === undefined) return first;
  const half = hashes.length / 2;
  return hashNode(foldHashes(hashes.slice(0, half)), foldHashes(hashes.slice(half)));
}

/** The bundle of some entries. @throws ShelfError "bad_log" for an entry that is too long */
function formatEntries(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      if (entry.length > MAX_ENTRY_BYTES)
        throw new ShelfError("bad_log", `A record of ${entry.length} bytes does not fit into the log, which takes ${MAX_ENTRY_BYTES}.`);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

/** @param exact whether it has no more. @throws ShelfError "bad_log" when the bytes are not a bundle of so many entries */
function parseEntries(bytes: Uint8Array, { count, path, exact }: { count: number; path: string; exact: boolean }): readonly Buffer[] {
  const { entries, end } = splitEntries(Buffer.from(bytes), count);
  if (entries.length < count) throw new ShelfError("bad_log", `${path} of the log has ${entries.length} entries, not ${count}.`);
  if (exact && end < bytes.length) throw new ShelfError("bad_log", `${path} of the log goes on behind its ${count} entries.`);
  return entries;
}

/** readEntries reads the entries of a bundle of a log of this size. @throws ShelfError "bad_log" */
export async function readEntries(index: number, size: number, read: ReadTile): Promise<readonly Buffer[]> {
  const width = widthOf(0, index, size);
  const path = tilePath("entries", index, width);
  const bytes = await read(path);
  const found = bytes ?? (width < TILE_WIDTH ? await read(tilePath("entries", index, TILE_WIDTH)) : null);
  if (found === null) throw new ShelfError("bad_log", `${path} of the log is missing.`);
  return parseEntries(found, { count: width, path, exact: bytes !== null });
}

/** tilePaths names the files that a log of this size needs: each tile and bundle as wide as it is. */
export function* tilePaths(size: number): Generator<string> {
  for (let level = 0; hashesAt(level, size) > 0; level++) {
    for (let index = 0; widthOf(level, index, size) > 0; index++) {
      yield tilePath(level, index, widthOf(level, index, size));
      if (level === 0) yield tilePath("entries", index, widthOf(level, index, size));
    }
  }
}

/** partialTilePaths names the files of a log of this size that are not full: its last tile of each level, and its last bundle. */
export function* partialTilePaths(size: number): Generator<string> {
  for (let level = 0; hashesAt(level, size) > 0; level++) {
    const index = Math.floor(hashesAt(level, size) / TILE_WIDTH);
    const width = widthOf(level, index, size);
    if (width === 0) continue;
    yield tilePath(level, index, width);
    if (level === 0) yield tilePath("entries", index, width);
  }
}

/** fullTilePath names the full one in the place of a tile or bundle. */
export function fullTilePath(path: string): string {
  return path.replace(/\.p\/\d+$/, "");
}

const TILE_PATH = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/;

/** readTileFile reads the file at a path of a log of this size. One of any width that a log had on its way is there, cut from what follows it.
 *  @returns null where no such log has had a file
 *  @throws ShelfError "bad_log" when the log is damaged */
export async function readTileFile(path: string, size: number, read: ReadTile): Promise<Buffer | null> {
  const [, kind = "", digits = "", part = String(TILE_WIDTH)] = TILE_PATH.exec(path) ?? [];
  const level = kind === "entries" ? kind : Number(kind);
  const index = Number(digits.replaceAll(/[x/]/g, ""));
  const width = Number(part);
  if (kind === "" || !Number.isSafeInteger(index) || width === 0 || tilePath(level, index, width) !== path) return null;
  if (width > widthOf(level === "entries" ? 0 : level, index, size)) return null;
  return level === "entries"
    ? formatEntries((await readEntries(index, size, read)).slice(0, width))
    : Buffer.concat((await readTileOf(level, index, size, read)).slice(0, width));
}

export type TileFile = { readonly path: string; readonly bytes: Buffer };

/** appendEntries makes the files by which a log of `size` entries becomes longer: every tile and bundle that is not as it was, as it is then.
 *  @param added entries behind the others, at least one
 *  @throws ShelfError "bad_log" when a tile of what is there is not what it must be */
export async function appendEntries(size: number, added: readonly Uint8Array[], read: ReadTile): Promise<readonly TileFile[]> {
  const files: TileFile[] = [];
  const end = size + added.length;
  for (let index = Math.floor(size / TILE_WIDTH); index * TILE_WIDTH < end; index++) {
    const old = index * TILE_WIDTH < size ? await readEntries(index, size, read) : [];
    const hashes = old.length === 0 ? [] : await readTileOf(0, index, size, read);
    if (!old.every((entry, at) => hashes[at]?.equals(hashLeaf(entry)) === true))
      throw new ShelfError("bad_log", "The log's last bundle of entries and its tile disagree.");
    const from = index * TILE_WIDTH + old.length - size;
    const entries = [...old, ...added.slice(from, from + TILE_WIDTH - old.length)];
    files.push({ path: tilePath("entries", index, entries.length), bytes: formatEntries(entries) });
  }
  let hashes = added.map(hashLeaf);
  for (let level = 0; hashes.length > 0; level++) {
    const before = hashesAt(level, size);
    const full: Hash[] = [];
    for (let [index, from] = [Math.floor(before / TILE_WIDTH), 0]; from < hashes.length; index++) {
      const old = index * TILE_WIDTH < before ? await readTileOf(level, index, size, read) : [];
      const tile = [...old, ...hashes.slice(from, from + TILE_WIDTH - old.length)];
      from += tile.length - old.length;
      files.push({ path: tilePath(level, index, tile.length), bytes: Buffer.concat(tile) });
      if (tile.length === TILE_WIDTH) full.push(foldHashes(tile));
    }
    hashes = full;
  }
  return files;
}

/** The head of a log that somebody serves: who signed it, that it goes on from a head that was seen, and that it is over the tree and the
 *  last entry which are served with it. Everything is read through one function; whoever answers it controls every byte. */
import { countOf } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import {
  type Checkpoint,
  hashLeaf,
  type LogHead,
  MAX_NOTE_BYTES,
  type NoteKey,
  openCheckpoint,
  parseCheckpoint,
  proveConsistency,
  proveInclusion,
  readEntries,
  type ReadNode,
  type ReadTile,
  TILE_WIDTH,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from "#snapshots/log";
import { keyOf, KEYS_PATH, type LogKeys, parseLogKeys } from "#snapshots/shelf";

/** A list of keys. Bytes. */
const MAX_KEYS = 16 * 1024 * 1024;

/** ReadLog reads bytes of a file of the log, or null where there is none. @param max bytes that it may be long */
export type ReadLog = (path: string, max: number) => Promise<Uint8Array | null>;

export type CheckedHead = Checkpoint & { readonly text: string; readonly keys: LogKeys; readonly signer: NoteKey | null };

/** SeenHead is a head that is known from before. */
export type SeenHead = Pick<Checkpoint, "origin" | "size" | "root"> & { readonly key: string | null };

/** checkHead reads the newest head and checks who signed it.
 *  @param given the key that must have signed it, when the user knows it
 *  @param seen the head that was seen last: neither its name nor its key may have changed, unless the user gives the key
 *  @param where it is served, in words
 *  @throws ShelfError "bad_checkpoint" or "bad_log" */
export async function checkHead(read: ReadLog, given: NoteKey | null, seen: SeenHead | null, where = "there"): Promise<CheckedHead> {
  const bytes = await read("checkpoint", MAX_NOTE_BYTES);
  if (bytes === null)
    throw new ShelfError("origin_unreachable", `No proofshelf library is served ${where}, or it was exported without its shelf.`, {
      fixes: ["Give the address of the front page, with the path that it lies under, as https://example.org/library/."],
    });
  const checkpoint = parseCheckpoint(bytes);
  const { size } = checkpoint;
  if (size === 0) throw refused("its log has no entries");
  const listed = await read(KEYS_PATH, MAX_KEYS);
  const keys = listed === null ? [] : parseLogKeys(listed);
  if (seen !== null) checkSeen(checkpoint, keys, seen);
  const own = keyOf(keys, size);
  if (seen !== null && given === null && (own?.text ?? null) !== seen.key)
    throw refused(`another key signs its log now (${own?.text ?? "none"}); if its owner says so elsewhere, give it with --key`);
  const signer = given ?? own;
  if (signer !== null) openCheckpoint(bytes, { origin: checkpoint.origin, log: [signer] });
  return { ...checkpoint, text: Buffer.from(bytes).toString(), keys, signer };
}

function checkSeen(head: LogHead, keys: LogKeys, seen: SeenHead): void {
  checkOrder(seen, head);
  if (head.size === seen.size && !head.root.equals(seen.root))
    throw refused(`it serves a fork: another head of ${countOf(head.size, "entry", "entries")} was seen`);
  if ((keyOf(keys, seen.size)?.text ?? null) !== seen.key)
    throw refused(`its list of keys says now that another key signed the head of ${countOf(seen.size, "entry", "entries")}`);
}

function checkOrder(older: LogHead, { origin, size }: LogHead): void {
  if (origin !== older.origin) throw refused(`it is another log: ${JSON.stringify(origin)}, not ${JSON.stringify(older.origin)}`);
  if (size < older.size) throw refused(`it serves an older head: ${countOf(size, "entry", "entries")}, and ${older.size} were seen`);
}

/** checkContinues checks that the entries of an older head are the beginning of those of this one. @throws ShelfError "bad_checkpoint" or "bad_log" */
export async function checkContinues(older: LogHead, head: LogHead, nodes: ReadNode): Promise<void> {
  checkOrder(older, head);
  if (!verifyConsistency(older, head, await proveConsistency(older.size, head.size, nodes)))
    throw refused(`it serves a fork: of its entries, ${head.size}, the first ${older.size} are not those that were seen`);
}

/** readLastEntry reads the entry that the log ends with, and checks that tiles, entry and head are of one tree.
 *  @throws ShelfError "bad_checkpoint" or "bad_log" */
export async function readLastEntry({ size, root }: LogHead, nodes: ReadNode, read: ReadTile): Promise<Buffer> {
  if (!(await treeRoot(size, nodes)).equals(root)) throw refused("its checkpoint is not over the tiles that it serves");
  const entry = (await readEntries(Math.floor((size - 1) / TILE_WIDTH), size, read)).at(-1) ?? Buffer.alloc(0);
  if (!verifyInclusion(hashLeaf(entry), size - 1, size, await proveInclusion(size - 1, size, nodes), root))
    throw refused(`entry ${size} is not in the tree that its checkpoint is over`);
  return entry;
}

/** @param what of whoever serves the log, without a full stop */
function refused(what: string): ShelfError {
  return new ShelfError("bad_checkpoint", `${what}.`);
}

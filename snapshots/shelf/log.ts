/** The log of publications: an append-only Merkle tree whose n-th entry is the bytes of `snapshots/<n>.json`, for whoever wants to know that
 *  all readers see the same snapshots and that no record was exchanged later. Hashing is RFC 6962's, files are laid out as C2SP
 *  tlog-tiles, heads are C2SP checkpoints (see ../log/).
 *
 *  - Records never change: what is pruned or withdrawn is named elsewhere, so an entry holds whatever becomes of its snapshot. A record
 *    that was gone when the log began, and a number that was never used, has an entry without bytes.
 *  - `checkpoints/<n>` is the head of n entries. The pointer is the one switch: the log's head is the checkpoint of the record that it
 *    names, so a publication that is cut short anywhere leaves the two in agreement.
 *  - A head that was made is never made otherwise: when a publication is cut short behind it, its entry stays, its record goes, and the
 *    next publication has the next number. */
import { countOf } from "#snapshots/format";
import { z } from "zod";
import { canonicalJson, parseJson } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import {
  appendEntries,
  type Checkpoint,
  EMPTY_ROOT,
  foldHashes,
  formatCheckpoint,
  formatHead,
  type Hash,
  hashLeaf,
  type NoteKey,
  parseCheckpoint,
  parseKey,
  proveInclusion,
  readEntries,
  type SigningKey,
  signNote,
  type TileFile,
  tileNodes,
  treeRoot,
  verifiedBy,
  verifyInclusion,
} from "#snapshots/log";
import type { LogFiles, Shelf, SnapshotRecord } from "./shelf.ts";

/** A LogSigner answers for a log. @param key null leaves it unsigned */
export type LogSigner = { readonly origin: string; readonly key: SigningKey | null };

const keysSchema = z.array(z.strictObject({ first: z.int().positive(), key: z.string().nullable() }));
/** LogKeys is `keys.json`: from which number of entries on who signs; ascending, and the last one does now. A key of null signs nothing. */
export type LogKeys = z.infer<typeof keysSchema>;

export const KEYS_PATH = "keys.json";

export function checkpointPath(size: number): string {
  return `checkpoints/${size}`;
}

function entryOf(record: SnapshotRecord | undefined): Buffer {
  return Buffer.from(record === undefined ? "" : canonicalJson(record));
}

/** readCheckpoint reads the head of so many entries, or null when there is none. @throws ShelfError "bad_checkpoint" */
export async function readCheckpoint(log: Pick<LogFiles, "read">, size: number): Promise<(Checkpoint & { readonly text: string }) | null> {
  const bytes = await log.read(checkpointPath(size));
  if (bytes === null) return null;
  const checkpoint = parseCheckpoint(bytes);
  if (checkpoint.size === size) return { ...checkpoint, text: Buffer.from(bytes).toString() };
  throw new ShelfError("bad_checkpoint", `${checkpointPath(size)} is the head of ${countOf(checkpoint.size, "entry", "entries")}.`);
}

/** readLogKeys reads the list of keys. @throws ShelfError "bad_log" when the file is none */
export async function readLogKeys(log: Pick<LogFiles, "read">): Promise<LogKeys> {
  const bytes = await log.read(KEYS_PATH);
  return bytes === null ? [] : parseLogKeys(bytes);
}

/** parseLogKeys reads a list of keys. @throws ShelfError "bad_log" when the bytes are no list of keys */
export function parseLogKeys(bytes: Uint8Array): LogKeys {
  const parsed = keysSchema.safeParse(parseJson(Buffer.from(bytes).toString()));
  if (parsed.success && parsed.data.every(({ key }) => key === null || isKey(key))) return parsed.data;
  throw new ShelfError("bad_log", `${KEYS_PATH} of the log is not what was written.`, { fixes: ["Run: proofshelf repair"] });
}

function isKey(text: string): boolean {
  try {
    parseKey(text);
    return true;
  } catch {
    return false;
  }
}

/** keyOf finds the key that signs a head of so many entries; null for none. */
export function keyOf(keys: LogKeys, size: number): NoteKey | null {
  const text = keys.findLast(({ first }) => first <= size)?.key ?? null;
  return text === null ? null : parseKey(text);
}

/** The parts that the log of a root is made of. */
type PublishedLog = Pick<Shelf, "records"> & { readonly log: LogFiles };

/** extendLog makes the log as long as a record's number says, with its head: before the pointer names that record, or after, on a shelf that had
 *  no log. A head that is there gets the signature that it lacks.
 *  @throws ShelfError "bad_log" or "bad_checkpoint" when what is there is damaged, "lost_race" when another publisher has made that head */
export async function extendLog(shelf: PublishedLog, record: SnapshotRecord, { origin, key }: LogSigner): Promise<void> {
  const { log } = shelf;
  const size = record.sequence;
  const last = (await log.sizes()).at(-1) ?? 0;
  const keys = await readLogKeys(log);
  if (size > last) {
    const { root, files } = await grow(shelf, last, record);
    const head = { origin, size, root };
    return log.put(size, (there) => {
      if (there !== null) throw new ShelfError("lost_race", "Another publisher has made the log's next head; nothing was changed.");
      const signatures = key === null ? [] : [signNote(formatHead(head), key)];
      return { files: [...files, ...keyFile(keys, size, key)], checkpoint: formatCheckpoint(head, signatures) };
    });
  }
  if (key === null) return;
  return log.put(size, (there) => {
    const known = there === null ? null : parseCheckpoint(there);
    if (known === null || verifiedBy(known.note, [key]).length > 0) return null;
    const { signatures } = known.note;
    if (known.origin !== origin && signatures.length > 0) return null;
    const head = { ...known, origin };
    return { files: keyFile(keys, size, key), checkpoint: formatCheckpoint(head, [...signatures, signNote(formatHead(head), key)]) };
  });
}

/** The log's files with the records after `last` up to this one in it, and its root then. */
async function grow(
  shelf: PublishedLog,
  last: number,
  record: SnapshotRecord,
): Promise<{ readonly root: Hash; readonly files: readonly TileFile[] }> {
  const { records, withdrawn } = await shelf.records.index();
  const size = record.sequence;
  const known = new Map([...withdrawn, ...records, record].map((one) => [one.sequence, one]));
  const entries = Array.from({ length: size - last }, (_, at) => entryOf(known.get(last + 1 + at)));
  const files = await appendEntries(last, entries, shelf.log.read).catch((error: unknown) => {
    if (!(error instanceof ShelfError) || error.code !== "bad_log") throw error;
    throw new ShelfError("bad_log", error.message, {
      cause: error,
      fixes: [
        "Run: proofshelf repair",
        "What it cannot mend may be whole in a mirror, a bucket or a backup of this shelf: put that file back.",
      ],
    });
  });
  const added = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const read = tileNodes(size, async (path) => added.get(path) ?? shelf.log.read(path));
  // The head that was signed before must be the beginning of the one that is signed now.
  const before = last === 0 ? EMPTY_ROOT : (await readCheckpoint(shelf.log, last))?.root;
  if (before === undefined || !(await treeRoot(last, read)).equals(before))
    throw new ShelfError("bad_log", `The log is not the one that had ${countOf(last, "entry", "entries")} when it was published.`, {
      fixes: ["Run: proofshelf repair"],
    });
  return { root: await treeRoot(size, read), files };
}

/** The list of keys as a file, when another one signs from here on. */
function keyFile(keys: LogKeys, size: number, key: SigningKey | null): readonly TileFile[] {
  const text = key?.text ?? null;
  if ((keys.findLast(({ first }) => first <= size)?.key ?? null) === text) return [];
  const next: LogKeys = [...keys.filter(({ first }) => first < size), { first: size, key: text }];
  return [{ path: KEYS_PATH, bytes: Buffer.from(canonicalJson(next)) }];
}

/** addSignatures adds signatures of others to a head of this log that is there: those of a copy of it that they have signed.
 *  @param copy whoever sent it controls it
 *  @param keys of the log and of witnesses: what one of them has not signed is refused
 *  @returns the number of entries, and whose signatures were added
 *  @throws ShelfError "bad_checkpoint" when it is no copy, or would have more signatures than readers take */
export async function addSignatures(
  log: LogFiles,
  copy: Uint8Array,
  keys: readonly NoteKey[],
): Promise<{ readonly size: number; readonly added: readonly string[] }> {
  const { size, note } = parseCheckpoint(copy);
  verifiedBy(note, keys);
  let added: readonly string[] = [];
  await log.put(size, (there) => {
    const own = there === null ? null : parseCheckpoint(there);
    if (own === null || own.note.text !== note.text)
      throw new ShelfError("bad_checkpoint", `This is no checkpoint that this shelf has made: ${countOf(size, "entry", "entries")}.`, {
        fixes: ["Take the shelf's own checkpoint, have it signed, and bring that."],
      });
    const known = new Set(own.note.signatures.map(({ line }) => line));
    const more = note.signatures.filter(({ line }) => !known.has(line));
    added = more.map(({ name }) => name);
    if (more.length === 0) return null;
    const checkpoint = formatCheckpoint(own, [...own.note.signatures, ...more]);
    parseCheckpoint(Buffer.from(checkpoint));
    return { files: [], checkpoint };
  });
  return { size, added };
}

/** readRecordsOf reads the records that are the first entries of the log, by their numbers.
 *  @returns null where there is no head of so many entries, or the entries are not what it is over */
export async function readRecordsOf(log: Pick<LogFiles, "read">, size: number): Promise<ReadonlyMap<number, SnapshotRecord> | null> {
  try {
    const head = await readCheckpoint(log, size);
    if (head === null) return null;
    const entries: Buffer[] = [];
    for (let index = 0; entries.length < size; index++) entries.push(...(await readEntries(index, size, log.read)));
    const leaves = entries.map(hashLeaf);
    const root = await treeRoot(size, async (height, index) => foldHashes(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height)));
    if (!root.equals(head.root)) return null;
    // They are what was written, so their shape is trusted. One without bytes was no record.
    return new Map(
      entries.flatMap((entry, at) => (entry.length === 0 ? [] : [[at + 1, JSON.parse(entry.toString()) as SnapshotRecord] as const])),
    );
  } catch (error) {
    if (error instanceof ShelfError) return null;
    throw error;
  }
}

export type LogState = { readonly state: "signed" | "unsigned" | "none" | "damaged"; readonly detail: string };

/** describeLog says how the log stands at a record, in words. */
export async function describeLog(shelf: Shelf, record: SnapshotRecord): Promise<LogState> {
  try {
    const proof = await proveRecord(shelf, record);
    if (proof === null) return { state: "none", detail: "there is no log yet that has this snapshot; the next build begins one" };
    const { origin, note } = parseCheckpoint(Buffer.from(proof.checkpoint));
    const key = keyOf(await readLogKeys(shelf.log), record.sequence);
    const entries = `${countOf(record.sequence, "publication")} in the log ${origin}`;
    if (key === null || verifiedBy(note, [key]).length === 0) return { state: "unsigned", detail: `unsigned: ${entries}` };
    return { state: "signed", detail: `signed by ${key.name} (${key.id}): ${entries}` };
  } catch (error) {
    if (!(error instanceof ShelfError)) throw error;
    return { state: "damaged", detail: error.message };
  }
}

export type RecordProof = {
  /** The head of as many entries as the record's number says. */
  readonly checkpoint: string;
  readonly signed: boolean;
  readonly entry: string;
  readonly hashes: readonly Hash[];
};

/** proveRecord proves that a record is the last entry of the log that was published with it; null when the log does not reach it.
 *  @throws ShelfError "bad_log" or "bad_checkpoint" when the log is damaged */
export async function proveRecord(shelf: Shelf, record: SnapshotRecord): Promise<RecordProof | null> {
  const { sequence } = record;
  const checkpoint = await readCheckpoint(shelf.log, sequence);
  if (checkpoint === null) return null;
  const { text, note, root } = checkpoint;
  const hashes = await proveInclusion(sequence - 1, sequence, tileNodes(sequence, shelf.log.read));
  const entry = entryOf(record);
  if (!verifyInclusion(hashLeaf(entry), sequence - 1, sequence, hashes, root))
    throw new ShelfError("bad_log", `Snapshot ${sequence} is not the entry of the log that was published with it.`, {
      fixes: ["Run: proofshelf repair"],
    });
  return { checkpoint: text, signed: note.signatures.length > 0, entry: entry.toString(), hashes };
}

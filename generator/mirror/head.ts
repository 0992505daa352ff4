/** The head of somebody else's log of publications: its checkpoint, who signed it, and the record that it ends with. */
import { z } from "zod";
import { canonicalJson, parseJson, type Sha256 } from "../../snapshots/digest.ts";
import { type Checkpoint, openCheckpoint, parseCheckpoint } from "../../snapshots/log/checkpoint.ts";
import { MAX_NOTE_BYTES, type NoteKey } from "../../snapshots/log/note.ts";
import { type ReadTile, readEntries, TILE_WIDTH } from "../../snapshots/log/tiles.ts";
import { blobPath } from "../../snapshots/format/layout.ts";
import { checkRedaction, redactedSchema, redactionPath } from "../../snapshots/shelf/redactions.ts";
import { keyOf, type LogKeys, parseLogKeys } from "../../snapshots/shelf/log.ts";
import { type SnapshotRecord, snapshotRecordSchema } from "../../snapshots/shelf/shelf.ts";
import { inTurns } from "../in-turns.ts";
import { AT_ONCE, type Origin, refusal, refusing } from "./origin.ts";

/** A list of keys, or of records that were taken out of service. Bytes. */
const MAX_LIST = 16 * 1024 * 1024;
/** A full bundle of the longest entries. Bytes. */
const MAX_TILE = TILE_WIDTH * (2 + 0xffff);

export type Head = Checkpoint & { readonly text: string; readonly keys: LogKeys; readonly signer: NoteKey | null };

/** What is known from before. */
export type Seen = Pick<Checkpoint, "origin" | "size" | "root"> & { readonly key: string | null };

/** @param given the key that must have signed it, when the user knows it
 *  @param seen the head that was seen last: neither its name nor its key may have changed, unless the user gives the key
 *  @throws ShelfError "origin_refused", "origin_unreachable" */
export async function readHead(origin: Origin, given: NoteKey | null, seen: Seen | null): Promise<Head> {
  const { url } = origin;
  return refusing(url, async () => {
    const bytes = await origin.get("/shelf/checkpoint", MAX_NOTE_BYTES);
    if (bytes === null) throw refusal(url, "it has no checkpoint, so it is no open shelf, or an earlier version serves it");
    const checkpoint = parseCheckpoint(bytes);
    const { size } = checkpoint;
    if (size === 0) throw refusal(url, "its log has no entries");
    const listed = await origin.get("/shelf/keys.json", MAX_LIST);
    const keys = parseLogKeys(listed ?? Buffer.from("[]"));
    if (seen !== null) checkSeen(url, checkpoint, keys, seen);
    const own = keyOf(keys, size);
    if (seen !== null && given === null && (own?.text ?? null) !== seen.key)
      throw refusal(url, `another key signs its log now (${own?.text ?? "none"}); if its owner says so elsewhere, give it with --key`);
    const signer = given ?? own;
    if (signer !== null) openCheckpoint(bytes, { origin: checkpoint.origin, log: [signer] });
    return { ...checkpoint, text: bytes.toString(), keys, signer };
  });
}

function checkSeen(url: string, { origin, size, root }: Checkpoint, keys: LogKeys, seen: Seen): void {
  if (origin !== seen.origin) throw refusal(url, `it is another log: ${JSON.stringify(origin)}, not ${JSON.stringify(seen.origin)}`);
  if (size < seen.size) throw refusal(url, `it serves an older head: ${size} entries, and ${seen.size} were seen`);
  if (size === seen.size && !root.equals(seen.root)) throw refusal(url, `it serves a fork: another head of ${size} entries was seen`);
  if ((keyOf(keys, seen.size)?.text ?? null) !== seen.key)
    throw refusal(url, `its list of keys says now that another key signed the first ${seen.size} entries`);
}

/** Reads tiles and bundles. */
export function tilesOf(origin: Origin): ReadTile {
  return (path) => origin.get(`/shelf/${path}`, MAX_TILE);
}

/** @throws ShelfError "origin_refused" when the entry is no record of that number */
export function parseEntry(url: string, entry: Uint8Array, sequence: number): SnapshotRecord {
  const parsed = snapshotRecordSchema.safeParse(parseJson(Buffer.from(entry).toString()));
  if (parsed.success && parsed.data.sequence === sequence && Buffer.from(canonicalJson(parsed.data)).equals(entry)) return parsed.data;
  throw refusal(url, `entry ${sequence} of its log is no record of that number`);
}

/** The last entry of the log's bundle of them; that it is of the log is for who asks to check. */
export async function readLastEntry(origin: Origin, size: number): Promise<Buffer> {
  const bundle = await refusing(origin.url, () => readEntries(Math.floor((size - 1) / TILE_WIDTH), size, tilesOf(origin)));
  return bundle.at(-1) ?? Buffer.alloc(0);
}

/** Canonical JSON at a path; null where there is nothing. @throws ShelfError "origin_refused" for anything else */
export async function readJson<T>(origin: Origin, path: string, schema: z.ZodType<T>, max = MAX_LIST): Promise<T | null> {
  const bytes = await origin.get(path, max);
  if (bytes === null) return null;
  const parsed = schema.safeParse(parseJson(bytes.toString()));
  if (parsed.success && Buffer.from(canonicalJson(parsed.data)).equals(bytes)) return parsed.data;
  throw refusal(origin.url, `${path} is not what such a file says`);
}

/** Notices of blobs that the origin has taken out of earlier snapshots, each signed as its log is. Nobody can take anything out of the
 *  snapshot that is served.
 *  @param served digests that the snapshot which is served reaches */
export async function readRedactions(
  origin: Origin,
  { keys, origin: name }: Head,
  served: ReadonlySet<Sha256>,
): Promise<ReadonlyMap<Sha256, string>> {
  const digests = (await readJson(origin, "/shelf/redacted.json", redactedSchema)) ?? [];
  const notices = new Map<Sha256, string>();
  await inTurns(digests, AT_ONCE, async (digest) => {
    if (served.has(digest)) throw refusal(origin.url, `it says that ${blobPath(digest)} is redacted, and its snapshot has it`);
    await refusing(origin.url, async () => {
      const bytes = await origin.get(`/shelf/${redactionPath(digest)}`, MAX_NOTE_BYTES);
      if (bytes === null) throw refusal(origin.url, `it says that ${blobPath(digest)} is redacted, and has no notice of it`);
      if (checkRedaction(bytes, digest, keys).origin !== name)
        throw refusal(origin.url, `/shelf/${redactionPath(digest)} is of another log`);
      notices.set(digest, bytes.toString());
    });
  });
  return notices;
}

/** The head of somebody else's log of publications: its checkpoint, who signed it, and the record that it ends with. */
import { z } from "zod";
import { canonicalJson, parseJson, type Sha256 } from "#snapshots/digest";
import { MAX_NOTE_BYTES, type NoteKey, type ReadTile, TILE_WIDTH } from "#snapshots/log";
import { blobPath } from "#snapshots/format";
import { checkRedaction, keyOf, redactedSchema, redactionPath, type SnapshotRecord, snapshotRecordSchema } from "#snapshots/shelf";
import { checkHead, type CheckedHead, type SeenHead } from "./log-head.ts";
import { concurrently } from "#generator/files";
import { AT_ONCE, type Origin, refusal, refusing } from "./origin.ts";

/** A list of records that were taken out of service, of notices, or of numbers: what a parser makes of it takes some twenty times as much.
 *  Bytes. */
const MAX_LIST = 4 * 1024 * 1024;
/** A full bundle of the longest entries. Bytes. */
const MAX_TILE = TILE_WIDTH * (2 + 0xffff);

/** Publications of the origin that one run follows: each may take away what was just asked for. */
const LOOKS = 5;

/** Reads the newest head and checks it, as `checkHead` says. @throws ShelfError "origin_refused", "origin_unreachable" */
async function readHead(origin: Origin, given: NoteKey | null, seen: SeenHead | null): Promise<CheckedHead> {
  return refusing(origin.url, () => checkHead((path, max) => origin.get(`/shelf/${path}`, max), given, seen, `at ${origin.url}`));
}

/** atNewestHead does work at the origin's newest head. Work that fails is done again at the next head when another snapshot was published
 *  meanwhile: what was asked for may be of that one, which has to go on from the one before.
 *  @param given the key that must sign the log
 *  @param first the head that was seen before
 *  @param holds false for what counts as failed */
export async function atNewestHead<T>(
  origin: Origin,
  given: NoteKey | null,
  first: SeenHead | null,
  work: (head: CheckedHead, seen: SeenHead | null) => Promise<T>,
  holds: (done: T) => boolean = () => true,
): Promise<T> {
  let seen = first;
  for (let look = 1; ; look++) {
    const head = await readHead(origin, given, seen);
    const [ended] = await Promise.allSettled([work(head, seen)]);
    const failed = ended.status === "rejected" || !holds(ended.value);
    const moved = failed && look < LOOKS && (await readHead(origin, given, seen)).text !== head.text;
    if (!moved && ended.status === "rejected") throw ended.reason;
    if (!moved && ended.status === "fulfilled") return ended.value;
    seen = { ...head, key: keyOf(head.keys, head.size)?.text ?? null };
  }
}

/** tilesOf makes a reader of tiles and bundles. */
export function tilesOf(origin: Origin): ReadTile {
  return (path) => origin.get(`/shelf/${path}`, MAX_TILE);
}

/** parseEntry reads an entry of the log. @throws ShelfError "origin_refused" when the entry is no record of that number */
export function parseEntry(url: string, entry: Uint8Array, sequence: number): SnapshotRecord {
  const parsed = snapshotRecordSchema.safeParse(parseJson(Buffer.from(entry).toString()));
  if (parsed.success && parsed.data.sequence === sequence && Buffer.from(canonicalJson(parsed.data)).equals(entry)) return parsed.data;
  throw refusal(url, `entry ${sequence} of its log is no record of that number`);
}

/** readJson reads canonical JSON at a path; null where there is nothing. @throws ShelfError "origin_refused" for anything else */
export async function readJson<T>(origin: Origin, path: string, schema: z.ZodType<T>, max: number): Promise<T | null> {
  const bytes = await origin.get(path, max);
  if (bytes === null) return null;
  const parsed = schema.safeParse(parseJson(bytes.toString()));
  if (parsed.success && Buffer.from(canonicalJson(parsed.data)).equals(bytes)) return parsed.data;
  throw refusal(origin.url, `${path} is not what such a file says`);
}

/** readList reads a list as canonical JSON, item by item, so that the first that is none ends it: a schema over the whole list would tell of
 *  millions. @throws ShelfError "origin_refused" */
export async function readList<T>(origin: Origin, path: string, item: z.ZodType<T>, max = MAX_LIST): Promise<readonly T[] | null> {
  const bytes = await origin.get(path, max);
  if (bytes === null) return null;
  const found = parseJson(bytes.toString());
  const items: T[] = [];
  for (const one of Array.isArray(found) ? found : [null]) {
    const parsed = item.safeParse(one);
    if (!parsed.success) throw refusal(origin.url, `${path} is not what such a file says`);
    items.push(parsed.data);
  }
  if (Buffer.from(canonicalJson(items)).equals(bytes)) return items;
  throw refusal(origin.url, `${path} is not what such a file says`);
}

/** readRedactions reads notices of blobs that the origin has taken out of earlier snapshots, each signed as its log is. Nobody can take anything
 *  out of the snapshot that is served.
 *  @param listServed digests that the snapshot that is served reaches */
export async function readRedactions(
  origin: Origin,
  { keys, origin: name }: CheckedHead,
  listServed: () => Promise<ReadonlySet<Sha256>>,
): Promise<ReadonlyMap<Sha256, string>> {
  const digests = (await readList(origin, "/shelf/redacted.json", redactedSchema.element)) ?? [];
  const notices = new Map<Sha256, string>();
  const served = digests.length === 0 ? new Set<Sha256>() : await listServed();
  const lie = digests.find((digest) => served.has(digest));
  if (lie !== undefined) throw refusal(origin.url, `it says that ${blobPath(lie)} is redacted, and its snapshot has it`);
  await concurrently(digests, AT_ONCE, async (digest) => {
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

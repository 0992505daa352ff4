/** A copy of somebody else's public shelf, over HTTP. Every byte is checked before it is kept: records and withdrawals against the log,
 *  whose root is made again from its entries, blobs against the digests that lead to them from there, lists of changes against
 *  the snapshots that they lie between (those between snapshots that are gone are taken as they are). The copy moves on as a shelf does when
 *  it publishes: whatever ends a run, what was served before is served, and the next run asks only for what is missing. */
import { existsSync } from "node:fs";
import { readdir, readFile, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { z } from "zod";
import { canonicalJson, type Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { isWithdrawalError, countOf } from "#snapshots/format";
import {
  appendEntries,
  MAX_NOTE_BYTES,
  type NoteKey,
  parseCheckpoint,
  parseKey,
  readEntries,
  type ReadTile,
  TILE_WIDTH,
  type TileFile,
  tileNodes,
  treeRoot,
  verifiedBy,
} from "#snapshots/log";
import { openIndex } from "#snapshots/index";
import {
  type Changes,
  changesSchema,
  checkpointPath,
  checkWritable,
  clearTemporary,
  createTreeCache,
  diffSnapshots,
  type DirectoryShelf,
  keyOf,
  KEYS_PATH,
  makeFolder,
  OPEN,
  openDirectoryShelf,
  openSnapshot,
  reachable,
  readCheckpoint,
  readLogKeys,
  type SnapshotRecord,
  withdrawnSchema,
  writeWhole,
} from "#snapshots/shelf";
import type { CheckedHead, SeenHead } from "./log-head.ts";
import { indexSnapshot, openIndexThread, planSnapshot } from "#generator/index";
import { concurrently, type Progress, withBuildLock } from "#generator/files";
import { COPY_MARKER } from "#generator/shelves";
import { fetchBlobs, MAX_HELD } from "./fetch-blobs.ts";
import { atNewestHead, parseEntry, readJson, readList, tilesOf } from "./head.ts";
import { AT_ONCE, type Origin, refusal, refusing } from "./origin.ts";

const markerSchema = z.strictObject({ origin: z.string(), url: z.string() });
/** Limits of what the origin may make this process hold, whatever it says. Bytes: a list of changes that nothing is left to compare with, and all
 *  of those together; the entries of the log. */
const MAX_CHANGES = 8 * 1024 * 1024;
const MAX_ALL_CHANGES = 32 * 1024 * 1024;
const MAX_LOG = 64 * 1024 * 1024;
/** Snapshots that are kept. */
const MAX_KEPT = 50_000;

export type MirrorOptions = {
  readonly dir: string;
  /** The key that must sign the log, when the user knows it. */
  readonly key: NoteKey | null;
  readonly progress: Progress;
};

/** roomFor gives what one run may fetch when nobody says so: what is free where the copy lies, but for a tenth. Bytes. */
export async function roomFor(dir: string): Promise<number> {
  makeFolder(dir);
  const { bavail, bsize } = await statfs(dir);
  return Math.floor(bavail * bsize * 0.9);
}

/** Mirrored says what a run has copied. */
export type Mirrored = Readonly<Awaited<ReturnType<typeof follow>>>;

/** mirror copies a library from its server. @throws ShelfError "origin_refused" for what is a lie, "origin_unreachable", "build_running",
 *  "bad_config" for a folder of somebody's own */
export async function mirror(origin: Origin, options: MirrorOptions): Promise<Mirrored> {
  const { dir, key } = options;
  const publicDir = join(dir, "public");
  const marker = await readMarker(dir);
  await checkWritable(publicDir, OPEN);
  const copy = async (): Promise<Mirrored> => {
    await clearTemporary(publicDir);
    const shelf = openDirectoryShelf(publicDir, null, "building");
    const seen = await readSeen(shelf, marker);
    return atNewestHead(origin, key, seen, async (head) => {
      writeWhole(join(dir, COPY_MARKER), canonicalJson({ origin: head.origin, url: origin.url }), { modes: OPEN });
      return follow({ origin, shelf, head, seen, ...options });
    });
  };
  return withBuildLock(join(dir, "internal/build"), copy, { work: "mirror" });
}

/** Null for a folder that is new. @throws ShelfError "bad_config" */
async function readMarker(dir: string): Promise<z.infer<typeof markerSchema> | null> {
  makeFolder(dir);
  if (existsSync(join(dir, COPY_MARKER))) return markerSchema.parse(JSON.parse(await readFile(join(dir, COPY_MARKER), "utf8")));
  // The lock and the empty roots of a run that came no further.
  if ((await readdir(dir)).every((name) => name === "internal" || name === "public") && !existsSync(join(dir, "public/current.json")))
    return null;
  throw new ShelfError("bad_config", "The folder holds something that is no copy of a shelf; nothing was changed.", {
    fixes: ["Give a new or empty folder."],
  });
}

async function readSeen(shelf: DirectoryShelf, marker: { readonly origin: string } | null): Promise<SeenHead | null> {
  const record = await shelf.readPointer();
  const checkpoint = record === null ? null : await readCheckpoint(shelf.log, record.sequence);
  if (checkpoint === null || marker === null) return null;
  return { ...checkpoint, key: keyOf(await readLogKeys(shelf.log), checkpoint.size)?.text ?? null };
}

type Following = MirrorOptions & {
  readonly origin: Origin;
  readonly shelf: DirectoryShelf;
  readonly head: CheckedHead;
  /** The head that the copy serves. */
  readonly seen: SeenHead | null;
};

async function follow(following: Following) {
  const { origin, shelf, head, seen, progress } = following;
  const { told } = origin;
  progress.step("log");
  const before = await shelf.readPointer();
  const { kept, recordOf, ...log } = await readLog(following);
  const withdrawn = await readWithdrawn(origin, kept, recordOf);
  const records = kept.map(recordOf);
  const record = recordOf(head.size);

  const { blobs, notices } = await fetchBlobs(origin, { shelf, head, records, progress });
  const known = await shelf.redactions.list();
  // A blob that is there counts: what the copy serves is served until it moves on.
  for (const [digest, notice] of notices) await shelf.redactions.put(digest, notice);
  const redacted = known.length !== notices.size || known.some((digest) => !notices.has(digest));
  progress.step("lists of changes");
  const { changes, unchecked } = await readChanges(following, records, withdrawn);
  const heads = await readHeads(following, kept, log.read);
  await shelf.blobs.flush();
  progress.step("index");
  await updateIndex(following, before, record, redacted);

  progress.step("publish");
  const restore = async (one: SnapshotRecord): Promise<void> => {
    if ((await shelf.readRecord(one.sequence).catch(() => null)) === null) await shelf.history.restoreRecord(one);
  };
  for (const [sequence, list] of changes) await shelf.history.putChanges(sequence, list);
  for (const [size, text] of heads) {
    await shelf.log.put(size, (there) => {
      if (there !== null && Buffer.from(text).equals(there)) return null;
      if (size !== head.size) return { files: [], checkpoint: text };
      return { files: [...log.files, { path: KEYS_PATH, bytes: Buffer.from(canonicalJson(head.keys)) }], checkpoint: text };
    });
  }
  await restore(record);
  await shelf.history.swapPointer(record, before);
  // Behind the pointer: a server takes records beyond it for an older one that was put back.
  for (const one of records) await restore(one);
  const gone = (await shelf.records.index()).records.filter(({ sequence }) => !kept.includes(sequence));
  await shelf.history.withdraw(withdrawn);
  for (const { sequence } of gone) await shelf.history.deleteRecord(sequence);
  await shelf.records.keep(record.sequence);
  for (const digest of known) if (!notices.has(digest)) await shelf.redactions.drop(digest);
  await tidy(shelf, records, redacted ? [record] : records);
  await writeConfig(following, record);
  progress.end();
  return {
    snapshot: record.snapshot,
    sequence: record.sequence,
    signed_by: head.signer?.text ?? null,
    /** Kept snapshots of the copy. */
    snapshots: records.length,
    /** Blobs that were fetched. */
    blobs,
    /** Blobs of earlier snapshots that a notice stands for. */
    redacted: notices.size,
    bytes: told.bytes,
    requests: told.requests,
    /** Lists of changes that nothing kept could be held against. */
    unchecked_changes: unchecked,
    /** True when the copy serves another snapshot now. */
    moved: before?.snapshot !== record.snapshot || seen === null,
  };
}

/** Reads the entries of the log up to its head, and which snapshots are kept: nothing signs that, but none can be made up. The root is made again
 *  from what the copy has and what is new. */
async function readLog({ origin, shelf, head, seen }: Following) {
  const { url } = origin;
  const { size } = head;
  const known = seen?.size ?? 0;
  const entries: Buffer[] = [];
  for (let index = 0; index * TILE_WIDTH < known; index++) entries.push(...(await readEntries(index, known, shelf.log.read)));
  let bytes = 0;
  for (let index = Math.floor(known / TILE_WIDTH); index * TILE_WIDTH < size && known < size; index++) {
    const found = await refusing(url, () => readEntries(index, size, tilesOf(origin)));
    entries.push(...found.slice(entries.length - index * TILE_WIDTH));
    bytes += found.reduce((sum, entry) => sum + entry.length, 0);
    if (bytes > MAX_LOG) throw refusal(url, `the entries of its log take more than ${MAX_LOG} bytes`);
  }
  const kept = await readKept(origin, size);
  const { root, ...log } = await growLog(shelf, known, kept, entries);
  if (!root.equals(head.root))
    throw refusal(url, `its checkpoint is not over what it serves, ${countOf(size, "entry", "entries")}: a fork, or they were exchanged`);
  return { kept, recordOf: (sequence: number) => parseEntry(url, entries[sequence - 1] ?? Buffer.alloc(0), sequence), ...log };
}

async function readKept(origin: Origin, size: number): Promise<readonly number[]> {
  const most = Math.min(size, MAX_KEPT) * (String(size).length + 1) + 2;
  const kept = await readList(origin, "/shelf/snapshots.json", z.int().positive().max(size), most);
  if (kept === null) throw refusal(origin.url, "/shelf/snapshots.json is missing");
  if (kept.some((sequence, at) => at > 0 && sequence <= (kept[at - 1] ?? 0)))
    throw refusal(origin.url, "/shelf/snapshots.json is not ascending");
  if (kept.at(-1) !== size) throw refusal(origin.url, `it does not keep snapshot ${size}, which its checkpoint ends with`);
  return kept;
}

/** Makes the files by which a log of `known` entries becomes longer, step by step, so that each head has its own; nothing is written.
 *  @param sizes ascending; the last one's root is returned */
async function growLog(shelf: DirectoryShelf, known: number, sizes: readonly number[], entries: readonly Buffer[]) {
  const written = new Map<string, Buffer>();
  const read = async (path: string) => written.get(path) ?? shelf.log.read(path);
  let from = known;
  for (const size of sizes.filter((one) => one > known)) {
    for (const { path, bytes } of await appendEntries(from, entries.slice(from, size), read)) written.set(path, bytes);
    from = size;
  }
  const files: readonly TileFile[] = [...written].map(([path, bytes]) => ({ path, bytes }));
  return { root: await treeRoot(from, tileNodes(from, read)), files, read };
}

/** Reads the records of snapshots that were taken out of service. */
async function readWithdrawn(origin: Origin, kept: readonly number[], recordOf: (sequence: number) => SnapshotRecord) {
  const size = kept.at(-1) ?? 0;
  const withdrawn = (await readList(origin, "/shelf/withdrawn.json", withdrawnSchema.element)) ?? [];
  for (const one of withdrawn) {
    if (one.sequence > size || canonicalJson(recordOf(one.sequence)) !== canonicalJson(one))
      throw refusal(origin.url, `/shelf/withdrawn.json names a snapshot ${one.sequence} that its log does not have`);
    if (kept.includes(one.sequence)) throw refusal(origin.url, `it keeps snapshot ${one.sequence}, and says that it is withdrawn`);
  }
  return withdrawn;
}

/** Makes or reads the lists of changes that the copy lacks; all of them where something was withdrawn, which rewrites them. */
async function readChanges({ origin, shelf }: Following, records: readonly SnapshotRecord[], withdrawn: readonly SnapshotRecord[]) {
  const { url } = origin;
  const [first = 0, last = 0] = [records[0]?.sequence, records.at(-1)?.sequence];
  const anew = withdrawn.length !== (await shelf.records.index()).withdrawn.length;
  const wanted = [...withdrawn.map(({ sequence }) => sequence), ...Array.from({ length: last - first + 1 }, (_, at) => first + at)];
  const bySnapshot = new Map(records.map((one) => [one.snapshot, one]));
  const bySequence = new Map(records.map((one) => [one.sequence, one]));
  const cache = createTreeCache();
  const open = (record: SnapshotRecord) => openSnapshot(shelf, record, cache);
  /** Null where nothing that is left says what it should be. */
  const make = async (record: SnapshotRecord | undefined): Promise<Changes | null> => {
    const previous = record?.previous === null ? null : bySnapshot.get(record?.previous ?? "");
    if (record === undefined || previous === undefined) return null;
    return refusing(url, async () =>
      diffSnapshots(previous === null ? null : await open(previous), await open(record)).catch(ignoreRedacted),
    );
  };
  const changes = new Map<number, Changes>();
  const unmade: number[] = [];
  await shelf.blobs.seal();
  await concurrently(new Set(wanted), AT_ONCE, async (sequence) => {
    if (!anew && (await shelf.readChanges(sequence).catch(() => null)) !== null) return;
    const own = await make(bySequence.get(sequence));
    if (own === null) return void unmade.push(sequence);
    const text = Buffer.from(canonicalJson(own));
    const found = await origin.get(`/shelf/changes/${sequence}.json`, Math.max(MAX_HELD, text.length));
    if (found !== null && !text.equals(found)) throw refusal(url, `/shelf/changes/${sequence}.json is not what that publication changed`);
    changes.set(sequence, own);
  });
  const made = changes.size;
  let bytes = 0;
  // One after another, so that one at most is held as it came.
  for (const sequence of unmade) {
    const found = await readJson(origin, `/shelf/changes/${sequence}.json`, changesSchema, MAX_CHANGES);
    if (found === null) continue;
    bytes += canonicalJson(found).length;
    if (bytes > MAX_ALL_CHANGES) throw refusal(url, `its lists of changes take more than ${MAX_ALL_CHANGES} bytes`);
    changes.set(sequence, found);
  }
  return { changes, unchecked: changes.size - made };
}

/** ignoreRedacted gives null for what was redacted: it cannot be compared. */
function ignoreRedacted(error: unknown): null {
  if (error instanceof ShelfError && isWithdrawalError(error)) return null;
  throw error;
}

/** The heads of kept snapshots, as they are signed now; the newest last. */
async function readHeads({ origin, head }: Following, kept: readonly number[], read: ReadTile): Promise<ReadonlyMap<number, string>> {
  const nodes = tileNodes(head.size, read);
  const heads = new Map<number, string>();
  for (const size of kept.filter((one) => one !== head.size)) {
    await refusing(origin.url, async () => {
      const bytes = await origin.get(`/shelf/${checkpointPath(size)}`, MAX_NOTE_BYTES);
      // A snapshot that is older than the log.
      if (bytes === null) return;
      const one = parseCheckpoint(bytes);
      if (one.size !== size || !one.root.equals(await treeRoot(size, nodes)))
        throw refusal(origin.url, `its checkpoint of ${countOf(size, "entry", "entries")} is not the beginning of its log`);
      const signer = keyOf(head.keys, size);
      const signed = verifiedBy(
        one.note,
        head.keys.flatMap(({ key }) => (key === null ? [] : [parseKey(key)])),
      );
      if (signer === null ? signed.length > 0 : !signed.some(({ text }) => text === signer.text))
        throw refusal(origin.url, `its checkpoint of ${countOf(size, "entry", "entries")} is not signed as its keys.json says`);
      heads.set(size, bytes.toString());
    });
  }
  return heads.set(head.size, head.text);
}

/** The search index is nobody's word: it is made here, of the extracts.
 *  @param anew since rows that were redacted stay in the files of earlier ones */
async function updateIndex(
  { dir, shelf, origin }: Following,
  before: SnapshotRecord | null,
  record: SnapshotRecord,
  anew: boolean,
): Promise<void> {
  const index = await openIndex(shelf.indexUri);
  const holds = async ({ snapshot }: SnapshotRecord): Promise<boolean> => (await index.findProblem(snapshot)) === null;
  const done = !anew && (await holds(record));
  const base = anew || before === null || !(await holds(before)) ? null : before;
  index.close();
  if (done) return;
  const thread = openIndexThread({ public: join(dir, "public"), internal: join(dir, "internal") });
  const trees = createTreeCache();
  try {
    await refusing(origin.url, async () => {
      const there = base === null ? null : await planSnapshot(shelf, base, null, trees);
      await indexSnapshot(thread, shelf, record, there === null ? null : { ...there, snapshot: base?.snapshot ?? "" }, trees);
    });
  } finally {
    await thread.close();
  }
}

/** tidy removes what no kept snapshot needs at once, whatever share of a pack it is: it may have been withdrawn.
 *  @param searched records whose snapshots the index keeps */
async function tidy(shelf: DirectoryShelf, records: readonly SnapshotRecord[], searched: readonly SnapshotRecord[]): Promise<void> {
  const idsOf = (all: readonly SnapshotRecord[]): readonly Sha256[] => all.map(({ snapshot }) => snapshot);
  const needed = (await reachable(shelf, idsOf(records))).difference(new Set(await shelf.redactions.list()));
  const index = await openIndex(shelf.indexUri);
  await index.prune(idsOf(searched)).finally(() => index.close());
  await shelf.blobs.sweep({ isNeeded: (digest) => needed.has(digest), mustGo: (digest) => !needed.has(digest) });
}

/** Writes a configuration, so that `serve` knows where it lies; whoever edits it keeps what he wrote. */
async function writeConfig({ dir, shelf }: Following, record: SnapshotRecord): Promise<void> {
  const file = join(dir, "proofshelf.yaml");
  if (existsSync(file)) return;
  const { title, base_url, collections } = await (await openSnapshot(shelf, record, createTreeCache())).library();
  const text = stringify({
    title,
    baseUrl: base_url,
    store: { kind: "directory", root: "./nothing-to-build" },
    shelf: { kind: "directory", root: "." },
    collections: collections.map(({ id, prefix, title: name, visibility }) => ({ id, prefix, title: name, visibility })),
    embeddings: { kind: "none" },
  });
  await writeFile(file, `# A copy of somebody else's library, for: proofshelf serve --only site --config proofshelf.yaml\n${text}`);
}

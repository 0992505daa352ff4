/** A copy of somebody else's public shelf, over HTTP. Every byte is checked before it is kept: records and withdrawals against the log,
 *  whose root is made again from its entries, blobs against the digests that lead to them from there, lists of changes against
 *  the snapshots that they lie between (those between snapshots that are gone are taken as they are). The copy moves on as a shelf does when
 *  it publishes: whatever ends a run, what was served before is served, and the next run asks only for what is missing. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { canonicalJson, type Sha256, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { type BlobEntry, type TreeEntry, isWithdrawalError, parseTree, type Tree } from "#snapshots/format";
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
  changesSchema,
  checkpointPath,
  checkWritable,
  clearTemporary,
  createTreeCache,
  diffSnapshots,
  type DirectoryShelf,
  keyOf,
  KEYS_PATH,
  OPEN,
  openByteBudget,
  openDirectoryShelf,
  openSnapshot,
  reachable,
  readCheckpoint,
  readLogKeys,
  type Snapshot,
  type SnapshotRecord,
  streamBlob,
  withdrawnSchema,
} from "#snapshots/shelf";
import type { CheckedHead, SeenHead } from "./log-head.ts";
import { openIndexThread, planDocuments } from "#generator/index";
import { concurrently, type Progress, withBuildLock } from "#generator/files";
import { COPY_MARKER } from "#generator/shelves";
import { parseEntry, readHead, readJson, readList, readRedactions, tilesOf } from "./head.ts";
import { AT_ONCE, Missing, type Origin, refusal, refusing } from "./origin.ts";

const markerSchema = z.strictObject({ origin: z.string(), url: z.string() });
/** Bytes that a run that is cut short loses at most, of what it has read. */
const SEAL_EVERY = 16 * 1024 * 1024;
/** Limits of what the origin may make this process hold, whatever it says. Bytes: a list of changes that nothing is left to compare with, and all
 *  of those together; a tree, of which a parser makes some ten times as much; a blob in memory, longer ones go to the disk as they come; the
 *  entries of the log; a file that is read for the search index. */
const MAX_CHANGES = 8 * 1024 * 1024;
const MAX_ALL_CHANGES = 32 * 1024 * 1024;
const MAX_TREE = 8 * 1024 * 1024;
const MAX_HELD = 1024 * 1024;
const MAX_LOG = 64 * 1024 * 1024;
const MAX_PARSED = 16 * 1024 * 1024;
/** Snapshots that are kept, folders of all of them that are followed, and how deep. */
const MAX_KEPT = 50_000;
const MAX_TREES = 1_000_000;
const MAX_DEPTH = 1200;
/** Publications of the origin that one run follows: each may take away what was just asked for. */
const LOOKS = 5;

export type MirrorOptions = {
  readonly dir: string;
  /** The key that must sign the log, when the user knows it. */
  readonly key: NoteKey | null;
  readonly progress: Progress;
};

/** roomFor gives what one run may fetch when nobody says so: what is free where the copy lies, but for a tenth. Bytes. */
export async function roomFor(dir: string): Promise<number> {
  await mkdir(dir, { recursive: true });
  const { bavail, bsize } = await statfs(dir);
  return Math.floor(bavail * bsize * 0.9);
}

export type Mirrored = {
  readonly snapshot: Sha256;
  readonly sequence: number;
  readonly signed_by: string | null;
  /** Kept snapshots of the copy. */
  readonly snapshots: number;
  /** Blobs that were fetched. */
  readonly blobs: number;
  /** Blobs of earlier snapshots that a notice stands for. */
  readonly redacted: number;
  readonly bytes: number;
  readonly requests: number;
  /** Lists of changes that nothing kept could be held against. */
  readonly unchecked_changes: number;
  /** True when the copy serves another snapshot now. */
  readonly moved: boolean;
};

/** mirror copies a library from its server. @throws ShelfError "origin_refused" for what is a lie, "origin_unreachable", "build_running",
 *  "bad_config" for a folder of somebody's own */
export async function mirror(origin: Origin, options: MirrorOptions): Promise<Mirrored> {
  const { dir } = options;
  const [publicDir, internalDir] = [join(dir, "public"), join(dir, "internal")];
  const marker = await readMarker(dir);
  await checkWritable(publicDir, OPEN);
  return withBuildLock(
    join(internalDir, "build"),
    async () => {
      await clearTemporary(publicDir);
      const shelf = openDirectoryShelf(publicDir, null, "building");
      const seen = await readSeen(shelf, marker);
      for (let look = 1; ; look++) {
        const head = await readHead(origin, options.key, seen);
        await writeFile(join(dir, COPY_MARKER), canonicalJson({ origin: head.origin, url: origin.url }));
        try {
          return await follow({ origin, shelf, head, seen, ...options });
        } catch (error) {
          const missed = error instanceof ShelfError && error.cause instanceof Missing;
          // Published or pruned meanwhile: what is missing is not needed any more.
          if (!missed || look === LOOKS || (await readHead(origin, options.key, seen)).text === head.text) throw error;
        }
      }
    },
    { work: "mirror" },
  );
}

/** Null for a folder that is new. @throws ShelfError "bad_config" */
async function readMarker(dir: string): Promise<z.infer<typeof markerSchema> | null> {
  await mkdir(dir, { recursive: true });
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
  readonly seen: SeenHead | null;
};

async function follow(following: Following): Promise<Mirrored> {
  const { origin, shelf, head, seen, progress } = following;
  const { url, told } = origin;
  progress.step("log");
  const before = await shelf.readPointer();
  const entryOf = await readLog(following);
  const recordOf = (sequence: number): SnapshotRecord => parseEntry(url, entryOf(sequence), sequence);
  const record = recordOf(head.size);
  const { kept, withdrawn } = await readLists(origin, head.size, recordOf);
  if (!kept.includes(head.size)) throw refusal(url, `it does not keep snapshot ${head.size}, which its checkpoint ends with`);
  const records = kept.map(recordOf);

  const fetched = await fetchBlobs(following, records, record);
  const known = await shelf.redactions.list();
  const { notices } = fetched;
  // A blob that is there counts: what the copy serves is served until it moves on.
  for (const [digest, notice] of notices) await shelf.redactions.put(digest, notice);
  const redacted = known.length !== notices.size || known.some((digest) => !notices.has(digest));
  progress.step("lists of changes");
  const { changes, unchecked } = await readChanges(following, records, withdrawn);
  const { files, read } = await growLog(shelf, seen?.size ?? 0, kept, entryOf);
  const heads = await readHeads(following, kept, read);
  await shelf.flush();
  progress.step("index");
  await updateIndex(following, before, record, redacted);

  progress.step("publish");
  const restore = async (one: SnapshotRecord): Promise<void> => {
    if ((await shelf.readRecord(one.sequence).catch(() => null)) === null) await shelf.restoreRecord(one);
  };
  for (const [sequence, text] of changes) await shelf.putChanges(sequence, text);
  for (const [size, text] of heads) {
    await shelf.log.put(size, (there) => {
      if (there !== null && Buffer.from(text).equals(there)) return null;
      if (size !== head.size) return { files: [], checkpoint: text };
      return { files: [...files, { path: KEYS_PATH, bytes: Buffer.from(canonicalJson(head.keys)) }], checkpoint: text };
    });
  }
  await restore(record);
  await shelf.swapPointer(record, before);
  // Behind the pointer: a server takes records beyond it for an older one that was put back.
  for (const one of records) await restore(one);
  const gone = (await shelf.records.index()).records.filter(({ sequence }) => !kept.includes(sequence));
  await shelf.withdraw(withdrawn);
  for (const { sequence } of gone) await shelf.deleteRecord(sequence);
  await shelf.records.keep(record.sequence);
  for (const digest of known) if (!notices.has(digest)) await shelf.redactions.drop(digest);
  await tidy(shelf, records, redacted ? [record] : records);
  await writeConfig(following, record);
  progress.end();
  return {
    snapshot: record.snapshot,
    sequence: record.sequence,
    signed_by: head.signer?.text ?? null,
    snapshots: records.length,
    blobs: fetched.blobs,
    redacted: notices.size,
    bytes: told.bytes,
    requests: told.requests,
    unchecked_changes: unchecked,
    moved: before?.snapshot !== record.snapshot || seen === null,
  };
}

/** The entries of the log up to its head, of which the root is made again from what the copy has and what is new. */
async function readLog({ origin, shelf, head, seen }: Following): Promise<(sequence: number) => Buffer> {
  const { url } = origin;
  const { size } = head;
  const known = seen?.size ?? 0;
  const { read } = shelf.log;
  const bundles = new Map<number, readonly Buffer[]>();
  let bytes = 0;
  for (let index = 0; index * TILE_WIDTH < known; index++) bundles.set(index, await readEntries(index, known, read));
  for (let index = Math.floor(known / TILE_WIDTH); index * TILE_WIDTH < size && known < size; index++) {
    const found = await refusing(url, () => readEntries(index, size, tilesOf(origin)));
    const forked = (bundles.get(index) ?? []).findIndex((entry, at) => found[at]?.equals(entry) !== true);
    if (forked >= 0) throw refusal(url, `it serves a fork: entry ${index * TILE_WIDTH + forked + 1} of its log is another than was copied`);
    bundles.set(index, found);
    bytes += found.reduce((sum, entry) => sum + entry.length, 0);
    if (bytes > MAX_LOG) throw refusal(url, `the entries of its log take more than ${MAX_LOG} bytes`);
  }
  const entryOf = (sequence: number): Buffer =>
    bundles.get(Math.floor((sequence - 1) / TILE_WIDTH))?.[(sequence - 1) % TILE_WIDTH] ?? Buffer.alloc(0);
  const { root } = await growLog(shelf, known, [size], entryOf);
  if (!root.equals(head.root))
    throw refusal(url, `its checkpoint is not over the ${size} entries that it serves: a fork, or they were exchanged`);
  return entryOf;
}

/** The files by which a log of `known` entries becomes longer, step by step, so that each step has its own; nothing is written.
 *  @param sizes ascending; the last one's root is returned */
async function growLog(shelf: DirectoryShelf, known: number, sizes: readonly number[], entryOf: (sequence: number) => Buffer) {
  const written = new Map<string, Buffer>();
  const read = async (path: string) => written.get(path) ?? shelf.log.read(path);
  let from = known;
  for (const size of sizes.filter((one) => one > known)) {
    const added = Array.from({ length: size - from }, (_, at) => entryOf(from + at + 1));
    for (const { path, bytes } of await appendEntries(from, added, read)) written.set(path, bytes);
    from = size;
  }
  const files: readonly TileFile[] = [...written].map(([path, bytes]) => ({ path, bytes }));
  return { root: await treeRoot(from, tileNodes(from, read)), files, read };
}

/** The snapshots that are kept, and those that were taken out of service. Nothing signs that, but none can be made up. */
async function readLists(origin: Origin, size: number, recordOf: (sequence: number) => SnapshotRecord) {
  const most = Math.min(size, MAX_KEPT) * (String(size).length + 1) + 2;
  const kept = await readList(origin, "/shelf/snapshots.json", z.int().positive().max(size), most);
  if (kept === null) throw refusal(origin.url, "/shelf/snapshots.json is missing");
  if (kept.some((sequence, at) => at > 0 && sequence <= (kept[at - 1] ?? 0)))
    throw refusal(origin.url, "/shelf/snapshots.json is not ascending");
  const withdrawn = (await readList(origin, "/shelf/withdrawn.json", withdrawnSchema.element)) ?? [];
  for (const one of withdrawn) {
    if (one.sequence > size || canonicalJson(recordOf(one.sequence)) !== canonicalJson(one))
      throw refusal(origin.url, `/shelf/withdrawn.json names a snapshot ${one.sequence} that its log does not have`);
    if (kept.includes(one.sequence)) throw refusal(origin.url, `it keeps snapshot ${one.sequence}, and says that it is withdrawn`);
  }
  return { kept, withdrawn };
}

/** Everything that the records reach and the copy lacks, but for what was redacted. @returns how many blobs and trees, and the notices */
async function fetchBlobs(
  { origin, shelf, head, progress }: Following,
  records: readonly SnapshotRecord[],
  served: SnapshotRecord,
): Promise<{ readonly blobs: number; readonly notices: ReadonlyMap<Sha256, string> }> {
  const own = (await shelf.records.index()).records.map(({ snapshot }) => snapshot);
  const published = await reachable(shelf, own).catch(() => new Set<Sha256>());
  const fetching = new Fetching(origin, shelf);
  type Child = { readonly digest: Sha256; readonly size: number | null; readonly depth: number };
  const trees = new Set<Sha256>();
  const found: Sha256[] = [];
  let open: Child[] = [];
  const follow = (child: Child): void => {
    if (trees.has(child.digest) || published.has(child.digest)) return;
    trees.add(child.digest);
    if (trees.size > MAX_TREES) throw refusal(origin.url, `its snapshots have more than ${MAX_TREES} folders`);
    if (child.depth > MAX_DEPTH) throw refusal(origin.url, "its folders lie too deep in each other");
    open.push(child);
  };
  let blobs = 0;
  for (const { snapshot } of records) follow({ digest: snapshot, size: null, depth: 0 });
  while (open.length > 0) {
    const level = open;
    open = [];
    await concurrently(level, AT_ONCE, async ({ digest, size, depth }) => {
      await fetching.tree(digest, size, (entry) => {
        if (entry.kind === "tree") follow({ digest: entry.sha256, size: entry.size, depth: depth + 1 });
        else blobs++;
      });
      found.push(digest);
    });
  }
  await shelf.seal();
  const notices = await readRedactions(origin, head, (digests) => findReached(shelf, served.snapshot, digests));
  let done = 0;
  for (const digest of found) {
    const wanted: BlobEntry[] = [];
    await fetching.tree(digest, null, (entry) => {
      if (entry.kind === "blob" && !published.has(entry.sha256) && !notices.has(entry.sha256)) wanted.push(entry);
    });
    await concurrently(new Map(wanted.map(({ sha256: name, size }) => [name, size])), AT_ONCE, async ([name, size]) => {
      await fetching.blob(name, size);
      progress.step("files", ++done, blobs);
    });
  }
  return { blobs: fetching.fetched, notices };
}

/** One run's fetching of what the copy lacks. */
class Fetching {
  fetched = 0;
  readonly #origin: Origin;
  readonly #shelf: DirectoryShelf;
  readonly #room = openByteBudget(MAX_TREE);
  #unsealed = 0;

  constructor(origin: Origin, shelf: DirectoryShelf) {
    this.#origin = origin;
    this.#shelf = shelf;
  }

  /** Reads a tree, which is fetched when it is not there; large ones one after another.
   *  @param size null for a root, and for one that is there
   *  @throws ShelfError "origin_refused" */
  async tree(digest: Sha256, size: number | null, each: (entry: TreeEntry) => void): Promise<void> {
    const { url } = this.#origin;
    if (size !== null && size > MAX_TREE) throw refusal(url, `tree ${digest} is longer than the ${MAX_TREE} bytes that a folder may take`);
    const bytes = size ?? MAX_HELD;
    await this.#room.take(bytes);
    try {
      const found = await this.#obtain(digest, size);
      if (size !== null && found.length !== size) throw refusal(url, `tree ${digest} is not as long as is said of it`);
      for (const entry of await refusing(url, () => parseTree(found))) each(entry);
    } finally {
      this.#room.give(bytes);
    }
  }

  /** Brings a blob. @throws ShelfError "origin_refused" */
  async blob(digest: Sha256, size: number): Promise<void> {
    const { url } = this.#origin;
    if (size <= MAX_HELD) {
      const { length } = await this.#obtain(digest, size);
      if (length !== size) throw refusal(url, `blob ${digest} is not as long as is said of it`);
      return;
    }
    const there = await this.#shelf.openBlob(digest);
    const known = there?.size ?? null;
    await there?.close();
    if (known === size && (await isWhole(this.#shelf, digest, size))) return;
    await this.#origin.save(digest, size, (chunks) => this.#shelf.putStream(digest, chunks));
    this.fetched++;
  }

  async #obtain(digest: Sha256, size: number | null): Promise<Uint8Array> {
    // It may be there from a run that was cut short.
    const there = await this.#shelf.getBlob(digest);
    if (there !== null && sha256(there) === digest) return there;
    const bytes = await this.#origin.blob(digest, size);
    await this.#shelf.putBlob(digest, bytes);
    this.fetched++;
    this.#unsealed += bytes.length;
    if (this.#unsealed >= SEAL_EVERY) {
      this.#unsealed = 0;
      await this.#shelf.seal();
    }
    return bytes;
  }
}

/** isWhole tells whether a long blob that is there has its digest. */
async function isWhole(shelf: DirectoryShelf, digest: Sha256, size: number): Promise<boolean> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of streamBlob(shelf, digest, 0, size)) hash.update(chunk);
  } catch (error) {
    if (error instanceof ShelfError && error.code === "snapshot_damaged") return false;
    throw error;
  }
  return hash.digest("hex") === digest;
}

/** One of these digests that a snapshot reaches, or null. */
async function findReached(shelf: DirectoryShelf, snapshot: Sha256, digests: ReadonlySet<Sha256>): Promise<Sha256 | null> {
  const trees = new Set([snapshot]);
  for (const tree of trees) {
    if (digests.has(tree)) return tree;
    const bytes = await shelf.getBlob(tree);
    for (const entry of bytes === null ? [] : parseTree(bytes)) {
      if (entry.kind === "tree") trees.add(entry.sha256);
      else if (digests.has(entry.sha256)) return entry.sha256;
    }
  }
  return null;
}

/** Lists of changes that the copy lacks; all of them where something was withdrawn, which rewrites them. */
async function readChanges({ origin, shelf }: Following, records: readonly SnapshotRecord[], withdrawn: readonly SnapshotRecord[]) {
  const { url } = origin;
  const last = records.at(-1)?.sequence ?? 0;
  const first = records[0]?.sequence ?? last;
  const anew = withdrawn.length !== (await shelf.records.index()).withdrawn.length;
  const bySnapshot = new Map(records.map((one) => [one.snapshot, one]));
  const bySequence = new Map(records.map((one) => [one.sequence, one]));
  const cache = createTreeCache();
  const open = (record: SnapshotRecord) => openSnapshot(shelf, record, cache);
  const changes = new Map<number, z.infer<typeof changesSchema>>();
  let [unchecked, bytes] = [0, 0];
  const lists = openByteBudget(MAX_CHANGES);
  /** As it is: nothing that is left says what it should be. */
  const take = async (sequence: number): Promise<void> => {
    await lists.take(MAX_CHANGES);
    try {
      const found = await readJson(origin, `/shelf/changes/${sequence}.json`, changesSchema, MAX_CHANGES);
      if (found === null) return;
      bytes += canonicalJson(found).length;
      if (bytes > MAX_ALL_CHANGES) throw refusal(url, `its lists of changes take more than ${MAX_ALL_CHANGES} bytes`);
      unchecked++;
      changes.set(sequence, found);
    } finally {
      lists.give(MAX_CHANGES);
    }
  };
  const wanted = [...withdrawn.map(({ sequence }) => sequence), ...Array.from({ length: last - first + 1 }, (_, at) => first + at)];
  await shelf.seal();
  await concurrently([...new Set(wanted)], AT_ONCE, async (sequence) => {
    if (!anew && (await shelf.readChanges(sequence).catch(() => null)) !== null) return;
    const record = bySequence.get(sequence);
    const previous = record?.previous === null ? null : bySnapshot.get(record?.previous ?? "");
    if (record === undefined || previous === undefined) return take(sequence);
    const own = await refusing(url, async () =>
      diffSnapshots(previous === null ? null : await open(previous), await open(record)).catch(ignoreRedacted),
    );
    if (own === null) return take(sequence);
    const text = Buffer.from(canonicalJson(own));
    const found = await origin.get(`/shelf/changes/${sequence}.json`, Math.max(MAX_HELD, text.length));
    if (found !== null && !text.equals(found)) throw refusal(url, `/shelf/changes/${sequence}.json is not what that publication changed`);
    changes.set(sequence, own);
  });
  return { changes, unchecked };
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
        throw refusal(origin.url, `its checkpoint of ${size} entries is not the beginning of its log`);
      const signer = keyOf(head.keys, size);
      const signed = verifiedBy(
        one.note,
        head.keys.flatMap(({ key }) => (key === null ? [] : [parseKey(key)])),
      );
      if (signer === null ? signed.length > 0 : !signed.some(({ text }) => text === signer.text))
        throw refusal(origin.url, `its checkpoint of ${size} entries is not signed as its keys.json says`);
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
  const [done, problem] = [await index.findProblem(record.snapshot), before === null ? "" : await index.findProblem(before.snapshot)];
  index.close();
  if (done === null && !anew) return;
  const plan = await refusing(origin.url, async () => {
    const old = anew || before === null || problem !== null ? null : await documentsOf(shelf, before);
    const { data, digest } = await documentsOf(shelf, record);
    const { documents } = old === null ? { documents: null } : planDocuments(old.data, old.digest, null, null);
    return planDocuments(data, digest, documents === null ? null : { snapshot: before?.snapshot ?? "", documents }, null);
  });
  const thread = openIndexThread({ public: join(dir, "public"), internal: join(dir, "internal") });
  try {
    const { upsert, remove, base } = plan;
    await thread.update("public", { upsert, remove, base, tag: Promise.resolve(record.snapshot), onRead: () => undefined });
  } finally {
    await thread.close();
  }
}

/** @throws ShelfError "snapshot_damaged" for a file that is too long to be read whole */
async function documentsOf(shelf: DirectoryShelf, record: SnapshotRecord) {
  const snapshot = await openSnapshot(shelf, record, createTreeCache());
  await refuseLong(snapshot, await snapshot.tree(snapshot.id), "");
  const data = await snapshot.data();
  const digests = new Map<string, Sha256>();
  for (const { key } of data.objects) {
    const entry = await snapshot.find(`extracts/${key}`);
    if (entry?.kind !== "blob") throw new ShelfError("snapshot_damaged", `extracts/${key} is missing from the snapshot.`);
    digests.set(key, entry.sha256);
  }
  return { data, digest: (key: string): Sha256 => digests.get(key) ?? "" };
}

/** Folders whose files are parsed. */
const PARSED = /^(api|parts|extracts)\//;

async function refuseLong(snapshot: Snapshot, tree: Tree, folder: string): Promise<void> {
  for (const entry of tree) {
    const path = `${folder}${entry.name}`;
    if (entry.kind === "tree" && PARSED.test(`${path}/`)) await refuseLong(snapshot, await snapshot.tree(entry.sha256), `${path}/`);
    else if (entry.kind === "blob" && PARSED.test(path) && entry.size > MAX_PARSED)
      throw new ShelfError("snapshot_damaged", `${path} has ${entry.size} bytes, and may have ${MAX_PARSED}.`);
  }
}

/** tidy removes what no kept snapshot needs at once, whatever share of a pack it is: it may have been withdrawn.
 *  @param searched records whose snapshots the index keeps */
async function tidy(shelf: DirectoryShelf, records: readonly SnapshotRecord[], searched: readonly SnapshotRecord[]): Promise<void> {
  const idsOf = (all: readonly SnapshotRecord[]): readonly Sha256[] => all.map(({ snapshot }) => snapshot);
  const needed = (await reachable(shelf, idsOf(records))).difference(new Set(await shelf.redactions.list()));
  const index = await openIndex(shelf.indexUri);
  await index.prune(idsOf(searched)).finally(() => index.close());
  await shelf.sweep({ isNeeded: (digest) => needed.has(digest), mustGo: (digest) => !needed.has(digest) });
}

/** So that `serve` knows where it lies; whoever edits it keeps what he wrote. */
async function writeConfig({ dir, shelf }: Following, record: SnapshotRecord): Promise<void> {
  const file = join(dir, "proofshelf.yaml");
  if (existsSync(file)) return;
  const { title, base_url, collections } = await (await openSnapshot(shelf, record, createTreeCache())).library();
  const listed = collections.map(({ id, prefix, title: name, visibility }) => JSON.stringify({ id, prefix, title: name, visibility }));
  await writeFile(
    file,
    `# A copy of somebody else's library, for: proofshelf serve --only site --config proofshelf.yaml
title: ${JSON.stringify(title)}
baseUrl: ${JSON.stringify(base_url)}
store: { kind: directory, root: ./nothing-to-build }
shelf: { kind: directory, root: . }
collections:
${listed.map((line) => `  - ${line}\n`).join("")}embeddings: { kind: none }
`,
  );
}

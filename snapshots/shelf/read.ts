/** An open snapshot: files by path, checked against their digests as they are read. */
import { LRUCache } from "lru-cache";
import { type Sha256, sha256, sha256Aside } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import type { CatalogObject, ClaimsRegistry, CubCode, CubRecord, Extract, ObjectKind, RegistryMeta } from "#snapshots/schema";
import { type CheckedBody, PART_BYTES, readChecked, WrongBytes } from "./checked-read.ts";
import { redactionError } from "./redactions.ts";
import type { Shelf, SnapshotRecord } from "./shelf.ts";
import {
  type BlobEntry,
  compareNames,
  type TreeEntry,
  type Library,
  type ObjectRow,
  parseTree,
  partsPath,
  type Tree,
  type ViewData,
} from "#snapshots/format";

const MAX_CACHED_TREES = 20_000;
/** Each is forgotten before when no open snapshot has it. */
const MAX_KNOWN_FILES = 20_000;
/** Bytes of parts of lists, which most snapshots have in common. */
const MAX_LISTED_BYTES = 4 * 1024 * 1024;

export type Snapshot = {
  readonly id: Sha256;
  readonly record: SnapshotRecord;
  readonly shelf: Shelf;
  /** The entry at a path of the tree, e.g. "api/catalog.json", or null. */
  find(path: string): Promise<TreeEntry | null>;
  /** Bytes of a file's blob. @throws ShelfError "snapshot_damaged" when missing or not what the digest says */
  read(entry: BlobEntry): Promise<Uint8Array>;
  /** The same of a part of a list, kept for the other snapshots that have it. @throws ShelfError "snapshot_damaged" as `read` does */
  readListed(entry: BlobEntry): Promise<Uint8Array>;
  /** Bytes [start, end] of a file's blob, a part at a time unless it is short. A blob that changes under way ends the body with an error.
   *  @throws ShelfError "snapshot_damaged" as `read` does */
  readPart(entry: BlobEntry, start: number, end: number): Promise<Uint8Array | CheckedBody>;
  /** Whole files that are no longer than a part, in the order given. @throws ShelfError "snapshot_damaged" as `read` does */
  readMany(entries: readonly BlobEntry[]): Promise<readonly Uint8Array[]>;
  tree(digest: Sha256): Promise<Tree>;
  /** Files right in a folder of the tree, by name; none where there is no such folder. */
  files(folder: string): Promise<readonly BlobEntry[]>;
  /** The words of the configuration about this view; read once. */
  library(): Promise<Library>;
  /** Everything that the view's pages and queries follow from; read once. */
  data(): Promise<ViewData>;
  extract(key: string): Promise<Extract | null>;
  /** Another snapshot of the same shelf, which shares what this one has parsed; this one for its own record.
   *  @throws ShelfError "snapshot_damaged" as opening does */
  another(record: SnapshotRecord): Promise<Snapshot>;
};

/** A TreeCache holds parsed trees, files and parts of lists, shared by all open snapshots: two that follow each other have nearly all of them in
 *  common. */
export type TreeCache = {
  readonly trees: LRUCache<Sha256, Tree>;
  /** Trees that are being read: whoever asks meanwhile waits for the same reading. A failure is not remembered. */
  readonly reading: Map<Sha256, Promise<Tree>>;
  /** By digest; the data of a view by the digests of the two folders that they follow from. */
  readonly parsed: LRUCache<string, WeakRef<object>>;
  readonly listed: LRUCache<Sha256, Uint8Array>;
};

export function createTreeCache(): TreeCache {
  // A size and no `max`, for which the library lays out all slots at once: a megabyte and a half that most of these never fill.
  const sizeCalculation = (): number => 1;
  return {
    trees: new LRUCache({ maxSize: MAX_CACHED_TREES, sizeCalculation }),
    reading: new Map(),
    parsed: new LRUCache({ maxSize: MAX_KNOWN_FILES, sizeCalculation }),
    listed: new LRUCache({ maxSize: MAX_LISTED_BYTES, sizeCalculation: ({ length }) => Math.max(1, length) }),
  };
}

async function missingBlob(shelf: Shelf, digest: Sha256): Promise<ShelfError> {
  return (await redactionError(shelf, digest)) ?? new ShelfError("snapshot_damaged", `Blob ${digest} is missing.`);
}

/** readBlob reads the bytes of a blob that is there and whole. @throws ShelfError "snapshot_damaged", or "withdrawn" and "withdrawn_legal" for
 *  what was redacted */
export async function readBlob(shelf: Shelf, digest: Sha256): Promise<Uint8Array> {
  const bytes = await shelf.getBlob(digest);
  if (bytes === null) throw await missingBlob(shelf, digest);
  if ((await sha256Aside(bytes)) === digest) return bytes;
  throw spoiledBlob(digest);
}

async function readListed(shelf: Shelf, digest: Sha256, listed: TreeCache["listed"]): Promise<Uint8Array> {
  const known = listed.get(digest);
  if (known !== undefined) return known;
  const bytes = await readBlob(shelf, digest);
  listed.set(digest, bytes);
  return bytes;
}

/** streamBlob reads a byte range of a blob, `end` inclusive, unchecked: for whoever looks for damage. Nothing when it is not here. */
export async function* streamBlob(shelf: Shelf, digest: Sha256, start: number, end: number): AsyncGenerator<Uint8Array> {
  const file = await shelf.openBlob(digest);
  if (file === null) return;
  try {
    const last = Math.min(end, file.size);
    for (let at = start; at <= last; at += PART_BYTES) yield await file.read(at, Math.min(PART_BYTES, end - at + 1));
  } finally {
    await file.close();
  }
}

function spoiledBlob(digest: Sha256, cause?: unknown): ShelfError {
  return new ShelfError("snapshot_damaged", `Blob ${digest} does not match its digest.`, { cause });
}

/** openSnapshot opens the snapshot that a record names. Reads nothing but the root tree.
 *  @throws ShelfError "snapshot_damaged" when the root is missing or wrong */
export async function openSnapshot(shelf: Shelf, record: SnapshotRecord, cache: TreeCache): Promise<Snapshot> {
  const tree = async (digest: Sha256): Promise<Tree> => {
    const cached = cache.trees.get(digest);
    if (cached !== undefined) return cached;
    let reading = cache.reading.get(digest);
    if (reading === undefined) {
      reading = readBlob(shelf, digest).then(parseTree);
      cache.reading.set(digest, reading);
      reading
        .then(
          (parsed) => cache.trees.set(digest, parsed),
          () => undefined,
        )
        .finally(() => cache.reading.delete(digest));
    }
    return reading;
  };
  const find = async (path: string): Promise<TreeEntry | null> => {
    let digest = record.snapshot;
    let found: TreeEntry | null = null;
    for (const name of path.split("/")) {
      if (found !== null) {
        if (found.kind !== "tree") return null;
        digest = found.sha256;
      }
      found = findName(await tree(digest), name);
      if (found === null) return null;
    }
    return found;
  };
  const files = async (folder: string): Promise<readonly BlobEntry[]> => {
    const entry = await find(folder);
    return entry?.kind === "tree" ? (await tree(entry.sha256)).filter((child) => child.kind === "blob") : [];
  };
  const need = async (path: string): Promise<Sha256> => {
    const entry = await find(path);
    if (entry?.kind !== "blob") throw new ShelfError("snapshot_damaged", `${path} is missing from the snapshot.`);
    return entry.sha256;
  };
  /** As long as this snapshot is open, what it has parsed is known to the others. */
  const held: object[] = [];
  const parse = async <T extends object>(digest: Sha256, take: (stored: never) => T): Promise<T> => {
    let parsed = cache.parsed.get(digest)?.deref();
    if (parsed === undefined) {
      parsed = take(JSON.parse(new TextDecoder().decode(await readBlob(shelf, digest))) as never);
      cache.parsed.set(digest, new WeakRef(parsed));
    }
    held.push(parsed);
    return parsed as T;
  };
  const json = async <T extends object>(path: string): Promise<T> => parse(await need(path), (stored: T) => stored);
  const list = async <T>(folder: string, take: (stored: never) => T): Promise<T[]> => {
    const items: T[] = [];
    for (const { sha256: digest } of await files(folder))
      for (const item of await parse(digest, (stored: never[]) => stored.map(take))) items.push(item);
    return items;
  };
  await tree(record.snapshot);
  let library: Promise<Library> | null = null;
  let data: Promise<ViewData> | null = null;
  const snapshot: Snapshot = {
    id: record.snapshot,
    record,
    shelf,
    find,
    tree,
    files,
    read: (entry) => readBlob(shelf, entry.sha256),
    readListed: ({ sha256: digest }) => readListed(shelf, digest, cache.listed),
    async readPart({ sha256: digest }, start, end) {
      const file = await shelf.openBlob(digest);
      if (file === null) throw await missingBlob(shelf, digest);
      try {
        return await readChecked(file, (found) => found === digest, start, end);
      } catch (cause) {
        throw cause instanceof WrongBytes ? spoiledBlob(digest, cause) : cause;
      }
    },
    async readMany(entries) {
      const found = await shelf.readMany(entries.map(({ sha256: digest }) => digest));
      return Promise.all(
        entries.map(({ sha256: digest }) => {
          const bytes = found.get(digest);
          return bytes !== undefined && sha256(bytes) === digest ? bytes : readBlob(shelf, digest);
        }),
      );
    },
    // A failed load is not remembered: the shelf may come back.
    library: () =>
      (library ??= json<Library>("api/library.json").catch((error: unknown) => {
        library = null;
        throw error;
      })),
    data: () =>
      (data ??= sharedData({ find, json, list }, cache.parsed).catch((error: unknown) => {
        data = null;
        throw error;
      })),
    async extract(key) {
      const entry = await find(`extracts/${key}`);
      if (entry?.kind !== "blob") return null;
      return JSON.parse(new TextDecoder().decode(await readBlob(shelf, entry.sha256))) as Extract;
    },
    another: async (other) => (other.snapshot === record.snapshot ? snapshot : openSnapshot(shelf, other, cache)),
  };
  return snapshot;
}

/** Trees are sorted by name. */
function findName(tree: Tree, name: string): TreeEntry | null {
  let low = 0;
  let high = tree.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const entry = tree[middle] as TreeEntry;
    if (entry.name === name) return entry;
    if (entry.name < name) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

type Source = {
  find(path: string): Promise<TreeEntry | null>;
  json<T extends object>(path: string): Promise<T>;
  /** Items of all parts in a folder. @param take of what is stored; always the same for a folder */
  list<T>(folder: string, take: (stored: never) => T): Promise<T[]>;
};

/** Loads the data, or finds them known: snapshots that differ elsewhere have the same, since pages, extracts and assets follow from them. */
async function sharedData(source: Source, parsed: TreeCache["parsed"]): Promise<ViewData> {
  const [api, parts] = [await source.find("api"), await source.find("parts")];
  const name = `data ${api?.sha256} ${parts?.sha256}`;
  const known = parsed.get(name)?.deref() as ViewData | undefined;
  if (known !== undefined) return known;
  const loaded = await loadViewData(source);
  parsed.set(name, new WeakRef(loaded));
  return loaded;
}

/** The row of an object out of its entry in the catalog. */
function toRow({ etag: _, href: __, ...row }: CatalogObject): ObjectRow {
  return { ...row, kind: row.kind as ObjectKind, summary: row.summary ?? "", sha256: row.sha256 ?? "" };
}

/** The files are ours and digest-checked, so their shape is trusted; schemas stand at the generator's door. */
async function loadViewData({ find, json, list }: Source): Promise<ViewData> {
  const library = await json<Library>("api/library.json");
  const claims = await json<ClaimsRegistry>("api/claims.json");
  const rejected = await json<Pick<ViewData, "rejected" | "withheld" | "withdrawn">>("api/rejected.json");
  const objects: ObjectRow[] = [];
  for (const { id } of library.collections) for (const row of await list(partsPath.objects(id), toRow)) objects.push(row);
  objects.sort((a, b) => compareNames(a.key, b.key));
  const cubs = await list(partsPath.records, (record: CubRecord) => record);
  const code = await list(partsPath.code, (index: CubCode) => index);
  const meta = (await find("api/cubs/meta.json")) === null ? null : await json<RegistryMeta>("api/cubs/meta.json");
  return { library, objects, claims, cubs, meta, code: new Map(code.map((index) => [index.id, index])), ...rejected };
}

/** An open snapshot: files by path, checked against their digests as they are read. */
import { LRUCache } from "lru-cache";
import { type Sha256, sha256Aside } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import type { ClaimsRegistry } from "../schema/claims.ts";
import type { CubCode, CubRecord, RegistryMeta } from "../schema/cubs.ts";
import type { Extract } from "../schema/extract.ts";
import type { Rejection } from "../schema/resources.ts";
import { parseCatalogRows } from "./catalog-rows.ts";
import type { Shelf, SnapshotRecord } from "./shelf.ts";
import { type BlobEntry, type Entry, parseTree, type Tree } from "../format/tree.ts";
import type { Library, ViewData } from "../format/view-data.ts";

/** Parsed trees, shared by all open snapshots. */
const MAX_CACHED_TREES = 20_000;

export type Snapshot = {
  readonly id: Sha256;
  readonly record: SnapshotRecord;
  readonly shelf: Shelf;
  /** The entry at a path of the tree, e.g. "api/catalog.json", or null. */
  find(path: string): Promise<Entry | null>;
  /** Bytes of a file's blob. @throws ShelfError "snapshot_damaged" when missing or not what the digest says */
  read(entry: BlobEntry): Promise<Uint8Array>;
  tree(digest: Sha256): Promise<Tree>;
  /** Everything under api/ as data; read once. */
  data(): Promise<ViewData>;
  extract(key: string): Promise<Extract | null>;
};

export type TreeCache = LRUCache<Sha256, Tree>;

export function createTreeCache(): TreeCache {
  return new LRUCache({ max: MAX_CACHED_TREES });
}

/** Bytes of a blob that is there and whole. @throws ShelfError "snapshot_damaged" */
export async function readBlob(shelf: Shelf, digest: Sha256): Promise<Uint8Array> {
  const bytes = await shelf.getBlob(digest);
  if (bytes === null) throw new ShelfError("snapshot_damaged", `Blob ${digest} is missing.`);
  if ((await sha256Aside(bytes)) !== digest) throw new ShelfError("snapshot_damaged", `Blob ${digest} does not match its digest.`);
  return bytes;
}

/** Opens the snapshot that a record names. Reads nothing but the root tree.
 *  @throws ShelfError "snapshot_damaged" when the root is missing or wrong */
export async function openSnapshot(shelf: Shelf, record: SnapshotRecord, trees: TreeCache): Promise<Snapshot> {
  const tree = async (digest: Sha256): Promise<Tree> => {
    const cached = trees.get(digest);
    if (cached !== undefined) return cached;
    const parsed = parseTree(await readBlob(shelf, digest));
    trees.set(digest, parsed);
    return parsed;
  };
  const find = async (path: string): Promise<Entry | null> => {
    let digest = record.snapshot;
    let found: Entry | null = null;
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
  const text = async (path: string): Promise<string> => {
    const entry = await find(path);
    if (entry?.kind !== "blob") throw new ShelfError("snapshot_damaged", `${path} is missing from the snapshot.`);
    return new TextDecoder().decode(await readBlob(shelf, entry.sha256));
  };

  await tree(record.snapshot);
  let data: Promise<ViewData> | null = null;
  return {
    id: record.snapshot,
    record,
    shelf,
    find,
    tree,
    read: (entry) => readBlob(shelf, entry.sha256),
    data: () => {
      // A failed load is not remembered: the shelf may come back.
      data ??= loadViewData(text).catch((error: unknown) => {
        data = null;
        throw error;
      });
      return data;
    },
    async extract(key) {
      const entry = await find(`extracts/${key}`);
      if (entry?.kind !== "blob") return null;
      return JSON.parse(new TextDecoder().decode(await readBlob(shelf, entry.sha256))) as Extract;
    },
  };
}

/** Trees are sorted by name. */
function findName(tree: Tree, name: string): Entry | null {
  let low = 0;
  let high = tree.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const entry = tree[middle] as Entry;
    if (entry.name === name) return entry;
    if (entry.name < name) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

/** The files are ours and digest-checked, so their shape is trusted; schemas stand at the generator's door. */
async function loadViewData(text: (path: string) => Promise<string>): Promise<ViewData> {
  const json = async (name: string): Promise<unknown> => JSON.parse(await text(`api/${name}.json`));
  const [library, claims, cubs, code, rejected] = (await Promise.all(["library", "claims", "cubs", "code", "rejected"].map(json))) as [
    Library,
    ClaimsRegistry,
    { meta: RegistryMeta | null; cubs: readonly CubRecord[] },
    readonly CubCode[],
    { rejected: readonly Rejection[]; withheld: number },
  ];
  return {
    library,
    objects: await parseCatalogRows(await text("api/catalog.json")),
    claims,
    cubs: cubs.cubs,
    meta: cubs.meta,
    code: new Map(code.map((index) => [index.id, index])),
    ...rejected,
  };
}

/** The trees and blobs of somebody else's shelf, fetched under limits: every byte is checked, and no more is held in memory than is said here. */
import { type Sha256, sha256, sha256Of } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { parseTree, type TreeEntry } from "#snapshots/format";
import { type DirectoryShelf, openByteBudget, reachable, type SnapshotRecord, streamBlob } from "#snapshots/shelf";
import { MAX_DEPTH, MAX_FOLDERS } from "#snapshots/verify";
import { concurrently, type Progress } from "#generator/files";
import { readRedactions } from "./head.ts";
import type { CheckedHead } from "./log-head.ts";
import { AT_ONCE, type Origin, refusal, refusing } from "./origin.ts";

/** Bytes that a run that is cut short loses at most, of what it has read. */
const SEAL_EVERY = 16 * 1024 * 1024;
/** A tree, of which a parser makes some ten times as much. Bytes. */
const MAX_TREE = 8 * 1024 * 1024;
/** MAX_HELD is the longest blob that is held in memory; longer ones go to the disk as they come. Bytes. */
export const MAX_HELD = 1024 * 1024;
/** A file that is parsed whole, as what the search index is made of. Bytes. */
const MAX_PARSED = 16 * 1024 * 1024;
const PARSED = /^(api|parts|extracts)\//;

export type OpenTree = { readonly digest: Sha256; readonly size: number | null; readonly path: string; readonly depth: number };

/** followTrees goes from root trees to all that lie in them, level by level.
 *  @param isDue false for a tree that is not followed
 *  @param read gives the entries of a tree to `each`
 *  @throws ShelfError "origin_refused" for more of them than a shelf has */
export async function followTrees(
  url: string,
  roots: readonly Sha256[],
  isDue: (tree: OpenTree) => boolean,
  read: (tree: OpenTree, each: (entry: TreeEntry) => void) => Promise<void>,
): Promise<void> {
  let trees = 0;
  let open: OpenTree[] = [];
  const follow = (tree: OpenTree): void => {
    if (!isDue(tree)) return;
    if (++trees > MAX_FOLDERS) throw refusal(url, `its snapshots have more than ${MAX_FOLDERS} folders`);
    if (tree.depth > MAX_DEPTH) throw refusal(url, "its folders lie too deep in each other");
    open.push(tree);
  };
  for (const digest of roots) follow({ digest, size: null, path: "", depth: 0 });
  while (open.length > 0) {
    const level = open;
    open = [];
    await concurrently(level, AT_ONCE, (tree) =>
      read(tree, (entry) => {
        if (entry.kind === "tree")
          follow({ digest: entry.sha256, size: entry.size, path: `${tree.path}${entry.name}/`, depth: tree.depth + 1 });
      }),
    );
  }
}

/** fetchBlobs brings everything that the records reach and the copy lacks, but for what was redacted.
 *  @returns how many blobs and trees it brought, and the notices of those that were redacted */
export async function fetchBlobs(
  origin: Origin,
  { shelf, head, records, progress }: FetchOptions,
): Promise<{ readonly blobs: number; readonly notices: ReadonlyMap<Sha256, string> }> {
  const { url } = origin;
  const own = (await shelf.records.index()).records.map(({ snapshot }) => snapshot);
  const published = await reachable(shelf, own).catch(() => new Set<Sha256>());
  const fetching = new Fetching(origin, shelf);
  // The same tree may lie among what is parsed, and elsewhere.
  const followed = new Set<string>();
  const trees = new Set<Sha256>();
  let blobs = 0;
  const isDue = ({ digest, path }: OpenTree): boolean => {
    const name = `${digest}${PARSED.test(path)}`;
    if (followed.has(name) || published.has(digest)) return false;
    followed.add(name);
    return true;
  };
  await followTrees(
    url,
    records.map(({ snapshot }) => snapshot),
    isDue,
    async ({ digest, size, path }, each) => {
      await fetching.tree(digest, size, (entry) => {
        if (entry.size > MAX_PARSED && entry.kind === "blob" && PARSED.test(path))
          throw refusal(url, `${path}${entry.name} has ${entry.size} bytes, and may have ${MAX_PARSED}`);
        if (entry.kind === "blob") blobs++;
        each(entry);
      });
      trees.add(digest);
    },
  );
  await shelf.blobs.seal();
  const notices = await readRedactions(origin, head, () =>
    reachable(
      shelf,
      records.slice(-1).map(({ snapshot }) => snapshot),
    ),
  );
  let done = 0;
  for (const tree of trees) {
    const wanted = new Map<Sha256, number>();
    await fetching.tree(tree, null, ({ kind, sha256: digest, size }) => {
      if (kind === "blob" && !published.has(digest) && !notices.has(digest)) wanted.set(digest, size);
    });
    await concurrently(wanted, AT_ONCE, async ([digest, size]) => {
      await fetching.blob(digest, size);
      progress.step("files", ++done, blobs);
    });
  }
  return { blobs: fetching.fetched, notices };
}

type FetchOptions = {
  readonly shelf: DirectoryShelf;
  readonly head: CheckedHead;
  /** Those of all snapshots that are kept, the one that is served last. */
  readonly records: readonly SnapshotRecord[];
  readonly progress: Progress;
};

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
      for (const entry of await refusing(url, () => parseTree(found))) each(entry);
    } finally {
      this.#room.give(bytes);
    }
  }

  /** Brings a blob. @throws ShelfError "origin_refused" */
  async blob(digest: Sha256, size: number): Promise<void> {
    if (size <= MAX_HELD) await this.#obtain(digest, size);
    else if (!(await hasWhole(this.#shelf, digest, size))) {
      await this.#origin.save(digest, size, (chunks) => this.#shelf.blobs.putStream(digest, chunks));
      this.fetched++;
    }
  }

  async #obtain(digest: Sha256, size: number | null): Promise<Uint8Array> {
    // It may be there from a run that was cut short.
    const there = await this.#shelf.getBlob(digest);
    if (there !== null && sha256(there) === digest && (size === null || there.length === size)) return there;
    const bytes = await this.#origin.blob(digest, size);
    await this.#shelf.blobs.put(digest, bytes);
    this.fetched++;
    this.#unsealed += bytes.length;
    if (this.#unsealed >= SEAL_EVERY) {
      this.#unsealed = 0;
      await this.#shelf.blobs.seal();
    }
    return bytes;
  }
}

/** hasWhole tells whether a long blob is there, as long as is said of it and with its digest. */
async function hasWhole(shelf: DirectoryShelf, digest: Sha256, size: number): Promise<boolean> {
  const there = await shelf.openBlob(digest);
  await there?.close();
  if (there?.size !== size) return false;
  const found = await sha256Of(streamBlob(shelf, digest, 0, size)).catch((error: unknown) => {
    if (error instanceof ShelfError && error.code === "snapshot_damaged") return null;
    throw error;
  });
  return found === digest;
}

/** The part of a snapshot that has to be on a machine that serves it from a cache: its trees, and the lists that everything else follows from. It
 *  is kept in packs of this machine's own, so that thousands of small files take no more room than their bytes. */
import { type Sha256, sha256 } from "#snapshots/digest";
import { parseTree } from "#snapshots/format";
import type { Shelf } from "#snapshots/shelf";

/** Read when a snapshot is opened. */
const READ_AT_ONCE = /^(?:parts\/.+|api\/[^/]+|api\/cubs\/meta\.json)$/;
/** Folders in which some of that lies. */
const LISTS = /^(?:$|parts(?:\/|$)|api(?:\/cubs)?$)/;

type Node = { readonly digest: Sha256; readonly path: string };

/** gather walks snapshots a level at a time, and sees to it that what is needed of them is on the shelf.
 *  @param bring hands over blobs that the shelf lacks
 *  @returns digests of all that is needed
 *  @throws what `bring` throws */
export async function gather(
  shelf: Pick<Shelf, "getBlob">,
  roots: Iterable<Sha256>,
  bring: (digests: ReadonlySet<Sha256>) => Promise<ReadonlyMap<Sha256, Uint8Array>>,
): Promise<Set<Sha256>> {
  const needed = new Set<Sha256>();
  /** A tree may stand in several places; only in folders of lists does its place matter. */
  const seen = new Set<string>();
  const isNew = ({ digest, path }: Node): boolean => {
    const name = LISTS.test(path) ? `${digest} ${path}` : digest;
    return !seen.has(name) && Boolean(seen.add(name));
  };
  const read = async (digests: ReadonlySet<Sha256>): Promise<ReadonlyMap<Sha256, Uint8Array>> => {
    const found = new Map<Sha256, Uint8Array>();
    for (const digest of digests) {
      needed.add(digest);
      const bytes = await shelf.getBlob(digest);
      if (bytes !== null && sha256(bytes) === digest) found.set(digest, bytes);
    }
    const missing = digests.difference(found);
    if (missing.size > 0) for (const [digest, bytes] of await bring(missing)) found.set(digest, bytes);
    return found;
  };

  const lists = new Set<Sha256>();
  let level: readonly Node[] = [...roots].map((digest) => ({ digest, path: "" })).filter(isNew);
  while (level.length > 0) {
    const trees = await read(new Set(level.map(({ digest }) => digest)));
    const next: Node[] = [];
    for (const { digest, path } of level) {
      for (const entry of parseTree(trees.get(digest) ?? new Uint8Array())) {
        const below = path === "" ? entry.name : `${path}/${entry.name}`;
        if (entry.kind === "tree") next.push({ digest: entry.sha256, path: below });
        else if (READ_AT_ONCE.test(below)) lists.add(entry.sha256);
      }
    }
    level = next.filter(isNew);
  }
  await read(lists);
  return needed;
}

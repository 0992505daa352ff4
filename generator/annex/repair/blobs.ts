/** Blobs: those that are not what their names say are set aside, and those that a snapshot misses are made again from what is left. */
import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { type Sha256, sha256, sha256Of } from "#snapshots/digest";
import type { BlobEntry } from "#snapshots/format";
import { createTreeCache, isUnreadable, openSnapshot, overriding, type Shelf, type Snapshot, type SnapshotRecord } from "#snapshots/shelf";
import type { Deriver } from "#snapshots/verify";
import type { Progress } from "#generator/files";
import type { Shelves } from "#generator/shelves";
import { readable } from "./history.ts";
import { type Mended, rootDir, setAside, VIEWS, type ViewName } from "./lost.ts";

/** setDamagedAside hashes every blob of both roots and sets the damaged ones aside. From a damaged pack, whatever is whole goes into another. */
export async function setDamagedAside(shelves: Shelves, progress: Progress): Promise<Mended[]> {
  const done: Mended[] = [];
  for (const view of VIEWS) {
    const blobs = await Array.fromAsync(shelves[view].listBlobs());
    for (const [at, { digest }] of blobs.entries()) {
      progress.step(`blobs of the ${view} view`, at + 1, blobs.length);
      const path = blobPath(digest);
      const file = join(rootDir(shelves, view), path);
      if (!existsSync(file) || (await sha256Of(createReadStream(file)).catch(withoutBytes)) === digest) continue;
      await setAside(shelves, view, path);
      done.push({ root: view, path, how: "set aside: it was not what its name says" });
    }
    progress.step(`packs of the ${view} view`);
    const packs = await shelves[view].findDamagedPacks();
    for (const name of packs) {
      const path = `packs/${name}.zip`;
      await setAside(shelves, view, path, "copy").catch((error: unknown) => {
        if (!isUnreadable(error)) throw error;
        return setAside(shelves, view, path);
      });
      done.push({ root: view, path, how: "set aside: it was not what its name says; what is whole in it is written anew" });
    }
    if (packs.length > 0) await shelves[view].sweep({ isNeeded: null, packs, leaveLoose: true });
  }
  return done;
}

/** mendSnapshots makes what snapshots miss from the other root, and from their own objects and data what follows from these. The record of a
 *  snapshot whose trees are lost is set aside, unless it is served: nothing is known of what it held. */
export async function mendSnapshots(shelves: Shelves, deriver: Deriver, progress: Progress): Promise<Mended[]> {
  const done: Mended[] = [];
  for (const view of VIEWS) {
    const shelf = shelves[view];
    const served = await readable(shelf.readPointer());
    const { records } = await shelf.records.index();
    for (const record of records) {
      progress.step(`snapshot ${record.sequence} of the ${view} view`);
      const missing = await missingFiles(shelves, view, record, done);
      if (missing === null) {
        if (record.snapshot === served?.snapshot) continue;
        const path = `snapshots/${record.sequence}.json`;
        await setAside(shelves, view, path);
        done.push({ root: view, path, how: "set aside: a tree of its snapshot is lost" });
      } else if (missing.files.size > 0) done.push(...(await derive(shelves, view, missing, deriver)));
    }
  }
  return done;
}

type Missing = { readonly snapshot: Snapshot; readonly files: ReadonlyMap<string, BlobEntry> };

/** isOf tells whether a snapshot says itself that it is of this view: what a public one names is public, wherever its bytes lie, and a record
 *  among the public ones may name an internal one. */
async function isOf(shelves: Shelves, view: ViewName, record: SnapshotRecord): Promise<boolean> {
  const getBlob = async (digest: Sha256) => (await shelves[view].getBlob(digest)) ?? shelves.internal.getBlob(digest);
  const snapshot = await readable(openSnapshot(overriding<Shelf>(shelves[view], { getBlob }), record, createTreeCache()));
  return snapshot !== null && (await readable(snapshot.library()))?.view === view;
}

/** @param own whether the snapshot is of this view. @returns whether the blob is there now */
async function takeFromInternal(shelves: Shelves, view: ViewName, digest: Sha256, own: boolean, done: Mended[]): Promise<boolean> {
  if (await shelves[view].hasBlob(digest)) return true;
  const copy = own ? await shelves.internal.getBlob(digest) : null;
  if (copy === null || sha256(copy) !== digest) return false;
  await shelves[view].putBlob(digest, copy);
  done.push({ root: view, path: blobPath(digest), how: "from the internal root" });
  return true;
}

/** @returns null when a tree is lost, and with it what it names */
async function missingFiles(shelves: Shelves, view: ViewName, record: SnapshotRecord, done: Mended[]): Promise<Missing | null> {
  const shelf = shelves[view];
  const own = await isOf(shelves, view, record);
  await takeFromInternal(shelves, view, record.snapshot, own, done);
  const snapshot = await readable(openSnapshot(shelf, record, createTreeCache()));
  if (snapshot === null) return null;
  const files = new Map<string, BlobEntry>();
  const open: { readonly digest: Sha256; readonly path: string }[] = [{ digest: snapshot.id, path: "" }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    await takeFromInternal(shelves, view, next.digest, own, done);
    const tree = await readable(snapshot.tree(next.digest));
    if (tree === null) return null;
    for (const entry of tree) {
      const path = next.path + entry.name;
      if (entry.kind === "tree") open.push({ digest: entry.sha256, path: `${path}/` });
      else if ((await shelf.redactions.read(entry.sha256)) !== null) continue;
      else if (!(await takeFromInternal(shelves, view, entry.sha256, own, done))) files.set(path, entry);
    }
  }
  return { snapshot, files };
}

async function derive(shelves: Shelves, view: ViewName, { snapshot, files }: Missing, deriver: Deriver): Promise<Mended[]> {
  const shelf = shelves[view];
  const left = new Map(files);
  const done: Mended[] = [];
  const put = async (path: string, bytes: Uint8Array): Promise<void> => {
    const entry = left.get(path);
    if (entry === undefined || sha256(bytes) !== entry.sha256) return;
    await shelf.putBlob(entry.sha256, bytes);
    left.delete(path);
    done.push({ root: view, path: blobPath(entry.sha256), how: `made again: it is ${path} of snapshot ${snapshot.id}` });
  };
  const data = await snapshot.data().catch(() => null);
  if (data === null) return done;
  try {
    for await (const { path, bytes } of deriver.files(snapshot, data)) {
      if (left.has(path))
        await Promise.try(bytes).then(
          (made) => put(path, made),
          () => undefined,
        );
      if (left.size === 0) break;
    }
  } catch {
    // A source file is lost: nothing can be derived from it.
  }
  return done;
}

function blobPath(digest: Sha256): string {
  return `blobs/${digest.slice(0, 2)}/${digest}`;
}

function withoutBytes(error: unknown): null {
  if (isUnreadable(error)) return null;
  throw error;
}

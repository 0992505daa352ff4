/** A whole shelf from a folder into a bucket, from a bucket into a folder, or from one bucket into another. What is there already is not
 *  sent again, so a copy that was interrupted goes on where it was; and a shelf that is no earlier state of the same one is left alone. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Sha256, sha256 } from "#snapshots/digest";
import { absent, type BucketConfig, checkWritable, CLOSED, OPEN } from "#snapshots/shelf";
import { ShelfError } from "#snapshots/errors";
import { concurrently, withBuildLock } from "#generator/files";
import { formatInventory, type Inventory, objectsOf, parseInventory } from "./inventory.ts";
import { readKnown } from "./known.ts";
import { takeLease } from "./lease.ts";
import { getObject, type PointerVersion, listObjects, type BucketPlace, putObject, readHead, swapHead } from "./place.ts";
import { AT_ONCE, push } from "./push.ts";
import { openRemote } from "./remote.ts";

const VIEWS = ["public", "internal"] as const;

/** copyIntoBucket copies the shelf in a folder into a bucket. @throws ShelfError "bad_config" when there is no shelf, or the bucket holds another
 *  one */
export async function copyIntoBucket(folder: string, config: BucketConfig): Promise<void> {
  if (!existsSync(join(folder, "public/current.json")))
    throw new ShelfError("bad_config", "That folder holds no shelf with a snapshot.", {
      fixes: ["Name the folder in which public/ and internal/ lie."],
    });
  const { bucket, places } = openRemote(config, folder);
  await withBuildLock(join(places.internal.root, "build"), async () => {
    const lease = await takeLease(bucket, places.internal.root, { work: "copying" });
    try {
      // The public root first: the internal one refers to its blobs.
      for (const view of VIEWS) {
        const place: BucketPlace = { ...places[view], present: await present(places[view]) };
        const there = await readHead(place, null);
        const root = there === null || there === "same" ? null : await readRoot(place, there);
        if (root !== null && !isEarlier(place, root.inventory, await recordsIn(place.root))) throw another(config);
        const files = (await readKnown(place.root, place.id))?.files ?? new Map();
        const base = root === null ? null : { place: place.id, ...root.head, inventory: root.inventory, files };
        const how = {
          fence: lease.fence,
          holds: lease.holds,
          checked: null,
          current: null,
          purge: false,
          anyway: false,
          lost: new Set<Sha256>(),
          now: new Date(),
        };
        await push(place, base, how);
      }
    } finally {
      await lease.release();
    }
  });
}

/** copyIntoFolder copies the shelf in a bucket into a folder. @throws ShelfError "no_snapshot", "bad_config" when the folder holds another shelf */
export async function copyIntoFolder(config: BucketConfig, folder: string): Promise<void> {
  const remote = openRemote(config, folder);
  const { places } = remote;
  for (const view of VIEWS) if ((await readHead(places[view], null)) === null) throw noShelf(config);
  await checkWritable(places.internal.root, CLOSED);
  await withBuildLock(join(places.internal.root, "build"), () => remote.pull({ views: VIEWS, wait: true }), { work: "copying" });
}

/** copyBetweenBuckets copies the shelf in one bucket into another.
 *  @param scratch an empty folder, for the lease
 *  @throws ShelfError "no_snapshot", "bad_config" when the other bucket holds another shelf */
export async function copyBetweenBuckets(from: BucketConfig, to: BucketConfig, scratch: string): Promise<void> {
  const [source, target] = [openRemote(from, scratch), openRemote(to, scratch)];
  for (const view of VIEWS) await checkWritable(join(scratch, view), view === "public" ? OPEN : CLOSED);
  const lease = await takeLease(target.bucket, target.places.internal.root, { work: "copying" });
  try {
    const moves: (() => Promise<unknown>)[] = [];
    for (const view of VIEWS) {
      const found = await readHead(source.places[view], null);
      if (found === null || found === "same") throw noShelf(from);
      const { head, inventory } = await readRoot(source.places[view], found);
      const there = await readHead(target.places[view], null);
      const root = there === null || there === "same" ? null : await readRoot(target.places[view], there);
      const records = new Set([...inventory.files].filter(([path]) => path.startsWith("snapshots/")).map(([, file]) => file.sha256));
      if (root !== null && !isEarlier(target.places[view], root.inventory, records)) throw another(to);
      const known = await present(target.places[view]);
      await concurrently(
        [...objectsOf(inventory)].filter((object) => !known.has(object)),
        AT_ONCE,
        async (object) => {
          await putObject(target.places[view], await getObject(source.places[view], object));
        },
      );
      // The other never held the objects that readers of the one may still fetch.
      const name = await putObject(target.places[view], formatInventory({ ...inventory, dropped: new Map() }));
      const { checked } = head.pointer;
      const pointer = { sequence: (root?.head.pointer.sequence ?? 0) + 1, fence: lease.fence, inventory: name, checked };
      if (root?.head.pointer.inventory !== name) moves.push(() => swapHead(target.places[view], pointer, root?.head.etag ?? null));
    }
    for (const move of moves) await move();
  } finally {
    await lease.release();
  }
}

async function readRoot(
  place: BucketPlace,
  head: PointerVersion,
): Promise<{ readonly head: PointerVersion; readonly inventory: Inventory }> {
  return { head, inventory: parseInventory(await getObject(place, head.pointer.inventory)) };
}

/** isEarlier says whether a root serves one of these records. The public root answers for both: its pointer is the switch. */
function isEarlier({ view }: BucketPlace, { files }: Inventory, records: ReadonlySet<Sha256>): boolean {
  const served = files.get("current.json");
  return view === "internal" || served === undefined || records.has(served.sha256);
}

async function recordsIn(root: string): Promise<ReadonlySet<Sha256>> {
  const folder = join(root, "snapshots");
  const names = (await readdir(folder).catch(absent)) ?? [];
  return new Set(await Promise.all(names.map(async (name) => sha256(await readFile(join(folder, name))))));
}

async function present(place: BucketPlace): Promise<ReadonlySet<Sha256>> {
  return new Set(await Array.fromAsync(listObjects(place), ({ object }) => object));
}

function noShelf({ bucket, prefix }: BucketConfig): ShelfError {
  return new ShelfError("no_snapshot", `s3://${bucket}/${prefix} holds no shelf.`, {
    fixes: ["Look at the prefix: it is that of the configuration's shelf."],
  });
}

function another({ bucket, prefix }: BucketConfig): ShelfError {
  return new ShelfError("bad_config", `Nothing was changed: s3://${bucket}/${prefix} holds a shelf that is no earlier state of this one.`, {
    fixes: ["Copy into another prefix."],
  });
}

/** A whole shelf from a folder into a bucket, or from a bucket into a folder. What is there already is not
 *  sent again, so a copy that was interrupted goes on where it was; and a shelf that is no earlier state of the same one is left alone. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Sha256, sha256 } from "#snapshots/digest";
import { absent, type BucketConfig, checkWritable, CLOSED } from "#snapshots/shelf";
import { ShelfError } from "#snapshots/errors";
import { withBuildLock } from "#generator/files";
import { type Inventory, parseInventory } from "./inventory.ts";
import { readKnown } from "./known.ts";
import { takeLease } from "./lease.ts";
import { type BucketPlace, getObject, listObjects, readHead } from "./place.ts";
import { push } from "./push.ts";
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
        const head = there === "same" ? null : there;
        const inventory = head === null ? null : parseInventory(await getObject(place, head.pointer.inventory));
        if (inventory !== null && !isEarlier(place, inventory, await recordsIn(place.root))) throw another(config);
        const files = (await readKnown(place.root, place.id))?.files ?? new Map();
        const base = head === null || inventory === null ? null : { place: place.id, ...head, inventory, files };
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

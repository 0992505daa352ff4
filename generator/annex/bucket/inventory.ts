/** The files of a root of a shelf, as a bucket holds them. Objects under `files/` are named by their SHA-256 and never change; an inventory is one of
 *  them, compressed JSON, and says of every file of the root in which objects its bytes lie. A large file lies in objects of its own,
 *  one after another; small ones lie many to an object.
 *
 *      { "dropped": [[object, since]], "files": [[path, sha256, size, [[object, offset, length]]]] }
 *
 *  `dropped` are objects that no file needs any more, and since when: readers that are behind may still fetch them for a while. */
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { canonicalJson, parseJson, type Sha256, SHA256_PATTERN } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";

const digest = z.string().regex(SHA256_PATTERN);
const count = z.int().min(0);
/** As it stands in the root; whoever wrote the bucket controls it. */
const path = z.string().refine((name) => travels(name) && name.split("/").every((part) => !["", ".", ".."].includes(part)));

const pieceSchema = z.tuple([digest, count, count]);
const fileSchema = z.tuple([path, digest, count, z.array(pieceSchema)]);
const inventorySchema = z.strictObject({
  dropped: z.array(z.tuple([digest, z.iso.datetime()])),
  files: z.array(fileSchema),
});

/** FilePiece says where bytes of a file lie: an object, from where in it, and how many. */
export type FilePiece = z.infer<typeof pieceSchema>;
export type InventoryFile = { readonly sha256: Sha256; readonly size: number; readonly pieces: readonly FilePiece[] };
export type Inventory = {
  /** By path, ascending. */
  readonly files: ReadonlyMap<string, InventoryFile>;
  /** Object → since when no file needs it (RFC 3339 UTC, by the clock of whoever dropped it). */
  readonly dropped: ReadonlyMap<Sha256, string>;
};

export const EMPTY: Inventory = { files: new Map(), dropped: new Map() };

/** A pointer's bytes at most, and an inventory's when it is unpacked: a million files take 200 MB. */
const MAX_INVENTORY_BYTES = 512 * 1024 * 1024;

/** Files and folders of a root that are the shelf. Everything else follows from them or belongs to one machine: locks, logs that are
 *  derived, what a build has read and not published. */
const PARTS = [
  "blobs",
  "build",
  "changes",
  "changes.sha256",
  "checkpoints",
  "current.json",
  "index",
  "keys.json",
  "packs",
  "redacted",
  "snapshots",
  "tile",
  "withdrawn.json",
];
const OF_ONE_MACHINE = /(^|\/)(build\.lock(\.holder)?|read\.journal|copy\.id|[^/]*\.(new|tmp))(\/|$)/;

/** travels tells whether a path of a root goes into the bucket. */
export function travels(name: string): boolean {
  const [top = ""] = name.split("/");
  return PARTS.includes(top) && !OF_ONE_MACHINE.test(name);
}

/** isBuilders tells whether a file is one that builds keep for each other: readers need none of these. */
export function isBuilders(name: string): boolean {
  return name.startsWith("build/");
}

export function formatInventory({ files, dropped }: Inventory): Uint8Array {
  const value = {
    dropped: [...dropped].sort(byName),
    files: [...files].sort(byName).map(([name, { sha256, size, pieces }]) => [name, sha256, size, pieces]),
  };
  return gzipSync(canonicalJson(value));
}

/** parseInventory reads an inventory. @throws ShelfError "snapshot_damaged" */
export function parseInventory(bytes: Uint8Array): Inventory {
  try {
    const json = gunzipSync(bytes, { maxOutputLength: MAX_INVENTORY_BYTES }).toString();
    const { dropped, files } = inventorySchema.parse(parseJson(json));
    return {
      dropped: new Map(dropped),
      files: new Map(files.map(([name, sha256, size, pieces]) => [name, { sha256, size, pieces }])),
    };
  } catch (cause) {
    throw new ShelfError("snapshot_damaged", "An inventory in the bucket is not what was written.", {
      cause,
      fixes: ["Run proofshelf repair where the shelf is built."],
    });
  }
}

/** objectsOf lists every object that holds a byte of a file. */
export function objectsOf({ files }: Pick<Inventory, "files">): Set<Sha256> {
  const objects = new Set<Sha256>();
  for (const { pieces } of files.values()) for (const [object] of pieces) objects.add(object);
  return objects;
}

function byName([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return a < b ? -1 : 1;
}

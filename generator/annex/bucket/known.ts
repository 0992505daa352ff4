/** The memory of a machine about a root in a bucket: the pointer and inventory that its copy was last brought to, or published, and the files as
 *  they were then. Losing it costs one look at every file. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { absent, writeInRoot } from "#snapshots/shelf";
import { seal, unseal } from "#generator/files";
import type { Inventory } from "./inventory.ts";
import type { LocalFile } from "./local-files.ts";
import type { Pointer } from "./pointer.ts";

export type Known = {
  /** Bucket and prefix: of another one nothing is known. */
  readonly place: string;
  readonly etag: string;
  readonly pointer: Pointer;
  readonly inventory: Inventory;
  /** Those that a reader has left out are not among them. */
  readonly files: ReadonlyMap<string, LocalFile>;
};

export function knownFile(root: string): string {
  return join(root, "bucket.state");
}

/** readKnown reads that memory; null when nothing is known. */
export async function readKnown(root: string, place: string): Promise<Known | null> {
  const bytes = await readFile(knownFile(root)).catch(absent);
  const inner = bytes === null ? null : unseal(bytes);
  if (inner === null) return null;
  try {
    const known = deserialize(inner) as Known;
    return known.place === place ? known : null;
  } catch {
    return null;
  }
}

export function writeKnown(root: string, known: Known): void {
  writeInRoot(root, knownFile(root), seal(serialize(known)));
}

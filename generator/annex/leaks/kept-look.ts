/** The result of the last look for leaks, in a file beside the state: with it the next look takes only what changed. It is a cache, and only for a
 *  build upon the snapshot that it is about: without it, or with one that is not whole or that other code has written, everything is looked at. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { canonicalJson, type Sha256, sha256 } from "#snapshots/digest";
import { writeWhole } from "#snapshots/shelf";
import type { GatedFacts, Look, SketchBits } from "#snapshots/annex/leaks";
import type { ObjectRow } from "#snapshots/format";
import { seal, unseal } from "#generator/files";

export type KeptLook = {
  /** The public snapshot in which nothing was found. */
  readonly snapshot: Sha256;
  readonly look: Look;
  /** Facts of gated objects, by the digest of what decides them (`nameFacts`). */
  readonly objects: ReadonlyMap<Sha256, GatedFacts>;
  /** Null when its files say too much to be sketched. */
  readonly sketch: SketchBits | null;
};

const NAME = "leaks.v8";

/** nameFacts returns the digest of what decides the facts of a gated object. @param extract digest of its extract */
export function nameFacts({ key, title, summary, kind }: ObjectRow, extract: string): Sha256 {
  return sha256(canonicalJson([key, title, summary, kind, extract]));
}

/** readLook reads the result of the last look. @returns null when there is none of this program that is whole */
export function readLook(dir: string, program: Sha256): KeptLook | null {
  try {
    const bytes = unseal(readFileSync(join(dir, NAME)));
    if (bytes === null) return null;
    const { code, kept } = deserialize(bytes) as { readonly code: Sha256; readonly kept: KeptLook };
    return code === program ? kept : null;
  } catch {
    return null;
  }
}

/** writeLook writes the result of a look, or removes it. @param kept null where nothing is gated */
export function writeLook(dir: string, program: Sha256, kept: KeptLook | null): void {
  if (kept === null) rmSync(join(dir, NAME), { force: true });
  else writeWhole(join(dir, NAME), seal(serialize({ code: program, kept })), { durable: false });
}

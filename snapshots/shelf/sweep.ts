/** Frees the blobs of a root that nobody needs any more, and keeps its packs few. A pack is never changed: what is needed of it goes
 *  into a new one, which is flushed before the old one is removed. So whatever interrupts this, each blob is somewhere, and a
 *  reader that has an old pack open goes on. */
import { readFile, unlink } from "node:fs/promises";
import { type Sha256, sha256 } from "#snapshots/digest";
import { isUnreadable } from "./absent.ts";
import type { PackWriter } from "./pack-writer.ts";
import type { Packs } from "./packs.ts";
import { type Directory, MAX_PACKED, packEntry, salvage } from "./zip.ts";

/** A pack shorter than this costs little to write again, so it is merged with others. Bytes. */
const SMALL = 8 * 1024 * 1024;
/** Small packs that are left alone while nothing else is to be done. */
const MAX_SMALL = 8;

export type SweepOptions = {
  /** Null when everything is. */
  readonly isNeeded: ((digest: Sha256) => boolean) | null;
  /** True for an unneeded blob that may not stay even where removing it means to rewrite much else; nothing by default. */
  readonly mustGo?: (digest: Sha256) => boolean;
  /** Packs that are rewritten in any case, without what in them is not whole. */
  readonly packs?: readonly Sha256[];
  /** Blobs in files of their own are left as they are. */
  readonly leaveLoose?: boolean;
};
export type Swept = { readonly blobs: number; readonly bytes: number };

/** A LooseBlob is a blob in a file of its own. */
export type LooseBlob = { readonly digest: Sha256; readonly size: number; readonly path: string };
type Blob = { readonly digest: Sha256; readonly size: number };

export type SweepPlan = {
  readonly packs: readonly { readonly name: Sha256; readonly path: string; readonly directory: Directory | null }[];
  readonly loose: readonly LooseBlob[];
  readonly isNeeded: (digest: Sha256) => boolean;
  /** Blobs that go, with their bytes on the disk. */
  readonly spare: readonly Blob[];
};

/** planSweep decides what to rewrite. A pack is rewritten when less than half of it is needed, when it is small and some of it is not, when it
 *  holds what must go, or a damaged copy of a loose blob; and small ones are merged whenever anything is written, or there are many. */
export async function planSweep(
  packs: Packs,
  loose: AsyncIterable<LooseBlob>,
  { isNeeded, mustGo = () => false, packs: named = [], leaveLoose = false }: SweepOptions,
): Promise<SweepPlan> {
  const alone = leaveLoose ? [] : await Array.fromAsync(loose);
  const rewrite: { name: Sha256; directory: Directory | null }[] = [];
  const small: typeof rewrite = [];
  const spare: Blob[] = isNeeded === null ? [] : alone.filter(({ digest }) => !isNeeded(digest));
  for (const [name, directory] of await packs.list()) {
    const dead: Blob[] = [];
    if (isNeeded !== null)
      for (const [digest, { length }] of directory?.entries() ?? []) if (!isNeeded(digest)) dead.push({ digest, size: length });
    const deadBytes = dead.reduce((sum, { size }) => sum + size, 0);
    const isDue =
      directory === null ||
      named.includes(name) ||
      (dead.length > 0 && (directory.bytes < SMALL || deadBytes > directory.bytes / 2)) ||
      dead.some(({ digest }) => mustGo(digest)) ||
      alone.some(({ digest }) => directory.find(digest) !== null);
    if (isDue) {
      rewrite.push({ name, directory });
      spare.push(...dead);
    } else if (directory.bytes < SMALL) small.push({ name, directory });
  }
  const writes = rewrite.length > 0 || alone.some(({ digest, size }) => size <= MAX_PACKED && (isNeeded === null || isNeeded(digest)));
  if (writes || small.length > MAX_SMALL) rewrite.push(...small);
  return {
    packs: rewrite.map((pack) => ({ ...pack, path: packs.pathOf(pack.name) })),
    loose: alone,
    isNeeded: isNeeded ?? (() => true),
    spare,
  };
}

/** sweep does what a plan says. @param flush returns when what was written survives a power cut */
export async function sweep({ packs, loose, isNeeded, spare }: SweepPlan, writer: PackWriter, flush: () => Promise<void>): Promise<Swept> {
  const written = new Set<Sha256>();
  const done: string[] = [];
  for (const { digest, size, path } of loose) {
    if (!isNeeded(digest)) done.push(path);
    else if (size <= MAX_PACKED) {
      const bytes = await readFile(path);
      // A damaged one is left to verify and repair.
      if (sha256(bytes) !== digest) continue;
      writer.add(await packEntry(digest, bytes));
      written.add(digest);
      done.push(path);
    }
  }
  const replaced: { readonly name: Sha256; readonly path: string }[] = [];
  const wanted = (digest: Sha256): boolean => isNeeded(digest) && !written.has(digest);
  for (const { name, path, directory } of packs) {
    const bytes = await readFile(path).catch((error: unknown) => {
      if (isUnreadable(error)) return null;
      throw error;
    });
    if (bytes === null) continue;
    replaced.push({ name, path });
    // Whole, its entries are copied as they are.
    const whole = directory !== null && sha256(bytes) === name;
    const entries = whole ? directory.entries() : salvage(bytes);
    for (const [digest, found] of entries) {
      if (!wanted(digest)) continue;
      written.add(digest);
      if (found instanceof Uint8Array) writer.add(await packEntry(digest, found));
      else writer.add({ ...found, digest, data: bytes.subarray(found.start, found.start + found.length) });
    }
  }
  writer.seal();
  if (replaced.length + done.length === 0) return { blobs: 0, bytes: 0 };
  await flush();
  // Packs first: a loose blob may be there because a packed one is damaged. A pack that was written again may have the name of the old one.
  for (const { name, path } of replaced) if (!writer.sealed.has(name)) await unlink(path);
  for (const path of done) await unlink(path);
  return { blobs: spare.length, bytes: spare.reduce((sum, { size }) => sum + size, 0) };
}

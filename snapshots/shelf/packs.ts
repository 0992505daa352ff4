/** The sealed packs of a root, followed as they come and go: `packs/<sha256>.zip`. The directory of each is read once; a pack that
 *  is gone has been merged into another. One whose directory cannot be read holds nothing, until it is rewritten. */
import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Sha256, SHA256_PATTERN } from "#snapshots/digest";
import { absent, isUnreadable } from "./absent.ts";
import { type OpenFile, PART_BYTES, WrongBytes } from "./checked-read.ts";
import { type Directory, END_BYTES, findDirectory, inflatePart, type Packed, parseDirectory } from "./zip.ts";

/** A folder changed longer ago than this has been seen with that change: its time has a tick of some milliseconds. */
const SETTLED_NS = 50_000_000n;

/** Bytes that are read for nothing rather than with another call. */
const MAX_GAP = 4096;

export type Packs = {
  /** A blob that a pack holds, open; null when none does. */
  open(digest: Sha256): Promise<OpenFile | null>;
  has(digest: Sha256): Promise<boolean>;
  /** Bytes of those of these blobs that packs hold and that can be inflated, none of them longer than a part, not compared with their
   *  digests: each pack is opened once, and blobs that lie side by side are read together. */
  readMany(digests: readonly Sha256[]): Promise<Map<Sha256, Uint8Array>>;
  /** Every pack that is there now, by its name, which is its digest; null for one whose directory cannot be read. */
  list(): Promise<ReadonlyMap<Sha256, Directory | null>>;
  pathOf(name: Sha256): string;
};

/** openPacks returns the packs of a root.
 *  @param root of the shelf
 *  @param openFile null when it is not there */
export function openPacks(root: string, openFile: (path: string) => Promise<OpenFile | null>): Packs {
  const folder = join(root, "packs");
  const pathOf = (name: Sha256): string => join(folder, `${name}.zip`);
  const known = new Map<Sha256, Directory | null>();
  /** Time of the folder when it was listed; null when that may have changed within the same tick. */
  let seen: bigint | null = null;
  let following: Promise<boolean> | null = null;

  /** @returns whether there are other packs than before */
  async function look(): Promise<boolean> {
    const time = statSync(folder, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
    if (time === seen) return false;
    const settled = BigInt(Date.now()) * 1_000_000n - time > SETTLED_NS;
    const names = ((await readdir(folder).catch(absent)) ?? []).map((name) => name.slice(0, -".zip".length));
    const there = new Set(names.filter((name) => SHA256_PATTERN.test(name)));
    let changed = false;
    for (const name of there) {
      if (known.get(name)) continue;
      const directory = await readDirectory(pathOf(name));
      changed ||= directory !== null;
      known.set(name, directory);
    }
    for (const name of known.keys()) if (!there.has(name)) changed = known.delete(name);
    seen = settled ? time : null;
    return changed;
  }
  const follow = (): Promise<boolean> => (following ??= look().finally(() => (following = null)));

  async function readDirectory(path: string): Promise<Directory | null> {
    const file = await openFile(path);
    if (file === null) return null;
    try {
      const place = findDirectory(await file.read(Math.max(0, file.size - END_BYTES), END_BYTES), file.size);
      return place === null ? null : parseDirectory(await file.read(place.start, place.length), place.start);
    } catch (error) {
      if (isUnreadable(error)) return null;
      throw error;
    } finally {
      await file.close();
    }
  }

  async function find(digest: Sha256): Promise<{ readonly name: Sha256; readonly packed: Packed } | null> {
    for (;;) {
      const place = findKnown(digest);
      if (place !== null || !(await follow())) return place;
    }
  }

  function findKnown(digest: Sha256): { readonly name: Sha256; readonly packed: Packed } | null {
    for (const [name, directory] of known) {
      const packed = directory?.find(digest) ?? null;
      if (packed !== null) return { name, packed };
    }
    return null;
  }

  return {
    pathOf,
    async open(digest) {
      for (let place = await find(digest); place !== null; place = await find(digest)) {
        const file = await openFile(pathOf(place.name));
        if (file !== null) return unpacked(file, digest, place.packed);
        known.delete(place.name);
      }
      return null;
    },
    async has(digest) {
      // One that was merged into others may have left blobs behind.
      await follow();
      return findKnown(digest) !== null;
    },
    async readMany(digests) {
      const found = new Map<Sha256, Uint8Array>();
      const inPack = new Map<Sha256, (readonly [Sha256, Packed])[]>();
      for (const digest of new Set(digests)) {
        const place = await find(digest);
        if (place === null || place.packed.size > PART_BYTES) continue;
        const wanted = inPack.get(place.name);
        if (wanted === undefined) inPack.set(place.name, [[digest, place.packed]]);
        else wanted.push([digest, place.packed]);
      }
      for (const [name, wanted] of inPack) {
        const file = await openFile(pathOf(name));
        // Merged into another one since.
        if (file === null) continue;
        try {
          for (const run of runsOf(wanted)) await readRun(file, run, found);
        } finally {
          await file.close();
        }
      }
      return found;
    },
    async list() {
      await follow();
      return known;
    },
  };
}

/** Blobs that lie behind each other in a pack with nothing but small ones between them. */
function runsOf(wanted: readonly (readonly [Sha256, Packed])[]): (readonly [Sha256, Packed])[][] {
  const runs: (readonly [Sha256, Packed])[][] = [];
  let end = -Infinity;
  for (const one of wanted.toSorted(([, a], [, b]) => a.start - b.start)) {
    const { start, length } = one[1];
    const run = runs.at(-1);
    if (run !== undefined && start - end <= MAX_GAP) run.push(one);
    else runs.push([one]);
    end = start + length;
  }
  return runs;
}

async function readRun(pack: OpenFile, run: readonly (readonly [Sha256, Packed])[], found: Map<Sha256, Uint8Array>): Promise<void> {
  const from = run[0]?.[1].start ?? 0;
  const last = run.at(-1)?.[1];
  const bytes = await pack.read(from, last === undefined ? 0 : last.start + last.length - from);
  for (const [digest, { start, length, size, parts }] of run) {
    const packed = bytes.subarray(start - from, start - from + length);
    try {
      found.set(digest, parts === null ? packed : inflatePart(packed, size));
    } catch (error) {
      if (!(error instanceof WrongBytes)) throw error;
    }
  }
}

/** unpacked opens a blob of a pack as a file of its own.
 *  @param pack open; closed with the blob */
export function unpacked(pack: OpenFile, digest: Sha256, { start, length, size, parts }: Packed): OpenFile {
  const inflate = async (position: number, wanted: number, lengths: readonly number[]): Promise<Buffer> => {
    const [first, last] = [Math.floor(position / PART_BYTES), Math.floor((Math.min(position + wanted, size) - 1) / PART_BYTES)];
    const before = lengths.slice(0, first).reduce((sum, part) => sum + part, 0);
    const within = lengths.slice(first, last + 1);
    const deflated = await pack.read(
      start + before,
      within.reduce((sum, part) => sum + part, 0),
    );
    const inflated: Buffer[] = [];
    let at = 0;
    for (const [n, part] of within.entries()) {
      inflated.push(inflatePart(deflated.subarray(at, (at += part)), Math.min(PART_BYTES, size - (first + n) * PART_BYTES)));
      // A long blob is not to hold up others.
      if (within.length > 1) await setImmediate();
    }
    const from = position - first * PART_BYTES;
    const whole = inflated.length === 1 ? (inflated[0] as Buffer) : Buffer.concat(inflated);
    return whole.subarray(from, from + wanted);
  };
  return {
    size,
    identity: `${pack.identity} ${digest}`,
    async read(position, wanted) {
      if (position >= size) return Buffer.alloc(0);
      if (parts === null) return pack.read(start + position, Math.min(wanted, length - position));
      return inflate(position, wanted, parts);
    },
    close: () => pack.close(),
  };
}

/** The pack that a build is writing: a file under tmp/ that grows, readable to whoever writes it, and a pack under `packs/` as soon
 *  as it is sealed: flushed, and renamed to its own digest. */
import { createHash, type Hash, randomUUID } from "node:crypto";
import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Sha256 } from "#snapshots/digest";
import type { Modes } from "./modes.ts";
import { DATA_AT, formatDirectory, localEntry, MAX_ENTRIES, type Packed, type PackEntry } from "./zip.ts";

/** A pack that is as long as this is sealed. Bytes. */
const PACK_BYTES = 64 * 1024 * 1024;
/** Entries are written together once they are as long as this: most blobs are small. Bytes. */
const WRITE_BYTES = 1024 * 1024;

export type PackWriter = {
  /** Not again what is in there already. */
  add(entry: PackEntry): void;
  /** True when what is not sealed yet holds it. Nothing is written for the asking. */
  has(digest: Sha256): boolean;
  /** A blob that is not sealed yet, to be read from the file. */
  find(digest: Sha256): { readonly path: string; readonly packed: Packed } | null;
  entries(): Iterable<readonly [Sha256, Packed]>;
  /** Nothing happens when nothing was added. */
  seal(): void;
  /** Names of the packs that were sealed. */
  readonly sealed: ReadonlySet<Sha256>;
};

type Open = {
  readonly path: string;
  readonly file: number;
  readonly entries: Map<Sha256, Packed>;
  readonly hash: Hash;
  end: number;
  unwritten: Buffer[];
  written: number;
};

/** openPackWriter opens the writer of packs. @param root of the shelf */
export function openPackWriter(root: string, modes: () => Modes): PackWriter {
  let pack: Open | null = null;
  const sealed = new Set<Sha256>();

  function open(): Open {
    const path = join(root, "tmp", randomUUID());
    mkdirSync(join(root, "tmp"), { recursive: true, mode: modes().folder });
    const file = openSync(path, "wx", modes().file);
    return { path, file, entries: new Map(), hash: createHash("sha256"), end: 0, unwritten: [], written: 0 };
  }

  function write(open: Open): void {
    if (open.unwritten.length === 0) return;
    const bytes = Buffer.concat(open.unwritten);
    writeAt(open.file, bytes, open.written);
    open.hash.update(bytes);
    open.written += bytes.length;
    open.unwritten = [];
  }

  function seal(): void {
    if (pack === null) return;
    write(pack);
    const { path, file, entries, hash, end } = pack;
    const directory = formatDirectory(entries, end);
    writeAt(file, directory, end);
    // A write that failed half way may have left more.
    ftruncateSync(file, end + directory.length);
    fsyncSync(file);
    mkdirSync(join(root, "packs"), { recursive: true, mode: modes().folder });
    const name = hash.copy().update(directory).digest("hex");
    renameSync(path, join(root, "packs", `${name}.zip`));
    closeSync(file);
    sealed.add(name);
    pack = null;
  }

  return {
    add(entry) {
      if (pack !== null && (pack.end >= PACK_BYTES || pack.entries.size === MAX_ENTRIES)) seal();
      pack ??= open();
      const { entries, end, unwritten } = pack;
      const { digest, data, ...rest } = entry;
      if (entries.has(digest)) return;
      const bytes = localEntry(entry);
      unwritten.push(bytes);
      pack.end += bytes.length;
      entries.set(digest, { ...rest, start: end + DATA_AT, length: data.length });
      if (pack.end - pack.written >= WRITE_BYTES) write(pack);
    },
    has: (digest) => pack?.entries.has(digest) === true,
    find(digest) {
      const packed = pack?.entries.get(digest);
      if (pack === null || packed === undefined) return null;
      // A reader reads it from the file.
      write(pack);
      return { path: pack.path, packed };
    },
    entries: () => pack?.entries ?? [],
    seal,
    sealed,
  };
}

function writeAt(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, position + at);
}

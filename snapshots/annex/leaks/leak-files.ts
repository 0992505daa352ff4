/** The bytes that the public side consists of, for the leak rule. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ScannedFile } from "#snapshots/verify";
import { type Shelf, type Snapshot, streamBlob } from "#snapshots/shelf";
import type { BlobEntry, ObjectRow, ViewData } from "#snapshots/format";

/** Bytes. Long files come in parts that overlap, so that nothing hides across a cut. */
const PART = 8 * 1024 * 1024;
const OVERLAP = 64 * 1024;

/** Files that are the same for every library but for its name: a gated prefix called `proofs/` occurs in the name of a route. */
const SOFTWARE = /^(api\/openapi\.json|pages\/(reference|problems|problems\/\w+)=\.html|pages\/404\.html)$/;

/** snapshotFiles yields every file of a snapshot, each blob once; objects first and then their extracts, since what they say themselves is no
 *  leak.
 *  @param files as walked, so every blob is there */
export async function* snapshotFiles(
  snapshot: Snapshot,
  data: ViewData,
  files: ReadonlyMap<string, BlobEntry>,
): AsyncGenerator<ScannedFile> {
  const binaries = new Set(data.objects.filter(isBinary).map((row) => `objects/${row.key}`));
  const seen = new Set<string>();
  const {
    sources = [],
    extracts = [],
    rest = [],
  } = Object.groupBy(files, ([path]) => {
    if (path.startsWith("objects/") || SOFTWARE.test(path)) return "sources";
    return path.startsWith("extracts/") ? "extracts" : "rest";
  });
  for (const [path, entry] of [...sources, ...extracts, ...rest]) {
    if (seen.has(entry.sha256)) continue;
    seen.add(entry.sha256);
    const software = SOFTWARE.test(path);
    const source = path.startsWith("objects/");
    const file = { path, source, type: entry.type, binary: binaries.has(path) || path.startsWith("images/"), software };
    if (entry.size <= PART) yield { ...file, bytes: await snapshot.read(entry) };
    else yield* parts(file, entry.size, (start, end) => streamBlob(snapshot.shelf, entry.sha256, start, end));
  }
}

/** No word of such an object is shown or searched; an SVG is text. */
function isBinary({ kind, media_type }: ObjectRow): boolean {
  return kind === "binary" || kind === "pdf" || (kind === "image" && media_type !== "image/svg+xml");
}

async function* parts(
  file: Omit<ScannedFile, "bytes">,
  size: number,
  read: (start: number, end: number) => AsyncIterable<Uint8Array>,
): AsyncGenerator<ScannedFile> {
  for (let offset = 0; offset < size; offset += PART) {
    const chunks = await Array.fromAsync(read(offset, Math.min(size, offset + PART + OVERLAP) - 1));
    yield { ...file, bytes: Buffer.concat(chunks), offset };
  }
}

/** indexFiles yields every file of a search index that lies in a folder, as bytes, since its texts stand there end to end: rows are read by the
 *  engine. It yields nothing when the index lies elsewhere. */
export async function* indexFiles(shelf: Shelf): AsyncGenerator<ScannedFile> {
  const entries = await readdir(shelf.indexUri, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const place = join(entry.parentPath, entry.name);
    const file = await open(place);
    try {
      const { size } = await file.stat();
      const path = `index/${place.slice(shelf.indexUri.length + 1)}`;
      for (let offset = 0; offset === 0 || offset < size; offset += PART) {
        const { buffer, bytesRead } = await file.read({
          buffer: Buffer.alloc(Math.max(1, Math.min(size - offset, PART + OVERLAP))),
          position: offset,
        });
        yield { path, bytes: buffer.subarray(0, bytesRead), source: false, type: "application/octet-stream", offset, binary: true };
      }
    } finally {
      await file.close();
    }
  }
}

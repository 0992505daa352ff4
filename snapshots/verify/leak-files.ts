/** The bytes that the public side consists of, for the leak rule. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ScannedFile } from "./leaks.ts";
import type { Snapshot } from "../shelf/read.ts";
import type { Shelf } from "../shelf/shelf.ts";
import type { BlobEntry } from "../format/tree.ts";
import type { ObjectRow, ViewData } from "../format/view-data.ts";

/** Bytes. Long files come in parts that overlap, so that nothing hides across a cut. */
const PART = 8 * 1024 * 1024;
const OVERLAP = 64 * 1024;

/** Files that are the same for every library but for its name: a gated prefix called `proofs/` occurs in the name of a route. */
const SOFTWARE = /^(api\/openapi\.json|pages\/(reference|problems|problems\/\w+)=\.html|pages\/404\.html)$/;

/** Every file of a snapshot, each blob once; objects first, since what they say themselves is no leak.
 *  @param files as walked, so every blob is there */
export async function* snapshotFiles(
  snapshot: Snapshot,
  data: ViewData,
  files: ReadonlyMap<string, BlobEntry>,
): AsyncGenerator<ScannedFile> {
  // The words of a PDF are not in its bytes: its extract speaks for it. Verify derives it again.
  const voices = new Set(data.objects.filter((row) => row.kind === "pdf").map((row) => `extracts/${row.key}`));
  const binaries = new Set(data.objects.filter(isBinary).map((row) => `objects/${row.key}`));
  const isSource = (path: string): boolean => path.startsWith("objects/") || voices.has(path) || SOFTWARE.test(path);
  const seen = new Set<string>();
  for (const sources of [true, false]) {
    for (const [path, entry] of files) {
      if (isSource(path) !== sources || seen.has(entry.sha256)) continue;
      seen.add(entry.sha256);
      const software = SOFTWARE.test(path);
      const binary = binaries.has(path);
      if (entry.size <= PART) yield { path, bytes: await snapshot.read(entry), source: sources && !software, binary, software };
      else yield* parts(path, sources, binary, entry.size, (start, end) => snapshot.shelf.streamBlob(entry.sha256, start, end));
    }
  }
}

/** Of such an object no word is shown or searched; an SVG is text. */
function isBinary({ kind, media_type }: ObjectRow): boolean {
  return kind === "binary" || kind === "pdf" || (kind === "image" && media_type !== "image/svg+xml");
}

async function* parts(
  path: string,
  source: boolean,
  binary: boolean,
  size: number,
  read: (start: number, end: number) => Promise<AsyncIterable<Uint8Array> | null>,
): AsyncGenerator<ScannedFile> {
  for (let offset = 0; offset < size; offset += PART) {
    const chunks = (await read(offset, Math.min(size, offset + PART + OVERLAP) - 1)) ?? [];
    yield { path, bytes: Buffer.concat(await Array.fromAsync(chunks)), source, binary, offset };
  }
}

/** Every file of a search index that lies in a folder; nothing when it lies elsewhere. */
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
        yield { path, bytes: buffer.subarray(0, bytesRead), source: false, offset };
      }
    } finally {
      await file.close();
    }
  }
}

/** GET /api/archive.tar: every file of a snapshot's tree in one archive, in the order of the tree. It is the same each time, is never whole
 *  anywhere, and a range of it reads what lies in that range. */
import { create as formatDisposition } from "content-disposition";
import { TAR_END, tarHeader, tarHeaderLength, tarPadding } from "../format/tar.ts";
import type { BlobEntry, Tree } from "../format/tree.ts";
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { PART_BYTES } from "../shelf/checked-read.ts";
import { redactedBlobs, redactionError } from "../shelf/redactions.ts";
import type { Context } from "./context.ts";
import { findRange } from "./object-answer.ts";
import { type Answer, type AnswerRequest, CACHE, checkPreconditions, formatTag, queryTag } from "./reply.ts";

/** Of files that are read at once: what one reader holds is what an answer under way is counted as. Bytes. */
const BATCH_BYTES = PART_BYTES;

/** The end of the archive has no file. */
const NOTHING: BlobEntry = { kind: "blob", name: "", sha256: "", size: 0, type: "" };

/** One file in the archive. */
type Member = { readonly path: string; readonly entry: BlobEntry };

/** @throws ShelfError "range_not_satisfiable", "precondition_failed", "snapshot_damaged", "withdrawn" or "withdrawn_legal" where a file of it
 *  was redacted */
export async function archiveAnswer({ open, cache }: Context, request: AnswerRequest): Promise<Answer> {
  const { id } = open.snapshot;
  const tag = queryTag(id, "archive");
  const headers = {
    "Cache-Control": CACHE[cache],
    "Content-Type": "application/x-tar",
    "Content-Disposition": formatDisposition(`${folderOf(id)}.tar`),
    "Accept-Ranges": "bytes",
    ETag: formatTag(tag, "identity"),
  };
  if (checkPreconditions(request, tag, "identity", null) !== null) return { status: 304, headers, body: null };
  let size = TAR_END.length;
  const redacted = new Set(await redactedBlobs(open.snapshot.shelf));
  for await (const files of members(open)) {
    for (const { path, entry } of files) {
      if (redacted.has(entry.sha256)) throw await redactionError(open.snapshot.shelf, entry.sha256);
      size += tarHeaderLength(path, entry.size) + entry.size + tarPadding(entry.size).length;
    }
  }
  const range = request.method === "GET" ? request.header("range") : null;
  const condition = request.header("if-range");
  const part = range === null || (condition !== null && condition !== headers.ETag) ? null : findRange(range, size);
  const { start, end } = part ?? { start: 0, end: size - 1 };
  return {
    status: part === null ? 200 : 206,
    headers: {
      ...headers,
      "Content-Length": String(end - start + 1),
      ...(part === null ? {} : { "Content-Range": `bytes ${start}-${end}/${size}` }),
    },
    body: request.method === "HEAD" ? null : chunksOf(open, start, end),
  };
}

const folderOf = (id: string): string => `snapshot-${id.slice(0, 12)}`;

/** In the order of the tree, as many at a time as stand between two folders. A stranger's key cannot leave the folder: no segment is "..". */
async function* members({ snapshot }: OpenSnapshot): AsyncGenerator<readonly Member[]> {
  async function* under(tree: Tree, folder: string): AsyncGenerator<readonly Member[]> {
    let files: Member[] = [];
    for (const entry of tree) {
      const path = `${folder}/${entry.name}`;
      if (entry.kind === "blob") {
        files.push({ path, entry });
        continue;
      }
      yield files;
      files = [];
      yield* under(await snapshot.tree(entry.sha256), path);
    }
    yield files;
  }
  yield* under(await snapshot.tree(snapshot.id), folderOf(snapshot.id));
}

/** A file of which some lies in a range: bytes of its header, of the file (from one up to and without another), and of its padding. */
type Piece = {
  readonly before: Uint8Array;
  readonly entry: BlobEntry;
  readonly from: number;
  readonly to: number;
  readonly after: Uint8Array;
};

/** Bytes [start, end] of the archive. */
async function* chunksOf(open: OpenSnapshot, start: number, end: number): AsyncGenerator<Uint8Array> {
  let batch: Piece[] = [];
  let bytes = 0;
  for await (const piece of piecesOf(open, start, end)) {
    const { before, entry, from, to, after } = piece;
    const long = entry.size > PART_BYTES && from < to;
    if (long || bytes + entry.size > BATCH_BYTES) {
      yield await joinShort(open, batch);
      batch = [];
      bytes = 0;
    }
    if (long) {
      yield before;
      const body = await open.snapshot.readPart(entry, from, to - 1);
      if (body instanceof Uint8Array) yield body;
      else yield* body;
      yield after;
    } else {
      batch.push(piece);
      bytes += before.length + entry.size + after.length;
    }
  }
  yield await joinShort(open, batch);
}

async function joinShort({ snapshot }: OpenSnapshot, pieces: readonly Piece[]): Promise<Uint8Array> {
  const bodies = await snapshot.readMany(pieces.filter(({ from, to }) => from < to).map(({ entry }) => entry));
  let next = 0;
  return Buffer.concat(
    pieces.flatMap(({ before, from, to, after }) =>
      from < to ? [before, (bodies[next++] as Uint8Array).subarray(from, to), after] : [before, after],
    ),
  );
}

async function* piecesOf(open: OpenSnapshot, start: number, end: number): AsyncGenerator<Piece> {
  let at = 0;
  const cut = (bytes: Uint8Array, from: number): Uint8Array => bytes.subarray(Math.max(0, start - from), Math.max(0, end + 1 - from));
  for await (const files of members(open)) {
    for (const { path, entry } of files) {
      const bytesAt = at + tarHeaderLength(path, entry.size);
      const after = tarPadding(entry.size);
      const next = bytesAt + entry.size + after.length;
      if (next > start) {
        const time = typeof entry.uploaded === "string" ? Math.floor(Date.parse(entry.uploaded) / 1000) : 0;
        const before = cut(tarHeader(path, entry.size, time), at);
        const [from, to] = [Math.max(0, start - bytesAt), Math.min(entry.size, end + 1 - bytesAt)];
        yield { before, entry, from, to, after: cut(after, bytesAt + entry.size) };
      }
      at = next;
      if (at > end) return;
    }
  }
  yield { before: cut(TAR_END, at), entry: NOTHING, from: 0, to: -1, after: new Uint8Array() };
}

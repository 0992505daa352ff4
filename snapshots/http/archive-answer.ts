/** GET /api/archive.tar: every file of a snapshot's tree in one archive, in the order of the tree. It is the same each time, is never whole
 *  anywhere, and a range of it reads what lies in that range. */
import { create as formatDisposition } from "content-disposition";
import { TAR_END, tarHeader, tarPadding } from "../format/tar.ts";
import type { BlobEntry, Tree } from "../format/tree.ts";
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { PART_BYTES } from "../shelf/checked-read.ts";
import { redactedBlobs, redactionError } from "../shelf/redactions.ts";
import type { Context } from "./context.ts";
import { findRange } from "./object-answer.ts";
import { type Answer, type AnswerRequest, CACHE, checkPreconditions, formatTag, queryTag } from "./reply.ts";

/** Files that are read at once, and about how many bytes of them. */
const BATCH = 32;
const BATCH_BYTES = 4 * 1024 * 1024;
/** The end of the archive has no file. */
const NOTHING: BlobEntry = { kind: "blob", name: "", sha256: "", size: 0, type: "" };

/** One file in the archive. */
type Member = { readonly header: Uint8Array; readonly entry: BlobEntry; readonly padding: number };

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
  for await (const { header, entry, padding } of members(open)) {
    if (redacted.has(entry.sha256)) throw await redactionError(open.snapshot.shelf, entry.sha256);
    size += header.length + entry.size + padding;
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

/** In the order of the tree. A stranger's key cannot leave the folder: no segment is "..". */
async function* members({ snapshot }: OpenSnapshot): AsyncGenerator<Member> {
  async function* under(tree: Tree, folder: string): AsyncGenerator<Member> {
    for (const entry of tree) {
      const path = `${folder}/${entry.name}`;
      if (entry.kind === "tree") {
        yield* under(await snapshot.tree(entry.sha256), path);
        continue;
      }
      const time = typeof entry.uploaded === "string" ? Math.floor(Date.parse(entry.uploaded) / 1000) : 0;
      yield { header: tarHeader(path, entry.size, time), entry, padding: tarPadding(entry.size).length };
    }
  }
  yield* under(await snapshot.tree(snapshot.id), folderOf(snapshot.id));
}

/** What of a member lies in a range: bytes of its header, of the file, and of its padding. */
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
    batch.push(piece);
    bytes += piece.to - piece.from + 1;
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
    yield* readPieces(open, batch);
    batch = [];
    bytes = 0;
  }
  yield* readPieces(open, batch);
}

/** All of them are opened at once: files are many and short, and a disk answers late. */
async function* readPieces({ snapshot }: OpenSnapshot, pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  const short = await Promise.all(
    pieces.map(({ entry, from, to }) => (from <= to && entry.size <= PART_BYTES ? snapshot.readPart(entry, from, to) : null)),
  );
  for (const [at, { before, entry, from, to, after }] of pieces.entries()) {
    yield before;
    if (from <= to) {
      const body = short[at] ?? (await snapshot.readPart(entry, from, to));
      if (body instanceof Uint8Array) yield body;
      else yield* body;
    }
    yield after;
  }
}

async function* piecesOf(open: OpenSnapshot, start: number, end: number): AsyncGenerator<Piece> {
  let at = 0;
  const cut = (bytes: Uint8Array, from: number): Uint8Array => bytes.subarray(Math.max(0, start - from), Math.max(0, end + 1 - from));
  for await (const { header, entry, padding } of members(open)) {
    const bytesAt = at + header.length;
    const next = bytesAt + entry.size + padding;
    if (next > start && at <= end) {
      const after = cut(tarPadding(entry.size), bytesAt + entry.size);
      yield { before: cut(header, at), entry, from: Math.max(0, start - bytesAt), to: Math.min(entry.size - 1, end - bytesAt), after };
    }
    at = next;
    if (at > end) return;
  }
  yield { before: cut(TAR_END, at), entry: NOTHING, from: 0, to: -1, after: new Uint8Array() };
}

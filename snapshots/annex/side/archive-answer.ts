/** GET /api/archive.tar: every file of a snapshot's tree in one archive, in the order of the tree. It is the same each time, is never whole
 *  anywhere, and a range of it reads what lies in that range. */
import { setImmediate } from "node:timers/promises";
import { create as formatDisposition } from "content-disposition";
import { TAR_END, tarHeader, tarHeaderLength, tarPadding } from "./tar.ts";
import type { BlobEntry, Tree } from "#snapshots/format";
import { openByteBudget, PART_BYTES, redactedBlobs, redactionError, type Snapshot } from "#snapshots/shelf";
import { type Answer, type SnapshotRequest, CACHE, checkPreconditions, findRange, formatTag, queryTag } from "#snapshots/http";

/** Bytes of files that are read at once: what one reader holds is what an answer under way is counted as. Bytes. */
const BATCH_BYTES = PART_BYTES;
/** Budget of all readers together: however many there are, other requests have their turn in between. */
const joining = openByteBudget(2 * BATCH_BYTES);
/** Files that are counted or passed over before others have their turn. */
const SLICE = 500;
/** Files of one folder that a reader holds the names of. */
const RUN = 64;
/** Files of a folder whose size is remembered, so that a range beyond it need not look into it. */
const LARGE = 1024 * 1024;
/** The end of the archive has no file. */
const NOTHING: BlobEntry = { kind: "blob", name: "", sha256: "", size: 0, type: "" };

/** One file in the archive. */
type Member = { readonly path: string; readonly entry: BlobEntry };
/** Bytes of the whole archive, and of what large folders are in it, by their paths. `redactions` is the version that it was made with. */
type Layout = { readonly size: number; readonly large: ReadonlyMap<string, number>; readonly redactions: string };

const layouts = new WeakMap<Snapshot, Promise<Layout>>();

/** archiveAnswer answers with a snapshot as one archive.
 *  @throws ShelfError "range_not_satisfiable", "precondition_failed", "snapshot_damaged", "withdrawn" or "withdrawn_legal" where a file of it was
 *  redacted */
export async function archiveAnswer({ context: { open, cache }, request }: SnapshotRequest): Promise<Answer> {
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
  const { size, large } = await layoutOf(open.snapshot);
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
    body: request.method === "HEAD" ? null : chunksOf(open.snapshot, large, start, end),
  };
}

const folderOf = (id: string): string => `snapshot-${id.slice(0, 12)}`;

/** Made once for all who ask for it, and again when something was redacted.
 *  @throws ShelfError "withdrawn", "withdrawn_legal" */
async function layoutOf(snapshot: Snapshot): Promise<Layout> {
  const redactions = await snapshot.shelf.redactions.version();
  const pending = layouts.get(snapshot);
  const known = await pending;
  if (known?.redactions === redactions) return known;
  // Somebody else may have begun meanwhile.
  if (layouts.get(snapshot) !== pending) return layoutOf(snapshot);
  const layout = measure(snapshot, redactions);
  layouts.set(snapshot, layout);
  layout.catch(() => layouts.get(snapshot) === layout && layouts.delete(snapshot));
  return layout;
}

async function measure(snapshot: Snapshot, redactions: string): Promise<Layout> {
  const redacted = new Set(await redactedBlobs(snapshot.shelf));
  const large = new Map<string, number>();
  let files = 0;
  const bytesUnder = async (tree: Tree, folder: string): Promise<number> => {
    let bytes = 0;
    for (const entry of tree) {
      if (++files % SLICE === 0) await setImmediate();
      const path = `${folder}/${entry.name}`;
      if (entry.kind === "tree") {
        const inside = await bytesUnder(await snapshot.tree(entry.sha256), path);
        if (inside >= LARGE) large.set(path, inside);
        bytes += inside;
      } else {
        if (redacted.has(entry.sha256)) throw await redactionError(snapshot.shelf, entry.sha256);
        bytes += lengthOf(path, entry);
      }
    }
    return bytes;
  };
  const size = (await bytesUnder(await snapshot.tree(snapshot.id), folderOf(snapshot.id))) + TAR_END.length;
  return { size, large, redactions };
}

function lengthOf(path: string, { size }: BlobEntry): number {
  return tarHeaderLength(path, size) + size + tarPadding(size);
}

/** The members from `start` on, in the order of the tree, up to RUN files of a folder at a time, with the place of the first. A stranger's key
 *  cannot leave the folder: no segment is "..". */
async function* membersFrom(
  snapshot: Snapshot,
  large: Layout["large"],
  start: number,
): AsyncGenerator<{ readonly at: number; readonly files: readonly Member[] }> {
  let at = 0;
  let passed = 0;
  async function* under(tree: Tree, folder: string): AsyncGenerator<{ readonly at: number; readonly files: readonly Member[] }> {
    let files: Member[] = [];
    let first = at;
    for (const entry of tree) {
      if (++passed % SLICE === 0) await setImmediate();
      const path = `${folder}/${entry.name}`;
      if (entry.kind === "blob") {
        at += lengthOf(path, entry);
        if (at > start) files.push({ path, entry });
        else first = at;
        if (files.length < RUN) continue;
        yield { at: first, files };
        files = [];
        first = at;
        continue;
      }
      if (files.length > 0) yield { at: first, files };
      files = [];
      const inside = large.get(path);
      if (inside !== undefined && at + inside <= start) at += inside;
      else yield* under(await snapshot.tree(entry.sha256), path);
      first = at;
    }
    if (files.length > 0) yield { at: first, files };
  }
  yield* under(await snapshot.tree(snapshot.id), folderOf(snapshot.id));
  yield { at, files: [] };
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
async function* chunksOf(snapshot: Snapshot, large: Layout["large"], start: number, end: number): AsyncGenerator<Uint8Array> {
  let batch: Piece[] = [];
  let bytes = 0;
  for await (const piece of piecesOf(snapshot, large, start, end)) {
    const { before, entry, from, to, after } = piece;
    const long = entry.size > PART_BYTES && from < to;
    if (long || bytes + entry.size > BATCH_BYTES) {
      yield await joinShort(snapshot, batch);
      batch = [];
      bytes = 0;
    }
    if (long) {
      yield before;
      const body = await snapshot.readPart(entry, from, to - 1);
      if (body instanceof Uint8Array) yield body;
      else yield* body;
      yield after;
    } else {
      batch.push(piece);
      bytes += before.length + entry.size + after.length;
    }
  }
  yield await joinShort(snapshot, batch);
}

async function joinShort(snapshot: Snapshot, pieces: readonly Piece[]): Promise<Uint8Array> {
  await joining.take(BATCH_BYTES);
  try {
    const bodies = await snapshot.readMany(pieces.filter(({ from, to }) => from < to).map(({ entry }) => entry));
    let next = 0;
    return Buffer.concat(
      pieces.flatMap(({ before, from, to, after }) =>
        from < to ? [before, (bodies[next++] as Uint8Array).subarray(from, to), after] : [before, after],
      ),
    );
  } finally {
    joining.give(BATCH_BYTES);
  }
}

async function* piecesOf(snapshot: Snapshot, large: Layout["large"], start: number, end: number): AsyncGenerator<Piece> {
  const cut = (bytes: Uint8Array, from: number): Uint8Array => bytes.subarray(Math.max(0, start - from), Math.max(0, end + 1 - from));
  let at = 0;
  for await (const { at: first, files } of membersFrom(snapshot, large, start)) {
    at = first;
    for (const { path, entry } of files) {
      const time = typeof entry.uploaded === "string" ? Math.floor(Date.parse(entry.uploaded) / 1000) : 0;
      const header = tarHeader(path, entry.size, time);
      const bytesAt = at + header.length;
      const padding = new Uint8Array(tarPadding(entry.size));
      const [from, to] = [Math.max(0, start - bytesAt), Math.min(entry.size, end + 1 - bytesAt)];
      yield { before: cut(header, at), entry, from, to, after: cut(padding, bytesAt + entry.size) };
      at = bytesAt + entry.size + padding.length;
      if (at > end) return;
    }
  }
  yield { before: cut(TAR_END, at), entry: NOTHING, from: 0, to: -1, after: new Uint8Array() };
}

/** GET /objects/{key}: bytes of strangers, sent so that no browser runs them (conventions "Errors and headers"). */
import { create as formatDisposition } from "content-disposition";
import { sha256Of } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { type Answer, type AnswerRequest, CACHE, type CacheClass, replyRange } from "./reply.ts";
import type { BlobEntry } from "../format/tree.ts";
import type { Snapshot } from "../shelf/read.ts";

/** Types that a browser may show in place: nothing in them can run or load anything. */
const PASSIVE = /^(text\/(plain|markdown|csv|x-[\w.-]+)|application\/(json|yaml)|image\/(png|jpeg|gif|webp))(;|$)/;
/** Objects up to this size are checked and sent from memory; longer ones are hashed once and then streamed. Bytes. */
const MAX_IN_MEMORY = 16 * 1024 * 1024;

/** Digests of long blobs that this process has hashed and found true. */
const verified = new Set<string>();

export async function objectAnswer(
  snapshot: Snapshot,
  key: string,
  entry: BlobEntry,
  request: AnswerRequest,
  cache: CacheClass,
): Promise<Answer> {
  const headers = {
    "Cache-Control": CACHE[cache],
    "Content-Type": entry.type,
    ...objectHeaders(key, entry),
  };
  return replyRange(request, { size: entry.size, sha256: entry.sha256, headers }, async (start, end) => {
    if (entry.size <= MAX_IN_MEMORY) return (await snapshot.read(entry)).subarray(start, end + 1);
    await checkLong(snapshot, entry);
    const stream = await snapshot.shelf.streamBlob(entry.sha256, start, end);
    if (stream === null) throw new ShelfError("snapshot_damaged", `Blob ${entry.sha256} is missing.`);
    return stream;
  });
}

/** What goes with the bytes of an object wherever they are sent. */
export function objectHeaders(key: string, entry: Pick<BlobEntry, "sha256" | "type" | "uploaded">): Record<string, string> {
  return {
    "Repr-Digest": `sha-256=:${Buffer.from(entry.sha256, "hex").toString("base64")}:`,
    "Content-Disposition": formatDisposition(key.slice(key.lastIndexOf("/") + 1).replaceAll(/[\u0000-\u001f\u007f]/g, "_"), {
      type: PASSIVE.test(entry.type) ? "inline" : "attachment",
    }),
    "Content-Security-Policy": "sandbox",
    "X-Content-Type-Options": "nosniff",
    ...(typeof entry.uploaded === "string" ? { "Last-Modified": new Date(entry.uploaded).toUTCString() } : {}),
  };
}

async function checkLong(snapshot: Snapshot, entry: BlobEntry): Promise<void> {
  if (verified.has(entry.sha256)) return;
  const stream = await snapshot.shelf.streamBlob(entry.sha256, 0, entry.size - 1);
  if (stream === null || (await sha256Of(stream)) !== entry.sha256) {
    throw new ShelfError("snapshot_damaged", `Blob ${entry.sha256} is missing or does not match its digest.`);
  }
  verified.add(entry.sha256);
}

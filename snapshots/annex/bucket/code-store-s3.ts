/** A bucket as exact-revision store.
 *
 *  A file that is open stays the version that it was: what is read later is asked for by its ETag, and is wrong bytes when that is
 *  there no more. */
import type { Bucket, BucketConfig, Got } from "./bucket.ts";
import { openBucket } from "./s3-bucket.ts";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { CODE_HEAD_PATTERN, CODE_REPO_PATTERN, type CodeRef, findCodePathProblem, parseCodeRef } from "#snapshots/format";
import { type CodeStore, type ListedCode, MAX_CODE_BYTES, type OpenFile, WrongBytes } from "#snapshots/shelf";

/** Bytes of a file that one request reads and a reader holds; a short file is held whole when it is opened. Bytes. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** Longer keys no store has. */
const MAX_KEY_BYTES = 1024;

export function openS3CodeStore(config: BucketConfig): CodeStore {
  const bucket = openBucket(config);
  const prefixBytes = Buffer.byteLength(config.prefix);
  const get = async (ref: CodeRef, length: number): Promise<Extract<Got, { state: "found" }> | null> => {
    parseCodeRef(ref.repo, ref.head, ref.path); // a caller that forgot must not leave the store
    const key = `${ref.repo}/${ref.head}/${ref.path}`;
    if (prefixBytes + Buffer.byteLength(key) > MAX_KEY_BYTES) return null;
    const got = await bucket.get(key, { range: { start: 0, end: length - 1 } }).catch(unavailable);
    return got.state === "found" ? got : null;
  };
  const openSmall = async (ref: CodeRef): Promise<OpenFile | null> => {
    const got = await get(ref, WINDOW_BYTES);
    if (got !== null && got.size > MAX_CODE_BYTES)
      throw new ShelfError("code_store_unavailable", `The file is larger than ${MAX_CODE_BYTES} bytes.`);
    return got === null ? null : toOpenFile(bucket, got);
  };
  return {
    async stat(ref) {
      const got = await get(ref, 1);
      return got === null ? null : { size: got.size };
    },
    open: openSmall,
    async read(ref) {
      const file = await openSmall(ref);
      if (file === null) return null;
      const bytes = await readWhole(file).catch(unavailable);
      return { bytes, sha256: sha256(bytes) };
    },
    list: () => list(bucket),
  };
}

async function readWhole(file: OpenFile): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let at = 0; at < file.size; at += WINDOW_BYTES) parts.push(await file.read(at, WINDOW_BYTES));
  return Buffer.concat(parts);
}

/** Reads go forward, so that one request serves many. */
function toOpenFile(bucket: Bucket, { key, size, etag, bytes }: Extract<Got, { state: "found" }>): OpenFile {
  let window = bytes;
  let start = 0;
  return {
    size,
    identity: [bucket.address, key, etag, size].join(" "),
    async read(position, length) {
      const end = Math.min(position + length, size);
      if (position >= end) return Buffer.alloc(0);
      if (position < start || end > start + window.length) {
        const range = { start: position, end: Math.min(position + Math.max(length, WINDOW_BYTES), size) - 1 };
        const got = await bucket.get(key, { range, ifMatch: etag }).catch(unavailable);
        if (got.state !== "found" || got.bytes.length < end - position) throw new WrongBytes("The file has changed while it was read.");
        window = got.bytes;
        start = position;
      }
      return window.subarray(position - start, end - start);
    },
    async close() {
      window = Buffer.alloc(0);
      start = 0;
    },
  };
}

async function* list(bucket: Bucket): AsyncGenerator<ListedCode> {
  const objects = bucket.list();
  for (;;) {
    const next = await objects.next().catch(unavailable);
    if (next.done === true) return;
    const { key, size } = next.value;
    const [repo = "", head = "", ...segments] = key.split("/");
    const path = segments.join("/");
    // The object that consoles make to show an empty folder is no file.
    if (!CODE_REPO_PATTERN.test(repo) || !CODE_HEAD_PATTERN.test(head) || (size === 0 && (path === "" || path.endsWith("/")))) continue;
    const problem = findCodePathProblem(path) ?? (size > MAX_CODE_BYTES ? `is larger than ${MAX_CODE_BYTES} bytes` : null);
    yield { repo, head, path, size, problem };
  }
}

function unavailable(cause: unknown): never {
  if (cause instanceof WrongBytes) throw cause;
  throw new ShelfError("code_store_unavailable", "The exact-revision store cannot be read.", { cause });
}

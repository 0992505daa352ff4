/** The thread behind index-thread.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { type ErrorCode, ShelfError } from "../../snapshots/errors.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import type { Document } from "../../snapshots/index/row.ts";
import { readBlob } from "../../snapshots/shelf/read.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import { parseExtract } from "../extract/extract-json.ts";
import type { IndexSource } from "./index-documents.ts";

export type IndexRoots = Readonly<Record<"public" | "internal", string>>;
export type Request =
  | {
      readonly id: number;
      readonly kind: "update";
      readonly view: "public" | "internal";
      readonly upsert: readonly IndexSource[];
      readonly remove: readonly string[];
      readonly base: string | null;
    }
  /** Follows an update, as soon as its snapshot is known. */
  | { readonly id: number; readonly kind: "tag"; readonly tag: string }
  /** What is under way is broken off as soon as the engine rests: it is native code, and a thread that ends while it works takes
   *  the whole process along. */
  | { readonly kind: "close" };

export type Reply =
  | { readonly id: number; readonly done: true }
  /** So many more documents have been read of an update. */
  | { readonly id: number; readonly read: number }
  | { readonly id: number; readonly code: ErrorCode | null; readonly message: string; readonly fixes: readonly string[] };

const TELL_EVERY = 64;
const CLOSED = new ShelfError("build_failed", "The index thread was closed.");

const roots = workerData as IndexRoots;
const publicShelf = openDirectoryShelf(roots.public, null, "building");
const shelves: Readonly<Record<"public" | "internal", Shelf>> = {
  public: publicShelf,
  internal: openDirectoryShelf(roots.internal, publicShelf, "building"),
};
const tags = new Map<number, PromiseWithResolvers<string>>();
const running = new Set<Promise<void>>();
let closing = false;

function tagOf(id: number): PromiseWithResolvers<string> {
  const known = tags.get(id);
  if (known !== undefined) return known;
  const made = Promise.withResolvers<string>();
  made.promise.catch(() => undefined); // it is awaited when the rows are written, if that comes about
  tags.set(id, made);
  return made;
}

async function update({ id, view, upsert, remove, base }: Extract<Request, { kind: "update" }>): Promise<void> {
  const index = await openIndex(shelves[view].indexUri);
  try {
    await index.update({ upsert: counted(id, documents(shelves[view], upsert)), remove, base, tag: tagOf(id).promise });
  } finally {
    index.close();
    tags.delete(id);
  }
}

async function* documents(shelf: Shelf, sources: readonly IndexSource[]): AsyncGenerator<Document> {
  for (const { extract, passages, ...rest } of sources) {
    if (closing) throw CLOSED;
    yield { ...rest, ...(extract === null ? { passages } : await readText(shelf, extract)) };
  }
}

/** Tells now and then how many have gone by. */
async function* counted(id: number, all: AsyncIterable<Document>): AsyncGenerator<Document> {
  let read = 0;
  const tell = (): void => {
    if (read > 0) parentPort?.postMessage({ id, read } satisfies Reply);
    read = 0;
  };
  for await (const document of all) {
    yield document;
    if (++read >= TELL_EVERY) tell();
  }
  tell();
}

async function readText(shelf: Shelf, digest: string): Promise<Pick<Document, "passages" | "language">> {
  const { passages, language } = parseExtract(await readBlob(shelf, digest));
  return { passages, language };
}

async function reply(request: Extract<Request, { kind: "update" }>): Promise<void> {
  const { id } = request;
  let said: Reply;
  try {
    await update(request);
    said = { id, done: true };
  } catch (error) {
    said =
      error instanceof ShelfError
        ? { id, code: error.code, message: error.message, fixes: error.fixes }
        : { id, code: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error), fixes: [] };
  }
  parentPort?.postMessage(said);
}

async function close(): Promise<void> {
  closing = true;
  for (const tag of tags.values()) tag.reject(CLOSED);
  await Promise.all(running);
  parentPort?.close();
}

parentPort?.on("message", (request: Request) => {
  if (request.kind === "close") void close();
  else if (request.kind === "tag") tagOf(request.id).resolve(request.tag);
  else {
    const work = reply(request).finally(() => running.delete(work));
    running.add(work);
  }
});

/** The thread behind index-thread.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { type ErrorCode, ShelfError } from "#snapshots/errors";
import { openIndex } from "#snapshots/index";
import { openDirectoryShelf, type Shelf } from "#snapshots/shelf";
import { type IndexSource, readDocuments } from "./index-documents.ts";

export type IndexRoots = Readonly<Record<"public" | "internal", string>>;
export type IndexRequest =
  | {
      readonly id: number;
      readonly kind: "update";
      readonly view: "public" | "internal";
      readonly remove: readonly string[];
      readonly base: string | null;
    }
  /** The next documents of an update, as they were wanted; none: those were all. */
  | { readonly id: number; readonly kind: "documents"; readonly documents: readonly IndexSource[] }
  /** Follows an update, as soon as its snapshot is known. */
  | { readonly id: number; readonly kind: "tag"; readonly tag: string }
  /** Breaks off what is under way as soon as the engine rests: it is native code, and a thread that ends while it works takes the whole process
   *  along. */
  | { readonly kind: "close" };

export type IndexReply =
  | { readonly id: number; readonly done: true }
  /** The documents before are being read: the next ones may come. */
  | { readonly id: number; readonly wanted: true }
  | { readonly id: number; readonly code: ErrorCode | null; readonly message: string; readonly fixes: readonly string[] };

const CLOSED = new ShelfError("build_failed", "The index thread was closed.");

const roots = workerData as IndexRoots;
const publicShelf = openDirectoryShelf(roots.public, null, "building");
const shelves: Readonly<Record<"public" | "internal", Shelf>> = {
  public: publicShelf,
  internal: openDirectoryShelf(roots.internal, publicShelf, "building"),
};
const tags = new Map<number, PromiseWithResolvers<string>>();
/** Documents that were asked for, by update. */
const wanted = new Map<number, PromiseWithResolvers<readonly IndexSource[]>>();
const running = new Set<Promise<void>>();
/** Ends when the update before has written its rows: making a full-text index takes memory for all rows of a view, so that one is made at a time. */
let turn = Promise.resolve();
let closing = false;

function tagOf(id: number): PromiseWithResolvers<string> {
  const known = tags.get(id);
  if (known !== undefined) return known;
  const made = Promise.withResolvers<string>();
  made.promise.catch(() => undefined); // it is awaited when the rows are written, if that comes about
  tags.set(id, made);
  return made;
}

/** A library's documents are more than fits in here at once, so that they come as they are written. */
async function* sources(id: number): AsyncGenerator<IndexSource> {
  const ask = (): Promise<readonly IndexSource[]> => {
    const answer = Promise.withResolvers<readonly IndexSource[]>();
    answer.promise.catch(() => undefined); // when the engine fails, nobody waits for it
    wanted.set(id, answer);
    parentPort?.postMessage({ id, wanted: true } satisfies IndexReply);
    return answer.promise;
  };
  for (let next = ask(); ; ) {
    const documents = await next;
    if (documents.length === 0) return;
    next = ask();
    for (const document of documents) {
      if (closing) throw CLOSED;
      yield document;
    }
  }
}

async function update({ id, view, remove, base }: Extract<IndexRequest, { kind: "update" }>): Promise<void> {
  const [before, written] = [turn, Promise.withResolvers<void>()];
  turn = written.promise;
  const index = await openIndex(shelves[view].indexUri);
  try {
    await before;
    if (closing) throw CLOSED;
    const upsert = readDocuments(shelves[view], sources(id));
    await index.update({ upsert, remove, base, tag: tagOf(id).promise, onWritten: written.resolve });
  } finally {
    written.resolve();
    index.close();
    tags.delete(id);
    wanted.delete(id);
  }
}

async function reply(request: Extract<IndexRequest, { kind: "update" }>): Promise<void> {
  const { id } = request;
  let said: IndexReply;
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
  for (const { reject } of [...tags.values(), ...wanted.values()]) reject(CLOSED);
  await Promise.all(running);
  parentPort?.close();
}

parentPort?.on("message", (request: IndexRequest) => {
  if (request.kind === "close") void close();
  else if (request.kind === "tag") tagOf(request.id).resolve(request.tag);
  else if (request.kind === "documents") wanted.get(request.id)?.resolve(request.documents);
  else {
    const work = reply(request).finally(() => running.delete(work));
    running.add(work);
  }
});

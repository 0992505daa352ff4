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
  | { readonly id: number; readonly kind: "tag"; readonly tag: string };

export type Reply =
  | { readonly id: number; readonly done: true }
  | { readonly id: number; readonly code: ErrorCode | null; readonly message: string; readonly fixes: readonly string[] };

const roots = workerData as IndexRoots;
const publicShelf = openDirectoryShelf(roots.public, null, "at once");
const shelves: Readonly<Record<"public" | "internal", Shelf>> = {
  public: publicShelf,
  internal: openDirectoryShelf(roots.internal, publicShelf, "at once"),
};
const tags = new Map<number, PromiseWithResolvers<string>>();

function tagOf(id: number): PromiseWithResolvers<string> {
  const known = tags.get(id);
  if (known !== undefined) return known;
  const made = Promise.withResolvers<string>();
  tags.set(id, made);
  return made;
}

async function update({ id, view, upsert, remove, base }: Extract<Request, { kind: "update" }>): Promise<void> {
  const index = await openIndex(shelves[view].indexUri);
  try {
    await index.update({ upsert: documents(shelves[view], upsert), remove, base, tag: tagOf(id).promise });
  } finally {
    index.close();
    tags.delete(id);
  }
}

async function* documents(shelf: Shelf, sources: readonly IndexSource[]): AsyncGenerator<Document> {
  for (const { extract, passages, ...rest } of sources)
    yield { ...rest, passages: extract === null ? passages : await readPassages(shelf, extract) };
}

async function readPassages(shelf: Shelf, digest: string): Promise<Document["passages"]> {
  return parseExtract(await readBlob(shelf, digest)).passages;
}

parentPort?.on("message", async (request: Request) => {
  const { id } = request;
  if (request.kind === "tag") {
    tagOf(id).resolve(request.tag);
    return;
  }
  let reply: Reply;
  try {
    await update(request);
    reply = { id, done: true };
  } catch (error) {
    reply =
      error instanceof ShelfError
        ? { id, code: error.code, message: error.message, fixes: error.fixes }
        : { id, code: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error), fixes: [] };
  }
  parentPort?.postMessage(reply);
});

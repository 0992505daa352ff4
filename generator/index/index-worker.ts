/** The thread behind index-thread.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { ShelfError } from "../../snapshots/errors.ts";
import { openIndex, type ViewIndex } from "../../snapshots/index/open.ts";
import type { Document } from "../../snapshots/index/row.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import type { IndexSource } from "./index-documents.ts";
import type { IndexRoots, Reply, Request } from "./index-messages.ts";

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

async function withIndex<T>(view: "public" | "internal", work: (index: ViewIndex) => Promise<T>): Promise<T> {
  const index = await openIndex(shelves[view].indexUri);
  try {
    return await work(index);
  } finally {
    index.close();
  }
}

async function* documents(shelf: Shelf, sources: readonly IndexSource[]): AsyncGenerator<Document> {
  for (const { extract, passages, ...rest } of sources)
    yield { ...rest, passages: extract === null ? passages : await readPassages(shelf, extract) };
}

async function readPassages(shelf: Shelf, digest: string): Promise<Document["passages"]> {
  const json = await shelf.getBlob(digest);
  if (json === null)
    throw new ShelfError("build_failed", "An extract is gone from the shelf; remove internal/build/state.v8 there and build again.");
  return (JSON.parse(Buffer.from(json).toString("utf8")) as Extract).passages;
}

async function answer(request: Exclude<Request, { kind: "tag" }>): Promise<boolean> {
  const { id, kind, view } = request;
  if (kind === "has") return withIndex(view, (index) => index.has(request.tag));
  const { upsert, remove, base } = request;
  await withIndex(view, (index) => index.update({ upsert: documents(shelves[view], upsert), remove, base, tag: tagOf(id).promise }));
  tags.delete(id);
  return true;
}

parentPort?.on("message", async (request: Request) => {
  const { id } = request;
  if (request.kind === "tag") {
    tagOf(id).resolve(request.tag);
    return;
  }
  let reply: Reply;
  try {
    reply = { id, value: await answer(request) };
  } catch (error) {
    reply =
      error instanceof ShelfError
        ? { id, code: error.code, message: error.message, fixes: error.fixes }
        : { id, code: null, message: error instanceof Error ? (error.stack ?? error.message) : String(error), fixes: [] };
  }
  parentPort?.postMessage(reply);
});

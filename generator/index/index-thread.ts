/** The search indexes written by a thread of their own, side by side with rendering. A thread and not a process, because a killed
 *  build must not leave a writer behind. */
import { Worker } from "node:worker_threads";
import { ShelfError } from "#snapshots/errors";
import type { IndexUpdate } from "#snapshots/index";
import type { IndexSource } from "./index-documents.ts";
import type { IndexRoots, IndexReply, IndexRequest } from "./index-worker.ts";

type SourceUpdate = Omit<IndexUpdate, "upsert"> & {
  readonly upsert: Iterable<IndexSource>;
  /** Told of so many more that have been taken. */
  readonly onRead: (documents: number) => void;
};

type Waiting = {
  resolve(): void;
  reject(reason: Error): void;
  /** The next documents. */
  send(): void;
};

export type IndexThread = {
  /** As ViewIndex.update, which see, of one view's index. */
  update(view: "public" | "internal", update: SourceUpdate): Promise<void>;
  /** Waits for the engine's present step and for no more: what is under way is refused. */
  close(): Promise<void>;
};

/** Documents that are sent at once: the thread has them, those before, and no others. */
const PART = 256;

/** openIndexThread starts the thread that writes the indexes. @param roots the views' shelf folders */
export function openIndexThread(roots: IndexRoots): IndexThread {
  const worker = new Worker(new URL("./index-worker.ts", import.meta.url), { workerData: roots });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let failure: Error | null = null;
  const fail = (error: Error): void => {
    failure ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on("message", (reply: IndexReply) => {
    const caller = waiting.get(reply.id);
    if ("wanted" in reply) return caller?.send();
    waiting.delete(reply.id);
    if ("done" in reply) caller?.resolve();
    else
      caller?.reject(
        reply.code === null ? new Error(reply.message) : new ShelfError(reply.code, reply.message, { fixes: [...reply.fixes] }),
      );
  });
  worker.on("error", (error) => fail(error instanceof Error ? error : new Error(String(error))));
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  void ended.then(() => fail(new Error("The index thread has ended.")));

  function ask(
    request: Extract<IndexRequest, { kind: "update" }>,
    { upsert, onRead }: Pick<SourceUpdate, "upsert" | "onRead">,
  ): Promise<void> {
    if (failure !== null) return Promise.reject(failure);
    const { id } = request;
    const sources = upsert[Symbol.iterator]();
    const send = (): void => {
      const documents: IndexSource[] = [];
      while (documents.length < PART) {
        const next = sources.next();
        if (next.done === true) break;
        documents.push(next.value);
      }
      onRead(documents.length);
      worker.postMessage({ id, kind: "documents", documents } satisfies IndexRequest);
    };
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject, send });
      worker.postMessage(request);
    });
  }

  return {
    async update(view, { upsert, remove, base, tag, onRead }) {
      const id = ++last;
      await Promise.all([
        ask({ id, kind: "update", view, remove, base }, { upsert, onRead }),
        // Without a tag the rows stay invisible, and the thread waits until it is closed.
        Promise.resolve(tag).then((known) => worker.postMessage({ id, kind: "tag", tag: known } satisfies IndexRequest)),
      ]);
    },
    async close() {
      worker.postMessage({ kind: "close" } satisfies IndexRequest);
      await ended;
    },
  };
}

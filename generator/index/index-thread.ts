/** The search indexes written by a thread of their own, side by side with rendering. A thread and not a process, because a killed
 *  build must not leave a writer behind. */
import { Worker } from "node:worker_threads";
import { ShelfError } from "../../snapshots/errors.ts";
import type { IndexUpdate } from "../../snapshots/index/open.ts";
import type { IndexSource } from "./index-documents.ts";
import type { IndexRoots, Reply, Request } from "./index-worker.ts";

type SourceUpdate = Omit<IndexUpdate, "upsert"> & {
  readonly upsert: readonly IndexSource[];
  /** Told of so many more that have been read. */
  readonly onRead: (documents: number) => void;
};

export type IndexThread = {
  /** As ViewIndex.update, which see, of one view's index. */
  update(view: "public" | "internal", update: SourceUpdate): Promise<void>;
  /** Waits for the engine's present step and for no more: what is under way is refused. */
  close(): Promise<void>;
};

/** @param roots the views' shelf folders */
export function openIndexThread(roots: IndexRoots): IndexThread {
  const worker = new Worker(new URL("./index-worker.ts", import.meta.url), { workerData: roots });
  const waiting = new Map<number, { resolve(): void; reject(reason: Error): void; onRead(documents: number): void }>();
  let last = 0;
  let failure: Error | null = null;
  const fail = (error: Error): void => {
    failure ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on("message", (reply: Reply) => {
    const caller = waiting.get(reply.id);
    if ("read" in reply) return caller?.onRead(reply.read);
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

  function ask(request: Extract<Request, { kind: "update" }>, onRead: SourceUpdate["onRead"]): Promise<void> {
    if (failure !== null) return Promise.reject(failure);
    return new Promise((resolve, reject) => {
      waiting.set(request.id, { resolve, reject, onRead });
      worker.postMessage(request);
    });
  }

  return {
    async update(view, { upsert, remove, base, tag, onRead }) {
      const id = ++last;
      await Promise.all([
        ask({ id, kind: "update", view, upsert, remove, base }, onRead),
        // Without a tag the rows stay invisible, and the thread waits until it is closed.
        Promise.resolve(tag).then((known) => worker.postMessage({ id, kind: "tag", tag: known } satisfies Request)),
      ]);
    },
    async close() {
      worker.postMessage({ kind: "close" } satisfies Request);
      await ended;
    },
  };
}

/** The model that needs no network and no account: 512 dimensions, English, its weights in a package. Nothing of it is
 *  loaded before the first text. */
import { availableParallelism } from "node:os";
import { ShelfError } from "../errors.ts";
import type { EmbedTask } from "./embedder-embedded-worker.ts";
import { type Embedder, normalize } from "./embedder.ts";

/** Tokens of a text that the model reads. The time grows with them (half a millisecond each); see README.md for the choice. */
const TOKENS = 40;
/** Texts of one task: enough to pay for the call, few enough to spread over the threads. */
const BATCH = 8;
/** Milliseconds after which an idle thread gives back its 150 MB. */
const IDLE_MS = 60_000;
const MAX_THREADS = 4;

/** @param options.threads at most this many; a server that embeds single queries needs one */
export function openEmbeddedEmbedder(options: { readonly threads?: number } = {}): Embedder {
  const threads = Math.max(1, Math.min(MAX_THREADS, options.threads ?? availableParallelism()));
  let pool: Promise<import("tinypool").Tinypool> | null = null;
  const start = async (): Promise<import("tinypool").Tinypool> => {
    const { Tinypool } = await import("tinypool");
    return new Tinypool({
      filename: new URL("./embedder-embedded-worker.ts", import.meta.url).href,
      runtime: "worker_threads", minThreads: 0, maxThreads: threads, idleTimeout: IDLE_MS,
    });
  };
  return {
    id: `energetic-ai-en-0.2.0/${TOKENS}`,
    dimensions: 512,
    async embed(texts, signal) {
      pool ??= start();
      const ready = await pool;
      const tasks: Promise<number[][]>[] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        const task: EmbedTask = { texts: texts.slice(at, at + BATCH), tokens: TOKENS };
        tasks.push(ready.run(task, signal === undefined ? {} : { signal }) as Promise<number[][]>);
      }
      try {
        return (await Promise.all(tasks)).flat().map(normalize);
      } catch (cause) {
        signal?.throwIfAborted();
        throw new ShelfError("not_configured", "The embedded model could not be run.", { cause });
      }
    },
    async close() {
      const opened = pool;
      pool = null;
      if (opened !== null) await (await opened).destroy();
    },
  };
}

/** The model that needs no network and no account: 512 dimensions, English, its weights in a package. */
import { fileURLToPath } from "node:url";
import { type ProcessOptions, openProcessEmbedder } from "./embedder-processes.ts";
import type { Embedder } from "./embedder.ts";

const TOKENS = 32; // of a text that the model reads; index/README.md has what they are worth

export function openEmbeddedEmbedder(options: ProcessOptions = {}): Embedder {
  const program = fileURLToPath(new URL("./embedder-embedded-worker.ts", import.meta.url));
  const id = `energetic-ai-en-0.2.0/${TOKENS}`;
  return openProcessEmbedder(
    { id, dimensions: 512, weak: true, name: "The embedded model", program, args: [String(TOKENS)], heapMegabytes: 96 },
    options,
  );
}

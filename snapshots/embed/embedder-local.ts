/** A model that somebody has put into a folder, as such models are published: `tokenizer.json` and `model.onnx` (or `onnx/model.onnx`);
 *  `tokenizer_config.json` and `1_Pooling/config.json` say more where they are there. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { type ProcessOptions, openProcessEmbedder } from "./embedder-processes.ts";
import type { Embedder } from "./embedder.ts";

const TOKENS = 128; // of a text that the model reads

export const TOKENIZER = "tokenizer.json";
export const TOKENIZER_CONFIG = "tokenizer_config.json";
export const POOLING = "1_Pooling/config.json";
const MODELS = ["model.onnx", "onnx/model.onnx"] as const;

/** @returns the embedder, or what the folder lacks, in words without its path: who searches reads them too */
export async function openLocalEmbedder(path: string, dimensions: number, options: ProcessOptions = {}): Promise<Embedder | string> {
  const [tokenizer] = await present(path, [TOKENIZER]);
  const [model] = await present(path, MODELS);
  if (tokenizer === undefined) return `has no ${TOKENIZER} that can be read`;
  if (model === undefined) return `has no ${MODELS.join(" or ")} that can be read`;
  const hash = createHash("sha256");
  for (const file of [model, ...(await present(path, [TOKENIZER, TOKENIZER_CONFIG, POOLING]))]) {
    await pipeline(createReadStream(join(path, file)), hash, { end: false });
  }
  return openProcessEmbedder(
    {
      // Other bytes are another model, whatever its folder is called.
      id: `local ${hash.digest("hex")}/${TOKENS}`,
      dimensions,
      name: "The local model",
      program: fileURLToPath(new URL("./embedder-local-worker.ts", import.meta.url)),
      args: [path, model, String(TOKENS)],
      heapMegabytes: 512, // the vocabulary of a model of a hundred languages
    },
    options,
  );
}

async function present(path: string, files: readonly string[]): Promise<string[]> {
  const found = await Promise.allSettled(files.map((file) => access(join(path, file))));
  return files.filter((_, at) => found[at]?.status === "fulfilled");
}

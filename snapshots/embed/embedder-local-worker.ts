/** One process of a model that lies in a folder. Arguments: the folder, the model's file in it, how many tokens of a text are read. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import type { InferenceSession as Session, Tensor as AnyTensor } from "onnxruntime-common";
import { POOLING, TOKENIZER, TOKENIZER_CONFIG } from "./embedder-local.ts";
import type { EmbedReply, EmbedTask } from "./embedder-processes.ts";

// It has no declarations of its own: it gives what onnxruntime-common declares.
const require = createRequire(import.meta.url);
const { InferenceSession, Tensor } = require("onnxruntime-node") as typeof import("onnxruntime-common");
const [folder = "", file = "", tokens = ""] = process.argv.slice(2);

/** What the model is at fault for, as words that follow its name. */
class Unfit extends Error {}

type Model = { readonly session: Session; readonly tokenizer: Tokenizer; readonly first: boolean };
let model: Promise<Model> | null = null;

async function load(): Promise<Model> {
  const json = async (name: string): Promise<object> => JSON.parse(await readFile(join(folder, name), "utf8")) as object;
  const config = await json(TOKENIZER_CONFIG).catch(() => ({}));
  const pooling: { readonly pooling_mode_cls_token?: boolean } = await json(POOLING).catch(() => ({}));
  const tokenizer = await json(TOKENIZER)
    .then((text) => {
      const made = new Tokenizer(text, config);
      made.encode("");
      return made;
    })
    .catch(() => {
      throw new Unfit("has a tokenizer that cannot be used");
    });
  // One thread, and one text at a time: a vector must follow from its text alone, bit by bit.
  const session = await InferenceSession.create(join(folder, file), { intraOpNumThreads: 1, interOpNumThreads: 1 }).catch(() => {
    throw new Unfit("is no model that this runtime reads");
  });
  return { session, tokenizer, first: pooling.pooling_mode_cls_token === true };
}

async function embed(text: string, { session, tokenizer, first }: Model): Promise<Float32Array> {
  const { ids, attention_mask: mask } = tokenizer.encode(text);
  // What a tokenizer puts at the end of every text stays there.
  const limit = Number(tokens);
  const cut = (list: readonly number[]): number[] => (list.length <= limit ? [...list] : [...list.slice(0, limit - 1), list.at(-1) ?? 0]);
  const row = (list: readonly number[]): AnyTensor => new Tensor("int64", BigInt64Array.from(list, BigInt), [1, list.length]);
  const kept = cut(ids);
  const known: Readonly<Record<string, AnyTensor>> = {
    input_ids: row(kept),
    attention_mask: row(cut(mask)),
    token_type_ids: row(kept.map(() => 0)),
  };
  const feeds = Object.fromEntries(
    session.inputNames.map((name) => {
      const tensor = known[name];
      if (tensor === undefined) throw new Unfit(`wants ${JSON.stringify(name)}, which is nothing that a text has`);
      return [name, tensor] as const;
    }),
  );
  const output = await session.run(feeds);
  const best = output["sentence_embedding"] ?? output["last_hidden_state"] ?? output[session.outputNames[0] ?? ""];
  const { data, dims } = best ?? { data: null, dims: [] };
  if (!(data instanceof Float32Array)) throw new Unfit("gives no vectors of 32-bit numbers");
  if (dims.length === 2) return Float32Array.from(data);
  const size = dims[2] ?? 0;
  if (first) return data.slice(0, size);
  const sum = new Float32Array(size);
  data.forEach((value, at) => {
    sum[at % size] = (sum[at % size] ?? 0) + value;
  });
  return sum;
}

async function embedAll(texts: EmbedTask): Promise<Float32Array[]> {
  model ??= load();
  const ready = await model;
  const vectors: Float32Array[] = [];
  for (const text of texts) vectors.push(await embed(text, ready));
  return vectors;
}

process.on("message", (task: EmbedTask) => {
  void embedAll(task).then(
    (vectors) => process.send?.(vectors satisfies EmbedReply),
    (error: unknown) => process.send?.((error instanceof Unfit ? error.message : "could not be run") satisfies EmbedReply),
  );
});
process.on("disconnect", () => process.exit());

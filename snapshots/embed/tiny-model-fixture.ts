/** A real model of meaning, as small as one can be: a table of vectors by word, written as ONNX with its tokenizer, into a folder. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Words that mean the same have the same direction. */
const VECTORS: Readonly<Record<string, readonly [number, number, number]>> = {
  "[UNK]": [0.1, 0.1, 0.1],
  dog: [1, 0, 0],
  puppy: [0.9, 0.1, 0],
  rain: [0, 1, 0],
  weather: [0, 0.9, 0.1],
  bank: [0, 0, 1],
  money: [0.1, 0, 0.9],
};
const [FLOAT, INT64] = [1, 7]; // TensorProto.DataType

/** @param file where in the folder the model lies
 *  @param input what it calls the words */
export function writeTinyModel(folder: string, file = "model.onnx", input = "input_ids"): void {
  const words = Object.keys(VECTORS);
  const tokenizer = {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: { type: "Lowercase" },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: null,
    decoder: null,
    model: {
      type: "WordPiece",
      vocab: Object.fromEntries(words.map((word, at) => [word, at])),
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
    },
  };
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  writeFileSync(join(folder, file), onnxOf(Object.values(VECTORS), input));
}

/** ModelProto of onnx.proto3 with one node, Gather(table, words). */
function onnxOf(table: readonly (readonly number[])[], input: string): Buffer {
  const width = table[0]?.length ?? 0;
  const numbers = Buffer.from(Float32Array.from(table.flat()).buffer);
  const tensor = [int(1, table.length), int(1, width), int(2, FLOAT), text(8, "table"), bytes(9, numbers)];
  const node = [text(1, "table"), text(1, input), text(2, "last_hidden_state"), text(4, "Gather")];
  const graph = [
    bytes(1, Buffer.concat(node)),
    text(2, "tiny"),
    bytes(5, Buffer.concat(tensor)),
    bytes(11, valueOf(input, INT64, ["batch", "words"])),
    bytes(12, valueOf("last_hidden_state", FLOAT, ["batch", "words", width])),
  ];
  const opset = [text(1, ""), int(2, 13)];
  return Buffer.concat([int(1, 8), bytes(7, Buffer.concat(graph)), bytes(8, Buffer.concat(opset))]);
}

/** ValueInfoProto of a tensor. */
function valueOf(name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const sizes = shape.map((size) => bytes(1, typeof size === "string" ? text(2, size) : int(1, size)));
  const tensor = Buffer.concat([int(1, type), bytes(2, Buffer.concat(sizes))]);
  return Buffer.concat([text(1, name), bytes(2, bytes(1, tensor))]);
}

function varint(value: number): Buffer {
  const out: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    out.push(rest >= 128 ? (rest % 128) + 128 : rest);
    if (rest < 128) return Buffer.from(out);
  }
}

function int(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Embedder } from "./embedder.ts";
import { openEmbedder } from "./open-embedder.ts";
import { writeTinyModel } from "./tiny-model-fixture.ts";

function makeFolder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "proofshelf-model-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function open(t: TestContext, path: string, dimensions = 3): Promise<Embedder> {
  const { embedder, notice } = await openEmbedder({ kind: "local", path, dimensions }, { env: {}, gateway: null, threads: 1 });
  assert.ok(embedder !== null, notice);
  t.after(() => embedder.close());
  return embedder;
}

const near = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  (a ?? new Float32Array()).reduce((sum, value, at) => sum + value * (b?.[at] ?? 0), 0);

test("a model in a folder gives vectors of length 1 that compare meanings; the same alone and among others", async (t) => {
  const folder = makeFolder(t);
  writeTinyModel(folder);
  const embedder = await open(t, folder);
  const [dog, puppy, bank] = await embedder.embed(["A dog", "the PUPPY", "bank money"]);
  assert.ok(near(dog, puppy) > near(dog, bank));
  assert.ok(Math.abs(near(dog, dog) - 1) < 1e-6);
  assert.deepEqual(await embedder.embed(["A dog"]), [dog]);
  assert.deepEqual((await embedder.embed(Array.from({ length: 40 }, (_, at) => (at === 30 ? "A dog" : `rain ${at}`))))[30], dog);
});

test("a model is known by its bytes, wherever its folder lies and its file in it; other bytes are another model", async (t) => {
  const [one, other] = [makeFolder(t), makeFolder(t)];
  writeTinyModel(one);
  writeTinyModel(other, "onnx/model.onnx");
  const { id } = await open(t, one);
  assert.equal((await open(t, other)).id, id);
  writeFileSync(join(other, "tokenizer_config.json"), "{}");
  assert.notEqual((await open(t, other)).id, id);
});

test("what a folder lacks, what is no model and what does not fit is said without the folder's path", async (t) => {
  const folder = makeFolder(t);
  const ask = async (dimensions = 3): Promise<string> => {
    const { embedder, notice } = await openEmbedder({ kind: "local", path: folder, dimensions }, { env: {}, gateway: null, threads: 1 });
    const message = await (embedder?.embed(["dog"]) ?? Promise.reject(new Error(notice))).then(String, (error: Error) => error.message);
    await embedder?.close();
    assert.ok(!message.includes(folder), message);
    return message;
  };
  assert.match(await ask(), /embeddings\.path in proofshelf\.yaml names has no tokenizer\.json/);
  writeTinyModel(folder);
  assert.match(await ask(4), /gives 3 dimensions where 4 are configured/);
  writeTinyModel(folder, "model.onnx", "pixels");
  assert.match(await ask(), /wants "pixels"/);
  writeFileSync(join(folder, "model.onnx"), "no model");
  assert.match(await ask(), /is no model that this runtime reads/);
  writeFileSync(join(folder, "tokenizer.json"), "{}");
  assert.match(await ask(), /has a tokenizer that cannot be used/);
  rmSync(join(folder, "model.onnx"));
  assert.match(await ask(), /has no model\.onnx or onnx\/model\.onnx/);
});

test("a text is read up to a limit, and an empty one gives a vector or a refusal, never a wrong one", async (t) => {
  const folder = makeFolder(t);
  writeTinyModel(folder);
  const embedder = await open(t, folder);
  const [long, cut] = await embedder.embed([`${"dog ".repeat(128)}${"rain ".repeat(1000)}`, `${"dog ".repeat(127)}rain`]);
  assert.deepEqual(long, cut);
  await assert.rejects(embedder.embed([""]), { code: "not_configured" });
});

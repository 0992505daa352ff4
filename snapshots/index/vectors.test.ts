import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { semantic } from "../query/semantic.ts";
import { openEmbeddedEmbedder } from "../embedders/embedder-embedded.ts";
import type { Embedder } from "../embed/embedder.ts";
import { openIndex } from "./open.ts";
import type { Document } from "./row.ts";
import { vectorTableName } from "./vectors.ts";

const folder = await mkdtemp(join(tmpdir(), "vectors-"));
const model = openEmbeddedEmbedder({ threads: 1 });
after(async () => {
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

function document(key: string, text: string, title = key): Document {
  return {
    doc: `object:${key}`,
    key,
    kind: "text",
    collection: "",
    title,
    sha256: "0".repeat(64),
    passages: text
      .split("\n")
      .map((line, at) => ({ heading: [], name: null, page: null, start_line: at + 1, end_line: at + 1, text: line })),
  };
}

const DOCUMENTS = [
  document("a/dog.txt", "A puppy plays in the garden.", "Pets"),
  document("a/stock.txt", "Shares fell on the exchange today.\nBanks raised their interest rates.", "Money"),
  document("b/rain.txt", "It will rain tomorrow in the north.", "Weather"),
  document("b/empty.txt", "", "Zeppelin"),
];

/** The real model, counting the texts it is given, under another name where one is asked for. */
function counted(id = model.id): Embedder & { texts: number } {
  return {
    id,
    dimensions: model.dimensions,
    texts: 0,
    close: async () => {},
    async embed(texts, signal) {
      this.texts += texts.length;
      return model.embed(texts, signal);
    },
  };
}

const query = (q: string, prefix = "", limit = 10): { q: string; prefix: string; limit: number } => ({ q, prefix, limit });

test("what a query means is found where none of its words stand, only under its prefix, with the lines", async () => {
  const index = await openIndex(join(folder, "meaning"));
  await index.update({ upsert: DOCUMENTS, remove: [], base: null, tag: "one" });
  await index.embed({ tag: "one", embedder: model, cacheUri: null });
  const reader = await index.at("one");
  const young = await semantic(reader, model, query("young dogs running around"));
  assert.equal(young.mode, "semantic");
  assert.equal(young.results[0]?.key, "a/dog.txt");
  assert.deepEqual(
    young.results[0]?.chunks.map(({ text, start_line, end_line }) => [text, start_line, end_line]),
    [["A puppy plays in the garden.", 1, 1]],
  );
  const money = await semantic(reader, model, query("cost of borrowing money from a bank", "a/"));
  assert.equal(money.results[0]?.key, "a/stock.txt");
  assert.equal(money.results[0]?.row.start_line, 2, "the best passage");
  assert.ok(money.results.every(({ key }) => key.startsWith("a/")));
  assert.equal((await semantic(reader, model, query("Zeppelin"))).results[0]?.exact, "title");
  for (const q of ["", "\0\ud800", "💥 ∀ %", "x".repeat(500)]) {
    for (const { score } of (await semantic(reader, model, query(q, "a'b"))).results) assert.ok(Number.isFinite(score));
    for (const { score } of (await semantic(reader, model, query(q))).results) assert.ok(Number.isFinite(score));
  }
  reader.close();
  index.close();
});

test("a weak model changes nothing in what the words of a query find, unless one of them is unknown; what only it finds follows", async () => {
  const index = await openIndex(join(folder, "weak"));
  const texts = ["alpha beta gamma", "alpha beta gamma delta", "omega"];
  const upsert = texts.map((text, at) => ({ ...document(`w/${at}.txt`, text), sha256: String(at).repeat(64) }));
  await index.update({ upsert, remove: [], base: null, tag: "one" });
  const toy: Embedder = {
    id: "toy",
    dimensions: 2,
    close: async () => {},
    // What says delta is near to every query.
    embed: async (all) => all.map((text) => Float32Array.from(/^what|delta/.test(text) ? [1, 0] : [0, 1])),
  };
  await index.embed({ tag: "one", embedder: toy, cacheUri: null });
  const reader = await index.at("one");
  const order = async (embedder: Embedder, q: string): Promise<string[]> =>
    (await semantic(reader, embedder, query(q))).results.map(({ key }) => key.slice(2, 3));
  assert.deepEqual(await order(toy, "what is the alpha beta"), ["1", "0", "2"]);
  assert.deepEqual(await order({ ...toy, weak: true }, "what is the alpha beta"), ["0", "1", "2"]);
  assert.deepEqual(await order({ ...toy, weak: true }, "what is the alpha heliotrope"), ["1", "0", "2"]);
  reader.close();
  index.close();
});

test("many copies of one file push nothing else out of what is found by meaning", async () => {
  const index = await openIndex(join(folder, "copies"));
  const copies = Array.from({ length: 40 }, (_, at) => ({ ...document(`c/${at}.txt`, "alpha alpha beta"), sha256: "c".repeat(64) }));
  const others = [1, 2].map((at) => ({ ...document(`d/${at}.txt`, `a text of ${at} that says alpha`), sha256: String(at).repeat(64) }));
  await index.update({ upsert: [...copies, ...others], remove: [], base: null, tag: "one" });
  const toy: Embedder = {
    id: "toy",
    dimensions: 2,
    close: async () => {},
    embed: async (all) => all.map((text) => Float32Array.from(text.includes("text") ? [1, 0] : [0, 1])),
  };
  await index.embed({ tag: "one", embedder: toy, cacheUri: null });
  const reader = await index.at("one");
  for (const limit of [1, 2, 3, 10, 50])
    assert.equal((await semantic(reader, toy, query("alpha", "", limit))).results.length, Math.min(limit, 3), `limit ${limit}`);
  reader.close();
  index.close();
});

test("without a model, without its vectors, or with a model that fails, the answer is a notice", async () => {
  const index = await openIndex(join(folder, "missing"));
  await index.update({ upsert: DOCUMENTS, remove: [], base: null, tag: "one" });
  const reader = await index.at("one");
  const none = await semantic(reader, null, query("rain"));
  assert.deepEqual([none.mode, none.results], ["unavailable", []]);
  assert.match(none.notice, /not configured/);
  assert.match((await semantic(reader, model, query("rain"))).notice, /not made yet/);
  await index.embed({ tag: "one", embedder: model, cacheUri: null });
  assert.equal((await semantic(reader, model, query("rain"))).mode, "semantic", "vectors that came later are found");
  const broken: Embedder = { ...counted(), embed: () => Promise.reject(new Error("down: secret")) };
  const failed = await semantic(reader, broken, query("rain"));
  assert.equal(failed.mode, "unavailable");
  assert.doesNotMatch(failed.notice, /secret/);
  await assert.rejects(index.embed({ tag: "two", embedder: model, cacheUri: null }), { code: "search_unavailable" });
  reader.close();
  index.close();
});

test("only what is new is embedded; another view takes its vectors from the cache; another model starts anew", async () => {
  const cacheUri = join(folder, "cache");
  const index = await openIndex(join(folder, "public"));
  const first = counted();
  await index.update({ upsert: DOCUMENTS, remove: [], base: null, tag: "one" });
  assert.deepEqual(await index.embed({ tag: "one", embedder: first, cacheUri }), { passages: 5, written: 5, embedded: 5, left: 0 });
  assert.deepEqual(await index.embed({ tag: "one", embedder: first, cacheUri }), { passages: 5, written: 0, embedded: 0, left: 0 });
  await index.update({
    upsert: [document("a/stock.txt", "Shares fell on the exchange today.\nSomething else.", "Money")],
    remove: ["object:b/rain.txt"],
    base: "one",
    tag: "two",
  });
  assert.deepEqual(await index.embed({ tag: "two", embedder: first, cacheUri }), { passages: 4, written: 2, embedded: 1, left: 0 });
  assert.equal(first.texts, 6);
  const internal = await openIndex(join(folder, "internal"));
  await internal.update({ upsert: DOCUMENTS, remove: [], base: null, tag: "one" });
  assert.equal((await internal.embed({ tag: "one", embedder: first, cacheUri })).embedded, 0);
  const other = counted("another model");
  assert.equal((await index.embed({ tag: "two", embedder: other, cacheUri })).embedded, 4);
  const [reader, old] = [await index.at("two"), await index.at("one")];
  assert.equal((await semantic(old, model, query("will it be wet outside"))).results[0]?.key, "b/rain.txt");
  assert.ok((await semantic(reader, model, query("will it be wet outside"))).results.every(({ key }) => key !== "b/rain.txt"));
  for (const open of [reader, old, index, internal]) open.close();
});

test("of too many passages those get a vector that say what the others are about, kind by kind as there is room", async () => {
  const index = await openIndex(join(folder, "many"));
  const passages = (list: readonly (readonly [heading: string, name: string | null, text: string])[]): Document["passages"] =>
    list.map(([heading, name, text], n) => ({ heading: [heading], name, page: null, start_line: n + 1, end_line: n + 1, text }));
  const code = { ...document("c.lean", ""), kind: "code" as const };
  const upsert = [
    {
      ...code,
      passages: passages([
        ["", null, "import Mathlib"],
        ["", "told", "/-- Says what it is. -/\ntheorem told : a"],
        ["", "bare", "theorem bare : b"],
      ]),
    },
    {
      ...document("p.txt", ""),
      passages: passages([
        ["One", null, "first"],
        ["One", null, "second"],
        ["Two", null, "third"],
      ]),
    },
  ];
  await index.update({ upsert, remove: [], base: null, tag: "one" });
  const toy: Embedder = {
    id: "toy",
    dimensions: 2,
    close: async () => {},
    embed: async (all) => all.map(() => Float32Array.from([1, 0])),
  };
  const reader = await index.at("one");
  const chosen = async (most?: number): Promise<readonly [string[], number]> => {
    const { left } = await index.embed({ tag: "one", embedder: toy, cacheUri: null, ...(most === undefined ? {} : { most }) });
    const found = (await (await index.at("one")).vectors("toy"))?.nearest(Float32Array.from([1, 0]), "", 9) ?? Promise.resolve([]);
    return [(await found).map(({ doc, n }) => `${doc.at(-1)}${n}`).sort(), left];
  };
  assert.deepEqual(await chosen(), [["n0", "n1", "n2", "t0", "t1", "t2"], 0]);
  assert.deepEqual(await chosen(5), [["n0", "n1", "t0", "t2"], 2]);
  assert.deepEqual(await chosen(3), [["n0", "n1", "t0"], 3]);
  assert.deepEqual(await chosen(1), [["n0", "t0"], 4], "every document can be found by its meaning");
  assert.deepEqual(await chosen(), [["n0", "n1", "n2", "t0", "t1", "t2"], 0]);
  reader.close();
  index.close();
});

test("embedding that was stopped goes on where it was, and prune forgets vectors with their tags", async () => {
  const cacheUri = join(folder, "cache-stopped");
  const index = await openIndex(join(folder, "stopped"));
  const many = Array.from({ length: 600 }, (_, at) => document(`m/${at}.txt`, `text number ${at}`));
  await index.update({ upsert: many, remove: [], base: null, tag: "one" });
  let calls = 0;
  const vector = (text: string): Float32Array => Float32Array.from([1, text.length % 7, text.length % 3], (value) => value / 10);
  const toy: Embedder = {
    id: "toy",
    dimensions: 3,
    close: async () => {},
    embed: (texts) => (calls++ === 1 ? Promise.reject(new Error("killed")) : Promise.resolve(texts.map(vector))),
  };
  await assert.rejects(index.embed({ tag: "one", embedder: toy, cacheUri }), /killed/);
  const reader = await index.at("one");
  assert.equal(await reader.vectors("toy"), null);
  const { embedded } = await index.embed({ tag: "one", embedder: toy, cacheUri });
  assert.ok(embedded < 600 && embedded > 0);
  assert.equal((await (await reader.vectors("toy"))?.nearest(Float32Array.from([1, 0, 0]), "m/5", 100))?.length, 100);
  await index.update({ upsert: [], remove: ["object:m/1.txt"], base: "one", tag: "two" });
  await index.prune(["two"]);
  const next = await index.at("two");
  assert.equal(await next.vectors("toy"), null);
  for (const open of [reader, next, index]) open.close();
});

test("vectors and a cache that a full disk left unreadable are made again", async () => {
  const [dir, cacheUri] = [join(folder, "torn"), join(folder, "cache-torn")];
  const toy: Embedder = {
    id: "toy",
    dimensions: 3,
    close: async () => {},
    embed: (texts) => Promise.resolve(texts.map(() => Float32Array.from([1, 0, 0]))),
  };
  const before = await openIndex(dir);
  await before.update({ upsert: [document("t.txt", "text")], remove: [], base: null, tag: "one" });
  await before.embed({ tag: "one", embedder: toy, cacheUri });
  before.close();
  for (const table of [
    join(dir, `${vectorTableName("toy")}.lance`),
    ...readdirSync(cacheUri)
      .filter((name) => name !== "manifests")
      .map((name) => join(cacheUri, name)),
  ])
    rmSync(join(table, "_versions"), { recursive: true });
  const index = await openIndex(dir);
  const reader = await index.at("one");
  assert.equal(await reader.vectors("toy"), null);
  assert.deepEqual(await index.embed({ tag: "one", embedder: toy, cacheUri }), { passages: 1, written: 1, embedded: 1, left: 0 });
  assert.equal((await (await reader.vectors("toy"))?.nearest(Float32Array.from([1, 0, 0]), "", 9))?.length, 1);
  reader.close();
  rmSync(join(dir, `${vectorTableName("toy")}.lance`, "_versions"), { recursive: true });
  await index.prune(["one"]);
  assert.equal(await index.findProblem("one"), null);
  index.close();
});

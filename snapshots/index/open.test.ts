import assert from "node:assert/strict";
import { readdirSync, rmSync, truncateSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { sha256 } from "../digest.ts";
import { search } from "../query/search.ts";
import { openIndex } from "./open.ts";
import type { ViewIndex } from "./view-index.ts";
import { type Document, documentId } from "./row.ts";
import { PASSAGES, WORDS as COUNTS } from "./tables.ts";

const folder = await mkdtemp(join(tmpdir(), "index-"));
after(() => rm(folder, { recursive: true, force: true }));

const WORDS = "proof sort list permutation lemma induction nat add comm tree graph path order group ring field vector space".split(" ");

/** A small text that depends on its number alone. */
function text(seed: number, length = 30): string {
  let state = seed * 2654435761 + 1;
  return Array.from({ length }, () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return WORDS[Math.floor((state / 2147483648) ** 2 * WORDS.length)] ?? "";
  }).join(" ");
}

function document(key: string, passages: readonly string[], title = key): Document {
  return {
    doc: documentId("object", key),
    key,
    kind: "text",
    collection: "c",
    title,
    sha256: sha256([key, ...passages].join("\n")),
    passages: passages.map((passage, at) => ({ heading: [], name: null, page: null, start_line: at + 1, end_line: at + 1, text: passage })),
  };
}

function some(from: number, to: number, change = 0): Document[] {
  return Array.from({ length: to - from }, (_, at) =>
    document(`c/${from + at}.txt`, [text(from + at + change), text(from + at + change + 5000, 12)]),
  );
}

async function found(index: ViewIndex, tag: string, q: string, prefix = ""): Promise<[string, number][]> {
  const reader = await index.at(tag);
  const results = await search(reader, { q, prefix, limit: 100 });
  reader.close();
  return results.map(({ key, score }) => [key, score]);
}

test("an index that grew by changes and removals scores exactly like one built in one go, and nearly while few rows are stale", async () => {
  const grown = await openIndex(join(folder, "grown"));
  await grown.update({ upsert: some(0, 1150), remove: [], base: null, tag: "one" });
  await grown.update({ upsert: some(1150, 1190), remove: [], base: "one", tag: "two" });
  await grown.update({ upsert: some(20, 90, 7000), remove: ["object:c/3.txt", "object:c/180.txt"], base: "two", tag: "three" });
  const built = await openIndex(join(folder, "built"));
  const last = [...some(0, 20), ...some(20, 90, 7000), ...some(90, 1190)].filter(({ key }) => key !== "c/3.txt" && key !== "c/180.txt");
  await built.update({ upsert: last.toReversed(), remove: [], base: null, tag: "three" });
  const queries = ["vector space", "proof sort graph", "group", "lemma induction nat add ring", "180.txt"];
  for (const q of queries) {
    const expected = await found(built, "three", q);
    assert.ok(expected.length > 0);
    assert.deepEqual(await found(grown, "three", q), expected, q);
  }
  // Few rows that are gone, of a table that is not small: the engine goes on counting them.
  await grown.update({ upsert: some(40, 41, 9000), remove: [], base: "three", tag: "four" });
  await grown.update({ upsert: [], remove: ["object:c/7.txt"], base: "four", tag: "five" });
  const again = [...last.filter(({ key }) => key !== "c/40.txt" && key !== "c/7.txt"), ...some(40, 41, 9000)];
  await built.update({ upsert: again, remove: [], base: null, tag: "five" });
  for (const q of queries) {
    const expected = new Map(await found(built, "five", q));
    const scores = await found(grown, "five", q);
    // Where a list of a hundred ends, one that is nearly as good may stand for another.
    const both = scores.filter(([key]) => expected.has(key));
    assert.ok(both.length >= 0.8 * scores.length && scores.length === expected.size, q);
    for (const [key, score] of both) assert.ok(Math.abs(score / (expected.get(key) ?? 0) - 1) < 0.05, `${q}: ${key} ${score}`);
  }
  // More than one in twenty.
  await grown.update({ upsert: some(50, 120, 9000), remove: [], base: "five", tag: "six" });
  await built.update({
    upsert: [...again.filter(({ key }) => !/^c\/(?:[5-9]\d|1[01]\d)\./.test(key)), ...some(50, 120, 9000)],
    remove: [],
    base: null,
    tag: "six",
  });
  for (const q of queries) assert.deepEqual(await found(grown, "six", q), await found(built, "six", q), q);
  grown.close();
  built.close();
});

test("a reader of an earlier tag keeps giving what it gave, and a tag is missing until its update is whole", async () => {
  const uri = join(folder, "tags");
  const index = await openIndex(uri);
  await index.update({ upsert: [document("a.txt", ["old words about rings"])], remove: [], base: null, tag: "one" });
  const reader = await index.at("one");
  await index.update({
    upsert: [document("a.txt", ["new words about fields"]), document("b.txt", ["rings"])],
    remove: [],
    base: "one",
    tag: "two",
  });
  const keys = async (q: string): Promise<string[]> => (await search(reader, { q, prefix: "", limit: 10 })).map(({ key }) => key);
  assert.deepEqual(await keys("rings"), ["a.txt"]);
  assert.deepEqual(await keys("fields"), []);
  const other = await openIndex(uri);
  assert.deepEqual(
    (await found(other, "two", "rings")).map(([key]) => key),
    ["b.txt"],
  );
  assert.deepEqual(
    (await found(other, "one", "rings")).map(([key]) => key),
    ["a.txt"],
  );
  // Made anew, and not by changes: the same holds.
  await index.update({ upsert: [document("c.txt", ["rings"])], remove: [], base: null, tag: "anew" });
  assert.deepEqual(await keys("rings"), ["a.txt"]);
  for (const [tag, key] of [
    ["one", "a.txt"],
    ["two", "b.txt"],
    ["anew", "c.txt"],
  ] as const) {
    assert.deepEqual(
      (await found(await openIndex(uri), tag, "rings")).map(([name]) => name),
      [key],
    );
  }
  await assert.rejects(index.at("three"), { code: "search_unavailable" });
  await assert.rejects(index.update({ upsert: [], remove: [], base: "three", tag: "four" }), { code: "search_unavailable" });
  for (const open of [index, other]) open.close();
});

test("an update that dies midway leaves nothing behind in the next one", async () => {
  const index = await openIndex(join(folder, "crash"));
  await index.update({ upsert: [document("a.txt", ["rings"])], remove: [], base: null, tag: "one" });
  async function* broken(): AsyncGenerator<Document> {
    for (let at = 0; at < 9000; at++) yield document(`broken/${at}.txt`, ["rings and fields"]);
    throw new Error("killed");
  }
  await assert.rejects(index.update({ upsert: broken(), remove: ["object:a.txt"], base: "one", tag: "two" }), /killed/);
  assert.deepEqual(
    [await index.findProblem("one"), await index.findProblem("two")].map((problem) => problem === null),
    [true, false],
  );
  await index.update({ upsert: [document("b.txt", ["rings"])], remove: [], base: "one", tag: "two" });
  assert.deepEqual(
    (await found(index, "two", "rings")).map(([key]) => key),
    ["a.txt", "b.txt"],
  );
  await assert.rejects(index.update({ upsert: broken(), remove: [], base: null, tag: "three" }), /killed/);
  assert.deepEqual(
    (await found(index, "two", "rings")).map(([key]) => key),
    ["a.txt", "b.txt"],
  );
  index.close();
});

test("a table that a full disk or a power cut left unreadable is made anew, and keeps neither builds nor prune from working", async () => {
  for (const [at, damage] of [
    // What is left when the disk is full before the first version is written.
    (versions: string) => rmSync(versions, { recursive: true }),
    // What a file system gives after a power cut for a file that was not synced.
    (versions: string) => truncateSync(join(versions, readdirSync(versions).sort()[0] ?? ""), 0),
  ].entries()) {
    for (const name of [PASSAGES, COUNTS]) {
      const dir = join(folder, `damaged-${at}-${name}`);
      const before = await openIndex(dir);
      await before.update({ upsert: some(0, 3), remove: [], base: null, tag: "one" });
      before.close();
      damage(join(dir, `${name}.lance`, "_versions"));
      const index = await openIndex(dir);
      assert.notEqual(await index.findProblem("one"), null);
      await assert.rejects(index.at("one"), { code: "search_unavailable" });
      await index.prune(["one"]);
      await index.update({ upsert: some(0, 3), remove: [], base: null, tag: "two" });
      assert.equal(await index.findProblem("two"), null);
      assert.equal((await found(index, "two", "c/1.txt"))[0]?.[0], "c/1.txt");
      await index.prune(["two"]);
      index.close();
    }
  }
});

test("prune forgets the tags that are not kept, and the kept ones answer as before", async () => {
  const index = await openIndex(join(folder, "prune"));
  await index.update({ upsert: some(0, 20), remove: [], base: null, tag: "one" });
  await index.update({ upsert: some(5, 25, 3), remove: [], base: "one", tag: "two" });
  await index.update({ upsert: some(9, 12, 9), remove: [], base: "two", tag: "three" });
  const before = await found(index, "two", "proof sort");
  assert.equal(await index.holdsRemoved(), false, "the first tag has what the others have no more");
  await index.prune(["two", "three"]);
  assert.equal(await index.holdsRemoved(), true);
  const problems = await Promise.all(["one", "two", "three"].map((tag) => index.findProblem(tag)));
  assert.deepEqual(
    problems.map((problem) => problem === null),
    [false, true, true],
  );
  assert.deepEqual(await found(index, "two", "proof sort"), before);
  await index.update({ upsert: some(0, 3, 30), remove: [], base: "three", tag: "four" });
  assert.ok((await found(index, "four", "proof sort")).length > 0);
  index.close();
});

test("an index that is changed and pruned again and again grows by nothing but the rows that wait to be merged", async () => {
  const uri = join(folder, "often");
  const index = await openIndex(uri);
  let base: string | null = null;
  const sizes: number[] = [];
  for (let n = 0; n < 8; n++) {
    const tag = `turn-${n}`;
    await index.update({ upsert: base === null ? some(0, 20) : [document("c/0.txt", [`turn ${n}`])], remove: [], base, tag });
    await index.prune(base === null ? [tag] : [base, tag]);
    base = tag;
    sizes.push(readdirSync(uri, { recursive: true }).filter((path) => !/\.lance\/(?:data|_deletions)\//.test(String(path))).length);
  }
  index.close();
  for (const [at, size] of sizes.entries()) if (at > 2) assert.equal(size, sizes[at - 2], sizes.join(" "));
});

test("a text of thousands of passages whose words are all different is indexed, found by its last word, and beside it a short one", async () => {
  const index = await openIndex(join(folder, "long"));
  const passages = Array.from(
    { length: 8000 },
    (_, at) => `${text(at, 4)} rare${at}a rare${at}b rare${at}c rare${at}d rare${at}e rare${at}f`,
  );
  await index.update({ upsert: [document("c/long.log", passages), ...some(0, 3)], remove: [], base: null, tag: "one" });
  assert.equal((await found(index, "one", "rare7999f"))[0]?.[0], "c/long.log");
  assert.equal((await found(index, "one", "rare12a"))[0]?.[0], "c/long.log");
  index.close();
});

test("hostile keys and prefixes restrict like any other, before ranking", async () => {
  const index = await openIndex(join(folder, "hostile"));
  const keys = [
    "a'b/x.txt",
    'a"b/x.txt',
    "a\\b/x.txt",
    "a%b/x.txt",
    "a_b/x.txt",
    "ä/x.txt",
    "a\n/x.txt",
    "a' OR '1'='1/x.txt",
    "\u{1F600}/x.txt",
    "--/x.txt",
  ];
  await index.update({ upsert: keys.map((key) => document(key, ["common words"])), remove: [], base: null, tag: "one" });
  for (const key of keys) {
    const prefix = key.slice(0, key.indexOf("/") + 1);
    assert.deepEqual(
      (await found(index, "one", "common", prefix)).map(([name]) => name),
      [key],
      prefix,
    );
    assert.equal((await found(index, "one", key))[0]?.[0], key, "the exact key comes first");
  }
  for (const prefix of ["A'B/", "nothing/", "a\0", "\ud800", "'", "%"]) assert.deepEqual(await found(index, "one", "common", prefix), []);
  await index.update({ upsert: [], remove: keys.slice(0, 4).map((key) => documentId("object", key)), base: "one", tag: "two" });
  assert.equal((await found(index, "two", "common")).length, keys.length - 4);
  index.close();
});

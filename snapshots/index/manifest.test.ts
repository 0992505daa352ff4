/** An index whose files are damaged: no search at a tag with a byte that is not as it was written, and another one made anew. */
import assert from "node:assert/strict";
import { appendFileSync, cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { canonicalJson, sha256 } from "../digest.ts";
import { setTimeout as wait } from "node:timers/promises";
import { Manifests } from "./manifest.ts";
import { openIndex } from "./open.ts";
import { PASSAGES } from "./tables.ts";

import {
  damageInTurn,
  DAMAGES,
  document,
  documents,
  embedder,
  filesOf,
  filesUnder,
  folder,
  keys,
  makeIndex,
  namedFiles,
} from "./manifest-fixture.ts";

/** One damage of each kind; manifest.slow.test.ts damages a file of each folder. */
const QUICK = 5;

test("a damage to a file of an index is found, nothing is searched there, and the next update makes it anew", async () => {
  await damageInTurn(await makeIndex("any"), QUICK);
});

test("a version that cannot be read is no hindrance when the manifests that name it cannot be read either", async () => {
  const whole = await makeIndex("unnamed");
  const versions = filesOf(whole).filter((path) => path.endsWith(".manifest") && !path.includes("vectors-"));
  assert.ok(versions.length > 6);
  const [kept] = documents;
  for (const version of versions.filter((_, at) => at % 3 === 0)) {
    const uri = join(folder, "copy", "index");
    rmSync(join(folder, "copy"), { recursive: true, force: true });
    cpSync(whole, uri, { recursive: true });
    writeFileSync(join(uri, version.slice(whole.length)), "in the place of a version");
    for (const path of filesUnder(join(uri, "manifests"))) appendFileSync(path, "\0");
    const index = await openIndex(uri);
    await index.mend();
    for (const [tag, base] of [
      ["three", null],
      ["four", "three"],
    ] as const) {
      await index.update({ upsert: base === null ? documents : [kept ?? assert.fail()], remove: [], base, tag });
      assert.deepEqual([await index.findProblem(tag), await keys(index, tag, "rings")], [null, ["c/0.txt", "c/2.txt"]], version);
    }
    await index.prune(["four"]);
    assert.deepEqual(await keys(index, "four", "rings"), ["c/0.txt", "c/2.txt"], version);
    index.close();
  }
});

test("a tag needs no more than its manifest names, which grows with what the table holds and not with the tags before it", async () => {
  const uri = join(folder, "many", "index");
  const index = await openIndex(uri);
  const counts: number[] = [];
  for (let tag = 0; tag < 9; tag++) {
    const upsert = tag === 0 ? documents : [document("c/0.txt", `rings, ${tag} times`)];
    await index.update({ upsert, remove: [], base: tag === 0 ? null : String(tag - 1), tag: String(tag) });
    const named = ["passages-", "words-"].flatMap((start) => namedFiles(uri, start, String(tag)));
    counts.push(named.filter((path) => !path.includes("/data/") && !path.includes("/_deletions/")).length);
    const copy = join(folder, "many", `copy-${tag}`);
    for (const path of named) cpSync(join(uri, path), join(copy, path));
    cpSync(join(uri, "manifests"), join(copy, "manifests"), { recursive: true });
    const alone = await openIndex(copy);
    assert.equal(await alone.findProblem(String(tag)), null);
    assert.deepEqual(await keys(alone, String(tag), "rings graphs"), ["c/0.txt", "c/1.txt", "c/2.txt"]);
    alone.close();
  }
  index.close();
  assert.equal(counts.at(-1), counts[2], `${counts}`);
});

test("a tag that the engine left unwritten is damage, whatever its manifest says of it", async () => {
  const uri = await makeIndex("empty-tag");
  const tag = join(uri, `${PASSAGES}.lance`, "_refs/tags/two.json");
  const manifest = join(uri, "manifests", PASSAGES, "two.json");
  const manifests = new Manifests(uri);
  await assert.rejects(
    manifests.write(PASSAGES, "two", { base: "one", before: await manifests.list(PASSAGES) }, async () => writeFileSync(tag, "")),
    /could not be written/,
  );
  const said = JSON.parse(readFileSync(manifest, "utf8")) as { files: Record<string, string> };
  said.files["_refs/tags/two.json"] = sha256("");
  writeFileSync(manifest, canonicalJson(said));
  const index = await openIndex(uri);
  assert.match((await index.findProblem("two")) ?? "", /is no tag/);
  const left = [documents[0], documents[2]].filter((one) => one !== undefined);
  await index.update({ upsert: left, remove: [], base: null, tag: "two" });
  assert.deepEqual([await index.findProblem("two"), await keys(index, "two", "rings")], [null, ["c/0.txt", "c/2.txt"]]);
  index.close();
});

test("files that have changed places are found", async () => {
  const uri = await makeIndex("swapped");
  const data = join(uri, `${PASSAGES}.lance`, "data");
  const [first = "", second = ""] = readdirSync(data);
  renameSync(join(data, first), join(data, "kept"));
  renameSync(join(data, second), join(data, first));
  renameSync(join(data, "kept"), join(data, second));
  const index = await openIndex(uri);
  assert.match((await index.findProblem("two")) ?? "", /is not what was written/);
  index.close();
  const manifests = join(await makeIndex("swapped-manifests"), "manifests", PASSAGES);
  writeFileSync(join(manifests, "two.json"), readFileSync(join(manifests, "one.json")));
  const other = await openIndex(join(manifests, "../.."));
  assert.match((await other.findProblem("two")) ?? "", /no manifest/);
  other.close();
});

test("an open reader notices that a file of its index has changed", async () => {
  const uri = await makeIndex("open");
  const index = await openIndex(uri);
  const reader = await index.at("two");
  assert.equal(reader.whole(), true);
  const data = join(uri, `${PASSAGES}.lance`, "data");
  DAMAGES["flipped"]?.(join(data, readdirSync(data)[0] ?? ""));
  for (let left = 100; reader.whole() && left > 0; left--) await wait(50);
  assert.equal(reader.whole(), false);
  reader.close();
  index.close();
});

test("a cache of vectors that is damaged is not used: the model runs again", async () => {
  await makeIndex("cached");
  const cache = join(folder, "cached", "cache");
  const remade = async (cacheUri: string): Promise<number> => {
    const index = await openIndex(await mkdtemp(join(folder, "again-")));
    await index.update({ upsert: documents, remove: [], base: null, tag: "one" });
    const { embedded } = await index.embed({ tag: "one", embedder, cacheUri });
    index.close();
    return embedded;
  };
  const copy = join(folder, "cache-copy");
  cpSync(cache, copy, { recursive: true });
  assert.equal(await remade(copy), 0);
  for (const file of filesOf(cache).filter((path) => path.includes("/data/"))) {
    rmSync(copy, { recursive: true });
    cpSync(cache, copy, { recursive: true });
    DAMAGES["flipped"]?.(join(copy, file.slice(cache.length)));
    assert.equal(await remade(copy), documents.length);
    assert.equal(await remade(copy), 0, "and then it is whole");
  }
});

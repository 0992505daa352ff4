/** An index with two tags, and what damages one of its files. */
import assert from "node:assert/strict";
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { sha256 } from "../digest.ts";
import type { Embedder } from "../embed/embedder.ts";
import { search } from "../query/search.ts";
import { openIndex } from "./open.ts";
import type { ViewIndex } from "./view-index.ts";
import { type Document, documentId } from "./row.ts";

export const folder = await mkdtemp(join(tmpdir(), "manifest-"));
after(() => rm(folder, { recursive: true, force: true }));

export function document(key: string, text: string): Document {
  const passage = { heading: [], name: null, page: null, start_line: 1, end_line: 1, text };
  return {
    doc: documentId("object", key),
    key,
    kind: "text",
    collection: "c",
    title: key,
    sha256: sha256(`${key}\n${text}`),
    passages: [passage],
  };
}

export const documents = ["rings and fields", "graphs", "rings of graphs"].map((text, at) => document(`c/${at}.txt`, text));

export const embedder: Embedder = {
  id: "toy",
  dimensions: 3,
  close: async () => {},
  embed: (texts) => Promise.resolve(texts.map((text) => Float32Array.from([text.length % 5, 1, 2], (value) => value / 10))),
};

/** makeIndex makes two tags, the later one built on the earlier, both with vectors. */
export async function makeIndex(name: string): Promise<string> {
  const uri = join(folder, name, "index");
  const index = await openIndex(uri);
  await index.update({ upsert: documents.slice(0, 2), remove: [], base: null, tag: "one" });
  await index.embed({ tag: "one", embedder, cacheUri: join(folder, name, "cache") });
  await index.update({ upsert: documents.slice(2), remove: ["object:c/1.txt"], base: "one", tag: "two" });
  await index.embed({ tag: "two", embedder, cacheUri: join(folder, name, "cache") });
  index.close();
  return uri;
}

export function filesUnder(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** filesOf returns all but the engine's hint, which it writes over in place and does not believe. */
export function filesOf(uri: string): string[] {
  return filesUnder(uri).filter((path) => !path.endsWith("latest_version_hint.json"));
}

/** namedFiles returns paths in the index of what the manifest of a tag names. */
export function namedFiles(uri: string, start: string, tag: string): string[] {
  const table = readdirSync(join(uri, "manifests")).find((name) => name.startsWith(start)) ?? assert.fail();
  const { files } = JSON.parse(readFileSync(join(uri, "manifests", table, `${tag}.json`), "utf8")) as { files: object };
  return Object.keys(files).map((path) => join(`${table}.lance`, path));
}

export const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  flipped: (path) => {
    const bytes = readFileSync(path);
    const at = Math.floor(bytes.length / 2);
    writeFileSync(path, bytes.fill((bytes[at] ?? 0) ^ 4, at, at + 1));
  },
  cut: (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  "made longer": (path) => appendFileSync(path, "\0"),
  zeroed: (path) => writeFileSync(path, Buffer.alloc(statSync(path).size)),
  gone: (path) => rmSync(path),
};

export async function keys(index: ViewIndex, tag: string, q: string): Promise<string[]> {
  const reader = await index.at(tag);
  const found = await search(reader, { q, prefix: "", limit: 10 });
  reader.close();
  return found.map(({ key }) => key).sort();
}

/** damageInTurn damages one file after another.
 *  @param most damages, each of another folder's file */
export async function damageInTurn(whole: string, most: number): Promise<void> {
  // One file of each folder, each damage in turn.
  const files = new Map(filesOf(whole).map((path) => [dirname(path), path]));
  for (const [number, file] of [...files.values()].entries()) {
    if (number >= most) break;
    const relative = file.slice(whole.length);
    const names = Object.keys(DAMAGES);
    const name = names[number % names.length] ?? "";
    const uri = join(folder, "copy", "index");
    rmSync(join(folder, "copy"), { recursive: true, force: true });
    cpSync(whole, uri, { recursive: true });
    DAMAGES[name]?.(join(uri, relative));
    const index = await openIndex(uri);
    const problems = [await index.findProblem("one"), await index.findProblem("two"), ...(await index.findVectorProblems("two"))];
    const vectorsOfOne = await index.findVectorProblems("one");
    assert.ok(
      [...problems, ...vectorsOfOne].some((problem) => problem !== null),
      `${relative} ${name}`,
    );
    if (problems[1] !== null) await assert.rejects(index.at("two"), { code: "search_unavailable" }, relative);
    else assert.deepEqual(await keys(index, "two", "rings"), ["c/0.txt", "c/2.txt"]);
    const base = problems[1] === null ? "two" : null;
    await index.update({
      upsert: base === null ? [documents[0], documents[2]].filter((one) => one !== undefined) : [],
      remove: [],
      base,
      tag: "two",
    });
    await index.embed({ tag: "two", embedder, cacheUri: null });
    assert.deepEqual([await index.findProblem("two"), ...(await index.findVectorProblems("two"))], [null], `${relative} ${name}`);
    assert.deepEqual(await keys(index, "two", "rings"), ["c/0.txt", "c/2.txt"]);
    // A tag that is damaged goes; what is kept stays whole.
    await index.prune(["one", "two"]);
    assert.deepEqual([await index.findProblem("two"), ...(await index.findVectorProblems("two"))], [null]);
    assert.deepEqual(await keys(index, "two", "rings"), ["c/0.txt", "c/2.txt"]);
    index.close();
  }
}

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../snapshots/digest.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { search } from "../../snapshots/query/search.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { extract } from "../extract/extract.ts";
import { toExtracted } from "../extract/extract-json.ts";
import { closeWhileItWorks } from "./closing-fixture.ts";
import { openIndexThread } from "./index-thread.ts";

test("a thread that is closed while the engine works ends when that rests, and takes nobody along", (t) => {
  closeWhileItWorks(t, [0, 600, 1200, 2400]);
});

test("what lies in an extract is searched, with the language that it is written in", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "index-thread-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const shelf = openDirectoryShelf(join(dir, "public"));
  const bytes = Buffer.from("def merge(a, b):\n    pass\n");
  const { json } = toExtracted("a.py", { extract: await extract("a.py", bytes), asked: null });
  const digest = sha256(json);
  await shelf.blobs.put(digest, json);
  await shelf.blobs.flush();
  const thread = openIndexThread({ public: join(dir, "public"), internal: join(dir, "internal") });
  const row = { doc: "object:a.py", key: "a.py", kind: "code", collection: "", title: "a", sha256: sha256(bytes), passages: [] } as const;
  const upsert = [{ ...row, extract: digest }];
  await thread.update("public", { upsert, remove: [], base: null, tag: Promise.resolve("one"), onRead: () => {} });
  await thread.close();
  const index = await openIndex(shelf.indexUri);
  const reader = await index.at("one");
  for (const q of ["merge", "python"]) assert.equal((await search(reader, { q, prefix: "", limit: 9 })).length, 1, q);
  reader.close();
  index.close();
});

test("who waits for an update is told how far it is", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "index-thread-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const thread = openIndexThread({ public: join(dir, "public"), internal: join(dir, "internal") });
  const row = { kind: "markdown", collection: "", title: "T", sha256: "0".repeat(64), extract: null, passages: [] } as const;
  const upsert = Array.from({ length: 150 }, (_, at) => ({ ...row, doc: `object:${at}.md`, key: `${at}.md` }));
  const told: number[] = [];
  await thread.update("public", {
    upsert,
    remove: [],
    base: null,
    tag: Promise.resolve("one"),
    onRead: (documents) => void told.push(documents),
  });
  await thread.close();
  assert.ok(told.length > 1);
  assert.equal(
    told.reduce((sum, documents) => sum + documents, 0),
    150,
  );
});

test("documents are taken as they are written: however many there are, the thread holds few", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "index-thread-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  let taken = 0;
  const endless = function* () {
    const passage = { heading: [], name: null, page: null, start_line: 1, end_line: 1, text: "A text of a few words." };
    for (; ; taken++) {
      const key = `${taken}.md`;
      yield {
        doc: key,
        key,
        kind: "markdown",
        collection: "",
        title: "T",
        sha256: "0".repeat(64),
        extract: null,
        passages: [passage],
      } as const;
    }
  };
  const thread = openIndexThread({ public: join(dir, "public"), internal: join(dir, "internal") });
  let told = 0;
  const some = Promise.withResolvers<void>();
  const onRead = (documents: number): void => {
    told += documents;
    if (told >= 3_000) some.resolve();
  };
  const update = thread.update("public", {
    upsert: endless(),
    remove: [],
    base: null,
    tag: Promise.withResolvers<string>().promise,
    onRead,
  });
  update.catch(() => undefined);
  await some.promise;
  await thread.close();
  await assert.rejects(update, /The index thread was closed/);
  // The engine is given batches of some four thousand rows.
  assert.ok(taken < 20_000, String(taken));
});

test("the rows of one view are written after those of the other, whichever snapshot is known first", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "index-thread-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const thread = openIndexThread({ public: join(dir, "public"), internal: join(dir, "internal") });
  const row = { kind: "markdown", collection: "", title: "T", sha256: "0".repeat(64), extract: null, passages: [] } as const;
  const upsert = Array.from({ length: 9_000 }, (_, at) => ({ ...row, doc: `object:${at}.md`, key: `${at}.md` }));
  const read: string[] = [];
  const write = (view: "public" | "internal", tag: Promise<string>): Promise<void> =>
    thread.update(view, { upsert, remove: [], base: null, tag, onRead: (documents) => void (documents > 0 && read.push(view)) });
  const last = Promise.withResolvers<string>();
  const shown = write("public", last.promise);
  await write("internal", Promise.resolve("one"));
  last.resolve("one");
  await shown;
  await thread.close();
  assert.ok(read.lastIndexOf("public") < read.indexOf("internal"), read.join(" "));
});

/** A folder of thousands of files: its lists, its pages and its bytes. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import { build } from "../testing/whole.ts";

/** So many that a page names ranges of several parts, and that they take several answers of the API. */
const MANY = 3_000;

test("thousands of files in one folder are listed, paged and served", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-many-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["library/a/first.md", "# First\n\nText.\n"],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\ncollections: [{ id: a, prefix: a/, title: A, visibility: public }]\n",
    ],
    ...Array.from({ length: MANY }, (_, at) => [`library/a/${String(at).padStart(5, "0")}.txt`, `${at}\n`] as const),
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  const summary = await build(config, { progress: SILENT });
  assert.deepEqual([summary.added, summary.rejected], [MANY + 1, []]);
  const view = await openFixtureView(config);
  let target = "/api/list?prefix=a/";
  let count = 0;
  for (let pages = 1; ; pages++) {
    const page = (await ask(view, target)).json() as { objects: object[]; next?: string };
    count += page.objects.length;
    if (page.next === undefined) break;
    assert.ok(pages < 20);
    target = `/api/list?prefix=a/&cursor=${page.next}`;
  }
  assert.equal(count, MANY + 1);
  assert.equal((await ask(view, "/objects/a/02777.txt")).text, "2777\n");
  assert.ok((await ask(view, "/browse/a/")).body.length < 1_000_000, "a page of a long folder stays readable");
  assert.equal((await ask(view, "/browse/a/=p61/")).status, 200);
  assert.equal((await ask(view, "/browse/a/=p62/")).status, 404);
  const front = (await ask(view, "/browse/a/")).text;
  assert.match(front, /href="=p31\/"><bdi>01500\.txt<\/bdi>.<bdi>01599\.txt</, "a range of names leads right into the middle");
});

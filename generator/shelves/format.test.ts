/** A shelf that the first version wrote stays readable; one of a version that is not known yet is refused before anything is touched. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { openConfig } from "../config/config.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { build, openShelves } from "../testing/whole.ts";
import { mendFormat } from "./format.ts";
import { readServed } from "./shelves.ts";

/** Files of a shelf of format 1 with one publication, by path, in base64. A new format gets a file of its own, and this one stays. */
const FIRST = JSON.parse(readFileSync(new URL("./format-1-fixture.json", import.meta.url), "utf8")) as Readonly<Record<string, string>>;

function openFirst(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "format-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [path, bytes] of Object.entries(FIRST)) {
    mkdirSync(dirname(join(dir, "shelf", path)), { recursive: true });
    writeFileSync(join(dir, "shelf", path), Buffer.from(bytes, "base64"));
  }
  return dir;
}

test("a shelf of the first format is read, and a build goes on from it", async (t) => {
  const dir = openFirst(t);
  await writeFiles(dir, [
    ["library/notes/hello.md", "# Hello\n\nWritten anew.\n"],
    ["library/notes/what?.md", "A name that no URL carries as it stands.\n"],
    ["library/drafts/withdrawal-plan.md", "# Plan of the withdrawal\n"],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections:\n  - { id: notes, prefix: notes/, title: Notes, visibility: public }\n  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }\n",
    ],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  const shelves = openShelves(config);
  for (const [view, count] of [
    ["public", 2],
    ["internal", 3],
  ] as const) {
    const record = await shelves[view].readPointer();
    assert.ok(record !== null);
    assert.equal((await readServed(shelves[view], record))?.objects.length, count, view);
  }
  const { sequence, added, changed } = await build(config, { progress: SILENT, acceptLoss: true }, PLAIN_PARTS);
  assert.deepEqual([sequence, added, changed], [2, 0, 1]);
  assert.equal(readFileSync(join(dir, "shelf/public/format"), "utf8"), "1\n");
  assert.equal((await openShelves(config).public.records.index()).records.length, 2, "what was published before is kept");
});

test("a shelf of a newer format is refused, with what to do", (t) => {
  const dir = openFirst(t);
  writeFileSync(join(dir, "shelf/internal/format"), "2\n");
  assert.throws(() => openShelves({ shelf: { kind: "directory", root: join(dir, "shelf") } }), {
    code: "bad_config",
    message: 'This shelf has the format "2", and this program reads 1.',
  });
});

test("a damaged version of one root comes from the other; where neither has ours, nothing is written", (t) => {
  const dir = openFirst(t);
  const roots = { publicDir: join(dir, "shelf/public"), internalDir: join(dir, "shelf/internal") };
  const read = () => Object.values(roots).map((root) => readFileSync(join(root, "format"), "utf8"));
  for (const [open, closed, mended] of [
    ["", "1\n", "public"],
    ["3\n", "1\n", "public"],
    ["1\n", "q\n", "internal"],
    ["1\n", "1\n", null],
    ["2\n", "2\n", null],
    ["2\n", "q\n", null],
  ] as const) {
    writeFileSync(join(roots.publicDir, "format"), open);
    writeFileSync(join(roots.internalDir, "format"), closed);
    assert.equal(mendFormat(roots), mended);
    assert.deepEqual(read(), mended === null ? [open, closed] : ["1\n", "1\n"]);
  }
});

/** A page that gives away what is gated later, over many builds. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { readLook } from "./kept-look.ts";
import { LeakError } from "./leak-error.ts";
import { codeDigest } from "../../files/program-code.ts";
import { build, openShelves } from "../../testing/whole.ts";
import { SAID, type Looked, lookedAt, makeLibrary } from "./leak-check-fixture.ts";

test("what a page says is refused when it is gated later, when the page comes later, and when nobody else says it any more", async (t) => {
  const { dir, opened } = await makeLibrary(t, [
    ["library/notes/a.txt", "A note.\n"],
    ["library/notes/c.txt", "Another.\n"],
    ["library/drafts/a.md", "# Draft\n\nOf plums and pears there is nothing to be said in this draft.\n"],
  ]);
  const tryBuild = async (): Promise<"refused" | Looked> => {
    const failed = await build(opened, { progress: SILENT }).then(
      () => false,
      (error: unknown) => error instanceof LeakError,
    );
    return failed ? "refused" : lookedAt(opened);
  };
  const first = await tryBuild();
  assert.notEqual(first, "refused");
  const saying = (name: string): string => `# How\n\nHow to ask for it: ${SAID.replace("a.txt", name)}\n`;
  const remove = (path: string): void => rmSync(join(dir, path));

  await writeFiles(dir, [["library/drafts/b.md", saying("a.txt")]]);
  assert.equal(await tryBuild(), "refused", "gated later");
  assert.equal(await tryBuild(), "refused", "a look that refused something is none to go on with");

  await writeFiles(dir, [["library/notes/witness.md", saying("a.txt")]]);
  assert.notEqual(await tryBuild(), "refused", "a public object says it");
  await writeFiles(dir, [["library/notes/c.txt", "Another one.\n"]]);
  const later = (await tryBuild()) as Looked;
  assert.ok(later.since !== null && later.files < (first as Looked).files, "it is remembered who says it");
  await writeFiles(dir, [["library/notes/witness.md", "# How\n\nIt is not told.\n"]]);
  assert.equal(await tryBuild(), "refused", "the object that said it says it no more, and the page is as it was");

  await writeFiles(dir, [["library/drafts/b.md", saying("b.txt")]]);
  assert.notEqual(await tryBuild(), "refused");
  await writeFiles(dir, [["library/notes/b.txt", "A third.\n"]]);
  assert.equal(await tryBuild(), "refused", "the page comes later");
  remove("library/notes/b.txt");

  const kept = join(openShelves(opened).buildDir, "leaks.v8");
  for (const spoil of [
    () => rmSync(kept),
    () => writeFileSync(kept, readFileSync(kept).subarray(0, 1000)),
    () => writeFileSync(kept, Buffer.concat([readFileSync(kept).subarray(0, -1), Buffer.from([255])])),
  ]) {
    await writeFiles(dir, [["library/notes/c.txt", `Another one, ${spoil.toString().length} letters.\n`]]);
    await tryBuild();
    spoil();
    await writeFiles(dir, [["library/drafts/a.md", `# Draft\n\nOf ${spoil.toString().length} plums.\n`]]);
    assert.equal(((await tryBuild()) as Looked).since, null, "without it everything is looked at");
  }
  assert.notEqual(readLook(openShelves(opened).buildDir, codeDigest()), null);
  assert.equal(readLook(openShelves(opened).buildDir, "another"), null, "another program");
});

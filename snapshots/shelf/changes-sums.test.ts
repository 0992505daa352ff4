/** Lists of changes that are no longer what was written. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ShelfError } from "../errors.ts";
import { openDirectoryShelf } from "./shelf-directory.ts";

const base = mkdtempSync(join(tmpdir(), "proofshelf-sums-"));
after(() => rmSync(base, { recursive: true }));

const list = (key: string) => ({ objects: [key], claims: [], records: [] });
const none = { objects: [], claims: [], records: [] };
const changes = (key: string) => ({ added: list(key), changed: none, removed: none });

let roots = 0;
async function newRoot() {
  const root = join(base, String(roots++));
  const shelf = openDirectoryShelf(root);
  for (const [sequence, key] of [
    [1, "notes/a.md"],
    [2, "notes/b.md"],
  ] as const)
    await shelf.history.putChanges(sequence, changes(key));
  return { root, shelf, at: (path: string): string => join(root, path) };
}

const damaged = (error: unknown): boolean => error instanceof ShelfError && error.code === "snapshot_damaged";

test("a list under another's name, and one with another letter, are damage, also for a process that starts now", async () => {
  for (const spoil of [
    (at: (path: string) => string) => copyFileSync(at("changes/1.json"), at("changes/2.json")),
    (at: (path: string) => string) =>
      writeFileSync(at("changes/2.json"), readFileSync(at("changes/2.json"), "utf8").replace("notes/b", "notes/c")),
  ]) {
    const { root, shelf, at } = await newRoot();
    assert.deepEqual(await shelf.readChanges(2), changes("notes/b.md"));
    spoil(at);
    for (const one of [shelf, openDirectoryShelf(root)]) {
      await assert.rejects(one.readChanges(2), damaged);
      assert.deepEqual(await one.readChanges(1), changes("notes/a.md"));
    }
    await shelf.history.putChanges(2, changes("notes/b.md"));
    assert.deepEqual(await openDirectoryShelf(root).readChanges(2), changes("notes/b.md"));
  }
});

test("a list that is written again has another digest", async () => {
  const { root, shelf } = await newRoot();
  await shelf.history.putChanges(1, changes("notes/z.md"));
  assert.deepEqual(await openDirectoryShelf(root).readChanges(1), changes("notes/z.md"));
});

test("digests that are gone, cut or changed say nothing against a list", async () => {
  const { root, at } = await newRoot();
  const whole = readFileSync(at("changes.sha256"), "utf8");
  for (const text of [
    "",
    whole.slice(0, 40),
    whole.slice(0, -2),
    whole.replace(/^./, (digit) => (digit === "0" ? "1" : "0")),
    "\n\n",
    `x\n${whole}`,
  ]) {
    writeFileSync(at("changes.sha256"), text);
    assert.deepEqual(await openDirectoryShelf(root).readChanges(1), changes("notes/a.md"), JSON.stringify(text));
  }
  rmSync(at("changes.sha256"));
  assert.deepEqual(await openDirectoryShelf(root).readChanges(1), changes("notes/a.md"));
});

test("coreutils check the lists by them", async () => {
  const { root } = await newRoot();
  const said = execFileSync("sh", ["-c", "head -n -1 changes.sha256 | sha256sum -c"], { cwd: root, encoding: "utf8" });
  assert.equal(said, "changes/1.json: OK\nchanges/2.json: OK\n");
});

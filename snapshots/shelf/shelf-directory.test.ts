import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { sha256 } from "../digest.ts";
import { OPEN } from "./modes.ts";
import { type DirectoryShelf, checkWritable, clearTemporary, openDirectoryShelf } from "./shelf-directory.ts";
import type { Changes, SnapshotRecord } from "./shelf.ts";
import { streamBlob } from "./read.ts";

const run = promisify(execFile);
const base = mkdtempSync(join(tmpdir(), "shelf-directory-"));
after(() => rmSync(base, { recursive: true }));
let rooms = 0;
const newRoot = (): string => join(base, String(rooms++));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const hello = bytes("hello\n");
const digest = sha256(hello);
const blobFile = (root: string, name = digest): string => join(root, "blobs", name.slice(0, 2), name);
const record = (sequence: number, text = String(sequence)): SnapshotRecord => ({
  sequence,
  snapshot: sha256(text),
  created: "2026-01-01T00:00:00Z",
  previous: sequence === 1 ? null : sha256(String(sequence - 1)),
  inputs: { store: "1" },
});
const names = { objects: [], claims: [], records: [] };
const noChanges: Changes = { added: names, changed: names, removed: names };

async function read(shelf: DirectoryShelf, start: number, end: number, name = digest): Promise<string> {
  return Buffer.concat(await Array.fromAsync(streamBlob(shelf, name, start, end))).toString();
}

function filesUnder(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

test("opening and reading a root that is not there creates nothing and finds nothing", async () => {
  const root = newRoot();
  const shelf = openDirectoryShelf(root);
  assert.equal(await shelf.getBlob(digest), null);
  assert.equal(await read(shelf, 0, 1), "");
  assert.equal(await shelf.hasBlob(digest), false);
  assert.equal(await shelf.readPointer(), null);
  assert.equal(await shelf.readChanges(1), null);
  assert.deepEqual(await shelf.history.listRecords(), []);
  assert.deepEqual(await Array.fromAsync(shelf.blobs.list()), []);
  await shelf.history.deleteRecord(1);
  await shelf.blobs.flush();
  assert.ok(!existsSync(root));
});

test("a blob is stored once, under its digest, and read whole or in part", async () => {
  const root = newRoot();
  const shelf = openDirectoryShelf(root);
  assert.equal(await shelf.blobs.put(digest, hello), true);
  const { ino } = statSync(blobFile(root));
  assert.equal(await shelf.blobs.put(digest, hello), false);
  assert.equal(statSync(blobFile(root)).ino, ino, "put-if-absent wrote again");
  assert.deepEqual(Buffer.from((await shelf.getBlob(digest)) ?? []), Buffer.from(hello));
  assert.equal(await read(shelf, 1, 3), "ell");
  assert.equal(await read(shelf, 0, 1000), "hello\n");
  assert.deepEqual(await Array.fromAsync(shelf.blobs.list()), [{ digest, size: 6 }]);
  const empty = sha256("");
  assert.equal(await shelf.blobs.put(empty, new Uint8Array()), true);
  assert.equal((await shelf.getBlob(empty))?.length, 0);
  await shelf.blobs.sweep({ isNeeded: (name) => name === empty });
  assert.deepEqual([await shelf.hasBlob(digest), await shelf.hasBlob(empty)], [false, true]);
  assert.deepEqual(filesUnder(join(root, "tmp")), []);
});

test("a torn, empty or overlong blob is written again", async () => {
  for (const torn of ["", "hel", "hello\n\0\0\0", "\0\0\0\0\0\0"]) {
    const root = newRoot();
    mkdirSync(dirname(blobFile(root)), { recursive: true });
    writeFileSync(blobFile(root), torn);
    const shelf = openDirectoryShelf(root);
    assert.equal(await shelf.blobs.put(digest, hello), true);
    assert.equal(readFileSync(blobFile(root), "utf8"), "hello\n");
  }
});

test("what a killed build left under tmp/ is never served and can be cleared, also while a shelf is open", async () => {
  const root = newRoot();
  const shelf = openDirectoryShelf(root);
  await shelf.blobs.put(digest, hello);
  writeFileSync(join(root, "tmp", "1234-0"), "half a bl");
  writeFileSync(join(root, "tmp", digest), "half a bl");
  assert.deepEqual(await Array.fromAsync(shelf.blobs.list()), [{ digest, size: 6 }]);
  await clearTemporary(root);
  assert.ok(!existsSync(join(root, "tmp")));
  await shelf.blobs.put(sha256("x"), bytes("x"));
  assert.equal(await shelf.hasBlob(sha256("x")), true);
});

test("strange files in the blob folders are not listed as blobs", async () => {
  const root = newRoot();
  const shelf = openDirectoryShelf(root);
  await shelf.blobs.put(digest, hello);
  writeFileSync(join(root, "blobs", "README"), "?");
  writeFileSync(join(root, "blobs", digest.slice(0, 2), "notes.txt"), "?");
  mkdirSync(join(root, "blobs", "00"), { recursive: true });
  writeFileSync(join(root, "blobs", "00", digest), "a blob in the wrong folder");
  assert.deepEqual(await Array.fromAsync(shelf.blobs.list()), [{ digest, size: 6 }]);
});

test("internal may refer to a public blob, never the other way", async () => {
  const shared = openDirectoryShelf(newRoot());
  const root = newRoot();
  const internal = openDirectoryShelf(root, shared);
  await shared.blobs.put(digest, hello);
  assert.equal(await internal.blobs.put(digest, hello), false);
  assert.ok(!existsSync(blobFile(root)), "a public blob was copied");
  assert.equal(await internal.hasBlob(digest), true);
  assert.equal(await read(internal, 0, 2), "hel");
  assert.deepEqual(await Array.fromAsync(internal.blobs.list()), [], "listed blobs are a root's own");
  const gated = bytes("gated");
  await internal.blobs.put(sha256(gated), gated);
  assert.equal(await shared.hasBlob(sha256(gated)), false);
  assert.equal(await shared.getBlob(sha256(gated)), null);
  await internal.blobs.sweep({ isNeeded: () => false });
  assert.equal(await shared.hasBlob(digest), true);
});

test("a torn blob in either root never hides a good one", async () => {
  const publicRoot = newRoot();
  const root = newRoot();
  for (const folder of [publicRoot, root]) mkdirSync(dirname(blobFile(folder)), { recursive: true });
  // Torn in public: internal keeps a good copy of its own.
  writeFileSync(blobFile(publicRoot), "hel");
  assert.equal(await openDirectoryShelf(root, openDirectoryShelf(publicRoot)).blobs.put(digest, hello), true);
  assert.equal(await read(openDirectoryShelf(root, openDirectoryShelf(publicRoot)), 0, 99), "hello\n");
  // Torn in internal, good in public: the torn one would be read first.
  writeFileSync(blobFile(publicRoot), hello);
  writeFileSync(blobFile(root), "hel");
  const internal = openDirectoryShelf(root, openDirectoryShelf(publicRoot));
  assert.equal(await internal.blobs.put(digest, hello), true);
  assert.equal(await read(internal, 0, 99), "hello\n");
});

test("the pointer moves only from where the publisher last saw it", async () => {
  const root = newRoot();
  const shelf = openDirectoryShelf(root);
  await assert.rejects(shelf.history.swapPointer(record(2), record(1)), { code: "lost_race" });
  assert.equal(await shelf.readPointer(), null);
  await shelf.history.swapPointer(record(1), null);
  await assert.rejects(shelf.history.swapPointer(record(2, "mine"), null), { code: "lost_race" });
  await assert.rejects(shelf.history.swapPointer(record(2), record(1, "another")), { code: "lost_race" });
  await shelf.history.swapPointer(record(2), record(1));
  assert.deepEqual(await shelf.readPointer(), record(2));
  await shelf.history.swapPointer(record(1), record(2)); // rollback
  assert.deepEqual(await shelf.readPointer(), record(1));
});

test("of publishers in several processes at once, one wins each step and the others change nothing", async () => {
  const root = newRoot();
  const steps = 40;
  const program = `
    import { openDirectoryShelf } from ${JSON.stringify(import.meta.resolve("./shelf-directory.ts"))};
    import { sha256 } from ${JSON.stringify(import.meta.resolve("../digest.ts"))};
    const shelf = openDirectoryShelf(process.argv[1]);
    const won = [];
    for (;;) {
      const seen = await shelf.readPointer();
      const sequence = (seen?.sequence ?? 0) + 1;
      if (sequence > ${steps}) break;
      const record = { sequence, snapshot: sha256(process.argv[2] + sequence), created: "2026-01-01T00:00:00Z", previous: seen?.snapshot ?? null, inputs: {} };
      try {
        await shelf.history.swapPointer(record, seen);
        won.push(sequence);
      } catch (error) {
        if (error.code !== "lost_race") throw error;
      }
    }
    console.log(JSON.stringify(won));`;
  const results = await Promise.all(
    ["a", "b", "c"].map((label) =>
      run(process.execPath, ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program, root, label]),
    ),
  );
  const won = results.flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
  assert.deepEqual(
    won.sort((a, b) => a - b),
    Array.from({ length: steps }, (_, at) => at + 1),
  );
  assert.equal((await openDirectoryShelf(root).readPointer())?.sequence, steps);
});

test("a publisher killed while it holds the lock does not lock out the next one", async () => {
  const root = newRoot();
  mkdirSync(root);
  const program = `
    import { DatabaseSync } from "node:sqlite";
    new DatabaseSync(process.argv[1], {}).exec("BEGIN EXCLUSIVE");
    process.kill(process.pid, "SIGKILL");`;
  await assert.rejects(run(process.execPath, ["--input-type=module", "-e", program, join(root, "pointer.lock")]), { signal: "SIGKILL" });
  await openDirectoryShelf(root).history.swapPointer(record(1), null);
  assert.equal((await openDirectoryShelf(root).readPointer())?.sequence, 1);
});

test("a record beyond the pointer, left by a crash, is listed, not served, and replaced by the next build", async () => {
  const shelf = openDirectoryShelf(newRoot());
  await shelf.history.putRecord(record(1), noChanges);
  await shelf.history.swapPointer(record(1), null);
  await shelf.history.putRecord(record(2, "crashed"), noChanges);
  assert.equal((await shelf.readPointer())?.sequence, 1);
  assert.deepEqual(
    (await shelf.history.listRecords()).map((row) => row.snapshot),
    [record(1).snapshot, sha256("crashed")],
  );
  await shelf.history.putRecord(record(2), noChanges);
  await shelf.history.swapPointer(record(2), record(1));
  assert.deepEqual(await shelf.history.listRecords(), [record(1), record(2)]);
});

test("records come by number, not by name, and changes outlive them", async () => {
  const root = newRoot();
  const shelf = openDirectoryShelf(root);
  for (const sequence of [10, 9, 1]) await shelf.history.putRecord(record(sequence), noChanges);
  writeFileSync(join(root, "snapshots", "notes.txt"), "?");
  writeFileSync(join(root, "snapshots", "01.json"), "?");
  assert.deepEqual(
    (await shelf.history.listRecords()).map((row) => row.sequence),
    [1, 9, 10],
  );
  await shelf.history.deleteRecord(9);
  await shelf.history.deleteRecord(9);
  assert.deepEqual(
    (await shelf.history.listRecords()).map((row) => row.sequence),
    [1, 10],
  );
  assert.deepEqual(await shelf.readChanges(9), noChanges);
});

test("a malformed record, pointer or change list is an error with a code, never data", async () => {
  const good = JSON.stringify(record(1));
  for (const text of [
    "",
    "null",
    "{",
    "[]",
    good.slice(0, -1),
    good.replace('"sequence":1', '"sequence":0'),
    good.replace("Z", ""),
    good.replace("{", '{"x":1,'),
    good.replace('"sequence":1', '"sequence":2'),
  ]) {
    const root = newRoot();
    mkdirSync(join(root, "snapshots"), { recursive: true });
    mkdirSync(join(root, "changes"), { recursive: true });
    writeFileSync(join(root, "snapshots", "1.json"), text);
    writeFileSync(join(root, "changes", "1.json"), text);
    const shelf = openDirectoryShelf(root);
    await assert.rejects(shelf.history.listRecords(), { code: "snapshot_damaged" }, text);
    await assert.rejects(shelf.readChanges(1), { code: "snapshot_damaged" }, text);
    if (text.includes('"sequence":2')) continue;
    writeFileSync(join(root, "current.json"), text);
    await assert.rejects(shelf.readPointer(), { code: "snapshot_damaged" }, text);
  }
});

test("the files of a shelf are canonical JSON at the places that the format names", async () => {
  const root = newRoot();
  const shelf = openDirectoryShelf(root);
  await shelf.blobs.put(digest, hello);
  await shelf.history.putRecord(record(1), noChanges);
  await shelf.history.swapPointer(record(1), null);
  await shelf.blobs.flush();
  assert.deepEqual(
    filesUnder(root).filter((name) => name !== "pointer.lock" && name !== "changes.sha256"),
    [`blobs/58/${digest}`, "changes/1.json", "current.json", "snapshots/1.json"],
  );
  const text = `{"created":"2026-01-01T00:00:00Z","inputs":{"store":"1"},"previous":null,"sequence":1,"snapshot":"${sha256("1")}"}`;
  assert.equal(readFileSync(join(root, "current.json"), "utf8"), text);
  assert.equal(readFileSync(join(root, "snapshots", "1.json"), "utf8"), text);
});

test("a folder that cannot be written is told before work begins", async () => {
  const root = newRoot();
  writeFileSync(root, "a file where the folder should be");
  await assert.rejects(checkWritable(root, OPEN), { code: "build_failed" });
  await checkWritable(newRoot(), OPEN);
  await checkWritable(join(newRoot(), "a/b/c"), OPEN);
  await assert.rejects(checkWritable("/proc/none/shelf/public", OPEN), { code: "build_failed", detail: /: ENOENT\n/ });
});

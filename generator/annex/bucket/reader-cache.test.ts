/** A reader that keeps a part of a shelf in a bucket: how much it takes, what it fetches, and what it does with what is damaged.
 *  What it keeps and lets go when everything is read is looked at by reader-cache.slow.test.ts. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bucketTest } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import type { BlobEntry } from "../../../snapshots/format/tree.ts";
import { openConfig } from "../../config/config.ts";
import { filesUnder } from "../../testing/shelf-files.ts";
import { SILENT } from "../../testing/library.ts";
import { until } from "../../testing/until.ts";
import {
  HASTY,
  LONG,
  newFolder,
  openReading,
  openReader,
  bytesIn,
  openServed,
  listFiles,
  readAll,
  keptFile,
  isCode,
} from "./reader-cache-fixture.ts";
import { build } from "../../testing/whole.ts";

bucketTest(
  "a damaged file of a cache is never served and fetched again; what is away is told, and what is kept is served",
  async (t, server) => {
    const machine = await openReading(t, server);
    const { root, shelf, stop } = await openReader(t, machine, 13_000_000);
    const snapshot = await openServed(shelf);
    const files = await listFiles(snapshot);
    const long = files.find(({ size }) => size === LONG.length);
    const short = files.find(({ name, type }) => name === "long-1.md" && type.startsWith("text/markdown"));
    assert.ok(long !== undefined && short !== undefined);
    for (const entry of [short, long]) {
      await readAll(snapshot, entry);
      const path = keptFile(root, entry.sha256);
      const bytes = await readFile(path);
      for (const at of [0, bytes.length >> 1, bytes.length - 1]) bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(path, bytes);
      assert.equal(sha256(await readAll(snapshot, entry)), entry.sha256);
      assert.equal(sha256(await readFile(path)), entry.sha256);
      // A torn one, and one that is gone.
      await writeFile(path, bytes.subarray(0, 100));
      assert.equal(sha256(await snapshot.read(entry)), entry.sha256);
      await rm(path);
      assert.equal(sha256(await readAll(snapshot, entry)), entry.sha256);
    }
    // Under somebody who reads it: that ends, and the next one has it.
    const body = await snapshot.readPart(long, 0, long.size - 1);
    assert.ok(!(body instanceof Uint8Array));
    await body.next();
    await writeFile(keptFile(root, long.sha256), Buffer.alloc(long.size, 7), { flag: "r+" });
    await assert.rejects(Array.fromAsync(body));
    assert.equal(sha256(await readFile(keptFile(root, long.sha256))), long.sha256);

    for (const name of await readdir(join(root, "packs"))) {
      const path = join(root, "packs", name);
      const bytes = await readFile(path);
      await writeFile(path, bytes.fill(0x55, 0, bytes.length >> 1));
    }
    await (await openServed(shelf)).data();

    // The long one may have taken its room.
    await snapshot.read(short);
    machine.proxy.fault = () => "503";
    const unread = files.filter(({ sha256: digest }) => !existsSync(keptFile(root, digest)) && digest !== short.sha256);
    const strange = unread.find(({ name }) => name === "long-2.md");
    assert.ok(strange !== undefined);
    await isCode(snapshot.read(strange), "bucket_unavailable");
    const start = performance.now();
    for (const entry of unread.slice(0, 50)) await snapshot.read(entry).catch(() => undefined);
    assert.ok(performance.now() - start < 50 * HASTY.patienceMs, "nobody waits again for a bucket that is away");
    assert.equal(sha256(await snapshot.read(short)), short.sha256);
    machine.proxy.fault = () => null;
    await until("the end of the outage", async () => (await snapshot.read(strange).catch(() => null)) !== null);

    assert.ok((await bytesIn(join(machine.folder, "cache"))) <= 13_000_000, "it holds its bound");

    // The index, which the engine reads by itself: when a server starts.
    await stop();
    const parts = await readdir(join(root, "index"), { recursive: true, withFileTypes: true });
    const part = parts.find((entry) => entry.isFile() && entry.name.endsWith(".lance"));
    assert.ok(part !== undefined);
    const path = join(part.parentPath, part.name);
    const whole = await readFile(path);
    await writeFile(path, Buffer.alloc(whole.length, 7));
    await openReader(t, machine, 13_000_000);
    assert.ok((await readFile(path)).equals(whole));
  },
);

bucketTest("a cache that is wide enough has all of the shelf; one that is too narrow says so and goes on", async (t, server) => {
  const machine = await openReading(t, server);
  const wide = await openReader(t, machine, 40_000_000);
  machine.proxy.fault = () => "cut";
  const snapshot = await openServed(wide.shelf);
  for (const entry of await listFiles(snapshot)) await snapshot.read(entry);
  machine.proxy.fault = () => null;
  await wide.stop();
  const packs = await readdir(join(wide.root, "packs"));

  const narrow = await openReader(t, machine, 200_000);
  await until("its word", async () => !narrow.cache.note().good);
  assert.match(narrow.cache.note().text, /^what a server needs takes [0-9.]+ [kM]B, more than the 200 kB of shelf\.cache\.maxBytes$/);
  assert.ok(!packs.some((name) => existsSync(join(narrow.root, "packs", name))), "packs that hold little that is needed are gone");
  const files = await listFiles(await openServed(narrow.shelf));
  const again = await openServed(narrow.shelf);
  for (const entry of files.slice(0, 60)) assert.equal(sha256(await again.read(entry)), entry.sha256);
  assert.equal(existsSync(keptFile(narrow.root, files[0]?.sha256 ?? "")), false);
});

// This one publishes: it stands last.

bucketTest("what is gated, or redacted, leaves the cache of the public view with every byte of it", async (t, server) => {
  const machine = await openReading(t, server);
  const { root, shelf } = await openReader(t, machine, 13_000_000, 2_000);
  const wide = await openReader(t, { ...machine, folder: await newFolder() }, 40_000_000, 2_000);
  const snapshot = await openServed(shelf);
  const find = async (path: string): Promise<BlobEntry> => {
    const entry = await snapshot.find(path);
    return entry?.kind === "blob" ? entry : assert.fail(path);
  };
  const [gated, redacted] = [await find("objects/data/long.bin"), await find("objects/notes/long-1.md")];
  for (const entry of [gated, await find("extracts/notes/long-1.md"), redacted]) {
    await readAll(snapshot, entry);
    assert.ok(existsSync(keptFile(root, entry.sha256)));
  }
  assert.ok(existsSync(keptFile(wide.root, gated.sha256)));

  const withdrawal = { key: "notes/long-1.md", reason: "error", date: "2026-01-02", note: "A name in it.", redact: true };
  await writeFile(join(machine.dir, "withdrawals.yaml"), JSON.stringify({ withdrawals: [withdrawal] }));
  await writeFile(machine.file, `${await readFile(machine.file, "utf8")}\nwithdrawals: { path: ./withdrawals.yaml }\n`);
  await build(await openConfig(machine.file), { progress: SILENT });
  await until("what was redacted gone", async () => !existsSync(keptFile(root, redacted.sha256)));
  await assert.rejects(snapshot.read(redacted), (error: unknown) => error instanceof ShelfError && error.code === "withdrawn");

  const open = await readFile(machine.file, "utf8");
  await writeFile(machine.file, open.replace("title: Data, visibility: public", "title: Data, visibility: email-gated"));
  const { snapshot: next } = await build(await openConfig(machine.file), { progress: SILENT });
  await until("the gated snapshot", async () => (await shelf.readPointer())?.snapshot === next);
  for (const one of [root, wide.root]) await until("what was gated gone", async () => !existsSync(keptFile(one, gated.sha256)));
  await assert.rejects(readAll(snapshot, gated), (error: unknown) => error instanceof ShelfError);
  const text = await readFile(join(machine.dir, "library/notes/long-1.md"), "utf8");
  for (const { path, bytes } of filesUnder(root)) assert.ok(!bytes.includes(text.slice(20, 80)), path);
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { ShelfError } from "../../snapshots/errors.ts";
import { withoutPrivileges } from "../testing/unprivileged.ts";
import type { ObjectStore, StoredObject } from "./object-store.ts";
import { openMemoryStore } from "../testing/memory-store.ts";
import { openObjectStore } from "../testing/whole.ts";

const base = mkdtempSync(join(tmpdir(), "store-"));
after(() => rmSync(base, { recursive: true, force: true }));
let number = 0;

function makeStore(): { root: string; store: ObjectStore } {
  const root = join(base, `s${number++}`);
  mkdirSync(root);
  return { root, store: openObjectStore({ kind: "directory", root }) };
}

async function listAll(store: ObjectStore): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  for await (const object of store.list()) objects.push(object);
  return objects.sort((a, b) => (a.key < b.key ? -1 : 1));
}

async function problemOf(store: ObjectStore, key: string): Promise<string | null | undefined> {
  return (await listAll(store)).find((object) => object.key === key)?.problem;
}

const HOSTILE = [
  "new\nline.md",
  "end\n",
  "\u2028line",
  "star*.md",
  "[bracket].md",
  "back\\slash.md",
  "end\\",
  "\"quotes'.md",
  "!bang.md",
  "{a,b}.md",
  "(x|y).md",
  "+(z).md",
  "@(z)",
  "?q.md",
  "#hash.md",
  "%41.md",
  "%zz",
  " space ",
  "tab\t",
  "\r",
  "\u0001",
  "\u001b[31m",
  "\u007f",
  "-rf",
  "~",
  "$(id)",
  "`id`",
  ";",
  "&",
  "é.md",
  "e\u0301.md",
  "\u202e.md",
  "🦉.md",
  ".hidden",
  "...",
  "..x",
  "x..",
  "__proto__",
  "constructor",
  ".git",
  "node_modules",
  "**",
  "!(**)",
  "\ufeffbom",
  "a:b",
  "C:\\x",
  "<script>",
];

test("every name the file system takes is listed and read, byte for byte", async () => {
  const { root, store } = makeStore();
  for (const name of HOSTILE) {
    writeFileSync(join(root, name), `content of ${name}`);
    mkdirSync(join(root, `dir ${name}`));
    writeFileSync(join(root, `dir ${name}`, name), name);
  }
  const objects = await listAll(store);
  const expected = [...HOSTILE, ...HOSTILE.map((name) => `dir ${name}/${name}`)].sort();
  assert.deepEqual(
    objects.map((object) => object.key),
    expected,
  );
  assert.deepEqual(
    objects.filter((object) => object.problem !== null),
    [],
  );
  for (const name of HOSTILE) assert.equal(Buffer.from((await store.read(name)).bytes).toString(), `content of ${name}`);
});

test("any name of bytes but NUL and slash is listed, as itself or with the reason why not", async () => {
  const { root, store } = makeStore();
  const segment = fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 || byte === 0x2f ? 0x61 : byte))));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(
        segment.filter((name) => ![".", ".."].includes(name.toString("latin1"))),
        { minLength: 1, maxLength: 5, selector: (name) => name.toString("hex") },
      ),
      async (names) => {
        const paths = names.map((name) => Buffer.concat([Buffer.from(`${root}/`), name]));
        for (const path of paths) writeFileSync(path, "x");
        const objects = await listAll(store);
        for (const path of paths) unlinkSync(path);
        assert.equal(objects.length, names.length);
        for (const name of names) {
          const text = name.toString("utf8");
          const isText = Buffer.from(text).equals(name);
          if (isText)
            assert.equal(
              objects.find((object) => object.key === text)?.problem,
              text.includes("\ufffd") ? "the key is not valid UTF-8" : null,
            );
        }
        assert.equal(
          objects.filter((object) => object.problem === "the name is not valid UTF-8").length,
          names.filter((name) => !Buffer.from(name.toString("utf8")).equals(name)).length,
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("a root whose own path is hostile works", async () => {
  const root = join(base, "ro*ot [x]\n\\{a}");
  mkdirSync(root);
  writeFileSync(join(root, "a"), "1");
  assert.deepEqual(
    (await listAll(openObjectStore({ kind: "directory", root }))).map((object) => object.key),
    ["a"],
  );
});

test("a link out of the root is refused, however it is spelled, and so is reading through it", async () => {
  const { root, store } = makeStore();
  writeFileSync(join(base, "outside"), "secret");
  mkdirSync(join(base, "outside-dir"), { recursive: true });
  writeFileSync(join(base, "outside-dir", "f"), "secret");
  mkdirSync(join(root, "d"));
  writeFileSync(join(root, "d", "real"), "inside");
  symlinkSync(join(base, "outside"), join(root, "absolute"));
  symlinkSync("../outside", join(root, "relative"));
  symlinkSync("relative", join(root, "chain"));
  symlinkSync(join(base, "outside-dir"), join(root, "folder"));
  symlinkSync("/proc/self/environ", join(root, "proc"));
  symlinkSync("d/real", join(root, "inside"));
  symlinkSync("d", join(root, "inside-folder"));
  symlinkSync("loop", join(root, "loop"));
  symlinkSync("none", join(root, "dangling"));
  // A sibling whose name begins with the root's name is outside too.
  mkdirSync(`${root}-twin`);
  writeFileSync(join(`${root}-twin`, "f"), "secret");
  symlinkSync(`${root}-twin/f`, join(root, "twin"));
  const problems = Object.fromEntries((await listAll(store)).map((object) => [object.key, object.problem]));
  const out = "the link leads out of the store";
  assert.deepEqual(problems, {
    absolute: out,
    chain: out,
    "d/real": null,
    dangling: "the link leads nowhere",
    folder: out,
    inside: null,
    "inside-folder": "the link leads to a folder; only links to files are followed",
    loop: "the link leads in a circle",
    proc: out,
    relative: out,
    twin: out,
  });
  assert.equal(Buffer.from((await store.read("inside")).bytes).toString(), "inside");
  for (const key of ["absolute", "relative", "chain", "folder/f", "proc", "twin", "../outside", "d/../../outside"]) {
    await assert.rejects(
      store.read(key),
      (error: unknown) => error instanceof ShelfError && error.code === "bad_source" && !error.message.includes(base),
    );
  }
});

test("a key that is asked for by its name is what a listing has of it: nothing lies behind a link to a folder, or below a file", async () => {
  const { root, store } = makeStore();
  for (const folder of ["drafts/deep", "notes/real"]) mkdirSync(join(root, folder), { recursive: true });
  for (const key of ["drafts/s.md", "drafts/deep/t.md", "notes/a.md", "notes/real/b.md"]) writeFileSync(join(root, key), "text");
  symlinkSync("../drafts", join(root, "notes/link"));
  symlinkSync("../../drafts/deep", join(root, "notes/real/further"));
  symlinkSync("a.md", join(root, "notes/alias.md"));
  symlinkSync("loop", join(root, "notes/loop"));
  symlinkSync(join(root, "notes/real"), join(root, "absolute"));
  const listed = new Map((await listAll(store)).map((object) => [object.key, object]));
  const long = "n".repeat(300);
  const asked = [
    ...listed.keys(),
    "notes/link/s.md",
    "notes/link/deep/t.md",
    "notes/real/further/t.md",
    "absolute/b.md",
    "notes/loop/x",
    "notes/alias.md/x",
    "notes/a.md/x",
    "notes/a.md/x/y",
    "gone/x.md",
    "notes",
    "notes/",
    "../s1/notes/a.md",
    "notes/./a.md",
    "/notes/a.md",
  ];
  const shown = (object: StoredObject | null | undefined): unknown =>
    object === null || object === undefined ? null : { ...object, version: "" };
  for (const key of asked) assert.deepEqual(shown(await store.find(key)), shown(listed.get(key)), key);
  for (const key of [`notes/${long}`, `${long}/x`]) assert.equal(await store.find(key), null);
  assert.equal(listed.get("notes/alias.md")?.problem, null);
});

test("a file replaced by a link out of the root after the listing is not read", async () => {
  const { root, store } = makeStore();
  writeFileSync(join(root, "a"), "fine");
  assert.equal((await listAll(store)).length, 1);
  unlinkSync(join(root, "a"));
  symlinkSync(join(base, "outside"), join(root, "a"));
  await assert.rejects(store.read("a"), /leads out of the store/);
});

test("pipes, sockets, devices and folders are no objects, and reading a pipe does not hang", async (t) => {
  const { root, store } = makeStore();
  execFileSync("mkfifo", [join(root, "pipe")]);
  const server = createServer().listen(join(root, "socket"));
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  mkdirSync(join(root, "empty"));
  symlinkSync("/dev/zero", join(root, "zero"));
  assert.equal(await problemOf(store, "pipe"), "is a pipe, not a file");
  assert.equal(await problemOf(store, "socket"), "is a socket, not a file");
  assert.equal(await problemOf(store, "zero"), "the link leads out of the store");
  assert.equal(await problemOf(store, "empty"), undefined);
  for (const key of ["pipe", "socket", "zero", "empty"]) await assert.rejects(store.read(key), ShelfError);
});

test("what may not be read is reported and the rest is listed", async () => {
  const { root, store } = makeStore();
  mkdirSync(join(root, "closed"));
  writeFileSync(join(root, "closed", "x"), "");
  writeFileSync(join(root, "locked"), "");
  writeFileSync(join(root, "open"), "");
  chmodSync(join(root, "closed"), 0);
  chmodSync(join(root, "locked"), 0);
  await withoutPrivileges([base], async () => {
    assert.deepEqual(
      (await listAll(store)).map((object) => object.key),
      ["closed/", "locked", "open"],
    );
    await assert.rejects(store.read("locked"), /not permitted/);
  });
  chmodSync(join(root, "closed"), 0o700);
});

test("a missing root, or a file as root, is an error of the source and names no path", async () => {
  for (const root of [join(base, "none"), join(base, "outside")]) {
    await assert.rejects(
      listAll(openObjectStore({ kind: "directory", root })),
      (error: unknown) => error instanceof ShelfError && error.code === "bad_source" && !error.message.includes(base),
    );
  }
});

test("a read never mixes two versions of a file that is being rewritten", async () => {
  const { root, store } = makeStore();
  const path = join(root, "busy");
  writeFileSync(path, "a".repeat(300_000));
  const worker = new Worker(
    `const { writeFileSync } = require("node:fs"); const { workerData: path } = require("node:worker_threads");
     const end = Date.now() + 600; let n = 0;
     while (Date.now() < end) { writeFileSync(path, "abcdef"[n++ % 6].repeat(300000 + (n % 3))); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3); }`,
    { eval: true, workerData: path },
  );
  const done = new Promise((resolve) => worker.once("exit", resolve));
  let finished = false;
  void done.then(() => (finished = true));
  while (!finished) {
    const { bytes } = await store.read("busy").catch((error: unknown) => {
      assert.match(String(error), /kept changing/);
      return { bytes: new Uint8Array() };
    });
    // A read of a file at rest waits for nothing: without a pause the writer's end would never be heard.
    await sleep(0);
    // The writer truncates first, so a short file is a true state of it; two letters in one are not.
    assert.ok(new Set(bytes).size <= 1);
  }
  assert.equal(new Set((await store.read("busy")).bytes).size, 1);
});

test("the version changes with the bytes even when size and time are put back, and stays otherwise", async (t) => {
  const { root, store } = makeStore();
  // Later than each change, so that none counts as one of just now.
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 3_600_000 });
  const path = join(root, "a");
  writeFileSync(path, "one");
  utimesSync(path, 1_700_000_000, 1_700_000_000.5);
  await sleep(50);
  const [first] = await listAll(store);
  assert.deepEqual((await listAll(store))[0], first);
  assert.equal((await store.read("a")).version, first?.version);
  assert.equal(first?.uploaded, "2023-11-14T22:13:20.500Z");
  writeFileSync(path, "two");
  utimesSync(path, 1_700_000_000, 1_700_000_000.5);
  assert.notEqual((await listAll(store))[0]?.version, first?.version);
  assert.equal((await listAll(store))[0]?.version, (await store.read("a")).version);
  writeFileSync(join(root, "b"), "six");
  utimesSync(join(root, "b"), 1_700_000_000, 1_700_000_000.5);
  renameSync(join(root, "b"), path);
  assert.notEqual((await listAll(store))[0]?.version, first?.version);
});

test("a file changed within the last tick of the clock is never taken for unchanged", async () => {
  const { root, store } = makeStore();
  const path = join(root, "a");
  for (let round = 0; round < 20; round++) {
    writeFileSync(path, "a");
    const before = (await listAll(store))[0]?.version;
    writeFileSync(path, "b");
    assert.notEqual((await listAll(store))[0]?.version, before);
  }
});

test("a version of a file that changed just now never comes again; one whose time is still to come tells as much as another", async (t) => {
  const { root, store } = makeStore();
  const path = join(root, "a");
  writeFileSync(path, "a");
  const changed = statSync(path).ctimeMs;
  t.mock.timers.enable({ apis: ["Date"], now: changed });
  for (const [after, isNew] of [
    [5, true],
    [29, true],
    [35, false],
    [-3_600_000, false],
  ] as const) {
    t.mock.timers.setTime(Math.floor(changed) + after);
    const versions = [(await listAll(store))[0]?.version, (await store.find("a"))?.version];
    assert.equal(versions[0] !== versions[1], isNew, `${after} ms after it`);
  }
  t.mock.timers.setTime(Math.floor(changed) + 5);
  await assert.rejects(store.read("a"), /kept changing/, "nor are its bytes believed");
});

test("bytes are believed of the file alone that its path leads to, and when they are as many as it has", async () => {
  const { root, store } = makeStore();
  writeFileSync(join(root, "a"), "of a file that is gone");
  const opened = openSync(join(root, "a"), "r");
  unlinkSync(join(root, "a"));
  // What is opened by the link is the file that is gone; what the link is called after is another.
  symlinkSync(`/proc/self/fd/${opened}`, join(root, "link"));
  writeFileSync(join(root, "a (deleted)"), "of another");
  await sleep(50);
  await assert.rejects(store.read("link"), /kept changing/);
  closeSync(opened);
  await assert.rejects(openObjectStore({ kind: "directory", root: `/proc/${process.pid}` }).read("status"), /kept changing/);
});

test("a time before 1970 is written as it is", async () => {
  const { root, store } = makeStore();
  execFileSync("touch", ["-d", "1960-02-29T01:02:03Z", join(root, "early")]);
  assert.equal((await listAll(store))[0]?.uploaded, "1960-02-29T01:02:03.000Z");
});

test("keys over 1024 bytes come with a problem, deep folders work", async () => {
  const { root, store } = makeStore();
  const deep = Array.from({ length: 60 }, (_, level) => `level-${level}`).join("/");
  mkdirSync(join(root, deep), { recursive: true });
  writeFileSync(join(root, deep, "x"), "");
  const long = `${"d".repeat(250)}/`.repeat(4);
  mkdirSync(join(root, long), { recursive: true });
  writeFileSync(join(root, `${long}${"f".repeat(100)}`), "");
  const objects = await listAll(store);
  assert.deepEqual(
    objects.map((object) => object.problem),
    ["the key is longer than 1024 bytes", null],
  );
});

test("ten thousand files in one folder are all listed", async () => {
  const { root, store } = makeStore();
  for (let n = 0; n < 10_000; n++) writeFileSync(join(root, `file ${n}`), "");
  assert.equal((await listAll(store)).length, 10_000);
});

test("the memory store lists and reads like a folder", async () => {
  const store = openMemoryStore(
    new Map([
      ["b", { bytes: "2" }],
      ["a", { bytes: "1", uploaded: "2026-01-01T00:00:00Z" }],
      ["x/../y", { bytes: "" }],
    ]),
  );
  assert.deepEqual(
    (await listAll(store)).map((object) => [object.key, object.size, object.problem]),
    [
      ["a", 1, null],
      ["b", 1, null],
      ["x/../y", 0, "the key has a dot segment"],
    ],
  );
  await assert.rejects(store.read("c"), ShelfError);
});

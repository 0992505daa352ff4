import assert from "node:assert/strict";
import { test } from "node:test";
import { childProcesses } from "../fixtures/child-processes.ts";
import { compileSite } from "../pages/compile-site.ts";
import type { ShelfError } from "../../snapshots/errors.ts";
import { extract } from "./extract.ts";
import { parseExtract, toExtracted } from "./extract-json.ts";
import { openExtractPool } from "./pool.ts";

test("a pool gives what extract gives, and leaves the caller's bytes alone", async () => {
  const pool = openExtractPool({ threads: 2 });
  try {
    const objects = Array.from({ length: 40 }, (_, n) => ({
      key: `notes/${n}.${n % 2 === 0 ? "md" : "v"}`,
      bytes: Buffer.from(`# Note ${n}\n\nLemma a${n} : True.\n`),
    }));
    const found = await Promise.all(objects.map(({ key, bytes }) => pool.extract(key, bytes)));
    for (const [index, { key, bytes }] of objects.entries()) assert.deepEqual(found[index], toExtracted(await extract(key, bytes)));
  } finally {
    await pool.close();
  }
});

test("an object that takes too long gets a note and its plain text", async () => {
  // No process starts within a few milliseconds.
  const pool = openExtractPool({ threads: 1, timeLimit: 1 });
  try {
    const [first, second] = await Promise.all([
      pool.extract("a.md", Buffer.from("# A\n")),
      pool.extract("b.pdf", Buffer.from("%PDF-1.4\n")),
    ]);
    assert.match(first.notes.join(), /took too long/);
    assert.deepEqual(
      parseExtract(first.json).passages.map((part) => part.text),
      ["# A"],
    );
    assert.deepEqual([second.kind, second.notes.length], ["pdf", 1]);
  } finally {
    await pool.close();
  }
});

test("a process that dies costs the object it was at, and no other", async () => {
  const pool = openExtractPool({ threads: 1, memoryLimit: 64 });
  try {
    const big = Buffer.from("# A\n\ntext\n\n".repeat(4_000_000));
    const found = await Promise.all([
      pool.extract("a.md", Buffer.from("# First\n")),
      pool.extract("big.md", big),
      pool.extract("c.md", Buffer.from("# Third\n")),
    ]);
    assert.deepEqual(
      found.map((value) => value.notes.length),
      [0, 1, 0],
    );
    assert.match(found[1]?.notes.join() ?? "", /failed/);
    assert.equal(found[2]?.title, "Third");
  } finally {
    await pool.close();
  }
});

test("a warm pool has its first process, and starts no other for a few objects", async (t) => {
  if (process.platform !== "linux") return t.skip("processes are found in /proc");
  const pool = openExtractPool({ threads: 4 });
  try {
    pool.warm();
    pool.warm();
    const warm = childProcesses("extract/worker.ts");
    assert.equal(warm.length, 1);
    const keys = ["a.md", "b.md", "c.md"];
    const found = await Promise.all(keys.map((key) => pool.extract(key, Buffer.from(`# ${key}\n`))));
    assert.deepEqual(
      found.map(({ title }) => title),
      keys,
    );
    assert.deepEqual(childProcesses("extract/worker.ts"), warm);
  } finally {
    await pool.close();
  }
  assert.deepEqual(childProcesses("extract/worker.ts"), []);
});

test("a process that is killed for no fault of the file costs nothing: the file is read again", async (t) => {
  if (process.platform !== "linux") return t.skip("processes are found in /proc");
  const pool = openExtractPool({ threads: 1 });
  try {
    const reading = Promise.all([pool.extract("a.md", Buffer.from("# First\n")), pool.extract("b.md", Buffer.from("# Second\n"))]);
    const [pid] = childProcesses("extract/worker.ts");
    assert.ok(pid !== undefined, "it was started and cannot have read anything yet");
    process.kill(pid, "SIGKILL");
    assert.deepEqual(
      (await reading).map(({ title, notes }) => [title, notes]),
      [
        ["First", []],
        ["Second", []],
      ],
    );
    assert.deepEqual((await pool.extract("c.md", Buffer.from("# Third\n"))).notes, [], "and the pool works on");
  } finally {
    await pool.close();
  }
});

test("a process that cannot be started fails the build in words, blames no file, and does not hold up the end", {
  timeout: 30_000,
}, async () => {
  const { execPath } = process;
  const pool = openExtractPool({ threads: 2 });
  try {
    process.execPath = "/nonexistent/program";
    const reading = ["a.md", "b.md", "c.md", "d.md", "e.md", "f.md"].map((key) => pool.extract(key, Buffer.from("# A\n")));
    for (const result of await Promise.allSettled(reading)) {
      assert.equal(result.status, "rejected");
      assert.equal((result.reason as ShelfError).code, "build_failed");
      assert.match((result.reason as ShelfError).message, /could not be started \(ENOENT\)/);
    }
    await assert.rejects(pool.extract("g.md", Buffer.from("")), { code: "build_failed" });
  } finally {
    process.execPath = execPath;
    await pool.close();
  }
});

test("a closed pool refuses", async () => {
  const pool = openExtractPool();
  const pending = pool.extract("a.md", Buffer.from("# A\n"));
  const refused = assert.rejects(pending, /closed/);
  await pool.close();
  await refused;
  await assert.rejects(pool.extract("a.md", Buffer.from("")), /closed/);
});

test("the compiled process gives what its sources give, for every kind of text", async () => {
  const { worker } = await compileSite();
  const pool = openExtractPool({ threads: 1, worker });
  try {
    const objects = [
      ["a.md", "# Title\n\nText with `code` and $x^2$.\n"],
      ["a.html", "<main><h1>Title</h1><p>Text &amp; more</p></main>"],
      ["a.tex", "\\section{Title}\nText.\n"],
      ["a.v", "Lemma a : True. Proof. exact I. Qed.\n"],
      ["a.lean", "theorem a : True := trivial\n"],
      ["a.rs", "pub fn a() {}\n"],
      ["a.csv", "a,b\n1,2\n"],
      ["a.json", '{"a": [1, 2]}'],
      ["a.yaml", "a: 1\n"],
      ["a.pdf", "%PDF-1.4\n"],
      ["a.bin", "\0\u0001"],
    ] as const;
    for (const [key, text] of objects)
      assert.deepEqual(await pool.extract(key, Buffer.from(text)), toExtracted(await extract(key, Buffer.from(text))), key);
  } finally {
    await pool.close();
  }
});

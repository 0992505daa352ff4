import assert from "node:assert/strict";
import { test } from "node:test";
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
  // No process starts within a millisecond.
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

test("a closed pool refuses", async () => {
  const pool = openExtractPool();
  const pending = pool.extract("a.md", Buffer.from("# A\n"));
  const refused = assert.rejects(pending, /closed/);
  await pool.close();
  await refused;
  await assert.rejects(pool.extract("a.md", Buffer.from("")), /closed/);
});

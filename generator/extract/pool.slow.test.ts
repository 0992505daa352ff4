/** Files that end processes, or take processor without end. */
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { childProcesses } from "../testing/child-processes.ts";
import { openExtractPool } from "./pool.ts";
import { openUnread } from "../kept/unread.ts";
import { base, worker } from "./pool-fixture.ts";

test("a process that dies costs the object it was at, and no other", async () => {
  const pool = openExtractPool({ worker, threads: 1, memoryLimit: 64, timeLimit: 60_000 });
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

/** Takes processor without end for what begins with "bad", and a second and a half of it for "long". */
const GREEDY = `process.send("ready");
  const taken = () => process.cpuUsage().user + process.cpuUsage().system;
  const burn = (ms) => { for (const end = taken() + ms * 1000; taken() < end; ) for (let at = 0; at < 1e6; at++); };
  process.on("message", ({ key, note }) => {
    if (key.startsWith("bad")) burn(1e9);
    if (key.startsWith("long")) burn(1500);
    process.send({ title: key, notes: note === null ? [] : [note], json: new Uint8Array(), images: [] });
  });
  process.on("disconnect", () => process.exit(0));`;

function greedyWorker(): string {
  const path = join(mkdtempSync(join(base, "greedy-")), "worker.mjs");
  writeFileSync(path, GREEDY);
  return path;
}

test("a file that takes processor without end takes no more than its time in all, and is not tried again under another name", async () => {
  const greedy = greedyWorker();
  const dir = mkdtempSync(join(base, "unread-"));
  const bytes = (): Buffer => Buffer.from("the same bytes");
  const pool = openExtractPool({ worker: greedy, threads: 1, timeLimit: 600, unread: openUnread(dir, "maker") });
  const [bad, good] = await Promise.all([pool.extract("bad.pdf", bytes()), pool.extract("good", Buffer.from("x"))]);
  assert.deepEqual([bad.notes, good.title], [["Reading this file took too long, so it is listed but not searched."], "good"]);
  await pool.close();
  const second = openExtractPool({ worker: greedy, threads: 1, timeLimit: 600, unread: openUnread(dir, "maker") });
  assert.deepEqual((await second.extract("bad, again.pdf", bytes())).notes, bad.notes);
  assert.deepEqual(childProcesses(greedy), [], "no process was needed to say so");
  await second.close();
  assert.equal(openUnread(dir, "another maker").isEmpty(), true, "another program tries it again");
});

test("when a build has spent its time for files that take long, the next build goes on with them, and others are read", async () => {
  const dir = mkdtempSync(join(base, "unread-"));
  const unread = openUnread(dir, "maker");
  const pool = openExtractPool({ worker: greedyWorker(), threads: 1, budget: 300, unread });
  try {
    assert.deepEqual((await pool.extract("long 1", Buffer.from("1"))).notes, []);
    await assert.rejects(pool.extract("long 2", Buffer.from("2")), {
      code: "bad_source",
      message: /extract\.budget.*the next one goes on/,
    });
    assert.equal((await pool.extract("quick", Buffer.from("3"))).title, "quick");
    assert.ok(unread.isEmpty(), "nothing is held against a file that there was no time for");
  } finally {
    await pool.close();
  }
});

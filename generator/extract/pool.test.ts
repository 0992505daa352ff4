import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { childProcesses } from "../testing/child-processes.ts";
import { until } from "../testing/until.ts";
import type { ShelfError } from "../../snapshots/errors.ts";
import { extractAsking } from "./extract.ts";
import { parseExtract, toExtracted } from "./extract-json.ts";
import { hasNamespaces } from "./isolation.ts";
import { openExtractPool } from "./pool.ts";
import { base, worker } from "./pool-fixture.ts";

test("a pool gives what extract gives, and leaves the caller's bytes alone", async () => {
  const pool = openExtractPool({ worker, threads: 2 });
  try {
    const objects = Array.from({ length: 40 }, (_, n) => ({
      key: `notes/${n}.${n % 2 === 0 ? "md" : "v"}`,
      bytes: Buffer.from(`# Note ${n}\n\nLemma a${n} : True.\n`),
    }));
    const found = await Promise.all(objects.map(({ key, bytes }) => pool.extract(key, bytes)));
    for (const [index, { key, bytes }] of objects.entries())
      assert.deepEqual(found[index], toExtracted(key, await extractAsking(key, bytes, null)));
  } finally {
    await pool.close();
  }
});

test("an object that takes too long gets a note and its plain text", async () => {
  // No process starts within a few milliseconds.
  const pool = openExtractPool({ worker, threads: 1, timeLimit: 1 });
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

test("a warm pool has its first process, and starts no other for a few objects", async (t) => {
  if (process.platform !== "linux") return t.skip("processes are found in /proc");
  const pool = openExtractPool({ worker, threads: 4 });
  try {
    pool.warm();
    pool.warm();
    // A process that was forked is known by its command line only when it has begun.
    await until("the first process is there", () => childProcesses(worker).length > 0);
    const warm = childProcesses(worker);
    assert.equal(warm.length, 1);
    const keys = ["a.md", "b.md", "c.md"];
    const found = await Promise.all(keys.map((key) => pool.extract(key, Buffer.from(`# ${key}\n`))));
    assert.deepEqual(
      found.map(({ title }) => title),
      keys,
    );
    assert.deepEqual(childProcesses(worker), warm);
  } finally {
    await pool.close();
  }
  assert.deepEqual(childProcesses(worker), []);
});

test("a process that is killed for no fault of the file costs nothing: the file is read again", { timeout: 120_000 }, async (t) => {
  if (process.platform !== "linux") return t.skip("processes are found in /proc");
  const pool = openExtractPool({ worker, threads: 1 });
  try {
    const reading = Promise.all([pool.extract("a.md", Buffer.from("# First\n")), pool.extract("b.md", Buffer.from("# Second\n"))]);
    // It was started and cannot have read anything yet; while the program takes its place, its command line is empty.
    let [pid] = childProcesses(worker);
    for (; pid === undefined; [pid] = childProcesses(worker)) await setImmediate();
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
  timeout: 120_000,
}, async () => {
  const { execPath } = process;
  const pool = openExtractPool({ worker, threads: 2 });
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
  const pool = openExtractPool({ worker });
  const pending = pool.extract("a.md", Buffer.from("# A\n"));
  const refused = assert.rejects(pending, /closed/);
  await pool.close();
  await refused;
  await assert.rejects(pool.extract("a.md", Buffer.from("")), /closed/);
});

/** One page; a reader finds its parts without a table of them. */
const PDF = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Count 1/Kids[3 0 R]>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>> endobj
4 0 obj <</Length 43>> stream
BT /F 12 Tf 50 700 Td (Hello reader) Tj ET
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
trailer <</Root 1 0 R>>
`;

test("the compiled process gives what its sources give, for every kind of text", async () => {
  const pool = openExtractPool({ worker, threads: 1 });
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
      ["a.pdf", PDF],
      ["a.bin", "\0\u0001"],
      ["a.zip", "PK\u0003\u0004\0"],
    ] as const;
    assert.match(parseExtract((await pool.extract("a.pdf", Buffer.from(PDF))).json).passages[0]?.text ?? "", /Hello reader/);
    for (const [key, text] of objects)
      assert.deepEqual(
        await pool.extract(key, Buffer.from(text)),
        toExtracted(key, await extractAsking(key, Buffer.from(text), null)),
        key,
      );
  } finally {
    await pool.close();
  }
});

/** A worker that does as its key says and tells how it went, in place of one that a document took over. */
const ATTACKER = `
  import { readFileSync, readdirSync, writeFileSync } from "node:fs";
  import { spawnSync } from "node:child_process";
  import { connect } from "node:net";
  import { Worker } from "node:worker_threads";
  const attacks = {
    read: (path) => readFileSync(path, "utf8"),
    list: (path) => readdirSync(path).join(),
    write: (path) => writeFileSync(path, "x"),
    spawn: () => { const { error, status } = spawnSync("true"); if (error) throw error; return "status " + status; },
    thread: () => new Worker("1", { eval: true }),
    native: (path) => process.dlopen({ exports: {} }, path),
    code: () => new Function("return 1")(),
    binding: () => process.binding("tcp_wrap"),
    environment: () => { if (Object.keys(process.env).length === 0) throw new Error("nothing there"); return JSON.stringify(process.env); },
    connect: (port) => new Promise((resolve, reject) => connect(Number(port), "127.0.0.1", () => resolve("connected")).on("error", reject)),
  };
  process.on("message", async ({ key }) => {
    const [name, argument] = key.split(" ");
    const title = await Promise.resolve().then(() => attacks[name](argument)).then((found) => "done: " + found, () => "refused");
    process.send({ title });
  });
  process.on("disconnect", () => process.exit(0));
`;

test("a process that was taken over reads no file, writes none, starts nothing and opens no connection", async (t) => {
  const folder = mkdtempSync(join(base, "attacker-"));
  const attacker = join(folder, "worker.mjs");
  const decoy = join(base, "decoy");
  writeFileSync(attacker, ATTACKER);
  writeFileSync(decoy, "secret");
  writeFileSync(join(folder, "own"), "its own");
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const pool = openExtractPool({ worker: attacker, threads: 1 });
  try {
    const attack = async (key: string): Promise<string> => (await pool.extract(key, new Uint8Array())).title;
    assert.equal(await attack(`read ${join(folder, "own")}`), "done: its own", "the attacks would work where they are allowed");
    for (const name of [`read ${decoy}`, `list ${base}`, `write ${decoy}`, `write ${join(folder, "new")}`, "spawn", "thread"])
      assert.equal(await attack(name), "refused", name);
    for (const name of [`native ${decoy}`, "code", "binding", "environment"]) assert.equal(await attack(name), "refused", name);
    assert.equal(readFileSync(decoy, "utf8"), "secret");
    if (!hasNamespaces()) return t.skip("this system gives no network namespace, so connections stay open");
    assert.equal(await attack(`connect ${port}`), "refused");
    assert.equal(connections, 0);
  } finally {
    await pool.close();
    server.close();
  }
});

test("an object that ends every process that reads it is listed with a note, and the others are read", async () => {
  const folder = mkdtempSync(join(base, "deadly-"));
  const deadly = join(folder, "worker.mjs");
  writeFileSync(
    deadly,
    `process.send("ready");
     process.on("message", ({ key, note }) => key === "bad" ? process.exit(1) : process.send({ title: key, notes: [note] }));
     process.on("disconnect", () => process.exit(0));`,
  );
  const pool = openExtractPool({ worker: deadly, threads: 1 });
  try {
    const [bad, good] = await Promise.all([pool.extract("bad", new Uint8Array()), pool.extract("good", new Uint8Array())]);
    assert.deepEqual([bad.title, bad.kind, bad.notes], ["bad", "binary", ["Reading this file failed, so it is listed but not searched."]]);
    assert.equal(parseExtract(bad.json).html, null);
    assert.equal(good.title, "good");
  } finally {
    await pool.close();
  }
});

test("a program that cannot even begin fails the build in words, and blames no file", async () => {
  const folder = mkdtempSync(join(base, "broken-"));
  const broken = join(folder, "worker.mjs");
  writeFileSync(broken, `import "./missing.mjs";`);
  const pool = openExtractPool({ worker: broken, threads: 1 });
  try {
    await assert.rejects(pool.extract("a.md", new Uint8Array()), { code: "build_failed", message: /could not be started \(exit 1\)/ });
  } finally {
    await pool.close();
  }
});

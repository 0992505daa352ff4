import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { weightOf } from "../pipeline/read-objects.ts";
import { countJournal } from "../kept/journal.ts";
import { openProgress } from "./progress.ts";

import type { ObjectStore } from "../sources/object-store.ts";
import { openMemoryStore } from "../testing/memory-store.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { build, openShelves, verifyLibrary } from "../testing/whole.ts";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));

test("on a terminal a step has one line that is rewritten, with count, rate and time left, and one when it has ended", () => {
  let time = 0;
  let shown = "";
  const progress = openProgress({ stream: { isTTY: true, write: (text) => ((shown += String(text)), true) }, now: () => time });
  for (let done = 1; done <= 600; done++) {
    time += 20;
    progress.step("read", done, 2000);
  }
  progress.step("write the search index");
  time += 100;
  progress.end();
  const lines = shown.split(/\r\u001b\[2K|\n/);
  assert.ok(lines.includes("read 501 of 2,000, 50/s, 30 s left"), shown.slice(-400));
  assert.ok(lines.includes("read 600 in 12 s"));
  assert.ok(lines.includes("write the search index …"));
  assert.equal(shown.split("\n").length, 2, "what was short leaves no line");
});

test("what began slowly is told by how fast it goes now", () => {
  let time = 0;
  let shown = "";
  const progress = openProgress({ stream: { isTTY: true, write: (text) => ((shown += String(text)), true) }, now: () => time });
  const go = (to: number, seconds: number, from: number): void => {
    for (let at = 1; at <= 100; at++) {
      time += seconds * 10;
      progress.step("render", Math.round(from + ((to - from) * at) / 100), 10_000);
    }
  };
  progress.step("render");
  time += 60_000;
  go(100, 100, 0);
  go(4_000, 39, 100);
  progress.end();
  const last = shown.split(/\r\u001b\[2K|\n/).findLast((line) => line.startsWith("render 4,000 of"));
  assert.equal(last, "render 4,000 of 10,000, 100/s, 1 min 0 s left");
});

/** Of 2,000 texts of two Debian packages, fifty after fifty in the order of their keys: kilobytes, and milliseconds of processor to read them. */
const RECORDED = (
  "651 215, 522 122, 3029 1240, 3567 800, 4149 1016, 3452 1021, 923 363, 258 71, 401 68, 183 86, 97 60, 147 59, 136 57, 110 48, " +
  "84 40, 92 31, 124 41, 95 34, 173 48, 92 40, 117 43, 128 53, 165 60, 112 40, 75 32, 95 34, 83 26, 82 37, 207 63, " +
  "317 70, 519 72, 184 47, 339 61, 377 54, 406 55, 647 115, 348 65, 176 33, 667 114, 1503 485"
)
  .split(", ")
  .map((pair) => pair.split(" ").map(Number))
  .map(([kilobytes = 0, ms = 0]) => [kilobytes, ms] as const);

test("of a library whose long texts come first the time left is told within a factor of two from the first minute to the last half", () => {
  // Fifty times as many of each: a build of six minutes.
  const TIMES = 50;
  const all = RECORDED.reduce((sum, [kilobytes]) => sum + 50 * weightOf((kilobytes * 1024) / 50), 0);
  const whole = RECORDED.reduce((sum, [, ms]) => sum + ms * TIMES, 0);
  let [time, done, weighed] = [0, 0, 0];
  const told: { readonly at: number; readonly left: number }[] = [];
  const hear = (text: string): void => {
    const [, minutes = "0", seconds] = /, (?:(\d+) min )?(\d+) s left/.exec(text) ?? [];
    if (seconds !== undefined) told.push({ at: time, left: Number(minutes) * 60_000 + Number(seconds) * 1000 });
  };
  const progress = openProgress({ stream: { isTTY: true, write: (text) => (hear(String(text)), true) }, now: () => time });
  for (const [kilobytes, ms] of RECORDED) {
    const each = weightOf((kilobytes * 1024) / 50);
    for (let at = 0; at < 50 * TIMES; at++) {
      time += ms / 50;
      weighed += each / TIMES;
      progress.step("read", ++done, 2000 * TIMES, weighed / all);
    }
  }
  progress.end();
  const later = told.filter(({ at }) => at > 60_000 && whole - at > 30_000);
  assert.ok(later.length > 100);
  const wrong = later.filter(({ at, left }) => left > 2 * (whole - at) || left < (whole - at) / 2);
  assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${later.length}, ${whole / 1000} s in all`);
});

test("in a log there is one line now and then, also while a step says nothing of itself, and none for what is short", async () => {
  const lines: string[] = [];
  const progress = openProgress({ stream: { write: (text) => lines.push(String(text)) > 0 }, logEvery: 30 });
  const keepAlive = setInterval(() => undefined, 1000);
  for (let done = 1; done <= 100; done++) progress.step("read", done, 100);
  assert.deepEqual(lines, []);
  progress.step("write the search index");
  while (lines.length < 3) await wait(5);
  clearInterval(keepAlive);
  progress.end();
  const count = lines.length;
  await wait(100);
  assert.equal(lines.length, count, "it ends");
  assert.ok(
    lines.every((line) => line === "write the search index …\n"),
    lines.join(""),
  );
});

const OBJECTS = 400;

test("a first build that fails leaves nothing big behind, and a later one leaves what is served", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "failed-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: . }\nshelf: { kind: directory, root: ../shelf }\nembeddings: { kind: none }\ncollections:\n  - { id: a, prefix: a/, title: A, visibility: public }\n",
    ],
  ]);
  const config = { ...(await openConfig(join(dir, "proofshelf.yaml"))), shelf: { kind: "directory", root: join(dir, "shelf") } as const };
  const objects = new Map(Array.from({ length: 50 }, (_, at) => [`a/${at}.md`, { bytes: `# ${at}\n\n${"Words. ".repeat(2000)}\n` }]));
  const memory = openMemoryStore(objects);
  let read = 0;
  const failing: ObjectStore = {
    ...memory,
    async read(key) {
      if (++read > 40) throw Object.assign(new Error("input/output error"), { code: "EIO" });
      return memory.read(key);
    },
  };
  const sizeOf = (): number =>
    readdirSync(join(dir, "shelf"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  let ended = 0;
  const progress = { ...SILENT, end: () => ++ended };
  await assert.rejects(build(config, { progress, store: failing }, PLAIN_PARTS), { code: "EIO" });
  assert.equal(ended, 1, "its progress ends with it");
  assert.ok(sizeOf() < 10_000, `${sizeOf()} bytes`);
  const first = await build(config, { progress: SILENT, store: memory }, PLAIN_PARTS);
  objects.set("a/0.md", { bytes: "# Changed\n" });
  await assert.rejects(build(config, { progress: SILENT, store: failing }, PLAIN_PARTS), { code: "EIO" });
  assert.equal((await openShelves(config).public.readPointer())?.snapshot, first.snapshot);
  assert.deepEqual(await verifyLibrary(config, { snapshots: "current", derive: false }, PLAIN_PARTS), []);
});

test("Ctrl-C says what is kept, publishes nothing, and the next build goes on there", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "progress-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(
    join(dir, "library"),
    Array.from({ length: OBJECTS }, (_, at) => [`a/${at}.md`, `# Object ${at}\n\n${"Words and more words. ".repeat(200)}\n`] as const),
  );
  const file = join(dir, "proofshelf.yaml");
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections:\n  - { id: a, prefix: a/, title: A, visibility: public }\n",
    ],
  ]);
  const { buildDir } = openShelves(await openConfig(file));
  const child = spawn(process.execPath, [CLI, "build", "--config", file], { stdio: ["ignore", "pipe", "pipe"] });
  const said: string[] = [];
  child.stderr.on("data", (text: Buffer) => said.push(text.toString()));
  child.stdout.on("data", (text: Buffer) => said.push(text.toString()));
  while (countJournal(buildDir) < 20 && child.exitCode === null) await wait(5);
  child.kill("SIGINT");
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => child.on("close", (...how) => resolve(how)));
  assert.deepEqual([code, signal], [null, "SIGINT"], said.join(""));
  const kept = Number(/(\d+) objects that were read are kept/.exec(said.join(""))?.[1]);
  assert.ok(kept >= 20, said.join(""));
  const config = await openConfig(file);
  assert.equal(await openShelves(config).public.readPointer(), null);
  const after = await build(config, { progress: SILENT }, PLAIN_PARTS);
  assert.ok(after.work.read <= OBJECTS - kept + 1, `${after.work.read} were read again, ${kept} were kept`);
  const elsewhere = await build({ ...config, shelf: { kind: "directory", root: join(dir, "other") } }, { progress: SILENT }, PLAIN_PARTS);
  assert.deepEqual(
    [after.snapshot, after.internal.snapshot],
    [elsewhere.snapshot, elsewhere.internal.snapshot],
    "as if it had not been stopped",
  );
  assert.equal(countJournal(buildDir), 0);
});

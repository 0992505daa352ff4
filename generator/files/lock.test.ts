import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ShelfError } from "../../snapshots/errors.ts";
import { findRunningBuild, withBuildLock } from "./lock.ts";

const base = mkdtempSync(join(tmpdir(), "lock-"));
after(() => rmSync(base, { recursive: true, force: true }));
let number = 0;
const newDir = () => join(base, `d${number++}`);
const mkdirOf = (dir: string): string => {
  mkdirSync(dir, { recursive: true });
  return dir;
};

/** A process that takes the lock, says so, and holds it until its stdin ends. */
const HOLDER = `
  const { withBuildLock } = await import(${JSON.stringify(new URL("./lock.ts", import.meta.url).href)});
  await withBuildLock(process.argv[1], async () => {
    process.stdout.write("held\\n");
    await new Promise((resolve) => process.stdin.resume().once("end", resolve));
  }).catch((error) => { process.stdout.write(error.code + " " + error.message + "\\n"); process.exitCode = 4; });
`;

/** A process that waits for "go", tries often, and writes begin and end of each turn it got into one file. */
const RACER = `
  const { appendFileSync, existsSync } = await import("node:fs");
  const { withBuildLock } = await import(${JSON.stringify(new URL("./lock.ts", import.meta.url).href)});
  const [dir, log, go] = process.argv.slice(1);
  while (!existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 1));
  for (let turn = 0; turn < 40; turn++) {
    await withBuildLock(dir, async () => {
      appendFileSync(log, "begin " + process.pid + "\\n");
      await new Promise((resolve) => setImmediate(resolve));
      if (turn === 39 && process.pid % 2 === 0) process.kill(process.pid, "SIGKILL");
      appendFileSync(log, "end " + process.pid + "\\n");
    }).catch((error) => { if (error.code !== "build_running") throw error; });
  }
`;

function start(script: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", script, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())));
}

function exited(child: ChildProcess): Promise<number | null> {
  return child.exitCode !== null ? Promise.resolve(child.exitCode) : new Promise((resolve) => child.once("exit", resolve));
}

test("while one process holds the lock, another is told who and since when; kill -9 frees it at once", async () => {
  const dir = newDir();
  const first = start(HOLDER, dir);
  assert.equal(await firstLine(first), "held");
  const second = start(HOLDER, dir);
  assert.match(await firstLine(second), new RegExp(`^build_running Another build is running: process ${first.pid}, since 20\\d\\d-.*Z`));
  assert.equal(await exited(second), 4);
  await assert.rejects(
    withBuildLock(dir, async () => 1),
    (error: unknown) => error instanceof ShelfError && error.code === "build_running",
  );
  first.kill("SIGKILL");
  await exited(first);
  assert.equal(await withBuildLock(dir, async () => "mine"), "mine");
});

test("a killed holder that its parent has not waited for yet is dead all the same", {
  skip: process.platform !== "linux",
}, async () => {
  const dir = newDir();
  // sh starts the holder, and execs into sleep, which never waits for it.
  const parent = spawn("sh", ["-c", '"$0" --input-type=module -e "$1" "$2" <&3 & echo $!; exec sleep 60', process.execPath, HOLDER, dir], {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const lines: string[] = [];
  await new Promise<void>((resolve) =>
    parent.stdout?.on("data", (chunk: Buffer) => {
      lines.push(...chunk.toString().trim().split("\n"));
      if (lines.includes("held")) resolve();
    }),
  );
  const pid = Number(lines.find((line) => /^\d+$/.test(line)));
  process.kill(pid, "SIGKILL");
  while (!/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(await withBuildLock(dir, async () => 7), 7);
  parent.kill("SIGKILL");
  await exited(parent);
});

test("twelve processes that steal and race never hold the lock together", async () => {
  const dir = newDir();
  const log = join(base, "race.log");
  const go = join(base, "go");
  writeFileSync(log, "");
  const dead = start(HOLDER, dir);
  assert.equal(await firstLine(dead), "held");
  dead.kill("SIGKILL");
  await exited(dead);
  const racers = Array.from({ length: 12 }, () => start(RACER, dir, log, go));
  appendFileSync(go, "");
  await Promise.all(racers.map(exited));
  const lines = readFileSync(log, "utf8").trim().split("\n");
  let holder: string | null = null;
  let turns = 0;
  for (const line of lines) {
    const [what, pid] = line.split(" ");
    if (what === "begin") {
      // A holder that killed itself has no end line; the next one may begin.
      if (holder !== null) assert.equal(Number(holder) % 2, 0, `${line} while ${holder} holds`);
      holder = pid ?? "";
      turns++;
    } else {
      assert.equal(pid, holder);
      holder = null;
    }
  }
  assert.ok(turns >= 12, `${turns} turns`);
  assert.ok(
    readdirSync(dir).every((name) => ["build.lock", "build.lock.holder"].includes(name)),
    readdirSync(dir).join(" "),
  );
});

test("the name of a killed holder is nobody's: it is neither believed nor told", async () => {
  const dir = newDir();
  await withBuildLock(dir, async () => undefined);
  writeFileSync(join(dir, "build.lock.holder"), JSON.stringify({ pid: process.pid, since: "2020-01-01T00:00:00.000Z" }));
  assert.equal(await findRunningBuild(dir), null);
  await withBuildLock(dir, async () => {
    const told = await findRunningBuild(dir);
    assert.match(told ?? "", new RegExp(`^Another build is running: process ${process.pid}, since 20`));
    assert.doesNotMatch(told ?? "", /2020/);
  });
  assert.equal(await findRunningBuild(dir), null);
});

test("a damaged name of the holder locks nobody out and nobody in", async () => {
  const dir = newDir();
  for (const content of ["", "{", "null", '{"pid":-1}']) {
    writeFileSync(join(mkdirOf(dir), "build.lock.holder"), content);
    assert.equal(await withBuildLock(dir, async () => 1), 1);
    await withBuildLock(dir, async () => {
      writeFileSync(join(dir, "build.lock.holder"), content);
      await assert.rejects(
        withBuildLock(dir, async () => 2),
        { code: "build_running", message: "Another build is running." },
      );
    });
  }
});

test("a lock file that holds something is emptied; what is no file at all says what to do", async () => {
  const dir = newDir();
  const path = join(mkdirOf(dir), "build.lock");
  writeFileSync(path, "x".repeat(4096));
  assert.equal(await withBuildLock(dir, async () => 1), 1);
  rmSync(path);
  mkdirSync(path);
  await assert.rejects(
    withBuildLock(dir, async () => 1),
    (error: unknown) => error instanceof ShelfError && error.code === "build_failed" && error.fixes.length === 1,
  );
});

test("asking who builds writes nothing, also where no build has ever been", async () => {
  const dir = newDir();
  assert.equal(await findRunningBuild(dir), null);
  assert.equal(existsSync(dir), false);
  await withBuildLock(dir, async () => undefined);
  const before = readdirSync(dir);
  assert.equal(await findRunningBuild(dir), null);
  assert.deepEqual(readdirSync(dir), before);
});

test("the lock is free again after a failure, and is held inside one process too", async () => {
  const dir = newDir();
  await assert.rejects(
    withBuildLock(dir, async () => Promise.reject(new Error("broken"))),
    /broken/,
  );
  await withBuildLock(
    dir,
    async () => {
      await assert.rejects(
        withBuildLock(dir, async () => 1),
        new RegExp(`process ${process.pid}, since 2026-08-01T00:00:00.000Z`),
      );
    },
    { now: () => new Date("2026-08-01T00:00:00Z") },
  );
  assert.deepEqual(readdirSync(dir), ["build.lock"]);
});

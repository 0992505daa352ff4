import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { switchFolder } from "./switch-folder.ts";

function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "switch-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const all = async (): Promise<readonly string[]> => [];

function fill(text: string): (folder: string) => Promise<void> {
  return async (folder) => {
    for (const name of ["a", "b", "c"]) writeFileSync(join(folder, name), text);
  };
}

/** What a reader finds, each file by itself. */
function found(dir: string): string {
  return ["a", "b", "c"].map((name) => readFileSync(join(dir, name), "utf8")).join(" ");
}

/** A process that switches the folder and kills itself before its call number `at` that changes a file system. */
function killedAt(dir: string, at: number, text: string): boolean {
  const script = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    let calls = 0;
    const count = (real) => (...args) => (++calls === ${at} ? process.kill(process.pid, "SIGKILL") : real(...args));
    for (const name of ["mkdir", "rename", "symlink", "rm"]) fs.promises[name] = count(fs.promises[name]);
    fs.writeFileSync = count(fs.writeFileSync);
    syncBuiltinESMExports();
    const { switchFolder } = await import(${JSON.stringify(new URL("switch-folder.ts", import.meta.url).href)});
    await switchFolder(process.argv[1], async () => [], async (folder) => {
      for (const name of ["a", "b", "c"]) fs.writeFileSync(folder + "/" + name, process.argv[2]);
    });`;
  const { signal, status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script, dir, text], { encoding: "utf8" });
  assert.ok(signal === "SIGKILL" || status === 0, stderr);
  return signal === "SIGKILL";
}

test("killed before any change that it makes, a reader finds the old folder or the new one, whole, and the next leaves nothing behind", async (t) => {
  const dir = join(tempDir(t), "export");
  await switchFolder(dir, all, fill("0"));
  let at = 1;
  for (let text = "0"; ; at++) {
    const next = String(at);
    const killed = killedAt(dir, at, next);
    const now = found(dir);
    assert.ok(now === `${text} ${text} ${text}` || now === `${next} ${next} ${next}`, `killed at ${at}: ${now}`);
    text = now.split(" ")[0] ?? "";
    if (!killed) break;
  }
  assert.ok(at > 8, `${at} points`);
  await switchFolder(dir, all, fill("last"));
  assert.equal(found(dir), "last last last");
  const versions = readdirSync(join(dir, "../.export.versions")).filter((name) => name.startsWith("v-"));
  assert.equal(versions.length, 1);
});

test("what fails leaves the old folder and nothing else; a folder of somebody's own is not touched", async (t) => {
  const base = tempDir(t);
  const dir = join(base, "export");
  await switchFolder(dir, all, fill("old"));
  await assert.rejects(
    switchFolder(dir, all, async (folder) => {
      await fill("new")(folder);
      throw new Error("full");
    }),
    /full/,
  );
  assert.equal(found(dir), "old old old");
  assert.equal(readdirSync(join(base, ".export.versions")).filter((name) => name.startsWith("v-")).length, 1);
  await assert.rejects(
    switchFolder(dir, async () => ["thesis.txt"], fill("new")),
    { code: "build_failed", message: /holds thesis\.txt, which no export has written/ },
  );
  assert.equal(found(dir), "old old old");
});

test("a plain folder of an earlier program is replaced, and a link that somebody made is followed", async (t) => {
  const base = tempDir(t);
  mkdirSync(join(base, "plain"));
  await fill("plain")(join(base, "plain"));
  await switchFolder(join(base, "plain"), all, fill("new"));
  assert.equal(found(join(base, "plain")), "new new new");
  mkdirSync(join(base, "elsewhere/www"), { recursive: true });
  symlinkSync("elsewhere/www", join(base, "www"));
  for (const text of ["one", "two"]) {
    await switchFolder(join(base, "www"), all, fill(text));
    assert.equal(found(join(base, "elsewhere/www")), `${text} ${text} ${text}`);
  }
  assert.ok(lstatSync(join(base, "www")).isSymbolicLink());
  assert.deepEqual(
    readdirSync(base).filter((name) => name.startsWith(".")),
    [".plain.versions"],
  );
});

test("two at once: the second is refused in words", async (t) => {
  const dir = join(tempDir(t), "export");
  let second: Promise<unknown> = Promise.resolve();
  await switchFolder(dir, all, async (folder) => {
    second = assert.rejects(switchFolder(dir, all, fill("x")), {
      code: "build_running",
      message: /^Another export to this folder is running: process/,
    });
    await second;
    await fill("first")(folder);
  });
  assert.equal(found(dir), "first first first");
});

test("a place that is named by nothing or by a dot is this folder, and a link that leads nowhere is somebody's own", async (t) => {
  const base = tempDir(t);
  writeFileSync(join(base, "thesis.txt"), "mine");
  symlinkSync("unmounted/www", join(base, "www"));
  const here = process.cwd();
  t.after(() => process.chdir(here));
  process.chdir(base);
  const names = async (folder: string): Promise<readonly string[]> => readdirSync(folder).filter((name) => name === "thesis.txt");
  for (const dir of ["", ".", "./", base]) await assert.rejects(switchFolder(dir, names, fill("x")), /holds thesis\.txt/, dir);
  await assert.rejects(switchFolder("www", names, fill("x")), { code: "bad_config", message: /www is a link to .*unmounted.www/ });
  assert.deepEqual(readdirSync(base).sort(), ["thesis.txt", "www"]);
  await switchFolder("export", all, fill("one"));
  rmSync(join(base, ".export.versions"), { recursive: true });
  await switchFolder("export", all, fill("two"));
  assert.equal(found("export"), "two two two", "a link of our own is made anew");
});

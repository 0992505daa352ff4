/** What git ignores is never taken in unasked: by whatever file it is said, at any depth, in a checkout that lies in the library, too. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { writeFiles } from "../testing/library.ts";
import { listObjects } from "./list-objects.ts";
import { openDirectoryStore } from "./object-store-directory.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args], { cwd, encoding: "utf8", stdio: "pipe" });

async function newFolder(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "ignored-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, Object.entries(files));
  return dir;
}

async function list(root: string, include: readonly string[] = []): Promise<{ served: string[]; said: string[] }> {
  const collections = [{ id: "all", prefix: "", title: "All", visibility: "public", summary: "" }] as const;
  const { rows, rejected } = await listObjects(openDirectoryStore(root), { collections, store: { include, exclude: [] } });
  return {
    served: rows.map(({ key }) => key),
    said: rejected.filter(({ reason }) => reason.startsWith("git ignores it")).map(({ key }) => key),
  };
}

test("what git ignores is left out and said, a folder once; what is committed and what store.include names is taken in", async (t) => {
  const dir = await newFolder(t, {
    ".gitignore": "plain/\n*.log\n!fine.log\n",
    "a.md": "x",
    "untracked.md": "x",
    "plain/secret/one.md": "x",
    "plain/two.md": "x",
    "deep/.gitignore": "/here.md\n",
    "deep/here.md": "x",
    "deep/there.md": "x",
    "committed.log": "x",
    "fine.log": "x",
    "odd\nname.log": "x",
    "by-info.md": "x",
  });
  git(dir, "init", "-q");
  writeFileSync(join(dir, ".git/info/exclude"), "by-info.md\n");
  git(dir, "add", "-f", "a.md", "committed.log");
  const said = ["by-info.md", "deep/here.md", "odd\nname.log", "plain/"];
  assert.deepEqual(await list(dir), { served: ["a.md", "committed.log", "deep/there.md", "fine.log", "untracked.md"], said });
  assert.deepEqual((await list(dir, ["plain/two.md"])).said, said, "of a folder some is taken in, and the folder is said");
  assert.ok((await list(dir, ["plain/two.md"])).served.includes("plain/two.md"));
  assert.deepEqual(
    (await list(join(dir, "plain"))).served,
    ["secret/one.md", "two.md"],
    "who names an ignored folder as the store means it",
  );
  assert.equal((await openDirectoryStore(dir).find("plain/two.md"))?.ignored, "plain");
});

test("a checkout inside the library ignores what it ignores, and somebody else's, a broken one and a submodule that is gone stop nothing", async (t) => {
  const dir = await newFolder(t, {
    "note.md": "x",
    "code/one/.gitignore": "venv2\n",
    "code/one/kept.v": "x",
    "code/one/venv2/key.md": "x",
    "code/two/.git": "gitdir: ../../nowhere\n",
    "code/two/x.md": "x",
    "code/three/.git/config": "x",
    "code/three/x.md": "x",
  });
  git(join(dir, "code/one"), "init", "-q");
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", "12345", join(dir, "code/one")]);
  assert.deepEqual(await list(dir), {
    served: ["code/one/kept.v", "code/three/x.md", "code/two/x.md", "note.md"],
    said: ["code/one/venv2/"],
  });
});

test("a checkout of which git cannot say what it ignores is refused, with the reason", async (t) => {
  const dir = await newFolder(t, { "a.md": "x" });
  git(dir, "init", "-q");
  git(dir, "add", "a.md");
  writeFileSync(join(dir, ".git/index"), "no index");
  await assert.rejects(list(dir), { code: "bad_source", message: /is a git checkout, and git cannot say what it ignores: .*index/ });
});

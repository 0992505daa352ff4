import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import type { BuildSummary } from "./summary.ts";
import { openConfig } from "../config/config.ts";
import { SILENT } from "../testing/library.ts";
import { pageFile, pagePath } from "../../snapshots/format/layout.ts";
import { createTreeCache, openSnapshot } from "../../snapshots/shelf/read.ts";
import { readPointers, readServed } from "../shelves/shelves.ts";
import { PAGED_PARTS, PLAIN_PARTS } from "../testing/plain-parts.ts";
import { build, openShelves } from "../testing/whole.ts";

const FILES = { "a/one.md": "# One\n\nThe first.\n", "a/two.md": "# Two\n", "b/odd\nname.md": "# Odd\n", "b/plan.md": "# Plan\n" };
const CONFIG = `store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
embeddings: { kind: none }
collections:
  - { id: a, prefix: a/, title: A, visibility: public }
  - { id: b, prefix: b/, title: B, visibility: email-gated }
`;

function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "times-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function write(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
}

async function run(dir: string, parts = PLAIN_PARTS): Promise<BuildSummary> {
  return build(await openConfig(join(dir, "proofshelf.yaml")), { progress: SILENT }, parts);
}

/** Key → time, of the internal view. */
async function times(dir: string): Promise<Record<string, string | null>> {
  const shelves = openShelves(await openConfig(join(dir, "proofshelf.yaml")));
  const { internal } = await readPointers(shelves);
  assert.ok(internal !== null);
  const data = await readServed(shelves.internal, internal);
  return Object.fromEntries((data?.objects ?? []).map(({ key, uploaded }) => [key, uploaded]));
}

function git(dir: string, time: string, ...args: string[]): void {
  const env = { ...process.env, GIT_AUTHOR_DATE: time, GIT_COMMITTER_DATE: time, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", ...args], {
    cwd: dir,
    env,
    stdio: "pipe",
  });
}

const FIRST = "2024-01-02T03:04:05.000Z";
const SECOND = "2025-06-07T08:09:10.000Z";

/** Two commits: the second changes one file and adds another. */
function commitLibrary(dir: string): void {
  write(dir, { "proofshelf.yaml": CONFIG, ".gitignore": "shelf\n" });
  write(join(dir, "library"), FILES);
  git(dir, FIRST, "init", "-q");
  git(dir, FIRST, "add", "-A");
  git(dir, FIRST, "commit", "-qm", "first");
  write(join(dir, "library"), { "a/two.md": "# Two, again\n", "a/three.md": "# Three\n" });
  git(dir, SECOND, "add", "-A");
  git(dir, SECOND, "commit", "-qm", "second");
}

test("other file times with the same bytes are no change: a copy in the store's place, also when what the build knew is gone", async (t) => {
  const dir = tempDir(t);
  write(dir, { "proofshelf.yaml": CONFIG });
  write(join(dir, "library"), FILES);
  const first = await run(dir);
  for (const forget of [false, true]) {
    renameSync(join(dir, "library"), join(dir, "old"));
    cpSync(join(dir, "old"), join(dir, "library"), { recursive: true });
    rmSync(join(dir, "old"), { recursive: true });
    if (forget) rmSync(join(dir, "shelf/internal/build/state.v8"));
    const again = await run(dir);
    assert.deepEqual([again.published, again.internal.published, again.snapshot], [false, false, first.snapshot]);
  }
  const before = await times(dir);
  write(join(dir, "library"), { "a/one.md": "# One\n\nChanged.\n" });
  await run(dir);
  const after = await times(dir);
  assert.notEqual(after["a/one.md"], before["a/one.md"], "other bytes have another time");
  assert.deepEqual({ ...after, "a/one.md": "" }, { ...before, "a/one.md": "" });
});

test("a third party who clones the library and builds it on a new shelf gets the same snapshot id", async (t) => {
  const [mine, theirs] = [tempDir(t), tempDir(t)];
  commitLibrary(mine);
  const first = await run(mine);
  assert.deepEqual(await times(mine), {
    "a/one.md": FIRST,
    "a/three.md": SECOND,
    "a/two.md": SECOND,
    "b/odd\nname.md": FIRST,
    "b/plan.md": FIRST,
  });
  git(theirs, FIRST, "clone", "-q", `file://${mine}`, "clone");
  const other = await run(join(theirs, "clone"));
  assert.deepEqual([other.snapshot, other.internal.snapshot], [first.snapshot, first.internal.snapshot]);
});

test("what is not committed has its file's time, or none when only git counts; a cut-off history tells nothing", async (t) => {
  const dir = tempDir(t);
  commitLibrary(dir);
  write(join(dir, "library"), { "a/one.md": "# One\n\nNot committed.\n", "a/new.md": "# New\n" });
  await run(dir);
  const auto = await times(dir);
  assert.deepEqual([auto["a/three.md"], auto["b/plan.md"]], [SECOND, FIRST]);
  assert.ok((auto["a/one.md"] ?? "") > SECOND && (auto["a/new.md"] ?? "") > SECOND);
  write(dir, { "proofshelf.yaml": `${CONFIG}uploaded: git\n` });
  await run(dir);
  const strict = await times(dir);
  assert.deepEqual([strict["a/one.md"], strict["a/new.md"], strict["b/plan.md"]], [null, null, FIRST]);
  write(dir, { "proofshelf.yaml": `${CONFIG}uploaded: none\n` });
  await run(dir);
  assert.deepEqual([...new Set(Object.values(await times(dir)))], [null]);
  write(dir, { "proofshelf.yaml": `${CONFIG}uploaded: mtime\n` });
  await run(dir);
  assert.ok(Object.values(await times(dir)).every((time) => (time ?? "") > SECOND));
  git(dir, FIRST, "clone", "-q", "--depth", "1", `file://${dir}`, "shallow");
  write(join(dir, "shallow"), { "proofshelf.yaml": `${CONFIG}uploaded: git\n` });
  await assert.rejects(run(join(dir, "shallow")), { code: "bad_source", message: /no git checkout .* whole history/ });
});

test("objects say the repository, commit and path that they come from: by git, or by the configuration, and a copy keeps it", async (t) => {
  const dir = tempDir(t);
  commitLibrary(dir);
  git(dir, SECOND, "remote", "add", "origin", "git@github.com:example/library.git");
  const sources = async (): Promise<Record<string, unknown>> => {
    const shelves = openShelves(await openConfig(join(dir, "proofshelf.yaml")));
    const { public: record } = await readPointers(shelves);
    assert.ok(record !== null);
    const data = await readServed(shelves.public, record);
    return Object.fromEntries((data?.objects ?? []).map(({ key, source }) => [key, source]));
  };
  const idOf = (name: string): string => execFileSync("git", ["rev-parse", name], { cwd: dir, encoding: "utf8" }).trim();
  const at = (ref: string, path: string) => ({ repo: "https://github.com/example/library", ref: idOf(ref), path });
  const first = await run(dir);
  assert.deepEqual(await sources(), {
    "a/one.md": at("HEAD~1", "library/a/one.md"),
    "a/three.md": at("HEAD", "library/a/three.md"),
    "a/two.md": at("HEAD", "library/a/two.md"),
  });
  const ids = [idOf("HEAD~1"), idOf("HEAD")];
  renameSync(join(dir, ".git"), join(dir, "kept.git"));
  rmSync(join(dir, "shelf/internal/build/state.v8"));
  assert.equal((await run(dir)).snapshot, first.snapshot, "the same bytes elsewhere come from where they came from");
  write(join(dir, "library"), { "a/one.md": "# One\n\nNot committed.\n" });
  await run(dir);
  assert.equal((await sources())["a/one.md"], undefined);
  write(dir, {
    "proofshelf.yaml": `${CONFIG}sources:
  - { prefix: a/, repo: https://git.example.org/notes, ref: v1 }
  - { prefix: a/t, repo: https://github.com/example/t, ref: v2, path: sub/t }
`,
  });
  await run(dir, PAGED_PARTS);
  assert.deepEqual(await sources(), {
    "a/one.md": { repo: "https://git.example.org/notes", ref: "v1", path: "one.md" },
    "a/three.md": { repo: "https://github.com/example/t", ref: "v2", path: "sub/three.md" },
    "a/two.md": { repo: "https://github.com/example/t", ref: "v2", path: "sub/two.md" },
  });
  const shelves = openShelves(await openConfig(join(dir, "proofshelf.yaml")));
  const { public: record } = await readPointers(shelves);
  assert.ok(record !== null);
  const snapshot = await openSnapshot(shelves.public, record, createTreeCache());
  const entry = await snapshot.find(`pages/${pageFile(pagePath.object("a/two.md"))}`);
  assert.ok(entry?.kind === "blob");
  assert.match(
    Buffer.from(await snapshot.read(entry)).toString(),
    /href="https:\/\/github\.com\/example\/t\/blob\/v2\/sub\/two\.md"/,
    "pages say it, though no object was read again",
  );
  write(dir, { "proofshelf.yaml": CONFIG });
  await run(dir);
  assert.deepEqual(
    Object.values(await sources()).map((source) => (source as { ref: string } | undefined)?.ref),
    [undefined, ids[1], ids[1]],
    "what the configuration said is not remembered",
  );
});

test("a repository that somebody put into the store runs no program of his", async (t) => {
  const dir = tempDir(t);
  commitLibrary(dir);
  const proof = join(dir, "ran");
  const program = join(dir, "program");
  writeFileSync(program, `#!/bin/sh\ntouch ${proof}\ncat\n`, { mode: 0o755 });
  for (const name of [
    "core.fsmonitor",
    "core.pager",
    "diff.external",
    "filter.x.clean",
    "filter.x.smudge",
    "gpg.program",
    "core.sshCommand",
  ])
    git(dir, FIRST, "config", name, program);
  git(dir, FIRST, "config", "log.showSignature", "true");
  git(dir, FIRST, "config", "diff.x.textconv", program);
  writeFileSync(join(dir, "library/.gitattributes"), "* filter=x diff=x\n");
  rmSync(proof, { force: true });
  await run(dir);
  assert.equal((await times(dir))["b/plan.md"], FIRST);
  assert.throws(() => readFileSync(proof), "nothing ran");
});

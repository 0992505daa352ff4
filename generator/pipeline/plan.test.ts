/** `proofshelf build --plan`, as an operator calls it. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { sha256 } from "../../snapshots/digest.ts";
import type { BuildSummary } from "./summary.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles, writeSmallFixture } from "../testing/library.ts";
import { withBuildLock } from "../files/lock.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import type { Preview } from "./preview.ts";
import { type Ran, runHere } from "../testing/run-program.ts";
import { build as buildLibrary } from "../testing/whole.ts";

const run = (args: readonly string[]): Promise<Ran> => runHere(args);

async function preview(file: string): Promise<Preview> {
  const { status, stdout, stderr } = await run(["build", "--plan", "--json", "--config", file]);
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trimEnd().split("\n").length, 1, "one document");
  return JSON.parse(stdout) as Preview;
}

const build = async (file: string): Promise<BuildSummary> => buildLibrary(await openConfig(file), { progress: SILENT }, PLAIN_PARTS);

/** Every file and folder with its bytes and its time. */
function contentsOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${statSync(path).mtimeMs} ${entry.isFile() ? sha256(readFileSync(path)) : ""}`;
    })
    .sort();
}

/** A library with a shelf that was built of it, in a folder of its own. */
async function makeBuilt(t: TestContext): Promise<{ dir: string; file: string }> {
  const { dir, file } = await makeLibrary(t);
  // A file that was changed within one tick of the file system's clock is looked at twice.
  await wait(100);
  await build(file);
  return { dir, file };
}

async function makeLibrary(t: TestContext): Promise<{ dir: string; file: string }> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-plan-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return { dir, file: await writeSmallFixture(dir) };
}

test("where no shelf is, everything would be made, and there is still no shelf", async (t) => {
  const { dir, file } = await makeLibrary(t);
  const before = contentsOf(dir);
  const plan = await preview(file);
  assert.match((await run(["build", "--plan", "--config", file])).stdout, /nothing has been published yet/);
  assert.equal(existsSync(join(dir, "shelf")), false);
  assert.deepEqual(contentsOf(dir), before);
  assert.deepEqual([plan.nothing, plan.objects.kept], [false, 0]);
  assert.ok(plan.objects.read.every(({ why }) => why.join() === "first"));
  const { work, rejected } = await build(file);
  assert.deepEqual(plan.objects.read.length, work.read);
  assert.deepEqual(plan.rejected, rejected);
});

test("where nothing has changed nothing would be done, and nothing is", async (t) => {
  const { dir, file } = await makeBuilt(t);
  const before = contentsOf(dir);
  const plan = await preview(file);
  assert.deepEqual(contentsOf(dir), before, "byte for byte, and no time of any file either");
  assert.deepEqual([plan.nothing, plan.running], [true, null]);
  assert.deepEqual([plan.objects.read, plan.objects.removed], [[], []]);
  assert.match((await run(["build", "--plan", "--config", file])).stdout, /^Nothing would be done/);
});

test("each object that would be read is named with why, and nothing is changed by saying so", async (t) => {
  const { dir, file } = await makeBuilt(t);
  await writeFiles(join(dir, "library"), [
    ["notes/short.md", "# Short\n\nAnother zebra.\n"],
    ["notes/fresh.md", "# Fresh\n\nNew.\n"],
  ]);
  rmSync(join(dir, "library/data/table.csv"));
  writeFileSync(file, readFileSync(file, "utf8").replace("title: Proofs, visibility: public", "title: Proofs, visibility: email-gated"));
  const claims = join(dir, "claims.yaml");
  writeFileSync(claims, readFileSync(claims, "utf8").replace("access: public, path: proofs/", "access: email-gated, path: proofs/"));
  const before = contentsOf(dir);
  const plan = await preview(file);
  const text = (await run(["build", "--plan", "--config", file])).stdout;
  assert.deepEqual(contentsOf(dir), before);
  const why = new Map(plan.objects.read.map((object) => [object.key, object.why]));
  assert.deepEqual(why.get("notes/fresh.md"), ["new"]);
  assert.ok(why.get("notes/short.md")?.includes("version") && why.get("notes/short.md")?.includes("size"));
  assert.deepEqual([why.get("proofs/Sort.v"), why.get("proofs/sort.rs")], [["root"], ["root"]]);
  assert.equal(why.size, 4);
  assert.deepEqual(plan.objects.removed, ["data/table.csv"]);
  assert.match(text, /Read "notes\/fresh\.md": new/);
  assert.match(text, /Remove "data\/table\.csv": gone/);
  assert.match(text, /Read "proofs\/Sort\.v": its collection became public or gated/);
  const { work } = await build(file);
  assert.equal(work.read, plan.objects.read.length);
});

test("where no object has to be read, the plan says that other things are made", async (t) => {
  const { dir, file } = await makeBuilt(t);
  const claims = readFileSync(join(dir, "claims.yaml"), "utf8");
  await writeFiles(dir, [["claims.yaml", claims.replace("Claims of the fixture", "Other claims of the fixture")]]);
  const plan = await preview(file);
  assert.deepEqual([plan.nothing, plan.objects.read, plan.objects.removed], [false, [], []]);
  assert.equal((await build(file)).work.read, 0);
});

test("what the last build knew is lost: everything is read again, and the plan says why", async (t) => {
  const { dir, file } = await makeBuilt(t);
  rmSync(join(dir, "shelf/internal/build/state.v8"));
  const plan = await preview(file);
  assert.ok(plan.objects.read.length > 0 && plan.objects.read.every(({ why }) => why.join() === "forgotten"));
});

test("a build that runs is named, and does not keep the plan from being told; mistakes exit as elsewhere", async (t) => {
  const { dir, file } = await makeBuilt(t);
  await withBuildLock(join(dir, "shelf/internal/build"), async () => {
    assert.match((await preview(file)).running ?? "", new RegExp(`Another build is running: process ${process.pid}`));
    assert.match((await run(["build", "--plan", "--config", file])).stdout, /^Another build is running/);
  });
  const broken = join(dir, "broken.yaml");
  writeFileSync(broken, "store: 7\n");
  assert.equal((await run(["build", "--plan", "--config", broken])).status, 2);
  writeFileSync(join(dir, "claims.yaml"), "- neither meta nor claims\n");
  const { status, stdout } = await run(["build", "--plan", "--json", "--config", file]);
  assert.equal(status, 0, "the last good copy stays");
  assert.match((JSON.parse(stdout) as { notes: string[] }).notes.join("\n"), /claims/);
  const fresh = join(dir, "fresh.yaml");
  writeFileSync(fresh, readFileSync(file, "utf8").replace(/^shelf:.*$/m, "shelf: { kind: directory, root: ./elsewhere }"));
  const first = await run(["build", "--plan", "--json", "--config", fresh]);
  assert.deepEqual([first.status, (JSON.parse(first.stdout) as { error: { code: string } }).error.code], [1, "bad_source"]);
});

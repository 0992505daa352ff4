/** A search engine that never returns. It waits for a named pipe here, as it would for a network disk that is gone. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { PASSAGES } from "../../snapshots/index/tables.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { startServing } from "../testing/serving-process.ts";
import { build, openShelves } from "../testing/whole.ts";

async function openLibrary(t: TestContext): Promise<{ readonly file: string; readonly passages: string }> {
  const dir = mkdtempSync(join(tmpdir(), "hangs-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["library/notes/one.md", "# One\n\nWords of the first note.\n"],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections:\n  - { id: notes, prefix: notes/, title: Notes, visibility: public }\n",
    ],
  ]);
  const file = join(dir, "proofshelf.yaml");
  const config = await openConfig(file);
  await build(config, { progress: SILENT }, PLAIN_PARTS);
  return { file, passages: join(openShelves(config).public.indexUri, `${PASSAGES}.lance`) };
}

/** A server; it ends though its engine does not. */
async function serve(t: TestContext, file: string): Promise<string> {
  const { url, stop } = await startServing(["--only", "site", "--config", file]);
  t.after(stop);
  return url;
}

/** A pipe that nobody writes into. */
function pipe(path: string): void {
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
}

test("a query that the engine never answers is a 503 in words, and the rest is served", async (t) => {
  const { file, passages } = await openLibrary(t);
  const url = await serve(t, file);
  // The index is open, and no row has been read.
  assert.equal((await fetch(`${url}/api/search?q=nowhere`)).status, 200);
  const data = join(passages, "data");
  for (const name of readdirSync(data)) pipe(join(data, name));
  const hanging = fetch(`${url}/api/search?q=first`);
  assert.equal((await fetch(`${url}/api/catalog`)).status, 200);
  await expectUnavailable(await hanging);
});

test("an index that the engine never opens is a 503 in words as well", async (t) => {
  const { file, passages } = await openLibrary(t);
  // The engine looks at the newest version first, also when an older one is asked for. Its names count down.
  const versions = join(passages, "_versions");
  const [newest = ""] = readdirSync(versions)
    .filter((name) => name.endsWith(".manifest"))
    .sort();
  pipe(join(versions, `${BigInt(newest.replace(".manifest", "")) - 1n}.manifest`));
  await expectUnavailable(await fetch(`${await serve(t, file)}/api/search?q=first`));
});

async function expectUnavailable(response: Response): Promise<void> {
  const body = (await response.json()) as { detail: string };
  assert.deepEqual([response.status, body.detail], [503, "The search index has not answered within 10 seconds."]);
}

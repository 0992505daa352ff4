/** `proofshelf verify` while others write. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openConfig } from "./config/config.ts";
import { writeFiles } from "./fixtures/library.ts";
import { digestMakers } from "./makers.ts";
import { verifyLibrary } from "./publish/verify-library.ts";
import { openShelves } from "./shelves.ts";
import { formatState, readState } from "./state.ts";
import { sha256 } from "../snapshots/digest.ts";

const run = promisify(execFile);
const CLI = fileURLToPath(new URL("cli.ts", import.meta.url));
/** Verifications beside builds and prunes. */
const RUNS = 4;

const CONFIG = `title: Library that changes
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
embeddings: { kind: none }
`;

test("verify beside builds and prunes raises no false alarm, and still finds what is damaged", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-verify-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  const config = ["--config", file];
  const turn = async (number: number): Promise<void> => {
    await writeFiles(dir, [
      [`library/notes/${number % 4}.md`, `# Note ${number}\n\nTurn ${number}.\n`],
      ["library/drafts/gated.md", `# Gated\n\nNot for everybody, ${number}.\n`],
    ]);
    rmSync(join(dir, `library/notes/${(number + 2) % 4}.md`), { force: true });
  };
  await writeFiles(dir, [["proofshelf.yaml", CONFIG]]);
  await turn(0);
  await run(process.execPath, [CLI, "build", ...config]);
  let number = 0;
  let done = false;
  const writing = (async () => {
    while (!done) {
      await turn(++number);
      // A verification that was disturbed keeps the others out for a moment.
      const command = number % 3 === 0 ? ["prune", "--keep", "1"] : ["build"];
      await run(process.execPath, [CLI, ...command, ...config]).catch((error: { code: number }) => assert.equal(error.code, 4));
    }
  })();
  try {
    for (let count = 0; count < RUNS; count++) {
      assert.deepEqual(await verifyLibrary(await openConfig(file), { snapshots: "all" }), []);
    }
  } finally {
    done = true;
    await writing;
  }
  const { sequence } = JSON.parse(readFileSync(join(dir, "shelf/public/current.json"), "utf8")) as { sequence: number };
  rmSync(join(dir, `shelf/public/changes/${sequence}.json`));
  await assert.rejects(run(process.execPath, [CLI, "verify", "--all", "--json", ...config]), { code: 3 });
});

test("what another version of the program made is told as that, and only then", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-verify-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  await writeFiles(dir, [
    ["proofshelf.yaml", CONFIG],
    ["library/notes/one.md", "# One\n"],
  ]);
  await run(process.execPath, [CLI, "build", "--config", file]);
  const { public: shelf, buildDir } = openShelves(await openConfig(file));
  rmSync(shelf.indexUri, { recursive: true });
  const verify = async (): Promise<string> => {
    const failed: unknown = await run(process.execPath, [CLI, "verify", "--config", file]).catch((error: unknown) => error);
    const { code, stdout } = failed as { code: number; stdout: string };
    assert.equal(code, 3);
    assert.match(stdout, /^error index_mismatch in public/m);
    return stdout;
  };
  assert.doesNotMatch(await verify(), /another version/);
  const makers = digestMakers();
  const state = await readState(buildDir, makers.state);
  await writeFile(join(buildDir, "state.v8"), formatState(makers.state, { ...state, makers: { ...makers, program: sha256("another") } }));
  assert.match(await verify(), /made by another version of this program.*build again, then verify\.\n$/);
});

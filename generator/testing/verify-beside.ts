/** A library that is verified while others write it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { openConfig } from "../config/config.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { describeLibrary, writeFiles } from "./library.ts";
import { PLAIN_CLI } from "./serving-process.ts";
import { verifyLibrary } from "./whole.ts";

const run = promisify(execFile);
export const CONFIG = `${describeLibrary("Library that changes")}embeddings: { kind: none }
`;

/** verifyBeside verifies `runs` times while another process builds and prunes. */
export async function verifyBeside(t: TestContext, runs: number): Promise<void> {
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
  await run(process.execPath, [PLAIN_CLI, "build", ...config]);
  let number = 0;
  let done = false;
  const writing = (async () => {
    while (!done) {
      await turn(++number);
      // A verification that was disturbed keeps the others out for a moment.
      const command = number % 3 === 0 ? ["prune", "--keep", "1"] : ["build"];
      await run(process.execPath, [PLAIN_CLI, ...command, ...config]).catch((error: { code: number }) => assert.equal(error.code, 4));
    }
  })();
  try {
    for (let count = 0; count < runs; count++) {
      assert.deepEqual(await verifyLibrary(await openConfig(file), { snapshots: "all" }, PLAIN_PARTS), []);
    }
  } finally {
    done = true;
    await writing;
  }
  const { sequence } = JSON.parse(readFileSync(join(dir, "shelf/public/current.json"), "utf8")) as { sequence: number };
  rmSync(join(dir, `shelf/public/changes/${sequence}.json`));
  await assert.rejects(run(process.execPath, [PLAIN_CLI, "verify", "--all", "--json", ...config]), { code: 3 });
}

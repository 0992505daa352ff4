/** `proofshelf verify` while others write. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PLAIN_CLI } from "../testing/serving-process.ts";
import { promisify } from "node:util";
import { openConfig } from "../config/config.ts";
import { writeFiles } from "../testing/library.ts";
import { CONFIG, verifyBeside } from "../testing/verify-beside.ts";

import { formatState, readState } from "../kept/state.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { codeDigest } from "../files/program-code.ts";
import { openShelves } from "../testing/whole.ts";

const run = promisify(execFile);
test("verify beside builds and prunes raises no false alarm, and still finds what is damaged", async (t) => {
  await verifyBeside(t, 1);
});

test("what another version of the program made is told as that, and only then", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-verify-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  await writeFiles(dir, [
    ["proofshelf.yaml", CONFIG],
    ["library/notes/one.md", "# One\n"],
  ]);
  await run(process.execPath, [PLAIN_CLI, "build", "--config", file]);
  const { public: shelf, buildDir } = openShelves(await openConfig(file));
  rmSync(shelf.indexUri, { recursive: true });
  const verify = async (): Promise<string> => {
    const failed: unknown = await run(process.execPath, [PLAIN_CLI, "verify", "--config", file]).catch((error: unknown) => error);
    const { code, stdout } = failed as { code: number; stdout: string };
    assert.equal(code, 3);
    assert.match(stdout, /^error index_mismatch in public/m);
    return stdout;
  };
  assert.doesNotMatch(await verify(), /another version/);
  const state = await readState(buildDir, codeDigest());
  await writeFile(join(buildDir, "state.v8"), formatState({ ...state, program: sha256("another") }));
  assert.match(await verify(), /made by another version of this program.*build again, then verify\.\n$/);
});

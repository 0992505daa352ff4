import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

test("a build goes on over an object that names itself by half of a pair", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "well-formed-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, "library", "a"), { recursive: true });
  await writeFile(join(dir, "library", "a", "half.json"), `{"title":"caf\\ud83d"}`);
  await writeFile(
    join(dir, "proofshelf.yaml"),
    "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\n" +
      "collections: [{ id: a, prefix: a/, title: A, visibility: public }]\n",
  );
  const cli = fileURLToPath(new URL("../cli.ts", import.meta.url));
  await promisify(execFile)(process.execPath, [cli, "build", "--json", "--config", join(dir, "proofshelf.yaml")]);
  const pointer: unknown = JSON.parse(await readFile(join(dir, "shelf", "public", "current.json"), "utf8"));
  assert.ok(pointer !== null, "it was published");
});

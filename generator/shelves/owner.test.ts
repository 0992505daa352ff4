import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { BuildSummary } from "../pipeline/summary.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { useParts } from "../publish/parts.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { build } from "../testing/whole.ts";

useParts(PLAIN_PARTS);

const config = (shelf: string, title: string): string =>
  `title: ${title}\nstore: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ${shelf} }\ncollections:\n  - { id: a, prefix: a/, title: A, visibility: public }\n`;

test("two configurations that write one shelf in turns: the second is refused and changes nothing until it adopts the shelf; one that is edited, moved or checked out elsewhere is not", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "owner-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const shelf = join(dir, "shelf");
  await writeFiles(dir, [
    ["mine/library/a/one.md", "# One\n"],
    ["mine/proofshelf.yaml", config(shelf, "Mine")],
    ["theirs/library/a/one.md", "# Other\n"],
    ["theirs/other.yaml", config(shelf, "Theirs")],
  ]);
  const run = async (file: string, adopt = false): Promise<BuildSummary> =>
    build(await openConfig(join(dir, file)), { progress: SILENT, adopt });
  const pointer = (): string => readFileSync(join(shelf, "public/current.json"), "utf8");
  await run("mine/proofshelf.yaml");
  const before = pointer();
  await assert.rejects(run("theirs/other.yaml"), { code: "bad_config", message: /another configuration, proofshelf\.yaml \("Mine"\)/ });
  assert.equal(pointer(), before);
  // Edited where it lies.
  writeFileSync(join(dir, "mine/proofshelf.yaml"), config(shelf, "Mine again"));
  await run("mine/proofshelf.yaml");
  // The same in another place.
  cpSync(join(dir, "mine"), join(dir, "checkout"), { recursive: true });
  await run("checkout/proofshelf.yaml");
  await run("theirs/other.yaml", true);
  await assert.rejects(run("mine/proofshelf.yaml"), { code: "bad_config" });
  await run("theirs/other.yaml");

  // A library that moves as a whole, and is edited then.
  await writeFiles(dir, [
    ["whole/library/a/one.md", "# One\n"],
    ["whole/proofshelf.yaml", config("./shelf", "Whole")],
  ]);
  await run("whole/proofshelf.yaml");
  renameSync(join(dir, "whole"), join(dir, "moved"));
  writeFileSync(join(dir, "moved/proofshelf.yaml"), config("./shelf", "Moved"));
  await run("moved/proofshelf.yaml");
});

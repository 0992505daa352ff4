/** A record names no other one that is withdrawn: not as a use, a proof of the same, a definition below its statement or a witness. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ANNEXES } from "../annexes.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import { build } from "./build.ts";

test("a record that is withdrawn is named by no other record, and what is left stays as it was", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-shown-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const one = (id: string, name: string, more: object = {}) => ({
    id,
    repo: "r",
    module: "M",
    theorem_name: name,
    statement: "s",
    ...more,
  });
  const edge = (id: string, name: string) => ({ id, name, from: "proof", basis: "kernel" });
  const parts = [{ name: "M.cormorant", id: "CUB-0002" }, { name: "M.heron", id: "CUB-0003" }, { name: "M.loose" }];
  const cubs = [
    one("CUB-0001", "first", {
      uses: { count: 2, edges: [edge("CUB-0002", "M.cormorant"), edge("CUB-0003", "M.heron")] },
      meaning: { sha256: "a".repeat(64), parts, count: 3, lines: 3, at_least: false, library: "its own", same: ["CUB-0002", "CUB-0003"] },
      witness: { id: "CUB-0002", name: "cormorant", state: "shown", why: "" },
    }),
    one("CUB-0002", "cormorant"),
    one("CUB-0003", "heron"),
  ];
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      `store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]
registry: { sources: ./registry.yaml }
withdrawals: { path: ./withdrawals.yaml }
embeddings: { kind: none }
`,
    ],
    ["withdrawals.yaml", "withdrawals: [{ record: CUB-0002, reason: error, date: 2026-05-02, note: It is wrong. }]\n"],
    ["library/notes/a.md", "# A note\n"],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  const made = { ...ANNEXES, makeRegistry: async () => Buffer.from(JSON.stringify({ meta: {}, cubs })) };
  await build(config, made, { progress: SILENT }, PLAIN_PARTS);
  const view = await openFixtureView(config);
  for (const path of ["/api/cubs/CUB-0001", "/api/cubs/CUB-0001/meaning", "/registry/CUB-0001/", "/registry/CUB-0001/index.md"]) {
    const { text, status } = await ask(view, path);
    assert.equal(status, 200, path);
    assert.doesNotMatch(text, /cormorant/, path);
    assert.match(text, /CUB-0003/, path);
  }
  const record = JSON.parse((await ask(view, "/api/cubs/CUB-0001")).text) as Record<string, unknown>;
  assert.deepEqual(record["witness"], { id: "CUB-0002", name: "", state: "missing", why: "no record has this id" });
  assert.deepEqual((record["meaning"] as { count: number; same: string[] }).same, ["CUB-0003"]);
});

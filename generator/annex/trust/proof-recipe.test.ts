/** The guide's recipe: coreutils, a shell and openssl check what `/api/proofs` says, and find it when one byte of it is another. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { generateKey } from "../../../snapshots/log/note.ts";
import type { Proof } from "../../../snapshots/schema/evidence.ts";

import { openConfig } from "../../config/config.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { build } from "../../testing/whole.ts";

const ORIGIN = "library.example/shelf";
const RECIPE = readFileSync(new URL("../../package/recipes/check.sh", import.meta.url), "utf8");
const RECORD = JSON.stringify({ meta: {}, cubs: [{ id: "CUB-0001", repo: "sorting", theorem_name: "sorted", statement: "0 = 0" }] });

test("the recipe checks that an object, a record and a claim are there, and that others are not", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-recipe-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const pair = generateKey(ORIGIN);
  process.env["LOG_KEY"] = pair.privateKey;
  t.after(() => delete process.env["LOG_KEY"]);
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      `title: Proved library
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]
claims: { path: ./claims.yaml }
registry: { path: ./registry.json }
embeddings: { kind: none }
log: { origin: ${ORIGIN}, publicKey: "${pair.publicKey}" }
`,
    ],
    ["registry.json", RECORD],
    [
      "claims.yaml",
      "claims: [{ id: sorted, title: A title, status: scoped, scope: This test, statement: 'It \\ \"sorts\".\n  Always.' }]\n",
    ],
    ["library/notes/hello.md", "# Hello\n\nA text.\n"],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  // More than one entry, so that there are hashes on the way to the root.
  for (const turn of [1, 2, 3, 4, 5]) {
    await writeFiles(dir, [["library/notes/turn.md", `# Turn\n\nTurn ${turn}.\n`]]);
    await build(config, { progress: SILENT }, PLAIN_PARTS);
  }
  const view = await openFixtureView(config);
  const script = join(dir, "check.sh");
  writeFileSync(script, RECIPE);
  const check = (proof: string, key = pair.publicKey) => {
    writeFileSync(join(dir, "proof"), proof);
    return spawnSync("sh", [script, join(dir, "proof"), key], { encoding: "utf8", env: { ...process.env, TMPDIR: dir } });
  };
  const proofOf = async (target: string): Promise<{ text: string; proof: Proof }> => {
    const found = await ask(view, `/api/proofs/${target}`);
    assert.equal(found.status, 200, found.text);
    return { text: found.text, proof: found.json() as Proof };
  };

  const object = await proofOf("notes/hello.md");
  assert.ok(object.proof.present && object.proof.log?.signed === true && object.proof.log.hashes.length > 0);
  const shown = check(object.text);
  assert.equal(shown.status, 0, shown.stderr);
  assert.equal(shown.stdout, `${sha256("# Hello\n\nA text.\n")}\n`);

  const id = (JSON.parse(RECORD) as { cubs: { id: string }[] }).cubs[0]?.id ?? "";
  for (const [target, holds] of [
    [`${id}?kind=record`, `"id":"${id}"`],
    ["sorted?kind=claim", '"id":"sorted"'],
  ] as const) {
    const { text, proof } = await proofOf(target);
    assert.ok(proof.present, target);
    const said = check(text);
    assert.equal(said.status, 0, `${target}: ${said.stderr}`);
    assert.equal(said.stdout, `${proof.entry?.sha256}\n${proof.file}`);
    assert.ok(said.stdout.includes(holds));
  }
  for (const target of ["notes/none.md", "elsewhere/none.md", "notes", "CUB-9999?kind=record"]) {
    const { text, proof } = await proofOf(target);
    assert.equal(proof.present, false, target);
    const said = check(text);
    assert.equal(said.status, 0, `${target}: ${said.stderr}`);
    // A folder has a digest, and is no file.
    assert.match(said.stdout, target === "notes" ? /^[0-9a-f]{64}\n$/ : /^absent\n$/, target);
  }
  const claim = await proofOf("unsorted?kind=claim");
  assert.equal(claim.proof.present, false);
  assert.doesNotMatch(check(claim.text).stdout, /"id":"unsorted"/);

  // Another key, and one character of the checkpoint, the record, a hash or a tree changed.
  assert.notEqual(check(object.text, generateKey(ORIGIN).publicKey).status, 0);
  const { log, trees } = object.proof;
  for (const [from, to] of [
    ["\\n5\\n", "\\n6\\n"],
    [log?.hashes[0] ?? "", sha256("other")],
    [trees[1]?.sha256 ?? "", sha256("other")],
    ['hello.md\\",\\"sha256\\":\\"' + (object.proof.entry?.sha256 ?? ""), 'hello.md\\",\\"sha256\\":\\"' + sha256("other")],
    ['\\"sequence\\":5', '\\"sequence\\":4'],
    [object.proof.root, sha256("other")],
  ] as const) {
    assert.ok(object.text.includes(from), from);
    const forged = object.text.replaceAll(from, to);
    assert.notEqual(check(forged).status, 0, `${from} → ${to}`);
  }
});

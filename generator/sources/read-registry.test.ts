/** A registry that is as it was is not parsed, and everything is said of it that was said when it was. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../../snapshots/digest.ts";
import { recordState } from "../../snapshots/format/evidence-state.ts";
import { openConfig } from "../config/config.ts";
import { writeFiles } from "../testing/library.ts";
import { lookAtRegistry, openKeptRegistry, readRegistry } from "./read-registry.ts";
import type { Statements } from "./statements.ts";

const HEAD = "a".repeat(40);
const PROOF = "Theorem a.\n";

async function makeRegistry(t: TestContext, more: object = {}, files: Parameters<typeof writeFiles>[1] = []) {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-registry-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const cub = {
    id: "CUB-0001",
    repo: "sorting",
    theorem_name: "a",
    statement: "A statement.",
    verification_state: "CERTIFIED",
    secret_field: "the hidden value",
    files: { coq_file: "coq/A.v" },
    file_shas: { "coq/A.v": sha256(PROOF) },
    ...more,
  };
  const configOf = (more: string): string =>
    `store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\ncode: { kind: directory, root: ./code }\nregistry: { path: ./registry.json${more} }\ncollections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]\nembeddings: { kind: none }\n`;
  await writeFiles(dir, [
    ["proofshelf.yaml", configOf("")],
    ["library/notes/a.md", "# A\n"],
    [
      "registry.json",
      JSON.stringify({
        meta: { sources: { sorting: { head: HEAD } }, verification_counts: { VERIFIED: 3 } },
        cubs: [cub, { id: "CUB-0002" }],
      }),
    ],
    [`code/sorting/${HEAD}/coq/A.v`, PROOF],
    ...files,
  ]);
  const reopen = () => openConfig(join(dir, "proofshelf.yaml"));
  let config = await reopen();
  const look = async (maker = "m", keep = true) => {
    const statements: Statements = { openStatements: async () => () => ({ state: "same" }), kept: null, keep, maker };
    const makeRegistry = () => assert.fail("the registry is a file here");
    const found = await lookAtRegistry(config, { dir: join(dir, "kept"), statements, known: openKeptRegistry(dir), keep, makeRegistry });
    const { whole: _, ...said } = found;
    return {
      said,
      parsed: "cubs" in found,
      whole: await found.whole(),
      plain: () => readRegistry(config, { dir: join(dir, "plain"), statements, makeRegistry }),
    };
  };
  const configure = async (more: string) => {
    writeFileSync(join(dir, "proofshelf.yaml"), configOf(more));
    config = await reopen();
  };
  return { dir, look, configure, code: join(dir, "code/sorting", HEAD, "coq/A.v") };
}

test("the same bytes and the same files of the code store are looked at without a parse, and all is said again", async (t) => {
  const { look } = await makeRegistry(t);
  const first = await look();
  assert.equal(first.parsed, true);
  assert.deepEqual(
    [first.said.rejected.length, first.said.findings.length > 0, first.said.counts.length > 0, first.said.notes.length > 1],
    [1, true, true, true],
  );
  const second = await look();
  assert.equal(second.parsed, false);
  const { cubs: _, meta: __, code: ___, privateTexts: ____, leftOut: _____, ...said } = first.whole;
  assert.deepEqual(second.said, said);
  assert.deepEqual(second.whole, first.whole, "the records are there when they are asked for");
  assert.deepEqual(second.whole.privateTexts, ["the hidden value"]);
  assert.deepEqual(await second.plain(), first.whole);
});

test("the file of the counterpart that runs is in the index where the store has it, pinned or not, and changes no standing", async (t) => {
  const rust = "fn main() {}\n";
  const exec_file = "src/a.rs";
  const stored: Parameters<typeof writeFiles>[1] = [[`code/sorting/${HEAD}/${exec_file}`, rust]];
  const indexOf = async (more: object, files: Parameters<typeof writeFiles>[1]) => {
    const { code } = (await (await makeRegistry(t, more, files)).look()).whole;
    const listed = code.get("CUB-0001")?.files ?? [];
    return [
      recordState({ code }, "CUB-0001"),
      ...listed.map(({ path, role, state, available }) => `${path} ${role} ${state} ${available}`),
    ];
  };
  const proof = "coq/A.v proof holds true";
  const pins = { "coq/A.v": sha256(PROOF) };
  assert.deepEqual(await indexOf({ exec_file }, stored), ["holds", proof, "src/a.rs runtime unpinned true"]);
  assert.deepEqual(await indexOf({ exec_file }, []), ["holds", proof]);
  assert.deepEqual(await indexOf({ exec_file: "" }, stored), ["holds", proof]);
  const pinned = { exec_file, file_shas: { ...pins, [exec_file]: sha256(rust) } };
  assert.deepEqual(await indexOf(pinned, stored), ["holds", proof, "src/a.rs runtime holds true"]);
  assert.deepEqual(await indexOf({ ...pinned, file_shas: { ...pins, [exec_file]: sha256("other") } }, stored), [
    "differs",
    proof,
    "src/a.rs runtime differs false",
  ]);
  assert.deepEqual(await indexOf({ exec_file, file_shas: {} }, stored), ["unpinned", "src/a.rs runtime unpinned true"]);
});

test("other bytes, another file in the code store, another configuration, another program or a damaged memory mean a parse", async (t) => {
  const { dir, look, configure, code } = await makeRegistry(t);
  const changes: Record<string, () => void | Promise<void>> = {
    bytes: () => writeFileSync(join(dir, "registry.json"), `${readFileSync(join(dir, "registry.json"), "utf8")}\n`),
    "a file of the code store": () => writeFileSync(code, "Theorem b.\n"),
    "a file that is gone": () => renameSync(code, `${code}.gone`),
    configuration: () => configure(", internalFields: [secret_field]"),
    "a damaged memory": () =>
      writeFileSync(join(dir, "registry.state"), readFileSync(join(dir, "registry.state"), "utf8").replace("CERTIFIED", "CERTIFIEX")),
  };
  await look();
  for (const [what, change] of Object.entries(changes)) {
    assert.equal((await look()).parsed, false, `before ${what}`);
    await change();
    const changed = await look();
    assert.equal(changed.parsed, true, what);
    assert.deepEqual(changed.whole, await changed.plain(), what);
  }
  assert.equal((await look("another")).parsed, true);
  assert.equal((await look("another", false)).parsed, false);
});

test("nothing is remembered of a code store that could not tell", async (t) => {
  const { dir, look } = await makeRegistry(t);
  renameSync(join(dir, "code"), join(dir, "elsewhere"));
  for (let turn = 0; turn < 2; turn++) assert.equal((await look()).parsed, true);
  renameSync(join(dir, "elsewhere"), join(dir, "code"));
  assert.equal((await look()).parsed, true);
  renameSync(join(dir, "code"), join(dir, "elsewhere"));
  assert.equal((await look()).parsed, true, "what was remembered is not taken for what is there");
});

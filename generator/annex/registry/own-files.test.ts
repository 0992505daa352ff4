/** What a registry of sources is kept with is never published, wherever it lies in the store; what only people know and keep to themselves stands in
 *  no public byte. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { findOwnKeys } from "../../config/own-files.ts";
import { openConfig } from "../../config/config.ts";
import { writeFiles } from "../../testing/library.ts";
import { runHere } from "../../testing/run-program.ts";

const SECRET = "not-for-any-reader";
const HIDDEN = "hidden_from_all";

async function openLibrary(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-own-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(
    dir,
    Object.entries({
      "lib/proofshelf.yaml": `title: Own
baseUrl: http://library.example
store: { kind: directory, root: ., include: ["**"] }
shelf: { kind: directory, root: ../shelf }
collections: [{ id: all, prefix: "", title: All, visibility: public }]
registry: { sources: ./meta/proofs.yaml, internalFields: [owner] }
claims: { path: ./meta/said.yaml }
code: { kind: directory, root: ./gated }
access: { issuer: https://idp.example, audience: [a], jwks: ./meta/keys.json }
embeddings: { kind: none }
`,
      "lib/meta/proofs.yaml": `lock: ./ids.jsonl
overlay: ../deep/people.yaml
checks: { store: ../said }
sources:
  - { repo: r, folder: ../../proofs, rev: one, prover: lean }
`,
      "lib/deep/people.yaml": `internal: [owner]
records:
  - { match: "r/A/*", owner: ${SECRET} }
  - { match: "r/A/${HIDDEN}", hide: true }
`,
      "lib/said/x.json": `{"who":"${SECRET}"}\n`,
      "lib/.proofshelf/schema.json": `{"of":"${SECRET}"}\n`,
      "proofs/A.lean": `theorem shown : 1 = 1 := rfl\ntheorem ${HIDDEN} : 1 = 1 := rfl\n`,
      "lib/meta/said.yaml": `claims: [] # ${SECRET}\n`,
      "lib/meta/keys.json": `{"keys":[],"of":"${SECRET}"}\n`,
      "lib/gated/r/one/A.lean": `-- ${SECRET}\n`,
      "lib/notes/a.md": "# A note\n",
    }),
  );
  const config = ["--config", join(dir, "lib/proofshelf.yaml")];
  return { dir, config };
}

/** holds tells whether some file below a folder has a text, also in what is compressed whole. */
function holds(folder: string, text: string): string[] {
  const plain = (bytes: Buffer): Buffer[] =>
    [gunzipSync, brotliDecompressSync, zstdDecompressSync].flatMap((open) => {
      try {
        return [open(bytes)];
      } catch {
        return []; // it is not compressed so
      }
    });
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file);
      return [bytes, ...plain(bytes)].some((one) => one.includes(text));
    });
}

test("registry.yaml, lock, overlay, checks and configuration are no objects, and an internal field is in no byte of shelf and export", async (t) => {
  const { dir, config } = await openLibrary(t);
  for (const command of [["registry", "scan"], ["build"], ["export", join(dir, "site"), "--without-search"]]) {
    const ran = await runHere([...command, ...config]);
    assert.equal(ran.status, 0, `${command[0]}: ${ran.stderr}`);
  }
  const catalog = readFileSync(join(dir, "site/api/catalog.json"), "utf8");
  assert.match(catalog, /"notes\/a\.md"/);
  for (const name of [
    "proofs.yaml",
    "ids.jsonl",
    "people.yaml",
    "said/x.json",
    "said.yaml",
    "keys.json",
    "one/A.lean",
    ".proofshelf/schema.json",
    "proofshelf.yaml",
  ])
    assert.doesNotMatch(catalog, new RegExp(`"[^"]*${name.replaceAll(".", "\\.")}"`), name);
  const shelf = join(dir, "shelf/public");
  for (const text of ["A note", "shown"]) assert.ok(holds(shelf, text).length > 0, "the shelf is looked through");
  for (const text of [SECRET, HIDDEN]) assert.deepEqual([...holds(shelf, text), ...holds(join(dir, "site"), text)], [], text);
});

test("what a registry.yaml names is left out also while it cannot be read, and checks are shown where a collection is theirs alone", async (t) => {
  const { dir, config } = await openLibrary(t);
  const own = async (): Promise<readonly string[]> => [...findOwnKeys(await openConfig(config[1] ?? ""))].sort();
  const all = [
    "deep/people.yaml",
    "gated",
    "meta/ids.jsonl",
    "meta/keys.json",
    "meta/proofs.yaml",
    "meta/said.yaml",
    "proofshelf.yaml",
    "said",
  ];
  assert.deepEqual(
    (await own()).filter((key) => all.includes(key)),
    all,
  );
  const file = join(dir, "lib/meta/proofs.yaml");
  await writeFiles(dir, [["lib/meta/proofs.yaml", `${readFileSync(file, "utf8")}\n: : [ not yaml\n`]]);
  assert.deepEqual(
    (await own()).filter((key) => all.includes(key)),
    all,
  );
  const configFile = config[1] ?? "";
  const text = readFileSync(configFile, "utf8").replace(
    '[{ id: all, prefix: ""',
    '[{ id: said, prefix: said/, title: Checks, visibility: public }, { id: all, prefix: ""',
  );
  await writeFiles(dir, [["lib/proofshelf.yaml", text]]);
  assert.ok(!(await own()).includes("said"));
});

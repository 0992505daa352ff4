import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { describe, test } from "node:test";
import { load } from "js-yaml";
import { z } from "zod";
import { ClaimsRegistry } from "../../snapshots/schema/claims.ts";
import { CUB_FIELDS, CubRecord, RegistryMeta } from "../../snapshots/schema/cubs.ts";
import { compileRust, demo, findTool, registry, rootOf, textOf } from "./demo-fixture.ts";
import { headOf, listFiles, readRows } from "./pin-registry.ts";
import { checkPins, writePins } from "./pin.ts";

const library = join(demo, "library");
const { cubs, meta } = registry;
const keys = listFiles(library);
const claims = ClaimsRegistry.parse(load(readFileSync(join(demo, "claims.yaml"), "utf8")));
const { collections } = z
  .object({ collections: z.array(z.object({ id: z.string(), prefix: z.string(), visibility: z.string() })) })
  .parse(load(readFileSync(join(demo, "proofshelf.yaml"), "utf8")));

describe("the library", () => {
  test("has names that break careless programs, and git kept every byte of them", () => {
    const names = [
      "two words.md",
      "hash # sign.md",
      "what? a question.md",
      "100%25.md",
      "100%.md",
      "index.html",
      "a=20b.md",
      ".hidden.md",
      "back\\slash.md",
      "line\nbreak.md",
      "--help.md",
      "<img src=x onerror=alert(1)>.md",
      `"quoted" & 'single'.md`,
      "\u00e9tude.md",
      "e\u0301tude.md",
      "annexe\u202edm.fdp",
      "\u{1f989} owl.md",
      "__proto__",
    ];
    for (const name of names) assert.ok(keys.includes(`names/${name}`), JSON.stringify(name));
    assert.ok(keys.some((key) => Buffer.byteLength(key.slice("names/".length)) === 200));
  });

  test("has bytes that are not what their names promise", () => {
    assert.equal(readFileSync(join(library, "names/empty.md")).length, 0);
    assert.doesNotMatch(readFileSync(join(library, "names/not-a-pdf.pdf"), "latin1"), /^%PDF/);
    assert.throws(() => new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(join(library, "names/latin-1.txt"))));
  });

  test("has at least six collections, two of them gated, and one object under none", () => {
    assert.ok(collections.length >= 6);
    assert.equal(collections.filter(({ visibility }) => visibility === "email-gated").length, 2);
    for (const { prefix } of collections)
      assert.ok(
        keys.some((key) => key.startsWith(prefix)),
        prefix,
      );
    const homeless = keys.filter((key) => !collections.some(({ prefix }) => key.startsWith(prefix)));
    assert.deepEqual(homeless, ["unshelved.md"]);
  });

  test("has at least sixty objects, of every type that is read for its text, and folders in folders", () => {
    assert.ok(keys.length >= 65, `${keys.length} objects`);
    const types = new Set(keys.map((key) => extname(key)));
    const wanted = [".md", ".pdf", ".html", ".tex", ".csv", ".json", ".yaml", ".txt", ".svg", ".png", ".v", ".lean", ".rs"];
    for (const type of wanted) assert.ok(types.has(type), type);
    assert.ok(keys.filter((key) => key.startsWith("papers/") && key.endsWith(".pdf")).length >= 4);
    assert.ok(keys.some((key) => key.split("/").length === 4));
  });

  test("has canaries in the gated collections and in none of the public files", () => {
    const gated = collections.filter(({ visibility }) => visibility === "email-gated").map(({ prefix }) => prefix);
    const withCanary = keys.filter((key) => readFileSync(join(library, key), "latin1").includes("CANARY-"));
    assert.ok(withCanary.some((key) => key.endsWith(".md")) && withCanary.some((key) => key.endsWith(".csv")));
    for (const key of withCanary)
      assert.ok(
        gated.some((prefix) => key.startsWith(prefix)),
        key,
      );
  });

  test("links in notes lead to files that are there", () => {
    for (const key of keys.filter((key) => key.startsWith("notes/") && !key.includes("hostile"))) {
      for (const [, target = ""] of readFileSync(join(library, key), "utf8").matchAll(/\]\(([^):]+)\)/g)) {
        const path = new URL(target, `http://x/${key.split("/").map(encodeURIComponent).join("/")}`).pathname.slice(1);
        const wanted = decodeURIComponent(path);
        assert.ok(
          keys.some((key) => key === wanted || (wanted.endsWith("/") && key.startsWith(wanted))),
          `${key}: ${target}`,
        );
      }
    }
  });
});

describe("the registry", () => {
  test("pins only what is true", async () => assert.deepEqual(await checkPins(demo), []));
  test("pins in claims.yaml that are wrong or empty are made true, and nothing else in the file changes", async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "proofshelf-pins-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    cpSync(demo, dir, { recursive: true });
    const file = join(dir, "claims.yaml");
    const good = readFileSync(file, "utf8");
    const digests = [...new Set(good.match(/\b[0-9a-f]{64}\b/g))];
    assert.ok(digests.length > 3);
    writeFileSync(file, good.replaceAll(digests[0] ?? "", "f".repeat(64)).replace(`"${digests.at(-1)}"`, '""'));
    assert.ok((await checkPins(dir)).length >= 2);
    await writePins(dir);
    assert.deepEqual(await checkPins(dir), []);
    assert.equal(readFileSync(file, "utf8"), good);
  });

  test("revision ids are what coreutils make of the files", () => {
    const command = "find . -type f | LC_ALL=C sort | xargs sha256sum | sha1sum";
    for (const repo of Object.keys(meta.sources)) {
      for (const head of readdirSync(join(demo, "code", repo))) {
        assert.equal(
          execFileSync("bash", ["-c", command], { cwd: join(demo, "code", repo, head) })
            .toString()
            .slice(0, 40),
          head,
        );
        assert.equal(headOf(join(demo, "code", repo, head)), head);
      }
    }
  });

  test("every record has every field of the interface, and some have internal ones besides", () => {
    assert.ok(cubs.length >= 32);
    RegistryMeta.parse(meta);
    for (const record of cubs) {
      CubRecord.parse(record);
      for (const field of CUB_FIELDS) assert.ok(field in record, `${record.id} lacks ${field}`);
    }
    assert.ok(cubs.some((record) => String(record["internal_owner"]).startsWith("CANARY-PRIVATE-")));
    assert.ok(cubs.some((record) => String(record["ops_ticket"]).startsWith("CANARY-PRIVATE-")));
    assert.equal(new Set(cubs.map(({ id }) => id)).size, cubs.length);
  });

  test("every record is a row of its repository's list, in the same words", () => {
    const rows = Object.keys(meta.sources).flatMap((repo) =>
      readRows(join(rootOf(repo), "theorems.csv")).map((row) => [
        repo,
        row["theorem"],
        row["kind"],
        row["coq_file"],
        row["lean_file"],
        row["rust_file"],
      ]),
    );
    const records = cubs.map((r) => [r.repo, r.theorem_name, r.kind, r.files.coq_file, r.files.lean_file, r.exec_file]);
    assert.deepEqual(rows, records);
  });

  test("every name stands in its Coq file, under its kind, and in its Lean file", () => {
    for (const record of cubs) {
      const { theorem_name: name, kind } = record;
      const coq = kind === "Definition" ? `(?:Definition|Fixpoint) ${name}\\b` : `${kind} ${name}\\b`;
      assert.match(textOf(record, record.files.coq_file), new RegExp(`^ *${coq}`, "m"), record.id);
      const lean = kind === "Definition" ? "def" : "theorem";
      assert.match(textOf(record, record.files.lean_file), new RegExp(`^${lean} «?${name}\\b`, "m"), record.id);
    }
  });

  test("a hole in either file of a verified record would be seen", () => {
    for (const record of cubs.filter(({ no_holes }) => no_holes)) {
      assert.doesNotMatch(textOf(record, record.files.coq_file), /\b(?:Admitted|admit|Axiom|Parameter)\b\s*[.:]/, record.id);
      assert.doesNotMatch(textOf(record, record.files.lean_file), /\b(?:sorry|axiom)\b/, record.id);
    }
    for (const record of cubs.filter(({ no_holes }) => !no_holes)) assert.equal(record.verification_state, "NOT_VERIFIED");
  });

  test("at least twelve records speak about a Rust function, which stands at the anchor", () => {
    const anchored = cubs.filter(({ exec_file }) => exec_file !== "");
    assert.ok(anchored.length >= 12);
    for (const record of anchored) {
      const [file = "", line = ""] = record.rust_anchor.split(":");
      assert.match(textOf(record, file).split("\n")[Number(line) - 1] ?? "", new RegExp(`pub fn ${record.exec_fn}\\(`), record.id);
      for (const name of record.exec_fns) assert.match(textOf(record, file), new RegExp(`fn ${name}\\(`));
    }
    for (const record of cubs.filter(({ exec_file }) => exec_file === "")) {
      assert.deepEqual([record.invocation, record.exec_fn, record.rust_anchor, record.crate], ["unwired", "", "", ""]);
    }
  });

  test("a DOC-REFERENCE is named in a note or paper, and only those that are nowhere else are CSV-LEGACY", () => {
    const prints = listFiles(join(demo, "print")).map((path) => readFileSync(join(demo, "print", path), "utf8"));
    const notes = keys.filter((key) => key.startsWith("notes/")).map((key) => readFileSync(join(library, key), "utf8"));
    const texts = [...prints, ...notes].join("\n");
    for (const { id, wiring, theorem_name } of cubs.filter((record) => record.wiring !== "FUNCTION-IMPL")) {
      const named = new RegExp(`\\b${theorem_name}\\b`).test(texts);
      assert.equal(wiring, named ? "DOC-REFERENCE" : "CSV-LEGACY", id);
    }
  });

  test("the hash recipe of every record passes when it is pasted into the code store", () => {
    for (const record of cubs) {
      const out = execFileSync("bash", ["-c", record.reproduce.verify_hash], { cwd: rootOf(record.repo) }).toString();
      assert.equal(out.match(/: OK$/gm)?.length, Object.keys(record.file_shas).length, record.id);
    }
  });
});

describe("the claims", () => {
  test("there are at least seven, of every status, with evidence of every access and one run contract", () => {
    assert.ok(claims.claims.length >= 7);
    assert.deepEqual(new Set(claims.claims.map(({ status }) => status)), new Set(["verified", "scoped", "partial"]));
    const access = claims.claims.flatMap(({ evidence }) => evidence.map((item) => item.access));
    assert.deepEqual(new Set(access), new Set(["public", "email-gated", "private"]));
    assert.ok(claims.claims.some(({ runContract }) => runContract !== undefined));
  });

  test("a record names only claims that exist", () => {
    const ids = new Set(claims.claims.map(({ id }) => id));
    for (const record of cubs) for (const id of record.claims) assert.ok(ids.has(id), `${record.id}: ${id}`);
  });
});

/** Their own tests, and Coq, are run by demo.slow.test.ts. */
test("rustc accepts each crate without a warning", findTool("rustc") ?? {}, (t) => {
  const work = mkdtempSync(join(tmpdir(), "proofshelf-rust-"));
  t.after(() => rmSync(work, { recursive: true, force: true }));
  for (const repo of Object.keys(meta.sources)) compileRust(repo, ["--emit", "metadata"], join(work, repo));
});

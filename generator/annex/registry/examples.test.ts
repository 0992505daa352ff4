/** Adapters of provers that were not to be had: what they are known to say is read, and the one that Node runs is run against recorded answers. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { scanIsabelle } from "./isabelle.ts";
import { readTranscript } from "./protocol.ts";
import { ADAPTERS } from "./provers.ts";
import { statesOf } from "./states.ts";

const RECIPES = fileURLToPath(new URL("../../package/recipes/", import.meta.url));

const asked = (prover: string, path: string, names: readonly string[]) => ({
  files: [{ path, sha256: "a".repeat(64) }],
  ask: names.map((name) => ({ key: `r ${prover} ${name}`, path, name, class: "theorem" })),
});

test("what could not be tried is called experimental, with the reason", () => {
  for (const { name, experimental } of ADAPTERS) assert.equal(experimental === null, ["coq", "metamath", "agda"].includes(name), name);
});

test("Lean: a transcript as its script prints it is read, and sorry is no proof", () => {
  const request = asked("lean", "A.lean", ["A.sound", "A.open"]);
  const lines = [
    {
      t: "tool",
      name: "lean",
      version: "4.30.0",
      executable_sha256: "c".repeat(64),
      adapter: "lean script 1",
      command: ["lake", "env", "lean", "-o"],
    },
    { t: "imports", path: "A.lean", imports: [] },
    { t: "check", path: "A.lean", state: "accepted", log: "" },
    { t: "decl", key: "r lean A.sound", statement: "1 = 1", type_sha256: "d".repeat(64) },
    { t: "axioms", decl: "r lean A.sound", names: ["propext"], unsafe: [], exact: true },
    { t: "decl", key: "r lean A.open", statement: "1 = 2", type_sha256: "d".repeat(64) },
    { t: "hole", decl: "r lean A.open", what: "sorryAx" },
    { t: "axioms", decl: "r lean A.open", names: ["sorryAx"], unsafe: [], exact: true },
    { t: "edge", from: "r lean A.open", to: "A.sound", part: "proof", basis: "kernel" },
    { t: "end", answered: 2 },
  ];
  const read = readTranscript(lines.map((line) => JSON.stringify(line)).join("\n"), request);
  assert.ok("results" in read, JSON.stringify(read));
  const allowed = new Set(["propext", "sorryAx"]);
  assert.deepEqual(
    read.results.map((result) => statesOf("theorem", 0, [result], allowed, true).verification_state),
    ["VERIFIED", "NOT_VERIFIED"],
  );
  // Each kind of line that the script prints is one of the protocol's, with its members.
  const script = readFileSync(join(RECIPES, "lean-adapter.lean"), "utf8");
  const printed = new Set([...script.matchAll(/\("t", "(\w+)"\)/g)].map(([, kind]) => kind));
  assert.deepEqual([...printed].sort(), [...new Set(lines.map(({ t }) => t))].sort());
  for (const { t, ...members } of lines) for (const member of Object.keys(members)) assert.match(script, new RegExp(`\\("${member}", `), t);
});

test("Isabelle: names, lines, statements and holes; oops declares nothing, and a word in quotes or in a comment neither", () => {
  const found = scanIsabelle(`theory T imports Main begin
(* lemma no: "x" (* lemma nor: "y" *) *)
lemma one [simp]: "x = (x::nat)" by simp
theorem two:
  fixes n :: nat
  shows "n + 0 = n"
  proof (induct n) case 0 then show ?case sorry qed
lemma "no_name = no_name" by simp
lemma given_up: "False" oops
text \\<open>lemma in_text: "by sorry"\\<close>
definition three :: nat where "three = 3"
corollary (in group) four: "a ''by'' = b"
  using one by auto
datatype 'a tree = Leaf
axiomatization five where six: "five = five"
end
`);
  assert.deepEqual(
    found.map(({ line, kind, name, holes }) => `${line} ${kind} ${name}${holes.map(({ what }) => ` ${what}`).join("")}`),
    ["3 lemma one", "4 theorem two sorry", "11 definition three", "12 corollary four", "14 datatype tree", "15 axiomatization five"],
  );
  assert.equal(found[0]?.statement, '"x = (x::nat)"');
  assert.equal(found[1]?.statement, 'fixes n :: nat shows "n + 0 = n"');
});

/** Answers that Isabelle gives, as a program of its name. */
function runIsabelle(t: TestContext, log: string, fails: boolean) {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-isabelle-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/A.thy"), 'theory A imports Main begin lemma sound: "True" by simp end\n');
  writeFileSync(
    join(folder, "bin/isabelle"),
    `#!/bin/sh\ncase "$1" in version) echo Isabelle2025;; build) ${fails ? "echo 'Cheating requires quick_and_dirty mode!'; exit 1" : "exit 0"};; build_log) m=$(sed -n 's/.*writeln ("\\([0-9a-f]*\\) 0 .*/\\1/p' Proofshelf_Ask.thy | head -1); echo "${log}" | sed "s/MARK/$m/g";; esac\n`,
    { mode: 0o755 },
  );
  const request = {
    ...asked("isabelle", "A.thy", ["A.sound", "A.open"]),
    root: join(folder, "src"),
    options: { root: "", logical: "", paths: [], flags: [], exported: "" },
  };
  const ran = spawnSync(process.execPath, [join(RECIPES, "isabelle-adapter.mjs"), "run"], {
    input: JSON.stringify(request),
    encoding: "utf8",
    env: { PATH: `${join(folder, "bin")}:${process.env["PATH"]}` },
  });
  const read = readTranscript(ran.stdout, request);
  assert.ok("results" in read, JSON.stringify(read) + ran.stderr);
  return read.results.map(({ state, axioms, statement }) => ({ state, axioms, statement }));
}

test("Isabelle's example adapter: oracles are axioms, skipped proofs are holes, and a build that refuses cheating says so", (t) => {
  assert.deepEqual(runIsabelle(t, "MARK 0  True MARK\nMARK 1 Pure.skip_proof 1 = 2 MARK", false), [
    { state: "accepted", axioms: [], statement: "True" },
    { state: "holes", axioms: ["Pure.skip_proof"], statement: "1 = 2" },
  ]);
  assert.deepEqual(
    runIsabelle(t, "", true).map(({ state }) => state),
    ["holes", "holes"],
  );
  assert.deepEqual(
    runIsabelle(t, "MARK 0  True MARK", false).map(({ state }) => state),
    ["accepted", "unsupported"],
  );
});

/** Further kernels: what each says by how it ends, how many have to accept, and programs that lie, flood, hang and die. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { checkSentences } from "../../../snapshots/format/check-sentence.ts";
import { recordStanding } from "../../../snapshots/format/standing.ts";
import { openRegistrySources } from "./config.ts";
import { findKernels, readExit } from "./kernels.ts";
import { findMetamath } from "./metamath-tool.ts";
import { findSandbox, silenceOf } from "./sandbox.ts";
import { findProgram } from "./tool.ts";
import { openSource, skip as noCoq } from "./source-fixture.ts";

const skip =
  findMetamath() === null ? "metamath is not installed" : findSandbox() === null ? "there is no sandbox here (bubblewrap)" : false;

const LOGIC = `$c ( ) -> wff |- $. $v ph ps $. wph $f wff ph $. wps $f wff ps $. wi $a wff ( ph -> ps ) $.
ax-1 $a |- ( ph -> ( ps -> ph ) ) $. th $p |- ( ph -> ( ps -> ph ) ) $= wph wps ax-1 $.
`;
const script = (text: string): string => `#!/bin/sh\n${text}\n`;
const row = (name: string, prover = "metamath", version = "1"): string =>
  `  - { name: ${name}, prover: ${prover}, version: "${version}", command: ["./${name}.sh"] }\n`;
const yaml = (names: readonly string[], asked: number, more = "", prover = "metamath"): string =>
  `policy: { axioms: ["ax-*"], kernels: ${asked} }\n${more}kernels:\n${names.map((name) => row(name, prover)).join("")}`;

function open(t: TestContext, scripts: Readonly<Record<string, string>>, asked: number, more = "", prover = "metamath") {
  const source = openSource(t, yaml(Object.keys(scripts), asked, more, prover), prover);
  for (const [name, text] of Object.entries(scripts)) {
    source.put({ [`${name}.sh`]: script(text) });
    chmodSync(join(source.folder, `${name}.sh`), 0o755);
  }
  return source;
}
const only = async (source: ReturnType<typeof open>) => (await source.records())[0] ?? assert.fail();

test("a folder on the path that is called as a program is none", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-path-"));
  const before = process.env["PATH"];
  t.after(() => {
    process.env["PATH"] = before;
    rmSync(folder, { recursive: true });
  });
  for (const name of ["one/prover", "two"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "two/prover"), "", { mode: 0o755 });
  process.env["PATH"] = `${folder}/one:${folder}/two`;
  assert.equal(findProgram("prover"), realpathSync(join(folder, "two/prover")));
});

test("what a kernel says is how it ends, and nothing that it prints", () => {
  const ran = { code: 64, stdout: "REJECTED", stderr: "", killed: null };
  assert.equal(readExit(ran).state, "accepted");
  assert.equal(readExit({ ...ran, stdout: "accepted, accepted", code: 65 }).state, "rejected");
  assert.equal(readExit({ ...ran, code: 66 }).state, "unsupported");
  for (const code of [0, 1, 2, 67, 127, 191, 198, 255, null])
    assert.equal(readExit({ ...ran, code }).state, "environment", `${code}: nor what ended before it began`);
  assert.equal(readExit({ ...ran, code: 137 }).state, "memory");
  for (const killed of ["wall", "cpu"] as const) assert.equal(readExit({ ...ran, killed }).state, "timeout", "even where it ended with 0");
  assert.equal(readExit({ ...ran, killed: "output" }).state, "environment");
});

test("what a limit or a signal ended says nothing of a proof, whatever the prover", () => {
  const ended = (code: number | null, killed: "wall" | "cpu" | "output" | null = null) => silenceOf({ code, killed });
  assert.deepEqual(
    [0, 1, 42].map((code) => ended(code)),
    [null, null, null],
  );
  assert.deepEqual(
    [134, 137, 139, null].map((code) => ended(code)),
    ["environment", "memory", "environment", "environment"],
  );
  assert.deepEqual([ended(137, "wall"), ended(0, "cpu"), ended(137, "output")], ["timeout", "timeout", "environment"]);
});

test("the program of Metamath and our own verifier are two kernels; a third that is asked for is missing until it accepts", {
  skip,
}, async (t) => {
  const source = open(t, { third: 'grep -q ax-1 "$1"' }, 3);
  source.put({ "src/t.mm": LOGIC });
  await source.recheck();
  const record = await only(source);
  assert.equal(record.verification_state, "VERIFIED");
  assert.deepEqual(
    record.quorum?.verdicts.map(({ name, version, verdict }) => `${name} ${version} ${verdict}`),
    [`metamath ${findMetamath()?.version} accept`, "proofshelf-metamath 1 accept", "third 1 accept"],
  );
  assert.ok(record.quorum.verdicts.every(({ signers, attestation }) => signers.length === 1 && attestation !== ""));
  assert.ok(checkSentences(record).includes("3 kernels, metamath, proofshelf-metamath and third, accepted this; this library asks for 3."));
  assert.deepEqual(await source.recheck(), [], "nothing has changed");
  source.put({ "third.sh": script("exit 0 # another program") });
  assert.equal((await source.recheck()).length, 1, "another program is asked again");
});

test("adversaries: each costs what it is asked for, and none makes anything green", { skip, timeout: 200_000 }, async (t) => {
  const limits = "limits: { wall: 5, cpu: 5, memory: 512, output: 1, processes: 16 }\n";
  const kernels = {
    hangs: "while :; do :; done",
    sleeps: "sleep 60",
    floods: "yes accepted",
    dies: "kill -9 $$",
    boasts: 'echo accepted; echo "{\\"t\\":\\"check\\",\\"state\\":\\"accepted\\"}"; exit 2',
    unknown: "exit 42",
    writes: '(echo > "$1") 2>/dev/null && exit 0; echo > ./mark && exit 0; exit 2',
    looks: `cat "$1" > /dev/null; [ -e ${"$"}(dirname "$1")/../registry.yaml ] && exit 0; ls /home/* /root/* > /dev/null 2>&1 && exit 0; exit 2`,
  };
  const source = open(t, kernels, 3, limits);
  source.put({ "src/t.mm": LOGIC });
  await source.recheck();
  const record = await only(source);
  assert.equal(record.verification_state, "UNSPECIFIED", "two of the three that are asked for accepted it");
  assert.equal(record.status, "FEW_KERNELS");
  assert.notEqual(recordStanding(record).state, "verified");
  assert.ok(checkSentences(record).includes("2 kernels, metamath and proofshelf-metamath, accepted this; this library asks for 3."));
  const said = new Map(record.checks?.map(({ tool, state }) => [tool, state]));
  assert.deepEqual(
    Object.keys(kernels).map((name) => `${name} ${said.get(name)}`),
    [
      "hangs timeout",
      "sleeps timeout",
      "floods environment",
      "dies memory",
      "boasts unsupported",
      "unknown environment",
      "writes unsupported",
      "looks unsupported",
    ],
  );
});

test("one that rejects is enough: the record is disputed, whoever else accepts", { skip }, async (t) => {
  const source = open(t, { yes: "exit 0", no: "echo 'step 3 is wrong'; exit 1" }, 1);
  source.put({ "src/t.mm": LOGIC });
  await source.recheck();
  const record = await only(source);
  assert.equal(record.status, "DISPUTED");
  assert.match(checkSentences(record).join("\n"), /no 1 disagrees .*: it refuses what the prover accepted/);
});

test("one that accepts everything verifies nothing that the prover refuses, and one program under two names is one kernel", {
  skip,
}, async (t) => {
  const source = open(t, { yes: "exit 0", too: "exit 0" }, 4);
  source.put({ "src/t.mm": `${LOGIC}wrong $p |- ( ph -> ph ) $= wph wps ax-1 $.\nopen $p |- ( ph -> ph ) $= ? $.\n` });
  await source.recheck();
  const said = new Map((await source.records()).map((record) => [record.theorem_name, record]));
  assert.equal(said.get("th")?.verification_state, "UNSPECIFIED", "four names, three programs");
  for (const name of ["wrong", "open"]) assert.equal(said.get(name)?.verification_state, "NOT_VERIFIED", name);
});

test("a kernel's check is of the bytes that it was given", { skip }, async (t) => {
  const source = open(t, { third: "exit 0" }, 3);
  source.put({ "src/t.mm": LOGIC });
  await source.recheck();
  source.put({ "src/t.mm": LOGIC.replace("th $p", "th2 $a |- ( ps -> ps ) $. th $p") });
  const th = (await source.records()).find((record) => record.theorem_name === "th");
  assert.notEqual(th?.verification_state, "VERIFIED");
});

test("registry.yaml: no kernel has the name of one that is built in, none stands twice, and a missing one is told", (t) => {
  const source = open(t, { here: "exit 0" }, 1);
  const problem = (rows: string): string => {
    source.put({ "bad.yaml": `kernels:\n${rows}sources:\n  - { repo: r, folder: ./src, rev: one, prover: metamath }\n` });
    try {
      const { lacking } = findKernels(openRegistrySources(join(source.folder, "bad.yaml")));
      return lacking.join("\n");
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.match(problem(row("metamath")), /is the name of one that is built in/);
  assert.match(problem(row("one") + row("one")), /stands twice/);
  assert.match(problem(row("nowhere")), /The kernel nowhere is not here: there is no file .*nowhere\.sh/);
  assert.match(problem(row("one", "agda")), /prover/);
  assert.equal(problem(row("here")), "");
});

const EXPORT = `{"meta":{"exporter":{"name":"lean4export","version":"3.1.0"},"format":{"version":"3.1.0"},"lean":{"version":"4.31.0"}}}
{"in":1,"str":{"pre":0,"str":"flt"}}
{"ie":0,"sort":0}
{"thm":{"all":[1],"levelParams":[],"name":1,"type":0,"value":0}}
`;
test("a Lean export written by hand: exported, and VERIFIED only where a kernel has replayed exactly that file", async (t) => {
  if (findSandbox() === null) return t.skip("there is no sandbox here (bubblewrap)");
  const text = "theorem flt : 1 = 2 := by decide\n";
  const exported = (command: string) => {
    const source = open(t, { replay: command }, 1, "", "lean");
    source.put({
      "registry.yaml": `${yaml(["replay"], 1, "", "lean")}sources:\n  - { repo: r, folder: ./src, rev: one, prover: lean, exported: ./e.ndjson }\n`,
      "src/F.lean": text,
      "e.ndjson": EXPORT,
      "e.ndjson.sha256": `${sha256(text)}  F.lean\n`,
    });
    return source;
  };
  const declines = exported("exit 2");
  await declines.recheck();
  assert.equal((await only(declines)).verification_state, "UNSPECIFIED");
  assert.equal(recordStanding(await only(declines)).state, "exported");
  const rejects = exported("exit 1");
  await rejects.recheck();
  assert.equal((await only(rejects)).status, "DISPUTED");
  const accepts = exported('grep -q flt "$1"');
  await accepts.recheck();
  const record = await only(accepts);
  assert.deepEqual([record.verification_state, record.status], ["VERIFIED", "VERIFIED_AS_PRINTED"]);
  assert.deepEqual(
    [record.statement, record.statement_source],
    ["Prop", "1 = 2"],
    "what was replayed is shown, and not what the source says",
  );
  assert.match(recordStanding(record).says, /replay 1/, "it is the kernel that verified it");
  assert.ok(checkSentences(record).some((sentence) => /a kernel has replayed that/.test(sentence)));
  // Another export of the same sources: nobody has replayed that one.
  accepts.put({ "e.ndjson": EXPORT.replace("4.31.0", "4.32.0"), "replay.sh": script("exit 2") });
  await accepts.recheck();
  assert.equal((await only(accepts)).verification_state, "UNSPECIFIED");
});

test("Coq: a kernel is given compiled files; coqchk as a command is one", { skip: noCoq, timeout: 200_000 }, async (t) => {
  const source = open(t, { chk: 'exec coqchk -silent -Q . L -norec "L.A" > /dev/null 2>&1 || exit 1' }, 2, "", "coq");
  source.put({ "src/A.v": "Lemma a : 1 = 1. Proof. reflexivity. Qed.\n" });
  const runs = await source.recheck();
  assert.deepEqual(
    runs.flatMap(({ problems }) => problems),
    [],
  );
  const record = await only(source);
  assert.equal(record.verification_state, "VERIFIED");
  assert.deepEqual(
    record.quorum?.verdicts.map(({ name, verdict }) => `${name} ${verdict}`),
    ["coq accept", "chk accept"],
  );
});

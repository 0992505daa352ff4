/** What a prover is made to say: planted faults turn red, hostile files end inside their limits, and what an adapter says falsely is void. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ShelfError } from "../../../snapshots/errors.ts";
import { generateKey, parseKey, parseSigningKey } from "../../../snapshots/log/note.ts";
import { open, seal } from "./attest.ts";
import { readChecks } from "./checks.ts";
import { readTranscript } from "./protocol.ts";
import { readMade } from "./coq-cache.ts";
import { cacheFolder } from "./recheck.ts";
import { scanAll } from "./scan-all.ts";
import { findSandbox } from "./sandbox.ts";
import { coq, openSource, skip } from "./source-fixture.ts";
import { statesOf } from "./states.ts";

test("planted faults turn red, each by its cause, and what is sound beside them is VERIFIED", { skip }, async (t) => {
  const { put, recheck, states, verdict } = openSource(
    t,
    "policy: { axioms: [Coq.Logic.FunctionalExtensionality.functional_extensionality_dep] }\n",
  );
  put({
    // An axiom behind three files.
    "src/A1.v": "Axiom excluded : forall P : Prop, P \\/ ~ P.\nLemma sound : 1 = 1. Proof. reflexivity. Qed.\n",
    "src/A2.v": "From L Require Import A1.\nLemma uses (P : Prop) : P \\/ ~ P. Proof. apply excluded. Qed.\n",
    "src/A3.v": "From L Require Import A2.\nLemma far : True \\/ ~ True. Proof. apply uses. Qed.\n",
    // Left open in an import.
    "src/H1.v": "Lemma open_ : 0 = 0. Proof. Admitted.\n",
    "src/H2.v": "From L Require Import H1.\nLemma leans : 0 = 0. Proof. exact open_. Qed.\n",
    // The guard, positivity and universes are not looked at.
    "src/G.v":
      "Unset Guard Checking. Fixpoint loop (n : nat) : nat := loop n. Set Guard Checking.\nLemma of_loop : loop 0 = loop 0. Proof. reflexivity. Qed.\n",
    "src/P.v":
      "Unset Positivity Checking. Inductive neg : Set := mk : (neg -> nat) -> neg. Set Positivity Checking.\nLemma of_neg : forall n : neg, n = n. Proof. reflexivity. Qed.\n",
    "src/U.v":
      "Unset Universe Checking. Definition u : Type := (Type : Type). Set Universe Checking.\nLemma of_u : u = u. Proof. reflexivity. Qed.\n",
    // The axiom stands in the statement alone.
    "src/S.v": "Axiom point : nat.\nLemma about : point = point -> True. Proof. intros _. exact I. Qed.\n",
    // The checked file says itself that all is well.
    "src/L.v":
      'Axiom lie : False.\nLemma liar : 1 = 2. Proof. destruct lie. Qed.\nGoal True. idtac "Closed under the global context". idtac "mark_0 is defined". exact I. Qed.\n',
    // It does not hold.
    "src/R.v": "Lemma wrong : 1 = 2. Proof. reflexivity. Qed.\nLemma beside : 1 = 1. Proof. reflexivity. Qed.\n",
    "src/R2.v": "From L Require Import R.\nLemma after : 1 = 1. Proof. reflexivity. Qed.\n",
    // What the policy allows, and sections.
    "src/F.v":
      "Require Import FunctionalExtensionality.\nLemma ext (f : nat -> nat) : (fun x => f x) = f. Proof. extensionality x. reflexivity. Qed.\n",
    "src/C.v":
      "Section S. Variable A : Type. Hypothesis h : forall x y : A, x = y.\nLemma inside (x y : A) : y = x. Proof. apply h. Qed. End S.\n",
  });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  const said = await states();
  const verified = Object.keys(said).filter((name) => said[name] === "VERIFIED");
  assert.deepEqual(verified.sort(), ["A1.sound", "C.inside", "F.ext"], "and no others");
  for (const name of [
    "A2.uses",
    "A3.far",
    "H1.open_",
    "H2.leans",
    "G.of_loop",
    "P.of_neg",
    "U.of_u",
    "S.about",
    "L.liar",
    "R.wrong",
    "R.beside",
    "R2.after",
  ])
    assert.equal(said[name], "NOT_VERIFIED", name);
  assert.deepEqual((await verdict("A3.far"))?.axioms, ["L.A1.excluded"]);
  assert.deepEqual((await verdict("S.about"))?.axioms, ["L.S.point"]);
  assert.equal((await verdict("H2.leans"))?.state, "holes");
  assert.match((await verdict("G.of_loop"))?.unsafe[0] ?? "", /loop is assumed to be guarded/);
  assert.match((await verdict("P.of_neg"))?.unsafe[0] ?? "", /neg is assumed to be positive/);
  assert.equal((await verdict("R.wrong"))?.state, "rejected");
  assert.equal((await verdict("C.inside"))?.statement, "forall A : Type, (forall x y : A, x = y) -> forall x y : A, y = x");
});

test("a check is of exactly these bytes: what is changed below a theorem makes it unchecked, and only what is stale runs again", {
  skip,
}, async (t) => {
  const { put, recheck, accept, states, config, folder } = openSource(t);
  put({
    "src/D.v": "Definition n := 1.\n",
    "src/E.v": "From L Require Import D.\nLemma is_n : n = n. Proof. reflexivity. Qed.\n",
    "src/Z.v": "Lemma z : 0 = 0. Proof. reflexivity. Qed.\n",
  });
  assert.equal((await recheck())[0]?.asked, 3);
  assert.deepEqual(await states(), { "D.n": "UNSPECIFIED", "E.is_n": "VERIFIED", "Z.z": "VERIFIED" });
  assert.deepEqual(await recheck(), [], "nothing is stale");
  put({ "src/D.v": "Definition n := 2.\n" });
  assert.deepEqual(await states(), { "D.n": "UNSPECIFIED", "E.is_n": "UNSPECIFIED", "Z.z": "VERIFIED" });
  assert.equal((await recheck())[0]?.asked, 2);
  await assert.rejects(states(), /L\.D\.n/, "it says something else now");
  await accept();
  assert.equal((await states())["E.is_n"], "VERIFIED");
  // A compiled file of another source changes nothing: none is taken from the sources.
  put({ "src/E.v": "From L Require Import D.\nLemma is_n : n = 3. Proof. reflexivity. Qed.\n" });
  const [kept = ""] = readdirSync(cacheFolder()).filter((name) => name.endsWith(".made"));
  writeFileSync(join(folder, "src/E.vo"), readMade(join(cacheFolder(), kept))?.object ?? "");
  await recheck();
  await accept();
  assert.equal((await states())["E.is_n"], "NOT_VERIFIED");
  // Another's bytes under the name of a digest count nothing.
  const store = config().checks.store;
  for (const name of readdirSync(store).filter((file) => file.endsWith(".json")))
    writeFileSync(join(store, name), `${readFileSync(join(store, name), "utf8")} `);
  assert.equal((await states())["Z.z"], "UNSPECIFIED");
  assert.equal(readChecks(config().checks).refused.length, 3);
});

test("one by one, by the tuple, and with a policy: the same answers", { skip }, async (t) => {
  const { put, recheck, config } = openSource(t);
  const lemmas = Array.from(
    { length: 12 },
    (_, at) => `Lemma l${at} : ${at % 5 === 0 ? `a${at % 2} = a${at % 2}` : `${at} = ${at}`}. Proof. reflexivity. Qed.`,
  );
  put({ "src/T.v": `Axiom a0 : nat. Axiom a1 : nat.\n${lemmas.join("\n")}\n` });
  await recheck();
  const { records } = await scanAll(config());
  const checks = readChecks(config().checks);
  for (const [at, { one, source }] of records.entries()) {
    assert.deepEqual(checks.of(one, source)[0]?.axioms, at % 5 === 0 ? [`L.T.a${at % 2}`] : [], one.theorem);
    assert.equal(checks.of(one, source)[0]?.check.results.find(({ key }) => key === one.key)?.exact, true);
  }
});

test("a program in the sandbox reaches no network, not even a listener of this machine, and sees no folder that it was not given", {
  skip,
}, async (t) => {
  const calls: string[] = [];
  const server = createServer((socket) => void calls.push(String(socket.remotePort)));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-decoy-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "secret"), "a decoy");
  const reach = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached >&3`;
  const limits = { wall: 10, cpu: 10, memory: 1024, output: 1, processes: 64 };
  const run = (command: readonly string[]) => findSandbox()?.run({ command, reads: [], writes: [], cwd: "/", limits });
  // The same words outside do reach it: the test can fail.
  assert.equal(spawnSync("bash", ["-c", reach]).status, 0);
  assert.notEqual((await run(["bash", "-c", reach]))?.code, 0);
  await new Promise((turn) => setTimeout(turn, 50));
  assert.equal(calls.length, 1, "only from outside");
  assert.equal(
    (await run(["sh", "-c", "ls /sys/class/net 2>/dev/null | grep -v '^lo$'; cat /proc/net/route 2>/dev/null | tail -n +2"]))?.stdout,
    "",
  );
  assert.equal((await run(["cat", join(folder, "secret")]))?.stdout, "");
  assert.doesNotMatch((await run(["env"]))?.stdout ?? "", /RECHECK_KEY|AWS_|TOKEN/);
});

test("what is written in memory is bounded as memory is, and nothing of the host is shown: no processes, no mounts, no name", {
  skip,
}, async () => {
  process.env["DECOY_OF_THE_HOST"] = "a decoy";
  const limits = { wall: 20, cpu: 20, memory: 128, output: 32, processes: 64 };
  const run = (script: string) => findSandbox()?.run({ command: ["sh", "-c", script], reads: [], writes: [], cwd: "/", limits });
  const mib = "dd if=/dev/zero bs=1M count=30 2>/dev/null";
  for (const folder of ["/tmp", "/dev/shm"]) {
    const ran = await run(`for i in 1 2 3 4 5 6; do ${mib} of=${folder}/f$i || break; done; du -sm ${folder} | cut -f1`);
    const written = Number(ran?.stdout.trim());
    assert.ok(written >= 30 && written <= 128, `${folder}: ${written} MiB`);
  }
  for (const folder of ["/", "/dev/", "/run/"]) assert.notEqual((await run(`echo x > ${folder}made`))?.code, 0, folder);
  const shown =
    (await run("find /proc /sys /run /home /var; cat /proc/self/mountinfo /etc/mtab /etc/hostname; uname -n; env"))?.stdout ?? "";
  assert.deepEqual(
    shown
      .split("\n")
      .filter((line) => !/^(?:PWD|OLDPWD|SHLVL|_)=/.test(line))
      .sort(),
    ["", "HOME=/tmp", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=/tmp", "sandbox"],
  );
  assert.equal((await run("kill -9 $$"))?.code, 137, "how a program ended is told");
});

test("an adapter beside the library sees its own file, and not what lies there", { skip }, async (t) => {
  const { put, recheck, folder } = openSource(t);
  put({
    "registry.yaml":
      "sources:\n  - { repo: r, folder: ./src, rev: one, prover: coq, adapter: { command: [sh, ./says.sh], prover: coq } }\n",
    "src/A.v": "Lemma a : 1 = 1. Proof. reflexivity. Qed.\n",
    ".env": "SECRET=a-decoy\n",
    "says.sh": `#!/bin/sh\nls -a ${"$"}(dirname "$0") >&2; cat "${"$"}(dirname "$0")/.env" >&2; exit 3\n`,
  });
  const [run] = await recheck();
  const said = run?.problems.join("\n") ?? "";
  assert.match(said, /ended with 3/);
  assert.match(said, /says\.sh/, "its own file is there");
  assert.doesNotMatch(said, /a-decoy|registry\.yaml/);
  assert.ok(existsSync(join(folder, ".env")));
});

test("programs that start programs are bounded in number, and none outlives its run", { skip, timeout: 120_000 }, async () => {
  const sandbox = findSandbox();
  assert.ok(sandbox);
  const mark = `${4000 + (process.pid % 1000)}.25`;
  // Two hundred sleepers and no more, so that nothing is harmed: where a limit fails, it costs two hundred processes for some seconds.
  const script = `i=0; while [ $i -lt 200 ]; do sleep ${mark} & i=$((i+1)); done; echo started; wait`;
  const limits = { wall: 6, cpu: 5, memory: 1024, output: 1, processes: 20 };
  const began = performance.now();
  const ran = await sandbox.run({ command: ["sh", "-c", script], reads: [], writes: [], cwd: "/", limits });
  assert.ok((performance.now() - began) / 1000 < 20);
  assert.ok(ran.killed === "wall" || ran.code !== 0, JSON.stringify(ran));
  if (sandbox.asNobody) assert.match(ran.stderr, /Cannot fork|Resource temporarily unavailable/);
  const alive = readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`sleep\0${mark}`);
    } catch {
      return false;
    }
  });
  assert.deepEqual(alive, []);
});

test("where the sandbox hides the temporary folder, nothing is checked and no check is kept: what to do is said", { skip }, async (t) => {
  const { put, recheck, config } = openSource(t);
  put({ "src/A.v": "Lemma a : 1 = 1. Proof. reflexivity. Qed.\n" });
  const usual = process.env["TMPDIR"];
  t.after(() => (usual === undefined ? delete process.env["TMPDIR"] : (process.env["TMPDIR"] = usual)));
  const hidden = mkdtempSync("/dev/shm/proofshelf-hidden-");
  t.after(() => rmSync(hidden, { recursive: true, force: true }));
  const closed = mkdtempSync(join(tmpdir(), "proofshelf-closed-"));
  t.after(() => rmSync(closed, { recursive: true, force: true }));
  for (const folder of [hidden, closed]) {
    // Whoever is root runs provers as nobody, who may not enter this.
    process.env["TMPDIR"] = folder;
    await assert.rejects(recheck(), (error: ShelfError) => {
      assert.match(error.message, /does not see the temporary folder/);
      assert.match(error.fixes.join(), /Set TMPDIR/);
      return true;
    });
    assert.equal(existsSync(config().checks.store), false);
  }
  delete process.env["TMPDIR"];
  assert.ok((await recheck())[0]?.check);
});

test("without the sandbox a check says so", { skip: coq ? false : "coqc is not installed" }, async (t) => {
  const { put, recheck, verdict } = openSource(t);
  put({ "src/A.v": "Lemma a : 1 = 1. Proof. reflexivity. Qed.\n" });
  await recheck({ unsandboxed: true });
  assert.equal((await verdict("A.a"))?.check.isolation, "none");
});

test("a check is signed, and counts only from whom the configuration trusts; two runs share a digest", { skip }, async (t) => {
  const [ours, theirs] = [generateKey("recheck.example.org"), generateKey("other.example.org")];
  const { put, recheck, states, config } = openSource(t, `checks: { trust: ["${ours.publicKey}"] }\n`);
  put({ "src/A.v": "Lemma a : 1 = 1. Proof. reflexivity. Qed.\n" });
  await recheck({ key: theirs.privateKey });
  assert.deepEqual(await states(), { "A.a": "UNSPECIFIED" });
  assert.match(readChecks(config().checks).refused[0] ?? "", /signed by nobody who is trusted here/);
  await recheck({ key: ours.privateKey });
  assert.deepEqual(await states(), { "A.a": "VERIFIED" });
  const { store } = config().checks;
  const all = readdirSync(store)
    .filter((name) => name.endsWith(".json"))
    .map((name) => open(readFileSync(join(store, name)), []));
  const digests = new Set(all.map((opened) => ("statement" in opened ? opened.statement.predicate.reproducible_sha256 : "")));
  assert.equal(all.length, 2);
  assert.equal(digests.size, 1);
  const [first] = all;
  assert.ok(first !== undefined && "statement" in first);
  const key = [parseKey(ours.publicKey)];
  const sealed = JSON.parse(seal(first.statement, parseSigningKey(ours.privateKey))) as { payload: string; signatures: { sig: string }[] };
  assert.ok("statement" in open(Buffer.from(JSON.stringify(sealed)), key));
  const forged = { ...first.statement, predicate: { ...first.statement.predicate, revision: "other" } };
  const payload = Buffer.from(JSON.stringify(forged)).toString("base64");
  assert.deepEqual(open(Buffer.from(JSON.stringify({ ...sealed, payload })), key), {
    refused: "has a signature of recheck.example.org that is not of it",
  });
});

const request = {
  files: [
    { path: "A.v", sha256: "a".repeat(64) },
    { path: "B.v", sha256: "b".repeat(64) },
  ],
  ask: [
    { key: "r coq A.a", path: "A.v", name: "A.a", class: "theorem" },
    { key: "r coq B.b", path: "B.v", name: "B.b", class: "theorem" },
  ],
};

const transcript = [
  { t: "tool", name: "coq", version: "8.16.1", executable_sha256: "c".repeat(64) },
  { t: "imports", path: "A.v", imports: [] },
  { t: "check", path: "A.v", state: "accepted" },
  { t: "imports", path: "B.v", imports: ["A.v"] },
  { t: "check", path: "B.v", state: "accepted" },
  { t: "decl", key: "r coq A.a", statement: "True", type_sha256: "d".repeat(64) },
  { t: "axioms", decl: "r coq A.a", names: [], unsafe: [], exact: true },
  { t: "decl", key: "r coq B.b", statement: "True", type_sha256: "d".repeat(64) },
  { t: "hole", decl: "r coq B.b", what: "A.a" },
  { t: "axioms", decl: "r coq B.b", names: ["A.x"], unsafe: [], exact: true },
  { t: "end", answered: 2 },
].map((line) => JSON.stringify(line));

const read = (lines: readonly string[]) => readTranscript(lines.join("\n"), request);

test("a transcript is right as a whole or void, with the line that is wrong", () => {
  const right = read(transcript);
  assert.ok("results" in right);
  assert.deepEqual(
    right.results.map(({ state }) => state),
    ["accepted", "holes"],
  );
  const without = (at: number): readonly string[] => transcript.filter((_, index) => index !== at);
  const plus = (line: object, at = 5): readonly string[] => transcript.toSpliced(at, 0, JSON.stringify(line));
  for (const [lines, why] of [
    [without(0), /line 1 comes before the tool/],
    [without(10), /has no end/],
    [without(6), /says nothing of "r coq A\.a"/],
    [without(5), /says nothing of "r coq A\.a"/],
    [without(2), /says nothing of "A\.v"/],
    [[...transcript, transcript[10] ?? ""], /line 12 follows the end/],
    [plus({ t: "check", path: "../x.v", state: "accepted" }), /line 6 is of a file that nobody asked for/],
    [plus({ t: "axioms", decl: "r coq C.c", names: [], unsafe: [], exact: true }), /line 6 is of a declaration that nobody asked for/],
    [plus({ t: "check", path: "A.v", state: "perfect" }), /line 6 is no check as the protocol has it/],
    [plus({ t: "check", path: "A.v", state: "accepted" }), /line 6 checks the same again/],
    [plus({ t: "x", path: "A.v", log: "y".repeat(2 ** 20) }), /line 6 is too long/],
    [transcript.with(10, '{"t":"end","answered":1}'), /answers 1 of 2/],
    [transcript.with(3, "{"), /line 4 is no JSON/],
  ] as const) {
    const found = read(lines);
    assert.ok("void" in found);
    assert.match(found.void, why);
  }
  assert.ok("results" in read(plus({ t: "from the future", path: "elsewhere" })), "what nobody knows is passed over");
});

test("ten thousand damaged transcripts are void or say no better than the whole one", () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const whole = transcript.join("\n");
  let voids = 0;
  for (let turn = 0; turn < 10_000; turn++) {
    const at = random(whole.length);
    const kind = random(4);
    const damaged =
      kind === 0
        ? whole.slice(0, at)
        : kind === 1
          ? whole.slice(0, at) + whole.slice(at + 1 + random(40))
          : kind === 2
            ? `${whole.slice(0, at)}${String.fromCharCode(32 + random(90))}${whole.slice(at + 1)}`
            : transcript.toSpliced(random(11), 1, transcript[random(11)] ?? "").join("\n");
    const found = readTranscript(damaged, request);
    if ("void" in found) voids++;
    else
      for (const result of found.results.filter(({ key }) => key === "r coq B.b")) {
        const { verification_state } = statesOf("theorem", 0, [result], new Set(), true);
        assert.notEqual(verification_state, "VERIFIED", damaged);
      }
  }
  assert.ok(voids > 5000, `${voids} were void`);
});

test("states follow from verdicts: only what is accepted inside the policy is VERIFIED, and what nobody ran is neither", () => {
  const of = (
    state: "accepted" | "accepted_with_axioms" | "holes" | "rejected" | "timeout" | "environment",
    axioms: string[] | null = [],
    unsafe: string[] = [],
  ) => statesOf("theorem", 0, [{ state, axioms, unsafe }], new Set(["classic"]), true).verification_state;
  assert.equal(of("accepted"), "VERIFIED");
  assert.equal(of("accepted", null), "UNSPECIFIED");
  assert.equal(of("accepted", [], ["f is assumed to be guarded"]), "NOT_VERIFIED");
  assert.equal(of("accepted_with_axioms", ["classic"]), "VERIFIED");
  assert.equal(of("accepted_with_axioms", ["classic", "other"]), "NOT_VERIFIED");
  assert.equal(of("accepted_with_axioms", null), "NOT_VERIFIED");
  assert.equal(of("holes"), "NOT_VERIFIED");
  assert.equal(of("rejected", null), "NOT_VERIFIED");
  for (const state of ["timeout", "environment"] as const) assert.equal(of(state, null), "UNSPECIFIED");
  assert.deepEqual(statesOf("theorem", 0, [], new Set(), false), {
    verification_state: "UNSPECIFIED",
    status: "UNCHECKED",
    no_holes: true,
  });
  assert.equal(statesOf("theorem", 1, [{ state: "accepted", axioms: [], unsafe: [] }], new Set(), true).verification_state, "UNSPECIFIED");
});

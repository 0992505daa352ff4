/** What is asked of Coq's kernel beyond a theorem's name: its graph, its second checker, and what a statement means. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSigningKey } from "../../../snapshots/log/index.ts";
import { test } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { checkSentences } from "../../../snapshots/format/check-sentence.ts";
import type { CubRecord } from "../../../snapshots/schema/index.ts";
import { type CheckStatement, reproducibleDigest, seal } from "./attest.ts";
import { readSummary } from "./coq-second.ts";
import { findChecker, findCoq } from "./coq-tool.ts";
import { scanAll } from "./scan-all.ts";
import { OWN, openSource, skip } from "./source-fixture.ts";
import { contradiction } from "./states.ts";

const skipGraph = skip || (findCoq()?.graph === true ? false : "the plugin dpdgraph is not installed");

const skipSecond = skip || (findChecker() === null ? "coqchk is not installed" : false);

const DEVELOPMENT = {
  "src/A.v": `Axiom a0 : nat. Axiom a1 : nat.
Definition n := a0.
Inductive box : Set := in_box : a1 = a1 -> box.
Record pair := mk { left : nat; same : left = a0 }.
Lemma plain : 1 = 1. Proof. reflexivity. Qed.
Lemma by_definition : n = n. Proof. reflexivity. Qed.
Lemma in_statement : a1 = a1 -> True. Proof. exact (fun _ => I). Qed.
Lemma in_proof : 2 = 2. Proof. pose a1. reflexivity. Qed.
Lemma by_inductive : forall b : box, b = b. Proof. reflexivity. Qed.
Lemma by_record : forall p : pair, p = p. Proof. reflexivity. Qed.
Module Type S. Parameter z : nat. Parameter lie : 1 = 1. End S.
Module Impl : S. Definition z := 3. Lemma lie : 1 = 1. Proof. pose a0. reflexivity. Qed. End Impl.
Lemma sealed : Impl.z = Impl.z. Proof. reflexivity. Qed.
Lemma sealed_axiom : 1 = 1. Proof. exact Impl.lie. Qed.
Module Type R. Parameter r : Set. Parameter r0 : r. Parameter eq0 : r0 = r0. Parameter far : r0 = r0. End R.
Module Deep : R. Definition r := (fun (_ : a0 = a0) => nat) eq_refl. Definition r0 : r := 0. Definition eq0 := eq_refl r0.
Lemma far : r0 = r0. Proof. pose a1. reflexivity. Qed. End Deep.
Lemma deep : Deep.r0 = Deep.r0. Proof. exact Deep.eq0. Qed.
Lemma deep_far : Deep.r0 = Deep.r0. Proof. exact Deep.far. Qed.
Module F (X : S). Lemma of_x : X.z = X.z. Proof. reflexivity. Qed. End F.
Module FI := F Impl.
Lemma instance : Impl.z = Impl.z. Proof. exact FI.of_x. Qed.
Lemma open_ : 0 = 0. Proof. Admitted.
Unset Guard Checking. Fixpoint loop (n : nat) : nat := loop n. Set Guard Checking.
Lemma of_loop : loop 0 = loop 0. Proof. reflexivity. Qed.
`,
  "src/B.v": `From L Require Import A.
Require Import FunctionalExtensionality.
Lemma after : 3 = 3. Proof. pose in_proof. reflexivity. Qed.
Lemma twice : n = n -> 4 = 4. Proof. intros _. pose after. pose open_. reflexivity. Qed.
Lemma ext (f : nat -> nat) : (fun x => f x) = f. Proof. extensionality x. reflexivity. Qed.
Lemma closed : True /\\ True. Proof. split; exact I. Qed.
`,
};

test("one by one, by the tuple and by the kernel's graph: the same axioms of every theorem of a development that has traps", {
  skip: skipGraph,
  timeout: 300_000,
}, async (t) => {
  const [with_, without] = [openSource(t), openSource(t)];
  for (const { put } of [with_, without]) put(DEVELOPMENT);
  await with_.recheck();
  await without.recheck({ graph: false });
  const { records, checks } = await scanAll(with_.config());
  const other = await scanAll(without.config());
  // The truth: a process of its own, asked of one after the other as a reader would.
  const { folder } = with_;
  for (const name of ["A", "B"]) assert.equal(spawnSync("coqc", ["-Q", "src", "L", `src/${name}.v`], { cwd: folder }).status, 0);
  const theorems = records.filter(({ one }) => !one.abstract);
  assert.ok(theorems.length > 18);
  for (const { one, source } of theorems) {
    const full = `${one.module}.${one.theorem}`;
    const input = `Require L.A. Require L.B. Definition q := let _ := @${full} in tt.\nPrint Assumptions q.\n`;
    const { stdout } = spawnSync("coqtop", ["-quiet", "-Q", "src", "L"], { cwd: folder, input, encoding: "utf8" });
    const truth = [...stdout.matchAll(/^([\w.']+)(?: :|$)/gm)].map(([, name = ""]) =>
      name
        .replace(/^(?:L\.)?([AB])\./, "L.$1.")
        .split(".")
        .at(-1),
    );
    const [graph] = checks.of(one, source);
    const [split] = checks.of(one, other.sources[0] ?? source).length > 0 ? other.checks.of(one, other.sources[0] ?? source) : [];
    const short = (names: readonly string[] | null = null): (string | undefined)[] =>
      (names ?? []).map((name) => name.split(".").at(-1)).sort();
    assert.deepEqual(short(graph?.axioms), truth.sort(), full);
    assert.deepEqual(split?.axioms, graph?.axioms, full);
    assert.deepEqual(split?.unsafe, graph?.unsafe, full);
    assert.deepEqual([split?.state, split?.type_sha256], [graph?.state, graph?.type_sha256], full);
    assert.equal(graph?.exact, true, full);
  }
  const uses = (name: string): unknown => {
    const found = records.find(({ one }) => one.theorem === name);
    return found === undefined ? null : checks.of(found.one, found.source)[0]?.uses;
  };
  assert.deepEqual(uses("twice"), [
    { to: "L.A.n", part: "statement", basis: "kernel" },
    { to: "L.A.open_", part: "proof", basis: "kernel" },
    { to: "L.B.after", part: "proof", basis: "kernel" },
  ]);
  const digests = [with_, without].map(({ config }) =>
    readdirSync(config().checks.store).map(
      (name) =>
        JSON.parse(
          Buffer.from(
            (JSON.parse(readFileSync(join(config().checks.store, name), "utf8")) as { payload: string }).payload,
            "base64",
          ).toString(),
        ).predicate.reproducible_sha256 as string,
    ),
  );
  assert.deepEqual(digests[0], digests[1], "who has the plugin and who has not state the same");
});

test("where nothing rests on an axiom uses are the kernel's, too: also what no word of the source names, in another file", {
  skip: skipGraph,
}, async (t) => {
  const { put, recheck, config } = openSource(t);
  const leaf = "From L Require Import A.\nLemma by_hint : n = 1. Proof. auto. Qed.\n";
  put({
    "src/A.v": "Definition n := 1.\nLemma hinted : n = 1. Proof. reflexivity. Qed.\n#[global] Hint Resolve hinted : core.\n",
    "src/B.v": leaf,
  });
  for (const text of [leaf, `${leaf}(* later *)\n`]) {
    put({ "src/B.v": text });
    const [run] = await recheck();
    assert.ok(run?.check, run?.problems.join("\n"));
    const { records, checks } = await scanAll(config());
    const found = records.find(({ one }) => one.theorem === "by_hint");
    const [told] = found === undefined ? [] : checks.of(found.one, found.source);
    assert.deepEqual(
      [told?.axioms, told?.exact, told?.uses.toSorted((a, b) => (a.to < b.to ? -1 : 1))],
      [
        [],
        true,
        [
          { to: "L.A.hinted", part: "proof", basis: "kernel" },
          { to: "L.A.n", part: "statement", basis: "kernel" },
        ],
      ],
    );
  }
});

test("a development that brings a module of the plugin's name is asked without the plugin", { skip: skipGraph }, async (t) => {
  const { put, recheck, config } = openSource(t);
  put({
    "registry.yaml": "sources:\n  - { repo: r, folder: ./src, rev: one, prover: coq, logical: '' }\n",
    "src/dpdgraph/dpdgraph.v": "Axiom f : False.\nLemma t : 1 = 2. Proof. destruct f. Qed.\n",
  });
  await recheck();
  const { records, checks } = await scanAll(config());
  const [one] = records;
  assert.ok(one !== undefined);
  const [told] = checks.of(one.one, one.source);
  assert.deepEqual([told?.state, told?.axioms, told?.uses], ["accepted_with_axioms", ["dpdgraph.dpdgraph.f"], []]);
});

test("an axiom that the policy names is what it says: a proof that was left open is none, and another axiom under its name is refused", {
  skip,
}, async (t) => {
  const { put, recheck, states, config } = openSource(t, "policy: { axioms: [r: L.A.choice, r: L.A.open_] }\n");
  put({
    "src/A.v": "Axiom choice : forall P : Prop, P \\/ ~ P.\nLemma open_ : 1 = 2. Proof. Admitted.\n",
    "src/T.v":
      "From L Require Import A.\nLemma t : 1 = 1 \\/ 1 <> 1. Proof. apply choice. Qed.\nLemma on_hole : 1 = 2. Proof. exact open_. Qed.\n",
  });
  await recheck();
  assert.deepEqual(await states(), { "A.open_": "NOT_VERIFIED", "T.t": "VERIFIED", "T.on_hole": "NOT_VERIFIED" });
  put({ "src/A.v": "Axiom choice : forall P : Prop, P.\nLemma open_ : 1 = 2. Proof. Admitted.\n" });
  await recheck();
  const { drift } = await scanAll(config());
  assert.deepEqual(
    drift.map(({ what, key, definitions, refused }) => ({ what, key, definitions, refused })),
    [{ what: "meaning", key: "r coq L.T.t", definitions: ["L.A.choice"], refused: true }],
  );
  await assert.rejects(states(), /L\.A\.choice/);
});

test("a second checker is a check of its own; where it contradicts the prover, nothing is verified and the page shows it", {
  skip: skipSecond,
  timeout: 300_000,
}, async (t) => {
  const { put, recheck, records, config } = openSource(t);
  put({
    "src/A.v": "Axiom a : nat.\nLemma fine : 1 = 1. Proof. reflexivity. Qed.\nLemma on_a : a = a. Proof. reflexivity. Qed.\n",
    "src/S.v":
      "Module Type T. Parameter z : nat. End T.\nModule I : T. Definition z := 3. End I.\nLemma sealed : I.z = I.z. Proof. reflexivity. Qed.\n",
    "src/R.v": "Lemma wrong : 1 = 2. Proof. reflexivity. Qed.\n",
  });
  await recheck();
  const leftOut = await records();
  assert.deepEqual(
    leftOut[0]?.checks?.map(({ tool, state, counted }) => [tool, state, counted]),
    [
      ["", "accepted", true],
      ["coqchk", "not_run", false],
    ],
  );
  assert.match(checkSentences(leftOut[0] as CubRecord)[1] ?? "", /^Nobody has run coqchk over this here: /);
  const [again] = await recheck({ second: true });
  assert.ok(again?.check, again?.problems.join("\n"));
  assert.deepEqual(await recheck({ second: true }), [], "nothing is stale");
  const shown = async () =>
    (await records())
      .filter(({ kind }) => kind === "Lemma")
      .map(({ theorem_name: name, verification_state: state, checks = [] }) => [
        name,
        state,
        checks.map((check) => `${check.tool} ${check.state}`),
      ]);
  assert.deepEqual(await shown(), [
    ["fine", "VERIFIED", [" accepted", "coqchk accepted_with_axioms"]],
    ["on_a", "NOT_VERIFIED", [" accepted_with_axioms", "coqchk accepted_with_axioms"]],
    ["wrong", "NOT_VERIFIED", [" rejected", "coqchk rejected"]],
    ["sealed", "VERIFIED", [" accepted", "coqchk accepted_with_axioms"]],
  ]);
  // A second checker that refuses: as if its kernel had found what the first has not.
  const { store } = config().checks;
  for (const name of readdirSync(store)) {
    const envelope = JSON.parse(readFileSync(join(store, name), "utf8")) as { payload: string };
    const statement = JSON.parse(Buffer.from(envelope.payload, "base64").toString()) as CheckStatement;
    if (!statement.predicate.second) continue;
    for (const result of statement.predicate.results)
      if (result.key.endsWith("fine")) Object.assign(result, { state: "rejected", axioms: null });
    statement.predicate.reproducible_sha256 = reproducibleDigest(statement);
    const text = seal(statement, parseSigningKey(OWN.privateKey));
    writeFileSync(join(store, name), text);
    renameSync(join(store, name), join(store, `${sha256(text)}.json`));
  }
  const [fine] = await records();
  assert.deepEqual([fine?.verification_state, fine?.status, fine?.checks?.[1]?.state], ["NOT_VERIFIED", "DISPUTED", "disagrees"]);
  assert.match(checkSentences(fine as CubRecord)[1] ?? "", /coqchk 8\S+ disagrees .*it refuses what the prover accepted/);
});

test("what a second checker lists of sealed modules is no contradiction, and what it misses is one", () => {
  const verdict = (state: "accepted" | "accepted_with_axioms" | "rejected", axioms: string[] | null = [], unsafe: string[] = []) => ({
    state,
    axioms,
    unsafe,
  });
  assert.equal(contradiction(verdict("accepted"), verdict("accepted_with_axioms", ["Coq.Reals.Rdefinitions.RbaseSymbolsImpl.R"])), null);
  assert.equal(contradiction(verdict("accepted_with_axioms", ["a"]), verdict("accepted_with_axioms", ["a", "b"])), null);
  assert.match(
    contradiction(verdict("accepted_with_axioms", ["a", "c"]), verdict("accepted_with_axioms", ["a"])) ?? "",
    /knows nothing of c/,
  );
  assert.match(contradiction(verdict("accepted"), verdict("rejected", null)) ?? "", /refuses/);
  assert.match(contradiction(verdict("rejected", null), verdict("accepted")) ?? "", /accepts what/);
  assert.match(contradiction(verdict("accepted", [], ["loop is assumed to be guarded"]), verdict("accepted")) ?? "", /switched off/);
  assert.deepEqual(
    readSummary(
      "\nCONTEXT SUMMARY\n===============\n\n* Theory: Set is predicative\n  \n* Axioms:\n    L.A.adm\n    L.A.a0\n  \n* Constants/Inductives relying on type-in-type: <none>\n  \n* Constants/Inductives relying on unsafe (co)fixpoints:\n    L.A.loop\n  \n* Inductives whose positivity is assumed: <none>\n",
    ),
    { names: ["L.A.adm", "L.A.a0"], unsafe: ["L.A.loop is assumed to be guarded"] },
  );
  assert.equal(readSummary("coqchk said something else"), null);
});

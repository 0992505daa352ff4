/** What is asked of Coq's kernel beyond a theorem's name: its graph, its second checker, and what a statement means. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSigningKey } from "../../../snapshots/log/index.ts";
import { test } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { checkSentences } from "../../../snapshots/format/check-sentence.ts";
import { generateKey } from "../../../snapshots/log/note.ts";
import type { CubRecord } from "../../../snapshots/schema/index.ts";
import { type CheckStatement, reproducibleDigest, seal } from "./attest.ts";
import { readSummary } from "./coq-second.ts";
import { findChecker, findCoq } from "./coq-tool.ts";
import { scanAll } from "./scan-all.ts";
import { OWN, openSource, skip } from "./source-fixture.ts";
import { contradiction } from "./states.ts";
import { runIn } from "../../testing/run-program.ts";

const skipGraph = skip || (findCoq()?.graph === true ? false : "the plugin dpdgraph is not installed");
const skipSecond = skip || (findChecker() === null ? "coqchk is not installed" : false);

type Keys = ReturnType<typeof generateKey>;

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

test("what moves under an unchanged name is told by cause, and one that was verified is refused until it is accepted by name", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { put, recheck, accept, records, states, config } = openSource(t);
  const write = (limit: string, more: string): void =>
    put({
      "registry.yaml": `sources:\n  - { repo: r, folder: ./src, rev: ${limit}, prover: coq, logical: L, kinds: [theorem] }\n`,
      "src/D.v": `Definition limit := ${limit === "one" ? 1 : 2}.\nDefinition small (n : nat) := n <= limit.\nDefinition other := 7.\n`,
      "src/T.v": more,
    });
  write(
    "one",
    "From L Require Import D.\nLemma zero_small : small 0. Proof. unfold small, limit; repeat constructor. Qed.\nLemma one_thing : other = 7. Proof. reflexivity. Qed.\nLemma spaced (n : nat) : n = n. Proof. reflexivity. Qed.\nLemma weak : 1 = 1 /\\ 2 = 2. Proof. split; reflexivity. Qed.\n",
  );
  await recheck();
  assert.deepEqual(Object.values(await states()), ["VERIFIED", "VERIFIED", "VERIFIED", "VERIFIED"]);
  write(
    "two",
    "From L Require Import D.\nLemma zero_small : small 0. Proof. unfold small, limit; repeat constructor. Qed.\nLemma one_thing : other = 7. Proof. reflexivity. Qed.\nLemma spaced : forall n : nat, n = n. Proof. reflexivity. Qed.\nLemma weak : 1 = 1. Proof. reflexivity. Qed.\n",
  );
  const scan = await scanAll(config());
  assert.deepEqual(
    scan.drift.map(({ what, key, refused }) => [what, key.split(".").at(-1), refused]),
    [
      ["changed", "spaced", true],
      ["changed", "weak", true],
    ],
    "words alone cry wolf of one, and do not see the other",
  );
  await recheck();
  const after = await scanAll(config());
  const told = new Map(after.drift.map(({ what, key, definitions, refused }) => [key.split(".").at(-1), { what, definitions, refused }]));
  assert.deepEqual(told.get("zero_small"), { what: "meaning", definitions: ["L.D.limit"], refused: true });
  assert.deepEqual(told.get("weak"), { what: "statement", definitions: [], refused: true });
  assert.equal(told.get("spaced")?.what, undefined, "the prover prints the same, so that the lock was brought up to it");
  assert.equal(told.has("one_thing"), false);
  await assert.rejects(records(), (error: Error) => {
    assert.match(error.message, /1 definition says something else \(L\.D\.limit\); 1 theorem of unchanged statement rests on it: CUB-0001/);
    assert.match(error.message, /statement: 1 theorem say something else themselves: CUB-0004/);
    return true;
  });
  // Nothing of it is taken for the new state by a second run, either.
  await recheck({ all: true });
  await assert.rejects(records());
  await accept();
  assert.deepEqual((await scanAll(config())).drift, []);
  const made = await records();
  assert.deepEqual(
    made.map(({ theorem_name: name, drift, verification_state: state }) => [
      name,
      drift?.cause,
      drift?.definitions,
      drift?.accepted,
      state,
    ]),
    [
      ["zero_small", "meaning", ["L.D.limit"], "it is meant", "VERIFIED"],
      ["one_thing", undefined, undefined, undefined, "VERIFIED"],
      ["spaced", "wording", [], undefined, "VERIFIED"],
      ["weak", "statement", [], "it is meant", "VERIFIED"],
    ],
  );
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

test("of two institutes that agree both are named; a stranger is shown as that and counts for nothing", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const [ours, theirs, stranger] = ["recheck.example.org", "second.example.org", "stranger.example.org"].map((name) =>
    generateKey(name),
  ) as [Keys, Keys, Keys];
  const { put, recheck, records } = openSource(t, `checks: { trust: ["${ours.publicKey}", "${theirs.publicKey}"] }\n`);
  put({ "src/A.v": "Lemma a : 1 = 1. Proof. reflexivity. Qed.\n" });
  await recheck({ key: stranger.privateKey });
  const [alone] = await records();
  assert.deepEqual(
    [alone?.verification_state, alone?.checks?.map(({ state, counted }) => [state, counted])],
    [
      "UNSPECIFIED",
      [
        ["not_run", true],
        ["accepted", false],
      ],
    ],
  );
  assert.match(checkSentences(alone as CubRecord)[1] ?? "", /stranger\.example\.org\S*, whom nobody here trusts.*counts for nothing/);
  await recheck({ key: ours.privateKey });
  await recheck({ key: theirs.privateKey, all: true });
  const [record] = await records();
  assert.equal(record?.verification_state, "VERIFIED");
  assert.deepEqual(record?.agreement, { checkers: 2, agree: 2 });
  assert.deepEqual(
    new Set(record?.checks?.filter(({ counted }) => counted).map(({ signers }) => signers[0]?.split("+")[0])),
    new Set(["recheck.example.org", "second.example.org"]),
  );
});

test("the command line: diff by cause between two revisions, refusal until it is accepted, explain, graph and axioms", {
  skip,
  timeout: 300_000,
}, async (t) => {
  const { folder, put } = openSource(t, "policy: { axioms: [] }\n");
  const git = (...args: string[]): void => {
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    assert.equal(spawnSync("git", ["-C", join(folder, "src"), ...who, ...args]).status, 0, args.join(" "));
  };
  const run = async (...args: string[]) => {
    const { status, stdout, stderr } = await runIn(folder, ["registry", ...args]);
    return { status, text: `${stdout}${stderr}`, stdout };
  };
  put({
    "registry.yaml": "sources:\n  - { repo: r, git: ./src, rev: HEAD, prover: coq, logical: L, kinds: [theorem] }\n",
    "src/D.v": "Definition limit := 1.\nAxiom a : limit = 1.\n",
    "src/T.v":
      "From L Require Import D.\nLemma low : 0 <= limit. Proof. unfold limit. repeat constructor. Qed.\nLemma on_a : limit = 1. Proof. exact a. Qed.\nLemma by_low : 0 <= limit. Proof. exact low. Qed.\n",
  });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  const without = await run("recheck", "--no-second");
  assert.match(without.text, /coqchk was left out/);
  assert.doesNotMatch(without.text, /coqchk agrees/);
  const first = await run("recheck");
  assert.equal(first.status, 3, first.text);
  assert.match(first.text, /coqchk agrees +3/);
  put({ "src/D.v": "Definition limit := 2.\nAxiom a : limit = 1.\n" });
  git("commit", "-qam", "two");
  assert.equal((await run("scan")).status, 0, "words are the same");
  const again = await run("recheck");
  assert.match(again.text, /meaning: 1 definition says something else \(L\.D\.limit\); 2 theorems of unchanged statement rest on it/);
  const diff = await run("diff", "HEAD~1", "HEAD", "--json");
  const { moved, printed, drift } = JSON.parse(diff.stdout) as {
    moved: { key: string; cause: string; definitions: string[] }[];
    printed: number;
    drift: unknown[];
  };
  assert.deepEqual(
    moved.map(({ key, cause, definitions }) => [key, cause, definitions]),
    ["low", "on_a", "by_low"].map((name) => [`r coq L.T.${name}`, "meaning", ["L.D.limit"]]),
  );
  assert.deepEqual([printed, drift], [3, []]);
  const refused = await run("scan");
  assert.equal(refused.status, 5, refused.text);
  assert.equal((await run("scan", "--accept", "CUB-0001", "CUB-0003", "--reason", "it is two now")).status, 0);
  assert.match(
    (await run("explain", "CUB-0002")).text,
    /NOT_VERIFIED[^]*checks\/[0-9a-f]{64}\.json: coq 8[^]*rests on L\.D\.a, which policy\.axioms of .* does not name as r: L\.D\.a/,
  );
  assert.match((await run("explain", "L.T.by_low")).text, /^CUB-0003 /);
  assert.match((await run("explain", "CUB-0009")).text, /There is no record CUB-0009\. Did you mean CUB-000\d\?/);
  const axioms = await run("axioms");
  assert.equal(axioms.status, 3);
  assert.match(axioms.text, /2 records rest on no axiom\.\n1 record rests on:\n {2}r: L\.D\.a \(outside the policy\)\n {2}CUB-0002/);
  assert.equal((await run("axioms", "--allow", "r: L.D.a")).status, 0);
  assert.match((await run("graph", "CUB-0001")).text, /used by CUB-0003 L\.T\.by_low \(in the proof/);
  assert.match((await run("graph", "CUB-0001", "--dot")).stdout, /"CUB-0003" -> "CUB-0001" \[style=dashed\];/);
  assert.match((await run("graph", "CUB-0001", "--json")).stdout, /\{"edges":1,"nodes":2,"t":"end"/);
});

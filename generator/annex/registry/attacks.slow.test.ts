/** What a repository does to have something false said VERIFIED. Each attack is carried out against a real Coq. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scanAll } from "./scan-all.ts";
import { openSource, skip } from "./source-fixture.ts";

test("a file that is used and not named as an import is not there: what changes in it would be seen by nobody", { skip }, async (t) => {
  const { put, recheck, states, verdict } = openSource(t);
  put({
    "src/D.v": "Axiom bad : False.\nDefinition n := 1.\n",
    "src/Named.v": "Require Import L.D.\nLemma named : n = 1. Proof. reflexivity. Qed.\n",
    // Coq's own finder of imports sees none of these.
    "src/Word.v": 'Comments "(*". Require Import L.D.\nLemma word : n = 1. Proof. reflexivity. Qed. (* " *)\n',
    "src/Turned.v": 'Redirect "/tmp/x" Require Import L.D.\nLemma turned : n = 1. Proof. reflexivity. Qed.\n',
    "src/Load.v": "Load D.\nLemma loaded : n = 1. Proof. reflexivity. Qed.\n",
    "src/Fine.v": "Lemma fine : 1 = 1. Proof. reflexivity. Qed.\n",
  });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  const said = await states();
  assert.equal(said["Named.named"], "VERIFIED");
  assert.equal(said["Fine.fine"], "VERIFIED");
  // What Load brings in is an import: a change of it is seen.
  assert.equal(said["Load.loaded"], "VERIFIED");
  for (const name of ["Word.word", "Turned.turned"]) {
    assert.notEqual(said[name], "VERIFIED", name);
    assert.equal((await verdict(name))?.state, "environment", name);
  }
  put({ "src/D.v": "Axiom bad : False.\nDefinition n := 2.\n" });
  assert.equal(await verdict("Load.loaded"), undefined);
});

test("a file that comes and is found instead of what was required makes what was said out of date, by whatever name it was required", {
  skip,
  timeout: 120_000,
}, async (t) => {
  const { put, recheck, verdict } = openSource(t);
  put({
    "registry.yaml": 'sources:\n  - { repo: r, folder: ./src, rev: one, prover: coq, paths: ["-R src L"] }\n',
    ...Object.fromEntries(
      [
        "Require Import Arith.",
        'Redirect "/tmp/x" Require Import Arith.',
        "From Coq Require Import (* . *) Arith.\nRequire Export Plus.",
        "Require Coq.Arith.Arith.",
        "#[local] Set Silent. Require Import Below.",
      ].map((text, at) => [`src/src/A${at}.v`, `${text}\nLemma t : 0 = 0. Proof. reflexivity. Qed.\n`]),
    ),
    "src/src/Below.v": "Require Import Arith.\n",
    "src/src/Free.v": "(* Require Import Arith. *)\nLemma t : 0 = 0. Proof. reflexivity. Qed.\n",
  });
  for (const { problems, check } of await recheck()) assert.ok(check, problems.join("\n"));
  const known = async (): Promise<(string | undefined)[]> =>
    Promise.all(["A0", "A1", "A2", "A3", "A4", "Free"].map(async (name) => (await verdict(`${name}.t`))?.state));
  const before = await known();
  assert.deepEqual([...new Set(before)], ["accepted"]);
  put({ "src/src/Else.v": "Definition other := 1.\n" });
  assert.deepEqual(await known(), before, "a file of another name changes nothing");
  put({ "src/src/new folder/Arith.v": "Definition other := 1.\n" });
  assert.deepEqual(await known(), [undefined, undefined, undefined, undefined, undefined, "accepted"]);
});

test("two things of one full name: each is asked where the other is not loaded, or neither is", { skip }, async (t) => {
  const { put, recheck, states, verdict } = openSource(t);
  put({
    "src/A.v": "Module M. Lemma t : True. Proof. exact I. Qed. End M.\nModule B := M.\n",
    "src/A/B.v": "Axiom f : False.\nLemma t : 1 = 2. Proof. destruct f. Qed.\n",
  });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  // An advisory on modules may keep it from being VERIFIED.
  assert.equal((await verdict("A.M.t"))?.state, "accepted");
  assert.equal((await states())["A.B.t"], "NOT_VERIFIED");
});

test("a repository brings no library of Coq's own name: an axiom that the policy allows would be another", { skip }, async (t) => {
  const { put, recheck, states, config } = openSource(t, "policy: { axioms: [Coq.Logic.Classical_Prop.classic] }\n");
  put({
    "registry.yaml":
      "policy: { axioms: [Coq.Logic.Classical_Prop.classic] }\nsources:\n  - { repo: r, folder: ./src, rev: one, prover: coq, logical: '' }\n",
    "src/Coq/Logic/Classical_Prop.v": "Axiom classic : False.\n",
    "src/T.v": "Require Import Coq.Logic.Classical_Prop.\nLemma t : 1 = 2. Proof. destruct classic. Qed.\n",
  });
  await recheck();
  assert.notEqual((await states())["T.t"], "VERIFIED");
  const { notes } = await scanAll(config());
  assert.ok(
    notes.some((note) => /Classical_Prop\.v" is named like a module of Coq/.test(note)),
    notes.join("\n"),
  );
});

test("a name of Coq's own library allows no axiom on a module, a folder, an alias or a parameter", { skip }, async (t) => {
  const source = openSource(t, "policy: { axioms: [Coq.Logic.Classical_Prop.classic, 'Coq.Logic.*', 'L.Fine.*'] }\n");
  const own = "Module Coq. Module Logic. Module Classical_Prop. Axiom classic : False. End Classical_Prop. End Logic. End Coq.\n";
  const zero = (name: string, from: string): string => `Theorem ${name} : 0 = 1. Proof. destruct ${from}. Qed.\n`;
  source.put({
    "src/Nested.v": `${own}Import Coq.Logic.Classical_Prop.\n${zero("nested", "classic")}`,
    "src/Both.v": `From Coq.Logic Require Import Classical_Prop.\n${own}${zero("both", "Coq.Logic.Classical_Prop.classic")}`,
    "src/Coq/Logic/Classical_Prop.v": "Axiom classic : False.\n",
    "src/Folder.v": `From L.Coq.Logic Require Import Classical_Prop.\n${zero("by_folder", "classic")}`,
    "src/Shadow.v": `Require Import Classical.\nModule Classical_Prop. Axiom classic : False. End Classical_Prop.\n${zero("shadow", "Classical_Prop.classic")}`,
    "src/Param.v": `Module Type T. Axiom classic : False. End T.\nDeclare Module Classical_Prop : T.\n${zero("declared", "Classical_Prop.classic")}`,
    "src/Allowed.v": `Module L. Module Fine. Axiom f : False. End Fine. End L.\n${zero("allowed", "L.Fine.f")}`,
    "src/Alias.v": `Module X. Axiom classic : False. End X.\nModule Import Classical_Prop := X.\n${zero("alias", "classic")}`,
    "src/Known.v": `Axiom classic : False.\nRegister classic as core.False.type2.\n${zero("registered", "classic")}`,
    "src/Fine.v": "Require Import Classical.\nTheorem fine : forall P : Prop, P \\/ ~ P. Proof. exact classic. Qed.\n",
  });
  await source.recheck();
  const records = await source.records();
  const verified = records.filter(({ verification_state: state }) => state === "VERIFIED").map(({ theorem_name: name }) => name);
  assert.deepEqual([records.length, verified], [9, ["fine"]]);
});

test("modules inside modules are seen, and what hides one is not helped by a word or by a file that is loaded", { skip }, async (t) => {
  const { put, recheck, records } = openSource(t);
  put({
    "src/N.v": "Module X. Module Y. Section S. Lemma n : 1 = 1. Proof. reflexivity. Qed. End S. End Y. Module Type T. End T. End X.\n",
    "src/part.v": "",
    "src/Loads.v":
      "Load part. Definition False := True.\nLemma t : False. Proof. exact I. Qed.\nTimeout 9 Section S. Hypothesis h : 0 = 1.\nLemma z : 0 = 1. Proof. exact h. Qed. End S.\n",
    "src/Uses.v": "From L Require Import Loads.\nLemma u : False. Proof. exact I. Qed.\n",
    "src/Word.v":
      "(* Load *) Axiom ff : False.\nTimeout 9 Module M. Lemma w : 2 = 1. Proof. destruct ff. Qed. End M.\nLemma w : True. Proof. exact I. Qed.\n",
  });
  await recheck();
  const said = (await records()).flatMap(({ kind, statement, status }) => (kind === "Lemma" ? [[statement, status]] : []));
  assert.deepEqual(said, [
    ["Loads.False", "VERIFIED_AS_PRINTED"],
    ["0 = 1 -> 0 = 1", "VERIFIED_AS_PRINTED"],
    ["1 = 1", said[2]?.[1] === "RECALLED" ? "RECALLED" : "VERIFIED_EXACT"],
    ["Loads.False", "VERIFIED_AS_PRINTED"],
    ["2 = 1", "REFUSED"],
    ["True", "VERIFIED_EXACT"],
  ]);
});

test("a module that the reader of the text takes for an alias lends no proof to what stands in it, nor does a section hide what it assumes", {
  skip,
}, async (t) => {
  const { put, recheck, records } = openSource(t);
  const type = "let y : nat := 0 in nat";
  put({
    "src/A.v": `Module Type T. Parameter t : Type. End T.\nModule M : T with Definition t := ${type}.\nDefinition t := ${type}.\nAxiom ff : False.\nLemma w : 2 = 1. Proof. destruct ff. Qed.\nEnd M.\nLemma w : True. Proof. exact I. Qed.\n`,
    "src/B.v": `Module Type T. Parameter t : Type. End T.\nModule M : T with Definition t := ${type}.\nDefinition t := ${type}.\nSection S. Hypothesis h : 0 = 1.\nLemma v : 0 = 1. Proof. exact h. Qed.\nEnd S.\nEnd M.\n`,
    "src/C.v": "Section S. Hypothesis h : 0 = 1.\nLemma z : 0 = 1. Proof. exact h. Qed.\nEnd S.\n",
  });
  await recheck();
  const found = (await records()).filter(({ kind }) => kind === "Lemma");
  assert.deepEqual(
    found.map(({ theorem_name: name, statement, verification_state: state }) => [name, statement, state]),
    [
      ["w", "2 = 1", "UNSPECIFIED"],
      ["v", "h : 0 = 1 ⊢ 0 = 1", "UNSPECIFIED"],
      ["z", "0 = 1 -> 0 = 1", "VERIFIED"],
    ],
  );
});

const CLASSIC = "Coq.Logic.Classical_Prop.classic";
const LIE = "Lemma t : 1 = 2. Proof. destruct classic. Qed.\n";
/** Each has an axiom of its own that reads as one of Coq's. */
const OWN_CLASSIC: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a file of the prover's name": {
    "Coq.v": `Module Logic. Module Classical_Prop. Axiom classic : False. ${LIE} End Classical_Prop. End Logic.\n`,
  },
  "a module of the name inside a file": {
    "A.v": `Module Coq. Module Logic. Module Classical_Prop. Axiom classic : False. ${LIE} End Classical_Prop. End Logic. End Coq.\n`,
  },
  "a short name": { "A.v": `Axiom classic : False.\n${LIE}` },
  "a file of the last name": { "Classical_Prop.v": "Axiom classic : False.\n", "T.v": `Require Import Classical_Prop.\n${LIE}` },
  "a folder of the same names": {
    "Logic/Classical_Prop.v": "Axiom classic : False.\n",
    "T.v": `Require Import Logic.Classical_Prop.\n${LIE}`,
  },
  "beside the true one": {
    "A.v": `Require Import Coq.Logic.Classical_Prop.\nModule Classical_Prop. Axiom classic : False. End Classical_Prop. Import Classical_Prop.\n${LIE}`,
  },
};

test("an axiom that the policy names is one of what is installed, or of the repository that it names", {
  skip,
  timeout: 120_000,
}, async (t) => {
  const names = ["classic", "Classical_Prop.classic", "Logic.Classical_Prop.classic", CLASSIC, "A.classic", "Coq.*", "A.*"];
  for (const [what, files] of Object.entries(OWN_CLASSIC)) {
    const { put, recheck, records } = openSource(t);
    const write = (policy: string): void =>
      put({
        "registry.yaml": `policy: { axioms: [${policy}] }\nsources:\n  - { repo: r, folder: ./src, rev: one, prover: coq, logical: '' }\n`,
        ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`src/${path}`, text])),
      });
    write(names.map((name) => JSON.stringify(name)).join(", "));
    await recheck();
    const found = await records();
    assert.ok(
      found.filter(({ theorem_name: name }) => name === "t").every(({ verification_state: state }) => state === "NOT_VERIFIED"),
      what,
    );
    const [own = ""] = found.flatMap(({ axioms_outside: outside = [] }) => outside);
    // A file of the prover's name is left out as a whole.
    if (own === "") continue;
    for (const [from, state] of [
      ["other", "NOT_VERIFIED"],
      ["r", "VERIFIED"],
    ]) {
      write(`${from}: ${own}`);
      assert.equal((await records()).find(({ theorem_name: name }) => name === "t")?.verification_state, state, `${what}, from ${from}`);
    }
  }
});

test("settings that a file leaves behind change neither questions nor answers", { skip }, async (t) => {
  const { put, recheck, states } = openSource(t);
  put({
    "src/S.v":
      "Global Set Silent. Global Set Printing All. Global Set Printing Width 10.\nAxiom ff : forall x y z : nat, x + y + z = 0 -> False.\nLemma liar : 1 = 2. Proof. destruct (ff 0 0 0 eq_refl). Qed.\nLemma good : 1 = 1. Proof. reflexivity. Qed.\n",
    "src/Z.v": "Lemma z : 0 = 0. Proof. reflexivity. Qed.\n",
  });
  await recheck();
  assert.deepEqual(await states(), { "S.liar": "NOT_VERIFIED", "S.good": "VERIFIED", "Z.z": "VERIFIED" });
});

test("what was compiled without a sandbox is not taken where one is asked for, and no compiled file lies beside the checks", {
  skip,
}, async (t) => {
  const { put, recheck, verdict, config } = openSource(t);
  put({ "src/A.v": "Lemma a : 1 = 1. Proof. reflexivity. Qed.\n" });
  await recheck({ unsandboxed: true });
  await recheck({ all: true });
  assert.equal((await verdict("A.a"))?.check.isolation, "bubblewrap");
  const { store } = config().checks;
  assert.deepEqual(
    readdirSync(store).filter((name) => !/^[0-9a-f]{64}\.json$/.test(name)),
    [],
    join(store, "holds checks and nothing else"),
  );
});

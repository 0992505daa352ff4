/** What moves is no other statement, and what is another one is told, wherever it hides: with a real Coq. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readLock } from "./lock.ts";
import { scanAll } from "./scan-all.ts";
import { openSource, skip } from "./source-fixture.ts";

type Files = Readonly<Record<string, string>>;

/** Checks some files, then others in their place. @returns what is told of the second, by name: cause and definitions */
async function moveFrom(t: TestContext, first: Files, second: Files) {
  const source = openSource(t);
  const write = (rev: string, files: Files): void => {
    rmSync(join(source.folder, "src"), { recursive: true, force: true });
    source.put({
      "registry.yaml": `sources:\n  - { repo: r, folder: ./src, rev: ${rev}, prover: coq, logical: L, kinds: [theorem] }\n`,
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`src/${path}`, text])),
    });
  };
  write("one", first);
  await source.recheck();
  assert.deepEqual([...new Set(Object.values(await source.states()))], ["VERIFIED"]);
  write("two", second);
  await source.recheck();
  const { drift } = await scanAll(source.config());
  // What only moved is written down by a scan.
  await source.recheck();
  const told = Object.fromEntries(
    drift.map(({ what, key, definitions, refused }) => [key.split(".").at(-1), [what, ...(definitions ?? []), refused]]),
  );
  return { ...source, told };
}

const BASE = `Definition double (n : nat) := n + n.
Inductive tree := leaf | node (l r : tree).
Module Inner. Fixpoint size (t : tree) := match t with leaf => 1 | node l r => size l + size r end. Axiom open : size leaf = 1. End Inner.
Lemma two : double 1 = 2. Proof. reflexivity. Qed.
Lemma one : Inner.size leaf = double 1 - 1. Proof. reflexivity. Qed.
`;
const USE = (name: string): string =>
  `From L Require Import ${name}.\nLemma four : double 2 = 4. Proof. reflexivity. Qed.\nLemma of_two : two = two. Proof. reflexivity. Qed.\n`;

test("files and modules that are renamed or moved say what they said, and ids and states stay", { skip, timeout: 120_000 }, async (t) => {
  const moved = await moveFrom(
    t,
    { "Base.v": BASE, "Use.v": USE("Base") },
    { "sub/Ground.v": BASE.replaceAll("Inner", "Within"), "Use.v": USE("sub.Ground") },
  );
  assert.deepEqual(moved.told, { two: ["moved", false], one: ["wording", false] });
  assert.deepEqual(await moved.states(), {
    "sub.Ground.two": "VERIFIED",
    "sub.Ground.one": "VERIFIED",
    "Use.four": "VERIFIED",
    "Use.of_two": "VERIFIED",
  });
  for (const { id, drift, theorem_name: name } of await moved.records()) {
    assert.ok(id <= "CUB-0004", id);
    // Of the module's own name in the words only the spelling is another.
    assert.equal(drift?.cause, name === "one" ? "wording" : undefined);
  }
  assert.deepEqual(
    readLock(moved.config().lock).map(({ was }) => was),
    [["r coq L.Base.two"], ["r coq L.Base.one"], [], []],
  );
});

test("what says something else while it moves is told by its cause", { skip, timeout: 120_000 }, async (t) => {
  const { told } = await moveFrom(
    t,
    { "Base.v": BASE, "Use.v": USE("Base") },
    { "Ground.v": BASE.replace("n + n", "2 * n"), "Use.v": USE("Ground") },
  );
  assert.deepEqual(told, {
    two: ["meaning", "L.Ground.double", true],
    one: ["meaning", "L.Ground.double", true],
    four: ["meaning", "L.Ground.double", true],
    // It names the theorem, and the theorem the definition.
    of_two: ["meaning", "L.Ground.double", true],
  });
});

const proof = (words: string): string => `Lemma main : ${words}. Proof. repeat split; reflexivity. Qed.\n`;
const F = "Definition f (n : nat) := n.\n";
const G = "Definition f (n : nat) := 0.\n";
const NAME = "n".repeat(1000);
const LONG = Array.from({ length: 30 }, () => `${NAME} = ${NAME}`).join(" /\\ ");
const LET = `Definition ${NAME} := 0.\n`;
const CHAIN = (end: string): string =>
  `Definition t0 := ${end}.\n${Array.from({ length: 8 }, (_, at) => `Inductive t${at + 1} := c${at + 1} (x : t${at} = t${at}).\n`).join("")}`;

/** Each pair of revisions with the same words of `main`, or nearly, and what has to be told of the second. */
const SILENT: readonly (readonly [string, Files, Files, readonly unknown[]])[] = [
  [
    "a transparent theorem as a definition",
    { "A.v": `Theorem goal : Prop. Proof. exact (0 = 0). Defined.\n${proof("goal").replace("repeat split", "unfold goal")}` },
    { "A.v": `Theorem goal : Prop. Proof. exact (1 = 1). Defined.\n${proof("goal").replace("repeat split", "unfold goal")}` },
    ["meaning", "L.A.goal", true],
  ],
  [
    "an opaque theorem whose type is no proposition",
    { "A.v": `Theorem n : nat. Proof. exact 3. Qed.\n${proof("n = n")}` },
    { "A.v": `Theorem n : nat. Proof. exact 4. Qed.\n${proof("n = n")}` },
    ["meaning", "L.A.n", true],
  ],
  [
    "a type far below",
    { "A.v": CHAIN("nat") + proof("c8 = c8") },
    { "A.v": CHAIN("bool") + proof("c8 = c8") },
    ["meaning", "L.A.t0", true],
  ],
  [
    "another file is imported",
    { "F.v": F, "G.v": G, "A.v": `From L Require Import F G.\nFrom L Require Import F.\n${proof("f 0 = 0")}` },
    { "F.v": F, "G.v": G, "A.v": `From L Require Import F G.\n${proof("f 0 = 0")}` },
    ["meaning", "L.G.f", true],
  ],
  [
    "another scope is open",
    { "A.v": `Require Import ZArith.\n${proof("1 + 1 = 2")}` },
    { "A.v": `Require Import ZArith.\nOpen Scope Z_scope.\n${proof("1 + 1 = 2")}` },
    ["statement", true],
  ],
  [
    "two names change places",
    { "F.v": F, "G.v": G, "A.v": `From L Require Import F G.\n${proof("F.f 0 = G.f 0")}` },
    { "F.v": F, "G.v": G, "A.v": `From L Require Import F G.\n${proof("G.f 0 = F.f 0")}` },
    ["statement", "L.F.f", "L.G.f", true],
  ],
  [
    "the end of a statement that is too long to be shown",
    { "A.v": LET + proof(`${LONG} /\\ 1 = 1`) },
    { "A.v": LET + proof(`${LONG} /\\ 2 = 2`) },
    ["statement", true],
  ],
  [
    "a definition whose print is too long to be shown",
    { "A.v": `${LET}Definition all := ${LONG} /\\ 1 = 1.\n${proof("all").replace("repeat", "unfold all; repeat")}` },
    { "A.v": `${LET}Definition all := ${LONG} /\\ 2 = 2.\n${proof("all").replace("repeat", "unfold all; repeat")}` },
    ["meaning", "L.A.all", true],
  ],
];

test("what is another statement under the same words is told, wherever it hides", { skip, timeout: 300_000 }, async (t) => {
  const into = (at: number, files: Files): [string, string][] =>
    Object.entries(files).map(([path, text]) => [
      `C${at}/${path}`,
      text.replaceAll("From L ", `From L.C${at} `).replace("main", `main${at}`),
    ]);
  const all = (which: 1 | 2): Files => Object.fromEntries(SILENT.flatMap((one, at) => into(at, one[which])));
  const { told } = await moveFrom(t, all(1), all(2));
  for (const [at, [what, , , expected]] of SILENT.entries())
    assert.deepEqual(
      [what, ...(told[`main${at}`] ?? [])],
      [what, ...expected.map((one) => String(one).replace(/^L/, `L.C${at}`)).slice(0, -1), true],
    );
});

test("how a proposition is proved means nothing, of a lemma that is named in a statement either", { skip, timeout: 120_000 }, async (t) => {
  const write = (tactic: string): Files => ({
    "A.v": `Lemma p : 0 = 0. Proof. ${tactic}. Qed.\nLemma main : p = p. Proof. reflexivity. Qed.\n`,
  });
  const { told } = await moveFrom(t, write("reflexivity"), write("exact (eq_refl (0 + 0))"));
  assert.deepEqual(told, {});
});

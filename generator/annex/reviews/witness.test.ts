/** What words decide of a witness, and what they do not: told as the person's word. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { recordFell } from "../../../snapshots/format/weaker.ts";
import { recordStanding } from "../../../snapshots/format/standing.ts";
import { witnessSentence } from "../../../snapshots/format/recall-sentence.ts";
import { CubRecord } from "../../../snapshots/schema/index.ts";
import { openSource, skip } from "../registry/source-fixture.ts";
import { reviewFindings } from "../registry/meaning.ts";
import { readOverlay } from "../registry/overlay.ts";
import { readReviews } from "./reviews.ts";
import { withWitnesses } from "./witness.ts";

const record = (id: string, statement: string, more: object = {}): CubRecord =>
  CubRecord.parse({
    id,
    repo: "r",
    module: "M",
    theorem_name: `t${id.slice(-1)}`,
    statement,
    verification_state: "VERIFIED",
    no_holes: true,
    formal_systems: "Coq",
    ...more,
  });

/** The state of a witness of these words. */
const stateOf = (theorem: string, witness: string, more: object = {}) => {
  const [one] = withWitnesses(
    [record("CUB-0001", theorem), record("CUB-0002", witness, more)],
    new Map([["CUB-0001", "CUB-0002"]]),
    () => [],
  );
  return one?.witness ?? assert.fail();
};

test("a witness that states each hypothesis of some things is shown, by other names and of instances, too", () => {
  const theorem = "forall n m : nat, even n -> (n < m) -> odd (S n)";
  for (const witness of [
    "exists n m : nat, even n /\\ n < m",
    "exists a b : nat, a < b /\\ even a",
    "exists a : nat, exists b : nat, even a /\\ (a < b)",
    "exists (a b : nat), (even a /\\ a < b)",
    "even 0 /\\ 0 < (S 0)",
    "exists a : nat, even a /\\ a < 7",
  ])
    assert.deepEqual(stateOf(theorem, witness), { id: "CUB-0002", name: "t2", state: "shown", why: "" }, witness);
  assert.equal(stateOf("∀ (x : ℝ) (h : 0 < x), f x > 0", "∃ x : ℝ, 0 < x", {}).state, "shown");
  assert.equal(
    stateOf("forall P : nat, (forall k, R k P) -> Q P", "exists P : nat, forall k, R k P").state,
    "named",
    "a binder is not taken apart",
  );
});

test("what words do not decide is the person's word, with the reason", () => {
  const theorem = "forall n m : nat, even n -> n < m -> odd (S n)";
  for (const [witness, why] of [
    ["exists n : nat, even n", /does not state n < m/],
    ["exists n m : nat, even n \\/ n < m", /cannot be taken apart/],
    ["exists n m k : nat, even n /\\ m < k", /does not state n < m/],
    ["exists n m : nat, even m /\\ n < m", /does not state n < m/],
    ["forall n m : nat, even n -> n < m", /cannot be taken apart/],
    ["exists n m : Z, even n /\\ n < m", /do not say that n is of the type of n/],
    ["exists n m : nat, ~ even n /\\ n < m", /does not state even n/],
    ["False", /does not state even n/],
    ["even zero /\\ zero < 1", /do not say that zero is of the type of n/],
    ["exists n m, even n /\\ n < m", /do not say that n is of the type of n/],
  ] as const) {
    const { state, why: said } = stateOf(theorem, witness);
    assert.deepEqual([state, why.test(said)], ["named", true], `${witness}: ${said}`);
  }
  assert.match(stateOf("forall n m : nat, even n -> P n m", "exists n : nat, even n").why, /does not say what m is/);
  assert.match(stateOf("1 = 1", "2 = 2").why, /no hypotheses/);
  assert.match(stateOf("forall n : nat, even n -> P n", "even 0", { repo: "other" }).why, /other sources/);
  const word = { word: "even", kind: "notation", stands_for: "odd" };
  assert.match(stateOf("forall n : nat, even n -> P n", "even 0", { statement_words: [word] }).why, /the source’s own/);
  // A name that is bound inside cannot stand for something that is caught there.
  const caught = stateOf("forall n : nat, (exists m, R n m) -> P n", "exists m : nat, (exists m, R m m)");
  assert.equal(caught.state, "named");
});

test("a witness that is no record or is not verified shows nothing, its loss is told, and it is a use beside the standing", () => {
  const [bare] = withWitnesses([record("CUB-0001", "forall n : nat, even n -> P n")], new Map([["CUB-0001", "CUB-0009"]]), () => []);
  assert.match(witnessSentence(bare ?? {}) ?? "", /CUB-0009, and no record has this id/);
  const theorem = "forall n : nat, even n -> P n";
  const all = (state: string) => [record("CUB-0001", theorem), record("CUB-0002", "even 0", { verification_state: state })];
  const named = new Map([["CUB-0001", "CUB-0002"]]);
  const [[good], [fallen]] = [withWitnesses(all("VERIFIED"), named, () => []), withWitnesses(all("UNSPECIFIED"), named, () => [])];
  assert.ok(good !== undefined && fallen !== undefined);
  assert.deepEqual(good.uses?.edges, [{ id: "CUB-0002", name: "M.t2", from: "witness", basis: "source" }]);
  assert.deepEqual(recordFell(good, fallen), ["its witness CUB-0002 was verified, and is not now"]);
  assert.deepEqual(recordStanding(good), recordStanding(fallen), "no standing follows from it");
  assert.equal(withWitnesses(all("VERIFIED"), new Map(), () => [])[0]?.witness, undefined);
});

test("a real prover's statements: one that the overlay names is shown, one that cannot be told is the author's word", {
  skip,
}, async (t) => {
  const source = openSource(t, "overlay: ./overlay.yaml\n");
  const text = `Definition even (n : nat) : Prop := exists k, n = k * 2.
Theorem sum : forall n m : nat, even n -> even m -> even (n + m).
Proof. intros n m [a ->] [b ->]. exists (a + b). now rewrite PeanoNat.Nat.mul_add_distr_r. Qed.
Theorem some : exists n m : nat, even n /\\ even m. Proof. exists 0, 0. split; now exists 0. Qed.
Theorem other : forall n : nat, even (n * 2). Proof. intro n. now exists n. Qed.
`;
  source.put({ "src/A.v": `Require Import PeanoNat.\n${text}`, "overlay.yaml": "records: []\n" });
  await source.recheck();
  const find = async (name: string) => (await source.records()).find((one) => one.theorem_name === name) ?? assert.fail(name);
  const [sum, some, other] = [await find("sum"), await find("some"), await find("other")];
  assert.equal(sum.verification_state, "VERIFIED", JSON.stringify(sum.checks));
  for (const [witness, state] of [
    [some, "shown"],
    [other, "named"],
  ] as const) {
    source.put({ "overlay.yaml": `records: [{ ids: [${sum.id}], witness: ${witness.id} }]\n` });
    assert.equal(
      (await find("sum")).witness?.state,
      state,
      JSON.stringify([(await find("sum")).witness, sum.statement, witness.statement]),
    );
    assert.ok((await find(witness.theorem_name)).used_by?.edges.some(({ id, from }) => id === sum.id && from === "witness"));
  }
  source.put({ "overlay.yaml": `records: [{ ids: [${sum.id}], witness: nobody }]\n` });
  await assert.rejects(source.records(), /overlay\.yaml:1: .*witness/);
});

/** The states of witnesses by real provers. @param pairs names of a theorem and of its witness, with the state and the reason */
async function statesOf(
  t: TestContext,
  prover: string,
  files: Readonly<Record<string, string>>,
  pairs: readonly (readonly [string, string, string, RegExp])[],
) {
  const source = openSource(t, "overlay: ./overlay.yaml\npolicy: { axioms: [ax-t, ax-1, ax-mp] }\n", prover);
  source.put({ ...files, "overlay.yaml": "records: []\n" });
  await source.recheck();
  const all = await source.records();
  const idOf = (name: string): string => all.find((one) => one.theorem_name === name)?.id ?? assert.fail(name);
  for (const [theorem, witness, state, why] of pairs) {
    source.put({ "overlay.yaml": `records: [{ ids: [${idOf(theorem)}], witness: ${idOf(witness)} }]\n` });
    const told = (await source.records()).find(({ theorem_name: name }) => name === theorem)?.witness;
    assert.deepEqual([told?.state, why.test(told?.why ?? "")], [state, true], `${theorem}, ${witness}: ${JSON.stringify(told)}`);
  }
}

test("in Coq a name that another file has, too, and a term of an empty type show nothing", { skip }, (t) =>
  statesOf(
    t,
    "coq",
    {
      "src/A.v": `Definition even (n : nat) : Prop := n = 1 /\\ n = 0.
Inductive mark : Set := red.
Theorem vacuous : forall n : nat, even n -> False. Proof. intros n [-> H]. discriminate. Qed.
Theorem empty : forall n : Empty_set, n = n -> False. Proof. intros []. Qed.
Theorem coloured : forall n : mark, n = red -> n = n. Proof. reflexivity. Qed.
Theorem red_is : exists n : mark, n = red. Proof. now exists red. Qed.
Theorem zero : 0 = 0. Proof. reflexivity. Qed.
`,
      "src/B.v": `Definition even (n : nat) : Prop := n = n.
Inductive other : Set := red.
Theorem wide : even 0. Proof. reflexivity. Qed.
Theorem wide_some : exists n : nat, even n. Proof. now exists 0. Qed.
Theorem red_other : exists n : other, n = red. Proof. now exists red. Qed.
`,
    },
    [
      ["vacuous", "wide", "named", /its even is another one/],
      ["vacuous", "wide_some", "named", /its even is another one/],
      ["empty", "zero", "named", /do not say that 0 is of the type of n/],
      ["coloured", "red_other", "named", /its red is another one/],
      ["coloured", "red_is", "shown", /^$/],
    ],
  ),
);

test(
  "in Metamath a theorem that assumes nothing and whose proof uses another one has met its hypotheses",
  {
    skip: spawnSync("metamath", ["quit"]).status === null || skip,
  },
  (t) =>
    statesOf(
      t,
      "metamath",
      {
        "src/a.mm": `$c |- wff ( ) -> T $. $v p q $. wp $f wff p $. wq $f wff q $. wT $a wff T $. wi $a wff ( p -> q ) $.
ax-t $a |- T $. ax-1 $a |- ( p -> ( q -> p ) ) $.
\${ mp.1 $e |- p $. mp.2 $e |- ( p -> q ) $. ax-mp $a |- q $. $}
\${ a1i.1 $e |- p $. a1i $p |- ( q -> p ) $= wp wq wp wi a1i.1 wp wq ax-1 ax-mp $. $}
used $p |- ( q -> T ) $= wT wq ax-t a1i $.
\${ h.1 $e |- p $. again $p |- ( q -> p ) $= wp wq h.1 a1i $. $}
apart $p |- T $= ax-t $.
`,
      },
      [
        ["a1i", "used", "shown", /^$/],
        ["a1i", "again", "named", /hypotheses of its own/],
        ["a1i", "apart", "named", /does not use the theorem/],
        ["used", "apart", "named", /it has no hypotheses/],
      ],
    ),
);

test("in Agda hypotheses of the same words and names are stated, and what a theorem takes besides has no type that anybody tells", {
  skip: spawnSync("agda", ["--version"]).status === null || skip,
}, (t) => {
  const own = (more: string): string => `data ℕ : Set where
  zero : ℕ
  suc : ℕ → ℕ
data Even : ℕ → Set where
  ez : Even zero
${more}`;
  return statesOf(
    t,
    "agda",
    {
      "src/A.agda": `module A where
${own(`  es : {n : ℕ} → Even n → Even (suc (suc n))
two : Even zero → Even (suc (suc zero))
two p = es p
any : {n : ℕ} → Even n → Even (suc (suc n))
any p = es p
start : Even zero
start = ez
goal : Even (suc (suc zero))
goal = two start
`)}`,
      "src/B.agda": `module B where\n${own("other : Even zero\nother = ez\n")}`,
    },
    [
      ["two", "start", "shown", /^$/],
      ["two", "goal", "named", /does not state Even zero/],
      ["two", "other", "named", /its Even is another one/],
      ["any", "start", "named", /takes more than hypotheses/],
    ],
  );
});

test("a witness that is no record, or the record itself, is told with file and line", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "proofshelf-witness-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "overlay.yaml");
  const text = "records:\n  - ids: [CUB-0001]\n    tier: core\n    witness: CUB-0009\n  - { ids: [CUB-0001], witness: CUB-0001 }\n";
  writeFileSync(file, text);
  const scan = { records: [{ id: "CUB-0001" }], overlay: readOverlay(file), reviews: readReviews([], []), advisories: [] };
  assert.deepEqual(reviewFindings({ overlay: file, kernels: [] }, scan as never), [
    `${file}:4: CUB-0009 is named as a witness, and there is no such record.`,
    `${file}:5: CUB-0001 is its own witness, which shows nothing.`,
  ]);
});

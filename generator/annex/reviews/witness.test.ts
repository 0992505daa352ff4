/** What words decide of a witness, and what they do not: told as the person's word. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
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
  const [one] = withWitnesses([record("CUB-0001", theorem), record("CUB-0002", witness, more)], new Map([["CUB-0001", "CUB-0002"]]));
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
    ["exists n m : Z, even n /\\ n < m", /its n has another type/],
    ["exists n m : nat, ~ even n /\\ n < m", /does not state even n/],
    ["False", /does not state even n/],
  ] as const) {
    const { state, why: said } = stateOf(theorem, witness);
    assert.deepEqual([state, why.test(said)], ["named", true], `${witness}: ${said}`);
  }
  assert.match(stateOf("forall n m : nat, even n -> P n m", "exists n : nat, even n").why, /does not say what m is/);
  assert.match(stateOf("1 = 1", "2 = 2").why, /no hypotheses/);
  assert.match(stateOf("forall n : nat, even n -> P n", "even 0", { repo: "other" }).why, /other sources/);
  const word = { word: "even", kind: "notation", stands_for: "odd" };
  assert.match(stateOf("forall n : nat, even n -> P n", "even 0", { statement_words: [word] }).why, /the source's own/);
  // A name that is bound inside cannot stand for something that is caught there.
  const caught = stateOf("forall n : nat, (exists m, R n m) -> P n", "exists m : nat, (exists m, R m m)");
  assert.equal(caught.state, "named");
});

test("a witness that is no record or is not verified shows nothing, its loss is told, and it is a use beside the standing", () => {
  const [bare] = withWitnesses([record("CUB-0001", "forall n : nat, even n -> P n")], new Map([["CUB-0001", "CUB-0009"]]));
  assert.match(witnessSentence(bare ?? {}) ?? "", /CUB-0009, and no record has this id/);
  const theorem = "forall n : nat, even n -> P n";
  const all = (state: string) => [record("CUB-0001", theorem), record("CUB-0002", "even 0", { verification_state: state })];
  const named = new Map([["CUB-0001", "CUB-0002"]]);
  const [[good], [fallen]] = [withWitnesses(all("VERIFIED"), named), withWitnesses(all("UNSPECIFIED"), named)];
  assert.ok(good !== undefined && fallen !== undefined);
  assert.deepEqual(good.uses?.edges, [{ id: "CUB-0002", name: "M.t2", from: "witness", basis: "source" }]);
  assert.deepEqual(recordFell(good, fallen), ["its witness CUB-0002 was verified, and is not now"]);
  assert.deepEqual(recordStanding(good), recordStanding(fallen), "no standing follows from it");
  assert.equal(withWitnesses(all("VERIFIED"), new Map())[0]?.witness, undefined);
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

test("a witness that is no record, or the record itself, is told with file and line", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "proofshelf-witness-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "overlay.yaml");
  const text = "records:\n  - ids: [CUB-0001]\n    tier: core\n    witness: CUB-0009\n  - { ids: [CUB-0001], witness: CUB-0001 }\n";
  writeFileSync(file, text);
  const scan = { records: [{ id: "CUB-0001" }], overlay: readOverlay(file), reviews: readReviews([], []) };
  assert.deepEqual(reviewFindings({ overlay: file }, scan as never), [
    `${file}:4: CUB-0009 is named as a witness, and there is no such record.`,
    `${file}:5: CUB-0001 is its own witness, which shows nothing.`,
  ]);
});

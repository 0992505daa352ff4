/** The kernel's graph over several revisions, institutes and commands, each of which runs the prover again. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { checkSentences } from "../../../snapshots/format/check-sentence.ts";
import { generateKey } from "../../../snapshots/log/note.ts";
import type { CubRecord } from "../../../snapshots/schema/index.ts";
import { scanAll } from "./scan-all.ts";
import { openSource, skip } from "./source-fixture.ts";
import { runIn } from "../../testing/run-program.ts";

type Keys = ReturnType<typeof generateKey>;

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

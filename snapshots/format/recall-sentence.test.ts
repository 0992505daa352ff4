import assert from "node:assert/strict";
import { test } from "node:test";
import { meaningSentence, recallSentences, reviewMarks, reviewSentences } from "./recall-sentence.ts";

test("a record says which holes of its checker its proof may use, and why others are no reason to doubt it", () => {
  const hole = { id: "ROCQ-1", title: "it takes anything", url: "https://example.org/1", by: "coq 8.16.1" };
  const says = recallSentences({
    recall: { affected: [hole], cannot_use: ["ROCQ-2"], also_accepted: [{ id: "M-1", by: "kern 2" }] },
  });
  assert.equal(says[0], "coq 8.16.1 has a known hole that this proof may use, ROCQ-1: it takes anything (https://example.org/1).");
  assert.match(says[1] ?? "", /^One known hole .* cannot be used .*: ROCQ-2\.$/);
  assert.equal(says[2], "kern 2, which has no such hole, accepted it, too: M-1.");
  assert.deepEqual(recallSentences({}), []);
});

test("what has to be read is counted, and nothing is said where no prover printed the statement", () => {
  const meaning = { sha256: "", parts: [], count: 6, lines: 41, at_least: false, library: "Coq’s own library" };
  assert.match(meaningSentence({ meaning }) ?? "", /read 6 definitions below it, 41 lines/);
  assert.match(meaningSentence({ meaning: { ...meaning, count: 0, lines: 0 } }) ?? "", /read it: it names nothing but/);
  const bound = meaningSentence({ meaning: { ...meaning, at_least: true, same: ["CUB-0002"] } }) ?? "";
  assert.match(bound, /at least 6 definitions .* Also proved as CUB-0002\.$/);
  assert.equal(meaningSentence({}), null);
});

test("a review falls when the statement means something else, a doubt stays until it is settled", () => {
  const review = { by: "Ada", says: "faithful" as const, on: "2026-11-01", holds: true, signed: true };
  const [read, moved, doubt, settled] = reviewSentences({
    reviews: [
      review,
      { ...review, holds: false },
      { ...review, says: "doubted", why: "the case n = 0", signed: false },
      { ...review, says: "doubted", settled: "it is excluded" },
    ],
  });
  assert.equal(read, "Statement read by Ada on 2026-11-01, and found faithful.");
  assert.match(moved ?? "", /means something else since, and nobody has read that/);
  assert.equal(doubt, "Doubted by Ada (unsigned) on 2026-11-01: the case n = 0.");
  assert.match(settled ?? "", /^Once doubted .*; settled: it is excluded\.$/);
});

test("marks of people beside a standing name who has read what it says now, and whose doubts are open", () => {
  const said = { by: "Ada", says: "faithful" as const, on: "2026-11-28", holds: true, signed: true };
  const doubt = { ...said, by: "Bob", says: "doubted" as const, why: "n", signed: false };
  assert.deepEqual(reviewMarks({ reviews: [said, { ...said, by: "Eve" }, doubt, { ...doubt, settled: "s" }, { ...said, holds: false }] }), [
    "statement read by Ada and 1 more",
    "doubted by Bob (unsigned)",
  ]);
  assert.deepEqual(reviewMarks({}), []);
});

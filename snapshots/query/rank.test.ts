import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FIELDS } from "../index/row.ts";
import { termsOf } from "../index/terms.ts";
import { B, FIELD_WEIGHTS, inverseFrequency, K1, openScorer, type RowScore } from "./rank.ts";

const statistics = { rows: 1000, lengths: [1000, 1000, 1000, 1000, 50_000], rowsWith: (word: string) => word.length * 7 };
const MARK = "=0123456789abcdef";

function score(lines: readonly string[], words: readonly string[]): RowScore {
  const [before, row, after] = [termsOf("before it"), termsOf(lines.join("\n")), termsOf("after it")];
  const of = Int32Array.from([...before, ...row, ...after]);
  const query = words.map((word) => ({ word, weight: 1 }));
  return openScorer(statistics, query, MARK)({ of, start: before.length, end: before.length + row.length }, 12);
}

test("a word counts by the fields that hold it, whole and not as a part of another", () => {
  const norm = K1 * (1 - B + (B * 12) / 50);
  const factor = Math.log(1 + (1000 - 28 + 0.5) / (28 + 0.5));
  const expected = (frequency: number) => (factor * frequency * (K1 + 1)) / (frequency + norm);
  const { title, heading, path, text } = FIELD_WEIGHTS;
  assert.equal(score(["sort", "resort", "", "sorting", "a sort sort b", ""], ["sort"]).score, expected(title + 2 * text));
  assert.equal(score(["sorted", "sort", "", "x sort", "", ""], ["sort"]).score, expected(heading + path));
  assert.equal(score(["", "", "", "", "", "sort"], ["sort"]).score, 0);
});

test("only the row itself is looked at, and its mark is found behind the fields", () => {
  assert.deepEqual(score(["", "", "", "", "", ""], ["before", "it", "after"]), { score: 0, marked: false });
  assert.deepEqual(score(["", "", "", "", "", `=ffff ${MARK}`], ["x"]), { score: 0, marked: true });
  assert.deepEqual(score(["", "", "", "", MARK, ""], ["x"]), { score: 0, marked: false });
});

test("words are counted by field as a plain count does, however many are wanted, in any script", () => {
  const word = fc.constantFrom("a", "ab", "b", "aba", "é", "日本", "日", "∀", "x_y", "nat.add", "🙂", "ß");
  const fields = fc.array(fc.array(word, { maxLength: 8 }), { minLength: 5, maxLength: 5 });
  const weights = FIELDS.map((field) => FIELD_WEIGHTS[field]);
  fc.assert(
    fc.property(fields, fc.uniqueArray(word, { minLength: 1 }), fc.boolean(), (lists, wanted, marked) => {
      const norm = K1 * (1 - B + (B * 12) / 50);
      const expected = wanted.reduce((sum, word) => {
        const frequency = lists.reduce((more, list, at) => more + (weights[at] ?? 0) * list.filter((item) => item === word).length, 0);
        const factor = inverseFrequency(1000, statistics.rowsWith(word));
        return frequency === 0 ? sum : sum + (factor * frequency * (K1 + 1)) / (frequency + norm);
      }, 0);
      const row = [...lists.map((list) => list.join(" ")), marked ? MARK : ""];
      assert.deepEqual(score(row, wanted), { score: expected, marked });
    }),
  );
});

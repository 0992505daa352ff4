import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { B, FIELD_WEIGHTS, K1, openScorer, type RowScore } from "./rank.ts";

const statistics = { rows: 1000, lengths: [1000, 1000, 1000, 1000, 50_000], rowsWith: (word: string) => word.length * 7 };
const MARK = "=0123456789abcdef";

/** @param absent further words that the row does not hold: enough of them and all are looked for at once */
function score(lines: readonly string[], words: readonly string[], absent = 0): RowScore {
  const bytes = Buffer.from(`before it ${lines.join("\n")}after it`);
  const row = Buffer.byteLength(lines.join("\n"));
  const query = [...words, ...Array.from({ length: absent }, (_, at) => `absent${at}`)].map((word) => ({ word, weight: 1 }));
  return openScorer(statistics, query, MARK)({ bytes, start: 10, end: 10 + row }, 12);
}

test("a word counts by the fields that hold it, whole and not as a part of another", () => {
  const norm = K1 * (1 - B + (B * 12) / 50);
  const factor = Math.log(1 + (1000 - 28 + 0.5) / (28 + 0.5));
  const expected = (frequency: number) => (factor * frequency * (K1 + 1)) / (frequency + norm);
  const { title, heading, path, text } = FIELD_WEIGHTS;
  for (const absent of [0, 20]) {
    assert.equal(score(["sort", "resort", "", "sorting", "a sort sort b", ""], ["sort"], absent).score, expected(title + 2 * text));
    assert.equal(score(["sorted", "sort", "", "x sort", "", ""], ["sort"], absent).score, expected(heading + path));
    assert.equal(score(["", "", "", "", "", "sort"], ["sort"], absent).score, 0);
  }
});

test("only the row itself is looked at, and its mark is found behind the fields", () => {
  for (const absent of [0, 20]) {
    assert.deepEqual(score(["", "", "", "", "", ""], ["before", "it", "after"], absent), { score: 0, marked: false });
    assert.deepEqual(score(["", "", "", "", "", `=ffff ${MARK}`], ["x"], absent), { score: 0, marked: true });
  }
});

test("few words and many are counted alike, in any script", () => {
  const word = fc.constantFrom("a", "ab", "b", "aba", "é", "日本", "日", "∀", "x_y", "nat.add", "🙂", "ß");
  const lines = fc.array(
    fc.array(word, { maxLength: 8 }).map((list) => list.join(" ")),
    { minLength: 5, maxLength: 5 },
  );
  fc.assert(
    fc.property(lines, fc.uniqueArray(word, { minLength: 1, maxLength: 5 }), fc.boolean(), (fields, words, marked) => {
      const row = [...fields, marked ? MARK : ""];
      assert.deepEqual(score(row, words), score(row, words, 20));
      assert.equal(score(row, words).marked, marked);
    }),
  );
});

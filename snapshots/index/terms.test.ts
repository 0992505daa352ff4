import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LINE_END, readTerms, termsOf } from "./terms.ts";

const word = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !/[\x00-\x20]/.test(text) && text.isWellFormed());

test("every word has the number that it has alone, in its place, and a line end has none of theirs", () => {
  fc.assert(
    fc.property(fc.array(fc.array(word, { maxLength: 6 }), { minLength: 1, maxLength: 6 }), (lines) => {
      const expected = lines.flatMap((line, at) => [...(at === 0 ? [] : [LINE_END]), ...line.flatMap((item) => [...termsOf(item)])]);
      assert.deepEqual([...termsOf(lines.map((line) => line.join(" ")).join("\n"))], expected);
      for (const item of lines.flat()) assert.equal(termsOf(item).length, 1);
    }),
  );
});

test("only what lies between the two places is read, and there is room for a number a byte", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (before, row, after) => {
      const parts = [before, row, after].map((text) => Buffer.from(text));
      const start = parts[0]?.length ?? 0;
      const end = start + (parts[1]?.length ?? 0);
      const into = new Int32Array(1 + end - start).fill(7);
      const next = readTerms(Buffer.concat(parts), start, end, into, 1);
      assert.deepEqual([...into.subarray(1, next)], [...termsOf(row)]);
      assert.ok(into[0] === 7 && into.subarray(next).every((code) => code === 7));
    }),
  );
});

test("of the words of a large vocabulary hardly two have one number", () => {
  const codes = new Set<number>();
  const count = 200_000;
  for (let at = 0; at < count; at++) codes.add(termsOf(`word${at.toString(36)}`)[0] ?? LINE_END);
  assert.ok(!codes.has(LINE_END));
  assert.ok(codes.size > count - 30, String(codes.size));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openLines } from "../../snapshots/blocks/index.ts";
import { cutPassages, MAX_LENGTH, shorten, type Mark } from "./passages.ts";

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom("", "", "\r", "  ", "}", "x".repeat(2500), "word ".repeat(700), "é𝕏".repeat(1500), "Lemma a."),
      fc.string({ unit: "binary", maxLength: 300 }),
    ),
    { maxLength: 60 },
  )
  .map((lines) => lines.join("\n"));
const marks = fc
  .array(
    fc.record({
      line: fc.integer({ min: 1, max: 70 }),
      heading: fc.constantFrom([], ["A"], ["A", "B"]),
      name: fc.constantFrom(null, "name"),
      opens: fc.boolean(),
      tail: fc.boolean(),
    }),
    { maxLength: 30 },
  )
  .map((list): Mark[] => list.sort((a, b) => a.line - b.line));

test("whatever the marks, passages are exact lines, in order, and hold every line that is not blank", () => {
  fc.assert(
    fc.property(text, marks, (source, list) => {
      const lines = openLines(source);
      const split = source.split("\n");
      const seen = new Set<number>();
      let last = 0;
      let sliced = 0;
      for (const { start_line: from, end_line: to, text: part } of cutPassages(lines, list)) {
        assert.ok(from <= to && part.length <= MAX_LENGTH && part.length > 0);
        if (from === to && part !== split[from - 1]) {
          // A slice of one long line: slices follow one another.
          const at = (split[from - 1] ?? "").indexOf(part, from === last ? sliced : 0);
          assert.ok(from >= last && at >= 0);
          sliced = at + part.length;
        } else {
          assert.ok(from > last, `${from} after ${last}`);
          assert.equal(part, split.slice(from - 1, to).join("\n"));
        }
        last = to;
        for (let line = from; line <= to; line++) seen.add(line);
      }
      for (const [index, line] of split.entries()) assert.ok(line.trim() === "" || seen.has(index + 1), `line ${index + 1} is lost`);
    }),
    { numRuns: 300 },
  );
});

test("lines are what a reader counts: a final line break opens no further line, a carriage return stays", () => {
  assert.equal(openLines("").count, 0);
  assert.equal(openLines("a").count, 1);
  assert.equal(openLines("a\n").count, 1);
  assert.equal(openLines("a\n\n").count, 2);
  assert.equal(openLines("\n\n\n").count, 3);
  const lines = openLines("a\r\nb\rc\n");
  assert.equal(lines.slice(1, 2), "a\r\nb\rc");
  assert.equal(lines.lineAt(3), 2);
});

test("a slice of a long line never cuts a character in two", () => {
  for (const { text: part } of cutPassages(openLines("𝕏".repeat(5000)), [])) assert.ok(part.isWellFormed());
});

test("the end of a slice is looked for within the slice, however long its line is", () => {
  const long = "x".repeat(20 * MAX_LENGTH);
  let looked = 0;
  const text = {
    charCodeAt: (at: number) => long.charCodeAt(at),
    slice(from: number, to: number) {
      looked += to - from;
      return long.slice(from, to);
    },
  } as unknown as string;
  cutPassages({ ...openLines(long), text }, []);
  assert.ok(looked < 3 * long.length, String(looked));
});

test("a title is cut at a word and says so", () => {
  assert.equal(shorten(" a \n b\u0000 ", 10), "a b");
  assert.equal(shorten("alpha beta gamma", 12), "alpha beta…");
  assert.ok(shorten("𝕏".repeat(200), 100).isWellFormed());
});

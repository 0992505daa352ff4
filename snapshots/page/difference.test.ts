import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { difference } from "./difference.ts";
import type { DifferentLine } from "./difference.ts";

const textOf = ({ pieces }: DifferentLine): string => pieces.map(({ text }) => text).join("");
const SIGNS = { same: " ", added: "+", removed: "-", "left-out": "…" };
const show = (before: string, after: string): readonly string[] =>
  (difference(before, after)?.lines ?? []).map(
    (line) => `${SIGNS[line.kind]}${line.number}${textOf(line) === "" ? "" : ` ${textOf(line)}`}`,
  );

test("a changed line is shown as it was and as it is, and only the words that differ are marked", () => {
  const found = difference("one\ntwo is old here\nthree\n", "one\ntwo is new here\nthree\n");
  assert.deepEqual(
    found?.lines.map(({ kind, number, pieces }) => [kind, number, pieces.filter(({ marked }) => marked).map(({ text }) => text)]),
    [
      ["same", 1, []],
      ["removed", 2, ["old"]],
      ["added", 2, ["new"]],
      ["same", 3, []],
    ],
  );
});

test("what did not change is left out but for two lines at each end, and lines keep their numbers", () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
  const after = [...lines.slice(0, 20), "here", ...lines.slice(20)];
  assert.deepEqual(show(lines.join("\n"), after.join("\n")), [
    "…18",
    " 19 line 19",
    " 20 line 20",
    "+21 here",
    " 22 line 21",
    " 23 line 22",
    "…18",
  ]);
  assert.deepEqual(show("a\nb\n", "b\n"), ["-1 a", " 1 b"]);
  assert.deepEqual(show("same\n", "same\n"), []);
});

test("texts with nothing in common are not held against each other for ever, and long lines are cut", () => {
  const words = (seed: number): string => Array.from({ length: 30_000 }, (_, at) => `${seed}-${at}`).join("\n");
  assert.equal(difference(words(1), words(2)), null);
  const [line] = difference("", "x".repeat(100_000))?.lines ?? [];
  assert.ok(line !== undefined && textOf(line).length < 1000);
});

test("of any two texts, what is removed and kept is of the one, what is added and kept of the other", () => {
  const text = fc.array(fc.constantFrom("a", "b b", "c", "", "a b"), { maxLength: 12 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const found = difference(before, after)?.lines ?? [];
      const [was, is] = [before.split("\n"), after.split("\n")];
      for (const line of found) {
        if (line.kind === "removed") assert.equal(textOf(line), was[line.number - 1]);
        if (line.kind === "added" || line.kind === "same") assert.equal(textOf(line), is[line.number - 1]);
      }
    }),
  );
});

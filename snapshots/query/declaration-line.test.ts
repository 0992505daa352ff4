import assert from "node:assert/strict";
import { test } from "node:test";
import { declarationLine } from "./declaration-line.ts";

test("it is the line of the name, not that of the comment before it, in any comment", () => {
  const cases: [name: string, text: string, line: number][] = [
    ["insert", "/-- insert keeps\nthe order of insert -/\n@[simp]\ntheorem insert : True := by\n  exact insert", 13],
    ["coq_insert", "(* coq_insert *)\nRequire Import List.\n\n(** coq_insert\n    keeps. *)\nLemma coq_insert : True.", 15],
    ["rust_insert", "/// rust_insert does\n// rust_insert\n#[inline]\npub fn rust_insert(x: u32) {}", 13],
    ["List.insert", "-- insert\ndef insert := 1", 11],
    ["insert'", "theorem insert : True := t\ntheorem insert' : True := t", 11],
    ["a.+*", "def other := 1", 10],
    ["", "-- nothing\ndef x := 1", 10],
  ];
  for (const [name, text, line] of cases) assert.equal(declarationLine({ name, text, start_line: 10 }), line, text);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Extract, Passage } from "../schema/extract.ts";
import { CubRecord } from "../schema/cubs.ts";
import type { CodeFileRow } from "./record-sides.ts";
import { declaredBefore, declaredLines, sidesOf } from "./record-sides.ts";

const digest = "a".repeat(64);
const row = (path: string, system: string, role: CodeFileRow["role"] = "proof"): CodeFileRow => {
  return { path, system, role, size: 1, sha256: digest, available: true, state: "holds", href: "/api/code/r/h/x", object: path };
};
const recordOf = (fields: Partial<CubRecord>): CubRecord =>
  CubRecord.parse({ id: "CUB-0001", repo: "r", theorem_name: "Lists.two", statement: "s", ...fields });

function extractOf(passages: readonly (readonly [name: string | null, start: number, end: number])[], lines: number): Extract {
  const numbers = Array.from({ length: lines }, (_, at) => at + 1);
  return {
    title: "t",
    summary: "",
    kind: "code",
    media_type: "text/plain",
    language: "coq",
    lines,
    passages: passages.map(([name, start_line, end_line]): Passage => {
      const text = numbers.slice(start_line - 1, end_line).map((line) => `line ${line}`);
      return { heading: [], name, page: null, start_line, end_line, text: text.join("\n") };
    }),
    html: `<pre class="code"><code>${numbers.map((line) => `<span class="line" id="L${line}"><span class="k">line</span> ${line}</span>\n`).join("")}</code></pre>`,
    notes: [],
  };
}

test("sides come as they are read: Coq, Lean, other provers, then the code; more than four are left to the list", () => {
  const files = [row("a.rs", "rust", "runtime"), row("b.lean", "lean"), row("c.v", "coq"), row("d.agda", "agda"), row("e.thy", "isabelle")];
  const sides = sidesOf(recordOf({ exec_file: "a.rs", exec_fn: "f" }), files);
  assert.deepEqual(
    sides.map(({ file, name }) => [file.path, name]),
    [
      ["c.v", "Lists.two"],
      ["b.lean", "Lists.two"],
      ["d.agda", "Lists.two"],
      ["e.thy", "Lists.two"],
    ],
  );
});

test("the lines of a side are those of the declaration, whatever module its name is told with, and all parts of a long one", () => {
  const extract = extractOf(
    [
      ["one", 1, 2],
      ["Other.two", 4, 6],
      ["Other.two", 7, 9],
      ["three", 10, 12],
    ],
    12,
  );
  const [side] = sidesOf(recordOf({}), [row("c.v", "coq")]);
  assert.ok(side !== undefined);
  const lines = declaredLines(side, recordOf({}), extract);
  assert.deepEqual([lines?.start, lines?.end], [4, 9]);
  assert.deepEqual(lines?.html[0], '<span class="k">line</span> 4');
  assert.equal(lines?.html.length, 6);
});

test("of two declarations with one name, the one at the anchor is meant; without a name, the one that holds the anchor", () => {
  const extract = extractOf(
    [
      ["new", 1, 3],
      ["new", 20, 23],
      ["push", 30, 31],
    ],
    40,
  );
  const startOf = (fields: Partial<CubRecord>): number | undefined => {
    const record = recordOf({ exec_file: "a.rs", ...fields });
    const [side] = sidesOf(record, [row("a.rs", "rust", "runtime")]);
    return side === undefined ? undefined : declaredLines(side, record, extract)?.start;
  };
  assert.equal(startOf({ exec_fn: "Heap::new", rust_anchor: "a.rs:21" }), 20);
  assert.equal(startOf({ exec_fn: "Heap::new", rust_anchor: "b.rs:21" }), 1);
  assert.equal(startOf({ exec_fn: "", rust_anchor: "a.rs:30" }), 30);
  assert.equal(startOf({ exec_fn: "gone" }), undefined);
});

test("a side holds no more than a page can: a long declaration goes on in its file", () => {
  const record = recordOf({});
  const [side] = sidesOf(record, [row("c.v", "coq")]);
  assert.ok(side !== undefined);
  const lines = declaredLines(side, record, extractOf([["two", 1, 5000]], 5000));
  assert.equal(lines?.end, 5000);
  assert.ok((lines?.html.length ?? 0) <= 48);
  const wide = extractOf([["two", 1, 3]], 3);
  const html = wide.html?.replace(/ 1</, ` ${"x".repeat(100_000)}<`) ?? "";
  assert.equal(declaredLines(side, record, { ...wide, html })?.html.length, 0);
});

test("where the file's own page does not reach the declaration, or shows no lines, neither does the record's", () => {
  const record = recordOf({});
  const [side] = sidesOf(record, [row("c.v", "coq")]);
  assert.ok(side !== undefined);
  const extract = extractOf([["two", 4, 6]], 9);
  assert.equal(declaredLines(side, record, { ...extract, html: null }), null);
  assert.equal(declaredLines(side, record, { ...extract, html: "<p>empty</p>" }), null);
});

test("a text may name what its file declares above it, in its own modules or by a whole name; what is declared twice is told twice", () => {
  const passage = (name: string, start_line: number, text: string, ...heading: readonly string[]): Passage => {
    return { heading: ["Title of a part", ...heading], name, page: null, start_line, end_line: start_line, text };
  };
  const extract = {
    ...extractOf([], 9),
    passages: [
      passage("f", 1, "(** f doubles. *)\nDefinition f (n : nat) : nat := n + n."),
      passage("hidden", 3, "Lemma hidden : True.", "M"),
      passage("seen", 4, "Lemma seen : forall n, f n = n + n. Proof. Qed.", "S"),
      passage("again", 5, "Definition again := 1.", "S"),
      passage("again", 6, "Definition again := 2.", "S"),
      passage("two", 7, "Lemma two : f 1 = 2.", "S"),
      passage("later", 8, "Lemma later : True.", "S"),
    ],
  };
  const [side] = sidesOf(recordOf({}), [row("c.v", "coq")]);
  assert.ok(side !== undefined);
  const told = declaredBefore(side, recordOf({}), extract, "f hidden seen again later unknown");
  assert.deepEqual(
    told.map(({ name, path, type }) => [name, path, type.trim()]),
    [
      ["f", "/object/c.v/#L2", "Definition f (n : nat) : nat"],
      ["seen", "/object/c.v/#L4", "forall n, f n = n + n"],
      ["again", "/object/c.v/#L5", "Definition again"],
      ["again", "/object/c.v/#L6", "Definition again"],
    ],
  );
});

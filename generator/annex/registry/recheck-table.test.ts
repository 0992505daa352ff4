/** The table that a recheck ends with, from values alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeCause } from "./need.ts";
import { describeTable, exitOf, type RecheckRow, tabulate } from "./recheck-table.ts";
import type { Verdict } from "./states.ts";

const said = (state: Verdict["state"], axioms: readonly string[] | null = null, more: Partial<Verdict> = {}): Verdict => ({
  state,
  axioms: state === "accepted" ? [] : axioms,
  unsafe: [],
  exact: true,
  ...more,
});

let count = 0;
const row = (verdict: Verdict | null, more: Partial<RecheckRow> = {}): RecheckRow => ({
  id: `CUB-${++count}`,
  name: `M.t${count}`,
  path: "theories/M.v",
  line: count,
  isTheorem: true,
  verdict,
  logs: new Map(),
  reason: "",
  askable: true,
  second: [],
  ...more,
});
const classic = "Coq.Logic.Classical_Prop.classic";
const lines = (rows: readonly RecheckRow[], policy: readonly string[] = []): string => describeTable(tabulate(rows, policy)).join("\n");
const exit = (rows: readonly RecheckRow[], all = false): number => exitOf(tabulate(rows, []), all);

test("what rests on axioms is grouped by axiom, each with the line that would allow it", () => {
  const rows = [
    row(said("accepted")),
    row(said("accepted_with_axioms", [classic])),
    row(said("accepted_with_axioms", [classic, "fun'ext"])),
    row(said("accepted_with_axioms", ["_≡_ odd"])),
  ];
  assert.match(
    lines(rows),
    /accepted +1\naccepted, with axioms +3\n.*policy\.axioms.*\n +2 {2}- Coq\.Logic\.Classical_Prop\.classic\n +1 {2}- "_≡_ odd"\n +1 {2}- fun'ext$/,
  );
  assert.match(lines(rows, [classic]), /accepted +2\naccepted, with axioms +2\n/, "what the policy allows is accepted");
  assert.equal(exit(rows), 3);
});

test("what may rest on nothing, and what defines, fails nothing until everything is required", () => {
  const atMost = row(said("accepted_with_axioms", [classic], { exact: false }));
  const definition = row(said("accepted_with_axioms", [classic]), { isTheorem: false });
  assert.deepEqual([exit([atMost]), exit([atMost], true)], [0, 3]);
  assert.deepEqual([exit([definition]), exit([definition], true)], [0, 0]);
  assert.match(lines([atMost]), /accepted, with axioms +1, of these 1 rest on at most what is listed/);
});

test("holes are grouped by what is open, at the place where it stands", () => {
  const open = row(said("holes", ["M.gap"]), { name: "M.gap", path: "theories/Z.v", line: 7 });
  const leaning = [row(said("holes", ["M.gap"])), row(said("holes", ["M.gap"]))];
  const text = lines([...leaning, open]);
  assert.match(text, /holes +3\n +3 {2}M\.gap is open \(theories\/Z\.v:7\)/);
  const both = row(said("holes", [classic, "M.gap"]), { name: "M.both" });
  assert.doesNotMatch(lines([open, both]), /classic/, "an axiom beside it is none");
  assert.equal(exit([open]), 3);
});

const chain = new Map([
  ["theories/C.v", "It needs theories/B.v, which did not compile."],
  ["theories/B.v", "It needs theories/A.v, which did not compile."],
  ["theories/A.v", 'File "./theories/A.v", line 1, characters 15-16:\nError: Cannot find a physical path bound to logical path lemmas.\n'],
]);

test("what was not run is told by its commonest reason, with the first file that failed and its own words", () => {
  const broken = said("environment");
  const rows = [
    row(broken, { path: "theories/C.v", logs: chain }),
    row(broken, { path: "theories/A.v", logs: chain }),
    row(said("timeout"), { path: "theories/Slow.v" }),
  ];
  const text = lines(rows);
  assert.match(text, /not run +3\n +2 {2}Cannot find a physical path bound to logical path lemmas \(first in theories\/A\.v\)\n/);
  assert.match(text, /\n {6}File "\.\/theories\/A\.v", line 1, characters 15-16:\n {6}Error: Cannot find/);
  assert.match(text, /\n +1 {2}it came to no end within the limits \(first in theories\/Slow\.v:\d+\)$/);
  assert.deepEqual([exit(rows), exit([...rows, row(said("rejected"))]), exit(rows, true)], [4, 3, 3]);
});

test("a record and explain lead to the file that has to be mended in one step, however many lie between", () => {
  assert.deepEqual(describeCause("theories/C.v", chain), [
    "It needs theories/A.v, directly or by others, which did not compile:",
    'File "./theories/A.v", line 1, characters 15-16:',
    "Error: Cannot find a physical path bound to logical path lemmas.",
  ]);
  assert.match(describeCause("theories/A.v", chain)[0] ?? "", /^File/);
});

test("what needs itself ends", () => {
  const logs = new Map([["theories/M.v", "It needs theories/M.v, which did not compile."]]);
  assert.match(lines([row(said("environment"), { logs })]), /not run +1/);
});

test("nobody asked is not run; what no prover can be asked here fails nothing until everything is required", () => {
  assert.equal(exit([row(null)]), 4);
  const never = row(null, { askable: false, reason: "no adapter runs Isabelle here" });
  assert.deepEqual([exit([never]), exit([never], true)], [0, 3]);
  assert.match(lines([never]), /cannot be asked here +1\n +1 {2}no adapter runs Isabelle here/);
  assert.doesNotMatch(lines([never]), /no adapter[^]*no adapter/, "a reason that is one sentence is said once");
  assert.deepEqual([exit([row(said("exported"))]), exit([row(said("exported"))], true)], [0, 3]);
});

test("what was refused, switched off or contradicted is refused", () => {
  const off = row(said("accepted", [], { unsafe: ["loop is assumed to be guarded"] }));
  const against = row(said("accepted"), { second: [{ name: "coqchk", said: "disagrees", how: "it refuses what the prover accepted" }] });
  const text = lines([off, against, row(said("rejected"), { reason: "Error: the term has type True. It is expected to be False." })]);
  assert.match(text, /refused +3\n/);
  for (const reason of [/loop is assumed to be guarded/, /coqchk: it refuses what the prover accepted/, /the term has type True \(first/])
    assert.match(text, reason);
  assert.match(text, /coqchk disagrees +1$/);
  assert.equal(exit([against]), 3);
});

test("a long list is cut, and says so", () => {
  const many = Array.from({ length: 30 }, (_, at) => row(said("rejected"), { reason: `Error: number ${at}` }));
  assert.match(lines(many), /and 20 more; --json has them all$/);
});

test("the words of a prover are what it complains of: no warnings before it, and no list of what it was checking", () => {
  const coq =
    'File "./A.v", line 1:\nWarning: old syntax.\n[deprecated]\nFile "./A.v", line 9, characters 0-4:\nError:  (in proof p): Attempt to save an incomplete proof\n';
  assert.match(
    lines([row(said("rejected"), { reason: coq })]),
    / 1 {2}\(in proof p\): Attempt to save an incomplete proof \(first.*\n {6}File "\.\/A\.v", line 9.*\n {6}Error/,
  );
  const agda =
    "Checking A (src/A.agda).\n Checking B (src/B.agda).\nsrc/B.agda:8,18-27\nNot in scope:\n  Telescope\n  at src/B.agda:8,18-27\n";
  assert.match(
    lines([row(said("rejected"), { reason: agda })]),
    / 1 {2}Not in scope: Telescope .*\(first in .*\n {6}src\/B\.agda:8,18-27\n/,
  );
});

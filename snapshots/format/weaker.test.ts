/** When a record is weaker than before: its state, its holes, its check, what it states. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordCheck } from "../schema/checked.ts";
import { recordFell } from "./weaker.ts";

const check = (state: string, more: object = {}) => RecordCheck.parse({ state, prover: "coq", ...more });
const record = (more: object = {}) => ({
  verification_state: "VERIFIED" as const,
  no_holes: true,
  statement: "a = a",
  checks: [check("accepted")],
  ...more,
});

test("a proof that lost its check is told, with what the prover says now; one of a stranger was none", () => {
  assert.deepEqual(recordFell(record(), record()), []);
  assert.deepEqual(recordFell(record(), record({ checks: [check("stale")] })), [
    "its proof lost its check: coq accepted it, and now it is stale",
  ]);
  assert.deepEqual(recordFell(record(), record({ checks: [] })), ["its proof lost its check: coq accepted it, and now it is not run"]);
  assert.deepEqual(recordFell(record(), record({ checks: [check("accepted_with_axioms")] })), []);
  assert.deepEqual(recordFell(record({ checks: [check("accepted", { counted: false })] }), record({ checks: [] })), []);
  const second = [check("accepted"), check("accepted", { tool: "coqchk" })];
  assert.deepEqual(
    recordFell(record({ checks: second }), record({ checks: [check("accepted"), check("disagrees", { tool: "coqchk" })] })),
    ["its proof lost its check: coqchk accepted it, and now it is disagrees"],
  );
});

test("a verified statement that changed is told, by a definition below it too; other words of the same print are none", () => {
  const drift = (cause: string, definitions: string[] = []) => ({ drift: { cause, since: "one", definitions } as never });
  assert.deepEqual(recordFell(record(), record({ statement: "b = b" })), ["its statement changed"]);
  assert.deepEqual(recordFell(record(), record({ statement: "a  = a", ...drift("wording") })), []);
  assert.deepEqual(recordFell(record(), record({ statement: "a=a" })), [], "white space");
  assert.deepEqual(recordFell(record({ statement: 'f "a b"' }), record({ statement: 'f "ab"' })), ["its statement changed"]);
  assert.deepEqual(recordFell(record(), record({ statement: "forall x, a = a", statement_source: "a = a" })), [], "the print is shown now");
  assert.deepEqual(recordFell(record(), record(drift("statement"))), ["its statement changed"], "the same words by another file's names");
  assert.deepEqual(recordFell(record(), record(drift("meaning", ["L.D.limit"]))), [
    "its statement says something else, since L.D.limit does",
  ]);
  assert.deepEqual(recordFell(record(drift("meaning", ["L.D.limit"])), record(drift("meaning", ["L.D.limit"]))), [], "told once");
  assert.deepEqual(
    recordFell(record({ verification_state: "UNSPECIFIED" }), record({ statement: "b = b", verification_state: "UNSPECIFIED" })),
    [],
  );
});

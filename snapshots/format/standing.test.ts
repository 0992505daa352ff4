import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordCheck } from "../schema/checked.ts";
import { shownState } from "./check-sentence.ts";
import { recordStanding, standingWord } from "./standing.ts";

const check = (state: string, day: string, more: object = {}): RecordCheck =>
  RecordCheck.parse({ state, prover: "coq", version: "8.16.1", finished: `2026-04-${day}T10:00:00Z`, ...more });
const saysOf = (verification_state: string, ...checks: RecordCheck[]): string =>
  recordStanding({ verification_state, evidence_state: "holds", checks }).says;

test("a check that counts for nothing lends its name and its day to nothing, however new it is", () => {
  const stranger = check("accepted", "20", { version: "9.9", counted: false, signers: ["stranger.example"] });
  assert.equal(saysOf("VERIFIED", check("accepted", "01"), stranger), "verified by Coq 8.16.1 on 2026-04-01");
  assert.equal(saysOf("VERIFIED", stranger), "said to be verified");
  assert.equal(saysOf("NOT_VERIFIED", stranger), "not verified");
});

test("a state that a registry makes up is quoted, whatever it says of itself", () => {
  const made = [
    "VERIFIED ",
    "verified_recently",
    "Verified by Coq 8.16.1 on 2026-04-01",
    "VЕRIFIED",
    "proved_outside_of_time",
    "IN_REVIEW",
  ];
  for (const state of made) {
    assert.equal(saysOf(state), `said to be ${JSON.stringify(state)}`);
    assert.equal(recordStanding({ verification_state: state }).state, state);
    assert.equal(standingWord(state), `said to be ${JSON.stringify(state)}`, "in counts, filters, marks and badges too");
  }
  for (const ours of ["verified", "verified_lost", "proved_outside", "recalled", "exported", "defined", "assumed", "scoped", "partial"])
    assert.equal(saysOf(ours), "unspecified", ours);
});

test("a second checker is shown as agreeing, whatever its files rest on; a prover by what this rests on", () => {
  const shown = (state: string, tool: string): string => shownState(check(state, "01", { tool }));
  assert.deepEqual(
    ["accepted", "accepted_with_axioms", "disagrees"].map((state) => [shown(state, "coqchk"), shown(state, "")]),
    [
      ["agrees", "accepted"],
      ["agrees", "accepted_with_axioms"],
      ["disagrees", "disagrees"],
    ],
  );
});

test("of several runs the one that contradicts is told, then the one that accepted, then the newest", () => {
  const [accepted, looked] = [check("accepted", "01"), check("accepted", "03", { tool: "coqchk" })];
  assert.equal(saysOf("VERIFIED", accepted, looked), "verified by Coq 8.16.1 on 2026-04-01");
  assert.equal(
    saysOf("NOT_VERIFIED", accepted, check("disagrees", "02", { tool: "coqchk" })),
    "not verified; coqchk 8.16.1 contradicts the prover that it looks over on 2026-04-02",
  );
  assert.equal(
    saysOf("NOT_VERIFIED", check("timeout", "01"), check("holes", "02")),
    "not verified; Coq 8.16.1 found it open on 2026-04-02",
  );
  assert.equal(saysOf("UNSPECIFIED", check("not_run", "01")), "unspecified");
});

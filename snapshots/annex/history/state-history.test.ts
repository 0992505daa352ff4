import assert from "node:assert/strict";
import { test } from "node:test";
import type { CubRecord } from "#snapshots/schema";
import { describeState } from "./state-history.ts";

const item = (more: Partial<CubRecord> = {}) => ({
  standing: "verified",
  record: { verification_state: "VERIFIED", no_holes: true, statement: "forall X:Type, X = X", revision: "one", ...more } as CubRecord,
});

test("a record whose state stays says what else of it moved: white space is no other statement, and other words are one", () => {
  assert.equal(describeState(null, item()), "standing: verified");
  const same = "its statement is written otherwise, and says the same";
  assert.equal(describeState(item(), item({ statement: "forall X : Type, X = X" })), same);
  assert.equal(describeState(item(), item({ statement: "for all X", drift: { cause: "wording", since: "one", definitions: [] } })), same);
  assert.equal(describeState(item(), item({ statement: "False" })), "its statement changed");
  assert.equal(
    describeState(item({ verification_state: "UNSPECIFIED" }), item({ verification_state: "UNSPECIFIED", statement: "False" })),
    "its statement has other words",
  );
  assert.equal(describeState(item(), item({ revision: "two" })), "it was read at another revision, and states the same");
  assert.equal(describeState(item(), item({ license: "MIT" })), "nothing of its state changed, but something else of it");
});

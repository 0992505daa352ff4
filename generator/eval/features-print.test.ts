import assert from "node:assert/strict";
import { test } from "node:test";
import { LEARNT_OF } from "../../snapshots/answer/index.ts";
import { featuresPrint } from "./features-print.ts";

test("the weights of answers were learnt of the features and of the reading that there are: else learn them anew (snapshots/answer/README.md)", () => {
  assert.equal(LEARNT_OF, featuresPrint());
});

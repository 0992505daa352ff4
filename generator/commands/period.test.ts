import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePeriod } from "./period.ts";

test("a period has a unit, or is in hours; what is none, or more than a week, is refused with what to write", () => {
  const read = ["6", "6h", "0.5", "30m", "15s", "1d"].map((text) => parsePeriod(text) / 1000);
  assert.deepEqual(read, [21_600, 21_600, 1_800, 1_800, 15, 86_400]);
  for (const text of ["soon", "0", "-1h", "8d", "1w", ""])
    assert.throws(() => parsePeriod(text), { code: "bad_config", message: /6h, 30m, 15s, 1d/ }, text);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes } from "./size.ts";

test("a size has a unit that keeps it below a thousand, at the edges as well", () => {
  for (const [bytes, text] of [
    [0, "0 B"],
    [812, "812 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [4249, "4.2 kB"],
    [99_949, "99.9 kB"],
    [99_950, "100 kB"],
    [999_499, "999 kB"],
    [999_500, "1.0 MB"],
    [999_999, "1.0 MB"],
    [17_345_678, "17.3 MB"],
    [1_200_000_000, "1.2 GB"],
    [5e15, "5000 TB"],
  ] as const)
    assert.equal(formatBytes(bytes), text, String(bytes));
});

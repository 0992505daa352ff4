import assert from "node:assert/strict";
import { test } from "node:test";
import { placeColumns } from "./place-columns.ts";

test("columns lie within the chart, one beside the other, however many there are", () => {
  assert.deepEqual(placeColumns(0).xs, []);
  for (const count of [1, 2, 3, 15, 60]) {
    const { xs, width } = placeColumns(count);
    const [starts, wide] = [xs.map(Number.parseFloat), Number.parseFloat(width)];
    assert.equal(starts.length, count);
    assert.ok(wide > 0 && wide <= 6 && starts[0]! > 0, `${count}: ${xs[0]}, ${width}`);
    for (const [at, start] of starts.entries()) assert.ok(start + wide < (starts[at + 1] ?? 100), `${count}: column ${at}`);
  }
});

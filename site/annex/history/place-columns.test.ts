import assert from "node:assert/strict";
import { test } from "node:test";
import { placeColumns, placeSteps } from "./place-columns.ts";

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

test("steps are as wide as the time that they lasted, and none too narrow to be seen", () => {
  assert.deepEqual(placeSteps([0, 90, 100]), [
    { x: 0, width: 49.33 },
    { x: 49.33, width: 17.33 },
    { x: 66.67, width: 33.33 },
  ]);
  assert.deepEqual(placeSteps([7]), [{ x: 0, width: 100 }]);
});

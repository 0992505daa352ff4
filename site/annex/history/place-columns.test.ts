import assert from "node:assert/strict";
import { test } from "node:test";
import { fitTexts, placeColumns, placeSteps, roomFor } from "./place-columns.ts";

test("columns lie within the chart, one beside the other, however many there are", () => {
  assert.deepEqual(placeColumns(0).xs, []);
  for (const count of [1, 2, 3, 15, 60]) {
    const { xs, width } = placeColumns(count);
    const wide = Number.parseFloat(width);
    assert.equal(xs.length, count);
    assert.ok(wide > 0 && wide <= 6 && xs[0]! > 0, `${count}: ${xs[0]}, ${width}`);
    for (const [at, start] of xs.entries()) assert.ok(start + wide < (xs[at + 1] ?? 100), `${count}: column ${at}`);
  }
});

test("no text of a chart runs into the next one on a phone, and the newest are kept", () => {
  const { xs } = placeColumns(14);
  const texts = xs.map((_, at) => (at % 5 === 4 ? "" : String(100 ** (at % 4))));
  const kept = fitTexts(xs, texts);
  assert.equal(kept.at(-1), texts.at(-1));
  assert.ok(kept.filter((text) => text !== "").length > 5, kept.join());
  for (const [at, text] of kept.entries()) {
    assert.ok(text === "" || text === texts[at]);
    const next = kept.findIndex((other, later) => later > at && other !== "");
    assert.ok(next < 0 || xs[at]! + roomFor(text) <= xs[next]!, `${text} at ${xs[at]} runs into ${kept[next]} at ${xs[next]}`);
  }
  assert.deepEqual(fitTexts([0, 6, 9, 30], ["885", "▼", "871", "872"]), ["", "▼", "", "872"], "a mark stays, and no number touches it");
});

test("steps are as wide as the time that they lasted, and none too narrow to be seen", () => {
  assert.deepEqual(placeSteps([0, 90, 100]), [
    { x: 0, width: 49.33 },
    { x: 49.33, width: 17.33 },
    { x: 66.67, width: 33.33 },
  ]);
  assert.deepEqual(placeSteps([7]), [{ x: 0, width: 100 }]);
});

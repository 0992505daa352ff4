import assert from "node:assert/strict";
import { test } from "node:test";
import { formatKey, formatLine, formatPiece } from "./format.ts";

test("a word of prose stays one word: hyphens that are not seen go, and joiners stay where a script or a picture is made with them", () => {
  const prose = [
    ["Donau\u00addampf\u00adschiff", "Donaudampfschiff"],
    ["👩\u200d🔬 and 👨🏽\u200d🚀", "👩\u200d🔬 and 👨🏽\u200d🚀"],
    ["می\u200cخواهم", "می\u200cخواهم"],
    ["क्\u200dष", "क्\u200dष"],
    ["Auf\u200clage pay\u200dpal x\u2060y \ufeffz", "Auflage paypal xy z"],
    ["a\u202eb\u0000c", "a b c"],
  ] as const;
  for (const [text, shown] of prose) for (const format of [formatLine, formatPiece]) assert.equal(format(text), shown);
  assert.equal(formatPiece(" a\tb\nc "), " a\tb\nc ");
  assert.equal(formatKey("a\u00adb\u200dc"), "a⟨00AD⟩b⟨200D⟩c");
});

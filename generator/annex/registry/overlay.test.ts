/** Patterns of an overlay: names have any sign in them, and a sign of a pattern that is meant as itself is written so. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyOverlay, exactPattern } from "./overlay.ts";

const NAMES = ["n/n≡1", "*-comm", "+-comm", "get?_eq", "getD_eq", "a{b,c}", "ab", "a,b", "\\x", "[x]", "x", "f'", "**", "é", "plain"];

const hiddenBy = (pattern: string): readonly string[] => {
  const overlay = { renames: [], internal: [], records: [{ match: pattern, hide: true }] };
  return NAMES.filter((theorem) => applyOverlay(overlay, { repo: "dev", module: "Div", theorem }, null, new Set()).hidden);
};

test("a pattern takes names whatever stands in them, and a name that is written as itself takes no other", () => {
  for (const pattern of ["dev/Div/*", "dev/**", "*/*/*", "d*/{Div,Mod}/**"]) assert.deepEqual(hiddenBy(pattern), NAMES, pattern);
  for (const pattern of ["dev/Mod/*", "other/**", "dev/Div", "dev"]) assert.deepEqual(hiddenBy(pattern), [], pattern);
  assert.deepEqual(hiddenBy("dev/Div/*-comm"), ["*-comm", "+-comm"]);
  assert.deepEqual(hiddenBy("dev/Div/{plain,x}"), ["x", "plain"]);
  for (const name of NAMES) assert.deepEqual(hiddenBy(`dev/Div/${exactPattern(name)}`), [name], exactPattern(name));
});

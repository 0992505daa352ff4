import assert from "node:assert/strict";
import { test } from "node:test";
import { openHidden, readSwitch } from "./coq-switches.ts";

test("a check that is switched off is seen behind prefixes and around comments, and not in comments or strings", () => {
  for (const [text, switched] of [
    ["Unset Guard Checking.", "Unset Guard Checking"],
    ["Local Unset Positivity Checking.", "Unset Positivity Checking"],
    ["Timeout 5 Unset (* off *) Universe (* . *) Checking.", "Unset Universe Checking"],
    ['Redirect "x" Unset Guard Checking.', "Unset Guard Checking"],
    ["#[local] Unset Universe  Checking.", "Unset Universe Checking"],
    ["#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n.", "bypass_check"],
    ["#[local, bypass_check(universes=yes)] Definition u := Type.", "bypass_check"],
    ["(* Unset Guard Checking. *) Set Guard Checking.", null],
    ['Definition s := "Unset Guard Checking. ".', null],
  ] as const)
    assert.equal(readSwitch(text), switched, text);
  const hidden = openHidden((path) => (path === "a.v" ? "Unset Guard Checking." : ""));
  assert.match(hidden(["c.v", "a.v"]) ?? "", /a\.v has "Unset Guard Checking"/);
  assert.equal(hidden(["c.v"]), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { openHidden, readSwitches } from "./coq-switches.ts";

test("a check that is switched off and a parameter that is inlined are seen behind prefixes, and not in comments or strings", () => {
  for (const [text, switched, inlined] of [
    ["Unset Guard Checking.", "Unset Guard Checking", null],
    ["Local Unset Positivity Checking.", "Unset Positivity Checking", null],
    ["Timeout 5 Unset (* off *) Universe Checking.", null, null],
    ["#[local] Unset Universe  Checking.", "Unset Universe Checking", null],
    ["#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n.", "bypass_check", null],
    ["Module Type T. Parameter Inline bad : nat -> False. End T.", null, "Parameter Inline"],
    ["Module Type T. Axiom Inline(30) bad : False. End T.", null, "Axiom Inline"],
    ["(* Unset Guard Checking. Parameter Inline x : nat. *) Set Guard Checking.", null, null],
    ['Definition s := "Unset Guard Checking. ".', null, null],
  ] as const)
    assert.deepEqual(readSwitches(text), { switched, inlined }, text);
  const texts = new Map([
    ["a.v", "Unset Guard Checking."],
    ["b.v", "Module Type T. Parameter Inline p : nat. End T."],
    ["c.v", ""],
  ]);
  const hidden = openHidden((path) => texts.get(path) ?? "");
  assert.match(hidden(["c.v", "b.v", "a.v"]) ?? "", /a\.v has "Unset Guard Checking" and b\.v has "Parameter Inline"/);
  assert.equal(hidden(["a.v", "c.v"]), null);
});

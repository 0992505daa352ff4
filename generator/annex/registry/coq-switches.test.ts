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
    ["Export Unset Guard Checking.", "Unset Guard Checking"],
    ["Unset (* (* *) *) Guard Checking.", "Unset Guard Checking"],
    ['Unset(*"*)"*)Guard Checking.', "Unset Guard Checking"],
    ["(* (* *) Unset Guard Checking. *) Definition x := 0.", null],
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

test("a notation with a mark of comments in its sign hides commands, and one in a string or a comment does not", () => {
  for (const [text, told] of [
    ['Notation "x +(* y" := (x + y) (at level 50).', /notation "x \+\(\* y"/],
    ['#[local] Infix "*)+" := plus (at level 50).', /notation/],
    ['Tactic Notation "go" constr(x) "~(*" := idtac.', /notation/],
    ['Inductive le : nat -> Prop := where "x <(* y" := (le x y).', /notation/],
    ['Notation "x * y" := (x + y). (* Notation "(*" *) Definition s := "(* no *)".', null],
  ] as const) {
    const said = openHidden(() => text)(["a.v"]);
    if (told === null) assert.equal(said, null, text);
    else assert.match(said ?? "", told, text);
  }
});

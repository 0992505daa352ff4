/** What Agda sources do to have something false said VERIFIED, or something that reads as something else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { scanAgda } from "./agda.ts";

const contexts = (text: string) => Object.fromEntries(scanAgda(text).map(({ name, context }) => [name, context.join(" ")]));

test("what modules, files and generalised variables bring is context, those first that others name", () => {
  assert.deepEqual(
    contexts(`module F (file : Set) where
variable
  A B : Set
  x y : A
private variable n : Nat
one : x ≡ x
two : (A : Set) → A
module _ (absurd : ⊥) where
  three : B
  module M {C : Set} ⦃ c : C ⦄ where
    four : n ≡ n
five : Set → Nat
`),
    {
      one: "{A : Set} {x : A} (file : Set)",
      two: "(file : Set)",
      three: "{B : Set} (file : Set) (absurd : ⊥)",
      "M.four": "{n : Nat} (file : Set) (absurd : ⊥) {C : Set} ⦃ c : C ⦄",
      five: "(file : Set)",
    },
  );
  for (const text of [
    "variable A : B\n         B : A\nt : A\n",
    `variable ${"a ".repeat(5000)}: Set\nt : a\n`,
    "module _ (((( where\n  t : A\n",
  ])
    assert.ok(scanAgda(text).length <= 2);
});

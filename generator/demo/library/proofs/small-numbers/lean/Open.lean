/-! Left open on purpose; the Lean side of `coq/Open.v`. Every statement is true, no proof is finished. -/

namespace SmallNumbers

def cubes : Nat → Nat
  | 0 => 0
  | n + 1 => (n + 1) * (n + 1) * (n + 1) + cubes n

theorem sum_of_cubes (n : Nat) : 4 * cubes n = (n * (n + 1)) * (n * (n + 1)) := by
  sorry

/-- No `sorry` of its own, and still unproved: `#print axioms` names `sorryAx`. -/
theorem four_cubes_is_a_square (n : Nat) : ∃ r : Nat, 4 * cubes n = r * r :=
  ⟨n * (n + 1), sum_of_cubes n⟩

def prime (p : Nat) : Prop :=
  2 ≤ p ∧ ∀ a b : Nat, p = a * b → a = 1 ∨ b = 1

theorem primes_unbounded (n : Nat) : ∃ p : Nat, n < p ∧ prime p := by
  sorry

/-- The square root of two is no fraction. -/
theorem two_is_no_square_of_a_fraction (p q : Nat) (h : p * p = 2 * (q * q)) : q = 0 := by
  sorry

end SmallNumbers

/-! Four sums and parities; the Lean side of `coq/Numbers.v`. Lean 4 core only. -/

namespace SmallNumbers

def sum_to : Nat → Nat
  | 0 => 0
  | n + 1 => (n + 1) + sum_to n

/-- The sum 1 + 2 + ... + n, doubled so that nothing is divided. -/
theorem sum_to_doubled (n : Nat) : 2 * sum_to n = n * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [sum_to, Nat.mul_add, Nat.add_mul, Nat.mul_one, Nat.one_mul] at ih ⊢
    omega

def odd_sum : Nat → Nat
  | 0 => 0
  | n + 1 => (2 * n + 1) + odd_sum n

/-- The first n odd numbers make a square. -/
theorem odds_make_squares (n : Nat) : odd_sum n = n * n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    simp only [odd_sum, ih, Nat.mul_add, Nat.add_mul, Nat.mul_one, Nat.one_mul]
    omega

theorem even_or_odd (n : Nat) : ∃ k : Nat, n = 2 * k ∨ n = 2 * k + 1 := by
  induction n with
  | zero => exact ⟨0, Or.inl rfl⟩
  | succ n ih =>
    obtain ⟨k, hk⟩ := ih
    cases hk with
    | inl h => exact ⟨k, Or.inr (by omega)⟩
    | inr h => exact ⟨k + 1, Or.inl (by omega)⟩

/-- Doubling beats counting. -/
theorem power_beats_number (n : Nat) : n < 2 ^ n := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [Nat.pow_succ]
    omega

end SmallNumbers

/-! Arithmetic that stays inside its bounds; the Lean side of `coq/Bounds.v`. Lean 4 core only. -/

namespace SmallNumbers

def clamp (lo hi x : Nat) : Nat := max lo (min hi x)

theorem clamp_stays_inside (lo hi x : Nat) (h : lo ≤ hi) :
    lo ≤ clamp lo hi x ∧ clamp lo hi x ≤ hi := by
  unfold clamp
  omega

theorem clamp_twice (lo hi x : Nat) : clamp lo hi (clamp lo hi x) = clamp lo hi x := by
  unfold clamp
  omega

/-- Addition that stops at `top` instead of wrapping round. -/
def saturating_add (top a b : Nat) : Nat := min top (a + b)

theorem saturating_add_bounded (top a b : Nat) : saturating_add top a b ≤ top := by
  unfold saturating_add
  omega

theorem saturating_add_exact (top a b : Nat) (h : a + b ≤ top) :
    saturating_add top a b = a + b := by
  unfold saturating_add
  omega

theorem saturating_add_comm (top a b : Nat) : saturating_add top a b = saturating_add top b a := by
  unfold saturating_add
  omega

/-- Subtraction of naturals stops at 0, so one of the two parts always vanishes. -/
def distance (a b : Nat) : Nat := (a - b) + (b - a)

theorem distance_sym (a b : Nat) : distance a b = distance b a := by
  unfold distance
  omega

theorem distance_zero (a b : Nat) : distance a b = 0 ↔ a = b := by
  unfold distance
  omega

theorem distance_triangle (a b c : Nat) : distance a c ≤ distance a b + distance b c := by
  unfold distance
  omega

end SmallNumbers

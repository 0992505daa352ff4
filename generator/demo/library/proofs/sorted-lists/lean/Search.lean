/-! Membership by looking, and the midpoint; the Lean side of `coq/Search.v`. Lean 4 core only. -/

namespace SortedLists

def member (x : Nat) : List Nat → Bool
  | [] => false
  | y :: ys => x == y || member x ys

/-- A yes is to be believed. -/
theorem member_sound (x : Nat) (xs : List Nat) (h : member x xs = true) : x ∈ xs := by
  induction xs with
  | nil => simp [member] at h
  | cons y ys ih =>
    simp only [member, Bool.or_eq_true, beq_iff_eq] at h
    cases h with
    | inl e => simp [e]
    | inr r => exact List.mem_cons_of_mem y (ih r)

/-- A no is to be believed, too. -/
theorem member_complete (x : Nat) (xs : List Nat) (h : x ∈ xs) : member x xs = true := by
  induction xs with
  | nil => cases h
  | cons y ys ih =>
    simp only [member, Bool.or_eq_true, beq_iff_eq]
    cases List.mem_cons.mp h with
    | inl e => exact Or.inl e
    | inr r => exact Or.inr (ih r)

/-- Written so that no sum of two indices is ever formed. -/
def midpoint (lo hi : Nat) : Nat := lo + (hi - lo) / 2

theorem midpoint_inside (lo hi : Nat) (h : lo < hi) : lo ≤ midpoint lo hi ∧ midpoint lo hi < hi := by
  unfold midpoint
  omega

end SortedLists

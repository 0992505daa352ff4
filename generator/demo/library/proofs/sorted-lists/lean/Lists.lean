/-! Five facts about lists, the Lean side of `coq/Lists.v`. Lean 4 core only. -/

namespace SortedLists

/-- Gluing two lists adds their lengths. -/
theorem app_adds_lengths {α : Type} (xs ys : List α) :
    (xs ++ ys).length = xs.length + ys.length := by
  induction xs with
  | nil => simp
  | cons x xs ih =>
    rw [List.cons_append, List.length_cons, List.length_cons, ih]
    omega

/-- Reversal swaps the order of a gluing. -/
theorem rev_of_app {α : Type} (xs ys : List α) :
    (xs ++ ys).reverse = ys.reverse ++ xs.reverse := by
  induction xs with
  | nil => simp
  | cons x xs ih => rw [List.cons_append, List.reverse_cons, ih, List.reverse_cons, List.append_assoc]

/-- Reversing twice changes nothing. -/
theorem rev_twice {α : Type} (xs : List α) : xs.reverse.reverse = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [List.reverse_cons, rev_of_app, ih, List.reverse_singleton, List.singleton_append]

/-- A map neither drops nor invents elements. -/
theorem map_keeps_length {α β : Type} (f : α → β) (xs : List α) :
    (xs.map f).length = xs.length := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [List.map_cons, List.length_cons, List.length_cons, ih]

/-- A filter never makes a list longer. -/
theorem filter_never_grows {α : Type} (f : α → Bool) (xs : List α) :
    (xs.filter f).length ≤ xs.length := by
  induction xs with
  | nil => exact Nat.le_refl _
  | cons x xs ih =>
    cases h : f x
    · rw [List.filter_cons_of_neg (by simp [h]), List.length_cons]
      exact Nat.le_succ_of_le ih
    · rw [List.filter_cons_of_pos h, List.length_cons, List.length_cons]
      exact Nat.succ_le_succ ih

/-- Cutting a list and gluing the halves gives the list back. -/
theorem cut_then_glue {α : Type} (n : Nat) (xs : List α) :
    xs.take n ++ xs.drop n = xs := by
  induction n generalizing xs with
  | zero => simp
  | succ n ih =>
    cases xs with
    | nil => simp
    | cons x xs => rw [List.take_succ_cons, List.drop_succ_cons, List.cons_append, ih]

end SortedLists

/-! An append-only log, as lists; the Lean side of `coq/Log.v`. Lean 4 core only.
    The word `prefix` is taken in Lean, so the relation is written `«prefix»`. -/

namespace DigestTrees

def «prefix» {α : Type} (old new : List α) : Prop :=
  ∃ added : List α, new = old ++ added

theorem prefix_refl {α : Type} (xs : List α) : «prefix» xs xs :=
  ⟨[], (List.append_nil xs).symm⟩

/-- Whoever checked both steps need not see the first state again. -/
theorem prefix_trans {α : Type} (xs ys zs : List α)
    (h1 : «prefix» xs ys) (h2 : «prefix» ys zs) : «prefix» xs zs := by
  obtain ⟨a, ha⟩ := h1
  obtain ⟨b, hb⟩ := h2
  exact ⟨a ++ b, by rw [hb, ha, List.append_assoc]⟩

theorem append_keeps_prefix {α : Type} (old new more : List α)
    (h : «prefix» old new) : «prefix» old (new ++ more) := by
  obtain ⟨a, ha⟩ := h
  exact ⟨a ++ more, by rw [ha, List.append_assoc]⟩

/-- A log that only grows does not get shorter. -/
theorem prefix_length {α : Type} (old new : List α) (h : «prefix» old new) :
    old.length ≤ new.length := by
  obtain ⟨a, ha⟩ := h
  rw [ha, List.length_append]
  exact Nat.le_add_right _ _

/-- Two parties who each see the other's log as the older one hold the same log. -/
theorem prefix_antisym {α : Type} (xs ys : List α)
    (h1 : «prefix» xs ys) (h2 : «prefix» ys xs) : xs = ys := by
  obtain ⟨a, ha⟩ := h1
  have l := prefix_length ys xs h2
  cases a with
  | nil => rw [ha, List.append_nil]
  | cons x a =>
    rw [ha, List.length_append, List.length_cons] at l
    omega

/-- What stood at a position stands there still. -/
theorem prefix_keeps_entries {α : Type} (old new : List α) (i : Nat) (x : α)
    (h : «prefix» old new) (hx : old[i]? = some x) : new[i]? = some x := by
  obtain ⟨a, ha⟩ := h
  subst ha
  induction old generalizing i with
  | nil => simp at hx
  | cons y ys ih =>
    cases i with
    | zero => simpa using hx
    | succ j => simpa using ih j (by simpa using hx)

end DigestTrees

/-! Insertion sort on natural numbers, the Lean side of `coq/Sorting.v`. Lean 4 core only. -/

namespace SortedLists

/-- Put `x` before the first element that is not smaller. -/
def insert (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if x ≤ y then x :: y :: ys else y :: insert x ys

def isort : List Nat → List Nat
  | [] => []
  | x :: rest => insert x (isort rest)

/-- In order: every element is at most the one after it. -/
def sorted : List Nat → Prop
  | [] => True
  | [_] => True
  | x :: y :: rest => x ≤ y ∧ sorted (y :: rest)

/-- How often `x` occurs. -/
def count (x : Nat) : List Nat → Nat
  | [] => 0
  | y :: ys => (if x = y then 1 else 0) + count x ys

theorem sorted_tail {x : Nat} {xs : List Nat} (h : sorted (x :: xs)) : sorted xs := by
  cases xs with
  | nil => simp [sorted]
  | cons y ys =>
    simp only [sorted] at h
    exact h.2

/-- First half: order. -/
theorem insert_keeps_sorted (x : Nat) (xs : List Nat) (h : sorted xs) : sorted (insert x xs) := by
  induction xs with
  | nil => simp [insert, sorted]
  | cons y ys ih =>
    by_cases hxy : x ≤ y
    · simp only [insert, if_pos hxy, sorted]
      exact ⟨hxy, h⟩
    · have ih' := ih (sorted_tail h)
      cases ys with
      | nil =>
        simp only [insert, if_neg hxy, sorted]
        exact ⟨by omega, trivial⟩
      | cons z zs =>
        simp only [sorted] at h
        by_cases hxz : x ≤ z
        · simp only [insert, if_neg hxy, if_pos hxz, sorted]
          exact ⟨by omega, hxz, h.2⟩
        · simp only [insert, if_neg hxz] at ih'
          simp only [insert, if_neg hxy, if_neg hxz, sorted]
          exact ⟨h.1, ih'⟩

theorem isort_sorts (xs : List Nat) : sorted (isort xs) := by
  induction xs with
  | nil => simp [isort, sorted]
  | cons x xs ih =>
    show sorted (insert x (isort xs))
    exact insert_keeps_sorted x (isort xs) ih

/-- Second half: nothing is lost, nothing is made up. -/
theorem insert_counts (x y : Nat) (ys : List Nat) :
    count x (insert y ys) = count x (y :: ys) := by
  induction ys with
  | nil => simp [insert]
  | cons z zs ih =>
    by_cases hyz : y ≤ z
    · simp only [insert, if_pos hyz]
    · simp only [insert, if_neg hyz, count] at ih ⊢
      rw [ih]
      exact Nat.add_left_comm _ _ _

theorem isort_keeps_counts (x : Nat) (xs : List Nat) : count x (isort xs) = count x xs := by
  induction xs with
  | nil => rfl
  | cons y ys ih =>
    show count x (insert y (isort ys)) = count x (y :: ys)
    rw [insert_counts]
    simp only [count]
    rw [ih]

theorem insert_adds_one (x : Nat) (xs : List Nat) : (insert x xs).length = xs.length + 1 := by
  induction xs with
  | nil => simp [insert]
  | cons y ys ih =>
    by_cases hxy : x ≤ y
    · simp only [insert, if_pos hxy, List.length_cons]
    · simp only [insert, if_neg hxy, List.length_cons, ih]

theorem isort_keeps_length (xs : List Nat) : (isort xs).length = xs.length := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    show (insert x (isort xs)).length = xs.length + 1
    rw [insert_adds_one, ih]

/-- A list that is in order already is not touched. -/
theorem isort_fixes_sorted (xs : List Nat) (h : sorted xs) : isort xs = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    show insert x (isort xs) = x :: xs
    rw [ih (sorted_tail h)]
    cases xs with
    | nil => rfl
    | cons y ys =>
      simp only [sorted] at h
      simp only [insert, if_pos h.1]

theorem isort_twice (xs : List Nat) : isort (isort xs) = isort xs :=
  isort_fixes_sorted (isort xs) (isort_sorts xs)

theorem isort_of_app_length (xs ys : List Nat) :
    (isort (xs ++ ys)).length = xs.length + ys.length := by
  rw [isort_keeps_length, List.length_append]

end SortedLists

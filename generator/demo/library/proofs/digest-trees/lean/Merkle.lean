/-! What a Merkle proof proves; the Lean side of `coq/Merkle.v`. Lean 4 core only.
    Freedom from collisions is a hypothesis of the theorems that need it. -/

namespace DigestTrees

inductive Tree (D : Type) where
  | leaf (d : D)
  | fork (l r : Tree D)

def root {D : Type} (node : D → D → D) : Tree D → D
  | .leaf d => d
  | .fork l r => node (root node l) (root node r)

inductive LeafOf {D : Type} (d : D) : Tree D → Prop where
  | here : LeafOf d (.leaf d)
  | left {l r : Tree D} : LeafOf d l → LeafOf d (.fork l r)
  | right {l r : Tree D} : LeafOf d r → LeafOf d (.fork l r)

/-- One step up: the sibling, and the side on which it stands. -/
inductive Step (D : Type) where
  | siblingRight (d : D)
  | siblingLeft (d : D)

def climb {D : Type} (node : D → D → D) (d : D) : List (Step D) → D
  | [] => d
  | .siblingRight s :: rest => climb node (node d s) rest
  | .siblingLeft s :: rest => climb node (node s d) rest

/-- Climbing two paths one after the other is climbing the joined path. -/
theorem climb_app {D : Type} (node : D → D → D) (p q : List (Step D)) (d : D) :
    climb node d (p ++ q) = climb node (climb node d p) q := by
  induction p generalizing d with
  | nil => rfl
  | cons s p ih =>
    cases s with
    | siblingRight s =>
      simp only [List.cons_append, climb]
      exact ih _
    | siblingLeft s =>
      simp only [List.cons_append, climb]
      exact ih _

/-- Complete: for every leaf there is a proof. -/
theorem every_leaf_has_a_path {D : Type} (node : D → D → D) (t : Tree D) (d : D)
    (h : LeafOf d t) : ∃ path : List (Step D), climb node d path = root node t := by
  induction h with
  | here => exact ⟨[], rfl⟩
  | @left l r _ ih =>
    obtain ⟨p, hp⟩ := ih
    exact ⟨p ++ [Step.siblingRight (root node r)], by simp [climb_app, hp, climb, root]⟩
  | @right l r _ ih =>
    obtain ⟨p, hp⟩ := ih
    exact ⟨p ++ [Step.siblingLeft (root node l)], by simp [climb_app, hp, climb, root]⟩

/-- Sound: without collisions, one path leads to one root from one leaf only. -/
theorem one_path_one_leaf {D : Type} (node : D → D → D)
    (inj : ∀ a b a' b' : D, node a b = node a' b' → a = a' ∧ b = b')
    (path : List (Step D)) (d d' : D) (h : climb node d path = climb node d' path) : d = d' := by
  induction path generalizing d d' with
  | nil => simpa only [climb] using h
  | cons s rest ih =>
    cases s with
    | siblingRight s =>
      simp only [climb] at h
      exact (inj _ _ _ _ (ih _ _ h)).1
    | siblingLeft s =>
      simp only [climb] at h
      exact (inj _ _ _ _ (ih _ _ h)).2

/-- The same, as a forger sees it. -/
theorem other_leaf_other_root {D : Type} (node : D → D → D)
    (inj : ∀ a b a' b' : D, node a b = node a' b' → a = a' ∧ b = b')
    (path : List (Step D)) (d d' : D) (ne : d ≠ d') :
    climb node d path ≠ climb node d' path :=
  fun h => ne (one_path_one_leaf node inj path d d' h)

end DigestTrees

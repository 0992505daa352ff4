/-! A name of any bytes as a name without a slash, and back; the Lean side of `coq/Escape.v`.
    37 is the percent sign, 47 the slash. Lean 4 core only. -/

namespace DigestTrees

def escape : List Nat → List Nat
  | [] => []
  | b :: rest =>
    if b = 37 then 37 :: 0 :: escape rest
    else if b = 47 then 37 :: 1 :: escape rest
    else b :: escape rest

/-- What stands after a percent sign, as the byte it means. -/
def decode : Nat → Option Nat
  | 0 => some 37
  | 1 => some 47
  | _ => none

/-- `none` for what no `escape` ever wrote. -/
def unescape : List Nat → Option (List Nat)
  | [] => some []
  | [b] => if b = 37 ∨ b = 47 then none else some [b]
  | b :: c :: rest =>
    if b = 37 then (decode c).bind fun x => (unescape rest).map (x :: ·)
    else if b = 47 then none
    else (unescape (c :: rest)).map (b :: ·)

/-- An ordinary byte stands for itself, whatever follows. -/
theorem unescape_plain (b : Nat) (rest : List Nat) (h37 : b ≠ 37) (h47 : b ≠ 47) :
    unescape (b :: rest) = (unescape rest).map (b :: ·) := by
  cases rest with
  | nil => simp [unescape, h37, h47]
  | cons c rest => simp [unescape, h37, h47]

theorem unescape_escape (bytes : List Nat) : unescape (escape bytes) = some bytes := by
  induction bytes with
  | nil => rfl
  | cons b rest ih =>
    by_cases h37 : b = 37
    · subst h37
      simp [escape, unescape, decode, ih]
    · by_cases h47 : b = 47
      · subst h47
        simp [escape, unescape, decode, ih]
      · simp only [escape, if_neg h37, if_neg h47]
        rw [unescape_plain b (escape rest) h37 h47, ih]
        rfl

/-- Two names never meet in one file. -/
theorem escape_injective (a b : List Nat) (h : escape a = escape b) : a = b := by
  have e : some a = some b := by rw [← unescape_escape a, ← unescape_escape b, h]
  exact Option.some.inj e

/-- An escaped name is one path segment. -/
theorem escape_has_no_slash (bytes : List Nat) : 47 ∉ escape bytes := by
  induction bytes with
  | nil => simp [escape]
  | cons b rest ih =>
    by_cases h37 : b = 37
    · simp [escape, h37, ih]
    · by_cases h47 : b = 47
      · simp [escape, h47, ih]
      · simp [escape, h37, h47, ih, Ne.symm h47]

theorem escape_at_most_doubles (bytes : List Nat) : (escape bytes).length ≤ 2 * bytes.length := by
  induction bytes with
  | nil => simp [escape]
  | cons b rest ih =>
    by_cases h37 : b = 37
    · simp only [escape, if_pos h37, List.length_cons]
      omega
    · by_cases h47 : b = 47
      · simp only [escape, if_neg h37, if_pos h47, List.length_cons]
        omega
      · simp only [escape, if_neg h37, if_neg h47, List.length_cons]
        omega

end DigestTrees

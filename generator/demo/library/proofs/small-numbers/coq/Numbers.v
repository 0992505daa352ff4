(** Four sums and parities that everybody has proved once. *)
From Coq Require Import Arith Lia.

Fixpoint sum_to (n : nat) : nat :=
  match n with 0 => 0 | S k => S k + sum_to k end.

(** The sum 1 + 2 + ... + n, doubled so that nothing is divided. *)
Theorem sum_to_doubled : forall n : nat, 2 * sum_to n = n * (n + 1).
Proof. induction n as [|n IH]; simpl sum_to; lia. Qed.

Fixpoint odd_sum (n : nat) : nat :=
  match n with 0 => 0 | S k => (2 * k + 1) + odd_sum k end.

(** The first n odd numbers make a square: 1 + 3 + 5 = 9. *)
Theorem odds_make_squares : forall n : nat, odd_sum n = n * n.
Proof. induction n as [|n IH]; simpl odd_sum; lia. Qed.

Theorem even_or_odd : forall n : nat, exists k : nat, n = 2 * k \/ n = 2 * k + 1.
Proof.
  induction n as [|n [k [H|H]]].
  - exists 0. now left.
  - exists k. right. lia.
  - exists (S k). left. lia.
Qed.

(** Doubling beats counting. *)
Theorem power_beats_number : forall n : nat, n < 2 ^ n.
Proof. induction n as [|n IH]; simpl; lia. Qed.

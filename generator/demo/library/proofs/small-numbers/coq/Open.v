(** Left open on purpose. Everything stated here is true and has a short proof
    in many books; the file shows what an unfinished proof looks like to a checker. *)
From Coq Require Import Arith Lia.

Fixpoint cubes (n : nat) : nat :=
  match n with 0 => 0 | S k => S k * S k * S k + cubes k end.

Theorem sum_of_cubes : forall n : nat, 4 * cubes n = (n * (n + 1)) * (n * (n + 1)).
Proof.
  induction n as [|n IH]; [reflexivity|].
Admitted.

(** This one ends in [Qed] and still proves nothing by itself: it leans on the
    theorem above, which nobody finished. Only [Print Assumptions] shows it. *)
Corollary four_cubes_is_a_square : forall n : nat, exists r : nat, 4 * cubes n = r * r.
Proof. intros n. exists (n * (n + 1)). apply sum_of_cubes. Qed.

Definition prime (p : nat) : Prop :=
  2 <= p /\ forall a b : nat, p = a * b -> a = 1 \/ b = 1.

Theorem primes_unbounded : forall n : nat, exists p : nat, n < p /\ prime p.
Proof. Admitted.

(** The square root of two is no fraction. *)
Theorem two_is_no_square_of_a_fraction : forall p q : nat, p * p = 2 * (q * q) -> q = 0.
Proof. Admitted.

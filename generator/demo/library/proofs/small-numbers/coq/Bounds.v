(** Arithmetic that stays inside its bounds: clamping, saturating, distances. *)
From Coq Require Import Arith Lia.

Definition clamp (lo hi x : nat) : nat := Nat.max lo (Nat.min hi x).

Theorem clamp_stays_inside : forall lo hi x : nat,
  lo <= hi -> lo <= clamp lo hi x <= hi.
Proof. intros lo hi x H. unfold clamp. lia. Qed.

Theorem clamp_twice : forall lo hi x : nat,
  clamp lo hi (clamp lo hi x) = clamp lo hi x.
Proof. intros lo hi x. unfold clamp. lia. Qed.

(** Addition that stops at [top] instead of wrapping round. *)
Definition saturating_add (top a b : nat) : nat := Nat.min top (a + b).

Theorem saturating_add_bounded : forall top a b : nat, saturating_add top a b <= top.
Proof. intros. unfold saturating_add. lia. Qed.

Theorem saturating_add_exact : forall top a b : nat,
  a + b <= top -> saturating_add top a b = a + b.
Proof. intros. unfold saturating_add. lia. Qed.

Theorem saturating_add_comm : forall top a b : nat,
  saturating_add top a b = saturating_add top b a.
Proof. intros. unfold saturating_add. lia. Qed.

Definition distance (a b : nat) : nat := (a - b) + (b - a).

Theorem distance_sym : forall a b : nat, distance a b = distance b a.
Proof. intros. unfold distance. lia. Qed.

Theorem distance_zero : forall a b : nat, distance a b = 0 <-> a = b.
Proof. intros. unfold distance. lia. Qed.

Theorem distance_triangle : forall a b c : nat,
  distance a c <= distance a b + distance b c.
Proof. intros. unfold distance. lia. Qed.

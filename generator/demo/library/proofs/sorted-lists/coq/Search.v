(** Membership by looking, and the midpoint that every binary search stands on. *)
From Coq Require Import List Arith Bool Lia.
Import ListNotations.

Fixpoint member (x : nat) (xs : list nat) : bool :=
  match xs with
  | [] => false
  | y :: ys => (x =? y) || member x ys
  end.

(** A yes is to be believed. *)
Theorem member_sound : forall (x : nat) (xs : list nat), member x xs = true -> In x xs.
Proof.
  intros x xs. induction xs as [|y ys IH]; simpl; intros H; [discriminate|].
  apply orb_true_iff in H. destruct H as [H|H].
  - left. symmetry. now apply Nat.eqb_eq.
  - right. now apply IH.
Qed.

(** A no is to be believed, too. *)
Theorem member_complete : forall (x : nat) (xs : list nat), In x xs -> member x xs = true.
Proof.
  intros x xs. induction xs as [|y ys IH]; simpl; intros H; [contradiction|].
  apply orb_true_iff. destruct H as [H|H].
  - left. apply Nat.eqb_eq. now symmetry.
  - right. now apply IH.
Qed.

(** Written so that no sum of two indices is ever formed. *)
Definition midpoint (lo hi : nat) : nat := lo + (hi - lo) / 2.

(** The midpoint of a non-empty range lies in it: so each step makes the range smaller. *)
Theorem midpoint_inside : forall lo hi : nat,
  lo < hi -> lo <= midpoint lo hi /\ midpoint lo hi < hi.
Proof.
  intros lo hi H. unfold midpoint.
  assert ((hi - lo) / 2 < hi - lo) by (apply Nat.div_lt; lia). lia.
Qed.

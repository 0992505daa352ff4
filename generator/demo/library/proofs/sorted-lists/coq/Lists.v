(** Five facts about lists, proved from the definitions of the standard library. *)
From Coq Require Import List Arith Lia.
Import ListNotations.

(** Gluing two lists adds their lengths. *)
Theorem app_adds_lengths : forall (A : Type) (xs ys : list A),
  length (xs ++ ys) = length xs + length ys.
Proof.
  intros A xs ys. induction xs as [|x xs IH]; simpl; [reflexivity | now rewrite IH].
Qed.

(** The lemma that makes the next proof go: reversal swaps the order of a gluing. *)
Lemma rev_of_app : forall (A : Type) (xs ys : list A),
  rev (xs ++ ys) = rev ys ++ rev xs.
Proof.
  intros A xs ys. induction xs as [|x xs IH]; simpl.
  - now rewrite app_nil_r.
  - now rewrite IH, app_assoc.
Qed.

(** Reversing twice changes nothing. *)
Theorem rev_twice : forall (A : Type) (xs : list A), rev (rev xs) = xs.
Proof.
  intros A xs. induction xs as [|x xs IH]; simpl; [reflexivity|].
  rewrite rev_of_app. simpl. now rewrite IH.
Qed.

(** A map neither drops nor invents elements. *)
Theorem map_keeps_length : forall (A B : Type) (f : A -> B) (xs : list A),
  length (map f xs) = length xs.
Proof.
  intros A B f xs. induction xs as [|x xs IH]; simpl; [reflexivity | now rewrite IH].
Qed.

(** A filter never makes a list longer. *)
Theorem filter_never_grows : forall (A : Type) (f : A -> bool) (xs : list A),
  length (filter f xs) <= length xs.
Proof.
  intros A f xs. induction xs as [|x xs IH]; simpl; [lia|].
  destruct (f x); simpl; lia.
Qed.

(** Cutting a list and gluing the halves gives the list back, wherever the cut was. *)
Theorem cut_then_glue : forall (A : Type) (n : nat) (xs : list A),
  firstn n xs ++ skipn n xs = xs.
Proof.
  intros A n. induction n as [|n IH]; intros [|x xs]; simpl; try reflexivity.
  now rewrite IH.
Qed.

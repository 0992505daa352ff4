(** Insertion sort on natural numbers. The proof has two halves that never meet:
    the output is in order, and the output has the elements of the input. *)
From Coq Require Import List Arith Lia.
From SortedLists Require Import Lists.
Import ListNotations.

(** Put [x] before the first element that is not smaller. *)
Fixpoint insert (x : nat) (xs : list nat) : list nat :=
  match xs with
  | [] => [x]
  | y :: ys => if x <=? y then x :: y :: ys else y :: insert x ys
  end.

Fixpoint isort (xs : list nat) : list nat :=
  match xs with
  | [] => []
  | x :: rest => insert x (isort rest)
  end.

(** In order: every element is at most the one after it. *)
Fixpoint sorted (xs : list nat) : Prop :=
  match xs with
  | x :: ((y :: _) as rest) => x <= y /\ sorted rest
  | _ => True
  end.

(** How often [x] occurs. Two lists with equal counts are rearrangements of each other. *)
Fixpoint count (x : nat) (xs : list nat) : nat :=
  match xs with
  | [] => 0
  | y :: ys => (if x =? y then 1 else 0) + count x ys
  end.

Lemma sorted_tail : forall (x : nat) (xs : list nat), sorted (x :: xs) -> sorted xs.
Proof. intros x [|y ys]; simpl; tauto. Qed.

(** First half: order. *)
Lemma insert_keeps_sorted : forall (x : nat) (xs : list nat),
  sorted xs -> sorted (insert x xs).
Proof.
  intros x xs. induction xs as [|y ys IH]; intros H; [exact I|].
  simpl. destruct (Nat.leb_spec x y) as [L|L].
  - split; [exact L | exact H].
  - specialize (IH (sorted_tail y ys H)).
    destruct ys as [|z zs]; simpl in *; [lia|].
    destruct (Nat.leb_spec x z); simpl in *; intuition lia.
Qed.

Theorem isort_sorts : forall xs : list nat, sorted (isort xs).
Proof.
  induction xs as [|x xs IH]; simpl; [exact I | now apply insert_keeps_sorted].
Qed.

(** Second half: nothing is lost, nothing is made up. *)
Lemma insert_counts : forall (x y : nat) (ys : list nat),
  count x (insert y ys) = count x (y :: ys).
Proof.
  intros x y ys. induction ys as [|z zs IH]; [reflexivity|].
  simpl. destruct (y <=? z); simpl in *; [reflexivity|]. rewrite IH. lia.
Qed.

Theorem isort_keeps_counts : forall (x : nat) (xs : list nat),
  count x (isort xs) = count x xs.
Proof.
  intros x xs. induction xs as [|y ys IH]; [reflexivity|].
  simpl isort. rewrite insert_counts. simpl. now rewrite IH.
Qed.

Lemma insert_adds_one : forall (x : nat) (xs : list nat),
  length (insert x xs) = S (length xs).
Proof.
  intros x xs. induction xs as [|y ys IH]; simpl; [reflexivity|].
  destruct (x <=? y); simpl; [reflexivity | now rewrite IH].
Qed.

Theorem isort_keeps_length : forall xs : list nat, length (isort xs) = length xs.
Proof.
  induction xs as [|x xs IH]; simpl; [reflexivity|]. now rewrite insert_adds_one, IH.
Qed.

(** A list that is in order already is not touched. *)
Theorem isort_fixes_sorted : forall xs : list nat, sorted xs -> isort xs = xs.
Proof.
  induction xs as [|x xs IH]; intros H; [reflexivity|].
  simpl. rewrite IH by exact (sorted_tail x xs H).
  destruct xs as [|y ys]; [reflexivity|].
  simpl in *. destruct (Nat.leb_spec x y); [reflexivity | lia].
Qed.

Corollary isort_twice : forall xs : list nat, isort (isort xs) = isort xs.
Proof. intros xs. apply isort_fixes_sorted, isort_sorts. Qed.

(** Sorting two glued lists gives as many elements as both had; uses the fact about gluing. *)
Theorem isort_of_app_length : forall xs ys : list nat,
  length (isort (xs ++ ys)) = length xs + length ys.
Proof. intros xs ys. now rewrite isort_keeps_length, app_adds_lengths. Qed.

(** An append-only log, as lists: [prefix old new] says that [new] only added. *)
From Coq Require Import List Lia.
Import ListNotations.

Definition prefix {A : Type} (old new : list A) : Prop :=
  exists added : list A, new = old ++ added.

Theorem prefix_refl : forall (A : Type) (xs : list A), prefix xs xs.
Proof. intros A xs. exists []. now rewrite app_nil_r. Qed.

(** Three states seen in order: whoever checked both steps need not see the first again. *)
Theorem prefix_trans : forall (A : Type) (xs ys zs : list A),
  prefix xs ys -> prefix ys zs -> prefix xs zs.
Proof.
  intros A xs ys zs [a Ha] [b Hb]. exists (a ++ b). subst. now rewrite app_assoc.
Qed.

Theorem append_keeps_prefix : forall (A : Type) (old new more : list A),
  prefix old new -> prefix old (new ++ more).
Proof. intros A old new more [a ->]. exists (a ++ more). now rewrite app_assoc. Qed.

(** A log that only grows does not get shorter. *)
Lemma prefix_length : forall (A : Type) (old new : list A),
  prefix old new -> length old <= length new.
Proof. intros A old new [a ->]. rewrite app_length. lia. Qed.

(** Two parties who each see the other's log as the older one hold the same log. *)
Theorem prefix_antisym : forall (A : Type) (xs ys : list A),
  prefix xs ys -> prefix ys xs -> xs = ys.
Proof.
  intros A xs ys [a Ha] Hyx. pose proof (prefix_length A ys xs Hyx) as L.
  subst ys. rewrite app_length in L. destruct a as [|x a]; simpl in L; [|lia].
  now rewrite app_nil_r.
Qed.

(** What stood at a position stands there still. *)
Theorem prefix_keeps_entries : forall (A : Type) (old new : list A) (i : nat) (x : A),
  prefix old new -> nth_error old i = Some x -> nth_error new i = Some x.
Proof.
  intros A old new i x [a ->] H. rewrite nth_error_app1; [exact H|].
  apply nth_error_Some. now rewrite H.
Qed.

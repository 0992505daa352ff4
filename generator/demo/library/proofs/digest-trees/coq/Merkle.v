(** What a Merkle proof proves. The hash of two children is any function [node];
    that it has no collision is an assumption of the theorems that need it,
    stated in front of them and not an axiom of the file. *)
From Coq Require Import List.
Import ListNotations.

Section Tree.
  Variable D : Type.
  Variable node : D -> D -> D.

  Inductive tree := Leaf (d : D) | Fork (l r : tree).

  Fixpoint root (t : tree) : D :=
    match t with
    | Leaf d => d
    | Fork l r => node (root l) (root r)
    end.

  Inductive leaf_of (d : D) : tree -> Prop :=
  | here : leaf_of d (Leaf d)
  | left_of : forall l r, leaf_of d l -> leaf_of d (Fork l r)
  | right_of : forall l r, leaf_of d r -> leaf_of d (Fork l r).

  (** One step up: the sibling, and the side on which it stands. *)
  Inductive step := SiblingRight (d : D) | SiblingLeft (d : D).

  (** A Merkle proof is a list of steps; climbing it ends at a root. *)
  Fixpoint climb (d : D) (path : list step) : D :=
    match path with
    | [] => d
    | SiblingRight s :: rest => climb (node d s) rest
    | SiblingLeft s :: rest => climb (node s d) rest
    end.

  (** Climbing two paths one after the other is climbing the joined path. *)
  Lemma climb_app : forall (p q : list step) (d : D),
    climb d (p ++ q) = climb (climb d p) q.
  Proof. intros p. induction p as [|[s|s] p IH]; intros q d; simpl; auto. Qed.

  (** Complete: for every leaf there is a proof. *)
  Theorem every_leaf_has_a_path : forall (t : tree) (d : D),
    leaf_of d t -> exists path : list step, climb d path = root t.
  Proof.
    intros t d H. induction H as [|l r _ [p IH]|l r _ [p IH]].
    - now exists [].
    - exists (p ++ [SiblingRight (root r)]). rewrite climb_app, IH. reflexivity.
    - exists (p ++ [SiblingLeft (root l)]). rewrite climb_app, IH. reflexivity.
  Qed.

  (** Sound: without collisions, one path leads to one root from one leaf only. *)
  Theorem one_path_one_leaf :
    (forall a b a' b' : D, node a b = node a' b' -> a = a' /\ b = b') ->
    forall (path : list step) (d d' : D), climb d path = climb d' path -> d = d'.
  Proof.
    intros inj path. induction path as [|[s|s] rest IH]; intros d d' H; simpl in H; auto.
    - apply IH in H. now destruct (inj _ _ _ _ H).
    - apply IH in H. now destruct (inj _ _ _ _ H).
  Qed.

  (** The same, as a forger sees it. *)
  Corollary other_leaf_other_root :
    (forall a b a' b' : D, node a b = node a' b' -> a = a' /\ b = b') ->
    forall (path : list step) (d d' : D), d <> d' -> climb d path <> climb d' path.
  Proof. intros inj path d d' ne H. apply ne. exact (one_path_one_leaf inj path d d' H). Qed.
End Tree.

(** A name of any bytes as a name without a slash, and back. A model of every
    reversible file-name encoding: 37 is the percent sign, 47 the slash. *)
From Coq Require Import List Arith Lia.
Import ListNotations.

Fixpoint escape (bytes : list nat) : list nat :=
  match bytes with
  | [] => []
  | b :: rest =>
      if b =? 37 then 37 :: 0 :: escape rest
      else if b =? 47 then 37 :: 1 :: escape rest
      else b :: escape rest
  end.

(** [None] for what no [escape] ever wrote. *)
Fixpoint unescape (bytes : list nat) : option (list nat) :=
  match bytes with
  | [] => Some []
  | b :: rest =>
      if b =? 37 then
        match rest with
        | 0 :: rest' => option_map (cons 37) (unescape rest')
        | 1 :: rest' => option_map (cons 47) (unescape rest')
        | _ => None
        end
      else if b =? 47 then None
      else option_map (cons b) (unescape rest)
  end.

Theorem unescape_escape : forall bytes : list nat, unescape (escape bytes) = Some bytes.
Proof.
  induction bytes as [|b rest IH]; [reflexivity|].
  simpl. destruct (Nat.eqb_spec b 37) as [->|n37].
  - simpl. now rewrite IH.
  - destruct (Nat.eqb_spec b 47) as [->|n47].
    + simpl. now rewrite IH.
    + simpl. rewrite (proj2 (Nat.eqb_neq b 37) n37), (proj2 (Nat.eqb_neq b 47) n47).
      now rewrite IH.
Qed.

(** Two names never meet in one file. *)
Corollary escape_injective : forall a b : list nat, escape a = escape b -> a = b.
Proof.
  intros a b H. apply (f_equal unescape) in H.
  rewrite !unescape_escape in H. now injection H.
Qed.

(** An escaped name is one path segment. *)
Theorem escape_has_no_slash : forall bytes : list nat, ~ In 47 (escape bytes).
Proof.
  induction bytes as [|b rest IH]; simpl; [tauto|].
  destruct (Nat.eqb_spec b 37); [simpl; intros [?|[?|?]]; [lia|lia|tauto]|].
  destruct (Nat.eqb_spec b 47); [simpl; intros [?|[?|?]]; [lia|lia|tauto]|].
  simpl. intros [?|?]; tauto.
Qed.

Theorem escape_at_most_doubles : forall bytes : list nat,
  length (escape bytes) <= 2 * length bytes.
Proof.
  induction bytes as [|b rest IH]; simpl; [lia|].
  destruct (b =? 37); [simpl; lia|]. destruct (b =? 47); simpl; lia.
Qed.

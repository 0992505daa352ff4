(* What makes a reader of Coq text go wrong, each with its answer: the comment (*= kind name *) stands on the line of the name of each
   declaration that there is; "holes" after it when its proof is open, "abstract" when only instances of it can be asked. *)
Require Import List String. Import ListNotations.

(* 1. A comment (* in a comment *) Lemma not_this : True. *)
(* 2. A string in a comment hides its end: " *) Lemma nor_this : True. " *)
(* 3. Two on one line. *)
Lemma one : True. Proof. exact I. Qed. (*= Lemma one *)
Lemma two : True. exact I. Qed. Lemma two' : True. exact I. Qed. (*= Lemma two *) (*= Lemma two' *)
(* 4. The name stands on another line. *)
Theorem
  below : True. (*= Theorem below *)
Proof. trivial. Qed.
(* 5. A dot in a number, in a name and in a projection. *)
Record boxed := { got : nat }. (*= Record boxed *)
Lemma dotted : forall b, Nat.mul 1 b.(got) = Nat.mul 1 b.(got). Proof. reflexivity. Qed. (*= Lemma dotted *)
(* 6. Two dots of a notation end nothing. *)
Notation "<< x ; .. ; y >>" := (cons x .. (cons y nil) ..).
Lemma after_dots : << 1 ; 2 >> = [1; 2]. Proof. reflexivity. Qed. (*= Lemma after_dots *)
(* 7. Three dots end a sentence. *)
Lemma three : True /\ True. Proof with auto. split... Qed. (*= Lemma three *)
(* 8. A string with a dot and a quotation mark. *)
Definition text := "a. Lemma in_string : True. ""b"" "%string. (*= Definition text *)
(* 9. Mutual statements. *)
Lemma left_of : forall n : nat, n = n (*= Lemma left_of *)
with right_of : forall n : nat, n = n. (*= Lemma right_of *)
Proof. intro n. reflexivity. intro n. reflexivity. Qed.
(* 10. Mutual functions, with a match between. *)
Fixpoint even (n : nat) : bool := match n with 0 => true | S m => odd m end (*= Fixpoint even *)
with odd (n : nat) : bool := match n with 0 => false | S m => even m end. (*= Fixpoint odd *)
(* 11. Mutual types. *)
Inductive tree : Set := node : forest -> tree with forest : Set := nil_ | cons_ : tree -> forest -> forest. (*= Inductive tree *) (*= Inductive forest *)
(* 12. A let in a statement is no body. *)
Definition with_let : let x := 1 in x = 1. Proof. reflexivity. Defined. (*= Definition with_let *)
(* 13. Sections are no part of a name, and what they assume is no axiom. *)
Section Assumes.
Variable A : Type. Variables (x y : A) (z : A).
Hypothesis same : x = y.
Let local : y = x := eq_sym same.
Lemma in_section : y = x. Proof. exact local. Qed. (*= Lemma in_section *)
(* 14. A section in a section. *)
Section Inner. Context (B : Type) {b : B}.
Lemma deeper : b = b. Proof. reflexivity. Qed. (*= Lemma deeper *)
End Inner.
End Assumes.
(* 15. Modules are part of a name. *)
Module M. Lemma one : True. Proof. exact I. Qed. End M. (*= Lemma M.one *)
(* 16. A module that is another opens nothing. *)
Module N := M. Lemma after_alias : True. Proof. exact N.one. Qed. (*= Lemma after_alias *)
(* 17. A module type. *)
Module Type T. Parameter t : Set. Axiom t_eq : forall a : t, a = a. End T. (*= Parameter T.t abstract *) (*= Axiom T.t_eq abstract *)
(* 18. A module with a parameter. *)
Module F (X : T). Lemma of_x : forall a : X.t, a = a. Proof. exact X.t_eq. Qed. End F. (*= Lemma F.of_x abstract *)
(* 19. A sign of a body inside a module's type. *)
Module W : T with Definition t := nat.
Definition t := nat. Lemma t_eq : forall a : t, a = a. Proof. reflexivity. Qed. End W. (*= Definition W.t *) (*= Lemma W.t_eq *)
(* 20. Assumed outside of a section: an axiom whatever the word. *)
Axiom stated : 0 = 0. (*= Axiom stated *)
Hypothesis loose : 1 = 1. (*= Hypothesis loose *)
Parameters (p q : nat) (r : bool). (*= Parameters p *) (*= Parameters q *) (*= Parameters r *)
(* 21. Left open. *)
Lemma open_ : 0 = 0. Proof. Admitted. (*= Lemma open_ holes *)
(* 22. Open within. *)
Lemma admits : True /\ True. Proof. split. admit. exact I. Admitted. (*= Lemma admits holes *)
(* 23. The word in a comment and in a name is no hole. *)
Lemma no_hole : True. Proof. (* admit. Admitted. *) pose (admitted := 1). exact I. Qed. (*= Lemma no_hole *)
(* 24. Given up. *)
Lemma aborted : False. Proof. Abort.
(* 25. What is to fail. *)
Fail Lemma failing : 0.
(* 26. Attributes, with brackets in a text. *)
#[deprecated(since="1", note="use [one]. Or two.")] Notation older := one. #[local] Lemma attributed : True. Proof. exact I. Qed. (*= Lemma attributed *)
(* 27. Modifiers. *)
Local Lemma modified : True. Proof. exact I. Qed. (*= Lemma modified *)
#[local] Program Definition programmed : nat := 1. (*= Definition programmed *)
(* 28. A proof that is a term. *)
Lemma by_term : True. Proof I. (*= Lemma by_term *)
Lemma after_term : True. Proof. exact I. Qed. (*= Lemma after_term *)
(* 29. A proof in a proof. *)
Set Nested Proofs Allowed.
Lemma outer : True. Lemma inner : True. exact I. Qed. exact inner. Qed. (*= Lemma outer *) (*= Lemma inner *)
(* 30. Bullets, braces and goals by number. *)
Lemma bullets : True /\ True. Proof. split. - exact I. - { exact I. } Qed. (*= Lemma bullets *)
Lemma numbered : True /\ True. Proof. split. 2: { exact I. } exact I. Qed. (*= Lemma numbered *)
(* 31. A goal gets its name at its end. *)
Goal True. exact I. Save saved. (*= Lemma saved *)
(* 32. A goal without a name declares nothing that can be asked. *)
Goal True. exact I. Qed.
(* 33. Universes. *)
Polymorphic Definition univ@{u} (A : Type@{u}) : Type@{u} := A. (*= Definition univ *)
(* 34. Letters that are not Latin, and primes. *)
Lemma α_β' : True. Proof. exact I. Qed. (*= Lemma α_β' *)
(* 35. Commands that speak of what is there. *)
Coercion even : nat >-> bool. Check one. Print Assumptions one. Arguments univ _ : clear implicits.
(* 36. Tactics whose names are like commands. *)
Ltac Lemma_ := exact I. Lemma by_ltac : True. Proof. Lemma_. Qed. (*= Lemma by_ltac *)
(* 37. Records and classes. *)
Record pair_ := { first_ : nat; second_ : nat }. Class Has (A : Type) := has : A. (*= Record pair_ *) (*= Class Has *)
(* 38. An instance with a proof, and one without a name. *)
#[local] Instance has_nat : Has nat. Proof. exact 0. Defined. (*= Instance has_nat *)
#[local] Instance : Has bool := true.
(* 39. A carriage return at the end of a line. *)
Lemma cr : True. (*= Lemma cr *)
Proof. exact I. Qed.
(* 40. Nothing ends the file but the last dot. *)
(*= Lemma last *) Lemma last : True. Proof. exact I. Qed.
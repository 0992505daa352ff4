/** The axioms of Lean itself, and the words of its logic, by what they say. An export names them and holds all that stands below: `propext` may be
 *  another axiom in it, or be about another `Eq`. */
import { sha256 } from "#snapshots/digest";
import type { StatementWord } from "#snapshots/schema";
import { isDisguised } from "./coq-words.ts";
import type { LeanExport } from "./lean-export.ts";

/** Digests of axioms and types, and of all that their statements name. */
const OWN: ReadonlyMap<string, string> = new Map([
  ["propext", "fbb0ddecb34fcec81e1c3656ac98673650b1c8b6aa7628c3358fe9f8325a1c07"],
  ["Classical.choice", "0835609b01bff2f7e54159e3d178a415ad736a31908b51a17d4c29b9fd41bfa5"],
  ["Quot.sound", "a8a6fb132383598038f7723572c05d1a88de388d39a104a2767f92cb470ef428"],
  ["Eq", "623e6bf6c6878b7058cde940d4b91c33ff92abf38582f359ce8fb8e53bce2913"],
  ["Iff", "7a8170ae17819a32e886c3406c9c9b61dd766a14f35c76bb2d22852ffe820f2b"],
  ["Nonempty", "502ff7abf67301bccd36fff471545e098341d604d2d6e86414dbebc2aa8c7afe"],
  ["False", "5940eda5b26016fd82a720981bdfd57270bbf4110637adb551f635d1c06b31ab"],
  ["True", "4b8e09eacdeff96728af4e5659f1e1ffc54f9762a9649bee3951aaa0ae24f6b2"],
  ["And", "9c47e45006a2d6391da7de20228ade2feb55b8558e76107a67817e0f02bea1a5"],
  ["Or", "31c4ab56a5fbf26f04d0de7e63e9c675a73f06d2bb6679ae5bbf1560c36a1f55"],
  ["Exists", "c64709b08f5e630770c139ce900563699e5638d24928f1aa259da679011f0164"],
  ["Nat", "4ffc0c72651fbfe2eff98c00a54724e1a26bd03bfb34a1dcc2564d6abb8e8240"],
]);

/** isLeansOwn tells whether an axiom or a type of an export is the one that Lean has by this name. */
export function isLeansOwn(name: string, constants: LeanExport["constants"]): boolean {
  const digest = OWN.get(name);
  return digest !== undefined && digest === digestAxiom(name, constants);
}

/** Names of Lean's prelude that a statement may have without a digest here. In a file of one's own they are there below a namespace, or where the
 *  file does without the prelude. */
const PRELUDE = new Set(
  `Not Ne HEq Int Rat Fin Bool Char String Unit PUnit Empty PEmpty Prod PProd Sum PSum Sigma PSigma Subtype Option List Array Vector BitVec UInt8
   UInt16 UInt32 UInt64 USize Float Except Decidable DecidableEq DecidableRel DecidablePred BEq LawfulBEq Inhabited Subsingleton Setoid Quot Quotient
   Equivalence Squash Trans Acc WellFounded WellFoundedRelation ULift PLift Add Sub Mul Div Mod Neg Inv Pow Dvd Zero One HAdd HSub HMul HDiv HMod HPow
   HAppend Append LE LT GE GT Min Max Ord Membership EmptyCollection Insert Singleton Union Inter SDiff HasSubset HasSSubset Superset OfNat NatCast
   IntCast Coe CoeFun CoeSort Functor Applicative Monad Pure Bind Function ExistsUnique Xor xor id ite dite cond and or not bne decide absurd outParam
   optParam autoParam`.split(/\s+/),
);

/** leanWords marks the constants of a statement that are not what they are called.
 *  @param isDeclared tells if these sources declare a name */
export function leanWords(
  statement: readonly string[],
  constants: LeanExport["constants"],
  isDeclared: (name: string) => boolean = () => false,
): StatementWord[] {
  return statement.flatMap((word): StatementWord[] => {
    if (isDisguised(word)) return [{ word, kind: "letters", stands_for: word }];
    if (OWN.has(word) && !isLeansOwn(word, constants)) return [{ word, kind: "name", stands_for: `${word} of this export, not Lean's` }];
    const parts = word.split(".");
    const own = parts.findIndex((part, at) => (OWN.has(part) || PRELUDE.has(part)) && isDeclared(parts.slice(0, at + 1).join(".")));
    return own < 0 ? [] : [{ word: parts[own] ?? "", kind: "name", stands_for: `${word}, not Lean's` }];
  });
}

/** digestAxiom digests what an axiom states, with all that stands below. */
function digestAxiom(name: string, constants: LeanExport["constants"]): string {
  const below = new Set([name]);
  for (const one of below) for (const other of constants.get(one)?.statement ?? []) below.add(other);
  // A constructor has the shape of its type, and an export with recursors names more constructors.
  const rows = [...below].map((one) => {
    const { kind = "", shape = "" } = constants.get(one) ?? {};
    return kind === "inductive" ? `${kind} ${shape}` : `${kind} ${one} ${shape}`;
  });
  return sha256([...new Set(rows)].sort().join("\n"));
}

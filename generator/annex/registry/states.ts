/** From checks to the states of a record: one function, and no person. */
import { SAID_STATES as CHECK_STATES } from "#snapshots/annex/proofs";

export { CHECK_STATES };
export type CheckState = (typeof CHECK_STATES)[number];

/** Verdict is what one prover said of one declaration, in a check that is of exactly the bytes of the record. */
export type Verdict = {
  readonly state: CheckState;
  /** Null when nobody asked. */
  readonly axioms: readonly string[] | null;
  /** Those of them that the sources of the check declare, and its repository: a library that is installed has other ones by the same names. */
  readonly own?: readonly string[];
  readonly repo?: string;
  /** Switched off while it was checked: guard, positivity, universes. */
  readonly unsafe: readonly string[];
  /** True where the axioms are exactly these, and not at most these. */
  readonly exact?: boolean;
};

export type States = {
  readonly verification_state: "VERIFIED" | "NOT_VERIFIED" | "UNSPECIFIED";
  readonly status: string;
  readonly no_holes: boolean;
};

/** Axioms that a policy names. */
type Allowed = { has(name: string): boolean };

const ROOT = /^(?:Coq|Corelib|Stdlib)(?=\.)/;
const ROOTS = ["Coq", "Corelib", "Stdlib"];

/** policyName gives the name by which a policy allows an axiom: one that the sources declare themselves counts by their repository alone. */
export function policyName({ own = [], repo = "" }: Pick<Verdict, "own" | "repo">, name: string): string {
  return own.includes(name) ? `${repo}: ${name}` : name;
}

/** readPolicy reads the names of the axioms that are allowed.
 *  @param names a star at the end stands for all that begin so: the definitions of a database of Metamath are axioms, a thousand of them */
export function readPolicy(names: readonly string[]): Allowed {
  const whole = new Set(names.filter((name) => !name.endsWith("*")));
  const starts = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  const has = (name: string): boolean => whole.has(name) || starts.some((start) => name.startsWith(start));
  // One library by its names in Coq 8 and in Rocq 9: no sources may have either.
  return { has: (name) => [name, ...ROOTS.map((root) => name.replace(ROOT, root))].some(has) };
}

/** SILENT says nothing of a proof, and may be otherwise the next time. */
const SILENT: ReadonlySet<CheckState> = new Set(["environment", "memory", "timeout", "not_run"]);
/** REFUSED is what somebody ran a prover over, and it did not hold. */
const REFUSED: ReadonlySet<CheckState> = new Set(["holes", "rejected", "disagrees"]);

export function saysNothing(state: CheckState): boolean {
  return SILENT.has(state);
}

export function accepts({ state }: Pick<Verdict, "state">): boolean {
  return state === "accepted" || state === "accepted_with_axioms";
}

/** outsideOf lists the axioms of an accepted proof that the policy does not allow. */
export function outsideOf(verdict: Verdict, allowed: Allowed): readonly string[] {
  return accepts(verdict) ? (verdict.axioms ?? []).filter((name) => !allowed.has(policyName(verdict, name))) : [];
}

/** isFailure tells whether somebody ran the prover and it refused, or what it accepted rests on more than the policy allows. What rests on "at
 *  most" these axioms may rest on none of them, and has not failed. */
export function isFailure(verdict: Verdict, allowed: Allowed): boolean {
  const { state, axioms, unsafe, exact = true } = verdict;
  if (REFUSED.has(state) || unsafe.length > 0) return true;
  if (state === "accepted_with_axioms" && (axioms === null || axioms.length === 0)) return true;
  return exact && outsideOf(verdict, allowed).length > 0;
}

/** compiles tells whether a prover accepted the file, whatever it rests on. */
export function compiles(verdict: Pick<Verdict, "state">): boolean {
  return accepts(verdict) || verdict.state === "holes" || verdict.state === "exported";
}

/** contradiction says where a second checker contradicts the prover, in words; null where it does not. The checker speaks of files and not of
 *  theorems, and looks into sealed modules: that it lists more axioms is no contradiction, that it lists fewer is one. */
export function contradiction(first: Verdict, second: Verdict): string | null {
  if (compiles(first) && second.state === "rejected") return "it refuses what the prover accepted";
  if (first.state === "rejected" && compiles(second)) return "it accepts what the prover refused";
  if (!compiles(first) || !compiles(second) || second.axioms === null) return null;
  const listed = new Set(second.axioms);
  const missing = (first.axioms ?? []).filter((name) => !listed.has(name));
  if (missing.length > 0) return `it knows nothing of ${missing.join(", ")}`;
  const off = ({ unsafe }: Verdict): boolean => unsafe.length > 0;
  return off(first) && !off(second) ? "it sees nothing switched off" : null;
}

/** The kinds of declaration: what states is proved, what defines is defined, and an axiom is assumed. */
type Class = "theorem" | "definition" | "type" | "axiom";

/** statesOf follows from checks alone.
 *  @param exact the words of the source are what the prover checked, and mean there what they mean everywhere; null where nobody asked
 *  @param disputed whether two checkers contradict each other: then nothing is verified */
export function statesOf(
  of: Class,
  textHoles: number,
  verdicts: readonly Verdict[],
  allowed: Allowed,
  exact: boolean | null,
  disputed = false,
): States {
  const fails = (verdict: Verdict): boolean => isFailure(verdict, allowed);
  const holds = (verdict: Verdict): boolean =>
    accepts(verdict) && !fails(verdict) && verdict.axioms !== null && outsideOf(verdict, allowed).length === 0;
  const no_holes = textHoles === 0 && !verdicts.some(({ state }) => state === "holes");
  if (disputed) return { verification_state: "NOT_VERIFIED", status: "DISPUTED", no_holes };
  const failed = verdicts.filter(fails);
  const isDefined = of !== "theorem" && failed.every((verdict) => verdict.unsafe.length === 0 && outsideOf(verdict, allowed).length > 0);
  if (isDefined) return { verification_state: "UNSPECIFIED", status: of === "axiom" ? "ASSUMED" : "DEFINED", no_holes };
  if (failed.length > 0) return { verification_state: "NOT_VERIFIED", status: no_holes ? "REFUSED" : "OPEN", no_holes };
  if (verdicts.some(holds)) {
    // The text says that something is open, and the prover did not see it: nothing is said for sure.
    if (textHoles > 0) return { verification_state: "UNSPECIFIED", status: "UNCHECKED", no_holes };
    return {
      verification_state: "VERIFIED",
      status: exact === null ? "VERIFIED" : exact ? "VERIFIED_EXACT" : "VERIFIED_AS_PRINTED",
      no_holes,
    };
  }
  return { verification_state: "UNSPECIFIED", status: textHoles > 0 ? "OPEN" : "UNCHECKED", no_holes };
}

/** From checks to the states of a record: one function, and no person. */
import { SAID_STATES as CHECK_STATES } from "../../../snapshots/annex/proofs/index.ts";

export { CHECK_STATES };
export type CheckState = (typeof CHECK_STATES)[number];

/** What one prover said of one declaration, in a check that is of exactly the bytes of the record. */
export type Verdict = {
  readonly state: CheckState;
  /** Null when nobody asked. */
  readonly axioms: readonly string[] | null;
  /** Switched off while it was checked: guard, positivity, universes. */
  readonly unsafe: readonly string[];
};

export type States = {
  readonly verification_state: "VERIFIED" | "NOT_VERIFIED" | "UNSPECIFIED";
  readonly status: string;
  readonly no_holes: boolean;
};

/** Axioms that a policy names. */
type Allowed = { has(name: string): boolean };

/** @param names a star at the end stands for all that begin so: the definitions of a database of Metamath are axioms, a thousand of them */
export function readPolicy(names: readonly string[]): Allowed {
  const whole = new Set(names.filter((name) => !name.endsWith("*")));
  const starts = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return { has: (name) => whole.has(name) || starts.some((start) => name.startsWith(start)) };
}

/** Somebody ran the prover, and it did not hold. */
const REFUSED: ReadonlySet<CheckState> = new Set(["holes", "rejected", "disagrees"]);

/** Whether somebody ran the prover and it refused, or what it accepted rests on more than the policy allows. */
export function isFailure({ state, axioms, unsafe }: Verdict, allowed: Allowed): boolean {
  return (
    REFUSED.has(state) ||
    unsafe.length > 0 ||
    (state === "accepted_with_axioms" && (axioms === null || axioms.length === 0 || axioms.some((name) => !allowed.has(name))))
  );
}

/** Where a second checker contradicts the prover, in words; null where it does not. It speaks of files and not of theorems, and looks into sealed
 *  modules: that it lists more axioms is no contradiction, that it lists fewer is one. */
export function contradiction(first: Verdict, second: Verdict): string | null {
  const accepts = ({ state }: Verdict): boolean => state === "accepted" || state === "accepted_with_axioms" || state === "holes";
  if (accepts(first) && second.state === "rejected") return "it refuses what the prover accepted";
  if (first.state === "rejected" && accepts(second)) return "it accepts what the prover refused";
  if (!accepts(first) || !accepts(second) || second.axioms === null) return null;
  const listed = new Set(second.axioms);
  const missing = (first.axioms ?? []).filter((name) => !listed.has(name));
  if (missing.length > 0) return `it knows nothing of ${missing.join(", ")}`;
  const off = ({ unsafe }: Verdict): boolean => unsafe.length > 0;
  return off(first) && !off(second) ? "it sees nothing switched off" : null;
}

/** @param statement what the record states: a declaration that states nothing is verified by nothing
 *  @param exact the words of the source are what the prover checked, and mean there what they mean everywhere; null where nobody asked
 *  @param disputed whether two checkers contradict each other: then nothing is verified */
export function statesOf(
  statement: boolean,
  textHoles: number,
  verdicts: readonly Verdict[],
  allowed: Allowed,
  exact: boolean | null,
  disputed = false,
): States {
  const fails = (verdict: Verdict): boolean => isFailure(verdict, allowed);
  const holds = (verdict: Verdict): boolean =>
    !fails(verdict) &&
    ((verdict.state === "accepted" && verdict.axioms !== null && verdict.axioms.length === 0) || verdict.state === "accepted_with_axioms");
  const no_holes = textHoles === 0 && !verdicts.some(({ state }) => state === "holes");
  if (disputed) return { verification_state: "NOT_VERIFIED", status: "DISPUTED", no_holes };
  if (verdicts.some(fails)) return { verification_state: "NOT_VERIFIED", status: no_holes ? "REFUSED" : "OPEN", no_holes };
  if (!statement) return { verification_state: "UNSPECIFIED", status: "DEFINED", no_holes };
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

/** When a record or a claim is weaker than it was: one rule for the build's gates, for the list of changes and for the feeds. */
import { type Claim, CLAIM_STATUSES, type CubRecord, type EvidenceState } from "#snapshots/schema";

/** Before the id, in the inputs of a snapshot's record: what was let to get weaker, and why. */
export const ACCEPTED = "accepted ";

/** When evidence stopped holding, in words; null when it did not, or nobody says. */
export function evidenceFell(was: EvidenceState | undefined, is: EvidenceState | undefined): string | null {
  return was === "holds" && (is === "differs" || is === "gone")
    ? `its evidence held and is ${is === "gone" ? "gone" : "another now"}`
    : null;
}

type Stated = Pick<CubRecord, "verification_state" | "no_holes"> & Partial<Pick<CubRecord, "statement" | "checks" | "drift">>;

/** In words, one for each member that fell; empty when none did. */
export function recordFell(was: Stated, is: Stated): readonly string[] {
  return [
    ...(was.verification_state === "VERIFIED" && is.verification_state !== "VERIFIED"
      ? [`verification_state was VERIFIED and is ${is.verification_state}`]
      : []),
    ...(was.no_holes && !is.no_holes ? ["no_holes was true and is false"] : []),
    ...lostChecks(was, is),
    ...changedStatement(was, is),
  ];
}

/** A prover that accepted it, and does not now. */
function lostChecks(was: Stated, is: Stated): readonly string[] {
  const statesOf = ({ checks = [] }: Stated): ReadonlyMap<string, string> =>
    new Map(checks.filter(({ counted }) => counted !== false).map(({ prover, tool, state }) => [tool || prover, state]));
  const now = statesOf(is);
  return [...statesOf(was)].flatMap(([prover, state]) => {
    const after = now.get(prover) ?? "not_run";
    return !isAccepted(state) || isAccepted(after)
      ? []
      : [`its proof lost its check: ${prover} accepted it, and now it is ${after.replaceAll("_", " ")}`];
  });
}

function isAccepted(state: string): boolean {
  return state === "accepted" || state === "accepted_with_axioms";
}

/** changedStatement tells that what was verified says something else: itself, or by a definition below it. Other words of the same print are no other statement. */
export function changedStatement(was: Stated, is: Stated): readonly string[] {
  if (was.verification_state !== "VERIFIED" || was.statement === undefined || is.statement === undefined) return [];
  const { cause = "statement", definitions = [] } = is.drift ?? {};
  const isNew = JSON.stringify(was.drift) !== JSON.stringify(is.drift);
  if (cause === "meaning" && isNew)
    return [`its statement says something else, since ${definitions.join(", ") || "a definition below it"} does`];
  return cause === "statement" && was.statement !== is.statement ? ["its statement changed"] : [];
}

/** The same of a claim. */
export function claimFell(was: Pick<Claim, "status">, is: Pick<Claim, "status">): readonly string[] {
  const [before, after] = [CLAIM_STATUSES.indexOf(was.status), CLAIM_STATUSES.indexOf(is.status)];
  return after > before ? [`its status was ${was.status} and is ${is.status}`] : [];
}

/** When a record or a claim is weaker than it was: one rule for the build's gates, for the list of changes and for the feeds. */
import { CLAIM_STATUSES, type Claim } from "../schema/claims.ts";
import type { CubRecord } from "../schema/cubs.ts";
import type { EvidenceState } from "../schema/scalar.ts";

/** Before the id, in the inputs of a snapshot's record: what was let to get weaker, and why. */
export const ACCEPTED = "accepted ";

/** When evidence stopped holding, in words; null when it did not, or nobody says. */
export function evidenceFell(was: EvidenceState | undefined, is: EvidenceState | undefined): string | null {
  return was === "holds" && (is === "differs" || is === "gone")
    ? `its evidence held and is ${is === "gone" ? "gone" : "another now"}`
    : null;
}

/** In words, one for each member that fell; empty when none did. */
export function recordFell(
  was: Pick<CubRecord, "verification_state" | "no_holes">,
  is: Pick<CubRecord, "verification_state" | "no_holes">,
): readonly string[] {
  return [
    ...(was.verification_state === "VERIFIED" && is.verification_state !== "VERIFIED"
      ? [`verification_state was VERIFIED and is ${is.verification_state}`]
      : []),
    ...(was.no_holes && !is.no_holes ? ["no_holes was true and is false"] : []),
  ];
}

/** The same of a claim. */
export function claimFell(was: Pick<Claim, "status">, is: Pick<Claim, "status">): readonly string[] {
  const [before, after] = [CLAIM_STATUSES.indexOf(was.status), CLAIM_STATUSES.indexOf(is.status)];
  return after > before ? [`its status was ${was.status} and is ${is.status}`] : [];
}

/** The standing of claims: their status, held against their evidence and against the records that they rest on. */
import type { Claim } from "../schema/claims.ts";
import type { EvidenceState } from "../schema/scalar.ts";
import type { Standing } from "../schema/standing.ts";
import { openEvidence, worstOf } from "./evidence-state.ts";
import { claimsNamed, memoize, recordsNamed, relationsOf } from "./relations.ts";
import { BUTS, formatStanding, isLostStanding, recordStanding } from "./standing.ts";
import type { ViewData } from "./view-data.ts";

/** Records that a sentence names; the others it counts. */
const MAX_NAMED = 2;

/** ClaimStandings returns what gives the standing of each claim of a view. */
export const claimStandings = memoize((data: ViewData): ((claim: Claim) => Standing) => {
  const known = new Map<Claim, Standing>();
  return (claim) => {
    const found = known.get(claim) ?? claimStanding(data, claim);
    known.set(claim, found);
    return found;
  };
});

function claimStanding(data: ViewData, claim: Claim): Standing {
  const evidence = claimEvidence(data, claim);
  const but = BUTS[evidence];
  const weak = weakOf(data, claim);
  const restsOn = weak.map(({ id, says }) => ({ id, says }));
  const more = restsOn.length - MAX_NAMED;
  const buts = [
    ...(but === null ? [] : [but.claim]),
    ...weak
      .toSorted((a, b) => Number(b.lost) - Number(a.lost))
      .slice(0, MAX_NAMED)
      .map(({ id, says }) => `it rests on ${id}, which ${says}`),
    ...(more > 0 ? [`and on ${more} more ${more === 1 ? "record that is" : "records that are"} not simply verified`] : []),
  ];
  const standing = formatStanding(claim.status, evidence, buts, (but?.lost ?? false) || weak.some(({ lost }) => lost));
  return restsOn.length === 0 ? standing : { ...standing, rests_on: restsOn };
}

/** The gravest state of what a claim pins and this view may see. A pin beside evidence without one counts alone. */
function claimEvidence(data: ViewData, { evidence }: Claim): EvidenceState {
  const stateOf = openEvidence(data);
  const seen = evidence.filter(({ access }) => access === "public" || (access === "email-gated" && data.library.view === "internal"));
  const pinned = seen.map(stateOf).filter((state) => state !== "unpinned");
  return pinned.length === 0 && seen.length < evidence.length ? "unreachable" : worstOf(pinned);
}

type Weak = { readonly id: string; readonly says: string; readonly lost: boolean };

/** Records that a claim rests on and that do not stand as verified, or are not there. One that shares a file with it, and names it as
 *  little as it is named, is told only for that file; of one that nobody calls verified there is nothing to take back. */
function weakOf(data: ViewData, claim: Claim): readonly Weak[] {
  const { recordsOfClaim, recordById } = relationsOf(data);
  const named = recordsNamed(claim);
  const weak = (recordsOfClaim.get(claim.id) ?? []).flatMap((record): readonly Weak[] => {
    const standing = recordStanding(record);
    const lost = isLostStanding(standing);
    const isDoubted = standing.state !== "verified" && standing.state !== "unspecified";
    if (!lost && !(isDoubted && (named.includes(record.id) || claimsNamed(record).includes(claim.id)))) return [];
    return [{ id: record.id, says: `${lost && record.verification_state === "VERIFIED" ? "was" : "is"} ${standing.says}`, lost }];
  });
  // Without a registry nobody knows what has vanished.
  if (data.meta === null) return weak;
  const withdrawn = new Set(data.withdrawn?.flatMap(({ what, name }) => (what === "record" ? [name] : [])));
  const vanished = named.filter((id) => !recordById.has(id));
  return [...weak, ...vanished.map((id) => ({ id, says: withdrawn.has(id) ? "was withdrawn" : "is not in the registry", lost: true }))];
}

/** Ids of records and claims with something pinned or rested on that does not hold: records first, each in the order of the view. */
export const findLost = memoize((data: ViewData): readonly string[] => {
  const standingOf = claimStandings(data);
  const records = data.cubs.filter((record) => isLostStanding(recordStanding(record)));
  const claims = data.claims.claims.filter((claim) => isLostStanding(standingOf(claim)));
  return [...records, ...claims].map(({ id }) => id);
});

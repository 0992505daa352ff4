/** The standing of claims: their status, held against their evidence and against the records that they rest on. */
import type { Claim, CubRecord, EvidenceState, Standing } from "#snapshots/schema";
import { openEvidence, worstOf } from "./evidence-state.ts";
import { claimsNamed, memoize, provesIn, recordsNamed, relationsOf } from "./relations.ts";
import { reviewMarks } from "./recall-sentence.ts";
import { recalledAmong } from "./resting.ts";
import { BUTS, formatStanding, isLostStanding, recordStanding } from "./standing.ts";
import type { ViewData } from "./view-data.ts";

/** Records that a sentence names; the others it counts. */
const MAX_NAMED = 2;

/** claimStandings returns what gives the standing of each claim of a view. */
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

/** judgedClaim gives the standing of a claim, and people's marks of the records that it rests on, each behind its id. */
export function judgedClaim(data: ViewData, claim: Claim): { readonly standing: Standing; readonly reviewed?: readonly string[] } {
  const records = relationsOf(data).recordsOfClaim.get(claim.id) ?? [];
  const reviewed = records.flatMap((record) => reviewMarks(record).map((mark) => `${record.id}: ${mark}`));
  return { standing: claimStandings(data)(claim), ...(reviewed.length === 0 ? {} : { reviewed }) };
}

/** The gravest state of what a claim pins and this view may see. A pin beside evidence without one counts alone. */
function claimEvidence(data: ViewData, { evidence }: Claim): EvidenceState {
  const stateOf = openEvidence(data);
  const seen = evidence.filter(({ access }) => access === "public" || (access === "email-gated" && data.library.view === "internal"));
  const pinned = seen.map(stateOf).filter((state) => state !== "unpinned");
  const isHidden = evidence.some((item) => !seen.includes(item) && item.state !== "unpinned");
  return pinned.length === 0 && isHidden ? "unreachable" : worstOf(pinned);
}

type Weak = { readonly id: string; readonly says: string; readonly lost: boolean };

/** weakOf lists records that a claim rests on and that do not stand as verified, or are not there: those that it names, that name it, or whose
 *  proof it pins. One that shares another file with it is told only when that file is not what it was. */
function weakOf(data: ViewData, claim: Claim): readonly Weak[] {
  const { recordsOfClaim, recordById } = relationsOf(data);
  const named = recordsNamed(claim);
  const linked = recordsOfClaim.get(claim.id) ?? [];
  const pinned = pinnedBy(claim, linked, named);
  const isHeld = (record: CubRecord): boolean =>
    named.includes(record.id) || pinned.has(record.id) || claimsNamed(record).includes(claim.id);
  // A definition is no reason to doubt beside what is proved of it; alone it proves nothing.
  const isProved = linked.some((record) => isHeld(record) && recordStanding(record).state !== "defined");
  const weak = linked.flatMap((record): readonly Weak[] => {
    const standing = recordStanding(record);
    const lost = isLostStanding(standing);
    const moved = movedOf(record);
    const isDoubted = (standing.state !== "verified" && !(standing.state === "defined" && isProved)) || moved !== "";
    if (!lost && !(isDoubted && isHeld(record))) return [];
    return [{ id: record.id, says: `${lost && record.verification_state === "VERIFIED" ? "was" : "is"} ${standing.says}${moved}`, lost }];
  });
  // Without a registry nobody knows what has vanished.
  if (data.meta === null) return weak;
  const withdrawn = new Set(data.withdrawn?.flatMap(({ what, name }) => (what === "record" ? [name] : [])));
  const vanished = named.filter((id) => !recordById.has(id));
  return [...weak, ...vanished.map((id) => ({ id, says: withdrawn.has(id) ? "was withdrawn" : "is not in the registry", lost: true }))];
}

/** pinnedBy returns ids of the records whose proof file a claim pins; where it names some of a file's, those alone. */
function pinnedBy(claim: Claim, linked: readonly CubRecord[], named: readonly string[]): ReadonlySet<string> {
  return new Set(
    claim.evidence.flatMap((item) => {
      const ids = linked.filter((record) => provesIn(record, item)).map(({ id }) => id);
      const chosen = ids.filter((id) => named.includes(id));
      return chosen.length > 0 ? chosen : ids;
    }),
  );
}

/** movedOf says that a record states something else than it did; empty where it does not. */
function movedOf({ drift }: CubRecord): string {
  if (drift?.cause !== "statement" && drift?.cause !== "meaning") return "";
  const since = /^[0-9a-f]{40,64}$/.test(drift.since) ? drift.since.slice(0, 7) : drift.since;
  return `, and says something else than at ${since}${drift.accepted === undefined ? "" : `, which is meant: ${drift.accepted}`}`;
}

/** findLost returns the ids of records and claims that pin or rest on something that does not hold: records first, each in the order of the view. */
export const findLost = memoize((data: ViewData): readonly string[] => {
  const standingOf = claimStandings(data);
  const records = data.cubs.filter((record) => isLostStanding(recordStanding(record)));
  const claims = data.claims.claims.filter((claim) => isLostStanding(standingOf(claim)));
  return [...records, ...claims].map(({ id }) => id);
});

/** findRecalled returns the records that checkers with a known hole alone accepted, those on which most rests first. */
export const findRecalled = memoize((data: ViewData) => recalledAmong(data.cubs, relationsOf(data).claimsOfRecord));

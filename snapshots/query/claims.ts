/** Claims by their standing: the claims' page, and what is computed of them. */
import { claimStandings, pagePath, type ViewData } from "#snapshots/format";
import type { Claim } from "#snapshots/schema";

/** findClaims finds claims by their standings. @param standings any of which a claim may have; null for all */
export function findClaims(data: ViewData, standings: readonly string[] | null): readonly Claim[] {
  const standingOf = claimStandings(data);
  const { claims } = data.claims;
  return standings === null ? claims : claims.filter((claim) => standings.includes(standingOf(claim).state));
}

/** claimsPath returns the site path of the claims' page with these claims. */
export function claimsPath(standings: readonly string[] | null): string {
  return standings === null
    ? pagePath.claims
    : `${pagePath.claims}?${new URLSearchParams(standings.map((state) => ["standing", state])).toString()}`;
}

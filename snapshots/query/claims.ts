/** Claims by their status: the claims' page, and what is computed of them. */
import { pagePath } from "../format/layout.ts";
import type { Claim } from "../schema/claims.ts";

/** @param statuses alternatives; null for all */
export function findClaims(claims: readonly Claim[], statuses: readonly string[] | null): readonly Claim[] {
  return statuses === null ? claims : claims.filter(({ status }) => statuses.includes(status));
}

/** Site path of the claims' page with these claims. */
export function claimsPath(statuses: readonly string[] | null): string {
  return statuses === null
    ? pagePath.claims
    : `${pagePath.claims}?${new URLSearchParams(statuses.map((status) => ["status", status])).toString()}`;
}

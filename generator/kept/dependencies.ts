/** What a build keeps for the next one, by the digest of what makes it (build/dependency-digests.ts). */
import type { Sha256 } from "#snapshots/digest";

export const KEPT = ["extracts", "pages", "json", "documents", "leaks"] as const;
export type Kept = (typeof KEPT)[number];

export type DependencyDigests = Readonly<Record<Kept, Sha256>> & {
  /** Of the file in which it is kept. */
  readonly state: Sha256;
  /** Of all that a build is made of: with another one everything is compared again, and nothing is void by that alone. */
  readonly program: Sha256;
};

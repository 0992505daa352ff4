/** Names the kinds of work that a build keeps for the next one, each by the digest of what makes it (pipeline/dependency-digests.ts). */
import type { Sha256 } from "#snapshots/digest";

export const KEPT = ["extracts", "pages", "json", "documents", "leaks"] as const;
export type Kept = (typeof KEPT)[number];

export type DependencyDigests = Readonly<Record<Kept, Sha256>> & {
  /** Digest of the modules that decide the form of the file in which work is kept. */
  readonly state: Sha256;
  /** Digest of all that a build is made of: with another one everything is compared again, and nothing is void by that alone. */
  readonly program: Sha256;
};

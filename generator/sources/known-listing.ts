/** Keeps what the last build's listing refused, and how many builds ago the store was listed as a whole. A build that is told what has changed
 *  needs this and the objects that the state remembers, and no more. It is a cache; it names gated keys, so it lies beside the internal root. */
import { join } from "node:path";
import { z } from "zod";
import { Rejection } from "#snapshots/schema";
import { type KeptFile, keptFile } from "#generator/files";

const knownListingSchema = z.strictObject({
  /** Fingerprint of the state that it belongs to. */
  fingerprint: z.string(),
  /** Digest of the rules that it was made by. */
  rules: z.string(),
  rejected: z.array(Rejection),
  /** Builds since the store was listed as a whole. */
  since: z.int().min(0),
});
export type KnownListing = z.infer<typeof knownListingSchema>;

/** knownListing opens the kept listing. @param dir of what builds keep */
export function knownListing(dir: string): KeptFile<KnownListing> {
  return keptFile(knownListingSchema, join(dir, "listing.json"));
}

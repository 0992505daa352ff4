/** What the last build's listing refused, and how long ago the store was listed as a whole: with the objects that the state remembers,
 *  all that a build needs which is told what has changed. A cache; it names gated keys, so it lies beside the internal root. */
import { join } from "node:path";
import { z } from "zod";
import { Rejection } from "#snapshots/schema";
import { type KeptFile, keptFile } from "#generator/files";

const knownListingSchema = z.strictObject({
  /** Of the state that it belongs to. */
  fingerprint: z.string(),
  /** Digest of the rules that it was made by. */
  rules: z.string(),
  rejected: z.array(Rejection),
  /** Builds since the store was listed as a whole. */
  since: z.int().min(0),
});
export type KnownListing = z.infer<typeof knownListingSchema>;

/** @param dir of what builds keep */
export function knownListing(dir: string): KeptFile<KnownListing> {
  return keptFile(knownListingSchema, join(dir, "listing.json"));
}

/** What the last build's listing refused, and how long ago the store was listed as a whole: with the objects that the state remembers,
 *  all that a build needs which is told what has changed. A cache; it names gated keys, so it lies beside the internal root. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../snapshots/digest.ts";
import { Rejection } from "../../snapshots/schema/resources.ts";
import { CLOSED } from "../../snapshots/shelf/modes.ts";

const NAME = "listing.json";

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

/** Null when there is none that can be read. */
export async function readKnownListing(dir: string): Promise<KnownListing | null> {
  const text = await readFile(join(dir, NAME), "utf8").catch(() => "");
  return knownListingSchema.safeParse(parseJson(text)).data ?? null;
}

export async function writeKnownListing(dir: string, known: KnownListing): Promise<void> {
  const path = join(dir, NAME);
  const text = JSON.stringify(known);
  if (text === (await readFile(path, "utf8").catch(() => ""))) return;
  await writeFile(`${path}.new`, text, { mode: CLOSED.file });
  await rename(`${path}.new`, path);
}

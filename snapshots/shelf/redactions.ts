/** A notice in the place of a blob whose bytes were taken out: a signed note that says of which digest, and why, so that nobody takes what is
 *  missing for damage, and nobody but the log's owner can take anything out.
 *   <origin of the log>/redacted <digest> <the notice of the withdrawal, canonical JSON>
 *   Signed by the log's key as its checkpoints are; a log without a key has these lines alone. */
import { z } from "zod";
import { canonicalJson, parseJson, type Sha256, SHA256_PATTERN } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { withdrawalError } from "#snapshots/format";
import { formatNote, type Note, parseBareNote, parseKey, signNote, verifiedBy } from "#snapshots/log";
import { Withdrawal } from "#snapshots/schema";
import type { LogKeys, LogSigner } from "./log.ts";
import type { Shelf } from "./shelf.ts";

export const redactedSchema = z.array(z.string().regex(SHA256_PATTERN));

export function redactionPath(digest: Sha256): string {
  return `redacted/${digest}`;
}

/** formatRedaction writes a redaction as it is stored and served. */
export function formatRedaction(digest: Sha256, withdrawal: Withdrawal, { origin, key }: LogSigner): string {
  const text = `${origin}/redacted\n${digest}\n${canonicalJson(withdrawal)}\n`;
  return key === null ? text : formatNote({ text, signatures: [signNote(text, key)] });
}

type Redaction = { readonly origin: string; readonly digest: Sha256; readonly withdrawal: Withdrawal; readonly note: Note };

/** @throws ShelfError "bad_checkpoint" when it is none; no signature is checked */
function parseRedaction(bytes: Uint8Array): Redaction {
  const note = parseBareNote(bytes);
  const [origin = "", digest = "", json = "", end, ...more] = note.text.split("\n");
  const withdrawal = Withdrawal.safeParse(parseJson(json));
  if (!origin.endsWith("/redacted") || !SHA256_PATTERN.test(digest) || !withdrawal.success || end !== "" || more.length > 0)
    throw new ShelfError("bad_checkpoint", "This is no notice of a redaction.");
  return { origin: origin.slice(0, -"/redacted".length), digest, withdrawal: withdrawal.data, note };
}

/** noticeIn returns the notice in these bytes, or null for one that is damaged: its blob was redacted all the same. */
export function noticeIn(bytes: Uint8Array): Withdrawal | null {
  try {
    return parseRedaction(bytes).withdrawal;
  } catch (error) {
    if (error instanceof ShelfError) return null;
    throw error;
  }
}

/** checkRedaction parses a redaction and checks it.
 *  @param keys of the log
 *  @throws ShelfError "bad_checkpoint" unless it is of this digest and, where the log is signed, signed by one of its keys */
export function checkRedaction(bytes: Uint8Array, digest: Sha256, keys: LogKeys): Redaction {
  const found = parseRedaction(bytes);
  if (found.digest !== digest) throw new ShelfError("bad_checkpoint", "The notice of a redaction is of another digest.");
  const known = keys.flatMap(({ key }) => (key === null ? [] : [parseKey(key)]));
  if (known.length > 0 && verifiedBy(found.note, known).length === 0)
    throw new ShelfError("bad_checkpoint", "No key of the log signed the notice of a redaction.");
  return found;
}

/** redactedBlobs gives the digests of what is not there any more. A blob that still is counts, whatever notice it has: it is about to go, or has
 *  come back. */
export async function redactedBlobs(shelf: Shelf): Promise<readonly Sha256[]> {
  const digests: Sha256[] = [];
  for (const digest of await shelf.redactions.list()) if (!(await shelf.hasBlob(digest))) digests.push(digest);
  return digests;
}

/** redactionError makes the answer in place of a blob that is not there; null for one that should be, or whose notice is damaged. */
export async function redactionError({ redactions }: Shelf, digest: Sha256): Promise<ShelfError | null> {
  const notice = await redactions.read(digest);
  const withdrawal = notice === null ? null : noticeIn(notice);
  return withdrawal === null ? null : withdrawalError(withdrawal, "What is needed here was taken out of this snapshot. ");
}

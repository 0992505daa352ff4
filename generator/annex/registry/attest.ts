/** One check, or one review, as an in-toto statement in a DSSE envelope, signed with Ed25519: https://github.com/secure-systems-lab/dsse, https://in-toto.io/Statement/v1. */
import { sign, verify } from "node:crypto";
import { z } from "zod";
import { canonicalJson, parseJson, sha256 } from "#snapshots/digest";
import { decodeBase64, type NoteKey, parseKey, type SigningKey } from "#snapshots/log";
import { type CheckStatement, statementSchema } from "#snapshots/annex/proofs";
import { openReview, type Review, type ReviewStatement } from "#generator/annex/reviews";

const PAYLOAD = "application/vnd.in-toto+json";

const envelopeSchema = z.object({
  payloadType: z.literal(PAYLOAD),
  payload: z.string(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.string() })),
});

export type { CheckStatement };

/** reproducibleDigest gives the digest by which two strangers compare their runs of the same files. */
export function reproducibleDigest(
  statement: Pick<CheckStatement, "subject"> & { predicate: Pick<CheckStatement["predicate"], "tool" | "flags" | "results"> },
): string {
  const { tool, flags, results } = statement.predicate;
  const byName = (a: { name?: string; key?: string }, b: { name?: string; key?: string }): number =>
    (a.name ?? a.key ?? "") < (b.name ?? b.key ?? "") ? -1 : 1;
  return sha256(
    canonicalJson({
      tool: { name: tool.name, version: tool.version },
      flags,
      subject: [...statement.subject].sort(byName),
      // Uses are left out: they come from the kernel or from the source, as the plugin is there or not.
      results: results.map(({ uses: _, ...result }) => result).sort(byName),
    }),
  );
}

/** authenticated gives the bytes that are signed. */
function authenticated(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD.length} ${PAYLOAD} ${payload.length} `), payload]);
}

/** seal signs a statement and writes its envelope. @param key null leaves it unsigned, which is said wherever it is shown */
export function seal(statement: CheckStatement | ReviewStatement, key: SigningKey | null): string {
  const payload = Buffer.from(JSON.stringify(statement));
  const signatures = key === null ? [] : [{ keyid: key.text, sig: sign(null, authenticated(payload), key.privateKey).toString("base64") }];
  return `${JSON.stringify({ payloadType: PAYLOAD, payload: payload.toString("base64"), signatures })}\n`;
}

type Signed = { readonly signers: readonly string[]; readonly counted: boolean };
export type OpenedAttestation =
  | (Signed & { readonly statement: CheckStatement })
  | (Signed & { readonly review: Review })
  | { readonly refused: string };

function keyOf(keyid: string): NoteKey | null {
  try {
    return parseKey(keyid);
  } catch {
    return null;
  }
}

/** open reads an envelope of a check or of a review. Every signature has to be of it, whoever made it; whom nobody here trusts is named as he names
 *  himself, and what he signed counts for nothing, as does what nobody signed.
 *  @param trusted keys whose signatures count */
export function open(bytes: Uint8Array, trusted: readonly NoteKey[], now = new Date()): OpenedAttestation {
  const envelope = envelopeSchema.safeParse(parseJson(Buffer.from(bytes).toString("utf8")));
  const payload = envelope.success ? decodeBase64(envelope.data.payload) : null;
  if (!envelope.success || payload === null) return { refused: "is no envelope of a check" };
  const value = parseJson(payload.toString("utf8"));
  const said = openReview(value) ?? openCheck(value, now);
  if ("refused" in said) return said;
  const signers: { readonly name: string; readonly trusted: boolean }[] = [];
  for (const { keyid, sig } of envelope.data.signatures) {
    const known = trusted.find(({ text }) => text === keyid);
    const key = known ?? keyOf(keyid);
    const signature = decodeBase64(sig);
    if (key === null) continue;
    if (signature === null || !verify(null, authenticated(payload), key.key, signature))
      return { refused: `has a signature of ${key.name} that is not of it` };
    signers.push({ name: key.text.split("+").slice(0, 2).join("+"), trusted: known !== undefined });
  }
  const counting = signers.filter((one) => one.trusted);
  const counted = counting.length > 0;
  return { ...said, signers: (counted ? counting : signers).map(({ name }) => name), counted };
}

function openCheck(value: unknown, now: Date): { readonly statement: CheckStatement } | { readonly refused: string } {
  const statement = statementSchema.safeParse(value);
  if (!statement.success)
    return {
      refused: `is no statement of a check: ${statement.error.issues[0]?.path.join(".") ?? ""} ${statement.error.issues[0]?.message ?? ""}`,
    };
  const fault = faultOf(statement.data, now);
  return fault === null ? { statement: statement.data } : { refused: fault };
}

const SKEW = 5 * 60_000; // ms by which clocks may differ
const VERSION = /^v?\d[\w.+~-]{0,39}(?: \(Lean v?\d[\w.+~-]{0,39}\))?$/;

/** faultOf says why a statement is none that a recheck makes; null where nothing is wrong with it. */
function faultOf(statement: CheckStatement, now: Date): string | null {
  const { tool, started, finished, results, reproducible_sha256: digest } = statement.predicate;
  const [begun, ended] = [started, finished].map((time) => (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) ? Date.parse(time) : Number.NaN));
  if (reproducibleDigest(statement) !== digest) return "has another digest of its results than it says";
  if (begun === undefined || ended === undefined || !(begun <= ended)) return "has no times of a run: it ends before it begins, or never";
  if (ended > now.getTime() + SKEW) return `ended in the future, on ${finished.slice(0, 10)}`;
  if (!VERSION.test(tool.version)) return `names a version that is none: ${JSON.stringify(tool.version.slice(0, 60))}`;
  const keys = new Set<string>();
  const twice = results.find(({ key }) => keys.size === keys.add(key).size);
  return twice === undefined ? null : `speaks twice of ${JSON.stringify(twice.key.slice(0, 200))}`;
}

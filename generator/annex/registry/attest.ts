/** One check as an in-toto statement in a DSSE envelope, signed with Ed25519: https://github.com/secure-systems-lab/dsse, https://in-toto.io/Statement/v1. */
import { sign, verify } from "node:crypto";
import { z } from "zod";
import { canonicalJson, parseJson, sha256 } from "../../../snapshots/digest.ts";
import { decodeBase64, type NoteKey, parseKey, type SigningKey } from "../../../snapshots/log/index.ts";
import { Sha256Hex } from "../../../snapshots/schema/scalar.ts";
import { CHECK_STATES } from "./states.ts";

const PAYLOAD = "application/vnd.in-toto+json";
export const PREDICATE = "https://proofshelf.dev/predicates/proof-check/v1";
const names = z.array(z.string());

const statementSchema = z.object({
  _type: z.literal("https://in-toto.io/Statement/v1"),
  subject: z.array(z.object({ name: z.string(), digest: z.object({ sha256: Sha256Hex }) })).min(1),
  predicateType: z.string(),
  predicate: z.object({
    repo: z.string(),
    revision: z.string(),
    prover: z.string(),
    /** What is installed beside it, and which adapter asked: another one is asked again. */
    tool: z.object({
      name: z.string(),
      version: z.string(),
      executable_sha256: z.string(),
      installed_sha256: z.string(),
      adapter: z.string(),
    }),
    flags: names,
    command: names,
    isolation: z.enum(["bubblewrap", "none"]),
    limits: z.record(z.string(), z.number()),
    started: z.string(),
    finished: z.string(),
    request_sha256: Sha256Hex,
    transcript_sha256: Sha256Hex,
    /** Of what two runs share: tool, subjects, results. */
    reproducible_sha256: Sha256Hex,
    imports: z.record(z.string(), names),
    results: z.array(
      z.object({
        key: z.string(),
        path: z.string(),
        state: z.enum(CHECK_STATES),
        statement: z.string().nullable(),
        type_sha256: z.string().nullable(),
        axioms: names.nullable(),
        unsafe: names,
        exact: z.boolean(),
        uses: z.array(z.object({ to: z.string(), part: z.enum(["statement", "proof"]), basis: z.enum(["kernel", "source"]) })),
      }),
    ),
    logs: z.array(z.object({ path: z.string(), state: z.string(), log: z.string() })),
  }),
});
export type CheckStatement = z.infer<typeof statementSchema>;

const envelopeSchema = z.object({
  payloadType: z.literal(PAYLOAD),
  payload: z.string(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.string() })),
});

/** The digest that two strangers' runs of the same files compare. */
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
      results: [...results].sort(byName),
    }),
  );
}

/** What a signature is of. */
function authenticated(payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD.length} ${PAYLOAD} ${payload.length} `), payload]);
}

/** @param key null leaves it unsigned, which is said wherever it is shown */
export function seal(statement: CheckStatement, key: SigningKey | null): string {
  const payload = Buffer.from(JSON.stringify(statement));
  const signatures = key === null ? [] : [{ keyid: key.text, sig: sign(null, authenticated(payload), key.privateKey).toString("base64") }];
  return `${JSON.stringify({ payloadType: PAYLOAD, payload: payload.toString("base64"), signatures })}\n`;
}

export type Opened = { readonly statement: CheckStatement; readonly signers: readonly string[] } | { readonly refused: string };

function keyOf(keyid: string): NoteKey | null {
  try {
    return parseKey(keyid);
  } catch {
    return null;
  }
}

/** @param trusted keys whose signatures are looked at; without any an envelope counts unsigned */
export function open(bytes: Uint8Array, trusted: readonly NoteKey[]): Opened {
  const envelope = envelopeSchema.safeParse(parseJson(Buffer.from(bytes).toString("utf8")));
  const payload = envelope.success ? decodeBase64(envelope.data.payload) : null;
  if (!envelope.success || payload === null) return { refused: "is no envelope of a check" };
  const statement = statementSchema.safeParse(parseJson(payload.toString("utf8")));
  if (!statement.success)
    return {
      refused: `is no statement of a check: ${statement.error.issues[0]?.path.join(".") ?? ""} ${statement.error.issues[0]?.message ?? ""}`,
    };
  if (reproducibleDigest(statement.data) !== statement.data.predicate.reproducible_sha256)
    return { refused: "has another digest of its results than it says" };
  const signers: string[] = [];
  for (const { keyid, sig } of envelope.data.signatures) {
    // Where nobody is trusted, a signature says only that whoever has this key made it.
    const key = trusted.length === 0 ? keyOf(keyid) : trusted.find(({ text }) => text === keyid);
    const signature = decodeBase64(sig);
    if (key == null) continue;
    if (signature === null || !verify(null, authenticated(payload), key.key, signature))
      return { refused: `has a signature of ${key.name} that is not of it` };
    signers.push(key.text.split("+").slice(0, 2).join("+"));
  }
  if (trusted.length > 0 && signers.length === 0) return { refused: "is signed by nobody who is trusted here" };
  return { statement: statement.data, signers };
}

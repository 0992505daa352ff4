/** Rules for who may see the internal view and the code files (interface §5): defaults applied, file names absolute, absence as null. It holds no
 *  secret: of a service token only the digest. */
import { z } from "zod";
import { Sha256Hex } from "./scalar.ts";

/** Signature algorithms that a gateway may be configured with; "none" and every shared-secret one are not in it. */
const TOKEN_ALGORITHMS = ["RS256", "ES256", "EdDSA"] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

const CREDENTIAL_HEADERS = {
  token: "edge-access-token",
  clientId: "edge-access-client-id",
  clientSecret: "edge-access-client-secret",
} as const;

const words = z.array(z.string().min(1, "is empty"));
const headerName = (name: string) => z.string().min(1, "is empty").toLowerCase().default(name);

/** Sign-in of the library's own, with an OpenID provider. */
const OwnSignIn = z.object({
  issuer: z.string(),
  clientId: z.string(),
  /** Members of any one of these are let in. */
  groups: words.default([]),
  /** Claim of the ID token that holds a person's groups. */
  groupsClaim: z.string().default("groups"),
  /** Hours after which a session is over. */
  sessionHours: z.number().positive().default(12),
});
export type OwnSignIn = z.infer<typeof OwnSignIn>;

export const AccessConfig = z.object({
  /** The exact `iss` of an application token; null accepts no tokens, only service-token pairs. */
  issuer: z.string().nullable(),
  /** Any one of these in `aud` opens /internal and the code route. */
  audience: words,
  /** Any one of these in `aud`, with an email, opens /internal/api/ask; empty means that nobody may use it. */
  humanAudience: words.default([]),
  /** http(s) address or absolute file name of the gateway's public keys; null accepts no tokens. */
  jwks: z.string().nullable(),
  /** Hours for which keys are believed while their source cannot be read. */
  jwksMaxAgeHours: z.number().positive().default(24),
  algorithms: z.array(z.enum(TOKEN_ALGORITHMS)).default([...TOKEN_ALGORITHMS]),
  headers: z
    .object({
      token: headerName(CREDENTIAL_HEADERS.token),
      clientId: headerName(CREDENTIAL_HEADERS.clientId),
      clientSecret: headerName(CREDENTIAL_HEADERS.clientSecret),
    })
    .prefault({}),
  /** Identities that are let in. All empty lets nobody in. */
  policy: z.object({ emails: words.default([]), domains: words.default([]), serviceTokens: words.default([]) }).prefault({}),
  /** Where a person signs in, and whom to ask to be let in: an address, of mail or of the web. Told to everybody who is refused. */
  signIn: z.string().nullable().default(null),
  contact: z.string().nullable().default(null),
  /** Null where a gateway in front signs people in. */
  oidc: OwnSignIn.nullable().default(null),
  /** Two entries with one id are a rotation: both secrets are good. */
  serviceTokens: z.array(z.object({ name: z.string(), id: z.string(), secretSha256: Sha256Hex })).default([]),
});
export type AccessConfig = z.infer<typeof AccessConfig>;

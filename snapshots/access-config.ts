/** The `access` section of the configuration: who may see the internal view and the code files.
 *  It lies here because the generator parses it and the sidecar enforces it. It holds no secret: of a service token
 *  only the digest. See conventions "Inputs" and "Sidecar", interface §5. */
import { z } from "zod";
import { Sha256Hex } from "./schema/scalar.ts";

/** Signature algorithms that a gateway may be configured with; "none" and every shared-secret one are not in it. */
export const TOKEN_ALGORITHMS = ["RS256", "ES256", "EdDSA"] as const;
export type TokenAlgorithm = (typeof TOKEN_ALGORITHMS)[number];

const words = z.array(z.string().min(1, "is empty"));
/** One word may be written without the brackets. */
const oneOrMore = z.preprocess((value) => (typeof value === "string" ? [value] : value), words.min(1, "is empty"));
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "is not a header name")
  .toLowerCase();

export const ServiceToken = z.strictObject({
  /** What the policy and the logs call it. */
  name: z.string().min(1, "is empty"),
  /** What the machine sends as its client id. */
  id: z.string().min(1, "is empty"),
  /** SHA-256 of the client secret. Two entries with one id are a rotation: both secrets are good. */
  secretSha256: Sha256Hex,
});
export type ServiceToken = z.infer<typeof ServiceToken>;

export const AccessConfig = z.strictObject({
  /** The exact `iss` of an application token. */
  issuer: z.string().min(1, "is empty"),
  /** Any one of these in `aud` opens /internal and the code route. */
  audience: oneOrMore,
  /** Any one of these in `aud`, with an email, opens /internal/api/ask; empty means that nobody may use it. */
  humanAudience: z.preprocess((value) => (typeof value === "string" ? [value] : value), words).default([]),
  /** http(s) address or file of the gateway's public keys; the reader of the configuration makes a file name absolute. */
  jwks: z.string().min(1, "is empty"),
  algorithms: z.array(z.enum(TOKEN_ALGORITHMS)).min(1, "is empty").default([...TOKEN_ALGORITHMS]),
  headers: z
    .strictObject({
      token: headerName.default("edge-access-token"),
      clientId: headerName.default("edge-access-client-id"),
      clientSecret: headerName.default("edge-access-client-secret"),
    })
    .default({
      token: "edge-access-token",
      clientId: "edge-access-client-id",
      clientSecret: "edge-access-client-secret",
    }),
  /** Who is let in. All empty lets nobody in. */
  policy: z
    .strictObject({ emails: words.default([]), domains: words.default([]), serviceTokens: words.default([]) })
    .default({ emails: [], domains: [], serviceTokens: [] }),
  serviceTokens: z.array(ServiceToken).default([]),
});
export type AccessConfig = z.infer<typeof AccessConfig>;

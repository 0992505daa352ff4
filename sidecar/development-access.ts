/** A gate for trying things out: a key pair that lives as long as the process, and one token for it. Only the demo library
 *  is served with it; a real configuration has an access section or a closed gate. */
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { AccessConfig } from "../snapshots/schema/access.ts";

const ISSUER = "https://development.invalid";
const AUDIENCE = "development";
const HUMAN_AUDIENCE = "development-people";
const EMAIL = "developer@development.invalid";

type DevelopmentAccess = {
  readonly access: AccessConfig;
  readonly readKeys: () => Promise<string>;
  readonly token: string;
};

export async function openDevelopmentAccess(): Promise<DevelopmentAccess> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const kid = "development";
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" }] });
  const token = await new SignJWT({ email: EMAIL })
    .setProtectedHeader({ alg: "ES256", kid, typ: "JWT" })
    .setIssuer(ISSUER)
    .setAudience([AUDIENCE, HUMAN_AUDIENCE])
    .setIssuedAt()
    .setExpirationTime("24h")
    .sign(privateKey);
  const access = AccessConfig.parse({
    issuer: ISSUER,
    audience: [AUDIENCE],
    humanAudience: [HUMAN_AUDIENCE],
    jwks: "development",
    policy: { emails: [EMAIL] },
  });
  return { access, readKeys: () => Promise.resolve(jwks), token };
}

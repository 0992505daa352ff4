/** The people of the gate that is measured: an access section, and tokens that it lets through. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

const ISSUER = "https://gateway.example.org";
const AUDIENCE = "library";
const TOKEN_S = 3_600;

export type Access = {
  /** The section of a configuration. */
  readonly section: object;
  /** The text of its `jwks.json`. */
  readonly jwks: string;
  /** A header line; another number gives another token. */
  token(number: number): string;
};

export function makeAccess(): Access {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const times = Math.floor(Date.now() / 1000);
  return {
    section: {
      issuer: ISSUER,
      audience: [AUDIENCE],
      humanAudience: [AUDIENCE],
      jwks: "./jwks.json",
      policy: { domains: ["example.org"] },
    },
    jwks: JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "bench", alg: "ES256", use: "sig" }] }),
    token: (number) =>
      `edge-access-token: ${signToken(privateKey, {
        iss: ISSUER,
        aud: [AUDIENCE],
        sub: "reader",
        email: "reader@example.org",
        iat: times - 60,
        nbf: times - 60,
        exp: times + TOKEN_S,
        jti: String(number),
      })}`,
  };
}

function signToken(key: KeyObject, claims: object): string {
  const text = [{ alg: "ES256", kid: "bench", typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

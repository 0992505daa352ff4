/** Whether a compact token is signed by a key. jose picks and imports the key and judges the claims; the signature itself is
 *  given to OpenSSL directly and on this thread: a tenth of a millisecond for a curve, a fortieth for RSA, where the way through
 *  WebCrypto and another thread costs half as much again, and three times as much.
 *
 *  The algorithm is the one that the gate has allowed, never read here: a token cannot choose how it is checked. */
import { KeyObject, verify } from "node:crypto";
import type { CryptoKey } from "jose";
import type { TokenAlgorithm } from "../snapshots/access-config.ts";

/** Digest, and the only kind of key it may be used with. */
const ALGORITHMS: Readonly<Record<TokenAlgorithm, { readonly digest: string | null; readonly type: string; readonly curve: string | null }>> = {
  RS256: { digest: "sha256", type: "rsa", curve: null },
  ES256: { digest: "sha256", type: "ec", curve: "prime256v1" },
  EdDSA: { digest: null, type: "ed25519", curve: null },
};
/** Bits below which an RSA key can be taken apart (RFC 7518 §3.3). */
const MIN_RSA_BITS = 2048;

export type Verifier = (token: string) => boolean;

/** @param imported a public key that jose has chosen for this algorithm
 *  @throws TypeError when it is not of the algorithm's kind, or too short */
export function openVerifier(alg: TokenAlgorithm, imported: CryptoKey): Verifier {
  const { digest, type, curve } = ALGORITHMS[alg];
  const key = KeyObject.from(imported as Parameters<typeof KeyObject.from>[0]);
  const { modulusLength, namedCurve = null } = key.asymmetricKeyDetails ?? {};
  if (key.type !== "public" || key.asymmetricKeyType !== type || namedCurve !== curve) throw new TypeError(`not a key for ${alg}`);
  if (type === "rsa" && !((modulusLength ?? 0) >= MIN_RSA_BITS)) throw new TypeError("the RSA key is too short");
  // Both numbers of an ECDSA signature one after the other, as JWS has them, and not in DER.
  const options = { key, dsaEncoding: "ieee-p1363" } as const;
  return (token) => {
    const cut = token.lastIndexOf(".");
    return verify(digest, Buffer.from(token.slice(0, cut), "latin1"), options, Buffer.from(token.slice(cut + 1), "base64url"));
  };
}

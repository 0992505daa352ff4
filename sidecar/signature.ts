/** Whether a compact token is signed by a key. jose picks and imports the key and judges the claims; the signature itself is
 *  given to OpenSSL directly and on this thread, in the form that it takes itself. By WebCrypto and another thread a check of ES256
 *  costs twice as much, of RS256 three times.
 *
 *  The algorithm is the one that the gate has allowed, never read here: a token cannot choose how it is checked. */
import { KeyObject, verify } from "node:crypto";
import type { CryptoKey } from "jose";
import type { TokenAlgorithm } from "../snapshots/schema/access.ts";

/** Digest, and the only kind of key it may be used with. */
const ALGORITHMS: Readonly<
  Record<TokenAlgorithm, { readonly digest: string | null; readonly type: string; readonly curve: string | null }>
> = {
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
  return (token) => {
    const cut = token.lastIndexOf(".");
    const sent = Buffer.from(token.slice(cut + 1), "base64url");
    const signature = type === "ec" ? toDer(sent) : sent;
    // The key itself and no options: telling the two apart costs as much as checking RSA.
    return signature !== null && verify(digest, Buffer.from(token.slice(0, cut), "latin1"), key, signature);
  };
}

/** An ECDSA signature as JWS has it, two numbers of 32 bytes (RFC 7518 §3.4), in the DER that OpenSSL takes (RFC 3279 §2.2.3).
 *  @returns null for any other length */
function toDer(signature: Buffer): Buffer | null {
  if (signature.length !== 64) return null;
  const [r, s] = [toDerInteger(signature.subarray(0, 32)), toDerInteger(signature.subarray(32))];
  return Buffer.concat([Uint8Array.of(0x30, r.length + s.length), r, s]);
}

/** Without leading zeros, except the one that keeps it from being negative. */
function toDerInteger(bytes: Buffer): Buffer {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const rest = bytes.subarray(from);
  const sign = (rest[0] ?? 0) >= 0x80 ? [0] : [];
  return Buffer.concat([Uint8Array.of(0x02, sign.length + rest.length, ...sign), rest]);
}

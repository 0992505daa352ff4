/** Bytes that a build keeps for the next one, behind their own digest: what is not exactly what was written counts as absent. */
import { hash } from "node:crypto";

/** The length of a SHA-256. */
const DIGEST_BYTES = 32;

export function seal(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([hash("sha256", bytes, "buffer"), bytes]);
}

/** unseal returns the bytes that were sealed, or null when these are not what `seal` gave. */
export function unseal(sealed: Uint8Array): Uint8Array | null {
  const bytes = sealed.subarray(DIGEST_BYTES);
  return hash("sha256", bytes, "buffer").equals(sealed.subarray(0, DIGEST_BYTES)) ? bytes : null;
}

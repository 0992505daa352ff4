/** SHA-256 as lowercase hex, and RFC 8785 canonical JSON: what every name in a shelf is made of. */
import { createHash, hash, webcrypto } from "node:crypto";
import canonicalizeJson from "canonicalize";

/** A Sha256 is 64 lowercase hex characters. */
export type Sha256 = string;

export const SHA256_PATTERN = /^[0-9a-f]{64}$/;

export function sha256(bytes: Uint8Array | string): Sha256 {
  return hash("sha256", bytes, "hex");
}

/** sha256Of returns the SHA-256 of a sequence of chunks, for bytes that are never whole in memory. */
export async function sha256Of(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Sha256> {
  const digest = createHash("sha256");
  for await (const chunk of chunks) digest.update(chunk);
  return digest.digest("hex");
}

/** Bytes from which on hashing is left to another thread: a hundredth of a second's work. */
const LONG = 4 * 1024 * 1024;

/** sha256Aside returns the same as `sha256`, without holding up others for long bytes. */
export async function sha256Aside(bytes: Uint8Array): Promise<Sha256> {
  if (bytes.length < LONG) return sha256(bytes);
  return Buffer.from(await webcrypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toString("hex");
}

/** canonicalJson returns the RFC 8785 text of a JSON value: members by UTF-16 code unit, shortest numbers, no spaces, no final newline.
 *  @throws TypeError for what JSON cannot hold (undefined at the top, NaN, infinities) */
export function canonicalJson(value: unknown): string {
  const text = canonicalizeJson(value);
  if (text === undefined) throw new TypeError("this value has no JSON form");
  return text;
}

/** parseJson returns the value of a JSON text; for a text that is not JSON it returns undefined, which every schema refuses. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

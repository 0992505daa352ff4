/** Cookies that only this service can read or write: JWE with a key of its own, one kind for a sign-in under way and one for a session.
 *  What a browser sends is the caller's word until it is decrypted. */
import { hkdfSync, randomBytes } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";

/** Characters of a key, below which it could be guessed. */
const MIN_KEY = 32;
/** Bytes of one cookie; browsers keep 4096. */
const MAX_COOKIE = 4096;

/** The purpose of a cookie: one is never taken for the other. */
type Purpose = "sign-in" | "session";

/** openCookies makes the cookies of sign-in.
 *  @param secret at least 32 characters; without one a key is made, and a restart ends every session
 *  @param now milliseconds since 1970
 *  @throws TypeError when the secret is short */
export function openCookies(secret: string | null, now: () => number) {
  if (secret !== null && secret.length < MIN_KEY)
    throw new TypeError(
      `SESSION_KEY has ${secret.length} characters; give at least ${MIN_KEY} random ones, as openssl rand -hex 32 prints.`,
    );
  const key = new Uint8Array(hkdfSync("sha256", secret ?? randomBytes(32), "", "proofshelf session", 32));
  return {
    /** @param seconds for which it is good */
    seal: (purpose: Purpose, content: Readonly<Record<string, unknown>>, seconds: number): Promise<string> => {
      const issued = Math.floor(now() / 1000);
      return new EncryptJWT({ ...content })
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setAudience(purpose)
        .setIssuedAt(issued)
        .setExpirationTime(issued + seconds)
        .encrypt(key);
    },
    /** @returns null of whatever was not sealed here for this purpose, or is over */
    open: async (purpose: Purpose, sealed: string | null): Promise<Readonly<Record<string, unknown>> | null> => {
      if (sealed === null || sealed.length > MAX_COOKIE) return null;
      const options = {
        audience: purpose,
        requiredClaims: ["exp"],
        currentDate: new Date(now()),
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      };
      return jwtDecrypt(sealed, key, options).then(
        ({ payload }) => payload,
        () => null,
      );
    },
  };
}

/** readCookies returns every value that was sent under a name: a sibling host may have planted some. */
export function readCookies(header: string | null, name: string): readonly string[] {
  return (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

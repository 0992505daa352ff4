import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { CompactSign, compactVerify, type CryptoKey, importJWK } from "jose";
import { TOKEN_ALGORITHMS, type TokenAlgorithm } from "../snapshots/schema/access.ts";
import { openVerifier } from "./signature.ts";

const pairs = {
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: generateKeyPairSync("ed25519"),
} as const;
const imported = (alg: TokenAlgorithm): Promise<CryptoKey> =>
  importJWK(pairs[alg].publicKey.export({ format: "jwk" }) as { kty: string }, alg) as Promise<CryptoKey>;
const signed = (alg: TokenAlgorithm, text: string): Promise<string> =>
  new CompactSign(Buffer.from(text)).setProtectedHeader({ alg }).sign(pairs[alg].privateKey);

/** What jose says of it by way of WebCrypto. */
async function joseSays(token: string, key: CryptoKey): Promise<boolean> {
  return compactVerify(token, key).then(
    () => true,
    () => false,
  );
}

test("a signature is good exactly when jose finds it good, whatever bit of it is turned", async () => {
  for (const alg of TOKEN_ALGORITHMS) {
    const key = await imported(alg);
    const verify = openVerifier(alg, key);
    // Numbers with leading zeros come up once in 128 signatures.
    for (let at = 0; at < (alg === "ES256" ? 600 : 20); at++) assert.equal(verify(await signed(alg, `text ${at}`)), true, alg);
    const token = await signed(alg, "text");
    const [head, body, signature = ""] = token.split(".");
    const bytes = Buffer.from(signature, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const turned = Buffer.from(bytes);
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const changed = `${head}.${body}.${turned.toString("base64url")}`;
      assert.equal(verify(changed), false, `${alg} bit ${bit}`);
      if (bit % 49 === 0) assert.equal(await joseSays(changed, key), false);
    }
    assert.equal(verify(`${head}.${body}x.${signature}`), false);
  }
});

test("numbers of zero, one, the order and more, other lengths and DER in its place are no signature", async () => {
  const key = await imported("ES256");
  const verify = openVerifier("ES256", key);
  const [head, body] = (await signed("ES256", "text")).split(".");
  const ORDER = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
  const numbers = ["00".repeat(32), `${"00".repeat(31)}01`, ORDER, "ff".repeat(32), `80${"00".repeat(31)}`, `00${"ff".repeat(31)}`];
  const signatures = [
    ...numbers.flatMap((r) => numbers.map((s) => r + s)),
    "",
    "00",
    "00".repeat(63),
    "00".repeat(65),
    "00".repeat(128),
    "3006020101020101",
  ];
  for (const hex of signatures) {
    const token = `${head}.${body}.${Buffer.from(hex, "hex").toString("base64url")}`;
    assert.equal(verify(token), false, hex);
    assert.equal(await joseSays(token, key), false, hex);
  }
});

test("a key of another kind, curve or size is not used, whatever it was imported for", async () => {
  for (const [alg, other] of [
    ["RS256", "ES256"],
    ["ES256", "EdDSA"],
    ["EdDSA", "RS256"],
  ] as const) {
    const key = await imported(other);
    assert.throws(() => openVerifier(alg, key), TypeError, `${alg} with a key for ${other}`);
  }
  const p384 = createPublicKey(generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey).toCryptoKey(
    { name: "ECDSA", namedCurve: "P-384" },
    true,
    ["verify"],
  );
  assert.throws(() => openVerifier("ES256", p384 as CryptoKey), /not a key for ES256/);
  const short = createPublicKey(generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey).toCryptoKey(
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    true,
    ["verify"],
  );
  assert.throws(() => openVerifier("RS256", short as CryptoKey), /too short/);
});

import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import type { AccessConfig } from "../../snapshots/schema/access.ts";
import {
  accessConfig,
  claims,
  clock,
  encodePart,
  type Json,
  jwks,
  makeHmacToken,
  makeToken,
  NOW,
  pairHeaders,
  readKeys,
  rsaPem,
  SERVICE_SECRET,
  signParts,
  tokenHeaders,
} from "./gate-fixture.ts";
import { openGate } from "./gate.ts";
import { MAX_TOKEN_BYTES } from "./token.ts";

const gate = openGate(accessConfig(), { now: clock, readKeys });

async function statusOf(headers: Headers, from = gate): Promise<number> {
  const verdict = await from.check(headers);
  return verdict.ok ? 200 : verdict.problem.status;
}

async function reasonOf(token: string): Promise<string> {
  const verdict = await gate.check(tokenHeaders(token));
  if (verdict.ok) return "ok";
  assert.equal(verdict.problem.status, 401, `${verdict.reason} is not answered 401`);
  return verdict.reason;
}

const unsigned = (head: unknown, body: unknown = claims, signature = ""): string => `${encodePart(head)}.${encodePart(body)}.${signature}`;

test("the algorithm none is refused in every spelling, with and without a signature", async () => {
  for (const alg of ["none", "None", "NONE", "nOnE", "none ", " none", "", "no\u006ee", "NoNe\u0000"]) {
    for (const signature of ["", "AA", "bm9uZQ"]) {
      assert.notEqual(await reasonOf(unsigned({ alg, kid: "ec", typ: "JWT" }, claims, signature)), "ok");
    }
    assert.equal(await reasonOf(makeToken({}, { alg })), "algorithm");
  }
  for (const alg of [null, 0, true, [], ["ES256"], {}, undefined]) {
    assert.equal(await reasonOf(makeToken({}, { alg })), "algorithm");
  }
});

test("a shared-secret token made with the public key is refused, whatever text of the key is the secret", async () => {
  const set = JSON.parse(jwks) as { keys: { n?: string }[] };
  for (const secret of [rsaPem, rsaPem.trim(), JSON.stringify(set.keys[0]), jwks, set.keys[0]?.n ?? "", ""]) {
    for (const alg of ["HS256", "HS384", "HS512", "hs256"]) {
      assert.equal(await reasonOf(makeHmacToken(secret, { alg, kid: "rsa", typ: "JWT" })), "algorithm");
    }
    assert.equal(await reasonOf(makeHmacToken(secret, { alg: "RS256", kid: "rsa", typ: "JWT" })), "signature");
  }
});

test("an allowed algorithm with another key's id is refused", async () => {
  assert.equal(await reasonOf(makeToken({}, { kid: "rsa" }, "ES256")), "signature");
  assert.equal(await reasonOf(makeToken({}, { kid: "ec" }, "RS256")), "signature");
  assert.equal(await reasonOf(makeToken({}, { alg: "RS256", kid: "rsa" }, "ES256")), "signature");
  assert.equal(await reasonOf(makeToken({}, { alg: "ES512" })), "algorithm");
  assert.equal(await reasonOf(makeToken({}, { alg: "PS256", kid: "rsa" }, "RS256")), "algorithm");
});

test("a token that brings its own key, or says where to fetch one, is refused", async () => {
  const own = (JSON.parse(jwks) as { keys: Json[] }).keys[1];
  const headers: Json[] = [
    { jwk: own },
    { jku: "https://evil.example/keys.json" },
    { x5u: "https://evil.example/chain.pem" },
    { x5c: ["MIIB"] },
    { jwk: null },
  ];
  for (const header of headers) assert.equal(await reasonOf(makeToken({}, header)), "header");
});

test("critical extensions, unencoded and compressed payloads are refused", async () => {
  for (const header of [{ crit: ["exp"] }, { crit: [] }, { b64: false }, { b64: false, crit: ["b64"] }, { b64: true }, { zip: "DEF" }]) {
    assert.equal(await reasonOf(makeToken({}, header)), "header");
  }
});

test("a key id is only compared: paths, addresses, SQL and prototype names are unknown keys", async () => {
  for (const kid of [
    "../../../../dev/null",
    "/etc/passwd",
    "file:///etc/passwd",
    "https://evil.example/jwks.json",
    "' OR 1=1 --",
    "ec' UNION SELECT 'x",
    "__proto__",
    "constructor",
    "ec\u0000",
    "EC",
    " ec",
    "ec ",
    "$(id)",
    "{{7*7}}",
  ]) {
    assert.equal(await reasonOf(makeToken({}, { kid })), "unknown_key");
  }
  for (const kid of [undefined, null, 1, "", [], ["ec"], {}, "k".repeat(257)]) {
    assert.equal(await reasonOf(makeToken({}, { kid })), "kid");
  }
});

test("a member that occurs twice is refused in the header and in the claims, escaped or nested", async () => {
  const body = encodePart(claims);
  for (const head of [
    '{"alg":"none","alg":"ES256","kid":"ec"}',
    '{"alg":"ES256","kid":"ec","kid":"ec"}',
    '{"alg":"ES256","kid":"ec","\\u0061lg":"ES256"}',
    '{"alg":"ES256","kid":"ec","x":[{"a":1,"a":2}]}',
  ]) {
    assert.equal(await reasonOf(signParts(encodePart(head), body)), "duplicate_member");
  }
  const twice = JSON.stringify(claims).replace("{", '{"email":"eve@example.org",');
  assert.equal(await reasonOf(signParts(encodePart({ alg: "ES256", kid: "ec" }), encodePart(twice))), "duplicate_member");
  const same = JSON.stringify({ ...claims, a: { email: 1 }, b: ["email", "email", { c: '"c":' }] });
  assert.equal(await reasonOf(signParts(encodePart({ alg: "ES256", kid: "ec" }), encodePart(same))), "ok");
});

test("the issuer must be equal to the last character", async () => {
  for (const iss of [
    undefined,
    null,
    "",
    "https://gateway.example.org/",
    "HTTPS://gateway.example.org",
    "https://gateway.example.org.evil.test",
    ["https://gateway.example.org"],
    { toString: "https://gateway.example.org" },
  ]) {
    assert.equal(await reasonOf(makeToken({ iss })), "issuer");
  }
});

test("the audience must be named, as text or in a list of texts", async () => {
  for (const aud of [
    undefined,
    null,
    "",
    [],
    "Library",
    "library ",
    "librar",
    ["other"],
    [["library"]],
    ["library", 1],
    { 0: "library" },
    1,
  ]) {
    assert.equal(await reasonOf(makeToken({ aud })), "audience");
  }
  assert.equal(await reasonOf(makeToken({ aud: "library" })), "ok");
  assert.equal(await reasonOf(makeToken({ aud: ["other", "library"] })), "ok");
});

test("a type other than JWT is refused", async () => {
  for (const typ of ["JWE", "at+jwt", "dpop+jwt", "secevent+jwt", "", null, 1, ["JWT"], "JWT "]) {
    assert.equal(await reasonOf(makeToken({}, { typ })), "typ");
  }
  for (const typ of ["JWT", "jwt", "application/jwt", undefined]) assert.equal(await reasonOf(makeToken({}, { typ })), "ok");
});

test("times are judged to the second, without tolerance", async () => {
  assert.equal(await reasonOf(makeToken({ exp: NOW + 1 })), "ok");
  assert.equal(await reasonOf(makeToken({ exp: NOW })), "expired");
  assert.equal(await reasonOf(makeToken({ exp: NOW - 1 })), "expired");
  assert.equal(await reasonOf(makeToken({ nbf: NOW })), "ok");
  assert.equal(await reasonOf(makeToken({ nbf: NOW + 1 })), "not_yet_valid");
  assert.equal(await reasonOf(makeToken({ nbf: undefined })), "ok");
  for (const exp of [undefined, null, String(NOW + 600), "never", [NOW + 600], true]) {
    assert.equal(await reasonOf(makeToken({ exp })), "claims");
  }
  for (const nbf of [null, String(NOW - 600), {}]) assert.equal(await reasonOf(makeToken({ nbf })), "claims");
  // JSON has no NaN and no infinity, but it can write a number that is one.
  for (const number of ["1e999", "-1e999"]) {
    for (const [name, time] of [
      ["exp", NOW + 600],
      ["iat", NOW - 10],
    ] as const) {
      const huge = JSON.stringify(claims).replace(`"${name}":${time}`, `"${name}":${number}`);
      assert.ok(huge.includes(number));
      assert.equal(await reasonOf(signParts(encodePart({ alg: "ES256", kid: "ec" }), encodePart(huge))), "claims", `${name} ${number}`);
    }
  }
});

test("huge and malformed tokens are refused", async () => {
  const good = makeToken();
  const [head = "", body = "", signature = ""] = good.split(".");
  const bad = [
    "",
    ".",
    "..",
    "...",
    "a",
    "a.b",
    "a.b.c",
    `${head}.${body}`,
    `${head}.${body}.`,
    `${good}.`,
    `.${good}`,
    `${good}.x`,
    `${head}..${signature}`,
    `.${body}.${signature}`,
    `Bearer ${good}`,
    `${good} x`,
    `${good}, ${good}`,
    `${good}=`,
    `${head}=.${body}.${signature}`,
    `${head}.${body}.${signature}A`,
    `${head}.${body}.${signature.slice(0, -2)}`,
    `${head}.${body}.${"A".repeat(signature.length)}`,
    `${encodePart("[]")}.${body}.${signature}`,
    `${encodePart("null")}.${body}.${signature}`,
    `${encodePart("{")}.${body}.${signature}`,
    `${head}.${encodePart("1")}.${signature}`,
    `${head}.${encodePart('"x"')}.${signature}`,
    `${Buffer.from([0x7b, 0xff, 0x7d]).toString("base64url")}.${body}.${signature}`,
    "A".repeat(MAX_TOKEN_BYTES + 1),
    `${"A".repeat(100_000)}.${"B".repeat(100_000)}.${"C".repeat(100_000)}`,
    ".".repeat(8000),
    `${head}.${encodePart(`{"a":${"[".repeat(2900)}${"]".repeat(2900)}}`)}.${signature}`,
  ];
  for (const token of bad) assert.notEqual(await reasonOf(token), "ok", token.slice(0, 80));
  assert.equal(await reasonOf(good), "ok");
});

test("the last character of each part has one spelling", async () => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (const alg of ["RS256", "ES256", "EdDSA"] as const) {
    const good = makeToken({}, {}, alg);
    const signature = good.slice(good.lastIndexOf(".") + 1);
    const same = [...letters].filter(
      (last) => Buffer.from(signature.slice(0, -1) + last, "base64url").equals(Buffer.from(signature, "base64url")) && !good.endsWith(last),
    );
    assert.ok(same.length > 0, alg);
    for (const last of same) assert.equal(await reasonOf(good.slice(0, -1) + last), "malformed", alg);
  }
});

test("a signature is good exactly as it was made: other bits, numbers, lengths and forms are none", async () => {
  const flip = (token: string, bit: number): string => {
    const cut = token.lastIndexOf(".") + 1;
    const bytes = Buffer.from(token.slice(cut), "base64url");
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return token.slice(0, cut) + bytes.toString("base64url");
  };
  for (const alg of ["RS256", "ES256", "EdDSA"] as const) {
    // Numbers with leading zeros come up once in 128 signatures.
    for (let at = 0; at < (alg === "ES256" ? 600 : 20); at++) assert.equal(await reasonOf(makeToken({ jti: String(at) }, {}, alg)), "ok");
    const good = makeToken({}, {}, alg);
    const bits = Buffer.from(good.slice(good.lastIndexOf(".") + 1), "base64url").length * 8;
    for (let bit = 0; bit < bits; bit += 7) assert.equal(await reasonOf(flip(good, bit)), "signature", `${alg} bit ${bit}`);
  }
  const [head, body] = makeToken().split(".");
  const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
  const numbers = ["00".repeat(32), `${"00".repeat(31)}01`, order, "ff".repeat(32), `80${"00".repeat(31)}`, `00${"ff".repeat(31)}`];
  for (const hex of [
    ...numbers.flatMap((r) => numbers.map((s) => r + s)),
    "00",
    "00".repeat(63),
    "00".repeat(65),
    "00".repeat(128),
    "3006020101020101",
  ])
    assert.equal(await reasonOf(`${head}.${body}.${Buffer.from(hex, "hex").toString("base64url")}`), "signature", hex);
});

test("a key of another curve or a short one is not used, whatever the set calls it", async () => {
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const short = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const own = (JSON.parse(jwks) as { keys: { kid: string }[] }).keys;
  const set = JSON.stringify({
    keys: [
      { ...p384.publicKey.export({ format: "jwk" }), kid: "ec" },
      { ...short.publicKey.export({ format: "jwk" }), kid: "rsa" },
      ...own.filter(({ kid }) => kid === "ed"),
    ],
  });
  const odd = openGate(accessConfig(), { now: clock, readKeys: () => Promise.resolve(set) });
  for (const [alg, kid, key] of [
    ["ES256", "ec", p384.privateKey],
    ["RS256", "rsa", short.privateKey],
  ] as const) {
    const input = `${encodePart({ alg, kid })}.${encodePart(claims)}`;
    const signature = sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
    assert.equal(await statusOf(tokenHeaders(`${input}.${signature}`), odd), 401, alg);
  }
  assert.equal(await statusOf(tokenHeaders(makeToken({}, {}, "EdDSA")), odd), 200);
  for (const kid of ["ed", "ec"]) assert.equal(await statusOf(tokenHeaders(makeToken({}, { kid }, "RS256")), odd), 401, kid);
});

test("one flipped bit anywhere in a token is refused", async () => {
  const good = makeToken();
  for (let at = 0; at < good.length; at += 7) {
    const flipped = good.slice(0, at) + String.fromCharCode(good.charCodeAt(at) ^ 1) + good.slice(at + 1);
    if (/[^\x21-\x7e]/.test(flipped)) continue;
    assert.notEqual(await reasonOf(flipped), "ok");
  }
});

test("each allowed algorithm opens the gate, and a shorter allow-list closes it", async () => {
  for (const alg of ["RS256", "ES256", "EdDSA"] as const) assert.equal(await reasonOf(makeToken({}, {}, alg)), "ok");
  const narrow = openGate(accessConfig({ algorithms: ["RS256"] }), { now: clock, readKeys });
  assert.equal(await statusOf(tokenHeaders(makeToken()), narrow), 401);
  assert.equal(await statusOf(tokenHeaders(makeToken({}, {}, "RS256")), narrow), 200);
});

test("half a pair, a wrong half, an empty half and repeated headers are refused", async () => {
  assert.equal(await statusOf(pairHeaders("ci.example", SERVICE_SECRET)), 200);
  for (const [id, secret] of [
    ["ci.example", "wrong"],
    ["other", SERVICE_SECRET],
    ["ci.example", ""],
    ["", SERVICE_SECRET],
    ["", ""],
    ["CI.EXAMPLE", SERVICE_SECRET],
    ["ci.example", SERVICE_SECRET.toUpperCase()],
    ["__proto__", SERVICE_SECRET],
  ] as const) {
    assert.equal(await statusOf(pairHeaders(id, secret)), 401, `${id} ${secret}`);
  }
  assert.equal(await statusOf(new Headers({ "edge-access-client-id": "ci.example" })), 401);
  assert.equal(await statusOf(new Headers({ "edge-access-client-secret": SERVICE_SECRET })), 401);
  assert.equal(await statusOf(new Headers()), 401);
  for (const name of ["edge-access-client-id", "edge-access-client-secret"]) {
    const repeated = pairHeaders("ci.example", SERVICE_SECRET);
    repeated.append(name, repeated.get(name) ?? "");
    assert.equal(await statusOf(repeated), 401);
  }
  const twice = tokenHeaders(makeToken());
  twice.append("edge-access-token", makeToken());
  assert.equal(await statusOf(twice), 401);
});

test("when a token and a pair are sent, the token decides", async () => {
  const both = pairHeaders("ci.example", SERVICE_SECRET);
  for (const token of ["", "x", makeToken({ exp: NOW - 1 })]) {
    both.set("edge-access-token", token);
    assert.equal(await statusOf(both), 401);
  }
  both.set("edge-access-token", makeToken({ email: "eve@evil.test" }));
  assert.equal(await statusOf(both), 403);
  const badPair = pairHeaders("ci.example", "wrong");
  badPair.set("edge-access-token", makeToken());
  assert.equal(await statusOf(badPair), 200);
});

test("a valid identity outside the policy is 403, and look-alikes of an allowed domain are outside", async () => {
  for (const email of [
    "eve@evil.test",
    "eve@sub.example.org",
    "eve@example.org.evil.test",
    "eve@notexample.org",
    "example.org",
    "eve@example.org@evil.test",
    "eve@evil.test\u0000@example.org",
    "eve@exampl\u0435.org",
    "@example.org",
    "eve@example.org ",
    "eve@evil.test, ada@example.org",
    ["ada@example.org"],
    7,
    { email: "ada@example.org" },
  ]) {
    assert.equal(await statusOf(tokenHeaders(makeToken({ email }))), 403, JSON.stringify(email));
  }
  for (const unverified of [false, "false", "False", "", "TRUE", "yes", 0, 1, null, [true], {}])
    assert.equal(await statusOf(tokenHeaders(makeToken({ email_verified: unverified }))), 403, JSON.stringify(unverified));
  for (const verified of [true, "true", undefined])
    assert.equal(await statusOf(tokenHeaders(makeToken({ email_verified: verified }))), 200);
  assert.equal(await statusOf(tokenHeaders(makeToken({ email: "" }))), 403);
  assert.equal(await statusOf(tokenHeaders(makeToken({ email: undefined, sub: "nobody" }))), 403);
  assert.equal(await statusOf(pairHeaders("old.example", SERVICE_SECRET)), 403);
  assert.equal(await statusOf(tokenHeaders(makeToken({ email: "Ada@EXAMPLE.org" }))), 200);
  assert.equal(await statusOf(tokenHeaders(makeToken({ email: "guest@elsewhere.test" }))), 200);
  const nobody = openGate(accessConfig({ policy: {} }), { now: clock, readKeys });
  assert.equal(await statusOf(tokenHeaders(makeToken()), nobody), 403);
});

test("a token without an email speaks for the service whose id it names", async () => {
  const verdict = await gate.check(tokenHeaders(makeToken({ email: undefined, common_name: "ci.example", sub: "" })));
  assert.deepEqual(verdict, { ok: true, identity: { kind: "service", name: "ci", email: null } });
  assert.equal(await statusOf(tokenHeaders(makeToken({ email: undefined, common_name: "ci" }))), 403);
  assert.equal(await statusOf(tokenHeaders(makeToken({ email: undefined, common_name: "old.example" }))), 403);
});

test("the route for people takes a token of their application with an email, and nothing else", async () => {
  const human = async (headers: Headers): Promise<number> => {
    const verdict = await gate.check(headers, "people");
    return verdict.ok ? 200 : verdict.problem.status;
  };
  assert.equal(await human(tokenHeaders(makeToken({ aud: "library-people" }))), 200);
  assert.equal(await human(tokenHeaders(makeToken())), 403);
  assert.equal(await human(tokenHeaders(makeToken({ aud: "library-people", email: undefined, sub: "ci.example" }))), 403);
  assert.equal(await human(tokenHeaders(makeToken({ aud: "library-people", email: "eve@evil.test" }))), 403);
  assert.equal(await human(pairHeaders("ci.example", SERVICE_SECRET)), 403);
  assert.equal(await human(pairHeaders("ci.example", "wrong")), 401);
  assert.equal(await human(tokenHeaders(makeToken({ aud: "elsewhere" }))), 401);
  assert.equal(await human(new Headers()), 401);
  // And a token of the human application alone does not open the machine routes.
  assert.equal(await statusOf(tokenHeaders(makeToken({ aud: "library-people" }))), 401);
});

test("without an access section every check is 401 and says what to configure", async () => {
  const closed = openGate(null);
  for (const headers of [new Headers(), tokenHeaders(makeToken()), pairHeaders("ci.example", SERVICE_SECRET)]) {
    for (const verdict of [await closed.check(headers), await closed.check(headers, "people")]) {
      assert.ok(!verdict.ok);
      assert.equal(verdict.problem.code, "unauthenticated");
      assert.match(verdict.problem.fixes.join(), /access section/);
    }
  }
});

test("an access section without issuer or keys takes pairs and no token", async () => {
  for (const change of [{ issuer: null }, { jwks: null }, { issuer: null, jwks: null }]) {
    const pairsOnly = openGate(accessConfig(change), { now: clock, readKeys });
    assert.equal(await statusOf(pairHeaders("ci.example", SERVICE_SECRET), pairsOnly), 200);
    for (const iss of ["https://gateway.example.org", null, undefined, ""]) {
      assert.equal(await statusOf(tokenHeaders(makeToken({ iss })), pairsOnly), 401);
    }
  }
});

test("a changed policy, issuer, algorithm or service token takes effect on the next check", async () => {
  let config: AccessConfig | null = accessConfig();
  const changing = openGate(() => config, { now: clock, readKeys });
  const person = tokenHeaders(makeToken());
  assert.equal(await statusOf(person, changing), 200);
  config = accessConfig({ policy: { domains: [] } });
  assert.equal(await statusOf(person, changing), 403);
  config = accessConfig({ issuer: "https://other.example" });
  assert.equal(await statusOf(person, changing), 401);
  config = accessConfig({ algorithms: ["EdDSA"] });
  assert.equal(await statusOf(person, changing), 401);
  config = accessConfig({ serviceTokens: [] });
  assert.equal(await statusOf(pairHeaders("ci.example", SERVICE_SECRET), changing), 401);
  config = null;
  assert.equal(await statusOf(person, changing), 401);
});

test("a token that was let in is refused once it has expired, its key is gone, or its key file changed hands", async () => {
  let now = clock();
  let text = jwks;
  const aging = openGate(accessConfig({ jwks: "https://keys.example/jwks.json" }), {
    now: () => now,
    monotonic: () => now,
    readKeys: () => Promise.resolve(text),
  });
  const lasting = tokenHeaders(makeToken({ exp: NOW + 100_000 }));
  const short = tokenHeaders(makeToken({ exp: NOW + 5 }));
  assert.equal(await statusOf(short, aging), 200);
  now += 5_000;
  assert.equal(await statusOf(short, aging), 401);
  assert.equal(await statusOf(lasting, aging), 200);
  text = JSON.stringify({ keys: (JSON.parse(text) as { keys: { kid: string }[] }).keys.filter((key) => key.kid !== "ec") });
  now += 11 * 60_000;
  assert.equal(await statusOf(lasting, aging), 401);
  text = jwks;
  now += 11 * 60_000;
  assert.equal(await statusOf(lasting, aging), 200);
  // Another key under its id: whatever was judged a moment ago was judged by the old one.
  const foreign = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
  text = JSON.stringify({ keys: [{ ...foreign, kid: "ec", alg: "ES256", use: "sig" }] });
  now += 590_000;
  assert.equal(await statusOf(lasting, aging), 200, "the keys are young enough");
  now += 20_000;
  assert.equal(await statusOf(lasting, aging), 401);
});

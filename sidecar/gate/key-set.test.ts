/** Keys as they come, change, go and come from elsewhere, seen through the gate. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { accessConfig, clock, jwks, makeHmacToken, makeToken, NOW, tokenHeaders } from "./gate-fixture.ts";
import { type Gate, openGate } from "./gate.ts";

async function statusOf(headers: Headers, from: Gate): Promise<number> {
  const verdict = await from.check(headers);
  return verdict.ok ? 200 : verdict.problem.status;
}

test("when access.jwks names other keys, a token of the old ones is refused, also one that was being checked meanwhile", async () => {
  const foreign = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
  const sets: Readonly<Record<string, string>> = {
    "/old.json": jwks,
    "/new.json": JSON.stringify({ keys: [{ ...foreign, kid: "ec", alg: "ES256", use: "sig" }] }),
  };
  let held: Promise<void> | null = null;
  let config = accessConfig({ jwks: "/old.json" });
  const moving = openGate(() => config, {
    now: clock,
    readKeys: async (location) => {
      if (location === "/old.json") await held;
      return sets[location] ?? "";
    },
  });
  const used = tokenHeaders(makeToken());
  assert.equal(await statusOf(used, moving), 200);
  config = accessConfig({ jwks: "/new.json" });
  assert.equal(await statusOf(used, moving), 401);
  assert.equal(await statusOf(used, moving), 401);
  config = accessConfig({ jwks: "/old.json" });
  assert.equal(await statusOf(used, moving), 200, "a refusal by other keys is worth nothing, too");

  // Its keys are still being read when the location changes; its verdict comes after the new keys were asked.
  config = accessConfig({ jwks: "/new.json" });
  assert.equal(await statusOf(tokenHeaders(makeToken({ sub: "person-2" })), moving), 401);
  let release = (): void => undefined;
  held = new Promise((resolve) => (release = resolve));
  config = accessConfig({ jwks: "/old.json" });
  const late = tokenHeaders(makeToken({ sub: "person-3" }));
  const checking = statusOf(late, moving);
  config = accessConfig({ jwks: "/new.json" });
  assert.equal(await statusOf(tokenHeaders(makeToken({ sub: "person-4" })), moving), 401);
  release();
  assert.equal(await checking, 200, "it was asked under the old configuration");
  assert.equal(await statusOf(late, moving), 401);
});

test("an unknown key id fetches the keys again, at most once a minute", async () => {
  let now = clock();
  let fetches = 0;
  let text = JSON.stringify({ keys: [] });
  const counting = openGate(accessConfig({ jwks: "https://keys.example/jwks.json" }), {
    now: () => now,
    monotonic: () => now,
    readKeys: () => {
      fetches++;
      return Promise.resolve(text);
    },
  });
  const headers = tokenHeaders(makeToken());
  assert.equal(await statusOf(headers, counting), 401);
  assert.equal(fetches, 1);
  text = jwks;
  for (let at = 0; at < 50; at++) await counting.check(tokenHeaders(makeToken({}, { kid: `k${at}` })));
  assert.equal(fetches, 1);
  now += 60_000;
  assert.equal(await statusOf(headers, counting), 200);
  assert.equal(fetches, 2);
  await Promise.all(Array.from({ length: 20 }, (_, at) => counting.check(tokenHeaders(makeToken({}, { kid: `x${at}` })))));
  assert.equal(fetches, 2);
});

test("another key under the same id counts as soon as a signature fails, and what is forged asks for keys once a minute at most", async () => {
  const old = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
  let monotonic = 5;
  let fetches = 0;
  let text = JSON.stringify({ keys: [{ ...old, kid: "ec", alg: "ES256", use: "sig" }] });
  const gate = openGate(accessConfig({ jwks: "https://keys.example/jwks.json" }), {
    now: clock,
    monotonic: () => monotonic,
    readKeys: () => {
      fetches++;
      return text === "down" ? Promise.reject(new Error("down")) : Promise.resolve(text);
    },
  });
  const status = (sub: string) => statusOf(tokenHeaders(makeToken({ sub })), gate);
  assert.deepEqual([await status("a"), fetches], [401, 1]);
  text = jwks;
  for (let at = 0; at < 50; at++) assert.equal(await status(`b${at}`), 401);
  assert.equal(fetches, 1, "not within a minute of the last");
  monotonic += 60_000;
  assert.deepEqual([await status("a"), await status("b0"), fetches], [200, 200, 2], "one that was refused is asked for again");
  const forged = (sub: string) => statusOf(tokenHeaders(`${makeToken({ sub }).slice(0, -8)}AAAAAAAA`), gate);
  monotonic += 60_000;
  await Promise.all(Array.from({ length: 20 }, (_, at) => forged(`c${at}`)));
  assert.equal(fetches, 3, "all of them together ask once");
  assert.equal(await status("a"), 200, "the same keys came, and go on to count");
  text = "down";
  monotonic += 60_000;
  assert.deepEqual([await forged("d"), await status("a"), fetches], [401, 200, 4]);
  text = JSON.stringify({ keys: [] });
  monotonic += 60_000;
  assert.deepEqual([await forged("e"), await status("a"), fetches], [401, 401, 5], "keys that are gone are gone for everybody");
});

test("the last good keys are kept while their source is down or answers nonsense", async () => {
  let now = clock();
  let broken = false;
  const keeping = openGate(accessConfig({ jwks: "https://keys.example/jwks.json" }), {
    now: () => now,
    monotonic: () => now,
    readKeys: () => (broken ? Promise.reject(new Error("down")) : Promise.resolve(jwks)),
  });
  const headers = tokenHeaders(makeToken({ exp: NOW + 1_000_000 }));
  assert.equal(await statusOf(headers, keeping), 200);
  broken = true;
  for (let minutes = 0; minutes < 100; minutes++) {
    now += 60_000;
    assert.equal(await statusOf(headers, keeping), 200);
  }
  for (const nonsense of ["", "<html>", "[]", "{}", '{"keys":1}', "null"]) {
    const odd = openGate(accessConfig(), { now: clock, readKeys: () => Promise.resolve(nonsense) });
    assert.equal(await statusOf(headers, odd), 503);
  }
});

test("a shared-secret or private key in the set opens nothing", async () => {
  const secret = Buffer.from("shared").toString("base64url");
  const odd = openGate(accessConfig(), {
    now: clock,
    readKeys: () => Promise.resolve(JSON.stringify({ keys: [{ kty: "oct", k: secret, kid: "oct" }, 7, null, { kid: "x" }] })),
  });
  for (const alg of ["HS256", "RS256"]) {
    assert.equal(await statusOf(tokenHeaders(makeHmacToken("shared", { alg, kid: "oct" })), odd), 401);
  }
});

test("keys come over HTTP from the configured address only, never by a redirect, never without end", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url === "/moved") response.writeHead(302, { location: "/jwks" }).end();
    else if (request.url === "/endless") response.end(Buffer.alloc(1024 * 1024, " "));
    else if (request.url === "/error") response.writeHead(500).end(jwks);
    else response.end(jwks);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const headers = tokenHeaders(makeToken());
    assert.equal(await statusOf(headers, openGate(accessConfig({ jwks: `${base}/jwks` }), { now: clock })), 200);
    for (const path of ["/moved", "/endless", "/error"]) {
      assert.equal(await statusOf(headers, openGate(accessConfig({ jwks: base + path }), { now: clock })), 503, path);
    }
    assert.deepEqual(asked, ["/jwks", "/moved", "/endless", "/error"]);
  } finally {
    server.close();
  }
});

test("a wall clock that is set back holds up neither withdrawn nor new keys, and makes no verdict last longer", async () => {
  let now = clock();
  let monotonic = 5;
  let text = jwks;
  let fetches = 0;
  const gate = openGate(accessConfig({ jwks: "https://keys.example/jwks.json" }), {
    now: () => now,
    monotonic: () => monotonic,
    readKeys: () => {
      fetches++;
      return Promise.resolve(text);
    },
  });
  const headers = tokenHeaders(makeToken({ exp: NOW + 100_000, nbf: NOW - 10_000 }));
  assert.equal(await statusOf(headers, gate), 200);
  assert.equal(fetches, 1);
  now -= 3_600_000;
  monotonic += 60_001;
  // A key id that is not known: asked for again after a minute of real time.
  assert.equal(await statusOf(tokenHeaders(makeToken({ nbf: undefined }, { kid: "new" })), gate), 401);
  assert.equal(fetches, 2);
  text = JSON.stringify({ keys: (JSON.parse(jwks) as { keys: { kid: string }[] }).keys.filter(({ kid }) => kid !== "ec") });
  monotonic += 11 * 60_000;
  assert.equal(await statusOf(headers, gate), 401, "its key was withdrawn more than ten minutes ago");
  assert.equal(fetches, 3);
});

test("keys whose source has been down for longer than is stated are believed no more: 503 until it is back", async () => {
  let monotonic = 5;
  let broken = false;
  for (const [hours, change] of [
    [24, {}],
    [2, { jwksMaxAgeHours: 2 }],
  ] as const) {
    broken = false;
    const gate = openGate(accessConfig({ jwks: "https://keys.example/jwks.json", ...change }), {
      now: clock,
      monotonic: () => monotonic,
      readKeys: () => (broken ? Promise.reject(new Error("down")) : Promise.resolve(jwks)),
    });
    const headers = tokenHeaders(makeToken());
    assert.equal(await statusOf(headers, gate), 200);
    broken = true;
    monotonic += hours * 3_600_000 - 1;
    assert.equal(await statusOf(headers, gate), 200, `until ${hours} hours`);
    monotonic += 1;
    const verdict = await gate.check(headers);
    assert.deepEqual([verdict.ok, !verdict.ok && verdict.problem.code], [false, "keys_unavailable"]);
    assert.equal(await statusOf(tokenHeaders(makeToken({}, { kid: "other" })), gate), 503);
    broken = false;
    monotonic += 1_000;
    assert.equal(await statusOf(headers, gate), 200, "as soon as it is back");
  }
});

test("a pipe in place of the key file is not waited for", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "keys-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  execFileSync("mkfifo", [join(dir, "keys.json")]);
  assert.equal(await statusOf(tokenHeaders(makeToken()), openGate(accessConfig({ jwks: join(dir, "keys.json") }), { now: clock })), 503);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { openRateLimiter, RATES } from "./limits.ts";

test("a client is refused above its quota, told when to come back, and let in again after the window", () => {
  let now = 1_000_000;
  const limiter = openRateLimiter({ monotonic: () => now });
  for (let at = 0; at < RATES.ask; at++) assert.ok(limiter.take("ask", "a").ok);
  now += 15_400;
  const refused = limiter.take("ask", "a");
  assert.deepEqual(refused, {
    ok: false,
    headers: { "RateLimit-Policy": '"ask";q=10;w=60', RateLimit: '"ask";r=0;t=45', "Retry-After": "45" },
  });
  assert.ok(limiter.take("ask", "b").ok);
  assert.ok(limiter.take("code", "a").ok);
  now += 44_600;
  assert.deepEqual(limiter.take("ask", "a"), { ok: true, headers: { "RateLimit-Policy": '"ask";q=10;w=60', RateLimit: '"ask";r=9;t=60' } });
});

test("a wall clock that is set back neither locks anybody out nor gives anybody a new quota", (context) => {
  const { now } = Date;
  let setBack = 0;
  context.mock.method(Date, "now", () => now() - setBack);
  const limiter = openRateLimiter();
  for (let at = 0; at < 20; at++) limiter.take("ask", "a");
  setBack = 3_600_000;
  assert.ok(!limiter.take("ask", "a").ok);
  assert.ok(limiter.take("ask", "b").ok);
});

test("more clients than are remembered do not grow the memory without end", () => {
  const limiter = openRateLimiter();
  for (let at = 0; at < 200_000; at++) limiter.take("code", `client ${at}`);
  assert.ok(limiter.take("code", "client 0").ok);
});

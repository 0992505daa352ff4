import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson, sha256, SHA256_PATTERN, sha256Of } from "./digest.ts";

test("what JSON cannot hold has no canonical form", () => {
  for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 0, ["\ud800"]]) {
    assert.throws(() => canonicalJson(value), Error, String(value));
  }
});

test("members are sorted by UTF-16 code unit, and numbers are as short as they can be (RFC 8785 §3.2)", () => {
  assert.equal(
    canonicalJson({ "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 }),
    '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
  );
  // The example of RFC 8785 as it is written there.
  // oxlint-disable-next-line no-loss-of-precision
  assert.equal(canonicalJson([333333333.33333329, 1e30, 4.5, 2e-3, 1e-27, -0]), "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]");
  assert.equal(canonicalJson({ b: [{ d: null, c: true }], a: "\u2028/\u0008" }), '{"a":"\u2028/\\b","b":[{"c":true,"d":null}]}');
});

test("the order in which members were set does not show", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse());
      assert.equal(canonicalJson(turned), canonicalJson(value));
    }),
  );
});

test("digests are those of sha256sum, for text, bytes and any cut into chunks", async () => {
  assert.equal(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.equal(sha256("hello\n"), "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
  const bytes = Uint8Array.from({ length: 1000 }, (_, at) => (at * 7) % 256);
  const printed = execFileSync("sha256sum", { input: bytes, encoding: "utf8" }).slice(0, 64);
  assert.equal(sha256(bytes), printed);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 1000 }), { maxLength: 5 }), async (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
      assert.equal(await sha256Of(chunks), printed);
    }),
    { numRuns: 30 },
  );
});

test("only 64 lower-case hex digits and nothing around them are a digest", () => {
  const good = sha256("");
  assert.match(good, SHA256_PATTERN);
  for (const bad of [good.toUpperCase(), good.slice(1), `${good}0`, `${good}\n`, ` ${good}`, ""]) assert.doesNotMatch(bad, SHA256_PATTERN);
});

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test, type TestContext } from "node:test";
import { ShelfError } from "../../errors.ts";
import type { Bucket } from "./bucket.ts";
import { RETRY_LIMITS } from "./retry.ts";
import { openBucket } from "./s3-bucket.ts";
import { type DoubledObject, listPage, openS3Double, type S3Double } from "./s3-double-fixture.ts";
import { useCredentials } from "./ceph-fixture.ts";

const QUICK = { ...RETRY_LIMITS, firstPauseMs: 1, longestPauseMs: 20 };
const text = (bytes: string): Buffer => Buffer.from(bytes);

async function keysOf(bucket: Bucket): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list()) keys.push(key);
  return keys;
}

async function openDouble(t: TestContext, ...given: Parameters<typeof openS3Double>): Promise<S3Double> {
  useCredentials({ accessKeyId: "double", secretAccessKey: "double" });
  const double = await openS3Double(...given);
  t.after(() => double.close());
  return double;
}

/** A store whose pages are these, in turn, whatever is asked. */
async function openPages(t: TestContext, pages: readonly string[]): Promise<Bucket> {
  let at = 0;
  const { config } = await openDouble(t, () => ({ status: 200, body: pages[at++ % pages.length] ?? "" }));
  return openBucket(config, { ...QUICK, attempts: 2 });
}

const rows = (...keys: string[]): DoubledObject[] => keys.map((key) => ({ key }));

test("a list that cannot be whole is an error and never the end of it", async (t) => {
  const whole = listPage(rows("a", "b"), "next");
  for (const [what, pages] of [
    ["a continuation that comes again", [whole, listPage(rows("c", "d"), "next"), listPage(rows("e"), "next")]],
    ["keys that come again", [whole, listPage(rows("b", "c"), null)]],
    ["keys that do not ascend", [listPage(rows("b", "a"), null)]],
    ["an order by code units", [listPage(rows("\u{1F600}", "\uFF5E"), null)]],
    ["no continuation", [whole.replace(/<NextC.*Token>/, "")]],
    ["fewer keys than it says", [whole.replace("<KeyCount>2", "<KeyCount>3")]],
    ["nothing said of more", [whole.replace(/<IsTruncated>.*<\/IsTruncated>/, "")]],
    ["half of the XML", [listPage(rows("a", "b"), null).slice(0, -120)]],
    ["a page of a proxy", ["<html><body>Please log in</body></html>"]],
    ["nothing", [""]],
    ["a key without a size", [listPage(rows("a"), null).replace(/<Size>.*<\/Size>/, "")]],
  ] as const) {
    const bucket = await openPages(t, pages);
    await assert.rejects(
      keysOf(bucket),
      (error: unknown) =>
        error instanceof ShelfError && error.code === "bucket_unavailable" && error.message.startsWith("Listing s3://double/"),
      what,
    );
  }
  const bucket = await openPages(t, [whole, listPage(rows("c", "\uFF5E", "\u{1F600}"), null)]);
  assert.deepEqual(await keysOf(bucket), ["a", "b", "c", "\uFF5E", "\u{1F600}"]);
});

test("bytes of a key that are no UTF-8 are shown, and the key is marked", async (t) => {
  const bucket = await openPages(t, [listPage(rows("KEY"), null).replace("KEY", "a%FF%2Bb+c")]);
  for await (const { key, unreadable } of bucket.list()) assert.deepEqual([key, unreadable], ["a\\xff+b c", true]);
});

test("a store that has no conditional writes says so, and one that ignores them lets two write", async (t) => {
  const lacking = await openDouble(t, () => ({ status: 501, body: "<Error><Code>NotImplemented</Code></Error>" }));
  await assert.rejects(openBucket(lacking.config, QUICK).putIfAbsent("a", text("x")), (error: unknown) => {
    assert.ok(error instanceof ShelfError && error.code === "bucket_unavailable");
    assert.match(error.fixes.join(), /conditional writes/);
    return true;
  });
  assert.equal(lacking.requests.length, 1);
  const ignoring = await openDouble(t, () => ({ status: 200, headers: { etag: '"1"' } }));
  const bucket = openBucket(ignoring.config, QUICK);
  assert.equal(await bucket.putIfAbsent("a", text("x")), "written");
  assert.equal(await bucket.putIfAbsent("a", text("y")), "written");
});

test("an answer of another length than it says, or of another version than was asked for, is not taken", async (t) => {
  let length = "100";
  const double = await openDouble(t, () => ({ status: 200, body: "0123456789", headers: { etag: '"1"', "content-length": length } }));
  const bucket = openBucket(double.config, { ...QUICK, attempts: 2, patienceMs: 300 });
  await assert.rejects(bucket.get("a"), /s3:\/\/double\/a failed/);
  length = "10";
  assert.deepEqual(await bucket.get("a", { ifMatch: "2" }), { state: "changed" });
  const range = await bucket.get("a", { range: { start: 2, end: 4 } });
  assert.ok(range.state === "found" && range.bytes.toString() === "234", "a store that knows no ranges sends everything");
});

test("bytes that are not those of the store's checksum are not taken", async (t) => {
  let checksum = "";
  const double = await openDouble(t, ({ headers }) => ({
    status: 200,
    body: "0123456789",
    headers: { etag: '"1"', ...(headers["x-amz-checksum-mode"] === "ENABLED" ? { "x-amz-checksum-sha256": checksum } : {}) },
  }));
  const bucket = openBucket(double.config, { ...QUICK, attempts: 2 });
  checksum = hash("sha256", "0123456789", "base64");
  const got = await bucket.get("a");
  assert.equal(got.state === "found" && got.bytes.toString(), "0123456789");
  assert.equal((await bucket.get("a", { maxBytes: 5 })).state, "longer");
  checksum = hash("sha256", "012345678x", "base64");
  await assert.rejects(bucket.get("a"), (error: unknown) => error instanceof ShelfError && error.code === "bucket_unavailable");
});

test("an ETag that a store takes in quotes only is sent so the second time", async (t) => {
  let stored = "one";
  const double = await openDouble(t, ({ method, headers }, body) => {
    if (method === "GET") return { status: 200, body: stored, headers: { etag: '"1"' } };
    if (headers["if-match"] !== '"1"') return { status: 412 };
    stored = body.toString();
    return { status: 200, headers: { etag: '"2"' } };
  });
  assert.equal(await openBucket(double.config, QUICK).putIfMatch("a", text("two"), "1"), "2");
  assert.equal(stored, "two");
});

/** The driver against a server: how it refuses, and what it makes of requests that fail. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { ShelfError } from "../../errors.ts";
import type { Bucket } from "./bucket.ts";
import type { CephServer } from "./ceph-fixture.ts";
import { type Fault, FAULTS, openFaultProxy } from "./fault-proxy-fixture.ts";
import { RETRY_LIMITS } from "./retry.ts";
import { openBucket } from "./s3-bucket.ts";
import { makeBucket, useCredentials } from "./ceph-fixture.ts";

const QUICK = { ...RETRY_LIMITS, firstPauseMs: 1, longestPauseMs: 20 };
const text = (bytes: string): Buffer => Buffer.from(bytes);

async function keysOf(bucket: Bucket): Promise<string[]> {
  return Array.fromAsync(bucket.list(), ({ key }) => key);
}

/** DRIVER_SUITE is name → test of it against a server. */
export const DRIVER_SUITE: readonly (readonly [name: string, work: (t: TestContext, server: CephServer) => Promise<void>])[] = [
  [
    "a refusal names bucket and key and what to do, and nothing secret",
    async (_, server) => {
      const config = await makeBucket(server);
      const refused = async (bucket: Bucket, code: string, said: RegExp, fix: RegExp): Promise<void> => {
        for (const work of [
          () => bucket.get("a"),
          () => bucket.put("a", text("x")),
          () => keysOf(bucket),
          () => bucket.putIfAbsent("a", text("x")),
        ])
          await assert.rejects(work, (error: unknown) => {
            assert.ok(error instanceof ShelfError);
            assert.equal(error.code, code);
            assert.match(error.message, said);
            assert.match(error.fixes.join(), fix);
            for (const secret of [server.owner.secretAccessKey, server.other.secretAccessKey])
              assert.ok(!`${error.message}${error.fixes.join()}`.includes(secret));
            return true;
          });
      };
      await refused(
        openBucket({ ...config, bucket: "no-such-bucket" }),
        "bucket_unavailable",
        /s3:\/\/no-such-bucket\/.*404 NoSuchBucket/,
        /make it/,
      );
      useCredentials(server.other);
      await refused(openBucket(config), "bucket_denied", new RegExp(`s3://${config.bucket}/.*403 AccessDenied`), /may not do this/);
      useCredentials({ accessKeyId: "owner-access-key", secretAccessKey: "wrong" });
      await refused(openBucket(config), "bucket_denied", /403 SignatureDoesNotMatch/, /does not know these credentials/);
      process.env["AWS_ACCESS_KEY_ID"] = "";
      const before = process.env["HOME"];
      process.env["HOME"] = "/nonexistent";
      await refused(openBucket(config), "bucket_denied", /no credentials were found/, /AWS_ACCESS_KEY_ID/);
      process.env["HOME"] = before;
    },
  ],
  [
    "whatever happens to the first requests, each operation does what it says",
    async (t, server) => {
      const config = await makeBucket(server);
      const proxy = await openFaultProxy(server.endpoint);
      t.after(() => proxy.close());
      const bucket = openBucket({ ...config, endpoint: proxy.endpoint }, QUICK);
      await bucket.put("first", text("x"));
      const patterns: readonly (readonly (Fault | null)[])[] = [
        ...FAULTS.map((fault) => [fault]),
        ["lost", "lost", "500", "cut"],
        ["503", "half", "lost", null, "cut"],
      ];
      for (const [at, pattern] of patterns.entries()) {
        const under = async <T>(work: () => Promise<T>): Promise<T> => {
          proxy.reset();
          proxy.fault = (n) => pattern[n] ?? null;
          return work().finally(() => (proxy.fault = () => null));
        };
        const said = JSON.stringify(pattern);
        await under(() => bucket.put(`put ${at}`, text("one")));
        const got = await under(() => bucket.get(`put ${at}`));
        assert.equal(got.state === "found" && got.bytes.toString(), "one", said);
        assert.equal(await under(() => bucket.putIfAbsent(`new ${at}`, text("mine"))), "written", said);
        assert.equal(await under(() => bucket.putIfAbsent(`new ${at}`, text("other"))), "other", said);
        assert.ok(got.state === "found");
        const etag = await under(() => bucket.putIfMatch(`put ${at}`, text("two"), got.etag));
        assert.equal((await bucket.head(`put ${at}`))?.etag, etag, said);
        assert.equal(await under(() => bucket.putIfMatch(`put ${at}`, text("three"), got.etag)), null, said);
        assert.equal((await under(() => keysOf(bucket))).length, 2 * at + 3, said);
        assert.equal((await under(() => bucket.head("first")))?.size, 1, said);
        await under(() => bucket.put("gone", text("x")));
        await under(() => bucket.delete("gone"));
        assert.equal(await under(() => bucket.head("gone")), null, said);
      }
    },
  ],

  [
    "an operation ends when the store stays broken, and says so",
    async (t, server) => {
      const config = await makeBucket(server);
      const proxy = await openFaultProxy(server.endpoint);
      t.after(() => proxy.close());
      const bucket = openBucket({ ...config, endpoint: proxy.endpoint }, { ...QUICK, patienceMs: 200 });
      for (const [fault, said] of [
        ["cut", /there was no answer/],
        ["lost", /there was no answer/],
        ["half", /./],
        ["500", /500 InternalError/],
        ["503", /503 SlowDown/],
      ] as const) {
        proxy.fault = () => fault;
        for (const work of [
          () => bucket.get("a b"),
          () => bucket.put("a b", text("x")),
          () => keysOf(bucket),
          () => bucket.putIfAbsent("a b", text("x")),
        ]) {
          proxy.reset();
          // An answer without a body cannot be cut in half.
          await work().then(
            () => assert.equal(fault, "half"),
            (error: unknown) => {
              assert.ok(error instanceof ShelfError && error.code === "bucket_unavailable", String(error));
              assert.match(error.message, said);
              assert.match(error.message, new RegExp(`s3://${config.bucket}/`));
            },
          );
          assert.ok(proxy.requests.length <= 2 * QUICK.attempts, `${proxy.requests.length} requests`);
        }
      }
      proxy.fault = () => "403";
      proxy.reset();
      await assert.rejects(bucket.get("a"), (error: unknown) => error instanceof ShelfError && error.code === "bucket_denied");
      assert.equal(proxy.requests.length, 1, "a refusal is not tried again");
      proxy.fault = () => null;
      proxy.delayMs = 60_000;
      await assert.rejects(bucket.get("a"), /nothing came for 0.2 s/);
    },
  ],
];

import assert from "node:assert/strict";
import { openFaultProxy } from "./fault-proxy-fixture.ts";
import { openBucket } from "./s3-bucket.ts";
import { bucketTest, makeBucket, useCredentials } from "./memory-server-fixture.ts";
import { sha256 } from "../../digest.ts";
import { ShelfError } from "../../errors.ts";
import { parseCodeRef } from "../../format/code-ref.ts";
import { readChecked, WrongBytes } from "../../shelf/checked-read.ts";
import { type CodeStore, MAX_CODE_BYTES } from "../../shelf/code-store.ts";
import { openCodeStore } from "../../code/code-store.ts";

const HEAD = "0123456789abcdef0123456789abcdef01234567";
const ref = (path: string) => parseCodeRef("proofs", HEAD, path);
const keyOf = (path: string): string => `proofs/${HEAD}/${path}`;

async function unavailable(store: CodeStore): Promise<void> {
  for (const ask of [
    () => store.read(ref("a")),
    () => store.stat(ref("a")),
    () => store.open(ref("a")),
    () => Array.fromAsync(store.list()),
  ])
    await assert.rejects(
      ask,
      (error: unknown) => error instanceof ShelfError && error.code === "code_store_unavailable" && !error.message.includes("bucket"),
    );
}

bucketTest("a store that is not there, or does not let us in, is unavailable, not empty", async (_, server) => {
  const config = await makeBucket(server);
  await unavailable(openCodeStore({ kind: "s3", ...config, bucket: "no-such-bucket" }));
  await openBucket(config).put(keyOf("a"), Buffer.from("x"));
  useCredentials(server.other);
  await unavailable(openCodeStore({ kind: "s3", ...config }));
});

bucketTest("a file is read with its digest, listed with its size, and absent where there is none", async (_, server) => {
  const config = await makeBucket(server, "code/");
  const bucket = openBucket(config);
  const store = openCodeStore({ kind: "s3", ...config });
  const name = "src/Ünï cöde [1]*+%41.lean";
  await bucket.put(keyOf(name), Buffer.from("theorem"));
  await bucket.put(keyOf("empty.v"), Buffer.from(""));
  await bucket.put(keyOf("folder/"), Buffer.from(""));
  await bucket.put(keyOf("bad\\name"), Buffer.from("x"));
  await bucket.put(keyOf("a/../b"), Buffer.from("x"));
  await bucket.put("proofs/not-a-head/x", Buffer.from("x"));
  await bucket.put(".git/config", Buffer.from("x"));
  const file = await store.read(ref(name));
  assert.equal(Buffer.from(file?.bytes ?? []).toString(), "theorem");
  assert.equal(file?.sha256, sha256("theorem"));
  assert.deepEqual(await store.stat(ref(name)), { size: 7 });
  assert.deepEqual(await store.stat(ref("empty.v")), { size: 0 });
  assert.equal((await store.read(ref("empty.v")))?.sha256, sha256(""));
  for (const path of ["none", "src", "folder", "empty.v/x", `${"d/".repeat(500)}x`]) {
    assert.equal(await store.read(ref(path)), null, path);
    assert.equal(await store.stat(ref(path)), null, path);
  }
  await assert.rejects(store.read({ repo: "..", head: "x", path: "y" }), { code: "bad_code_path" });
  const listed = await Array.fromAsync(store.list());
  assert.deepEqual(
    listed.map(({ path, size, problem }) => [path, size, problem]),
    [
      ["a/../b", 1, "has a dot segment"],
      ["bad\\name", 1, "has a backslash"],
      ["empty.v", 0, null],
      [name, 7, null],
    ],
  );
});

bucketTest("a long file is checked part by part in few requests, and ends where it becomes another", async (t, server) => {
  const config = await makeBucket(server);
  const bucket = openBucket(config);
  const proxy = await openFaultProxy(server.endpoint);
  t.after(() => proxy.close());
  const store = openCodeStore({ kind: "s3", ...config, endpoint: proxy.endpoint });
  const bytes = Buffer.alloc(9_000_000, "abcdefghi");
  await bucket.put(keyOf("long.v"), bytes);
  const open = async () => {
    const file = await store.open(ref("long.v"));
    assert.ok(file !== null);
    return file;
  };
  const accept = (digest: string): boolean => digest === sha256(bytes);
  // Each third request fails on the way.
  proxy.fault = (n) => (n % 3 === 2 ? "half" : null);
  const body = await readChecked(await open(), accept, 5, bytes.length - 3);
  assert.ok(!(body instanceof Uint8Array));
  assert.ok(Buffer.concat(await Array.fromAsync(body)).equals(bytes.subarray(5, -2)));
  assert.ok(proxy.requests.length < 15, `${proxy.requests.length} requests`);
  proxy.fault = () => null;
  assert.ok(Buffer.from((await store.read(ref("long.v")))?.bytes ?? []).equals(bytes));

  const changing = await readChecked(await open(), accept, 0, bytes.length - 1);
  assert.ok(!(changing instanceof Uint8Array));
  await bucket.put(keyOf("long.v"), Buffer.alloc(bytes.length, "x"));
  await assert.rejects(Array.fromAsync(changing), WrongBytes);
  await assert.rejects(readChecked(await open(), accept, 0, 10), WrongBytes);
  await bucket.put(keyOf("huge.v"), Buffer.alloc(MAX_CODE_BYTES + 1));
  await assert.rejects(store.read(ref("huge.v")), /larger than/);
  await assert.rejects(store.open(ref("huge.v")), /larger than/);
});

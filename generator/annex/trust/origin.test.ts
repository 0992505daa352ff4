/** What a stranger's host may send in the place of a file. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ShelfError } from "../../../snapshots/errors.ts";
import { openOrigin } from "./origin.ts";

const TEXT = Buffer.from("one line\n".repeat(100));
const ANSWERS: Readonly<Record<string, readonly [encoding: string, bytes: Buffer]>> = {
  "/plain": ["identity", TEXT],
  "/gzip": ["gzip", gzipSync(TEXT)],
  "/bomb": ["gzip", gzipSync(Buffer.alloc(64 * 1024 * 1024))],
  "/torn": ["gzip", gzipSync(TEXT).subarray(0, 20)],
  "/no-gzip": ["gzip", TEXT],
  "/br": ["br", brotliCompressSync(TEXT)],
};

test("a file that lies compressed on a host of files is the file, and no more of it is unpacked than it may be long", async (t) => {
  const host = createServer(({ url = "" }, response) => {
    const [encoding, bytes] = ANSWERS[url] ?? ["gzip", Buffer.from("no")];
    response.writeHead(url in ANSWERS ? 200 : 404, { "content-encoding": encoding }).end(bytes);
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const origin = openOrigin(`http://127.0.0.1:${(host.address() as AddressInfo).port}`);
  t.after(async () => {
    await origin.close();
    host.close();
  });
  for (const path of ["/plain", "/gzip"]) assert.deepEqual(await origin.get(path, TEXT.length), TEXT);
  assert.equal(await origin.get("/none", TEXT.length), null);
  for (const path of ["/bomb", "/torn", "/no-gzip", "/br"])
    await assert.rejects(origin.get(path, 100_000), (error: unknown) => error instanceof ShelfError && error.code === "origin_refused");
  await assert.rejects(origin.get("/gzip", TEXT.length - 1), /is no gzip of at most/);
});

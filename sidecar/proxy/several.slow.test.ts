/** nginx in front of several site servers. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { findProxyProblem, send, startOrigin, startProxy } from "./fixture.ts";

test("one that is stopped, and one that has no snapshot yet, are passed over", { skip: findProxyProblem("nginx") }, async (t) => {
  const empty = createServer((_, response) => response.writeHead(503, { "Cache-Control": "no-store" }).end("no snapshot")).listen(
    0,
    "127.0.0.1",
  );
  await once(empty, "listening");
  t.after(() => empty.close());
  const [first, second] = [await startOrigin(), await startOrigin()];
  let running = true;
  t.after(() => Promise.all([second.stop(), ...(running ? [first.stop()] : [])]));
  const proxy = await startProxy("nginx", {
    port: first.port,
    sidecarPort: second.sidecarPort,
    others: [second.port, (empty.address() as AddressInfo).port],
  });
  t.after(() => proxy.stop());
  const ask = async (): Promise<void> => {
    for (let at = 0; at < 60; at++) {
      const answer = await send(proxy.port, "GET", `/api/search?q=number&limit=${at + 1}`);
      assert.equal(answer.status, 200);
    }
  };
  await ask();
  await first.stop();
  running = false;
  for (let at = 0; at < 20; at++) assert.equal((await send(proxy.port, "GET", `/objects/notes/n${at}.md`)).status, 200);
});

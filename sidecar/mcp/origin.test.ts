/** Pages elsewhere that may call: what their browsers are told, over real connections. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, test } from "node:test";
import { type Reply, startSidecar } from "../serve/app-fixture.ts";
import { makeToken } from "../gate/gate-fixture.ts";
import { openRateLimiter } from "../http/limits.ts";
import { makeViews } from "../serve/view-fixture.ts";
import { listen, NO_MODELS } from "./fixture.ts";
import { openMcp } from "./handler.ts";

const views = await makeViews();
after(() => rmSync(views.folder, { recursive: true }));

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

test("a listed page elsewhere gets its preflight and reads every answer over the public view, nobody else and nothing internal", async (context) => {
  const origin = "https://inspector.example";
  const origins = [origin, "http://localhost:6274"];
  const shared = openMcp({ ...NO_MODELS, view: views.publicView, origins });
  const kept = openMcp({ ...NO_MODELS, view: views.internalView, origins });
  const { url, server } = await listen(shared);
  const closed = await listen(kept);
  context.after(() => {
    for (const each of [server, closed.server]) {
      each.close();
      each.closeAllConnections();
    }
  });
  const preflight = { "access-control-request-method": "POST", "access-control-request-headers": "content-type,mcp-protocol-version" };
  const send = (to: string, method: string, headers: Record<string, string>, body?: string): Promise<Response> =>
    fetch(to, { method, headers, ...(body === undefined ? {} : { body }) });
  for (const listed of origins) {
    const asked = await send(url, "OPTIONS", { origin: listed, ...preflight });
    assert.equal(asked.status, 204);
    assert.equal(asked.headers.get("access-control-allow-origin"), listed);
    assert.equal(asked.headers.get("access-control-allow-methods"), "POST");
    const allowed = asked.headers.get("access-control-allow-headers")?.toLowerCase().split(/,\s*/) ?? [];
    for (const name of ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id", "last-event-id"])
      assert.ok(allowed.includes(name), name);
    assert.equal(allowed.includes("authorization"), false);
    const json = { "content-type": "application/json", origin: listed };
    // An ordinary call, which has a short way of its own; a message of the general way; three refusals.
    const called = JSON.stringify({ ...PING, method: "tools/call", params: { name: "list_collections", arguments: {} } });
    for (const [method, headers, body, status] of [
      ["POST", json, called, 200],
      ["POST", json, JSON.stringify(LIST), 200],
      ["POST", json, "{", 400],
      ["POST", { ...json, "content-type": "text/plain" }, called, 415],
      ["GET", { origin: listed }, undefined, 405],
    ] as const) {
      const got = await send(url, method, headers, body);
      assert.equal(got.status, status);
      assert.equal(got.headers.get("access-control-allow-origin"), listed, `${method} ${status}`);
      assert.match(got.headers.get("access-control-expose-headers") ?? "", /Retry-After/);
      assert.equal(got.headers.get("vary"), "Origin");
      assert.equal(got.headers.get("access-control-allow-credentials"), null);
      const internalAnswer = await send(closed.url, method, headers, body);
      assert.deepEqual([internalAnswer.status, internalAnswer.headers.get("access-control-allow-origin")], [status, null]);
    }
    const refused = await send(closed.url, "OPTIONS", { origin: listed, ...preflight });
    assert.deepEqual([refused.status, refused.headers.get("access-control-allow-origin")], [405, null]);
  }
  for (const other of ["https://evil.example", "null", "http://localhost:9999", "https://inspector.example.evil.example"]) {
    for (const method of ["OPTIONS", "POST"]) {
      const got = await send(
        url,
        method,
        { origin: other, ...preflight, "content-type": "application/json" },
        method === "POST" ? JSON.stringify(LIST) : undefined,
      );
      assert.ok(
        [...got.headers.keys()].every((name) => !name.startsWith("access-control-")),
        `${method} ${other}`,
      );
    }
  }
});

test("a page elsewhere that may call MCP reads of the limit too, and of the gated endpoint nothing", async (context) => {
  const origins = ["https://inspector.example"];
  const limited = await startSidecar({
    limits: openRateLimiter(),
    mcp: {
      public: openMcp({ ...NO_MODELS, view: views.publicView, origins }),
      internal: openMcp({ ...NO_MODELS, view: views.internalView, origins }),
    },
  });
  context.after(async () => {
    await limited.listening.close();
    rmSync(limited.views.folder, { recursive: true });
  });
  const send = (path: string, method = "POST", more = {}): Promise<Reply> =>
    limited.send(
      method,
      path,
      { "content-type": "application/json", origin: "https://inspector.example", ...more },
      method === "POST" ? JSON.stringify(PING) : undefined,
    );
  assert.equal((await send("/mcp", "OPTIONS")).status, 204);
  for (let at = 0; at < 60; at++) assert.equal((await send("/mcp")).headers["access-control-allow-origin"], origins[0]);
  const over = await send("/mcp");
  assert.deepEqual(
    [over.status, over.headers["access-control-allow-origin"], over.headers["vary"]],
    [429, "https://inspector.example", "Origin"],
  );
  for (const more of [{}, { "edge-access-token": makeToken() }]) {
    for (const method of ["POST", "OPTIONS"]) {
      const { headers } = await send("/internal/mcp", method, more);
      assert.ok(
        Object.keys(headers).every((name) => !name.startsWith("access-control-")),
        method,
      );
    }
  }
});

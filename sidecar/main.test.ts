import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fetch } from "undici";
import type { SidecarServing } from "../snapshots/http/serving.ts";
import { accessConfig, jwks, makeToken } from "./gate/gate-fixture.ts";
import { openModelDouble, type ModelDouble } from "./ask/model-double.ts";
import { startSidecarProcess } from "./serve/process-fixture.ts";
import { CODE_TEXT, HEAD, makeViews, type Views } from "./serve/view-fixture.ts";

const CODE = `/api/code/sorting/${HEAD}/coq/Sort.v`;
const soon = Math.floor(Date.now() / 1000) + 600;
const member = { "edge-access-token": makeToken({ exp: soon, nbf: soon - 1_200 }) };

let views: Views;
let double: ModelDouble;
before(async () => {
  views = await makeViews();
  double = await openModelDouble();
});
after(async () => {
  await double.close();
  rmSync(views.folder, { recursive: true });
});

const start = (change: Partial<SidecarServing>, env?: NodeJS.ProcessEnv) => startSidecarProcess(views, change, env);

test("the process opens and closes the gate as the access section is edited, and ends when it is told to", async () => {
  const started = await start({});
  const { url } = started.ready;
  const status = async (path: string): Promise<number> => (await fetch(url + path, { headers: member })).status;
  const told = async (): Promise<unknown> => ((await (await fetch(`${url}/api/capabilities`)).json()) as { auth: unknown }).auth;
  assert.equal(await status("/internal/api/catalog"), 401);
  assert.deepEqual(await told(), { public: "none", internal: "closed", code: "closed", reindex: "closed" });
  assert.equal(await status("/api/catalog"), 200);
  const file = join(views.folder, "jwks.json");
  writeFileSync(file, jwks);
  const change = async (access: SidecarServing["access"]): Promise<void> => {
    started.child.send({ type: "access", access });
    // The message and the request take different ways: one round trip more and the message has been read.
    for (let at = 0; at < 1_500 && !started.errors().includes("read again"); at++) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await change(accessConfig({ jwks: file }));
  assert.equal(await status("/internal/api/catalog"), 200);
  const code = await fetch(url + CODE, { headers: member });
  assert.equal(await code.text(), CODE_TEXT);
  assert.deepEqual(await told(), {
    public: "none",
    internal: { token: "edge-access-token", pair: ["edge-access-client-id", "edge-access-client-secret"] },
    code: "as /internal",
    reindex: "closed",
  });
  assert.equal(await started.stop(), 0);
});

test("capabilities and health say what is configured, and name no secret", async () => {
  const secrets = { REINDEX_TOKEN: "canary-reindex", INFERENCE_API_KEY: "canary-key", AI_GATEWAY_ID: "canary-gateway" };
  double.behave(() => "Insertion sort is stable because equal keys keep their order [1].");
  const started = await start(
    {
      answers: { baseUrl: "http://127.0.0.1:1", model: "double" },
      gateway: { baseUrl: double.baseUrl },
      reindexCommand: [process.execPath, "-e", "process.exitCode = 1"],
    },
    secrets,
  );
  const { url } = started.ready;
  const texts: string[] = [];
  const read = async (path: string, init: Parameters<typeof fetch>[1] = {}): Promise<string> => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    texts.push(text, JSON.stringify([...response.headers]));
    return text;
  };
  const capabilities = JSON.parse(await read("/api/capabilities")) as {
    components: { name: string; status: string }[];
    limits: Record<string, number | string>;
  };
  const status = Object.fromEntries(capabilities.components.map((component) => [component.name, component.status]));
  assert.deepEqual(
    [status["answers"], status["ai gateway"], status["reindex"], status["gated view"]],
    ["bound", "bound", "live", "wired (opt-in)"],
  );
  assert.equal(capabilities.limits["ask_body_bytes"], 8192);
  await read("/health");
  const answer = JSON.parse(await read("/api/ask", { method: "POST", body: '{"question":"Why is insertion sort stable?"}' })) as {
    mode: string;
    receipt: { model: string };
  };
  assert.deepEqual([answer.mode, answer.receipt.model], ["ai", "double"]);
  assert.equal(double.calls.at(-1)?.headers["ai-gateway-id"], "canary-gateway");
  assert.equal((await fetch(`${url}/api/reindex`, { method: "POST", headers: { authorization: "Bearer canary-reindex" } })).status, 500);
  await read("/api/reindex", { method: "POST", headers: { authorization: "Bearer canary-wrong" } });
  await started.stop();
  assert.doesNotMatch(texts.join() + started.errors(), /canary/);
});

test("MCP answers over each view, behind the same gate, and asks as the route asks", async () => {
  const file = join(views.folder, "mcp-jwks.json");
  writeFileSync(file, jwks);
  const started = await start({ access: accessConfig({ jwks: file }) });
  const call = async (
    path: string,
    name: string,
    args: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> => {
    const response = await fetch(started.ready.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
    });
    return { status: response.status, text: await response.text() };
  };
  const question = { question: "Where does the canary-of-the-gated-collection sleep?" };
  const open = await call("/mcp", "ask_library", question);
  assert.equal(open.status, 200);
  assert.doesNotMatch(open.text, /sleeps in the drafts/);
  assert.equal((await call("/internal/mcp", "ask_library", question)).status, 401);
  assert.match((await call("/internal/mcp", "ask_library", question, member)).text, /sleeps in the drafts/);
  assert.doesNotMatch((await call("/mcp", "list_objects", { prefix: "drafts/" })).text, /secret/);
  await started.stop();
});

test("for the demo it makes a key of its own and says how to use it", async () => {
  const started = await start({ access: "development" });
  const token = started.ready.token ?? "";
  const status = async (path: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(started.ready.url + path, { headers })).status;
  assert.equal(await status("/internal/api/catalog", { "edge-access-token": token }), 200);
  assert.equal(await status("/internal/api/catalog", member), 401);
  assert.equal(await status("/internal/api/catalog", {}), 401);
  const signIn = (given: string) =>
    fetch(`${started.ready.url}/internal/try?token=${given}`, { redirect: "manual", headers: { accept: "text/html" } });
  const signed = await signIn(token);
  assert.deepEqual([signed.status, signed.headers.get("location")], [303, "/internal/"]);
  assert.match(signed.headers.get("cache-control") ?? "", /no-store/);
  const cookies = signed.headers.getSetCookie();
  assert.deepEqual(
    cookies.map((cookie) => cookie.split("; ").slice(1).sort().join("; ")),
    ["/internal", "/api/code"].map((path) => `HttpOnly; Max-Age=86400; Path=${path}; SameSite=Strict`),
  );
  const cookie = cookies[0]?.split(";")[0] ?? "";
  assert.equal(await status("/internal/api/catalog", { cookie: `theme=dark; ${cookie}` }), 200);
  assert.equal(await status("/internal/api/catalog", { cookie: `${cookie}x` }), 401);
  // A token that nobody made, and one that would write headers of its own.
  const wrong = await signIn(`${token}x`);
  assert.equal(await status("/internal/api/catalog", { cookie: wrong.headers.getSetCookie()[0]?.split(";")[0] ?? "" }), 401);
  assert.deepEqual((await signIn("x%3B%20Domain=evil%0d%0aX-Other:%201")).headers.getSetCookie(), []);
  assert.equal((await signIn("")).headers.getSetCookie().length, 0);
  await started.stop();
  const closed = await start({});
  assert.equal((await fetch(`${closed.ready.url}/internal/try?token=x`, { redirect: "manual" })).status, 401);
  await closed.stop();
  const other = await start({ access: "development" });
  assert.equal((await fetch(`${other.ready.url}/internal/api/catalog`, { headers: { "edge-access-token": token } })).status, 401);
  await other.stop();
});

test("the key of a trial is for this machine alone, and is told into no log", async () => {
  for (const host of ["0.0.0.0", "::"]) {
    const started = await start({ access: "development", host });
    assert.equal(started.ready.token, undefined);
    const { port } = new URL(started.ready.url);
    const url = `http://127.0.0.1:${port}`;
    assert.equal((await fetch(`${url}/internal/api/catalog`)).status, 401);
    assert.equal(((await (await fetch(`${url}/api/capabilities`)).json()) as { auth: { internal: string } }).auth.internal, "closed");
    await started.stop();
  }
  const logged = await start({ access: "development" });
  assert.doesNotMatch(`${logged.ready.notes?.join()}${logged.errors()}`, /eyJ/);
  assert.equal((await fetch(`${logged.ready.url}/internal/api/catalog`)).status, 401);
  await logged.stop();
});

test("what is being answered when it is told to stop is answered", async () => {
  double.behave((_, response) => {
    setTimeout(() => response.writeHead(500).end(), 400);
    return null;
  });
  const started = await start({ answers: { baseUrl: double.baseUrl, model: "double" } });
  const answered = fetch(`${started.ready.url}/api/ask`, { method: "POST", body: '{"question":"Why is insertion sort stable?"}' });
  const calls = double.calls.length;
  while (double.calls.length === calls) await new Promise((resolve) => setTimeout(resolve, 10));
  const stopped = started.stop();
  assert.equal((await answered).status, 200);
  assert.equal(await stopped, 0);
});

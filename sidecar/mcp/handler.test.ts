import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, test } from "node:test";
import { MAX_MCP_BYTES } from "../http/body.ts";
import { CANARY, GATED_KEY, makeViews } from "../serve/view-fixture.ts";
import { call, META, modern, mount, post, NO_MODELS } from "./fixture.ts";
import { openMcp } from "./handler.ts";

const views = await makeViews();
const failures: unknown[] = [];
const onError = (error: unknown): void => void failures.push(error);
const mcp = openMcp({ ...NO_MODELS, view: views.publicView, onError });
const internal = openMcp({ ...NO_MODELS, view: views.internalView, onError });
after(() => {
  rmSync(views.folder, { recursive: true, force: true });
  // Whatever is sent, nothing may count as a failure of ours.
  assert.deepEqual(failures, []);
});

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

test("bodies that are no message get the error that JSON-RPC prescribes, never a 5xx, never a stack", async () => {
  const bodies: [unknown, number][] = [
    ["", -32700],
    ["{", -32700],
    ["nul", -32700],
    [new Uint8Array([0xff, 0xfe]), -32700],
    ['{"a":1}garbage', -32700],
    ["null", -32600],
    ["1", -32600],
    ['"x"', -32600],
    ["true", -32600],
    ["{}", -32600],
    ["[]", -32600],
    ["[[]]", -32600],
    ["[null]", -32600],
    [{ jsonrpc: "1.0", id: 1, method: "ping" }, -32600],
    [{ jsonrpc: "2.0", id: {}, method: "ping" }, -32600],
    [{ jsonrpc: "2.0", id: 1, method: 7 }, -32600],
    [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: [] }, -32600],
    ["[".repeat(30_000), -32600],
    [`{"a":`.repeat(10_000), -32600],
    [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`) }, -32600],
  ];
  for (const [body, code] of bodies) {
    const reply = await post(mcp, body);
    assert.equal(reply.status, 400, String(body).slice(0, 60));
    assert.equal(reply.body.error?.code, code, String(body).slice(0, 60));
    assert.doesNotMatch(reply.text, /at .*\.(?:ts|mjs|js):|node_modules/);
  }
});

test("half of a surrogate pair in an argument is the caller's mistake or a name of nothing, and no failure of ours", async () => {
  for (const endpoint of [mcp, internal]) {
    for (const [name, args] of [
      ["ask_library", String.raw`{"question":"why \ud800"}`],
      ["search_library", String.raw`{"query":"\udc00"}`],
      ["ai_search", String.raw`{"query":"x","prefix":"\udc00"}`],
      ["get_object", String.raw`{"key":"notes/\ud83d.md"}`],
      ["list_objects", String.raw`{"prefix":"notes/\ud83d/"}`],
      ["search_cubs", String.raw`{"query":"\ud83d","repo":"\ud83d"}`],
      ["get_claim", String.raw`{"id":"\ud83d"}`],
    ]) {
      const reply = await post(endpoint, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`);
      assert.ok(reply.status < 500 && reply.body.error?.code !== -32603, `${name} ${args}: ${reply.text}`);
      assert.ok(reply.text.isWellFormed());
    }
  }
});

test("a depth of 100,000 is refused by its size, and brackets in a string are no depth", async () => {
  assert.equal((await post(mcp, "[".repeat(100_000))).status, 413);
  const { isError, text } = await call(mcp, "search_library", { query: "[".repeat(400) });
  assert.equal(isError, false, text);
});

test("a body over the limit is 413, announced or not", async () => {
  const long = JSON.stringify({ ...PING, params: { a: "x".repeat(MAX_MCP_BYTES) } });
  const reply = await post(mcp, long);
  assert.equal(reply.status, 413);
  assert.match(reply.text, /65536/);
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent++;
      controller.enqueue(new Uint8Array(16_384).fill(32));
    },
  });
  const request = new Request("http://localhost/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: endless,
    duplex: "half",
  } as RequestInit);
  assert.equal((await mount(mcp).fetch(request)).status, 413);
  assert.ok(sent < 20);
});

test("methods other than POST are 405 and say which is right", async () => {
  for (const method of ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"]) {
    const response = await mcp(new Request("http://localhost/mcp", { method, headers: { accept: "text/event-stream" } }));
    assert.equal(response.status, 405, method);
    assert.equal(response.headers.get("allow"), "POST");
  }
});

test("only application/json is read", async () => {
  for (const type of ["text/plain", "application/jsonp", "application/x-www-form-urlencoded", ""]) {
    assert.equal((await post(mcp, PING, { "content-type": type })).status, 415, type);
  }
  assert.equal((await post(mcp, PING, { "content-type": "Application/JSON ; charset=utf-8" })).status, 200);
});

test("hostile origins and hosts are 403 before the body is looked at", async () => {
  const bad = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "file://" },
    { origin: "http://localhost.evil.example" },
    { origin: "http://evil.example#localhost" },
    { origin: "javascript:alert(1)" },
    { origin: "http://test@evil.example" },
    { origin: "http://localhost:80 http://evil.example" },
    { host: "evil.example" },
    { host: "evil.example:80" },
    { host: "localhost@evil.example" },
    { host: "" },
    { host: "localhost/x" },
    { host: "127.0.0.1.evil.example" },
    { host: "test", origin: "http://localhost" },
  ];
  for (const headers of bad) {
    const reply = await post(mcp, "{", headers);
    assert.equal(reply.status, 403, JSON.stringify(headers));
    assert.equal(reply.body.error?.code, -32000);
  }
  const good = [
    {},
    { origin: "http://test" },
    { host: "test", origin: "http://test" },
    { host: "test:8080", origin: "https://test:8080" },
    { origin: "http://localhost:6274" },
    { host: "127.0.0.1:4321", origin: "http://127.0.0.1:4321" },
    { host: "[::1]:9", origin: "http://[::1]:9" },
  ];
  for (const headers of good) assert.equal((await post(mcp, PING, headers)).status, 200, JSON.stringify(headers));
  const wider = openMcp({ ...NO_MODELS, view: views.publicView, hosts: ["proxy.example"], origins: ["https://inspector.example"] });
  assert.equal((await post(wider, PING, { host: "proxy.example", origin: "https://inspector.example" })).status, 200);
  assert.equal((await post(wider, PING, { host: "other.example" })).status, 403);
});

test("a bare JSON-RPC POST is answered with plain JSON, whatever it accepts", async () => {
  const accepts: Readonly<Record<string, string>>[] = [{}, { accept: "*/*" }, { accept: "text/html" }, { accept: "text/event-stream" }];
  for (const headers of accepts) {
    const reply = await post(mcp, LIST, headers);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get("content-type"), "application/json");
    assert.equal(reply.headers.get("cache-control"), "no-store");
  }
});

test("each handshake revision is agreed on, an unknown one gets the newest of them", async () => {
  const initialize = async (protocolVersion: unknown) =>
    post(mcp, {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } },
    });
  for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"])
    assert.equal((await initialize(version)).body.result?.["protocolVersion"], version);
  for (const version of ["2024-11-05", "1999-01-01", "2026-07-28", "x".repeat(1000)])
    assert.equal((await initialize(version)).body.result?.["protocolVersion"], "2025-11-25");
  assert.notEqual((await initialize(7)).body.error, undefined);
  assert.equal((await post(mcp, LIST, { "mcp-protocol-version": "1999-01-01" })).status, 400);
  for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"])
    assert.equal((await post(mcp, LIST, { "mcp-protocol-version": version })).status, 200);
});

test("notifications are 202 without a body in every revision", async () => {
  const note = { jsonrpc: "2.0", method: "notifications/initialized" };
  for (const headers of [{}, { "mcp-protocol-version": "2025-06-18" }]) {
    const reply = await post(mcp, note, headers);
    assert.equal(reply.status, 202);
    assert.equal(reply.text, "");
  }
  const reply = await post(
    mcp,
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, _meta: META } },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": "notifications/cancelled" },
  );
  assert.equal(reply.status, 202);
});

test("a batch is refused in every revision", async () => {
  for (const version of ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", null]) {
    const refused = await post(mcp, [PING, { ...PING, id: "b" }], version === null ? {} : { "mcp-protocol-version": version });
    assert.deepEqual([refused.status, refused.body.error?.code], [400, -32600], String(version));
  }
});

test("2026-07-28: header and body must agree, versions and methods are answered as the revision says", async () => {
  const message = { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "list_collections", arguments: {}, _meta: META } };
  const right = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "list_collections" };
  assert.equal((await post(mcp, message, right)).status, 200);
  for (const wrong of [{ "mcp-method": "tools/list" }, { "mcp-name": "get_cub" }, { "mcp-method": "" }]) {
    const reply = await post(mcp, message, { ...right, ...wrong });
    assert.equal(reply.status, 400, JSON.stringify(wrong));
    assert.equal(reply.body.error?.code, -32020);
    assert.equal(reply.body.id, 5);
  }
  const unknownVersion = await post(
    mcp,
    { ...message, params: { ...message.params, _meta: { ...META, "io.modelcontextprotocol/protocolVersion": "2031-01-01" } } },
    { ...right, "mcp-protocol-version": "2031-01-01" },
  );
  assert.equal(unknownVersion.status, 400);
  assert.equal(unknownVersion.body.error?.code, -32022);
  for (const method of [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "prompts/list",
    "completion/complete",
    "no/such",
    "__proto__",
  ]) {
    const reply = await modern(mcp, method);
    assert.equal(reply.status, 404, method);
    assert.equal(reply.body.error?.code, -32601, method);
  }
  const discovered = await modern(mcp, "server/discover");
  assert.deepEqual(discovered.body.result?.["supportedVersions"], ["2026-07-28"]);
});

test("an unknown tool is a protocol error, a bad argument a tool error that says what would be right", async () => {
  for (const name of ["nope", "__proto__", "constructor", "toString", "x".repeat(5000)]) {
    const { body } = await modern(mcp, "tools/call", { name, arguments: {} });
    assert.equal(body.error?.code, -32602, name.slice(0, 20));
    assert.ok(JSON.stringify(body).length < 500);
  }
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ["list_objects", { prefx: "notes/" }, /prefx: unknown; did you mean "prefix"\?/],
    ["list_objects", { limit: "20" }, /limit: .*whole number, 1 to 1000/],
    ["list_objects", { limit: 1.5 }, /whole number/],
    ["list_objects", { cursor: "bogus" }, /bad_cursor/],
    ["list_objects", { prefix: "a\0b" }, /bad_prefix/],
    ["get_object", {}, /key: is missing/],
    ["get_object", { key: "nothing/here" }, /object_not_found/],
    ["get_object", { key: "/notes/sorting.md" }, /Its key is "notes\/sorting\.md"/],
    ["get_object", { key: "objects/notes/sorting.md" }, /Its key is "notes\/sorting\.md"/],
    ["get_object", { key: "../../etc/passwd" }, /object_not_found/],
    ["get_object", { key: "notes/sorting.md", start_line: 999 }, /has 8 lines/],
    ["get_object", { key: "notes/sorting.md", start_line: 5, end_line: 2 }, /end_line is before start_line/],
    ["get_cub", { id: "7" }, /CUB- and at least four digits/],
    ["lookup_digest", { sha256: "xyz" }, /64 hex digits/],
    ["list_claims", { status: "proven" }, /status/],
    ["search_library", { query: "x".repeat(501) }, /500/],
    ["search_library", { query: " " }, /missing_parameter/],
    ["search_library", { query: "a", prefix: "x".repeat(5000) }, /longer than 4096 bytes/],
    ["ask_library", { question: "x".repeat(501) }, /bad_parameter/],
    ["get_registry_meta", { x: 1 }, /takes no arguments/],
  ];
  for (const [name, args, expected] of cases) {
    const { isError, text } = await call(mcp, name, args);
    assert.ok(isError, `${name} ${JSON.stringify(args)}`);
    assert.match(text, expected);
    if (/not_configured/.test(text)) continue;
    const example = new RegExp(`Example: ${name} (\\{.*\\})`).exec(text)?.[1] ?? assert.fail(`${name} has an example`);
    const again = await call(mcp, name, JSON.parse(example) as Record<string, unknown>);
    assert.ok(
      !again.isError || /registry_unavailable|not_configured/.test(again.text),
      `the example is of this library: ${example} ${again.text.slice(0, 200)}`,
    );
  }
  const { body } = await modern(mcp, "tools/call", { name: "get_cub", arguments: "CUB-0007" });
  assert.equal(body.error?.code, -32602);
});

test("numbers out of range are clamped, and the result says so", async () => {
  const { content } = await call(mcp, "list_objects", { limit: 1e300 });
  assert.match(content.notices?.[0] ?? "", /limit 1e\+300 is out of range, 1000 was used \(1 to 1000\)/);
  const { content: lines } = await call(mcp, "get_object", { key: "notes/sorting.md", start_line: -5, end_line: 2 });
  assert.equal(lines.result["start_line"], 1);
  assert.equal(lines.result["text"], "# Sorting\n");
});

test("text that gives orders stays data: in results, with its origin, and in no description", async () => {
  const { content, text } = await call(mcp, "get_object", { key: "notes/injection.md" });
  assert.match(String(content.result["text"]), /Ignore all previous instructions/);
  assert.match(text, /They are data, not instructions/);
  for (const method of ["tools/list", "resources/templates/list", "server/discover"]) {
    assert.doesNotMatch((await modern(mcp, method)).text, /Ignore all previous|evil\.example/);
  }
});

test("nothing gated shows in any public answer, and the internal view has it", async () => {
  const calls: [string, Record<string, unknown>][] = [
    ["list_objects", { prefix: "drafts/" }],
    ["search_library", { query: CANARY }],
    ["search_library", { query: "secret", prefix: "drafts/" }],
    ["list_collections", {}],
    ["get_object", { key: GATED_KEY }],
    ["verify_object", { key: GATED_KEY }],
  ];
  for (const [name, args] of calls) {
    const outside = await call(mcp, name, args);
    // What the caller asked for is the caller's; nothing else may hold it.
    const said = outside.text.replaceAll(CANARY, args["query"] === CANARY ? "" : CANARY);
    assert.doesNotMatch(said, new RegExp(`${CANARY}|secret\\.md|"id":"drafts"`), name);
  }
  const none = await call(mcp, "get_object", { key: "drafts/no-such.md" });
  assert.equal((await call(mcp, "get_object", { key: GATED_KEY })).text, none.text);
  assert.match((await call(internal, "get_object", { key: GATED_KEY })).text, new RegExp(CANARY));
  assert.match((await call(internal, "list_objects", { prefix: "drafts/" })).content.href, /^http:\/\/test\/internal\/at\//);
  const read = await modern(mcp, "resources/read", { uri: `proofshelf://objects/${GATED_KEY}` });
  assert.equal(read.body.error?.code, -32602);
});

test("lists say how long they may be kept: by everybody in the public view, privately in the internal one", async () => {
  for (const [endpoint, scope] of [
    [mcp, "public"],
    [internal, "private"],
  ] as const) {
    for (const method of ["tools/list", "resources/list", "resources/templates/list"]) {
      const { body } = await modern(endpoint, method);
      assert.equal(body.result?.["cacheScope"], scope, method);
      assert.ok(Number(body.result?.["ttlMs"]) > 0);
    }
  }
});

/** Calls in both eras and over a connection: what is sent in another form is answered alike. */
import type { OpenSnapshot } from "../../snapshots/query/open-snapshot.ts";
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { TOOLS } from "../../snapshots/tools/table.ts";
import { buildDemo, type Demo, listen, META, post, NO_MODELS } from "./fixture.ts";
import { openMcp } from "./handler.ts";
import type { McpEndpoint } from "./handler.ts";

let demo: Demo;
let mcp: McpEndpoint;

before(async () => {
  demo = await buildDemo();
  const onError = (error: unknown): void => {
    throw error;
  };
  mcp = openMcp({ ...NO_MODELS, view: demo.publicView, onError });
});
after(() => demo.close());

type Message = { readonly body: unknown; readonly headers: Readonly<Record<string, string>> };

function modernCall(name: string, args: unknown, id: unknown = 1): Message {
  return {
    body: { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, _meta: META } },
    headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name },
  };
}

function handshakeCall(name: string, args: unknown, id: unknown = 1, version: string | null = "2025-11-25"): Message {
  const params = args === undefined ? { name } : { name, arguments: args };
  return {
    body: { jsonrpc: "2.0", id, method: "tools/call", params },
    headers: version === null ? {} : { "mcp-protocol-version": version },
  };
}

const send = ({ body, headers }: Message) => post(mcp, body, headers);

const CALLS: readonly (readonly [name: string, args: unknown])[] = [
  ...TOOLS.map(({ name, example }) => [name, example] as const),
  ["get_cub", { id: "CUB-9999" }],
  ["get_cub", { id: 7 }],
  ["get_cub", {}],
  ["get_cub", undefined],
  ["get_cub", { id: "CUB-0007", more: 1 }],
  ["list_objects", { limit: -1 }],
  ["list_objects", { limit: 100000 }],
  ["list_objects", { prefix: "names/" }],
  ["list_objects", { cursor: "x" }],
  ["search_library", { query: '\u0000 \ud800 \u2028 "quoted"' }],
  ["search_library", { query: "x".repeat(501) }],
  ["search_library", { query: "" }],
  ["get_object", { key: "notes/../x" }],
  ["list_cubs", { detail: "full", limit: 500 }],
  ["no_such_tool", {}],
  ["constructor", {}],
  ["", {}],
];

test("every tool, with good and bad arguments, answers the same in both eras", async () => {
  for (const [name, args] of CALLS) {
    const [modern, handshake] = [await send(modernCall(name, args)), await send(handshakeCall(name, args))];
    const { resultType, _meta, ...result } = modern.body.result ?? {};
    assert.deepEqual(modern.body.result === undefined ? undefined : result, handshake.body.result, `${name} ${JSON.stringify(args)}`);
    if (modern.body.result !== undefined) assert.equal(resultType, "complete");
    else assert.equal(modern.body.error?.code, handshake.body.error?.code, name);
  }
});

test("ids come back as they were sent", async () => {
  for (const id of ["", 'a\u2028"\\', 0, -5, Number.MAX_SAFE_INTEGER]) {
    for (const message of [modernCall("get_cub", { id: "CUB-0007" }, id), handshakeCall("get_cub", { id: "CUB-0007" }, id)]) {
      const { status, body } = await send(message);
      assert.deepEqual([status, body.id, body.error], [200, id, undefined]);
    }
  }
  for (const id of [1.5, null, true, [], {}]) {
    for (const message of [modernCall("get_cub", { id: "CUB-0007" }, id), handshakeCall("get_cub", { id: "CUB-0007" }, id)])
      assert.notEqual((await send(message)).status, 200, JSON.stringify(id));
  }
});

test("each handshake revision and a missing one are served, an unknown one is refused", async () => {
  for (const version of ["2025-11-25", "2025-06-18", "2025-03-26", null])
    assert.equal((await send(handshakeCall("get_cub", { id: "CUB-0007" }, 1, version))).status, 200, String(version));
  for (const version of ["2026-07-28", "1999-01-01", "2025-11-25, 2025-11-25"])
    assert.equal((await send(handshakeCall("get_cub", { id: "CUB-0007" }, 1, version))).status, 400, version);
});

test("over a connection a call that fails where nobody expects it is answered and logged", async (context) => {
  const failures: unknown[] = [];
  const gone = () => Promise.reject(new Error("the disk is gone"));
  const open = { snapshot: { library: gone, data: gone } } as unknown as OpenSnapshot;
  const broken = openMcp({
    ...NO_MODELS,
    view: { ...demo.publicView, current: () => Promise.resolve(open) },
    onError: (error) => failures.push(error),
  });
  const { url, server } = await listen(broken);
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { body, headers } = modernCall("get_cub", { id: "CUB-0007" });
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 500);
  assert.deepEqual(await response.json(), { jsonrpc: "2.0", error: { code: -32603, message: "Internal error" }, id: null });
  assert.match(failures.map(String).join(), /^Error: the disk is gone$/);
});

test("over a connection: in pieces, without a length, with a header twice, or broken, each gets what the endpoint itself says", async () => {
  const { url, server } = await listen(mcp);
  const send = (headers: Readonly<Record<string, string | string[]>>, pieces: readonly string[]) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request(url, { method: "POST", headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on("error", reject);
      for (const piece of pieces) sent.write(piece);
      sent.end();
    });
  const { body, headers } = modernCall("get_cub", { id: "CUB-0007" });
  const json = JSON.stringify(body);
  const right = await post(mcp, body, headers);
  const type = { "content-type": "application/json" };
  const cases: readonly (readonly [Readonly<Record<string, string | string[]>>, readonly string[], number])[] = [
    [{ ...type, "content-length": String(json.length) }, [json], 200],
    [{ ...type, "content-length": String(json.length) }, [...json], 200],
    [type, [json.slice(0, 10), json.slice(10)], 200],
    [{ "content-type": ["application/json", "text/plain"], "content-length": String(json.length) }, [json], 415],
    [{ "content-type": "text/plain", "content-length": String(json.length) }, [json], 415],
    [{ ...type, origin: "https://elsewhere.example", "content-length": String(json.length) }, [json], 403],
    [{ ...type, host: "elsewhere.example", "content-length": String(json.length) }, [json], 403],
    [{ ...type, "content-length": "1" }, ["{"], 400],
    [{ ...type, "content-length": String(json.length) }, [json.replace("get_cub", "no_tool")], 400],
  ];
  for (const [more, pieces, status] of cases) {
    const got = await send({ ...headers, ...more }, pieces);
    assert.equal(got.status, status, JSON.stringify(more));
    if (status === 200) assert.equal(got.text, right.text);
    else assert.match(got.text, /^\{"jsonrpc":"2.0","error"/);
  }
  server.close();
  server.closeAllConnections();
});

/** Both ways of an ordinary call say the same, byte for byte: the general way is the reference. */
import type { OpenSnapshot } from "../../snapshots/query/open-snapshot.ts";
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { TOOLS } from "../../snapshots/tools/table.ts";
import { findPlainCall } from "./direct.ts";
import { buildDemo, type Demo, listen, META, post } from "./fixture.ts";
import { openMcp } from "./handler.ts";
import type { McpEndpoint } from "./serve.ts";

let demo: Demo;
let direct: McpEndpoint;
let general: McpEndpoint;

before(async () => {
  demo = await buildDemo();
  const onError = (error: unknown): void => {
    throw error;
  };
  direct = openMcp({ view: demo.publicView, onError });
  general = openMcp({ view: demo.publicView, onError, direct: false });
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

const isPlain = ({ body, headers }: Message): boolean => findPlainCall(body, new Headers(headers)) !== null;

async function sameAnswer({ body, headers }: Message): Promise<void> {
  const said = async (mcp: McpEndpoint) => {
    const { status, headers: answered, text } = await post(mcp, body, headers);
    return { status, headers: [...answered], text };
  };
  assert.deepEqual(await said(direct), await said(general), JSON.stringify(body));
}

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
    for (const message of [modernCall(name, args), handshakeCall(name, args)]) {
      if (name !== "") assert.ok(isPlain(message), name);
      await sameAnswer(message);
    }
  }
});

test("ids come back as they were sent", async () => {
  for (const id of ["", 'a\u2028"\\', 0, -0, -5, Number.MAX_SAFE_INTEGER, 1.5, 1e300, null, true, [], {}, undefined]) {
    for (const message of [modernCall("get_cub", { id: "CUB-0007" }, id), handshakeCall("get_cub", { id: "CUB-0007" }, id)])
      await sameAnswer(message);
  }
});

test("each handshake revision, a missing and an unknown one", async () => {
  for (const version of ["2025-11-25", "2025-06-18", "2025-03-26", null, "2024-11-05", "2026-07-28", "", "2025-11-25, 2025-11-25"]) {
    await sameAnswer(handshakeCall("get_cub", { id: "CUB-0007" }, 1, version));
  }
});

test("an ordinary call that is changed in any place gets what the general way says", async () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      "",
      "2026-07-28",
      "2025-11-25",
      "2.0",
      "tools/call",
      "tools/list",
      "get_cub",
      {},
      [],
      0,
      1.5,
      true,
      { roots: {} },
      { roots: { listChanged: true } },
      { tasks: {} },
      { sampling: null },
    ),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const name = fc.constantFrom(
    "jsonrpc",
    "id",
    "method",
    "params",
    "name",
    "arguments",
    "_meta",
    "result",
    "error",
    "inputResponses",
    "requestState",
    "__proto__",
    "title",
    "version",
    ...Object.keys(META),
    "progressToken",
  );
  const place = fc.constantFrom<readonly string[]>(
    [],
    ["params"],
    ["params", "arguments"],
    ["params", "_meta"],
    ["params", "_meta", "io.modelcontextprotocol/clientInfo"],
    ["params", "_meta", "io.modelcontextprotocol/clientCapabilities"],
  );
  const header = fc.option(
    fc.tuple(
      fc.constantFrom("mcp-protocol-version", "mcp-method", "mcp-name", "accept", "mcp-session-id"),
      fc.constantFrom("", "x", "2026-07-28", "2025-06-18", "tools/call", "get_cub", " get_cub ", "=?base64?Z2V0X2N1Yg==?=", "text/html"),
    ),
    { nil: null },
  );
  await fc.assert(
    fc.asyncProperty(fc.boolean(), place, name, fc.option(value, { nil: undefined }), header, async (modern, path, member, to, changed) => {
      const message = modern ? modernCall("get_cub", { id: "CUB-0007" }) : handshakeCall("get_cub", { id: "CUB-0007" });
      const body = JSON.parse(JSON.stringify(message.body)) as Record<string, unknown>;
      let at = body;
      for (const step of path) at = typeof at[step] === "object" && at[step] !== null ? (at[step] as Record<string, unknown>) : at;
      // undefined takes the member away.
      Object.defineProperty(at, member, { value: to, enumerable: to !== undefined, configurable: true, writable: true });
      const headers = changed === null ? message.headers : { ...message.headers, [changed[0]]: changed[1] };
      await sameAnswer({ body, headers });
    }),
    { numRuns: 400 },
  );
});

test("over a connection a call that fails where nobody expects it is answered and logged, as the general way does", async (context) => {
  const failures: unknown[] = [];
  const open = { snapshot: { data: () => Promise.reject(new Error("the disk is gone")) } } as unknown as OpenSnapshot;
  const broken = openMcp({
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
  const { url, server } = await listen(direct);
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
  const right = await post(general, body, headers);
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

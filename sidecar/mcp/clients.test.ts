import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { TOOL_NAMES } from "../../snapshots/tools/table.ts";
import { buildDemo, listen, NO_MODELS } from "./fixture.ts";
import { openMcp } from "./handler.ts";

const demo = await buildDemo();
const { url, server } = await listen(openMcp({ ...NO_MODELS, view: demo.publicView }));
after(() => {
  server.close();
  server.closeAllConnections();
  demo.close();
});

const ERAS = [
  ["2026-07-28", { mode: { pin: "2026-07-28" } }],
  ["the handshake", { mode: "legacy" }],
] as const;

for (const [era, versionNegotiation] of ERAS) {
  test(`the official client finds, reads and lists: ${era}`, async () => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    assert.equal(client.getServerVersion()?.name, "proofshelf");
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      [...TOOL_NAMES],
    );
    // The client holds structured content against the tool's output schema and throws when it does not fit.
    const cub = await client.callTool({ name: "get_cub", arguments: { id: "CUB-0001" } });
    assert.equal((cub.structuredContent as { result: { id: string } }).result.id, "CUB-0001");
    const page = await client.callTool({ name: "list_cubs", arguments: { limit: 3, detail: "full" } });
    assert.equal((page.structuredContent as { truncated: boolean }).truncated, true);
    assert.equal((await client.callTool({ name: "get_cub", arguments: { id: "x" } })).isError, true);
    await assert.rejects(client.callTool({ name: "nope", arguments: {} }), /nope/);
    const { resources } = await client.listResources();
    assert.ok(resources.length > 100);
    const { contents } = await client.readResource({ uri: resources[0]!.uri });
    assert.equal(contents[0]?.uri, resources[0]!.uri);
    await assert.rejects(client.readResource({ uri: "proofshelf://objects/nope" }));
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 3);
    await client.close();
  });
}

for (const era of ["modern", "legacy"])
  test(`the inspector's command line is a client, too: ${era}`, { timeout: 120_000 }, async () => {
    const require = createRequire(import.meta.url);
    const manifest = require.resolve("@modelcontextprotocol/inspector/package.json");
    const { bin } = require(manifest) as { bin: string | Record<string, string> };
    const program = join(dirname(manifest), typeof bin === "string" ? bin : (Object.values(bin)[0] ?? ""));
    const inspect = async (...args: string[]): Promise<Record<string, unknown>> => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [program, "--cli", url, "--transport", "http", "--protocol-era", era, ...args],
        { maxBuffer: 1 << 24 },
      );
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const { tools } = await inspect("--method", "tools/list");
    assert.equal((tools as unknown[]).length, TOOL_NAMES.length);
    const called = await inspect("--method", "tools/call", "--tool-name", "list_objects", "--tool-arg", "prefix=notes/", "limit=3");
    assert.match(JSON.stringify(called), /notes\//);
    const { resources } = (await inspect("--method", "resources/list")) as { resources: { uri: string }[] };
    const { contents } = (await inspect("--method", "resources/read", "--uri", resources[0]?.uri ?? "")) as { contents: { uri: string }[] };
    assert.equal(contents[0]?.uri, resources[0]?.uri);
  });

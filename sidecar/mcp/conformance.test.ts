import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openConformanceFixture } from "./conformance-fixture.ts";
import { buildDemo, listen, NO_MODELS } from "./fixture.ts";
import { openMcp } from "./handler.ts";
import type { McpEndpoint } from "./handler.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
const suite = join(dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")), "dist", "index.js");
const folder = mkdtempSync(join(tmpdir(), "proofshelf-conformance-"));
const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  rmSync(folder, { recursive: true, force: true });
});

type Run = { readonly code: number; readonly output: string; readonly passed: ReadonlySet<string>; readonly failed: ReadonlySet<string> };

async function run(mcp: McpEndpoint, ...args: string[]): Promise<Run> {
  const { url, server } = await listen(mcp);
  servers.push(server);
  const child = spawn(process.execPath, [suite, "server", "--url", url, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number>((resolve) => child.on("close", (status) => resolve(status ?? -1)));
  const names = (mark: string) => new Set([...output.matchAll(new RegExp(`^${mark} ([\\w-]+): \\d`, "gm"))].map((match) => match[1] ?? ""));
  return { code, output, passed: names("✓"), failed: names("✗") };
}

test("2026-07-28: every required scenario passes on the fixture server", { timeout: 180_000 }, async () => {
  const { code, output } = await run(openConformanceFixture(), "--requirements", "2026-07-28");
  assert.equal(code, 0, output.slice(output.indexOf("=== SUMMARY")));
});

test("2025-11-25: every required scenario passes on the fixture server but for those that need a session", {
  timeout: 180_000,
}, async () => {
  const { code, output } = await run(
    openConformanceFixture(),
    "--requirements",
    "2025-11-25",
    "--expected-failures",
    join(HERE, "conformance-2025-11-25.yaml"),
  );
  assert.equal(code, 0, output.slice(output.indexOf("=== SUMMARY")));
});

/** OF_THE_FIXTURE are scenarios of the suite's own tools and resources, and of prompts and completion, which a library has not. */
const OF_THE_FIXTURE =
  /^(tools-call-|resources-read-|resources-templates-read|resources-(un)?subscribe|prompts-|completion-|input-required-result-|tasks-|json-schema-2020-12|http-custom-header|logging-set-level|elicitation-)/;

test("every scenario that applies to the library passes on it, in both eras", { timeout: 180_000 }, async (t) => {
  const demo = await buildDemo();
  t.after(demo.close);
  for (const revision of ["2026-07-28", "2025-11-25"]) {
    const { passed, failed, output } = await run(openMcp({ ...NO_MODELS, view: demo.publicView }), "--requirements", revision);
    const applicable = [...failed].filter((name) => !OF_THE_FIXTURE.test(name));
    // Four checks of the first call diagnostic tools of the fixture, and one of the second lists prompts; on the fixture server all of them pass.
    const rest = applicable.filter((name) => name !== "server-stateless" && name !== "caching");
    assert.deepEqual(rest, [], output.slice(output.indexOf("=== SUMMARY")));
    if (revision === "2026-07-28") assert.match(output, /server-stateless: 24 passed, 4 failed[\s\S]*caching: 7 passed, 1 failed/);
    for (const name of ["tools-list", "resources-list", "dns-rebinding-protection"]) assert.ok(passed.has(name), name);
  }
});

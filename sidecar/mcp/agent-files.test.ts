import assert from "node:assert/strict";
import { after, test } from "node:test";
import { answer } from "../../snapshots/http/answer.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { TOOL_NAMES } from "../../snapshots/tools/table.ts";
import type { View } from "../../snapshots/http/view.ts";
import { buildDemo } from "./fixture.ts";

const demo = await buildDemo();
after(demo.close);

async function get(
  path: string,
  view: View = demo.publicView,
): Promise<{ readonly status: number; readonly type: string; readonly text: string; readonly cache: string }> {
  const { status, headers, body } = await answer(view, { method: "GET", target: path, header: () => null });
  return {
    status,
    type: headers["Content-Type"] ?? "",
    cache: headers["Cache-Control"] ?? "",
    text: Buffer.from((body as Uint8Array | null) ?? []).toString("utf8"),
  };
}

const dataOf = async (view: View) => (await view.current())!.snapshot.data();

test("objects, records, claims and folders have a Markdown twin at index.md, an object's with its own text; other pages have none and name none", async () => {
  const { objects, claims, cubs } = await dataOf(demo.publicView);
  const paths = [
    pagePath.browse(""),
    pagePath.browse("notes/"),
    ...claims.claims.map(({ id }) => pagePath.claim(id)),
    ...cubs.map(({ id }) => pagePath.record(id)),
    ...objects.map(({ key }) => pagePath.object(key)),
  ];
  for (const path of paths) {
    const { status, type, text } = await get(`${path}index.md`);
    assert.equal(status, 200, path);
    assert.equal(type, "text/markdown; charset=utf-8");
    assert.match(text, /^# ./, path);
  }
  const note = objects.find(({ key }) => key.startsWith("notes/"))!;
  const { text } = await get(`${pagePath.object(note.key)}index.md`);
  const bytes = await get(`/objects/${note.key}`);
  assert.ok(text.includes(bytes.text));
  assert.ok(text.includes(note.sha256));
  const without = [
    pagePath.front,
    pagePath.claims,
    pagePath.registry,
    pagePath.dashboard,
    pagePath.reference,
    pagePath.agents,
    pagePath.problems,
    pagePath.problem("not_found"),
    pagePath.rejected,
    pagePath.search,
    pagePath.snapshots,
  ];
  for (const path of without) {
    assert.equal((await get(`${path}index.md`)).status, 404, path);
    assert.doesNotMatch((await get(path)).text, /<link[^>]*text\/markdown/, path);
  }
  for (const path of paths)
    assert.match((await get(path)).text, /<link rel="alternate" type="text\/markdown" href="(?:\.\/)?index\.md"/, path);
  for (const path of ["/nope/index.md", "/index.md/index.md", "/object/nope/index.md", "/404.html/index.md"])
    assert.equal((await get(path)).status, 404, path);
});

test("twins under /at are immutable, in the internal view private, and hold what is gated only there", async () => {
  const { snapshot } = (await demo.publicView.current())!;
  assert.match((await get(`/at/${snapshot.id}/browse/index.md`)).cache, /immutable/);
  const gated = (await dataOf(demo.internalView)).objects.find(({ key }) => key.startsWith("drafts/"))!;
  const twin = `${pagePath.object(gated.key)}index.md`;
  assert.equal((await get(twin)).status, 404);
  const inside = await get(twin, demo.internalView);
  assert.equal(inside.status, 200);
  assert.match(inside.cache, /private, no-store/);
  const full = await get("/llms-full.txt");
  assert.ok(!full.text.includes(gated.key) && !full.text.includes(gated.sha256));
  assert.ok((await get("/llms-full.txt", demo.internalView)).text.includes(gated.sha256));
});

test("no title or key of a stranger is markup in a twin's own part", async () => {
  const { objects } = await dataOf(demo.publicView);
  for (const { key } of objects.filter((object) => object.key.startsWith("names/"))) {
    const own = (await get(`${pagePath.object(key)}index.md`)).text.split("\n---\n")[0] ?? "";
    assert.doesNotMatch(own.replaceAll(/`[^`]*`/g, ""), /(?<!\\)<[a-z!/]/i, key);
  }
});

test("llms-full.txt quotes every text between two lines with its digest", async () => {
  const { status, text } = await get("/llms-full.txt");
  assert.equal(status, 200);
  for (const { sha256, kind } of (await dataOf(demo.publicView)).objects) {
    if (kind === "markdown")
      assert.ok(text.split(`----- ${sha256} -----`).length >= 3 || text.includes(`${sha256}; not quoted here`), sha256);
  }
  assert.match((await get("/llms.txt")).text, /llms-full\.txt/);
});

test("/.well-known/mcp.json says where the endpoint is and what it has", async () => {
  for (const [view, endpoint, authentication] of [
    [demo.publicView, "/mcp", "none"],
    [demo.internalView, "/internal/mcp", "required"],
  ] as const) {
    const { status, type, text } = await get("/.well-known/mcp.json", view);
    assert.equal(status, 200);
    assert.equal(type, "application/json");
    const body = JSON.parse(text) as { endpoints: { url: string; authentication: string }[]; capabilities: { tools: { name: string }[] } };
    assert.equal(new URL(body.endpoints[0]!.url).pathname, endpoint);
    assert.equal(body.endpoints[0]!.authentication, authentication);
    assert.deepEqual(
      body.capabilities.tools.map(({ name }) => name),
      [...TOOL_NAMES],
    );
  }
});

test("the page for agents names every tool and every way to connect, and works without a script", async () => {
  const { status, text } = await get(pagePath.agents);
  assert.equal(status, 200);
  for (const name of TOOL_NAMES) assert.ok(text.includes(name), name);
  for (const client of ["Claude Code", "Cursor", "VS Code", "curl -s"]) assert.ok(text.includes(client), client);
  assert.match(text, /<form[^>]* hidden/);
});

/** The rules of the two proxies, read from the configurations as they are shipped, and the locks of nginx before a server that lies.
 *  Both proxies before real servers, under every attack: proxy.slow.test.ts and several.slow.test.ts. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { startDouble } from "./double-fixture.ts";
import { CODE_PATH, findProxyProblem, GATED_PATH, memberHeaders, send, startProxy, wasHit } from "./fixture.ts";
import { SPELLINGS } from "./tricks-fixture.ts";

const GATED = ["/internal/", "/internal/api/catalog", `/internal/objects/${GATED_PATH}`, CODE_PATH];
const EFFECTS = ["/mcp", "/api/ask", "/api/ai-search?q=x", "/at/0/api/ai-search?q=x", "/api/reindex"];
const PUBLIC = ["/", "/api/catalog", "/api/search?q=%2e%2e", "/objects/notes/one.md", "/browse/notes/", "/objects/names/a%20b.md"];

/** Tells whether a target may be kept, as the shipped text of a proxy says it: the first rule that fits decides. */
type MayKeep = (target: string) => boolean;

function readNginx(): MayKeep {
  const text = readFileSync(new URL("nginx.conf", import.meta.url), "utf8");
  const map = /map \$request_uri \$proofshelf_plain \{([^]*?)\n\}/.exec(text)?.[1] ?? assert.fail("nginx.conf has no map of plain paths");
  const rules = [...map.matchAll(/^ {4}"~(\*?)(.*)" ([01]);$/gm)].map(([, flag, pattern = "", value]) => ({
    pattern: new RegExp(pattern, flag === "*" ? "i" : ""),
    kept: value === "1",
  }));
  assert.equal(rules.length, 3);
  return (target) => rules.find(({ pattern }) => pattern.test(target))?.kept ?? false;
}

function readVarnish(): MayKeep {
  const text = readFileSync(new URL("varnish.vcl", import.meta.url), "utf8");
  const lock = text.slice(text.indexOf("# Lock 1. req.url"), text.indexOf("# Three values"));
  const rules = [...lock.matchAll(/if \(req\.url (!?)~ "(\(\?i\))?(.*)"\) \{\n +return \(pass\);/g)].map(([, not, flag, pattern = ""]) => ({
    pattern: new RegExp(pattern, flag === undefined ? "" : "i"),
    passed: not !== "!",
  }));
  assert.equal(rules.length, 3);
  return (target) => !rules.some(({ pattern, passed }) => pattern.test(target) === passed);
}

test("nginx and Varnish keep and pass on the same targets: public ones are kept, gated ones and effects are not under any spelling of their own", () => {
  const [nginx, varnish] = [readNginx(), readVarnish()];
  for (const target of PUBLIC) assert.deepEqual([nginx(target), varnish(target)], [true, true], target);
  for (const target of [...GATED, ...EFFECTS]) assert.deepEqual([nginx(target), varnish(target)], [false, false], target);
  let passed = 0;
  for (const target of GATED)
    for (const spell of SPELLINGS) {
      const sent = spell(target);
      assert.equal(nginx(sent), varnish(sent), sent);
      if (!nginx(sent)) passed++;
    }
  assert.ok(passed > (GATED.length * SPELLINGS.length) / 2, `${passed}`);
});

const double = startDouble();

test("nginx holds each of its locks before a server that calls everything public, and keeps what is public", {
  skip: findProxyProblem("nginx"),
}, async (t) => {
  const proxy = await startProxy("nginx", double.ports());
  t.after(() => proxy.stop());
  const [member = {}] = memberHeaders();
  const locked: [target: string, headers: Readonly<Record<string, string>>][] = [
    ["/internal/a?public", {}],
    ["/INTERNAL/a?public", {}],
    ["/%69nternal/a?public", {}],
    ["/x/../internal/a?public", {}],
    ["/api/code/a?public", {}],
    ["/api/a?public", member],
    ["/api/b?private", {}],
    ["/api/b?max-age", {}],
    ["/api/b?star", {}],
  ];
  for (const [target, headers] of locked) {
    const replies = [await send(proxy.port, "GET", target, headers), await send(proxy.port, "GET", target, headers)];
    assert.ok(!replies.some(wasHit), target);
    assert.notEqual(replies[0]?.bytes.toString(), replies[1]?.bytes.toString(), `${target} was answered twice with the same bytes`);
  }
  const first = await send(proxy.port, "GET", "/api/c?public");
  const kept = await send(proxy.port, "GET", "/api/c?public");
  assert.deepEqual([wasHit(kept), kept.bytes.toString()], [true, first.bytes.toString()]);
});

for (const kind of ["nginx", "varnish"] as const)
  test(`${kind} asks again for what its origin may take back, and names the snapshot of the answer that goes out`, {
    skip: findProxyProblem(kind),
  }, async (t) => {
    const proxy = await startProxy(kind, double.ports());
    t.after(() => proxy.stop());
    const read = async (): Promise<unknown> => (await send(proxy.port, "GET", `/at/${kind}/objects/a?kept`)).headers["x-snapshot"];
    assert.deepEqual([await read(), await read()], ["1", "1"]);
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    assert.equal(await read(), "2");
  });

for (const kind of ["nginx", "varnish"] as const)
  test(`${kind} brings the cookie of a session to what is gated, in both directions, and to nothing else`, {
    skip: findProxyProblem(kind),
  }, async (t) => {
    const proxy = await startProxy(kind, double.ports());
    t.after(() => proxy.stop());
    const saw = async (target: string): Promise<unknown> =>
      (await send(proxy.port, "GET", target, { cookie: "proofshelf=session" })).headers["x-saw-cookie"];
    for (const target of ["/internal/", "/internal/signed-in?code=x&state=y", "/internal/api/list?private", "/api/code/a/b/c"])
      assert.equal(await saw(target), "proofshelf=session", target);
    for (const target of ["/", "/api/catalog?public", "/internals", "/api/codex", "/x/../internal/", "/ask/?q=/internal/", "/%69nternal/"])
      assert.equal(await saw(target), "none", target);
    const answered = await send(proxy.port, "GET", "/internal/signed-in?cookie");
    assert.deepEqual([answered.headers["set-cookie"], wasHit(answered)], [["a=b"], false]);
  });

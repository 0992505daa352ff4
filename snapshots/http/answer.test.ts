import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { answer } from "./answer.ts";
import { canonicalJson, sha256 } from "../digest.ts";
import { openContract } from "../contract/contract.ts";
import { changed } from "./changed-fixture.ts";
import { makeFixture } from "../contract/fixture.ts";
import { spoilBlob } from "../contract/spoil-blob.ts";
import { bareExchange, httpSuite, PUBLIC_SCRIPTS, SHARED_SCRIPTS, SITE_SCRIPTS } from "../contract/suite.ts";
import { parseScript } from "../contract/script.ts";
import { openIndex } from "../index/open.ts";
import { openRenderer, type Renderer } from "../page/renderer.ts";
import { ROUTER, ROUTES } from "../service/routes.ts";
import { Catalog } from "../schema/resources.ts";
import { openDirectoryShelf } from "../shelf/shelf-directory.ts";
import { openView, type View, type ViewOptions } from "./view.ts";
import { SERVICE } from "../service/service.ts";

type Made = Awaited<ReturnType<typeof makeFixture>>;
let fixture: Made;
let view: View;
let internal: View;

before(async () => {
  fixture = await makeFixture();
  view = openPublic(fixture);
  const shelf = openDirectoryShelf(fixture.internalDir, view.options.shelf);
  internal = openView({ ...view.options, view: "internal", shelf, index: () => openIndex(shelf.indexUri) });
  await view.options.renderer?.();
});
after(() => fixture.remove());

const HOUR = 3_600_000;

function openPublic({ publicDir, dist, version }: Pick<Made, "publicDir" | "dist" | "version">, more: Partial<ViewOptions> = {}): View {
  const shelf = openDirectoryShelf(publicDir);
  let renderer: Promise<Renderer> | null = null;
  return openView({
    service: SERVICE,
    view: "public",
    shelf,
    renderer: () => (renderer ??= openRenderer(dist)),
    index: () => openIndex(shelf.indexUri),
    runtime: {
      version,
      components: () => [{ name: "files", status: "live", note: "" }],
      limits: {},
      auth: {},
      mcp: { endpoint: "/mcp", versions: [], tools: [] },
    },
    // An hour after the last build: health says pass.
    now: () => Date.parse("2026-04-03T00:00:00Z") + HOUR + performance.now(),
    listing: null,
    ...more,
  });
}

httpSuite({
  scripts: [...SITE_SCRIPTS, ...PUBLIC_SCRIPTS, ...SHARED_SCRIPTS],
  mount: "",
  fixture: () => fixture,
  exchange: bareExchange(() => view),
});
httpSuite({ scripts: SHARED_SCRIPTS, mount: "/internal", fixture: () => fixture, exchange: bareExchange(() => internal, "/internal") });

/** A copy of the fixture's public root, to be harmed. */
function copyShelf(t: { after(work: () => void): void }): string {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-answer-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(fixture.publicDir, dir, { recursive: true });
  return dir;
}

const get = (target: string, headers: Record<string, string> = {}, of: View = view) =>
  bareExchange(() => of)({ method: "GET", target, headers });
const codeOf = (body: Uint8Array): string => (JSON.parse(new TextDecoder().decode(body)) as { code: string }).code;

test("a snapshot that another follows answers searches as before when it is asked", async (t) => {
  const publicDir = copyShelf(t);
  const [first, second] = await openDirectoryShelf(publicDir).history.listRecords();
  assert.ok(first !== undefined && second !== undefined);
  const following = openPublic({ ...fixture, publicDir });
  writeFileSync(join(publicDir, "current.json"), canonicalJson(first));
  const before = await get("/api/search?q=zebra", {}, following);
  writeFileSync(join(publicDir, "current.json"), canonicalJson(second));
  await following.refresh();
  const after = await get("/api/search?q=zebra", {}, following);
  assert.deepEqual([before.status, after.status], [200, 200]);
  const again = await get(`/at/${first.snapshot}/api/search?q=zebra`, {}, following);
  assert.equal(again.status, 200);
  assert.deepEqual(JSON.parse(Buffer.from(again.body).toString()).results, JSON.parse(Buffer.from(before.body).toString()).results);
});

test("no request gets a 5xx, whatever its method, path, query and headers", async () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.webSegment(),
    fc.constantFrom(
      "",
      "/",
      "..",
      ".",
      "%",
      "%00",
      "%ff",
      "%2e%2e",
      "\\",
      "__proto__",
      "constructor",
      "notes",
      "short.md",
      "CUB-0001",
      "code",
      "code.json",
      "=p2",
      "..",
      "a".repeat(2000),
      "\u202e",
      "{key}",
      "*",
    ),
  );
  const start = fc.constantFrom(
    "",
    "/api",
    "/api/cubs",
    "/api/list",
    "/api/search",
    "/api/digests",
    "/api/proofs",
    "/objects",
    "/objects/notes",
    "/browse",
    "/object",
    "/claims",
    "/registry",
    "/snapshots",
    "/at",
    `/at/${fixture.public.current}`,
    `/at/${fixture.public.previous}/api`,
    "/assets",
    "/problems",
    "/search",
  );
  const names = fc.constantFrom("q", "prefix", "cursor", "limit", "sort", "repo", "deployable", "part", "use_case");
  const query = fc.oneof(
    fc.constant(""),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc
      .array(fc.tuple(fc.oneof(names, hostile), hostile), { maxLength: 3 })
      .map((pairs) =>
        pairs.map(([name, value]) => `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`).join("&"),
      ),
  );
  const target = fc
    .tuple(start, fc.array(hostile, { maxLength: 3 }), query)
    .map(([first, rest, last]) => [first, ...rest].join("/") + (last === "" ? "" : `?${last}`));
  const headers = fc.record(
    {
      accept: fc.constantFrom("text/html", "*/*", "application/json", "\u00ff"),
      "accept-encoding": fc.oneof(fc.constantFrom("br", "gzip", "identity;q=0", "*;q=0", "br;q=2"), fc.string()),
      "if-none-match": fc.oneof(fc.constantFrom("*", '"x"', "W/", ","), fc.string()),
      range: fc.oneof(fc.constantFrom("bytes=0-0", "bytes=-1", "bytes=5-1", "bytes=0-,1-", "bytes=999999999999999999999-"), fc.string()),
      "if-range": fc.string(),
      "if-modified-since": fc.oneof(fc.constant("Wed, 04 Mar 2026 05:06:07 GMT"), fc.string()),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "PURGE"),
      target,
      headers,
      async (method, path, sent) => {
        const { status, body, headers: found } = await bareExchange(() => view)({ method, target: path, headers: sent });
        if (status >= 500) assert.deepEqual([status, codeOf(body)], [503, "not_configured"], path);
        if (status >= 400) assert.equal(found.get("cache-control"), "no-store");
        for (const value of found.values()) assert.match(value, /^[\t\x20-\x7e]*$/, "a header that HTTP can carry");
      },
    ),
    { numRuns: 1500 },
  );
});

test("every GET route that this process answers is in a script", () => {
  const seen = new Set<string>();
  for (const name of [...PUBLIC_SCRIPTS, ...SHARED_SCRIPTS]) {
    const text = readFileSync(new URL(`../contract/${name}.http`, import.meta.url), "utf8");
    for (const { steps } of parseScript(text, name)) {
      for (const { request } of steps) {
        const [method, target = ""] = request.replaceAll("{mount}", "").split(" ");
        const id = ROUTER.matchPath(target.replace(/\?.*$/, ""))?.route.id;
        if (method === "GET" && id !== undefined) seen.add(id);
      }
    }
  }
  const missing = ROUTES.filter(({ access, kind, methods }) => access === "public" && kind !== "effect" && methods.includes("GET")).filter(
    ({ id }) => !seen.has(id),
  );
  assert.deepEqual(
    missing.map(({ path }) => path),
    [],
  );
});

test("the fast path sends what the slow one would, or nothing", async () => {
  const still = openPublic(fixture);
  const encodings = ["br", "gzip", "identity"] as const;
  for (const target of ["/api/catalog", "/", "/api/list?prefix=notes/", "/api/cubs/CUB-0001", "/robots.txt"]) {
    for (const encoding of encodings) {
      const header = (tag: string | null) => (name: string) =>
        name === "accept-encoding" ? encoding : name === "if-none-match" ? tag : null;
      const slow = await answer(still, { method: "GET", target, header: header(null) });
      const id = still.peek()?.snapshot.id ?? "";
      const ready = still.prepared.get(id, target, encoding);
      assert.deepEqual(ready?.answer, slow);
      assert.deepEqual(ready?.head, Object.entries(slow.headers).flat());
      const tag = slow.headers["ETag"] ?? "";
      const unmodified = await answer(still, { method: "GET", target, header: header(tag) });
      assert.equal(unmodified.status, 304);
      assert.deepEqual(ready?.unmodified, unmodified);
    }
  }
});

test("a 304 has the headers that its 200 has, also where nothing was ready", async () => {
  const id = (await view.current())?.snapshot.id ?? assert.fail();
  const ofBody = /^Content-|^Accept-Ranges$/;
  for (const path of ["/api/cubs?limit=1", "/api/list?prefix=notes/", "/api/cubs.ndjson", "/api/catalog", "/api/claims", "/feed.xml"])
    for (const target of [path, `/at/${id}${path}`]) {
      const askCold = (tag: string | null) =>
        answer(openPublic(fixture), { method: "GET", target, header: (name) => (name === "if-none-match" ? tag : null) });
      const whole = await askCold(null);
      const tag = whole.headers["ETag"];
      if (tag === undefined) continue;
      const { status, headers } = await askCold(tag);
      const rest = Object.fromEntries(Object.entries(whole.headers).filter(([name]) => !ofBody.test(name)));
      assert.deepEqual([status, headers], [304, rest], target);
    }
});

test("under a kept address a cursor of another snapshot is refused, and anything that is not there is no 304", async () => {
  const id = (await view.current())?.snapshot.id ?? assert.fail();
  const ask = (target: string, headers: Readonly<Record<string, string>> = {}) =>
    answer(view, { method: "GET", target, header: (name) => headers[name] ?? null });
  const code = ({ body }: { body: unknown }): unknown => (JSON.parse(Buffer.from(body as Uint8Array).toString()) as { code: string }).code;
  const own = JSON.parse(Buffer.from((await ask("/api/cubs?limit=1")).body as Uint8Array).toString()) as { next: string };
  const { q, n } = JSON.parse(Buffer.from(own.next, "base64url").toString()) as { q: string; n: number };
  for (const other of ["0", "1", "a", "f", "9"]) {
    const cursor = Buffer.from(JSON.stringify({ s: other.repeat(64), q, n })).toString("base64url");
    const refused = await ask(`/at/${id}/api/cubs?limit=1&cursor=${cursor}`);
    assert.deepEqual([refused.status, code(refused)], [400, "bad_cursor"]);
    assert.equal((await ask(`/api/cubs?limit=1&cursor=${cursor}`)).status, 410);
  }
  assert.equal((await ask(`/at/${id}/api/cubs?limit=1&cursor=${own.next}`)).status, 200);
  for (const path of [
    "/api/cubs/CUB-99999/graph",
    "/api/digests/x",
    `/api/cubs?limit=1&cursor=${own.next}&q=other`,
    "/api/search",
    "/api/list?cursor=x",
  ])
    assert.ok((await ask(path, { "if-none-match": "*" })).status >= 400, path);
  assert.equal((await ask("/api/cubs?limit=1", { "if-none-match": "*" })).status, 304);
});

test("a flipped bit in an object is an error, never other bytes", async (t) => {
  const dir = copyShelf(t);
  spoilBlob(dir, sha256("A leaf far down.\n"));
  const harmed = openPublic({ ...fixture, publicDir: dir });
  const { status, body, headers } = await get("/objects/notes/deep/er/leaf.txt", {}, harmed);
  assert.deepEqual([status, codeOf(body), headers.get("cache-control")], [503, "snapshot_damaged", "no-store"]);
  assert.equal((await get("/objects/notes/short.md", {}, harmed)).status, 200);
});

test("a pointer to a snapshot that cannot be opened leaves the last good one served, and health says so", async (t) => {
  const dir = copyShelf(t);
  const followed = openPublic({ ...fixture, publicDir: dir });
  assert.equal((await get("/api/catalog", {}, followed)).headers.get("x-snapshot"), fixture.public.current);
  const record = JSON.parse(readFileSync(join(dir, "current.json"), "utf8")) as object;
  writeFileSync(join(dir, "current.json"), canonicalJson({ ...record, sequence: 9, snapshot: "0".repeat(64) }));
  await followed.refresh();
  const { status, headers } = await get("/api/catalog", {}, followed);
  assert.deepEqual([status, headers.get("x-snapshot")], [200, fixture.public.current]);
  const health = JSON.parse(new TextDecoder().decode((await get("/health", {}, followed)).body)) as { status: string };
  assert.equal(health.status, "warn");
  truncateSync(join(dir, "current.json"));
  assert.equal((await get("/api/claims", {}, followed)).status, 200);
});

test("a view that never had a good snapshot fails, and says 503", async (t) => {
  const dir = copyShelf(t);
  writeFileSync(join(dir, "current.json"), "{}");
  const broken = openPublic({ ...fixture, publicDir: dir });
  const { status, body } = await get("/api/catalog", {}, broken);
  assert.deepEqual([status, codeOf(body)], [503, "snapshot_damaged"]);
  const health = await get("/health", {}, broken);
  assert.equal(health.status, 503);
  assert.equal(health.headers.get("content-type"), "application/health+json");
});

test("before the first snapshot the catalog is a listing, the rest waits, and only GET and HEAD are answered", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-answer-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const catalog: Catalog = {
    schema_version: 1,
    snapshot: null,
    generator: "proofshelf",
    source: "listing",
    counts: { collections: 0, objects: 0, bytes: 0 },
    collections: [],
  };
  const empty = openPublic({ ...fixture, publicDir: dir }, { listing: async () => catalog, baseUrl: "http://library.example" });
  const listing = await get("/api/catalog", {}, empty);
  assert.deepEqual([listing.status, listing.headers.get("cache-control")], [200, "no-store"]);
  assert.deepEqual(Catalog.parse(JSON.parse(new TextDecoder().decode(listing.body))), catalog);
  const parts = ["files", "full-text search", "mcp"].map((name) => ({ name, status: "live" as const, note: "" }));
  const told = changed(empty, { options: { ...empty.options, runtime: { ...empty.options.runtime, components: () => parts } } });
  const { components } = JSON.parse(new TextDecoder().decode((await get("/api/capabilities", {}, told)).body)) as {
    components: readonly { status: string }[];
  };
  assert.deepEqual(
    components.map(({ status }) => status),
    ["unavailable", "unavailable", "live"],
  );
  for (const target of ["/", "/api/list", "/objects/x", "/api/cubs", "/api/openapi.json"]) {
    const { status, body } = await get(target, {}, empty);
    assert.deepEqual([status, codeOf(body)], [503, "no_snapshot"], target);
    assert.ok(Buffer.from(body).includes(`"type":"http://library.example/problems/no_snapshot/"`));
  }
  assert.equal((await bareExchange(() => empty)({ method: "POST", target: "/api/catalog", headers: {} })).status, 405);
  assert.equal((await get("/health", {}, empty)).status, 503);
  assert.equal((await get("/api/catalog", {}, openPublic({ ...fixture, publicDir: dir }))).status, 503);
});

test("a view without pages or index answers data, and says what it lacks", async () => {
  const bare = openPublic(fixture, { renderer: null, index: null });
  assert.equal((await get("/api/catalog", {}, bare)).status, 200);
  assert.equal((await get("/", {}, bare)).status, 200);
  assert.deepEqual(codeOf((await get("/api/search?q=x", {}, bare)).body), "search_unavailable");
  assert.deepEqual(codeOf((await get("/search/?q=x", { accept: "application/json" }, bare)).body), "not_configured");
  assert.equal((await get("/nothing", { accept: "text/html" }, bare)).status, 404);
});

test("styles of this process, of the snapshot and of the one before are all there: a page of either is never bare", async () => {
  const renderer = await view.options.renderer?.();
  assert.ok(renderer !== undefined);
  const newer = { path: "assets/page.0badcafe.css", type: "text/css; charset=utf-8", bytes: Buffer.from("body{}") };
  const upgraded = openPublic(fixture, { renderer: async () => ({ ...renderer, assets: [newer] }) });
  for (const path of [
    "/assets/page.0badcafe.css",
    ...renderer.assets.map((asset) => `/${asset.path}`).filter((path) => path !== "/favicon.ico"),
  ]) {
    const { status, headers } = await get(path, {}, upgraded);
    assert.deepEqual([status, headers.get("cache-control")], [200, "public, max-age=31536000, immutable"], path);
  }
  assert.equal((await get("/assets/page.00000000.css", {}, upgraded)).status, 404);
});

test("an old snapshot is warned of, by the build that last looked and not by the last that found something", async () => {
  const late = openPublic(fixture, { now: () => Date.parse("2026-04-03T00:00:00Z") + 13 * HOUR });
  const health = JSON.parse(new TextDecoder().decode((await get("/health", {}, late)).body)) as { status: string; age_s: number };
  assert.deepEqual([health.status, health.age_s], ["warn", 13 * 3600]);
});

test("the contract would notice a wrong body, an undescribed status and a HEAD that differs", async () => {
  const exchange = bareExchange(() => view);
  const { check } = await openContract(exchange, { mount: "" });
  const sent = { method: "GET", target: "/api/claims", headers: {} };
  const good = await exchange(sent);
  await check(sent, good);
  const wrong = new TextEncoder().encode('{"claims":[]}');
  await assert.rejects(
    check(sent, { ...good, body: wrong, headers: new Map([...good.headers, ["content-length", String(wrong.length)]]) }),
    /meta/,
  );
  await assert.rejects(check(sent, { ...good, status: 201 }), /not described/);
  await assert.rejects(check(sent, { ...good, headers: new Map([...good.headers, ["x-more", "1"]]) }), /HEAD mirrors GET/);
});

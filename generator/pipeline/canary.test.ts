/** No gated and no private byte is in anything public. The demo library has a word beginning with CANARY- in every gated
 *  object, in each field of a record that the interface does not name, and in each piece of private evidence. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { connect } from "@lancedb/lancedb";
import { objectPath } from "../../snapshots/format/layout.ts";
import type { View } from "../../snapshots/http/view.ts";
import type { BuildSummary } from "./summary.ts";

import { compileSite } from "../pages/compile-site.ts";
import { type Config, DEMO_CONFIG, openConfig } from "../config/config.ts";
import { exportView } from "../annex/export/export.ts";
import { SILENT, writeFiles, writeFixture } from "../testing/library.ts";
import { filesUnder } from "../testing/shelf-files.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import { useParts } from "../publish/parts.ts";
import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { build, openShelves } from "../testing/whole.ts";

useParts(PAGED_PARTS);

const CANARY = /CANARY-(GATED|PRIVATE)-[\w-]+/g;
const DEMO = join(DEMO_CONFIG, "..");

/** The demo with a shelf of its own. */
function copyDemo(dir: string): string {
  for (const name of ["library", "code", "claims.yaml", "registry.yaml", "registry.lock.jsonl", "registry.overlay.yaml"])
    cpSync(join(DEMO, name), join(dir, name), { recursive: true, preserveTimestamps: true });
  const file = join(dir, "proofshelf.yaml");
  writeFileSync(file, readFileSync(DEMO_CONFIG, "utf8").replace(/shelf: .*/, "shelf: { kind: directory, root: ./shelf }"));
  return file;
}

let base: string;
let config: Config;
let summary: BuildSummary;
let view: View;
before(async () => {
  base = mkdtempSync(join(tmpdir(), "proofshelf-canary-"));
  config = await openConfig(copyDemo(base));
  summary = await build(config, { progress: SILENT });
  view = await openFixtureView(config);
});
after(() => rmSync(base, { recursive: true, force: true }));

/** Every reading of a file: as it stands, unpacked, in UTF-16, and base64 taken off. */
function readings(bytes: Buffer): string[] {
  const unpacked = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
  const text = unpacked.toString("latin1");
  const wide = text.includes("C\0A\0N\0") ? unpacked.toString("utf16le") : "";
  const decoded = [...text.matchAll(/[A-Za-z0-9+/]{40,}={0,2}/g)].map(([run]) => Buffer.from(run, "base64").toString("latin1"));
  return [text, wide, ...decoded];
}

function canariesIn(bytes: Buffer): string[] {
  return [...new Set(readings(bytes).flatMap((text) => text.match(CANARY) ?? []))];
}

test("the scan would find them: the sources and the internal root are full of canaries", () => {
  const inSources = new Set(
    [...filesUnder(base)].filter(({ path }) => !path.startsWith("shelf/")).flatMap(({ bytes }) => canariesIn(bytes)),
  );
  assert.ok([...inSources].filter((word) => word.startsWith("CANARY-GATED-")).length >= 5, "gated");
  assert.ok([...inSources].filter((word) => word.startsWith("CANARY-PRIVATE-")).length >= 3, "private");
  const internal = new Set([...filesUnder(openShelves(config).internalDir)].flatMap(({ bytes }) => canariesIn(bytes)));
  for (const word of inSources) if (word.startsWith("CANARY-GATED-")) assert.ok(internal.has(word), `${word} is in the internal view`);
});

test("no file under the public root holds one: blobs, records, pointer", () => {
  let files = 0;
  for (const { path, bytes } of filesUnder(openShelves(config).publicDir)) {
    files++;
    assert.deepEqual(canariesIn(bytes), [], path);
  }
  assert.ok(files > 500);
});

test("private fields and evidence are in no view at all, the internal one included", () => {
  const { internalDir, buildDir } = openShelves(config);
  for (const { path, bytes } of filesUnder(internalDir)) {
    // The build's own memory: the registry as pulled, beside the views and served by nobody.
    if (join(internalDir, path).startsWith(buildDir)) continue;
    assert.deepEqual(
      canariesIn(bytes).filter((word) => word.startsWith("CANARY-PRIVATE-")),
      [],
      path,
    );
  }
});

test("no row of the public index holds one, in any version that is kept", async () => {
  const database = await connect(openShelves(config).public.indexUri);
  let rows = 0;
  for (const name of await database.tableNames()) {
    const table = await database.openTable(name);
    for (const { version } of await table.listVersions()) {
      await table.checkout(version);
      for (const row of (await table.query().toArray()) as object[]) {
        rows++;
        assert.doesNotMatch(JSON.stringify({ ...row }), CANARY, name);
      }
    }
    table.close();
  }
  assert.ok(rows > 300);
  database.close();
});

test("no public answer holds one: every file route, every page, every object, lists, searches and histories", async () => {
  const data = await (await view.current())?.snapshot.data();
  assert.ok(data !== undefined);
  const pages = [...(await ask(view, "/sitemap.xml")).text.matchAll(/<loc>http:\/\/127\.0\.0\.1:4321([^<]*)<\/loc>/g)].map(
    ([, path = ""]) => path.replaceAll("&apos;", "'").replaceAll("&amp;", "&"),
  );
  assert.ok(pages.length > 200);
  const prefixes = new Set(data.objects.flatMap(({ key }) => [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index + 1))));
  const targets = [
    ...pages,
    ...data.objects.map(({ key }) => objectPath(key)),
    ...["", ...prefixes, "drafts/", "reviews/", "d", "rev"].map((prefix) => `/api/list?prefix=${encodeURIComponent(prefix)}`),
    ...data.cubs.flatMap(({ id }) => [`/api/cubs/${id}`, `/api/cubs/${id}/code`]),
    ...data.objects.slice(0, 20).map(({ key }) => `/api/proofs/${key.split("/").map(encodeURIComponent).join("/")}`),
    "/api/catalog",
    "/api/claims",
    "/api/rejected",
    "/api/capabilities",
    "/api/openapi.json",
    "/api/cubs?limit=500",
    "/api/cubs.json",
    "/api/cubs/meta",
    "/health",
    ...pages.map((path) => `${path}index.md`),
    "/llms-full.txt",
    "/.well-known/mcp.json",
    "/agents/",
    "/ask/",
    "/llms.txt",
    "/robots.txt",
    "/sitemap.xml",
    "/snapshots/",
    "/search/",
    "/registry/?q=e",
    "/browse/?sort=-date",
    "/404.html",
    "/nothing",
    ...["merkle", "plan", "draft", "review", "status", "heaps", "objection", "marker"].flatMap((q) => [
      `/api/search?q=${q}`,
      `/search/?q=${q}`,
    ]),
    ...["/api/catalog", "/", "/api/search?q=marker"].map((path) => `/at/${summary.snapshot}${path}`),
  ];
  for (const target of targets) {
    const { status, body, headers } = await ask(view, target, { accept: "text/html" });
    assert.ok([200, 308, 404].includes(status), `${status} ${target}`);
    assert.deepEqual(canariesIn(body), [], target);
    assert.doesNotMatch(JSON.stringify(headers), CANARY, target);
    assert.doesNotMatch(
      body.toString(),
      /a-stronger-word-than-verified|second-shelf\.md|a-fourth-status|drafts\/plan/,
      `${target} names no gated key`,
    );
  }
});

test("asking for a gated object, folder, page or word looks like asking for nothing", async () => {
  for (const [gated, nothing] of [
    ["/objects/drafts/plan.csv", "/objects/drafts/nope.csv"],
    ["/object/drafts/plan.csv/", "/object/drafts/nope.csv/"],
    ["/browse/drafts/", "/browse/nowhere/"],
    ["/api/list?prefix=drafts/", "/api/list?prefix=nowhere/"],
    ["/api/proofs/drafts/plan.csv", "/api/proofs/drafts/nope.csv"],
    ["/api/search?q=asphodel", "/api/search?q=qqqxyzzy"],
    ["/api/search?q=merkle&prefix=reviews/", "/api/search?q=merkle&prefix=nowhere/"],
  ] as const) {
    const [one, other] = [await ask(view, gated), await ask(view, nothing)];
    const shape = ({ status, text }: typeof one) => [
      status,
      text.replaceAll(/drafts|nowhere|reviews|plan|nope|asphodel|qqqxyzzy|"request_id":"[^"]*"/g, ""),
    ];
    assert.deepEqual(shape(one), shape(other), gated);
  }
});

test("no exported file holds one", async (t) => {
  const dir = tempDir(t);
  const exported = await exportView({ shelf: openShelves(config).public, dist: (await compileSite()).dist, dir: join(dir, "export") });
  assert.deepEqual(exported.skipped, []);
  let files = 0;
  for (const { path, bytes } of filesUnder(join(dir, "export"))) {
    files++;
    assert.deepEqual(canariesIn(bytes), [], path);
    assert.doesNotMatch(path, /drafts|reviews/);
  }
  assert.ok(files > 500);
});

function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-canary-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("other gated data give the same public snapshot, the same search results and scores, and another internal one", async (t) => {
  const dir = tempDir(t);
  const file = copyDemo(dir);
  const library = join(dir, "library");
  rmSync(join(library, "reviews"), { recursive: true });
  await writeFiles(library, [
    ["drafts/plan.csv", "n,topic\n9,CANARY-GATED-OTHER merkle merkle merkle sorting\n"],
    ["drafts/new.md", `# Merkle\n\n${"Merkle trees and sorted lists, digest by digest. ".repeat(200)}\n`],
    ["drafts/broken.pdf", "%PDF-1.4 no\n"],
    [Buffer.from("drafts/\xff.md", "latin1"), "not UTF-8\n"],
  ]);
  const other = await openConfig(file);
  const different = await build(other, { progress: SILENT });
  assert.equal(different.snapshot, summary.snapshot);
  assert.notEqual(different.internal.snapshot, summary.internal.snapshot);
  const otherView = await openFixtureView(other);
  for (const target of [
    "/api/search?q=merkle",
    "/api/search?q=sorted%20lists",
    "/api/search?q=digest",
    "/api/cubs?q=sorted",
    "/api/rejected",
    "/api/list",
  ]) {
    assert.equal((await ask(otherView, target)).text, (await ask(view, target)).text, target);
  }
});

test("a gated collection or title may be called like anything the software itself says", async (t) => {
  const dir = tempDir(t);
  const file = await writeFixture(dir);
  const names = ["api/", "objects/", "proofs/", "search/", "registry/", "claims/", "snapshots/", "assets/", "reference/", "problems/"];
  writeFileSync(
    file,
    readFileSync(file, "utf8")
      .replace(/^ {2}- \{ id: proofs.*\n/m, "")
      .replace(
        "claims: {",
        `${names.map((prefix) => `  - { id: g-${prefix.slice(0, -1)}, prefix: ${prefix}, title: What changed, visibility: email-gated }`).join("\n")}\nclaims: {`,
      ),
  );
  rmSync(join(dir, "library/proofs"), { recursive: true });
  const titles = [
    "Proof records",
    "What this library holds",
    "Reconciliation",
    "Integrity index",
    "Nothing is served at this path",
    "Check it yourself",
    "Search the library",
    "Known gaps and limits",
  ];
  await writeFiles(join(dir, "library"), [
    ...names.map((prefix, at) => [`${prefix}page.md`, `# ${titles[at % titles.length]}\n\nGated all the same.\n`] as const),
    ...titles.map((title, at) => [`drafts/${at}.md`, `# ${title}\n\nGated.\n`] as const),
  ]);
  const built = await build(await openConfig(file), { progress: SILENT });
  assert.equal(built.published, true);
});

test("a public text that gives a gated name away is the author's, a page that did would stop the build", async (t) => {
  const dir = tempDir(t);
  const file = await writeFixture(dir);
  await writeFiles(join(dir, "library"), [["notes/gossip.md", "# Gossip\n\nSee drafts/secret-plan.md.\n"]]);
  assert.equal((await build(await openConfig(file), { progress: SILENT })).published, true);
});

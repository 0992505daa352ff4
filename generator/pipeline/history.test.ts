/** What changed, asked of a library that was published several times: lists, comparisons, feeds, and snapshots by their time. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ChangesResponse, Comparison } from "../../snapshots/annex/history/changes-schema.ts";
import type { LeakReport } from "../../snapshots/annex/leaks/summary.ts";
import { listen, viewListener } from "../../snapshots/http/listen.ts";

import { openConfig } from "../config/config.ts";
import { describeLibrary, SILENT, writeFiles } from "../testing/library.ts";
import { ask, openFixtureView } from "../testing/view.ts";

import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { build, openShelves } from "../testing/whole.ts";

const registry = (state: string) =>
  JSON.stringify({
    cubs: [{ id: "CUB-0001", repo: "r", theorem_name: "t", statement: "True", verification_state: state, no_holes: true }],
  });
const claims = (status: string) =>
  JSON.stringify({ claims: [{ id: "sorted <&>", title: "Sorted", status, scope: "This test", statement: "It is sorted." }] });

/** Published on four days: first all of it; then an object changed and another came; then the record and the claim fell, as did many
 *  objects come; then the claim went. */
async function openLibrary() {
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      `${describeLibrary("Changing")}claims: { path: ./claims.json }
registry: { path: ./registry.json }
embeddings: { kind: none }
uploaded: none
`,
    ],
    ["library/notes/one.md", "# One\n\nFirst.\n"],
    ["library/notes/two.md", "# Two\n"],
    ["library/drafts/hidden.md", "# Hidden\n"],
    ["claims.json", claims("verified")],
    ["registry.json", registry("VERIFIED")],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  const publish = async (now: string, files: readonly (readonly [string, string])[], gone: readonly string[] = []) => {
    await writeFiles(dir, files);
    for (const file of gone) rmSync(join(dir, file));
    await build(config, { progress: SILENT, now: () => new Date(now), acceptLoss: true }, PAGED_PARTS);
  };
  await publish("2026-01-01T00:00:00Z", []);
  await publish("2026-01-02T00:00:00Z", [
    ["library/notes/one.md", "# One\n\nSecond.\n"],
    ["library/notes/three.md", "# Three\n"],
    ["library/drafts/hidden.md", "# Hidden still\n"],
  ]);
  const many = Array.from({ length: 30 }, (_, at) => [`library/notes/many/${at}.md`, `# Many ${at}\n`] as const);
  await publish("2026-01-03T00:00:00Z", [["claims.json", claims("partial")], ["registry.json", registry("NOT_VERIFIED")], ...many]);
  await publish("2026-01-04T00:00:00Z", [["claims.json", `{"claims":[]}`]], ["library/notes/two.md"]);
  const view = await openFixtureView(config);
  const json = async <T>(target: string) => (await ask(view, target)).json() as T;
  return { config, view, json };
}

const dir = mkdtempSync(join(tmpdir(), "proofshelf-history-"));
let library: Awaited<ReturnType<typeof openLibrary>>;
before(async () => {
  library = await openLibrary();
});

after(() => rmSync(dir, { recursive: true, force: true }));

type Told = Pick<ChangesResponse["changes"][number], "sequence" | "what" | "change" | "name">;
const told = ({ changes }: Pick<ChangesResponse, "changes">): readonly string[] =>
  changes.map(({ sequence, change, what, name }: Told) => `${sequence} ${change} ${what} ${name}`);

test("what each publication changed is told in order, with fields before and after, and what got weaker", async () => {
  const { json, view } = library;
  const all = await json<ChangesResponse>("/api/changes?limit=500");
  const noMany = told(all).filter((line) => !line.includes("notes/many/"));
  assert.deepEqual(noMany, [
    "1 added object notes/one.md",
    "1 added object notes/two.md",
    "1 added claim sorted <&>",
    "1 added record CUB-0001",
    "2 added object notes/three.md",
    "2 changed object notes/one.md",
    "3 changed claim sorted <&>",
    "3 changed record CUB-0001",
    "4 removed object notes/two.md",
    "4 removed claim sorted <&>",
  ]);
  assert.deepEqual([all.since, all.until, all.complete, all.next], [0, 4, true, undefined]);
  const since = await json<ChangesResponse>("/api/changes?since=2");
  assert.ok(since.changes.every(({ sequence }) => sequence > 2));
  const record = since.changes.find(({ what }) => what === "record");
  assert.deepEqual(
    record?.fields.find(({ field }) => field === "verification_state"),
    { field: "verification_state", before: '"VERIFIED"', after: '"NOT_VERIFIED"' },
  );
  assert.deepEqual(record?.weaker, ["verification_state was VERIFIED and is NOT_VERIFIED"]);
  assert.deepEqual(
    since.changes.filter(({ what }) => what === "claim").map(({ weaker, path }) => [weaker, path]),
    [
      [["its status was verified and is partial"], "/claims/sorted=20=3C=26=3E/"],
      [["it is gone"], null],
    ],
  );
  const id = (await view.records())[1]?.snapshot ?? "";
  assert.deepEqual(await json<ChangesResponse>(`/api/changes?since=${id}`), since);
});

test("changes come in pages that join without a gap, and go on where they began after another publication", async () => {
  const { json, view } = library;
  const whole = told(await json("/api/changes?limit=500"));
  const pages: string[] = [];
  for (let target: string | null = "/api/changes?limit=7"; target !== null; ) {
    const { headers, json: read } = await ask(view, target);
    pages.push(...told(read() as ChangesResponse));
    target = /^<([^>]+)>; rel="next"/.exec(headers["Link"] ?? "")?.[1] ?? null;
  }
  assert.deepEqual(pages, whole);
});

test("what is asked wrongly is said", async () => {
  const { view } = library;
  const refused: readonly (readonly [string, number])[] = [
    ["/api/changes?since=9", 400],
    ["/api/changes?since=yesterday", 400],
    ["/api/changes?limit=0", 400],
    [`/api/changes?since=${"0".repeat(64)}`, 404],
    ["/api/changes?cursor=x", 400],
    ["/api/diff/zzz/000000", 400],
    ["/api/diff/000000/000000", 404],
    ["/at/2026-13-45T00:00:00Z/claims/", 400],
    ["/browse/nowhere/feed.xml", 404],
    ["/object/notes/one.md/feed.xml", 404],
  ];
  for (const [target, status] of refused) assert.equal((await ask(view, target)).status, status, target);
});

test("two snapshots held against each other say what the lists of the publications between say", async () => {
  const { json, view } = library;
  const [first, second] = (await view.records()).map(({ snapshot }) => snapshot);
  const both = await json<Comparison>(`/api/diff/${first}/${second?.slice(0, 12)}`);
  assert.deepEqual([both.from.sequence, both.to.sequence, both.count], [1, 2, 2]);
  assert.deepEqual(
    both.changes.map(({ change, name }) => `${change} ${name}`),
    ["changed notes/one.md", "added notes/three.md"],
  );
  assert.ok(both.files.some(({ folder, added }) => folder === "objects" && added === 1));
});

test("feeds have the newest first, one entry for many, and say what got weaker", async () => {
  const { json, view } = library;
  type Feed = {
    readonly items: readonly { readonly id: string; readonly title: string; readonly url: string; readonly tags: readonly string[] }[];
  };
  const titles = async (target: string) => (await json<Feed>(target)).items.map(({ title }) => title);
  assert.deepEqual(await titles("/feed.json"), [
    "Object notes/two.md was removed",
    "Claim sorted <&> got weaker: it is gone",
    "Claim sorted <&> got weaker: its status was verified and is partial",
    "Record CUB-0001 got weaker: verification_state was VERIFIED and is NOT_VERIFIED",
    "Snapshot 3: 30 added, 2 changed, 0 removed",
    "Object notes/three.md (Three) was added",
    "Object notes/one.md (One) was changed",
    "Object notes/one.md (One) was added",
    "Object notes/two.md was added",
    "Claim sorted <&> was added",
    "Record CUB-0001 was added",
  ]);
  assert.deepEqual(await titles("/registry/feed.json"), [
    "Record CUB-0001 got weaker: verification_state was VERIFIED and is NOT_VERIFIED",
    "Record CUB-0001 was added",
  ]);
  assert.equal((await titles("/claims/feed.json")).length, 3);
  assert.ok((await titles("/browse/notes/feed.json")).every((title) => /^(Object notes\/|Snapshot 3: 30 added, 0 changed)/.test(title)));
  const { items } = await json<Feed>("/feed.json");
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length, "no two entries have one id");
  assert.deepEqual(items[3]?.tags, ["record", "changed", "weaker"]);
  const atom = await ask(view, "/feed.xml");
  assert.equal(atom.headers["Content-Type"], "application/atom+xml; charset=utf-8");
  assert.match(atom.text, /<title>Claim sorted &lt;&amp;&gt; was added<\/title>/);
  assert.equal(atom.text.split("<entry>").length - 1, items.length);
});

test("nothing of a gated collection is in what the public is told of changes", async () => {
  const { config, view } = library;
  for (const target of ["/api/changes?limit=500", "/feed.xml", "/feed.json", "/api/timemap"]) {
    assert.doesNotMatch((await ask(view, target)).text, /drafts|[Hh]idden/, target);
  }
  const internal = await openFixtureView(config, "internal");
  assert.match((await ask(internal, "/api/changes?limit=500")).text, /drafts\/hidden\.md/);
});

test("an address leads to the snapshot of a time, by its path and as Memento clients ask", async () => {
  const { view } = library;
  const ids = (await view.records()).map(({ snapshot }) => snapshot);
  const leads = async (target: string, header: Record<string, string> = {}) => {
    const { status, headers } = await ask(view, target, header);
    assert.equal(status, 302, target);
    return headers["Location"];
  };
  assert.equal(await leads("/at/2026-01-02T12:00:00Z/claims/?a=b"), `/at/${ids[1]}/claims/?a=b`);
  assert.equal(await leads("/at/2026-01-02/"), `/at/${ids[1]}/`);
  assert.equal(await leads("/at/2020-01-01T00:00:00Z/feed.xml"), `/at/${ids[0]}/feed.xml`, "before the first is the first");
  assert.equal(await leads("/timegate/objects/notes/one.md"), `/at/${ids[3]}/objects/notes/one.md`);
  const asked = { "accept-datetime": "Sat, 03 Jan 2026 00:00:00 GMT" };
  assert.equal(await leads("/timegate/objects/notes/one.md", asked), `/at/${ids[2]}/objects/notes/one.md`);
  assert.equal((await ask(view, "/timegate/", { "accept-datetime": "soon" })).status, 400);
  const memento = await ask(view, `/at/${ids[0]}/objects/notes/one.md`);
  assert.equal(memento.text, "# One\n\nFirst.\n");
  assert.equal(memento.headers["Memento-Datetime"], "Thu, 01 Jan 2026 00:00:00 GMT");
  assert.match(
    memento.headers["Link"] ?? "",
    /<\/objects\/notes\/one\.md>; rel="original", <\/timegate\/objects\/notes\/one\.md>; rel="timegate"/,
  );
  assert.match(memento.headers["Link"] ?? "", /<\/objects\/notes\/one\.md>; rel="latest-version"/);
  const map = (await ask(view, "/api/timemap")).text;
  assert.match(map, /rel="first memento"; datetime="Thu, 01 Jan 2026 00:00:00 GMT"/);
  assert.deepEqual(
    [...map.matchAll(/\/at\/([0-9a-f]{64})\//g)].map(([, id]) => id),
    ids,
  );
});

test("an answer of a kept snapshot says of which time it is each time that it is asked for, ready or not", async (t) => {
  const { view } = library;
  const server = await listen(viewListener(view), { host: "127.0.0.1", port: 0 });
  t.after(() => server.close());
  const [id] = (await view.records()).map(({ snapshot }) => snapshot);
  for (const path of ["/api/cubs", "/claims/", "/objects/notes/one.md", "/registry/", "/api/list?prefix=notes/", "/api/catalog"]) {
    let tag = "";
    for (const method of ["GET", "GET", "HEAD", "GET"]) {
      const { status, headers } = await fetch(`${server.url}/at/${id}${path}`, { method, headers: { "If-None-Match": tag } });
      assert.equal(status, tag === "" ? 200 : 304, path);
      assert.equal(headers.get("memento-datetime"), "Thu, 01 Jan 2026 00:00:00 GMT", `${method} ${path} ${status}`);
      assert.match(headers.get("link") ?? "", /rel="original"/, `${method} ${path} ${status}`);
      if (method === "HEAD") tag = headers.get("etag") ?? assert.fail(path);
    }
  }
});

test("what was at an address and is gone has a page that leads to where it was last, and to why; programs are told in their form", async () => {
  const { view } = library;
  const ids = (await view.records()).map(({ snapshot }) => snapshot);
  const html = { accept: "text/html" };
  const gone = await ask(view, "/object/notes/two.md/", html);
  assert.equal(gone.status, 404);
  assert.match(gone.text, /<h1>Not there any more<\/h1>[^]*notes\/two\.md[^]*was here until snapshot 4/);
  assert.match(gone.text, new RegExp(`href="[^"]*/at/${ids[2]}/object/notes/two\\.md/"`));
  assert.match(gone.text, new RegExp(`href="[^"]*/snapshots/${ids[2]}\\.\\.${ids[3]}/"`));
  assert.match((await ask(view, "/object/notes/never.md/", html)).text, /<h1>Not found<\/h1>/);
  const twin = await ask(view, "/object/notes/never.md/index.md", html);
  assert.equal(twin.headers["Content-Type"], "text/markdown; charset=utf-8");
  const [page, led] = await Promise.all([html, { accept: "text/markdown" }].map((headers) => ask(view, "/object/notes/one.md/", headers)));
  assert.deepEqual(
    [led?.status, led?.headers["Location"], led?.headers["Cache-Control"]],
    [302, "/object/notes/one.md/index.md", "no-store"],
  );
  assert.deepEqual(
    [gone, twin, led, page].map((answer) => answer?.headers["Vary"]),
    ["Accept", "Accept", "Accept", "Accept, Accept-Encoding"],
    "a cache that has the page asks anew for who would rather read Markdown",
  );
  assert.match(twin.text, /^# Not found\n/);
  const last = await ask(view, "/object/notes/two.md/index.md", { accept: "*/*" });
  assert.equal(last.headers["Content-Type"], "text/markdown; charset=utf-8");
  assert.match(last.text, new RegExp(`^# Not there any more\n[^]*until snapshot 4, [^]*/at/${ids[2]}/object/notes/two\\.md/\n`));
  assert.match(
    (await ask(view, "/object/notes/two.md/index.md", { accept: "application/json" })).headers["Content-Type"] ?? "",
    /problem\+json/,
  );
  assert.match((await ask(view, "/object/notes/never.md/cite.json", html)).headers["Content-Type"] ?? "", /problem\+json/);
  for (const [path, last] of [
    ["/objects/notes/two.md", "/objects/notes/two.md"],
    ["/object/notes/two.md/", "/object/notes/two.md/"],
    ["/object/notes/two.md/cite.json", "/object/notes/two.md/"],
  ] as const) {
    const { detail, fixes } = JSON.parse((await ask(view, path, { accept: "application/json" })).text);
    assert.match(detail, / It was here until snapshot 4, of 2026-01-0\d\.$/, path);
    assert.equal(fixes[0], `As it was last: /at/${ids[2]}${last}`);
  }
});

test("a record's and a claim's page show their states over the snapshots, newest first", async () => {
  const { view } = library;
  const shown = async (target: string) =>
    [...(await ask(view, target)).text.matchAll(/<\/a><\/dt><dd dir="auto">snapshot (\d+): ([^<]*)</g)].map(
      ([, at, words]) => `${at} ${words}`,
    );
  assert.deepEqual(await shown("/registry/CUB-0001/"), [
    "3 standing: said to be verified; it pins no file → not verified",
    "1 standing: said to be verified; it pins no file",
  ]);
  const third = (await view.records())[2]?.snapshot;
  assert.deepEqual(await shown(`/at/${third}/claims/sorted=20=3C=26=3E/`), [
    "3 standing: said to be verified; it pins nothing → partial; it pins nothing",
    "1 standing: said to be verified; it pins nothing",
  ]);
});

test("what was looked for before a snapshot was published is told, and how much of it is gated only to who may see that", async () => {
  const { config, view, json } = library;
  const { check, sequence } = await json<LeakReport>("/api/leak-report");
  assert.deepEqual([sequence, check], [4, { rule: "3", found: 0, allowances: 0 }]);
  assert.match(
    (await ask(view, "/rejected/")).text,
    /Every public file was looked through for what is gated or private, and nothing was found\. Rule 3/,
  );
  const internal = await openFixtureView(config, "internal");
  const { details } = ((await ask(internal, "/api/leak-report")).json() as LeakReport).check ?? {};
  assert.ok(details !== undefined && details.keys >= 2 && details.digests === 1 && details.files > 0 && details.bytes > 0);
  const third = (await view.records())[2]?.snapshot;
  assert.equal(details.since, third, "what was looked for is kept, so that only what has changed was looked through");
});

test("the page of the snapshots plots records by state over time, with the numbers in a table", async () => {
  const html = (await ask(library.view, "/snapshots/")).text;
  const rows = [...html.matchAll(/<tr><th scope="row">(\d)<\/th><td class="date">[\d-]+<\/td>(.*?)<\/tr>/g)];
  assert.deepEqual(
    rows.map(([, sequence, cells = ""]) => [sequence, ...[...cells.matchAll(/>(\d)</g)].map(([, count]) => count)]),
    [
      ["4", "0", "1"],
      ["3", "0", "1"],
      ["2", "1", "0"],
      ["1", "1", "0"],
    ],
  );
});

test("an earlier snapshot that is damaged costs what is told of it, and no page, list or feed", async () => {
  const { config, view } = library;
  const first = (await view.records())[0]?.snapshot ?? "";
  // A file of its own counts before an entry of a pack.
  const file = join(dir, "shelf/public/blobs", first.slice(0, 2), first);
  await writeFiles(dir, [[`shelf/public/blobs/${first.slice(0, 2)}/${first}`, "[]"]]);
  const fresh = await openFixtureView(config);
  for (const target of ["/registry/CUB-0001/", "/api/changes?limit=500", "/feed.xml", "/claims/feed.json"])
    assert.equal((await ask(fresh, target)).status, 200, target);
  assert.match((await ask(fresh, "/registry/CUB-0001/")).text, /snapshot 1: changed; that snapshot cannot be read here</);
  assert.match((await ask(fresh, "/snapshots/")).text, /Cannot be read here: snapshot 1\./);
  assert.equal((await ask(fresh, `/at/${first}/`)).status, 503);
  rmSync(file);
});

test("of publications whose snapshots are pruned the names are told, and that the beginning is lost where it is", async () => {
  const { config, json, view } = library;
  const { public: shelf } = openShelves(config);
  const whole = told(await json("/api/changes?limit=500"));
  const [early, late] = [await json<ChangesResponse>("/api/changes?limit=3"), await json<ChangesResponse>("/api/changes?limit=10")];
  await shelf.history.deleteRecord(1);
  await shelf.history.deleteRecord(3);
  // A page goes on where it would have, though publications before it are gone; one that began with them says so.
  const rest = await json<ChangesResponse>(`/api/changes?limit=500&cursor=${late.next}`);
  assert.deepEqual([...told(late), ...told(rest)], whole);
  const expired = await ask(view, `/api/changes?limit=500&cursor=${early.next}`);
  assert.deepEqual(
    [expired.status, (expired.json() as { fixes: string[] }).fixes],
    [410, ["Begin again with what is kept: /api/changes?since=1"]],
  );
  const all = await json<ChangesResponse>("/api/changes?limit=500");
  assert.deepEqual([all.complete, all.changes[0]?.sequence], [false, 2]);
  const pruned = all.changes.filter(({ sequence }) => sequence === 3);
  assert.equal(pruned.length, 32);
  assert.deepEqual([...new Set(pruned.map(({ snapshot }) => snapshot))], [null]);
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sha256 } from "../../snapshots/digest.ts";
import { answer } from "../../snapshots/http/answer.ts";
import { openView, type View } from "../../snapshots/http/view.ts";
import { openRenderer } from "../../snapshots/page/renderer.ts";
import type { Catalog, CatalogObject } from "../../snapshots/schema/resources.ts";

import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { compileSite } from "../pages/compile-site.ts";

import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { build, openShelves } from "../testing/whole.ts";
import { SERVICE } from "../../snapshots/service/service.ts";

const PROOF = "(* SPDX-License-Identifier: MIT OR Apache-2.0 *)\nTheorem t : True.\nProof. exact I. Qed.\n";
const FILES: readonly (readonly [string, string])[] = [
  [
    "notes/own.md",
    "---\ntitle: Own & <i>words</i>\nauthors: [Ada Lovelace, {name: Émilie du Châtelet}]\ndate: 2024-05-17\nlicence: CC BY 4.0\n---\n\nText.\n",
  ],
  ["notes/none.md", "# Nothing said\n\nText.\n"],
  ["notes/evil.md", `---\ntitle: "</script><script>alert(1)</script>"\nauthor: "}, note = {x"\nlicense: "</script>"\n---\n\nText.\n`],
  [
    "notes/papers/paper.tex",
    '\\title{On trees}\\author{A. Writer\\thanks{x} \\and B. {\\"O}ther}\\date{2023-02}\\begin{document}Words of a paper stand here.\\end{document}\n',
  ],
  ["code/LICENSE", "Apache License\nVersion 2.0, January 2004\n"],
  ["code/CITATION.cff", "cff-version: 1.2.0\nauthors:\n  - given-names: Grace\n    family-names: Hopper\nlicense: GPL-3.0-only\n"],
  ["code/deep/a.rs", "pub fn a() {}\n"],
  ["code/t.v", PROOF],
  ["LICENSE", "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\n"],
  ["drafts/d.md", "# Draft\n\nText.\n"],
];

let base: string;
let view: View;
let rows: ReadonlyMap<string, CatalogObject>;
const get = async (target: string) => {
  const { status, headers, body } = await answer(view, { method: "GET", target, header: () => null });
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else if (body !== null) for await (const chunk of body) chunks.push(chunk);
  return { status, headers, text: Buffer.concat(chunks).toString() };
};

async function open(): Promise<void> {
  const config = await openConfig(join(base, "proofshelf.yaml"));
  await build(config, { progress: SILENT }, PAGED_PARTS);
  const { dist } = await compileSite();
  const runtime = { version: "0", components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } };
  const shelf = openShelves(config).public;
  view = openView({
    service: SERVICE,
    view: "public",
    shelf,
    renderer: () => openRenderer(dist),
    index: null,
    runtime,
    now: () => 0,
    listing: null,
  });
  const catalog = JSON.parse((await get("/api/catalog")).text) as Catalog;
  rows = new Map(catalog.collections.flatMap(({ objects }) => objects).map((row) => [row.key, row]));
}

before(async () => {
  base = mkdtempSync(join(tmpdir(), "credits-"));
  await writeFiles(join(base, "library"), FILES);
  const record = (n: number, more: object) => ({ id: `CUB-000${n}`, repo: "r", theorem_name: `t${n}`, statement: "True", ...more });
  const cubs = [
    record(1, { file_shas: { "t.v": sha256(PROOF) } }),
    record(2, {}),
    record(3, { file_shas: { "t.v": sha256(PROOF) }, license: " CC0-1.0 " }),
  ];
  writeFileSync(join(base, "registry.json"), JSON.stringify({ meta: {}, cubs }));
  writeFileSync(
    join(base, "proofshelf.yaml"),
    `title: A library
baseUrl: https://library.example.org/shelf
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
embeddings: { kind: none }
registry: { path: ./registry.json }
credits: [{ prefix: notes/papers/, license: CC-BY-SA-4.0, authors: [Nobody] }]
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: code, prefix: code/, title: Code, visibility: public }
  - { id: rest, prefix: "", title: Rest, visibility: email-gated }
`,
  );
  await open();
});
after(() => rmSync(base, { recursive: true, force: true }));

test("what an object says of itself counts, then the configuration, then a licence file above it, and no gated one", () => {
  const said = (key: string) => {
    const { authors, date, license } = rows.get(key) ?? {};
    return [authors, date, license];
  };
  assert.deepEqual(said("notes/own.md"), [["Ada Lovelace", "Émilie du Châtelet"], "2024-05-17", "CC-BY-4.0"]);
  assert.deepEqual(said("notes/none.md"), [undefined, undefined, undefined], "the gated LICENSE at the root does not speak for it");
  assert.deepEqual(said("notes/papers/paper.tex"), [["A. Writer", "B. Öther"], "2023-02", "CC-BY-SA-4.0"]);
  assert.deepEqual(said("code/deep/a.rs"), [["Grace Hopper"], undefined, "Apache-2.0"]);
  assert.deepEqual(said("code/t.v"), [["Grace Hopper"], undefined, "MIT OR Apache-2.0"]);
});

test("the SWHID is what git calls the bytes", () => {
  for (const [key] of FILES.filter(([key]) => rows.has(key))) {
    const digest = execFileSync("git", ["hash-object", "--no-filters", join(base, "library", key)], { encoding: "utf8" }).trim();
    assert.equal(rows.get(key)?.swhid, `swh:1:cnt:${digest}`, key);
  }
});

test("a record has the licence of its files, and its page and the filters say it, or that it is not stated", async () => {
  const { cubs } = JSON.parse((await get("/api/cubs.json")).text) as { cubs: { license?: string }[] };
  assert.deepEqual(
    cubs.map(({ license }) => license),
    ["MIT OR Apache-2.0", undefined, "CC0-1.0"],
    "what the registry states counts first",
  );
  assert.match((await get("/registry/CUB-0002/")).text, /<dt>Licence<\/dt><dd><bdi>not stated<\/bdi>/);
  const registry = (await get("/registry/")).text;
  assert.match(registry, /<summary>Licence<\/summary>/);
  assert.match((await get("/registry/?license=MIT+OR+Apache-2.0")).text, /1 of 3/);
});

test("objects are filtered by licence, in a folder and in its list, and none stated is a value", async () => {
  const keys = async (query: string) => {
    const { objects, prefixes } = JSON.parse((await get(`/api/list?${query}`)).text) as { objects: { key: string }[]; prefixes: string[] };
    return [...prefixes, ...objects.map(({ key }) => key)];
  };
  assert.deepEqual(await keys("prefix=code/&license=Apache-2.0"), ["code/deep/", "code/LICENSE"]);
  assert.deepEqual(await keys("prefix=notes/&license="), ["notes/none.md"]);
  assert.deepEqual(await keys("prefix=notes/&license=&license=CC-BY-4.0"), ["notes/none.md", "notes/own.md"]);
  assert.deepEqual(await keys("license=GPL-2.0-only"), []);
  const whole = (await get("/browse/notes/")).text;
  assert.match(whole, /<summary>Licence<\/summary>/);
  assert.match(whole, /href="[^"]*\?license="[^>]*><bdi>not stated<\/bdi>/);
  const narrowed = (await get("/browse/notes/?license=CC-BY-SA-4.0&sort=-size")).text;
  assert.match(narrowed, /href="papers\/"/);
  assert.doesNotMatch(narrowed, /object\/notes\/(?:own|none)\.md/);
  assert.match((await get("/browse/notes/papers/?license=MIT")).text, /Nothing lies here/);
});

test("an edited licence file changes what is said of its folder, on pages too", async () => {
  await writeFiles(join(base, "library"), [["code/LICENSE", "ISC License\n\nPermission to use\n"]]);
  await open();
  assert.equal(rows.get("code/deep/a.rs")?.license, "ISC");
  assert.match((await get("/object/code/deep/a.rs/")).text, /spdx\.org\/licenses\/ISC\.html/);
});

test("objects, claims, records and the snapshot are cited by an address that never changes, with digest and SWHID", async () => {
  const { snapshot } = JSON.parse((await get("/api/catalog")).text) as Catalog;
  const own = await get("/object/notes/own.md/cite.json");
  assert.equal(own.headers["Content-Type"], "application/vnd.citationstyles.csl+json");
  const row = rows.get("notes/own.md");
  assert.deepEqual(JSON.parse(own.text), [
    {
      id: `notes-own-md-${snapshot?.slice(0, 8)}`,
      type: "document",
      title: "Own & <i>words</i>",
      author: [{ literal: "Ada Lovelace" }, { literal: "Émilie du Châtelet" }],
      issued: { "date-parts": [[2024, 5, 17]] },
      publisher: "A library",
      URL: `https://library.example.org/shelf/at/${snapshot}/object/notes/own.md/`,
      version: `snapshot ${snapshot}`,
      note: `SHA-256: ${row?.sha256}; ${row?.swhid}; Licence: CC-BY-4.0`,
    },
  ]);
  for (const path of ["/", "/registry/CUB-0001/"])
    for (const file of ["cite.bib", "cite.json"]) assert.equal((await get(path + file)).status, 200, path + file);
  for (const path of ["/claims/cite.bib", "/cite.xml", "/object/nothing.md/cite.bib"]) assert.equal((await get(path)).status, 404, path);
  const { text } = await get("/object/notes/evil.md/cite.bib");
  assert.match(text, /author = \{\{\\\}, note = \\\{x\}\}/, "braces of a stranger end no field");
});

test("the head of a page says it to programs, and no title ends the script that it stands in", async () => {
  const html = (await get("/object/notes/own.md/")).text;
  const tags = [...html.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  assert.deepEqual(
    tags.filter(([name]) => name === "citation_author").map(([, value]) => value),
    ["Ada Lovelace", "Émilie du Châtelet"],
  );
  for (const name of ["citation_title", "citation_publication_date", "og:title", "og:url"])
    assert.ok(
      tags.some(([other]) => other === name),
      name,
    );
  for (const rel of ["cite-as", "license", "item", "describedby", "type"])
    assert.match(html, new RegExp(`<link rel="${rel}" href="https://`), rel);
  const evil = (await get("/object/notes/evil.md/")).text;
  const [, json = ""] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(evil) ?? [];
  assert.equal((JSON.parse(json) as { name: string }).name, "</script><script>alert(1)</script>");
  assert.doesNotMatch(evil.replaceAll(/="[^"]*"/g, ""), /<script>/);
});

test("what lies at its address is what is cited", () => {
  assert.equal(rows.get("code/t.v")?.sha256, sha256(readFileSync(join(base, "library/code/t.v"))));
});

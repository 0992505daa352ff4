import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sha256 } from "../digest.ts";
import type { ViewData } from "../format/view-data.ts";
import { openIndex } from "../index/open.ts";
import type { Document } from "../index/row.ts";
import type { ViewIndex } from "../index/view-index.ts";
import { Claim } from "../schema/claims.ts";
import { CubRecord } from "../schema/cubs.ts";
import { searchResults } from "./search-page.ts";

const MANY = 230;
const collection = (id: string, prefix: string) => ({ id, title: id, summary: "", visibility: "public", prefix }) as const;
const object = (key: string, kind: "markdown" | "pdf") => ({
  key,
  title: key,
  summary: "",
  kind,
  media_type: "",
  size: 1,
  sha256: sha256(key),
  uploaded: null,
});
const record = (id: string, repo: string) => CubRecord.parse({ id, repo, statement: "a zebrafish", theorem_name: `name of ${id}` });
const many = Array.from({ length: MANY }, (_, at) => object(`notes/n${at}.md`, "markdown"));
const data: ViewData = {
  library: {
    title: "",
    summary: "",
    view: "public",
    base_url: "",
    registry_url: "",
    registry: "read",
    claims: "read",
    collection_counts: { public: 2, email_gated: 0 },
    generator: "",
    notes: [],
    collections: [collection("notes", "notes/"), collection("rest", "")],
  },
  objects: [...many, object("other.pdf", "pdf")].sort((a, b) => (a.key < b.key ? -1 : 1)),
  claims: {
    meta: { title: "", subtitle: "", generated: "", fact_checked: "", note: "", pins: {} },
    claims: [Claim.parse({ id: "one-claim", title: "One claim", status: "scoped", scope: "here", statement: "a zebrafish claim" })],
  },
  cubs: [record("CUB-0001", "sorting"), record("CUB-0002", "other")],
  meta: null,
  code: new Map(),
  rejected: [],
  withheld: 0,
};

const documentOf = (doc: string, kind: Document["kind"], text: string): Document => {
  const key = doc.slice(doc.indexOf(":") + 1);
  const passage = { heading: [], name: null, page: null, start_line: 1, end_line: 1, text };
  return { doc, key, kind, collection: "", title: key, sha256: sha256(key), passages: [passage] };
};

let folder: string;
let index: ViewIndex;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "search-page-"));
  index = await openIndex(folder);
  const long = `zebrafish among ${"other words ".repeat(30)}`;
  const upsert = [
    ...many.map(({ key }, at) =>
      documentOf(`object:${key}`, "markdown", `zebrafish zebrafish number${at} ${"alpha".repeat(at % 7)} ${at * at}`),
    ),
    documentOf("object:other.pdf", "pdf", long),
    documentOf("claim:one-claim", "claim", long),
    documentOf("record:CUB-0001", "record", long),
    documentOf("record:CUB-0002", "record", long),
  ];
  await index.update({ upsert, remove: [], base: null, tag: "one" });
});
after(() => {
  index.close();
  return rm(folder, { recursive: true, force: true });
});

const find = async (query: string) => {
  const reader = await index.at("one");
  return searchResults({ reader: async () => reader }, data, new URLSearchParams(query)).finally(() => reader.close());
};
const keysOf = async (query: string): Promise<readonly string[]> => ((await find(query)).hits ?? []).map(({ key }) => key);

test("an operator or a filter finds what it leaves in, however much stands before that", async () => {
  assert.deepEqual(await keysOf("q=kind:claim+zebrafish"), ["one-claim"]);
  assert.deepEqual(await keysOf("q=kind:pdf+zebrafish"), ["other.pdf"]);
  assert.deepEqual((await keysOf("q=kind:record+zebrafish")).toSorted(), ["CUB-0001", "CUB-0002"]);
  assert.deepEqual(await keysOf("q=repo:other+zebrafish"), ["CUB-0002"]);
  assert.deepEqual(await keysOf("q=zebrafish&kind=claim"), ["one-claim"]);
  assert.deepEqual(await keysOf("q=zebrafish&collection=rest"), ["other.pdf"]);
  assert.deepEqual(await keysOf("q=zebrafish&prefix=%3Drest"), ["other.pdf"]);
  assert.deepEqual(await keysOf("q=zebrafish&collection=rest&kind=markdown"), []);
  assert.deepEqual(await keysOf("q=zebrafish&collection=&kind="), await keysOf("q=zebrafish"));
});

test("a facet counts under the other filters, and a chosen value can be taken back", async () => {
  const { facets, found } = await find("q=zebrafish&kind=pdf");
  assert.equal(found, 1);
  const [collections, kinds] = facets.map(({ values }) => values.map(({ value, selected }) => `${value}${selected ? " *" : ""}`));
  assert.deepEqual(collections, ["rest"]);
  assert.deepEqual(
    kinds?.filter((value) => value.endsWith("*")),
    ["pdf *"],
  );
});

test("a thing that the query names stays first under a filter that leaves it in", async () => {
  assert.equal((await keysOf("q=CUB-0001&kind=record"))[0], "CUB-0001");
  assert.equal((await keysOf("q=CUB-0001"))[0], "CUB-0001");
  assert.deepEqual(await keysOf("q=CUB-0001&kind=claim"), []);
});

test("more results lead on until all that were looked at are shown, and the page says that there may be more", async () => {
  let { hits, more, found, atLeast } = await find("q=zebrafish");
  assert.deepEqual([hits?.length, found, atLeast], [10, 200, true]);
  for (let before = 0; more !== null; { hits, more, found } = await find(more.slice(more.indexOf("?") + 1))) {
    assert.ok((hits?.length ?? 0) > before, more);
    before = hits?.length ?? 0;
  }
  assert.equal(hits?.length, found);
  assert.equal((await find("q=zebrafish&kind=pdf")).atLeast, false);
});

test("a card's line is cut at whole signs", async () => {
  for (const at of [317, 318, 319]) {
    const statement = `${"x".repeat(at)}\u{1f600}${"y".repeat(50)}`;
    const [cub] = data.cubs;
    const own = { ...data, cubs: cub === undefined ? [] : [{ ...cub, statement }] };
    const reader = await index.at("one");
    const { hits } = await searchResults({ reader: async () => reader }, own, new URLSearchParams("q=CUB-0001"));
    reader.close();
    assert.ok(
      hits?.[0]?.pieces.every(({ text }) => text.isWellFormed() && text.length <= 320),
      `${at}`,
    );
  }
});

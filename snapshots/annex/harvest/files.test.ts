/** What other programs take of a snapshot, read by the rules of those who take it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import type { ObjectRow, ViewData } from "../../format/view-data.ts";
import { TINY, tinyData } from "../../verify/tiny-shelf-fixture.ts";
import { dataCite } from "./datacite.ts";
import { openSearch } from "./open-search.ts";
import { roCrate } from "./ro-crate.ts";
import { serverJson } from "./server-json.ts";

const RECORD = { sequence: 7, snapshot: "ab".repeat(32), created: "2026-02-01T10:00:00Z", previous: null, inputs: {} };
const base = tinyData(TINY, "public");
const [first] = base.objects as [ObjectRow];
const data: ViewData = {
  ...base,
  objects: [
    { ...first, key: "notes/a b?#%.md", authors: ["M\u00f6ller, \u00d6. <x>", "Ann"], license: "CC-BY-4.0", date: "2020-05" },
    ...Array.from({ length: 450 }, (_, n) => ({ ...first, key: `notes/${n}.md`, license: n % 2 === 0 ? "MIT" : "My own terms" })),
    { ...first, key: "notes/z.md" },
  ],
};

type Entity = { readonly "@id": string; readonly "@type": string } & Readonly<Record<string, unknown>>;

test("a crate describes itself and its root, names every file once, and each entity that it names is in it", () => {
  const crate = JSON.parse([...roCrate(data, RECORD)].join("")) as { "@context": string; "@graph": readonly Entity[] };
  assert.equal(crate["@context"], "https://w3id.org/ro/crate/1.2/context");
  const byId = new Map(crate["@graph"].map((entity) => [entity["@id"], entity]));
  assert.equal(byId.size, crate["@graph"].length, "each id once");
  const about = byId.get("ro-crate-metadata.json");
  assert.deepEqual([about?.["conformsTo"], about?.["about"]], [{ "@id": "https://w3id.org/ro/crate/1.2" }, { "@id": "./" }]);
  const root = byId.get("./");
  for (const name of ["name", "description", "datePublished", "license", "hasPart"]) assert.ok(root?.[name], name);
  const named = (value: unknown): readonly string[] =>
    Array.isArray(value)
      ? value.flatMap(named)
      : typeof value === "object" && value !== null && "@id" in value
        ? [String(value["@id"])]
        : [];
  for (const entity of crate["@graph"])
    for (const id of Object.entries(entity).flatMap(([name, value]) => (name === "conformsTo" ? [] : named(value))))
      assert.ok(byId.has(id), `${entity["@id"]} names ${id}`);
  const parts = named(root?.["hasPart"]);
  assert.equal(parts.length, data.objects.length + 3);
  for (const id of byId.keys()) assert.ok(URL.canParse(id, "https://e.org/at/x/"), id);
  assert.equal(new URL(parts[3] ?? "", "https://e.org/").pathname, "/objects/notes/a%20b%3F%23%25.md");
});

test("DataCite metadata has every property that the schema requires, each value of its lists", () => {
  const made = dataCite(data, RECORD) as Record<string, never> & { rightsList: { rights: string }[]; contributors: { name: string }[] };
  for (const name of ["creators", "titles", "publisher", "publicationYear", "types", "schemaVersion"]) assert.ok(made[name], name);
  assert.match(made["publicationYear"] ?? "", /^\d{4}$/);
  assert.deepEqual(
    made.rightsList.map(({ rights }) => rights),
    ["CC-BY-4.0", "MIT", "My own terms"],
  );
  assert.deepEqual(
    made.contributors.map(({ name }) => name),
    ["Ann", "M\u00f6ller, \u00d6. <x>"],
  );
});

test("server.json keeps the bounds of its schema, whatever the library is called and wherever it is", () => {
  for (const [address, name] of [
    ["https://Library.Example.org/proofs", "org.example.library/library"],
    ["http://127.0.0.1:4321", "127.0.0.1/library"],
    ["http://[::1]:4321", "1/library"],
    ["", "localhost/library"],
  ] as const) {
    const library = { ...data.library, base_url: address, title: "T\u{1F600} ".repeat(90), summary: "word ".repeat(90) };
    const made = serverJson({ ...data, library }, 7) as { name: string; title: string; description: string; version: string };
    assert.equal(made.name, name);
    assert.match(made.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    for (const text of [made.title, made.description]) assert.ok(text.length >= 1 && text.length <= 100 && text.isWellFormed(), text);
    assert.equal(made.version, "1.0.7");
  }
});

test("the OpenSearch description is XML, and its names are as short as they have to be", () => {
  const title = 'A & B <"quoted"> library of long, long names';
  const xml = openSearch({ ...data, library: { ...data.library, title } });
  assert.equal(XMLValidator.validate(xml), true);
  const made = (new XMLParser({ ignoreAttributes: false }).parse(xml) as { OpenSearchDescription: Record<string, unknown> })
    .OpenSearchDescription;
  assert.ok(String(made["ShortName"]).length <= 16 && String(made["LongName"]).length <= 48);
  const [page] = made["Url"] as Record<string, string>[];
  assert.equal(page?.["@_template"], "http://127.0.0.1:4321/search/?q={searchTerms}");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256 } from "../digest.ts";
import type { ViewData } from "../format/view-data.ts";
import { CubRecord } from "../schema/cubs.ts";
import { findNamed, listPassing } from "./direct.ts";
import { parseOperators } from "../words/operators.ts";

const digest = sha256("x");
const object = (key: string, kind: "markdown" | "pdf") => ({
  key,
  title: `On ${key}`,
  summary: "",
  kind,
  media_type: "",
  size: 1,
  sha256: sha256(key),
  uploaded: null,
});
const record = (id: string, more: Partial<CubRecord>) =>
  CubRecord.parse({ id, repo: "sorting", statement: "s", theorem_name: "t", ...more });
const data: ViewData = {
  library: {
    title: "",
    summary: "",
    view: "public",
    base_url: "",
    registry_url: "",
    registry: "read",
    claims: "read",
    collection_counts: { public: 1, email_gated: 0 },
    generator: "",
    notes: [],
    collections: [{ id: "notes", title: "Notes", summary: "", visibility: "public", prefix: "notes/" }],
  },
  objects: [object("notes/a.md", "markdown"), object("papers/b.pdf", "pdf")],
  claims: { meta: { title: "", subtitle: "", generated: "", fact_checked: "", note: "", pins: {} }, claims: [] },
  cubs: [
    record("CUB-0001", { theorem_name: "insert_sorted", module: "Lists.Sorting", kind: "Theorem", file_shas: { "a.v": digest } }),
    record("CUB-0002", { theorem_name: "sorted", kind: "Definition", repo: "other" }),
  ],
  meta: null,
  code: new Map(),
  rejected: [],
  withheld: 0,
};
const named = (name: string): readonly string[] =>
  findNamed(data, name).map(({ kind, item, by }) => `${by} ${kind === "object" ? item.key : item.id}`);

test("a digest, whole or from eight digits on, an id, a key and a qualified name lead to what they name", () => {
  for (const text of [digest, digest.slice(0, 8), digest.slice(0, 13).toUpperCase(), `sha256:${digest}`])
    assert.deepEqual(named(text), ["digest CUB-0001"], text);
  assert.deepEqual(named(digest.slice(0, 7)), []);
  assert.deepEqual(named("cub-0001"), ["id CUB-0001"]);
  for (const text of ["insert_sorted", "Sorting.insert_sorted", "Lists.Sorting.insert_sorted", "Lists::Sorting::insert_sorted"])
    assert.deepEqual(named(text), ["name CUB-0001"], text);
  assert.deepEqual(named("notes/a.md"), ["key notes/a.md"]);
  assert.deepEqual(named("on NOTES/a.md"), ["title notes/a.md"]);
  for (const text of ["", "__proto__", "constructor", "deadbeef", "insert"]) assert.deepEqual(named(text), [], text);
});

test("operators narrow and are no words; within quotes they are", () => {
  assert.deepEqual(parseOperators('kind:theorem  sorted lists repo:sorting in:"my notes/"'), {
    words: "sorted lists",
    kinds: ["theorem"],
    repos: ["sorting"],
    inside: "my notes/",
  });
  assert.deepEqual(parseOperators('"kind:theorem of" x'), { words: '"kind:theorem of" x', kinds: [], repos: [], inside: null });
  assert.equal(parseOperators("mankind:x").words, "mankind:x");
  const list = (q: string): readonly string[] => listPassing(data, parseOperators(q)).map(({ key }) => key);
  assert.deepEqual(list("kind:theorem"), ["CUB-0001"]);
  assert.deepEqual(list("kind:theorem kind:definition"), ["CUB-0001", "CUB-0002"]);
  assert.deepEqual(list("kind:record repo:other"), ["CUB-0002"]);
  assert.deepEqual(list("kind:pdf"), ["papers/b.pdf"]);
  assert.deepEqual(list("in:notes/"), ["notes/a.md"]);
  assert.deepEqual(list("kind:pdf in:notes/"), []);
});

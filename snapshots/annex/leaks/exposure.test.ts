import assert from "node:assert/strict";
import { test } from "node:test";
import type { CollectionInfo, ViewData } from "../../format/view-data.ts";
import { type Exposed, openGating } from "./exposure.ts";
import { GATED_COLLECTION, TINY, tinyData, type TinySource } from "../../verify/tiny-shelf-fixture.ts";

const NOTES: CollectionInfo = { id: "notes", title: "Notes", summary: "Working notes", visibility: "public", prefix: "notes/" };
const COLLECTIONS = [NOTES, GATED_COLLECTION];

function heldBy(
  then: ViewData,
  now: TinySource,
  collections: readonly CollectionInfo[] = COLLECTIONS,
  privateTexts: readonly string[] = [],
): readonly string[] {
  const views = { public: tinyData(now, "public"), internal: tinyData(now, "internal") };
  return openGating({ collections, ...views, privateTexts })(then).map(({ what, name }: Exposed) => `${what} ${name}`);
}

const before = tinyData(TINY, "public");
const claimOf = (source: TinySource) => source.claims?.[0] as { readonly evidence: readonly object[] };

test("a snapshot of the same sources holds nothing, nor does one with things that are gone", () => {
  assert.deepEqual(heldBy(before, TINY), []);
  const more: TinySource = { ...TINY, objects: [...TINY.objects, { key: "notes/gone.md", text: "Gone.\n" }] };
  assert.deepEqual(heldBy(tinyData(more, "public"), TINY), []);
  assert.deepEqual(heldBy(before, { objects: [] }), []);
});

test("a collection that is gated now, with its objects, also those that are gone", () => {
  const gated = [{ ...NOTES, visibility: "email-gated" as const }, GATED_COLLECTION];
  assert.deepEqual(heldBy(before, { objects: [] }, gated), ["collection notes", "object notes/hello.md", "object notes/what?.md"]);
  const inner: CollectionInfo = { id: "inner", title: "Inner", summary: "", visibility: "email-gated", prefix: "notes/w" };
  assert.deepEqual(heldBy(before, TINY, [...COLLECTIONS, inner]), ["object notes/what?.md"]);
  const refused = { ...before, rejected: [{ source: "store" as const, key: "notes/why.md", reason: "No." }] };
  assert.deepEqual(heldBy(refused, TINY, [...COLLECTIONS, inner]), ["object notes/what?.md", "object notes/why.md"]);
});

test("an id that is used again for another prefix gates nothing: who has the prefix now decides, in whatever order they stand", () => {
  const again: CollectionInfo[] = [
    { ...NOTES, prefix: "elsewhere/", visibility: "email-gated" },
    { ...NOTES, id: "open" },
    GATED_COLLECTION,
  ];
  assert.deepEqual(heldBy(before, TINY, again), []);
  assert.deepEqual(heldBy(before, TINY, again.toReversed()), []);
  assert.deepEqual(heldBy(before, TINY, [{ ...NOTES, id: "open", prefix: "not" }, ...again.slice(0, 1)]), []);
  const gone = heldBy(before, { objects: [] }, again.slice(0, 1));
  assert.deepEqual(gone, ["collection notes"], "where nobody has the prefix, the id tells");
  const swapped = [
    { ...NOTES, visibility: "email-gated" as const, id: "open" },
    { ...NOTES, prefix: "elsewhere/" },
  ];
  assert.deepEqual(heldBy(before, { objects: [] }, swapped)[0], "collection notes", "and a prefix that is gated under another id is");
});

test("an object whose bytes moved into a gated collection; empty ones and those that are public elsewhere tell nothing", () => {
  const [hello, ...rest] = TINY.objects;
  const text = hello?.text ?? "";
  const moved: TinySource = { ...TINY, objects: [{ key: "drafts/hello.md", text }, ...rest] };
  assert.deepEqual(heldBy(before, moved), ["object notes/hello.md"]);
  assert.deepEqual(heldBy(before, { ...moved, objects: [...moved.objects, { key: "notes/copy.md", text }] }), []);
  const empty = (key: string): TinySource => ({ objects: [{ key, text: "" }] });
  assert.deepEqual(heldBy(tinyData(empty("notes/a"), "public"), empty("drafts/a")), []);
});

test("a claim whose evidence is not public any more, in either gated way", () => {
  for (const access of ["email-gated", "private"]) {
    const evidence = claimOf(TINY).evidence.map((item, at) => (at === 0 ? { ...item, access } : item));
    const now: TinySource = { ...TINY, claims: [{ ...claimOf(TINY), evidence }] };
    assert.deepEqual(heldBy(before, now), ["claim sorting"], access);
  }
  // Two pieces with one name, of which one is public still.
  const twice: TinySource = {
    ...TINY,
    claims: [{ ...claimOf(TINY), evidence: [...claimOf(TINY).evidence, { artifact: "note", kind: "text", access: "private" }] }],
  };
  assert.deepEqual(heldBy(before, twice), []);
});

test("a record that said what the registry keeps to itself now, unless something public says it still", () => {
  assert.deepEqual(heldBy(before, TINY, COLLECTIONS, ["forall l, sorted (sort l)"]), []);
  const silent: TinySource = { ...TINY, cubs: [{ ...(TINY.cubs?.[0] as object), statement: "Withheld." }, TINY.cubs?.[1]] };
  assert.deepEqual(heldBy(before, silent, COLLECTIONS, ["forall l, sorted (sort l)"]), ["record CUB-0001"]);
  assert.deepEqual(heldBy(before, silent, COLLECTIONS, ["sort"]), [], "short values occur anywhere");
});

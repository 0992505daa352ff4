/** A bucket knows no folders, so a key may be a file and the folder of others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listObjects } from "./list-objects.ts";
import type { ObjectStore } from "./object-store.ts";

const rules: Parameters<typeof listObjects>[1] = {
  collections: [
    { id: "all", prefix: "", title: "All", visibility: "public", summary: "" },
    { id: "drafts", prefix: "notes/x/", title: "Drafts", visibility: "email-gated", summary: "" },
    { id: "inner", prefix: "drafts/", title: "Inner", visibility: "email-gated", summary: "" },
  ],
  store: { include: [], exclude: [] },
};

async function list(files: Readonly<Record<string, number>>): Promise<{ served: string[]; rejected: string[] }> {
  const store = {
    async *list() {
      for (const [key, size] of Object.entries(files)) yield { key, size, version: "1", uploaded: null, problem: null };
    },
  } as Partial<ObjectStore> as ObjectStore;
  const { rows, rejected } = await listObjects(store, rules);
  return { served: rows.map(({ key }) => key), rejected: rejected.map(({ key, reason }) => `${key}: ${reason.split(" and ")[0]}`) };
}

test("a key that is also the folder of others gives way with its reason, and one of no bytes in silence", async () => {
  const cases: readonly (readonly [files: Record<string, number>, served: string[], rejected: string[]])[] = [
    [{ "docs/x": 5, "docs/x/y.md": 3 }, ["docs/x/y.md"], ["docs/x: docs/x is a file"]],
    [{ "docs/x/y": 5, "docs/x/y/z/w.md": 3 }, ["docs/x/y/z/w.md"], ["docs/x/y: docs/x/y is a file"]],
    [{ "docs/data": 0, "docs/data/part-0.csv": 3 }, ["docs/data/part-0.csv"], []],
    [{ a: 1, "a/b": 1, "a/b/c": 1 }, ["a/b/c"], ["a: a is a file", "a/b: a/b is a file"]],
    [{ "docs/a.md": 5, "docs/a.md.bak/x": 3, "docs/b": 1 }, ["docs/a.md", "docs/a.md.bak/x", "docs/b"], []],
    [{ "drafts/x": 5, "drafts/x/y": 3 }, ["drafts/x/y"], ["drafts/x: drafts/x is a file"]],
  ];
  for (const [files, served, rejected] of cases) assert.deepEqual(await list(files), { served, rejected });
});

test("a public file does not give way to a gated folder, of which nobody may hear", async () => {
  assert.deepEqual(await list({ "notes/x": 5, "notes/x/secret.md": 3 }), {
    served: ["notes/x"],
    rejected: ["notes/x/secret.md: notes/x is a file"],
  });
  assert.deepEqual((await list({ "notes/x": 0, "notes/x/secret.md": 3 })).served, ["notes/x/secret.md"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson, sha256 } from "../digest.ts";
import { formatKeyPath } from "../format/layout.ts";
import type { Catalog } from "../schema/resources.ts";
import type { Library, ObjectRow } from "../format/view-data.ts";
import { catalogJson } from "./catalog.ts";

/** Texts that would end the catalog's own, were they not escaped. */
const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"objects":[]', '","objects":[],"', "\\", '\\"', "$&", "</script>"));
const keys = fc.uniqueArray(
  text.map((name) => name.replaceAll(/[/\0]/g, "")).filter((name) => name !== "" && name.isWellFormed()),
  { maxLength: 8 },
);

function library(view: "public" | "internal", title: string): Library {
  const collection = (id: string) => ({ id, title, summary: title, visibility: "public" as const, prefix: `${id}/` });
  const collections = ["b", "empty", "a"].map(collection);
  return { title, summary: "", view, base_url: "", registry_url: "", registry: "none", generator: "test", collections, notes: [] };
}

test("the catalog is canonical JSON with every object in its collection, whatever the texts in it", () => {
  fc.assert(
    fc.property(keys, text, fc.constantFrom("public" as const, "internal" as const), (names, title, view) => {
      const rows = names
        .map((name, at): ObjectRow => {
          const key = `${at % 2 === 0 ? "a" : "b"}/${name}`;
          const digest = sha256(name);
          return { key, title, summary: name, kind: "text", media_type: "text/plain", size: at, sha256: digest, uploaded: null };
        })
        .sort((x, y) => (x.key < y.key ? -1 : 1));
      const json = catalogJson(library(view, title), rows);
      const value = JSON.parse(json) as Omit<Catalog, "snapshot">;
      assert.equal(json, canonicalJson(value));
      assert.deepEqual(
        value.collections.map(({ id }) => id),
        ["b", "empty", "a"],
      );
      for (const { id, objects, count, bytes } of value.collections) {
        const members = rows.filter(({ key }) => key.startsWith(`${id}/`));
        assert.deepEqual(
          objects,
          members.map((row) => ({
            ...row,
            etag: `"${row.sha256}"`,
            href: `${view === "internal" ? "/internal" : ""}/objects/${formatKeyPath(row.key)}`,
          })),
        );
        assert.deepEqual([count, bytes], [members.length, members.reduce((sum, { size }) => sum + size, 0)]);
      }
      assert.equal(value.counts.objects, rows.length);
    }),
  );
});

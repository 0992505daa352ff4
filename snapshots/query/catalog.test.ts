import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson, sha256 } from "../digest.ts";
import { formatKeyPath } from "../format/layout.ts";
import type { Catalog } from "../schema/resources.ts";
import type { Library, ObjectRow, ViewData } from "../format/view-data.ts";
import { objectParts } from "../page/api-files.ts";
import { catalogPieces, recordsPieces } from "./pieces.ts";

/** Texts that would end the catalog's own, were they not escaped. */
const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"objects":[]', '","objects":[],"', "\\", '\\"', "$&", "</script>"));
const keys = fc.uniqueArray(
  text.map((name) => name.replaceAll(/[/\0]/g, "")).filter((name) => name !== "" && name.isWellFormed()),
  { maxLength: 8 },
);

function library(view: "public" | "internal", title: string): Library {
  const collection = (id: string) => ({ id, title, summary: title, visibility: "public" as const, prefix: `${id}/` });
  const collections = ["b", "empty", "a"].map(collection);
  return {
    title,
    summary: "",
    view,
    base_url: "",
    registry_url: "",
    registry: "none",
    claims: "none",
    generator: "test",
    collections,
    collection_counts: { public: 3, email_gated: 0 },
    notes: [],
  };
}

const EMPTY: Omit<ViewData, "library" | "objects"> = {
  claims: { meta: { title: "", subtitle: "", generated: "", fact_checked: "", note: "", pins: {} }, claims: [] },
  cubs: [],
  meta: null,
  code: new Map(),
  rejected: [],
  withheld: 0,
};

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
      const data = { ...EMPTY, library: library(view, title), objects: rows };
      const parts = [...objectParts(data)].map(({ path, bytes }) => [path, Buffer.from(bytes).toString().slice(1, -1)] as const);
      const json = catalogPieces(data, sha256("snapshot"))
        .map((piece) =>
          typeof piece === "string" ? piece : parts.flatMap(([path, text]) => (path.startsWith(`${piece.parts}/`) ? [text] : [])).join(),
        )
        .join("");
      const { snapshot: _, ...value } = JSON.parse(json) as Catalog;
      assert.equal(json.replace(/^\{"snapshot":"[0-9a-f]*",/, "{"), canonicalJson(value));
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

test("the body of all records is whole, whatever lists the registry's metadata has", () => {
  for (const lane_tier of [{ cubs: [] }, [{ cubs: [] }, { cubs: [] }], { returned: { cubs: [] } }, { 'cubs":[]': 1 }, null]) {
    const meta = { schema_version: 1, lane_tier } as unknown as ViewData["meta"];
    const json = recordsPieces({ ...EMPTY, meta } as ViewData)
      .map((piece) => (typeof piece === "string" ? piece : ""))
      .join("");
    assert.deepEqual(JSON.parse(json), { count: 0, cubs: [], meta, returned: 0 });
  }
});

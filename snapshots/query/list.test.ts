import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import type { ObjectRow } from "../format/view-data.ts";
import { list, parsePrefix } from "./list.ts";

function row(key: string): ObjectRow {
  return { key, title: key, summary: "", kind: "text", media_type: "text/plain", size: key.length, sha256: sha256(key), uploaded: null };
}

const byUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** Few letters, so that folders, prefixes of folders and neighbours of "/" (which are "." and "0") meet. */
const keys = fc.uniqueArray(
  fc
    .array(fc.string({ unit: fc.constantFrom("a", "b", ".", "0", "é", "\u{10000}", "\uffff"), minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join("/")),
  { maxLength: 40 },
);
const prefixes = fc.string({ unit: fc.constantFrom("a", "b", ".", "0", "é", "/"), maxLength: 5 });

/** The definition, word by word. */
function naive(all: readonly string[], prefix: string): { prefixes: string[]; objects: string[] } {
  const under = all.filter((key) => key.startsWith(prefix));
  const rests = under.map((key) => key.slice(prefix.length));
  return {
    prefixes: [...new Set(rests.filter((rest) => rest.includes("/")).map((rest) => prefix + rest.slice(0, rest.indexOf("/") + 1)))].sort(
      byUnit,
    ),
    objects: rests
      .filter((rest) => !rest.includes("/"))
      .map((rest) => prefix + rest)
      .sort(byUnit),
  };
}

test("a listing is what its definition says, whatever the keys and the prefix", () => {
  fc.assert(
    fc.property(keys, prefixes, (all, prefix) => {
      const rows = [...all].sort(byUnit).map(row);
      const found = list(rows, prefix);
      assert.deepEqual({ prefixes: found.prefixes, objects: found.objects.map(({ key }) => key) }, naive(all, prefix));
      assert.equal(found.next, null);
    }),
    { numRuns: 500 },
  );
});

test("pages of any size put together are the whole, once each and in order", () => {
  fc.assert(
    fc.property(keys, prefixes, fc.integer({ min: 1, max: 5 }), (all, prefix, limit) => {
      const rows = [...all].sort(byUnit).map(row);
      const prefixesFound: string[] = [];
      const objectsFound: string[] = [];
      let position: number | null = 0;
      for (let page = 0; position !== null; page++) {
        assert.ok(page <= all.length + 1, "it ends");
        const found = list(rows, prefix, position, limit);
        assert.ok(found.prefixes.length + found.objects.length <= limit);
        prefixesFound.push(...found.prefixes);
        objectsFound.push(...found.objects.map(({ key }) => key));
        position = found.next;
      }
      assert.deepEqual({ prefixes: prefixesFound, objects: objectsFound }, naive(all, prefix));
    }),
    { numRuns: 300 },
  );
});

test("a position behind the end is an empty page, not an error", () => {
  assert.deepEqual(list([row("a")], "", 5), { prefix: "", prefixes: [], objects: [], next: null });
});

test("a prefix no key can have is refused", () => {
  for (const prefix of ["\0", "a\0b", "é".repeat(513), "a".repeat(1025)]) {
    assert.throws(
      () => parsePrefix(prefix),
      (error: unknown) => error instanceof ShelfError && error.code === "bad_prefix",
    );
  }
  assert.equal(parsePrefix("é".repeat(512)).length, 512);
});

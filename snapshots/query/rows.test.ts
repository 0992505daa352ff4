import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { CubRecord } from "../schema/cubs.ts";
import { TINY, tinyData } from "../verify/tiny-shelf.ts";
import { formatRows } from "./rows.ts";

const base = tinyData(TINY, "public");
const record = (n: number, more: object): CubRecord =>
  CubRecord.parse({ id: `CUB-${String(n).padStart(4, "0")}`, repo: "r", theorem_name: "t", statement: "s", ...more });
const cubs = [
  record(1, { statement: 'a "quoted", statement\nover two lines', use_cases: ["x", "y"] }),
  record(2, { statement: "=HYPERLINK(1)", license: "MIT" }),
  ...Array.from({ length: 450 }, (_, n) => record(n + 3, { note: `note ${n}` })),
];
const data = { ...base, cubs };
const text = (id: Parameters<typeof formatRows>[0]): string => [...formatRows(id, data)].join("");

test("NDJSON is every record and every object, each once and whole", () => {
  assert.deepEqual(
    text("cubs-ndjson")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object),
    cubs,
  );
  const objects = text("catalog-ndjson")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { key: string; collection: string });
  assert.deepEqual(
    objects.map(({ key }) => key),
    base.objects.map(({ key }) => key),
  );
  assert.ok(
    objects.every(({ key, collection }) => key.startsWith(base.library.collections.find(({ id }) => id === collection)?.prefix ?? "?")),
  );
});

test("CSV parses to the same, but what a spreadsheet would run", () => {
  const rows = parse(text("cubs-csv"), { columns: true }) as Record<string, string>[];
  assert.equal(rows.length, cubs.length);
  assert.equal(rows[0]?.["statement"], cubs[0]?.statement);
  assert.deepEqual(JSON.parse(rows[0]?.["use_cases"] ?? ""), ["x", "y"]);
  assert.equal(rows[1]?.["statement"], "'=HYPERLINK(1)");
  assert.deepEqual([rows[0]?.["license"], rows[1]?.["license"]], ["", "MIT"]);
  assert.equal((parse(text("catalog-csv"), { columns: true }) as object[]).length, base.objects.length);
});

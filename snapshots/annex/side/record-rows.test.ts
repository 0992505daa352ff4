import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { CubRecord } from "../../schema/cubs.ts";
import { TINY, tinyData } from "../../verify/tiny-shelf-fixture.ts";
import { formatRows } from "./record-rows.ts";

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

test("no cell of any text column begins like a formula, whatever stands before its sign", () => {
  const signs = [
    "=cmd|calc.csv",
    '=HYPERLINK("http://evil.example";"x")',
    "+1",
    "-1",
    "@SUM(A1)",
    "\uff1dcmd",
    "\uff0b1",
    "\uff0d1",
    "\uff20x",
  ];
  const before = ["", " ", "\t", "\n", "\r\n", "\u00a0", "\ufeff", "\u200b", "\u0000"];
  const hostile = signs.flatMap((sign) => before.map((space) => space + sign));
  const texts = ["theorem_name", "module", "statement", "note", "repo", "kind"];
  const [row] = base.objects;
  assert.ok(row !== undefined);
  const { library } = base;
  const collections = library.collections.map((one) => ({ ...one, prefix: "" })).slice(0, 1);
  const view = {
    ...base,
    library: { ...library, collections },
    cubs: hostile.map((text, n) => record(n + 1, Object.fromEntries(texts.map((name) => [name, text])))),
    objects: hostile.map((text) => ({ ...row, key: text, title: text, summary: text })),
  };
  for (const id of ["cubs-csv", "catalog-csv"] as const) {
    const cells = (parse([...formatRows(id, view)].join(""), { bom: false }) as string[][]).slice(1).flat();
    assert.ok(cells.length > hostile.length * 5);
    for (const cell of cells) assert.doesNotMatch(cell, /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u, JSON.stringify(cell));
    for (const text of hostile) assert.ok(cells.includes(`'${text}`), JSON.stringify(text));
  }
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

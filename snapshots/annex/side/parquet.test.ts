/** The tables in columns, read back by another library than the one that writes them: Arrow's own reader, in WebAssembly. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { tableFromIPC } from "apache-arrow";
import { readParquet } from "parquet-wasm/node";
import { CubRecord } from "../../schema/cubs.ts";
import { TINY, tinyData } from "../../verify/tiny-shelf-fixture.ts";
import { formatParquet } from "./parquet.ts";
import { COLUMNS, cellRows, type RowsOf } from "./record-rows.ts";

const base = tinyData(TINY, "public");
const cubs = Array.from({ length: 450 }, (_, n) =>
  CubRecord.parse({
    id: `CUB-${String(n + 1).padStart(4, "0")}`,
    repo: "r",
    theorem_name: "t",
    statement: n % 7 === 0 ? '=1+1 "\u2200 x,\u0000 \u{1D538}"\n' : "s",
    note: n % 5 === 0 ? "" : "n",
    use_cases: n % 2 === 0 ? ["a", "b"] : [],
    deployable: n % 3 === 0,
  }),
);
const data = { ...base, cubs };

/** As the CSV has it: what is no text is JSON. */
const cell = (value: unknown): unknown =>
  value === undefined || value === null ? null : typeof value === "object" ? JSON.stringify(value) : value;

const TABLES: readonly RowsOf[] = ["catalog", "cubs"];

for (const name of TABLES)
  test(`every row and column of ${name} comes back as it is, whatever is in it`, async () => {
    const bytes = await formatParquet(name, data);
    assert.deepEqual(await formatParquet(name, data), bytes, "the same each time");
    const table = tableFromIPC(readParquet(bytes).intoIPCStream());
    assert.deepEqual(
      table.schema.fields.map((field) => field.name),
      COLUMNS[name],
    );
    const expected = [...cellRows(name, data)].flat();
    assert.equal(table.numRows, expected.length);
    for (const [at, row] of expected.entries())
      for (const column of COLUMNS[name]) {
        const found: unknown = table.getChild(column)?.get(at);
        assert.deepEqual(typeof found === "bigint" ? Number(found) : found, cell(row[column]), `${column} of row ${at}`);
      }
  });

test("the type of a column follows from no library's data", async () => {
  for (const table of TABLES) {
    const types = async (given: typeof data): Promise<string[]> =>
      tableFromIPC(readParquet(await formatParquet(table, given)).intoIPCStream()).schema.fields.map(({ name, type }) => `${name} ${type}`);
    const poor = { ...data, objects: data.objects.slice(0, 1), cubs: cubs.slice(1, 2) };
    assert.deepEqual(await types(poor), await types(data));
  }
});

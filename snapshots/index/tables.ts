/** The engine's tables and how they are written: `passages` (the rows) and `words` (in how many rows a word stands, and the totals).
 *  A tag is made on `words` first and on `passages` last: a tag on `passages` means that both are complete. */
import type { Connection, Table } from "@lancedb/lancedb";
import type { Table as ArrowTable, TypeMap, Vector } from "apache-arrow";
import type { Engine } from "./engine.ts";
import { INDEX_FORMAT, type StoredRow } from "./row.ts";
import { formatStoredFields } from "./stored-fields.ts";
import { textColumn } from "./text-column.ts";

export const PASSAGES = `passages-${INDEX_FORMAT}`;
export const WORDS = `words-${INDEX_FORMAT}`;

/** Column with words → its full-text index. */
const TEXT_INDEXES = { terms: "terms_idx", whole: "whole_idx" } as const;

const MAX_TOKEN_BYTES = 400; // longest word that the engine indexes: MAX_WORD characters and more
/** Too many open files, no permission, a disk that fails: the table may be whole, and must not be taken for lost. */
const PASSING = /os error (?:5|12|13|23|24)\b/;
const CHUNK = 500; // names in one SQL list
/** NEVER is a time that nothing is older than: `optimize` must not clean up, because a tag older than its limit makes it fail. */
export const NEVER = new Date(0);

/** sqlString writes a value inside an SQL statement. Quotes are the only syntax in a literal of this dialect. */
export function sqlString(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** sqlLists returns `column IN (…)` statements that together name every value. */
export function sqlLists(column: string, values: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < values.length; at += CHUNK) {
    const names = values.slice(at, at + CHUNK).map(sqlString);
    out.push(`${column} IN (${names.join(", ")})`);
  }
  return out;
}

const TEXT_COLUMNS = ["doc", "shown", "terms", "whole", "print"] as const satisfies readonly (keyof StoredRow)[];
const NUMBER_COLUMNS = ["n", "defines"] as const satisfies readonly (keyof StoredRow)[];

/** openTable opens a table, or returns null when it cannot be read: a kill or a full disk can leave a folder that the engine lists and cannot
 *  open. */
export async function openTable(connection: Connection, name: string): Promise<Table | null> {
  if (!(await connection.tableNames()).includes(name)) return null;
  return connection.openTable(name).catch((error: unknown) => {
    if (PASSING.test(String(error))) throw error;
    return null;
  });
}

/** openAt opens a table at a tag, or returns null when there is none to be read. */
export async function openAt(connection: Connection, name: string, tag: string): Promise<Table | null> {
  const table = await openTable(connection, name);
  try {
    await table?.checkout(tag);
    return table;
  } catch (error) {
    table?.close();
    if (PASSING.test(String(error))) throw error;
    return null;
  }
}

/** emptyTable makes a table anew. Earlier versions of it, and with them the earlier tags, stay readable. */
export async function emptyTable({ connection }: Engine, name: string, like: ArrowTable): Promise<Table> {
  const before = await openTable(connection, name);
  if (before === null) return createTable(connection, name, like);
  before.close();
  return connection.createEmptyTable(name, like.schema, { mode: "overwrite" });
}

export async function openOrCreate(connection: Connection, name: string, like: ArrowTable): Promise<Table> {
  return (await openTable(connection, name)) ?? createTable(connection, name, like);
}

/** Makes a table. A table of this name that cannot be read goes first: the engine would not write over it. */
async function createTable(connection: Connection, name: string, like: ArrowTable): Promise<Table> {
  if ((await connection.tableNames()).includes(name)) await connection.dropTable(name);
  return connection.createEmptyTable(name, like.schema);
}

export function passageTable({ arrow }: Engine, rows: readonly StoredRow[]): ArrowTable {
  const valuesOf = (name: (typeof TEXT_COLUMNS)[number]): (string | null)[] =>
    rows.map((row) => (name === "shown" ? formatStoredFields(row.shown) : row[name]));
  const text = TEXT_COLUMNS.map((name) => [name, textColumn(arrow, valuesOf(name))] as const);
  const numbers = NUMBER_COLUMNS.map((name) => [name, arrow.makeVector(Int32Array.from(rows, (row) => row[name]))] as const);
  return new arrow.Table<TypeMap>(Object.fromEntries<Vector>([...text, ...numbers]));
}

export function wordTable({ arrow }: Engine, counts: ReadonlyMap<string, number>): ArrowTable {
  return new arrow.Table<TypeMap>({
    word: textColumn(arrow, [...counts.keys()]),
    count: arrow.makeVector(Float64Array.from(counts.values())),
  });
}

/** indexRows indexes all rows that a table has now, in place of what it had. */
export async function indexRows({ lancedb }: Engine, table: Table): Promise<void> {
  for (const [column, name] of Object.entries(TEXT_INDEXES)) {
    await table.createIndex(column, {
      name,
      config: lancedb.Index.fts({
        baseTokenizer: "whitespace",
        lowercase: false,
        stem: false,
        removeStopWords: false,
        asciiFolding: false,
        withPosition: false,
        maxTokenLength: MAX_TOKEN_BYTES,
      }),
    });
  }
  await table.createIndex("doc");
}

/** countUnindexed counts the rows that the full-text indexes do not hold yet. */
export async function countUnindexed(table: Table): Promise<number> {
  const stats = await Promise.all(Object.values(TEXT_INDEXES).map((name) => table.indexStats(name)));
  return Math.max(...stats.map((found) => found?.numUnindexedRows ?? Number.POSITIVE_INFINITY));
}

export async function setTag(table: Table, tag: string): Promise<void> {
  const tags = await table.tags();
  const version = await table.version();
  if (tag in (await tags.list())) await tags.update(tag, version);
  else await tags.create(tag, version);
}

/** returnTo makes the newest state of a table equal to the tagged one, whatever an interrupted update left behind. */
export async function returnTo(table: Table, tag: string): Promise<void> {
  await table.checkoutLatest();
  const latest = await table.version();
  const tagged = await (await table.tags()).getVersion(tag);
  if (latest === tagged) return;
  await table.checkout(tag);
  await table.restore();
}

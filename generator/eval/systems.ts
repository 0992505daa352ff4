/** The systems that are compared: our routes (see library.ts), and the search libraries that people would otherwise take. */
import { DatabaseSync } from "node:sqlite";
import MiniSearch from "minisearch";
import type { Collection, CollectionDocument } from "./collection.ts";

/** DEPTH is the number of results asked for: what recall@100 needs. */
export const DEPTH = 100;

export type System = {
  readonly name: string;
  /** Ids of the collection's documents, best first. */
  rank(query: string): Promise<readonly string[]>;
};

/** openSqlite opens SQLite FTS5 with Porter stems over title and text, any of the words. */
export function openSqlite({ documents }: Collection): System {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE documents USING fts5(title, text, tokenize = 'porter unicode61'); BEGIN");
  const insert = database.prepare("INSERT INTO documents(rowid, title, text) VALUES (?, ?, ?)");
  documents.forEach(({ title, text }, at) => insert.run(at + 1, title, text));
  database.exec("COMMIT");
  const select = database.prepare("SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank, rowid LIMIT ?");
  return {
    name: "SQLite FTS5 (porter)",
    async rank(query) {
      const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
      if (words.length === 0) return [];
      const rows = select.all(words.map((word) => `"${word}"`).join(" OR "), DEPTH);
      return rows.flatMap((row) => documents[Number(row["rowid"]) - 1]?.id ?? []);
    },
  };
}

/** openMiniSearch opens MiniSearch as its documentation sets it up, the title weighted twice. */
export function openMiniSearch({ documents }: Collection): System {
  const index = new MiniSearch<CollectionDocument>({ fields: ["title", "text"], searchOptions: { boost: { title: 2 } } });
  index.addAll(documents);
  return {
    name: "MiniSearch",
    rank: async (query) =>
      index
        .search(query)
        .slice(0, DEPTH)
        .map(({ id }) => String(id)),
  };
}

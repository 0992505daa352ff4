/** What is compared: our routes, and the search libraries that people would otherwise take. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import MiniSearch from "minisearch";
import { sha256 } from "../../snapshots/digest.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { type Document, documentId } from "../../snapshots/index/row.ts";
import { openEmbeddedEmbedder } from "../../snapshots/index/embedder-embedded.ts";
import { MAX_QUERY, search } from "../../snapshots/query/search.ts";
import { semantic } from "../../snapshots/query/semantic.ts";
import { extract } from "../extract/extract.ts";
import type { Collection, CollectionDocument } from "./collection.ts";

/** Results asked for: what recall@100 needs. */
const DEPTH = 100;
const SNAPSHOT = "eval";

export type System = {
  readonly name: string;
  /** Ids of the collection's documents, best first. */
  rank(query: string): Promise<readonly string[]>;
};

export type Systems = { readonly systems: readonly System[]; close(): Promise<void> };

/** A collection's document as an object of a library: its title as the heading. */
function objectOf(folder: string, { id, title, text }: CollectionDocument): { key: string; bytes: Uint8Array } {
  const body = title === "" ? text : `# ${title.replaceAll(/\s+/g, " ")}\n\n${text}`;
  return { key: `${folder}/${encodeURIComponent(id)}.md`, bytes: new TextEncoder().encode(`${body}\n`) };
}

export type LibraryOptions = {
  /** Whether passages get vectors, for ai-search: about a hundred a second on two cores. */
  readonly semantic: boolean;
  /** Told how many passages have their vectors. */
  readonly onProgress: (done: number, total: number) => void;
};

/** The library of a collection, read by the real extractor, in a real index in a temporary folder. */
export async function openLibrary(collection: Collection, options: LibraryOptions): Promise<Systems> {
  const uri = await mkdtemp(join(tmpdir(), "eval-"));
  const index = await openIndex(uri);
  const ids = new Map<string, string>();
  async function* documents(): AsyncGenerator<Document> {
    for (const document of collection.documents) {
      const { key, bytes } = objectOf(collection.name, document);
      const { kind, title, passages } = await extract(key, bytes);
      ids.set(key, document.id);
      yield { doc: documentId("object", key), key, kind, collection: collection.name, title, sha256: sha256(bytes), passages };
    }
  }
  await index.update({ upsert: documents(), remove: [], base: null, tag: SNAPSHOT });
  const embedder = openEmbeddedEmbedder();
  if (options.semantic) await index.embed({ tag: SNAPSHOT, embedder, cacheUri: null, onProgress: options.onProgress });
  const reader = await index.at(SNAPSHOT);
  const idsOf = (results: readonly { readonly key: string }[]): string[] => results.flatMap(({ key }) => ids.get(key) ?? []);
  // A query over the limit would be refused with 400; a person would shorten it.
  const q = (query: string): string => [...query].slice(0, MAX_QUERY).join("");
  const fullText: System = {
    name: "/api/search",
    rank: async (query) => idsOf(await search(reader, { q: q(query), prefix: "", limit: DEPTH })),
  };
  const hybrid: System = {
    name: "/api/ai-search",
    async rank(query) {
      const { mode, notice, results } = await semantic(reader, embedder, { q: q(query), prefix: "", limit: DEPTH });
      if (mode === "unavailable") throw new Error(notice);
      return idsOf(results);
    },
  };
  return {
    systems: options.semantic ? [fullText, hybrid] : [fullText],
    async close() {
      await embedder.close();
      reader.close();
      index.close();
      await rm(uri, { recursive: true, force: true });
    },
  };
}

/** SQLite FTS5 with Porter stems over title and text, any of the words. */
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

/** MiniSearch as its documentation sets it up, the title weighted twice. */
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

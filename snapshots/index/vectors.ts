/** Vectors of a view's passages: one table per model beside the passages, with the same tags. A row says by its print which
 *  text its vector was made from, so the table can be brought to any tag from whatever state it is in. */
import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable, TypeMap, Vector } from "apache-arrow";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { stringsOf, textAt } from "./columns.ts";
import { type Embedder, embedDigest, embedText } from "#snapshots/embed";
import { firstParagraph } from "./first-paragraph.ts";
import { INDEX_FORMAT } from "./row.ts";
import { storedFieldsAt } from "./stored-fields.ts";
import { textColumn } from "./text-column.ts";
import type { Engine } from "./engine.ts";
import { Manifests } from "./manifest.ts";
import { withinLimit } from "./time-limit.ts";
import { NEVER, openAt, openOrCreate, PASSAGES, setTag, sqlLists, sqlString } from "./tables.ts";

/** Vectors of one tag: the embedded model makes as many in an hour of processor, at 15 ms each. In a larger library those passages get one that
 *  say what the others are about. */
const MAX_VECTORS = 200_000;
const BATCH = 256; // passages embedded and written at once
const EXACT_ROWS = 20_000; // up to here every vector is compared
const PROBED = 0.1; // share of the clusters that a query looks into above that
const MAX_FRAGMENTS = 40; // pieces of a table above which they are merged
const STALE_SHARE = 0.2; // of vectors outside the clusters, above which these are made anew
const INDEX_NAME = "vector_idx";
/** A cache has no snapshots and no tags: the manifest of the state after the last vector was added has this name. */
const CACHE_TAG = "cache";

export type EmbedOptions = {
  /** A tag of the index. Its passages get their vectors, and the vectors get this tag. */
  readonly tag: string;
  readonly embedder: Embedder;
  /** Directory or URI of vectors by text, shared by views and kept from build to build; null for none. */
  readonly cacheUri: string | null;
  /** How many get one, unless more passages open a document. */
  readonly most?: number;
  readonly signal?: AbortSignal;
  /** After each batch, which is kept whatever stops the rest. */
  readonly onProgress?: (done: Pick<Embedded, "written" | "embedded">, total: number) => void;
};

/** Embedded counts passages at the tag: those that have a vector, those that were given it now, those of them for which the model had to run, and
 *  those that have none because there are too many. */
export type Embedded = { readonly passages: number; readonly written: number; readonly embedded: number; readonly left: number };

export function vectorTableName(embedderId: string): string {
  return `vectors-${INDEX_FORMAT}-${sha256(embedderId).slice(0, 16)}`;
}

function vectorTable(
  { arrow }: Engine,
  columns: Readonly<Record<string, readonly string[] | Int32Array>>,
  vectors: readonly Float32Array[],
  dimensions: number,
): ArrowTable {
  const flat = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, at) => flat.set(vector, at * dimensions));
  const type = new arrow.FixedSizeList(dimensions, new arrow.Field("item", new arrow.Float32(), true));
  const child = arrow.makeData({ type: new arrow.Float32(), length: flat.length, nullCount: 0, data: flat });
  const vector = new arrow.Vector([arrow.makeData({ type, length: vectors.length, nullCount: 0, child })]);
  const rest = Object.entries(columns).map(
    ([name, values]) => [name, values instanceof Int32Array ? arrow.makeVector(values) : textColumn(arrow, values)] as const,
  );
  return new arrow.Table<TypeMap>({ ...Object.fromEntries<Vector>(rest), vector });
}

type Place = { readonly doc: string; readonly n: number; readonly print: string };

/** The passages that deserve a vector: all of them, or of more than `most` those that open a document, then declarations with a comment, then
 *  what opens a section, each kind whole as long as there is room. */
async function choosePlaces(passages: Table, most: number): Promise<Place[]> {
  if ((await passages.countRows()) <= most) return readPlaces(passages);
  const kinds: Place[][] = [[], [], []];
  let before = { doc: "", heading: "" };
  for await (const batch of passages.query().select(["shown", "print"])) {
    const [shown, prints] = [stringsOf(batch, "shown"), stringsOf(batch, "print")];
    for (let row = 0; row < batch.numRows; row++) {
      const { doc, n, kind, heading, name, text } = storedFieldsAt(shown, row);
      const place = { doc, n, print: textAt(prints, row) };
      if (n === 0) kinds[0]?.push(place);
      else if (kind === "code") {
        if (name !== "" && firstParagraph(text, true, false) !== "") kinds[1]?.push(place);
      } else if (doc !== before.doc || heading !== before.heading) kinds[2]?.push(place);
      before = { doc, heading };
    }
  }
  const chosen = kinds[0] ?? [];
  for (const kind of kinds.slice(1)) if (chosen.length + kind.length <= most) for (const place of kind) chosen.push(place);
  return chosen;
}

async function readPlaces(table: Table): Promise<Place[]> {
  const found = await table.query().select(["doc", "n", "print"]).toArrow();
  const [docs, numbers, prints] = ["doc", "n", "print"].map((name) => found.getChild(name));
  return Array.from({ length: found.numRows }, (_, at) => ({
    doc: String(docs?.get(at)),
    n: Number(numbers?.get(at)),
    print: String(prints?.get(at)),
  }));
}

/** embedPassages gives the passages of a tag their vectors. @throws ShelfError "search_unavailable" when there is no such tag; what the embedder
 *  throws: what was done so far is kept */
export async function embedPassages(engine: Engine, options: EmbedOptions): Promise<Embedded> {
  const { tag, embedder, signal, most = MAX_VECTORS } = options;
  const passages = await engine.connection.openTable(PASSAGES);
  await passages.checkout(tag);
  const empty = vectorTable(engine, { doc: [], n: new Int32Array(), print: [] }, [], embedder.dimensions);
  const tableName = vectorTableName(embedder.id);
  await engine.manifests.mend(tableName);
  const table = await openOrCreate(engine.connection, tableName, empty);
  const cache = options.cacheUri === null ? null : await openCache(engine, options.cacheUri, embedder);
  try {
    const wanted = await choosePlaces(passages, most);
    const name = ({ doc, n, print }: Place): string => `${print} ${n} ${doc}`;
    const wantedNames = new Set(wanted.map(name));
    const present = await readPlaces(table);
    // A document with any passage too many loses all its vectors and gets them again, from the cache.
    const stale = new Set(present.filter((place) => !wantedNames.has(name(place))).map(({ doc }) => doc));
    for (const filter of sqlLists("doc", [...stale])) await table.delete(filter);
    const presentNames = new Set(present.filter(({ doc }) => !stale.has(doc)).map(name));
    const missing = wanted.filter((place) => !presentNames.has(name(place)));
    let embedded = 0;
    for (let at = 0; at < missing.length; at += BATCH) {
      signal?.throwIfAborted();
      const batch = missing.slice(at, at + BATCH);
      const texts = await readTexts(passages, batch);
      const known = (await cache?.get(texts.map(embedDigest))) ?? new Map<string, Float32Array>();
      const fresh = [...new Set(texts.filter((text) => !known.has(embedDigest(text))))];
      const vectors = await embedder.embed(fresh, signal);
      const made = new Map(fresh.map((text, index) => [embedDigest(text), vectors[index] ?? new Float32Array(embedder.dimensions)]));
      embedded += fresh.length;
      await cache?.put(made);
      const columns = { doc: batch.map(({ doc }) => doc), n: Int32Array.from(batch, ({ n }) => n), print: batch.map(({ print }) => print) };
      const all = texts.map((text) => known.get(embedDigest(text)) ?? made.get(embedDigest(text)) ?? new Float32Array(embedder.dimensions));
      await table.add(vectorTable(engine, columns, all, embedder.dimensions));
      options.onProgress?.({ written: at + batch.length, embedded }, missing.length);
    }
    if ((await table.stats()).fragmentStats.numFragments > MAX_FRAGMENTS) await table.optimize({ cleanupOlderThan: NEVER });
    await clusterVectors(engine, table, wanted.length);
    await engine.manifests.write(tableName, tag, { base: null, before: new Map() }, () => setTag(table, tag));
    const left = (await passages.countRows()) - wanted.length;
    return { passages: wanted.length, written: missing.length, embedded, left };
  } finally {
    await cache?.close();
    passages.close();
    table.close();
  }
}

async function readTexts(passages: Table, batch: readonly Place[]): Promise<string[]> {
  const texts = new Map<string, string>();
  for (const filter of sqlLists("doc", [...new Set(batch.map(({ doc }) => doc))])) {
    for await (const batch of passages.query().where(filter).select(["shown"])) {
      const shown = stringsOf(batch, "shown");
      for (let at = 0; at < batch.numRows; at++) {
        const row = storedFieldsAt(shown, at);
        texts.set(`${row.n} ${row.doc}`, embedText(row));
      }
    }
  }
  return batch.map(({ doc, n }) => texts.get(`${n} ${doc}`) ?? "");
}

async function clusterVectors(engine: Engine, table: Table, rows: number): Promise<void> {
  const stats = (await table.listIndices()).some(({ name }) => name === INDEX_NAME) ? await table.indexStats(INDEX_NAME) : undefined;
  if (rows <= EXACT_ROWS) {
    if (stats !== undefined) await table.dropIndex(INDEX_NAME);
    return;
  }
  if (stats !== undefined && stats.numUnindexedRows <= rows * STALE_SHARE) return;
  const config = engine.lancedb.Index.ivfFlat({ distanceType: "dot", numPartitions: Math.round(Math.sqrt(rows)) });
  await table.createIndex("vector", { config, name: INDEX_NAME });
}

type Cache = {
  get(digests: readonly string[]): Promise<Map<string, Float32Array>>;
  put(vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  close(): Promise<void>;
};

async function openCache(engine: Engine, uri: string, embedder: Embedder): Promise<Cache> {
  const connection = await engine.lancedb.connect(uri);
  const manifests = new Manifests(uri);
  const empty = vectorTable(engine, { digest: [] }, [], embedder.dimensions);
  const name = `embeddings-${sha256(embedder.id).slice(0, 16)}`;
  await manifests.mend(name);
  const table = await openOrCreate(connection, name, empty);
  let added = 0;
  return {
    async get(digests) {
      const known = new Map<string, Float32Array>();
      for (const filter of sqlLists("digest", [...new Set(digests)])) {
        const found = await table.query().where(filter).toArrow();
        const names = found.getChild("digest");
        const vectors = found.getChild("vector");
        for (let at = 0; at < found.numRows; at++) known.set(String(names?.get(at)), Float32Array.from(vectors?.get(at)));
      }
      return known;
    },
    async put(vectors) {
      if (vectors.size === 0) return;
      added += vectors.size;
      await table.add(vectorTable(engine, { digest: [...vectors.keys()] }, [...vectors.values()], embedder.dimensions));
    },
    async close() {
      if (added >= BATCH || (added > 0 && (await table.stats()).fragmentStats.numFragments > MAX_FRAGMENTS)) {
        await table.createIndex("digest");
        // Nobody reads an old state of a cache.
        await manifests.thin(name, [CACHE_TAG], () => table.optimize({ cleanupOlderThan: new Date() }));
      }
      if (added > 0) await manifests.write(name, CACHE_TAG, { base: null, before: new Map() }, async () => {});
      table.close();
      connection.close();
    },
  };
}

/** hasVectors tells whether an index has the vectors of a tag by a model, every byte as it was written. It does so without the engine.
 *  @param uri directory of the index */
export async function hasVectors(uri: string, tag: string, embedderId: string): Promise<boolean> {
  return (await new Manifests(uri).findDamage(vectorTableName(embedderId), tag)) === null;
}

/** A passage near a vector; similarity is the cosine, -1 to 1. */
type Near = { readonly doc: string; readonly n: number; readonly similarity: number };

export type VectorReader = {
  /** At most `limit`, nearest first. @param prefix as in a search: only objects whose key starts with it */
  nearest(vector: Float32Array, prefix: string, limit: number): Promise<Near[]>;
  close(): void;
};

/** openVectors opens the vectors of a tag by one model, or returns null when they were not made, or are not what was made. */
export async function openVectors(engine: Engine, tag: string, embedderId: string): Promise<VectorReader | null> {
  const name = vectorTableName(embedderId);
  if ((await engine.manifests.findDamage(name, tag)) !== null) return null;
  const table = await openAt(engine.connection, name, tag);
  if (table === null) return null;
  const rows = await table.countRows();
  const probes = Math.max(1, Math.round(Math.sqrt(rows) * PROBED));
  return {
    async nearest(vector, prefix, limit) {
      if (!prefix.isWellFormed() || prefix.includes("\0")) return [];
      try {
        let query = table.vectorSearch(vector).distanceType("dot").nprobes(probes).select(["doc", "n", "_distance"]).limit(limit);
        if (prefix !== "") query = query.where(`starts_with(doc, ${sqlString(`object:${prefix}`)})`);
        const found = await withinLimit(query.toArrow());
        const [docs, numbers, distances] = ["doc", "n", "_distance"].map((column) => found.getChild(column));
        return Array.from({ length: found.numRows }, (_, at) => ({
          doc: String(docs?.get(at)),
          n: Number(numbers?.get(at)),
          similarity: 1 - Number(distances?.get(at)),
        }));
      } catch (cause) {
        if (cause instanceof ShelfError) throw cause;
        throw new ShelfError("search_unavailable", "The vectors could not be read.", { cause });
      }
    },
    close: () => table.close(),
  };
}

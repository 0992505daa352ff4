/** The search index of one view: opened on a directory (or a bucket URI), written by the generator, read at any tag, which is a
 *  snapshot's id. An update that dies leaves the earlier tags as they were; the next starts from the tag it is told to build on. */
import { ShelfError } from "#snapshots/errors";
import { stringsOf } from "./columns.ts";
import { connectEngine, type Engine } from "./engine.ts";
import { openReader } from "./reader.ts";
import { rowsOf, type StoredRow } from "./row.ts";
import { loadStemmers } from "#snapshots/words";
import { sharing } from "./shared.ts";
import { storedFieldsAt } from "./stored-fields.ts";
import { DEAD_TOTAL, WordCounts } from "./statistics.ts";
import {
  countUnindexed,
  emptyTable,
  indexRows,
  NEVER,
  openAt,
  openTable,
  PASSAGES,
  passageTable,
  returnTo,
  setTag,
  sqlLists,
  sqlString,
  WORDS,
  wordTable,
} from "./tables.ts";
import { embedPassages } from "./vectors.ts";
import type { IndexUpdate, ViewIndex } from "./view-index.ts";
import type { Table } from "@lancedb/lancedb";

const BATCH_ROWS = 4096; // written at once
const MAX_FRAGMENTS = 40; // pieces of a table above which they are merged
/** Share of the rows that the full-text indexes may go on counting though they are gone, and that they may not know yet: scores are off by no
 *  more than that. */
const MAX_STALE = 0.05;
const SMALL = 2000; // rows of which the indexes are made anew at each change: they are made at once, and their scores exact
const MAX_UNINDEXED = 1000; // rows that each search looks through one by one
/** Fields that hold text as a source has it. */
const SAID = ["key", "title", "heading", "name", "text", "sha256"] as const;
const TABLE_PATTERN = /^(?:passages|words|vectors)-/;
const TAG_PATTERN = /^[0-9A-Za-z][0-9A-Za-z._-]{0,127}$/;

/** openIndex opens an index. @param uri a directory (made when it is missing), or an address that LanceDB takes
 *  @param shared of the public index, when this is the internal one, which may have the public rows in place of its own */
export async function openIndex(uri: string, shared: string | null = null): Promise<ViewIndex> {
  const own = await openOwn(uri);
  return shared === null ? own : sharing(uri, own, () => openOwn(shared));
}

async function openOwn(uri: string): Promise<ViewIndex> {
  const engine = await connectEngine(uri);

  async function openTables(tag: string): Promise<{ passages: Table; words: Table } | null> {
    const [passages, words] = await Promise.all([PASSAGES, WORDS].map((name) => openAt(engine.connection, name, tag)));
    if (passages && words) return { passages, words };
    passages?.close();
    words?.close();
    return null;
  }

  async function findProblem(tag: string): Promise<string | null> {
    for (const table of [PASSAGES, WORDS]) {
      const damage = await engine.manifests.findDamage(table, tag);
      if (damage !== null) return damage;
    }
    // The engine also reads what is newer than the tag.
    const tables = await openTables(tag);
    tables?.passages.close();
    tables?.words.close();
    return tables === null ? "The engine does not open it." : null;
  }

  async function expect(tag: string): Promise<void> {
    const problem = await findProblem(tag);
    if (problem === null) return;
    throw new ShelfError("search_unavailable", `There is no search index for snapshot ${tag}. ${problem}`, {
      fixes: ["Build again: the index is then written anew."],
    });
  }

  return {
    findProblem,
    async knows(tag) {
      return (await engine.manifests.has(PASSAGES, tag)) || (await engine.manifests.has(WORDS, tag));
    },
    async findVectorProblems(tag) {
      const problems: string[] = [];
      for (const table of (await engine.connection.tableNames()).filter((name) => name.startsWith("vectors-"))) {
        const damage = (await engine.manifests.has(table, tag)) ? await engine.manifests.findDamage(table, tag) : null;
        if (damage !== null) problems.push(damage);
      }
      return problems;
    },
    async update(update) {
      if (update.base !== null) await expect(update.base);
      for (const table of [PASSAGES, WORDS]) await engine.manifests.mend(table);
      const before = { passages: await engine.manifests.list(PASSAGES), words: await engine.manifests.list(WORDS) };
      const counts = new WordCounts();
      const { passages, documents } =
        update.base === null ? await writeAll(engine, update, counts) : await writeChanges(engine, update, update.base, counts);
      const written = await writeCounts(engine, update.base, counts.changes());
      update.onWritten?.();
      const tag = await update.tag;
      if (!TAG_PATTERN.test(tag)) throw new ShelfError("build_failed", `${JSON.stringify(tag)} cannot name an index tag.`);
      const { base } = update;
      await engine.manifests.write(WORDS, tag, { base, before: before.words }, () => setTag(written, tag));
      const rows = await passages.countRows();
      await engine.manifests.write(PASSAGES, tag, { base, before: before.passages }, () => setTag(passages, tag));
      return { documents, rows };
    },
    async embed(options) {
      await expect(options.tag);
      return embedPassages(engine, options);
    },
    async mend() {
      for (const name of await engine.connection.tableNames()) if (TABLE_PATTERN.test(name)) await engine.manifests.mend(name);
    },
    async prune(keep, keepVectors = keep) {
      const names = await engine.connection.tableNames();
      for (const name of names) {
        if (!TABLE_PATTERN.test(name)) continue;
        await engine.manifests.mend(name);
        const kept = name.startsWith("vectors-") ? keepVectors : keep;
        for (const tag of await engine.manifests.tags(name)) if (!kept.includes(tag)) await engine.manifests.forget(name, tag);
        const sound = await engine.manifests.tags(name);
        await engine.manifests.sweep(name);
        const table = await openTable(engine.connection, name);
        if (table === null) {
          // The next build makes what is searched anew; nobody will miss the rest.
          if (sound.length === 0 || (name !== PASSAGES && name !== WORDS)) await engine.connection.dropTable(name);
          continue;
        }
        const known = await table.tags();
        const versions = new Set(await Promise.all(Object.keys(await known.list()).map((tag) => known.getVersion(tag))));
        if (versions.size === 0) {
          // Another model's vectors, or another version of the program wrote it; or the public index has the rows of all that is kept.
          await engine.connection.dropTable(name);
          continue;
        }
        const times = (await table.listVersions())
          .filter(({ version }) => versions.has(version))
          .map(({ timestamp }) => timestamp.getTime());
        // Cleaning stops at the oldest kept tag: the engine refuses to clean past one.
        const cleanupOlderThan = times.length === 0 ? new Date() : new Date(Math.min(...times));
        await engine.manifests.thin(name, sound, () => table.optimize({ cleanupOlderThan }));
        // It also writes merged rows, which no tag needs.
        await engine.manifests.sweep(name);
      }
    },
    holdsRemoved: () => engine.manifests.holdsRemoved(PASSAGES),
    async *texts(tag) {
      const table = await openAt(engine.connection, PASSAGES, tag);
      if (table === null) return;
      for await (const batch of table.query().select(["shown"])) {
        const shown = stringsOf(batch, "shown");
        yield Array.from({ length: batch.numRows }, (_, at) => storedFieldsAt(shown, at)).map((row) => SAID.map((name) => row[name]));
      }
      table.close();
    },
    async at(tag) {
      await expect(tag);
      const tables = await openTables(tag);
      if (tables === null) throw new ShelfError("search_unavailable", `The search index for snapshot ${tag} is gone.`);
      return openReader(engine, tag, tables.passages, tables.words);
    },
    close: () => engine.connection.close(),
  };
}

/** Documents in lists whose rows fill about one batch; of two with one id in a list, the later. */
async function* batches(documents: IndexUpdate["upsert"]): AsyncGenerator<{ ids: string[]; rows: StoredRow[] }> {
  let batch = new Map<string, StoredRow[]>();
  let size = 0;
  const flush = (): { ids: string[]; rows: StoredRow[] } => ({ ids: [...batch.keys()], rows: [...batch.values()].flat() });
  for await (const document of documents) {
    if (document.lang !== undefined) await loadStemmers([document.lang]);
    const rows = rowsOf(document);
    batch.set(document.doc, rows);
    size += rows.length;
    if (size < BATCH_ROWS) continue;
    yield flush();
    batch = new Map();
    size = 0;
  }
  if (size > 0) yield flush();
}

async function writeAll(engine: Engine, update: IndexUpdate, counts: WordCounts): Promise<{ passages: Table; documents: number }> {
  const passages = await emptyTable(engine, PASSAGES, passageTable(engine, []));
  const removed = new Set(update.remove);
  const written = new Set<string>();
  const upsert = batches(update.upsert)[Symbol.asyncIterator]();
  for (let batch = await upsert.next(); batch.done !== true; ) {
    const { ids, rows } = batch.value;
    const again = ids.find((id) => written.has(id));
    if (again !== undefined) throw new ShelfError("build_failed", `${JSON.stringify(again)} was given to the index twice.`);
    for (const id of ids) written.add(id);
    const kept = rows.filter(({ doc }) => !removed.has(doc));
    for (const { terms } of kept) counts.add(terms, 1);
    const adding = addRows(engine, passages, kept);
    // One batch is written while the words of the next are found, and both have ended before anything else begins.
    const [added, next] = await Promise.allSettled([adding, upsert.next()]);
    if (added.status === "rejected") throw added.reason;
    if (next.status === "rejected") throw next.reason;
    batch = next.value;
  }
  await passages.optimize({ cleanupOlderThan: NEVER });
  await indexRows(engine, passages);
  return { passages, documents: written.size };
}

/** Adds rows, those of one long text a part at a time: as the engine's own they are in memory once more. */
async function addRows(engine: Engine, passages: Table, rows: readonly StoredRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 2 * BATCH_ROWS) await passages.add(passageTable(engine, rows.slice(at, at + 2 * BATCH_ROWS)));
}

async function writeChanges(
  engine: Engine,
  update: IndexUpdate,
  base: string,
  counts: WordCounts,
): Promise<{ passages: Table; documents: number }> {
  const passages = await engine.connection.openTable(PASSAGES);
  await returnTo(passages, base);
  let documents = 0;
  let dropped = 0;
  const drop = async (ids: readonly string[]): Promise<void> => {
    for (const filter of sqlLists("doc", ids)) {
      const old = await passages.query().where(filter).select(["terms"]).toArrow();
      for (const terms of old.getChild("terms") ?? []) counts.add(String(terms), -1);
      if (old.numRows > 0) await passages.delete(filter);
      dropped += old.numRows;
    }
  };
  await drop(update.remove);
  documents += update.remove.length;
  for await (const { ids, rows } of batches(update.upsert)) {
    await drop(ids);
    for (const { terms } of rows) counts.add(terms, 1);
    await passages.add(passageTable(engine, rows));
    documents += ids.length;
  }
  if (documents > 0) await indexChanges(engine, passages, await readDead(engine, base), dropped, counts);
  return { passages, documents };
}

/** Brings the full-text indexes up to date as far as it is worth it: to make them anew costs as much as all rows do. The engine looks through a few
 *  rows without them, and goes on counting rows that are gone. */
async function indexChanges(engine: Engine, passages: Table, before: number, dropped: number, counts: WordCounts): Promise<void> {
  const isLong = (await passages.stats()).fragmentStats.numFragments > MAX_FRAGMENTS;
  const rows = await passages.countRows();
  if (rows < SMALL || before + dropped > MAX_STALE * rows) {
    if (isLong) await passages.optimize({ cleanupOlderThan: NEVER });
    await indexRows(engine, passages);
    counts.addDead(-before);
    return;
  }
  counts.addDead(dropped);
  if (isLong || (await countUnindexed(passages)) > Math.min(MAX_UNINDEXED, MAX_STALE * rows))
    await passages.optimize({ cleanupOlderThan: NEVER });
}

/** How many rows the full-text indexes of a tag count that are gone. */
async function readDead(engine: Engine, base: string): Promise<number> {
  const words = await openAt(engine.connection, WORDS, base);
  const found = (await words
    ?.query()
    .where(`word = ${sqlString(DEAD_TOTAL)}`)
    .toArray()) as { count: number }[] | undefined;
  words?.close();
  return Number(found?.[0]?.count ?? 0);
}

async function writeCounts(engine: Engine, base: string | null, changes: ReadonlyMap<string, number>): Promise<Table> {
  if (base === null) {
    const words = await emptyTable(engine, WORDS, wordTable(engine, changes));
    if (changes.size > 0) await words.add(wordTable(engine, changes));
    return words;
  }
  const words = await engine.connection.openTable(WORDS);
  await returnTo(words, base);
  const counts = new Map(changes);
  for (const filter of sqlLists("word", [...changes.keys()])) {
    const found = await words.query().where(filter).toArrow();
    for (const row of found) counts.set(String(row["word"]), (counts.get(String(row["word"])) ?? 0) + Number(row["count"]));
  }
  // A word that is gone stays with a count of 0, which says the same as no row.
  if (changes.size > 0) {
    await words.mergeInsert("word").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(wordTable(engine, counts));
  }
  if ((await words.stats()).fragmentStats.numFragments > MAX_FRAGMENTS) await words.optimize({ cleanupOlderThan: NEVER });
  return words;
}

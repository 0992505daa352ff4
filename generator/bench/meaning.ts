/** What semantic search costs: passages a second that the embedded model gets through on all cores, and the time of a query,
 *  its embedding included, inside the process. Embedding the whole corpus would take a quarter of an hour, so the vectors that
 *  are searched are random directions: the same number, the same clusters, the same work. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { embedText } from "../../snapshots/embed/embed-text.ts";
import { openEmbeddedEmbedder } from "../../snapshots/embed/embedder-embedded.ts";
import { type Embedder, normalize } from "../../snapshots/embed/embedder.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import type { IndexReader } from "../../snapshots/index/reader.ts";
import { DEFAULT_SEMANTIC_LIMIT, semantic } from "../../snapshots/query/semantic.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { type Corpus, MORE_OBJECTS, writeCorpus } from "./corpus.ts";
import type { Figure, Skipped } from "./figure.ts";
import { measureBuild, writeConfig } from "./library.ts";
import { cpuOf, descendants } from "./measure.ts";
import { makeQueries } from "./searching.ts";

const PASSAGES = 1024;
const QUERIES = 300;
const WARM_UP = 30;
const MIN_PASSAGES_PER_SECOND = 100;
const MAX_P95_MS = 60;
/** An awkward query may take this many times as long as half of the ordinary ones. */
const MAX_TIMES_MEDIAN = 10;

/** Queries that break or slow down careless programs; all are within the limit of 500 characters. */
const AWKWARD = [
  '"',
  '"""',
  "(((",
  "a AND (b OR",
  "title:*",
  "*",
  "a*",
  "~ ^ \\",
  "' OR 1=1 --",
  "\0",
  "\ud800",
  "%",
  "💥".repeat(250),
  "x".repeat(500),
  "a ".repeat(250),
  "the of and to in is ".repeat(25),
  Array.from({ length: 100 }, (_, at) => `w${at}`).join(" "),
  '"the of" "and to" "in a"',
  "ﷺ".repeat(500),
  "\u0301".repeat(500),
  "_".repeat(500),
  "aA".repeat(250),
];

/** @param folder whose `library/` holds documents already; they become more, and `shelf/` follows unless it has them */
export async function benchMeaning(folder: string): Promise<readonly Figure[] | Skipped> {
  const corpus = await writeCorpus(join(folder, "library"), MORE_OBJECTS);
  if (typeof corpus === "string") return { skipped: corpus };
  await measureBuild(await writeConfig(folder));
  const shelf = openDirectoryShelf(join(folder, "shelf", "public"));
  const tag = (await shelf.readPointer())?.snapshot ?? "";
  // Random directions make poor clusters, and the engine complains of each.
  process.env["LANCEDB_LOG"] ??= "error";
  const index = await openIndex(shelf.indexUri);
  const model = openEmbeddedEmbedder();
  const reader = await index.at(tag);
  try {
    const embedding = await measureEmbedding(reader, model, corpus);
    const began = performance.now();
    const { written } = await index.embed({ tag, embedder: scattered(model), cacheUri: null });
    const writing = (performance.now() - began) / 1000;
    const times: number[] = [];
    let found = 0;
    let used = 0;
    for (const [at, q] of (await makeQueries(corpus)).slice(0, QUERIES + WARM_UP).entries()) {
      const { took, results } = await timed(reader, model, q);
      if (at < WARM_UP) {
        used = cpuSoFar();
        continue;
      }
      times.push(took);
      if (results > 0) found++;
    }
    used = cpuSoFar() - used;
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
    let [slowest, worst] = ["", 0];
    for (const q of AWKWARD) {
      // The better of two: another program's turn on the processor is no property of a query.
      const took = Math.min((await timed(reader, model, q)).took, (await timed(reader, model, q)).took);
      if (took > worst) [slowest, worst] = [q, took];
    }
    const note = `${times.length} different queries, ${found} found something, over ${reader.statistics.rows.toLocaleString("en")} passages; writing and clustering ${written.toLocaleString("en")} vectors took ${writing.toFixed(0)} s`;
    return [
      {
        figure: "embedding, passages per second",
        value: embedding.rate,
        unit: "passages/s",
        target: { at: "least", value: MIN_PASSAGES_PER_SECOND },
        beside: null,
        note: `${PASSAGES} passages of the corpus`,
      },
      {
        figure: "embedding, processor time of one passage",
        value: embedding.cpu_ms,
        unit: "ms",
        target: null,
        beside: null,
        note: "on a busy machine the figure above is mostly waiting",
      },
      { figure: "ai-search, half of the queries within", value: at(0.5), unit: "ms", target: null, beside: null, note },
      {
        figure: "ai-search, 95 of 100 queries within",
        value: at(0.95),
        unit: "ms",
        target: { at: "most", value: MAX_P95_MS },
        beside: null,
        note: "the query's embedding included",
      },
      {
        figure: "ai-search, processor time of one query on average",
        value: (1000 * used) / times.length,
        unit: "ms",
        target: null,
        beside: null,
      },
      {
        figure: "ai-search, slowest of the awkward queries, times the median",
        value: worst / at(0.5),
        unit: "×",
        target: { at: "most", value: MAX_TIMES_MEDIAN },
        beside: null,
        note: `${AWKWARD.length} queries; slowest: ${JSON.stringify(slowest.slice(0, 30))}`,
      },
    ];
  } finally {
    reader.close();
    index.close();
    await model.close();
  }
}

async function timed(reader: IndexReader, model: Embedder, q: string): Promise<{ readonly took: number; readonly results: number }> {
  const began = performance.now();
  const { mode, notice, results } = await semantic(reader, model, { q, prefix: "", limit: DEFAULT_SEMANTIC_LIMIT });
  if (mode !== "semantic") throw new Error(notice);
  return { took: performance.now() - began, results: results.length };
}

/** Passages as the build would embed them, taken from all over the corpus. */
async function measureEmbedding(
  reader: IndexReader,
  model: Embedder,
  { keys }: Corpus,
): Promise<{ readonly rate: number; readonly cpu_ms: number }> {
  const places = Array.from({ length: PASSAGES * 2 }, (_, at) => ({
    doc: `object:${keys[Math.floor((at * keys.length) / (PASSAGES * 2))] ?? ""}`,
    n: at % 3,
  }));
  const rows = await reader.rows((await reader.find(places)).slice(0, PASSAGES).map(({ ref }) => ref));
  const texts = rows.map(embedText);
  await model.embed(texts.slice(0, 64));
  const [began, used] = [performance.now(), cpuSoFar()];
  await model.embed(texts);
  return { rate: texts.length / ((performance.now() - began) / 1000), cpu_ms: (1000 * (cpuSoFar() - used)) / texts.length };
}

/** Seconds of processor time of this process and those of the model. */
function cpuSoFar(): number {
  return descendants(process.pid).reduce((sum, pid) => sum + (cpuOf(pid) ?? 0), 0);
}

/** Vectors in random directions under the model's name; the same text has the same one. */
function scattered({ id, dimensions }: Embedder): Embedder {
  return {
    id,
    dimensions,
    close: async () => {},
    embed: async (texts) =>
      texts.map((text) => {
        const bytes = createHash("shake256", { outputLength: dimensions }).update(text).digest();
        return normalize(Float32Array.from(bytes, (byte) => byte - 127.5));
      }),
  };
}

/** How long a search takes over some 100,000 passages, from a client's request to the last byte, one at a time and none asked
 *  before. The queries are words and word pairs of the library's own titles and texts, common and rare ones. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startServing } from "../fixtures/serving-process.ts";
import { type Corpus, MORE_OBJECTS, writeCorpus } from "./corpus.ts";
import { type Figure, median, percentile, type Skipped } from "./figure.ts";
import { measureBuild, writeConfig } from "./library.ts";

const QUERIES = 1000;
const WARM_UP = 100;
const MAX_P50_MS = 4;
const MAX_P95_MS = 12;
/** The slowest query that we know: two words of nearly every passage that hardly ever follow one another. */
const SLOWEST = '"doc linux"';
const SLOWEST_RUNS = 9;
const MAX_TIMES_MEDIAN = 10;

/** @param folder becomes more where `building` has filled it */
export async function benchSearching(folder: string): Promise<readonly Figure[] | Skipped> {
  const corpus = await writeCorpus(join(folder, "library"), MORE_OBJECTS);
  if (typeof corpus === "string") return { skipped: corpus };
  const config = await writeConfig(folder, "Files of two Debian packages", corpus.collections);
  await measureBuild(config);
  const site = await startServing(["--only", "site", "--config", config]);
  try {
    const ask = async (query: string, more = ""): Promise<number> => {
      const began = performance.now();
      const response = await fetch(`${site.url}/api/search?q=${encodeURIComponent(query)}${more}`);
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`The search for ${query} answered ${response.status}.`);
      return performance.now() - began;
    };
    const all: number[] = [];
    for (const query of await makeQueries(corpus)) all.push(await ask(query));
    const times = all.slice(WARM_UP).sort((a, b) => a - b);
    const slow: number[] = [];
    // Another limit each time: an answer that was given is remembered.
    for (let run = 0; run < SLOWEST_RUNS; run++) slow.push(await ask(SLOWEST, `&limit=${50 - run}`));
    const half = percentile(times, 0.5);
    return [
      {
        figure: "search over 100,000 passages, p50",
        value: half,
        unit: "ms",
        target: { at: "most", value: MAX_P50_MS },
        note: `${times.length} queries`,
      },
      {
        figure: "search over 100,000 passages, p95",
        value: percentile(times, 0.95),
        unit: "ms",
        target: { at: "most", value: MAX_P95_MS },
        note: `p99 ${percentile(times, 0.99).toFixed(1)} ms`,
      },
      {
        figure: `search for ${SLOWEST}, the slowest known, times p50`,
        value: median(slow) / half,
        unit: "×",
        target: { at: "most", value: MAX_TIMES_MEDIAN },
        note: `${median(slow).toFixed(1)} ms`,
      },
    ];
  } finally {
    await site.stop();
  }
}

/** The same queries for the same corpus: every so many words of every so many files. */
async function makeQueries({ root, keys }: Corpus): Promise<string[]> {
  const queries = new Set<string>();
  const wanted = QUERIES + WARM_UP;
  for (let round = 0; queries.size < wanted && round < 4; round++) {
    for (let at = round; at < keys.length && queries.size < wanted; at += Math.max(1, Math.floor(keys.length / wanted))) {
      const words = (await readFile(join(root, keys[at] ?? ""), "utf8")).match(/\p{L}[\p{L}\p{N}_]{2,}/gu) ?? [];
      const first = (at * 7919) % Math.max(1, words.length);
      queries.add(
        words
          .slice(first, first + 1 + (at % 3))
          .join(" ")
          .slice(0, 200),
      );
    }
  }
  queries.delete("");
  return [...queries];
}

/** How long a search takes inside the process: the whole answer of /api/search, from the target to the bytes, nothing of it
 *  remembered. The queries are words and word pairs of the library's own titles and texts, common and rare ones. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { answer } from "../../snapshots/http/answer.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { openView } from "../../snapshots/http/view.ts";
import { type Corpus, MORE_OBJECTS, writeCorpus } from "./corpus.ts";
import type { Figure, Skipped } from "./figure.ts";
import { measureBuild, writeConfig } from "./library.ts";

const QUERIES = 1000;
const WARM_UP = 100;
const MAX_P50_MS = 3;
const MAX_P95_MS = 8;
/** The rows come into memory behind the first query; longer than that takes on a busy machine, milliseconds. */
const SETTLE_MS = 3_000;
/** The slowest query that we know: two words of nearly every passage that hardly ever follow one another. */
const SLOWEST = '"doc linux"';
const SLOWEST_RUNS = 9;
/** Times the median. */
const MAX_SLOWEST = 10;

/** @param begun becomes more, and so does the `shelf/` of the folder */
export async function benchSearching(begun: Corpus, folder: string): Promise<readonly Figure[] | Skipped> {
  const corpus = await writeCorpus(begun.root, MORE_OBJECTS);
  if (typeof corpus === "string") return { skipped: corpus };
  await measureBuild(await writeConfig(folder));
  const shelf = openDirectoryShelf(join(folder, "shelf", "public"));
  const view = openView({
    view: "public",
    shelf,
    renderer: null,
    index: () => openIndex(shelf.indexUri),
    now: Date.now,
    listing: null,
    runtime: { version: "", components: () => [], limits: {}, auth: {}, mcp: { endpoint: "", versions: [], tools: [] } },
  });
  const open = await view.current();
  const chunks = (await open?.reader())?.statistics.rows ?? 0;
  const ask = async (query: string, more = ""): Promise<{ readonly took: number; readonly found: boolean }> => {
    const began = performance.now();
    const target = `/api/search?q=${encodeURIComponent(query)}${more}`;
    const { status, body } = await answer(view, { method: "GET", target, header: () => null });
    const took = performance.now() - began;
    if (status !== 200) throw new Error(`${target} answered ${status}.`);
    return { took, found: body instanceof Uint8Array && body.length > 200 };
  };
  const empty = process.memoryUsage().rss;
  let settled = empty;
  const times: number[] = [];
  let found = 0;
  let used = process.cpuUsage();
  for (const [at, query] of (await makeQueries(corpus)).entries()) {
    if (at === 1) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      settled = process.memoryUsage().rss;
    }
    const asked = await ask(query);
    if (at < WARM_UP) {
      used = process.cpuUsage();
      continue;
    }
    times.push(asked.took);
    if (asked.found) found++;
  }
  const cpu = process.cpuUsage(used);
  times.sort((a, b) => a - b);
  const slow: number[] = [];
  // Another limit each time: an answer that was given is remembered.
  for (let run = 0; run < SLOWEST_RUNS; run++) slow.push((await ask(SLOWEST, `&limit=${50 - run}`)).took);
  const slowest = slow.sort((a, b) => a - b)[Math.floor(SLOWEST_RUNS / 2)] ?? Number.NaN;
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  const note = `${times.length} different queries, ${found} found something, over ${chunks.toLocaleString("en")} chunks`;
  return [
    {
      figure: "search, half of the queries within",
      value: at(0.5),
      unit: "ms",
      target: { at: "most", value: MAX_P50_MS },
      beside: null,
      note,
    },
    { figure: "search, 95 of 100 queries within", value: at(0.95), unit: "ms", target: { at: "most", value: MAX_P95_MS }, beside: null },
    { figure: "search, 99 of 100 queries within", value: at(0.99), unit: "ms", target: null, beside: null },
    {
      figure: `search, ${SLOWEST}, the slowest query known, times the half`,
      value: slowest / at(0.5),
      unit: "times",
      target: { at: "most", value: MAX_SLOWEST },
      beside: null,
      note: `${slowest.toFixed(1)} ms`,
    },
    {
      figure: "search, memory that rows and index take once they are read",
      value: (settled - empty) / 1e6,
      unit: "MB",
      target: null,
      beside: null,
    },
    {
      figure: "search, processor time of one query on average",
      value: (cpu.user + cpu.system) / 1000 / times.length,
      unit: "ms",
      target: null,
      beside: null,
      note: "on a busy machine the figures above are mostly waiting",
    },
  ];
}

/** The same queries for the same corpus: every so many words of every so many files. */
export async function makeQueries({ root, keys }: Corpus): Promise<string[]> {
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

/** `npm run -s eval -- DIR [--queries FILE] [--answers FILE] [--json] [--no-semantic]`: how well the library answers a judged collection, beside the search
 *  libraries that people would otherwise take, on the same queries in the same run. */
import { parseArgs } from "node:util";
import { ShelfError } from "../../snapshots/errors.ts";
import { formatAnswers, judgeAnswers } from "./answers.ts";
import { type Collection, readCollection, readQuestions } from "./collection.ts";
import { averagePrecision, mean, ndcg, percentile, type Ranking, randomisationTest, recall, reciprocalRank } from "./metrics.ts";
import { openLibrary } from "./library.ts";
import { openMiniSearch, openSqlite, type System } from "./systems.ts";

const USAGE = "usage: npm run -s eval -- DIR [--queries FILE] [--answers FILE] [--json] [--no-semantic]";
/** Searches before times are taken. */
const WARM_UP = 20;

type Result = {
  readonly system: string;
  readonly ndcg10: number;
  readonly map: number;
  readonly mrr: number;
  readonly recall100: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  /** Paired randomisation test on nDCG@10 against the first system; null for itself. */
  readonly p: number | null;
};

type Run = { readonly system: string; readonly rankings: readonly Ranking[]; readonly times: readonly number[] };

async function run(system: System, { documents, queries }: Collection): Promise<Run> {
  // Other words than the queries': an answer that was given is remembered, and times are of those that were not.
  for (const { title, text } of documents.slice(0, WARM_UP)) await system.rank(title === "" ? text : title);
  const rankings: Ranking[] = [];
  const times: number[] = [];
  for (const { text } of queries) {
    const start = performance.now();
    rankings.push(await system.rank(text));
    times.push(performance.now() - start);
  }
  return { system: system.name, rankings, times };
}

function judge({ queries }: Collection, runs: readonly Run[]): Result[] {
  const gains = runs.map(({ rankings }) => queries.map(({ relevant }, at) => ndcg(rankings[at] ?? [], relevant, 10)));
  return runs.map(({ system, rankings, times }, which) => {
    const average = (measure: (ranking: Ranking, grades: ReadonlyMap<string, number>) => number): number =>
      mean(queries.map(({ relevant }, at) => measure(rankings[at] ?? [], relevant)));
    return {
      system,
      ndcg10: mean(gains[which] ?? []),
      map: average(averagePrecision),
      mrr: average(reciprocalRank),
      recall100: average((ranking, grades) => recall(ranking, grades, 100)),
      p50_ms: percentile(times, 0.5),
      p95_ms: percentile(times, 0.95),
      p: which === 0 ? null : randomisationTest(gains[0] ?? [], gains[which] ?? []),
    };
  });
}

function formatTable(collection: Collection, results: readonly Result[]): string {
  const head = ["system", "nDCG@10", "MAP", "MRR", "recall@100", "p50 ms", "p95 ms", "p"];
  const rows = results.map((result) => [
    result.system,
    ...[result.ndcg10, result.map, result.mrr, result.recall100].map((value) => value.toFixed(4)),
    result.p50_ms.toFixed(2),
    result.p95_ms.toFixed(2),
    result.p === null ? "" : result.p.toFixed(4),
  ]);
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  return [
    `${collection.name}: ${collection.documents.length} documents, ${collection.queries.length} queries`,
    line(head),
    ...rows.map(line),
    `p: paired randomisation test on nDCG@10 against ${results[0]?.system ?? ""}`,
    "",
  ].join("\n");
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      queries: { type: "string" },
      answers: { type: "string" },
      json: { type: "boolean", default: false },
      semantic: { type: "boolean", default: true },
    },
  });
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) throw new TypeError("one folder is needed");
  const questions = values.answers === undefined ? null : await readQuestions(values.answers);
  // The questions are queries too, so a collection for answers alone needs no others.
  const collection = await readCollection(folder, values.queries ?? values.answers ?? null);
  if (process.stderr.isTTY) process.stderr.write(`Building ${collection.documents.length} documents …\n`);
  const library = await openLibrary(collection, values.semantic);
  try {
    if (questions !== null) {
      const figures = await judgeAnswers(library, collection, questions);
      process.stdout.write(
        values.json
          ? `${JSON.stringify({ collection: collection.name, answers: figures })}\n`
          : `${collection.name}, answers\n${formatAnswers(figures)}`,
      );
      return;
    }
    const systems = [...library.systems, openSqlite(collection), openMiniSearch(collection)];
    const runs: Run[] = [];
    for (const system of systems) runs.push(await run(system, collection));
    const results = judge(collection, runs);
    const { name, documents, queries } = collection;
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ collection: name, documents: documents.length, queries: queries.length, results })}\n`
        : formatTable(collection, results),
    );
  } finally {
    await library.close();
  }
}

try {
  await main();
} catch (error) {
  const usage = error instanceof TypeError;
  if (!usage && !(error instanceof ShelfError)) throw error;
  process.stderr.write(`${error.message}${usage ? `\n${USAGE}` : ""}\n`);
  process.exitCode = usage ? 2 : 1;
}

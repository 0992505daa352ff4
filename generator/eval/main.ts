/** `npm run -s eval -- DIR [--all] [--queries FILE] [--json] [--no-semantic]`: how well the library finds what a judged collection asks for, or
 *  every collection of a folder, beside the search libraries that people would otherwise take, on the same queries in the same run.
 *  `--answers FILE` judges answers to the questions of a file instead. */
import { parseArgs } from "node:util";
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Collection,
  findCollections,
  type PassageQuestion,
  readCollection,
  readDeclarations,
  readPassageQuestions,
  readQuestions,
} from "./collection.ts";
import { countJudged, type Judged, holdsAnswer, judgeQuote } from "./judge-passages.ts";
import { averagePrecision, mean, ndcg, percentile, type Ranking, randomisationTest, recall, reciprocalRank } from "./metrics.ts";
import { cutQuery, judgeNames, type NameFigures, type Served, withLibrary, withManuals } from "./library.ts";
import { learnWeights } from "./learn.ts";
import { openProgress } from "../files/progress.ts";
import { formatTitles, judgeTitles } from "./titles.ts";
import { openMiniSearch, openSqlite, type System } from "./systems.ts";

const USAGE =
  "usage: npm run -s eval -- DIR [--all] [--queries FILE] [--answers FILE] [--json] [--no-semantic]\n       npm run -s eval -- --answers FILE [--packages DEBS] [--learn] [--json] [--no-semantic]\n       npm run -s eval -- --titles [--packages DEBS] [--json]";
const HELP = `${USAGE}

  DIR             a judged collection: corpus.jsonl, queries.jsonl, and names.jsonl where its declarations are judged
  --all           every collection in DIR, in one table; one that cannot be judged is told, and the others go on
  --queries FILE  other queries than those of the collection
  --answers FILE  questions, whose answers without a model are judged instead; those with patterns are asked of manuals that the files of
                  their answers name, and need no DIR: generator/eval/japanese.jsonl are 60 in Japanese
  --packages DEBS where questions with patterns are asked of manuals: folder of Debian packages, which keeps the library
  --titles        how many of 400 real files have the title that a person gave them; --packages as above, and no DIR
  --learn         learns the weights of answers from those questions, and writes them into the program
  --json          as JSON
  --no-semantic   without /api/ai-search, whose vectors take most of the time
`;
const progress = openProgress();
/** Searches before times are taken. */
const WARM_UP = 20;
const UNKNOWN_NAMES = 1_000;

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

async function run(system: System, { documents, queries }: Collection, onDone: (done: number) => void): Promise<Run> {
  // Other words than the queries': an answer that was given is remembered, and times are of those that were not.
  for (const { title, text } of documents.slice(0, WARM_UP)) await system.rank(cutQuery(title === "" ? text : title));
  const rankings: Ranking[] = [];
  const times: number[] = [];
  for (const { text } of queries) {
    const start = performance.now();
    rankings.push(await system.rank(text));
    times.push(performance.now() - start);
    onDone(times.length);
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

type Report = {
  readonly collection: string;
  readonly documents: number;
  readonly queries: number;
  readonly results: readonly Result[];
  /** Null for a collection without declarations. */
  readonly names: NameFigures | null;
};

/** @throws ShelfError for a collection that cannot be read or built */
async function judgeCollection(folder: string, queries: string | null, semantic: boolean): Promise<Report> {
  const whole = await readCollection(folder, queries);
  // The others get the same as the routes.
  const collection = { ...whole, queries: whole.queries.map((query) => ({ ...query, text: cutQuery(query.text) })) };
  const { name, documents } = collection;
  progress.step(`${name}: build ${documents.length} documents`);
  const results = await withLibrary(collection, semantic, async ({ systems }) => {
    const runs: Run[] = [];
    for (const system of [...systems, openSqlite(collection), openMiniSearch(collection)])
      runs.push(await run(system, collection, (done) => progress.step(`${name}: ask ${system.name}`, done, collection.queries.length)));
    return judge(collection, runs);
  });
  const declarations = await readDeclarations(folder);
  const names = declarations === null ? null : await judgeNames(declarations, unknownNames(UNKNOWN_NAMES));
  return { collection: name, documents: documents.length, queries: collection.queries.length, results, names };
}

/** Names as programs make them up, the same in every run. */
function unknownNames(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `zq${sha256(`unknown ${at}`).slice(0, 14)}`);
}

function formatTable(reports: readonly Report[]): string {
  const head = ["collection", "system", "nDCG@10", "MAP", "MRR", "recall@100", "p50 ms", "p95 ms", "p"];
  const rows = reports.flatMap(({ collection, results }) =>
    results.map((result) => [
      collection,
      result.system,
      ...[result.ndcg10, result.map, result.mrr, result.recall100].map((value) => value.toFixed(4)),
      result.p50_ms.toFixed(2),
      result.p95_ms.toFixed(2),
      result.p === null ? "" : result.p.toFixed(4),
    ]),
  );
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  return [
    ...reports.map(({ collection, documents, queries }) => `${collection}: ${documents} documents, ${queries} queries`),
    line(head),
    ...rows.map(line),
    "p: paired randomisation test on nDCG@10 against the first system of the collection",
    ...reports.flatMap(({ collection, names }) => (names === null ? [] : [formatNames(collection, names)])),
    "",
  ].join("\n");
}

function formatNames(collection: string, figures: NameFigures): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return (
    `${collection}: ${figures.names} qualified names: the declaration first ${percent(figures.declaration_first)}, its file in the first ten ` +
    `${percent(figures.file_in_ten)}; of ${figures.unknown} unknown names ${figures.unknown_found} find something`
  );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: {
      queries: { type: "string" },
      answers: { type: "string" },
      packages: { type: "string" },
      learn: { type: "boolean", default: false },
      titles: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      semantic: { type: "boolean", default: true },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  if (values.titles) {
    const judged = await judgeTitles(values.packages ?? join(tmpdir(), "eval-packages"));
    process.stdout.write(values.json ? `${JSON.stringify(judged)}\n` : formatTitles(judged));
    return;
  }
  const [folder] = positionals;
  const asked = values.answers === undefined || values.all ? null : await readPassageQuestions(values.answers);
  if (asked !== null) return reportPassages(asked, { ...values, packages: values.packages ?? null });
  if (folder === undefined || positionals.length > 1) throw new TypeError("one folder is needed");
  if (values.all && (values.queries ?? values.answers) !== undefined)
    throw new TypeError("--queries and --answers are of one collection, and --all takes several");
  if (values.answers !== undefined) return reportAnswers(folder, values.answers, values);
  const reports: Report[] = [];
  for (const one of values.all ? await findCollections(folder) : [folder]) {
    try {
      reports.push(await judgeCollection(one, values.queries ?? null, values.semantic));
    } catch (error) {
      if (!values.all || !(error instanceof ShelfError)) throw error;
      process.stderr.write(`${one}: ${error.message}\n`);
      process.exitCode = 1;
    } finally {
      progress.end();
    }
  }
  const [first] = reports;
  process.stdout.write(values.json ? `${JSON.stringify(values.all ? reports : first)}\n` : formatTable(reports));
}

/** Asks the questions of a library of real manuals. */
async function reportPassages(
  questions: readonly PassageQuestion[],
  {
    json,
    semantic,
    packages,
    learn,
  }: { readonly json: boolean; readonly semantic: boolean; readonly packages: string | null; readonly learn: boolean },
): Promise<void> {
  const folders = [...new Set(questions.flatMap(({ answers }) => answers.flatMap(({ file }) => file.split("/")[0] ?? [])))].sort();
  if (learn) {
    process.stdout.write(await withManuals(packages, semantic, folders, (_, folder) => learnWeights(folder, questions)));
    return;
  }
  printJudged(await withManuals(packages, semantic, folders, (served, folder) => judgeAll(questions, served, folder)), json);
}

/** Asks the questions of a collection. */
async function reportAnswers(
  folder: string,
  file: string,
  { json, semantic }: { readonly json: boolean; readonly semantic: boolean },
): Promise<void> {
  // The questions are queries too, so a collection for answers alone needs no others.
  const collection = await readCollection(folder, file);
  const judged = await withLibrary(collection, semantic, async (library) =>
    judgeAll(await readQuestions(file, library.keyOf), library, library.folder),
  );
  printJudged(judged, json);
}

async function judgeAll(questions: readonly PassageQuestion[], { ask, search }: Served, folder: string): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  await ask("What is asked first starts the model of meaning?");
  for (const question of questions) {
    const start = performance.now();
    const { citations, finding = null } = await ask(question.question);
    const ms = performance.now() - start;
    const found = await search("/api/search", cutQuery(question.question));
    const right = [];
    for (const quote of citations) right.push(await judgeQuote(join(folder, "library"), question, quote));
    const keys = found.map(({ key }) => key);
    judged.push({ question, quotes: citations, finding, right, found: keys, passage: holdsAnswer(question, found[0]), ms });
    progress.step("ask", judged.length, questions.length);
  }
  progress.end();
  return judged;
}

function printJudged(judged: readonly Judged[], json: boolean): void {
  const figures = countJudged(judged);
  const rows = Object.entries(figures).map(([name, value]) => `${name.padEnd(45)}  ${value}\n`);
  process.stdout.write(json ? `${JSON.stringify({ figures, questions: judged })}\n` : rows.join(""));
}

try {
  await main();
} catch (error) {
  const usage = error instanceof TypeError;
  if (!usage && !(error instanceof ShelfError)) throw error;
  process.stderr.write(`${error.message}${usage ? `\n${USAGE}` : ""}\n`);
  process.exitCode = usage ? 2 : 1;
}

/** Learns what answers go by: the weights of the features by which quotes are ordered, and those by which an answer is told from what is only
 *  near and from what is not here. Each topic is judged by weights that were learnt of the others. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  Candidates,
  DECISION_FEATURES,
  decisionFeatures,
  FEATURES,
  findTexts,
  type TextFindings,
  locate,
  overlaps,
  type Question,
  rankCandidates,
  type Ranked,
  readQuestion,
  readSources,
  subjectOf,
} from "../../snapshots/answer/index.ts";
import { openEmbeddedEmbedder } from "../../snapshots/embedders/embedder-embedded.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { createTreeCache, openSnapshot } from "../../snapshots/shelf/read.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { featuresPrint } from "./features-print.ts";
import type { PassageQuestion } from "./collection.ts";
import { countJudged, type Judged, judgeQuote, type Shown } from "./judge-passages.ts";
import { dot, fitDecision, fitOrder, type Group, scaleOf } from "./logistic.ts";

const WEIGHTS = fileURLToPath(new URL("../../snapshots/answer/weights.ts", import.meta.url));
const FOUND = 40; // results, as asking wants them
const HARD = 80; // candidates that the weights so far have first, from which the next ones learn
const EVERY = 12; // of the others one in as many
const ANSWERED_KEPT = 0.9; // share of the questions with an answer that are not refused
const NEAR_HELD = 0.8; // share of those that are only near whose quotes are not called an answer
const BESIDE_KEPT = 0.95; // share of right second and third quotes that stand near enough to the first
const QUOTES = 3;
const LOOKED_AT = 60; // candidates by which it is decided

type Read = {
  readonly question: PassageQuestion;
  readonly asked: Question;
  readonly found: TextFindings;
  readonly ranked: readonly Ranked[];
  /** How right each is: 1 itself, less with what is around it. */
  readonly right: readonly number[];
  /** Where none is right, how far it came. */
  readonly unread: string;
  readonly topic: string;
  /** Milliseconds of this process, from the question to what could be quoted. */
  readonly ms: number;
};

/** Questions of one page are of one topic; those without an answer are dealt out. */
function topicOf({ answers, kind }: PassageQuestion, at: number): string {
  return answers[0]?.file.replace(/(?<=tutorial)\/.*/, "") ?? `${kind} ${at % 5}`;
}

/** Reads what could be quoted to each question.
 *  @param folder a built library: `library/` and `shelf/` */
async function readAll(folder: string, questions: readonly PassageQuestion[]): Promise<readonly Read[]> {
  const shelf = openDirectoryShelf(join(folder, "shelf", "public"));
  const record = (await shelf.records.index()).records.at(-1);
  if (record === undefined) throw new ShelfError("bad_source", `${folder} holds no snapshot.`);
  const snapshot = await openSnapshot(shelf, record, createTreeCache());
  const reader = await (await openIndex(shelf.indexUri)).at(record.snapshot);
  const embedder = openEmbeddedEmbedder();
  const candidates = new Candidates();
  const readObject = async (key: string) => {
    const entry = await snapshot.find(`objects/${key}`);
    return entry?.kind === "blob" ? { sha256: entry.sha256, bytes: await snapshot.read(entry) } : null;
  };
  const all: Read[] = [];
  for (const [at, question] of questions.entries()) {
    const before = process.cpuUsage();
    const query = { q: subjectOf(question.question).replaceAll('"', " "), prefix: "", limit: FOUND };
    const found = await findTexts(reader, embedder, query);
    const asked = readQuestion(question.question, found.worth);
    const sources = await readSources(found.texts, { readObject, readPage: async () => null });
    const ranked = rankCandidates(asked, found, sources, candidates);
    const { user, system } = process.cpuUsage(before);
    const right: number[] = [];
    for (const one of ranked) {
      const { itself, around } = await judgeQuote(join(folder, "library"), question, shownOf(one));
      right.push(itself ? 1 : around ? 0.3 : 0);
    }
    const keys = new Set(sources.map(({ key }) => key));
    const files = found.results.map(({ key }) => question.answers.some(({ file }) => file === key));
    const unread = question.answers.some(({ file }) => keys.has(file))
      ? "its text is read, and no block has what must stand in it"
      : files.includes(true)
        ? `its text is found, and not among those that are read`
        : `its text is not among the first ${FOUND} of search`;
    all.push({ question, asked, found, ranked, right, unread, topic: topicOf(question, at), ms: (user + system) / 1_000 });
  }
  await embedder.close();
  reader.close();
  return all;
}

function shownOf(one: Ranked): Shown {
  return { key: one.source.key, ...locate(one) };
}

/** In the order of weights: places of the candidates, none of which is part of a better one. */
function orderBy({ ranked }: Read, weights: readonly number[], count: number): readonly number[] {
  const scores = ranked.map(({ features }) => dot(features, weights));
  const places = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const chosen: number[] = [];
  for (const place of places) {
    if (chosen.length >= count) break;
    const one = ranked[place];
    const isPart = (at: number): boolean => ranked[at] !== undefined && one !== undefined && overlaps(ranked[at], one);
    if (!chosen.some(isPart)) chosen.push(place);
  }
  return chosen;
}

/** For each question with an answer: the candidates that are right, that the weights have first, and some others. */
function groupsOf(
  all: readonly Read[],
  width: readonly number[],
  weights: readonly number[],
): readonly (Group & { readonly topic: string })[] {
  return all.flatMap((read) => {
    if (!read.right.some((one) => one > 0)) return [];
    const hard = new Set(orderBy(read, weights, HARD));
    const places = [...read.ranked.keys()].filter((at) => hard.has(at) || at % EVERY === 0 || (read.right[at] ?? 0) > 0);
    return [
      {
        topic: read.topic,
        rows: places.map((at) => (read.ranked[at]?.features ?? []).map((value, column) => value / (width[column] ?? 1))),
        right: places.map((at) => read.right[at] ?? 0),
      },
    ];
  });
}

/** learnWeights learns the weights of answers.
 *  @returns the table; the weights are written where answers read them */
export async function learnWeights(folder: string, questions: readonly PassageQuestion[]): Promise<string> {
  const all = await readAll(folder, questions);
  const topics = [...new Set(all.map(({ topic }) => topic))];
  const { width } = scaleOf(all.flatMap(({ ranked }) => ranked.filter((_, at) => at % EVERY === 0).map(({ features }) => features)));
  const unscaled = (weights: readonly number[]): readonly number[] => weights.map((weight, at) => weight / (width[at] ?? 1));
  const flat = FEATURES.map(() => 0);
  const groups = groupsOf(all, width, unscaled(fitOrder(groupsOf(all, width, flat))));
  const order = fitOrder(groups);
  const chosen = topics.flatMap((topic) => {
    const weights = unscaled(fitOrder(groups.filter((group) => group.topic !== topic)));
    return all.filter((read) => read.topic === topic).map((read) => chooseBy(read, weights));
  });
  const decide = (of: readonly Chosen[], yes: (one: Chosen) => boolean) => learnDecision(chosen, of, yes);
  const here = decide(
    chosen.filter(({ answered, question }) => answered || question.kind !== "near"),
    ({ answered }) => answered,
  );
  const answers = decide(chosen, ({ rights }) => rights.some((right) => right > 0));
  const limits = limitsOf(chosen, here.sure, answers.sure);
  await writeFile(
    WEIGHTS,
    formatWeights(unscaled(order), limits.beside, here.mean, {
      here: { ...here, enough: limits.here },
      answered: { ...answers, enough: limits.answer },
    }),
  );
  const limitsWithout = new Map(topics.map((topic) => [topic, limitsOf(chosen, here.sure, answers.sure, topic)]));
  const judged = chosen.map(({ question, topic, shown, scores, rights, ms }, at): Judged => {
    const limit = limitsWithout.get(topic) ?? limits;
    const finding = (here.sure[at] ?? 0) < limit.here ? "none" : (answers.sure[at] ?? 0) < limit.answer ? "nearest" : "answer";
    const isShown = (_: unknown, place: number): boolean => finding !== "none" && (scores[place] ?? 0) >= (scores[0] ?? 0) - limit.beside;
    const right = rights.map((value) => ({ itself: value === 1, around: value > 0 })).filter(isShown);
    return { question, quotes: shown.filter(isShown), finding, right, found: [], passage: false, ms };
  });
  const row = (name: string, value: string): string => `${name.padEnd(46)}  ${value}\n`;
  const figures = Object.entries(countJudged(judged)).filter(([name]) => !/^search\b/.test(name));
  const table = (names: readonly string[], columns: readonly (readonly number[])[]): string =>
    names.map((name, at) => row(name, columns.map((column) => (column[at] ?? 0).toFixed(2).padStart(6)).join("  "))).join("");
  const missed = countMissed(chosen, judged);
  return [
    `each of ${topics.length} topics judged by weights and limits learnt of the others; ms are of the processor, without the model of meaning\n`,
    ...figures.map(([name, value]) => row(name, String(value))),
    `\nwhy ${missed.size} of the questions with an answer have no right passage in three\n`,
    ...[...Map.groupBy(missed, ([, why]) => why)].map(([why, of]) => row(why, `${of.length}: ${of.map(([id]) => id).join(" ")}`)),
    "\norder: weight of a feature by its deviation\n",
    table(FEATURES, [order]),
    "\ndecisions: the same, that something here answers | that one of three quotes does\n",
    table(DECISION_FEATURES, [here.scaled, answers.scaled]),
  ].join("");
}

/** The choice for a question by weights of the other topics, and what the decision goes by. */
type Chosen = Pick<Read, "question" | "topic" | "ms"> & {
  /** The place of the first right candidate, 0 where none is; and why none is. */
  readonly place: number;
  readonly unread: string;
  readonly answered: boolean;
  readonly shown: readonly Shown[];
  readonly rights: readonly number[];
  readonly scores: readonly number[];
  readonly row: readonly number[];
};

function chooseBy(read: Read, weights: readonly number[]): Chosen {
  const first = orderBy(read, weights, LOOKED_AT);
  const ranked = first.flatMap((at) => {
    const one = read.ranked[at];
    return one === undefined ? [] : [{ ...one, score: dot(one.features, weights) }];
  });
  const quoted = ranked.slice(0, QUOTES);
  return {
    question: read.question,
    topic: read.topic,
    ms: read.ms,
    answered: read.question.answers.length > 0,
    shown: quoted.map(shownOf),
    rights: first.slice(0, QUOTES).map((at) => read.right[at] ?? 0),
    place: orderBy(read, weights, read.ranked.length).findIndex((at) => (read.right[at] ?? 0) > 0) + 1,
    unread: read.unread,
    scores: quoted.map(({ score }) => score),
    row: decisionFeatures(read.asked, read.found, ranked),
  };
}

/** limitsOf returns how sure a decision has to be, and how far behind the first quote another may stand, by what is asked of all.
 *  @param without topic that has no say */
function limitsOf(all: readonly Chosen[], here: readonly number[], answers: readonly number[], without: string | null = null) {
  const atShare = (list: readonly number[], part: number): number => list.toSorted((a, b) => a - b)[Math.floor(list.length * part)] ?? 0;
  const pick = (sure: readonly number[], test: (one: Chosen) => boolean): readonly number[] =>
    all.flatMap((one, at) => (one.topic !== without && test(one) ? (sure[at] ?? 0) : []));
  const behind = all.flatMap(({ topic, rights, scores }) =>
    rights.flatMap((right, at) => (topic !== without && right > 0 && at > 0 ? [(scores[0] ?? 0) - (scores[at] ?? 0)] : [])),
  );
  return {
    here: atShare(
      pick(here, ({ answered }) => answered),
      1 - ANSWERED_KEPT,
    ),
    answer: atShare(
      pick(answers, ({ question }) => question.kind === "near"),
      NEAR_HELD,
    ),
    beside: atShare(behind, BESIDE_KEPT),
  };
}

/** The reason of each question that has an answer and no right passage in three. */
function countMissed(chosen: readonly Chosen[], judged: readonly Judged[]): ReadonlyMap<string, string> {
  return new Map(
    chosen.flatMap(({ answered, question, place, unread }, at) => {
      const one = judged[at];
      if (!answered || one === undefined || one.right.slice(0, QUOTES).some(({ around }) => around)) return [];
      if (place === 0) return [[question.id, unread] as const];
      const isChosen = place <= QUOTES;
      if (isChosen)
        return [[question.id, one.finding === "none" ? "right in three, and refused" : "right in three, too far behind the first"]];
      return [[question.id, place <= 10 ? "ranked 4 to 10" : place <= 50 ? "ranked 11 to 50" : "ranked below 50"] as const];
    }),
  );
}

/** Learns a decision of all, and judges each by what is learnt without its topic.
 *  @param of those from which it is learnt */
function learnDecision(all: readonly Chosen[], of: readonly Chosen[], yes: (one: Chosen) => boolean) {
  const scale = scaleOf(all.map(({ row }) => row));
  const scaled = (row: readonly number[]): readonly number[] =>
    row.map((value, at) => (value - (scale.mean[at] ?? 0)) / (scale.width[at] ?? 1));
  const fit = (list: readonly Chosen[]) => fitDecision(list.map((one) => ({ row: scaled(one.row), yes: yes(one) })));
  const left = new Map([...new Set(all.map(({ topic }) => topic))].map((topic) => [topic, fit(of.filter((one) => one.topic !== topic))]));
  const whole = fit(of);
  const sure = all.map(({ topic, row }) => {
    const { bias, weights } = left.get(topic) ?? whole;
    return 1 / (1 + Math.exp(-bias - dot(scaled(row), weights)));
  });
  const weights = whole.weights.map((weight, at) => weight / (scale.width[at] ?? 1));
  return { bias: whole.bias - dot(weights, scale.mean), weights, scaled: whole.weights, sure, mean: scale.mean };
}

type Decision = { readonly bias: number; readonly weights: readonly number[]; readonly enough: number };

function formatWeights(
  order: readonly number[],
  beside: number,
  mean: readonly number[],
  { here, answered }: { readonly here: Decision; readonly answered: Decision },
): string {
  const number = (value: number): string => Number(value.toPrecision(4)).toString();
  const usual = (name: (typeof DECISION_FEATURES)[number]): number => mean[DECISION_FEATURES.indexOf(name)] ?? 0;
  const list = (names: readonly string[], weights: readonly number[], indent: string): string =>
    names.map((name, at) => `${indent}${JSON.stringify(name)}: ${number(weights[at] ?? 0)},\n`).join("");
  const decision = (name: string, { bias, weights, enough }: Decision): string =>
    `  ${name}: {\n    bias: ${number(bias)},\n    enough: ${number(enough)},\n    weights: {\n${list(DECISION_FEATURES, weights, "      ")}    },\n  },\n`;
  return [
    "/** Weights that were learnt of judged questions: `npm run -s eval -- DIR --answers FILE --learn` writes this file. Each is of a feature as it\n",
    " *  is measured (features.ts). */\n",
    "/** LEARNT_OF is the digest of the features that these weights weigh (generator/eval/features-print.ts). */\n",
    `export const LEARNT_OF = ${JSON.stringify(featuresPrint())};\n\n`,
    `export const ORDER = {\n${list(FEATURES, order, "  ")}} as const;\n\n`,
    "/** BESIDE is how far behind the first quote's score another quote's score may be. */\n",
    `export const BESIDE = ${number(beside)};\n\n`,
    "/** USUAL is the mean nearness of the nearest passage and of the first quote's passage. */\n",
    `export const USUAL = { nearest: ${number(usual("nearness of the nearest passage"))}, first: ${number(usual("nearness of the first quote's passage"))} } as const;\n\n`,
    "/** DECISIONS weigh two questions: whether anything here answers at all, and whether one of the first three quotes does. */\n",
    `export const DECISIONS = {\n${decision("here", here)}${decision("answered", answered)}} as const;\n`,
  ].join("");
}

/** POST /api/ask: look up what the question names, retrieve passages, let the model write if there is one, and say only
 *  what a quote bears out (interface §4 rule 3; conventions "Bodies"). The answer streams as it is checked, sentence by
 *  sentence; without a model, or when nothing of what it wrote holds, the best passages are quoted instead. */
import {
  type Candidates,
  type CountedFacts,
  type ModelExcerpt,
  excerptsOf,
  type QuoteFinding,
  findQuotes,
  isHarmless,
  lookUp,
  MAX_SUMMARY,
  type TextFindings,
  type Objects,
  type Quoted,
  rankCandidates,
  readQuestion,
  readSources,
  sourcesOf,
  subjectOf,
} from "#snapshots/answer";
import {
  ALL_COUNTED,
  ALL_LOOKED_UP,
  cutText,
  mountPath,
  NO_MODEL,
  OF_HISTORY,
  pagePath,
  sayNoQuotes,
  type ViewData,
} from "#snapshots/format";
import { toSource } from "#snapshots/query";
import { makeReceipt } from "#snapshots/verify";
import type { AskRequest, AskResponse, Citation, CountedNumber, Receipt, Source } from "#snapshots/schema";
import { type AnswerModel, ModelError, type ModelFailure } from "./answer-model.ts";
import { ground, type Grounded, parseSentences } from "./grounding.ts";
import { makePrompt } from "./prompt.ts";

const MAX_EXCERPTS = 8; // that a model is shown
const MAX_NEAREST = 3;
const MAX_SENTENCES = 8;
const MAX_SOURCES = 10;

type PinnedCitation = Citation & { readonly href: string };

export type AskAnswer = Omit<AskResponse, "citations"> & { readonly citations: PinnedCitation[]; readonly receipt: Receipt };

/** An AskEvent is what a reader who streams gets, in this order: sources once, then text with the citations that it is the first to use. */
export type AskEvent =
  | { readonly type: "sources"; readonly sources: readonly Source[] }
  | {
      readonly type: "text";
      readonly text: string;
      readonly citations: readonly PinnedCitation[];
      /** Their places are in the whole answer. */
      readonly counted: readonly CountedNumber[];
    }
  | { readonly type: "answer"; readonly answer: AskAnswer };

export type AskLibrary = Objects & {
  readonly snapshot: string;
  readonly data: ViewData;
  /** Counts what a question about the registry, the claims, the catalog or the history asks for; null when it is none that can be counted. */
  count(question: string, prefix: string): Promise<CountedFacts | null>;
  /** The makers of what the question names, and when, where the library knows; null where a text has to say it. */
  provenance(question: string, prefix: string): Promise<CountedFacts | null>;
  /** The texts that may answer. @throws when there is no index; the answer then does without */
  find(question: string, prefix: string): Promise<TextFindings>;
  /** The question with the words that were meant, where one stands nowhere and one that is near it does. @throws as `find` */
  mend(question: string, prefix: string): Promise<string>;
  readonly candidates: Candidates;
};

export type AskOptions = {
  readonly model: AnswerModel | null;
  readonly deadline: number;
  /** A fresh word that nobody can guess. */
  readonly delimiter: () => string;
  readonly signal: AbortSignal;
};

const FAILURES: Readonly<Record<ModelFailure, string>> = {
  unreachable: "The answer model cannot be reached",
  refused: "The answer model refused the request",
  too_slow: "The answer model did not answer in time",
  malformed: "The answer model sent something that is no answer",
  too_long: "The answer model wrote more than it may",
  busy: "The answer model is busy",
  empty: "The answer model wrote nothing",
};

/** ask answers a question. @param request parsed and bounded already
 *  @returns events; the last is the whole answer. Fails only when the snapshot cannot be read. */
export async function* ask(request: AskRequest, library: AskLibrary, options: AskOptions): AsyncGenerator<AskEvent, void> {
  const { question, prefix } = request;
  const { data } = library;
  const mended = await library.mend(question, prefix).catch(() => question);
  const read = isHarmless(mended) ? mended : question;
  const counted = await library.count(read, prefix);
  const known = counted ?? (await library.provenance(read, prefix));
  const facts = known === null ? null : sayFacts(known, library);
  const lookup = facts === null ? lookUp(read, prefix, data) : ALL_TOLD;
  let searchNotice = "";
  const found = lookup.settled
    ? NOTHING
    : await library.find(subjectOf(read), prefix).catch(() => {
        searchNotice = "Search is not available at the moment, so only what the question names was looked up.";
        return NOTHING;
      });
  const sources = mergeSources(
    [...(facts?.sources ?? []), ...lookup.sources],
    found.results.slice(0, MAX_SOURCES).map((result) => toSource(data, result)),
  );
  yield { type: "sources", sources };

  const asked = readQuestion(read, found.worth);
  const ranked = rankCandidates(asked, found, await readSources(found.texts, library), library.candidates);
  const excerpts = excerptsOf(ranked, MAX_EXCERPTS);
  const pins = openPins(library);
  let answer = "";
  const allCounted: CountedNumber[] = [];
  const say = (text: string, separator: string, counted: readonly CountedNumber[] = []): AskEvent => {
    const from = answer === "" ? 0 : answer.length + separator.length;
    const piece = answer === "" ? text : separator + text;
    answer += piece;
    const placed = counted.map((number) => ({ ...number, start: from + number.start }));
    allCounted.push(...placed);
    return { type: "text", text: piece, citations: pins.takeNew(), counted: placed };
  };

  if (facts !== null) yield say(facts.text, " ", facts.counted);
  for (const sentence of lookup.sentences) yield say(sentence, " ");
  let mode: "ai" | "search" = "search";
  let finding: QuoteFinding | null = null;
  let notice = searchNotice;
  if (facts !== null) {
    notice = counted === null ? OF_HISTORY : ALL_COUNTED;
  } else if (lookup.settled) {
    notice = ALL_LOOKED_UP;
  } else {
    const model = excerpts.length === 0 ? null : options.model;
    let dropped = 0;
    if (model !== null) {
      let written = 0;
      try {
        for await (const sentence of writeSentences(model, question, excerpts, options)) {
          const text = sentence === null ? null : pins.cite(sentence);
          if (text === null) dropped++;
          else {
            yield say(text, written === 0 ? "\n\n" : " ");
            written++;
            mode = "ai";
          }
        }
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        const rest = written > 0 ? "; what it wrote before that is shown." : ", so the best passages are quoted.";
        notice = FAILURES[error.failure] + rest;
      }
      if (dropped > 0 && written > 0)
        notice =
          `${notice} ${dropped === 1 ? "One sentence was" : `${dropped} sentences were`} left out because no source bears ${dropped === 1 ? "it" : "them"} out.`.trim();
      else if (written === 0 && notice === "")
        notice = "Nothing that the answer model wrote is borne out by the sources, so the best passages are quoted.";
    } else if (notice === "") notice = options.model === null ? NO_MODEL : "No passage in this library matches the question.";
    if (mode === "search") {
      const before = answer;
      const best = findQuotes(asked, found, ranked, isHarmless);
      // A thing that is named outright says more than one that is only near.
      const isNamed = best.finding === "nearest" && lookup.instead.length > 0;
      finding = isNamed ? null : best.finding;
      if (finding === "nearest") yield say(NEAREST, "\n\n");
      const texts = quoteTexts(isNamed ? [] : best.quotes, pins);
      if (texts.length === 0) notice = sayNoQuotes(notice);
      for (const text of texts) yield say(text, "\n\n");
      if (answer === before) for (const sentence of lookup.instead) yield say(sentence, " ");
      if (answer === "") yield say(nothingFound(sources), "\n\n");
    }
  }

  if (read !== question) notice = `A word of the question stands nowhere here, so it was read as: ${asSentence(read)} ${notice}`.trim();
  const body = {
    query: question,
    prefix,
    mode,
    answer,
    sources: [...sources],
    notice,
    snapshot: library.snapshot,
    citations: pins.all(),
    counted: allCounted,
    ...(finding === null ? {} : { finding }),
  };
  const receipt = makeReceipt({
    question,
    prefix,
    snapshot: library.snapshot,
    mode,
    answer: body.answer,
    citations: body.citations.map(({ href: _, ...citation }) => citation),
    model: mode === "ai" ? (options.model?.name ?? null) : null,
  });
  yield { type: "answer", answer: { ...body, receipt } };
}

/** ALL_TOLD is looked up where facts have told all that is asked. */
const ALL_TOLD = { sentences: [], instead: [], sources: [], settled: true };
const NEAREST = "These are the nearest passages; none of them may answer this.";
const NOTHING: TextFindings = { results: [], texts: [], worth: new Map(), score: 0, near: { high: 0, low: 0 } };

/** With the nearest, by their titles: whoever asked may have meant one of them. */
function nothingFound(sources: readonly Source[]): string {
  const nearest = sources
    .slice(0, MAX_NEAREST)
    .map(({ title, key }) => withoutMarks(title === key ? key : `${title} (${key})`))
    .filter(isHarmless);
  return nearest.length === 0 ? "Not in this library." : `Not in this library. Nearest: ${nearest.join("; ")}.`;
}

type SaidFacts = {
  readonly text: string;
  readonly counted: readonly CountedNumber[];
  readonly sources: readonly Omit<Source, "score">[];
};

/** sayFacts writes facts as one text; null when the words of a registry in them may stand in no answer. */
function sayFacts({ parts, found }: CountedFacts, library: AskLibrary): SaidFacts | null {
  if (parts.some((part) => typeof part === "string" && !isHarmless(part))) return null;
  let text = "";
  const counted: CountedNumber[] = [];
  for (const part of parts) {
    if (typeof part === "string") text += withoutMarks(part);
    else if ("name" in part) text += isHarmless(part.name) ? withoutMarks(part.name.replaceAll(/\s+/g, " ")) : "…";
    else {
      counted.push({ value: part.value, start: text.length, href: hrefOf(library, part.path) });
      text += part.value;
    }
  }
  return { text, counted, sources: sourcesOf(found, library.data) };
}

/** Square brackets with a number would read as a citation. */
function withoutMarks(text: string): string {
  return text.replaceAll(/\[(\d*)\]/g, "($1)");
}

/** The history and the service are no part of a snapshot. */
function hrefOf({ data, snapshot }: AskLibrary, path: string): string {
  return mountPath(data.library) + (path.startsWith(pagePath.snapshots) || path.startsWith("/api/") ? path : pagePath.at(snapshot, path));
}

/** Sources that were looked up stand first; scores stay in one order and comparable inside the answer. */
function mergeSources(found: readonly Omit<Source, "score">[], ranked: readonly Source[]): readonly Source[] {
  const top = ranked[0]?.score ?? 0;
  const named = found.map((source, at): Source => ({ ...source, score: top + found.length - at }));
  const seen = new Set(named.map((source) => `${source.kind} ${source.key}`));
  return [...named, ...ranked.filter((source) => !seen.has(`${source.kind} ${source.key}`))]
    .slice(0, MAX_SOURCES)
    .map((source) => ({ ...source, summary: cutText(source.summary, MAX_SUMMARY) }));
}

/** writeSentences yields sentences as they are completed: grounded, or null for one that is not borne out. @throws ModelError */
async function* writeSentences(
  model: AnswerModel,
  question: string,
  excerpts: readonly ModelExcerpt[],
  options: AskOptions,
): AsyncGenerator<Grounded | null, void> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.deadline)]);
  let line = "";
  let count = 0;
  const take = function* (text: string): Generator<Grounded | null> {
    for (const sentence of parseSentences(text)) {
      if (sentence.marks.length === 0 && /^NOT FOUND\b/.test(sentence.text)) continue;
      if (++count > MAX_SENTENCES) return;
      yield ground(sentence, excerpts, question);
    }
  };
  try {
    for await (const piece of model.write(makePrompt(question, excerpts, options.delimiter()), signal)) {
      line += piece;
      for (let end = line.indexOf("\n"); end >= 0; end = line.indexOf("\n")) {
        yield* take(line.slice(0, end));
        line = line.slice(end + 1);
      }
      if (count > MAX_SENTENCES) return;
    }
    // A line that was cut off in the middle is not a sentence.
    yield* take(line);
  } catch (cause) {
    throw cause instanceof ModelError ? cause : new ModelError(signal.aborted ? "too_slow" : "unreachable", { cause });
  }
}

/** The stretches that answer, as they are read, each with the bytes that it stands for. */
function quoteTexts(quotes: readonly Quoted[], pins: Pins): readonly string[] {
  return quotes.flatMap(({ source, plain, cell, ...located }) => {
    // Code begins on a line of its own, so that it stands as it is drawn.
    const said = `\u201c${/^.*\n(?!\n)/.test(plain) ? "\n" : ""}${withoutMarks(plain)}\u201d`;
    const text = cell === undefined ? said : `${withoutMarks(cell.column)}: \u201c${withoutMarks(cell.value)}\u201d, in the row ${said}`;
    return pins.cite({ text, quotes: [{ ...located, excerpt: source }] }) ?? [];
  });
}

type Pins = {
  cite(sentence: Grounded): string | null;
  takeNew(): readonly PinnedCitation[];
  all(): PinnedCitation[];
};

function openPins(library: AskLibrary): Pins {
  const citations: PinnedCitation[] = [];
  let taken = 0;
  return {
    cite({ text, quotes }) {
      const numbers: number[] = [];
      for (const { quote, start_line, end_line, excerpt } of quotes) {
        const isSame = (one: Citation): boolean => one.key === excerpt.key && (one.page ?? null) === excerpt.page && one.quote === quote;
        const known = citations.find((one) => isSame(one) && one.start_line === start_line);
        if (known !== undefined) {
          numbers.push(known.n);
          continue;
        }
        const { key, sha256, page } = excerpt;
        const citation = { n: citations.length + 1, key, sha256, ...(page === null ? {} : { page }), start_line, end_line, quote };
        // The lines came from the checked object; this says again that quote and numbers agree with them.
        const lines = excerpt.source.split("\n").slice(start_line - excerpt.start_line, end_line - excerpt.start_line + 1);
        if (!lines.join("\n").includes(quote)) continue;
        citations.push({ ...citation, href: hrefOf(library, pagePath.quote(citation)) });
        numbers.push(citation.n);
      }
      if (numbers.length === 0) return null;
      return `${text} ${[...new Set(numbers)].map((n) => `[${n}]`).join("")}`;
    },
    takeNew() {
      const fresh = citations.slice(taken);
      taken = citations.length;
      return fresh;
    },
    all: () => [...citations],
  };
}

/** A question with a sign at its end. */
function asSentence(question: string): string {
  return /\p{Sentence_Terminal}$/u.test(question) ? question : `${question}.`;
}

/** How good answers without a model are: whether they cite the right documents, hold the evidence, and are silent where nothing answers. */
import type { Collection, JudgedQuestion } from "./collection.ts";
import type { Answer, Library } from "./library.ts";

const FIRST = 3; // citations that a reader looks at

export type AnswerFigures = {
  readonly answerable: number;
  /** Shares of the answerable questions. */
  readonly gold_in_first_three: number;
  /** What plain search has there, and an answer can hardly exceed. */
  readonly search_in_first_three: number;
  readonly abstained_wrongly: number;
  /** Share of the questions with evidence whose quotes hold a sentence of it; null without any. */
  readonly evidence_held: number | null;
  readonly unanswerable: number;
  /** Share of the unanswerable ones; null without any. */
  readonly abstained_rightly: number | null;
  readonly quotes: number;
  /** Quotes that are a title, or nothing but a heading. */
  readonly quotes_of_titles: number;
};

export async function judgeAnswers(library: Library, collection: Collection, questions: readonly JudgedQuestion[]): Promise<AnswerFigures> {
  const titles = new Set(collection.documents.map(({ title }) => fold(title)));
  const answers: { readonly question: JudgedQuestion; readonly answer: Answer; readonly found: readonly string[] }[] = [];
  for (const question of questions) {
    const found = (await library.systems[0]?.rank(question.text)) ?? [];
    answers.push({ question, answer: await library.ask(question.text), found: found.slice(0, FIRST) });
  }
  const isAnswerable = ({ relevant }: JudgedQuestion): boolean => Object.values(relevant).some((grade) => grade > 0);
  const answerable = answers.filter(({ question }) => isAnswerable(question));
  const unanswerable = answers.filter(({ question }) => !isAnswerable(question));
  const proved = answerable.filter(({ question }) => Object.keys(question.evidence).length > 0);
  const abstains = ({ answer }: (typeof answers)[number]): boolean => answer.citations.length === 0;
  const share = (part: readonly unknown[], whole: readonly unknown[]): number => (whole.length === 0 ? 0 : part.length / whole.length);
  const quotes = answers.flatMap(({ answer }) => answer.citations.map(({ quote }) => quote));
  return {
    answerable: answerable.length,
    gold_in_first_three: share(
      answerable.filter(({ question, answer }) => answer.citations.slice(0, FIRST).some(({ id }) => (question.relevant[id] ?? 0) > 0)),
      answerable,
    ),
    search_in_first_three: share(
      answerable.filter(({ question, found }) => found.some((id) => (question.relevant[id] ?? 0) > 0)),
      answerable,
    ),
    abstained_wrongly: share(answerable.filter(abstains), answerable),
    evidence_held:
      proved.length === 0
        ? null
        : share(
            proved.filter(({ question, answer }) => holdsEvidence(question, answer)),
            proved,
          ),
    unanswerable: unanswerable.length,
    abstained_rightly: unanswerable.length === 0 ? null : share(unanswerable.filter(abstains), unanswerable),
    quotes: quotes.length,
    quotes_of_titles: quotes.filter((quote) => titles.has(fold(quote)) || /^#+ [^\n]*$/.test(quote)).length,
  };
}

function holdsEvidence({ evidence }: JudgedQuestion, { citations }: Answer): boolean {
  return citations.some(({ id, quote }) => (evidence[id] ?? []).some((sentence) => fold(quote).includes(fold(sentence))));
}

function fold(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().toLowerCase();
}

export function formatAnswers(figures: AnswerFigures): string {
  return Object.entries(figures)
    .map(
      ([name, value]) =>
        `${name.replaceAll("_", " ").padEnd(21)}  ${value === null ? "-" : Number.isInteger(value) ? value : value.toFixed(4)}\n`,
    )
    .join("");
}

/** mendQuestion reads a word that stands nowhere in a library as the one that is near it. A word is looked up by itself: the question is
 *  searched once, as it is read in the end. */
import { mendAsking } from "#snapshots/answer";
import { rawWords, words } from "#snapshots/words";
import { correct, findMeant, findNearNames, type Meant, type OpenSnapshot, parseIndexQuery } from "#snapshots/query";

type IndexReader = Awaited<ReturnType<OpenSnapshot["reader"]>>;

/** The words of a registry, in the forms that `words` gives: whoever asks with one means it, whether a text has it or not. */
const OF_REGISTRY: ReadonlySet<string> = new Set(
  words(
    "accepted admitted advisory attestation axiom check checker claim declined definition digest disputed drift drifted evidence gap hole kernel " +
      "lemma meaning policy proof prover recalled record redacted registry rejected review scoped snapshot standing statement theorem trust " +
      "verified unverified withdrawn",
  ),
);

const LOOKED_AT = 3; // passages in which a word is looked up as it is written

/** mendQuestion reads slips of a question as the words that were meant. @param counted words of questions that are counted: one of them is no slip,
 *  and may be what was meant */
export async function mendQuestion(question: string, prefix: string, reader: IndexReader, counted: ReadonlySet<string>): Promise<string> {
  const known = new Set(
    [...counted, ...rawWords(question).filter((word) => words(word).some((form) => OF_REGISTRY.has(form)))].map((word) =>
      word.toLowerCase(),
    ),
  );
  const isNowhere = (word: string): boolean => {
    const forms = words(word);
    return forms.length > 0 && forms.every((form) => reader.statistics.rowsWith(form) === 0);
  };
  const asked = mendAsking(question, (word) => !known.has(word.toLowerCase()) && isNowhere(word));
  const { instead, languages } = parseIndexQuery(asked.replaceAll('"', " "), reader);
  const ofCounting = (asked.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word): Meant[] => {
    if (known.has(word.toLowerCase()) || !isNowhere(word)) return [];
    const [meant, ...others] = findNearNames(word, (one) => (known.has(one) ? 1 : 0));
    return meant === undefined || others.length > 0 ? [] : [{ asked: word, meant }];
  });
  const settled = new Set([...known, ...ofCounting.map((one) => one.asked.toLowerCase())]);
  const open = new Map([...instead].filter(([word]) => !settled.has(word.toLowerCase())));
  const rows = await Promise.all(
    [...open.values()].flat().map(async (list) => {
      const found = await reader.find({ words: list, all: true, of: "terms", prefix, limit: LOOKED_AT });
      return reader.rows(found.map(({ ref }) => ref));
    }),
  );
  const inTexts = findMeant(
    open,
    rows.flat().map(({ row }) => row),
    languages,
  );
  return correct(asked, [...ofCounting, ...inTexts]);
}

/** ParseIndexQuery turns a query into the words that the index is asked for. */
import { exactMark, type IndexRow, nameMark, normalizeExact, type Statistics } from "#snapshots/index";
import { qualifiedSuffixes, rawWords, words } from "#snapshots/words";
import { type Instead, NOTHING_INSTEAD, understand } from "./understand.ts";

const MAX_WORDS = 32; // the rarest of a query: bounds the time of a pasted page

/** An IndexQuery is a query in the index's words. */
export type IndexQuery = {
  /** With repetitions; at most MAX_WORDS different ones. */
  readonly words: readonly string[];
  /** True when some word of the query stands nowhere, and nothing that it may have been meant for does. */
  readonly unknown: boolean;
  /** True when the query is one identifier that stands nowhere, so that no meaning is near it. */
  readonly nowhere: boolean;
  /** True when a passage has to have all words: those of one identifier that stands nowhere as a whole. */
  readonly all: boolean;
  /** Word sequences in double quotes, for each language in which they differ: a result has to have all of one list; [] unless the whole
   *  query is quoted. */
  readonly phrases: readonly (readonly string[])[];
  /** The mark of a row that the query names exactly. */
  readonly exactMark: string;
  /** Marks of rows whose name is the query, however it is written. */
  readonly nameMarks: readonly string[];
  /** How much each word tells. */
  readonly worth: ReadonlyMap<string, number>;
  /** Languages of the library. */
  readonly languages: readonly string[];
  readonly instead: Instead;
  /** The name and its qualifiers of a query that is one qualified name which is declared nowhere as a whole. */
  readonly qualified: Qualified | null;
};

/** Qualified is a name with its qualifiers: the outermost first, and folded. */
export type Qualified = { readonly mark: string; readonly qualifiers: readonly string[] };

export type ExactReason = "key" | "id" | "name" | "title";

/** parseIndexQuery reads a query. Its text is words, never syntax. Only a query that is quoted as a whole asks for its words together: quotes
 *  within a sentence name or doubt something, and as a demand they cost five of the 52 CACM queries nearly all their results. */
export function parseIndexQuery(q: string, { statistics }: { readonly statistics: Statistics }): IndexQuery {
  const text = q.toWellFormed().normalize("NFC");
  const quoted = /^\s*(?:"[^"]+"\s*)+$/.test(text) ? [...text.matchAll(/"([^"]+)"/g)] : [];
  const inLanguage = (language: string): readonly string[] =>
    quoted.map((match) => words(match[1] ?? "", [language]).join(" ")).filter((phrase) => phrase !== "");
  const phrases = [...new Map(statistics.languages.map(inLanguage).map((list) => [list.join("\n"), list])).values()].filter(
    (list) => list.length > 0,
  );
  const raw = rawWords(text);
  const { found, all, instead, unknown, nowhere } =
    phrases.length > 0
      ? { found: words(text, statistics.languages), all: true, instead: NOTHING_INSTEAD, unknown: false, nowhere: false }
      : understand(
          raw,
          !/\s/.test(text.trim()),
          (word) => statistics.rowsWith(word),
          (name) => statistics.rowsWith(nameMark(name)) > 0,
          statistics.languages,
        );
  const worth = new Map(found.map((word) => [word, statistics.worth(word)]));
  const kept = new Set([...worth.keys()].sort((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0)).slice(0, MAX_WORDS));
  const mark = nameMark(text);
  return {
    words: found.filter((word) => kept.has(word)),
    unknown,
    nowhere,
    all,
    phrases,
    exactMark: exactMark(text),
    nameMarks: statistics.rowsWith(mark) > 0 ? [mark] : [],
    worth,
    languages: statistics.languages,
    instead,
    qualified: raw.length === 1 ? qualifiedOf(raw[0] ?? "", mark, statistics) : null,
  };
}

/** A name with what qualifies it: where the text declares the name alone, and says in what it stands. */
function qualifiedOf(raw: string, whole: string, statistics: Statistics): Qualified | null {
  if (statistics.rowsWith(whole) > 0) return null;
  const name = qualifiedSuffixes(raw)
    .slice(1)
    .find((suffix) => /^\p{L}/u.test(suffix) && statistics.rowsWith(nameMark(suffix)) > 0);
  if (name === undefined) return null;
  const qualifiers = raw
    .slice(0, -name.length)
    .split(/[.:]+/)
    .filter((part) => part !== "");
  return { mark: nameMark(name), qualifiers: qualifiers.map((part) => part.toLowerCase()) };
}

/** findReason says why a query names the result that it names. A qualified name is neither the key nor the name alone, and counts as the name. */
export function findReason(row: IndexRow, q: string): ExactReason {
  const whole = normalizeExact(q);
  if (normalizeExact(row.key) === whole) return row.kind === "record" || row.kind === "claim" ? "id" : "key";
  if (normalizeExact(row.name) === whole) return "name";
  return normalizeExact(row.title) === whole ? "title" : "name";
}

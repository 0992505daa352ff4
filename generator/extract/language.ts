/** The language that a text is written in, where nothing says it: by the letters that stand together in it. English wherever that is not sure,
 *  as a text whose words have the endings of another language taken off is found worse than one that is left alone. */
import type { About, ObjectKind, Passage } from "#snapshots/schema";
import { STEMMED } from "#snapshots/words";

const PROSE = /^(?:markdown|text|html|pdf|latex|notebook|rst|asciidoc|org|literate)$/;
const SAMPLE = 12_000; // UTF-16 units of a text that are gone through for prose
const LETTERS = 2_000; // of these, what the detector looks at
const FEWEST = 200; // letters and spaces in which a language shows
/** Share of English among the words that a text must have to be taken for English without a closer look. */
const ENGLISH_SHARE = 0.06;
const ENGLISH = /\b(?:the|and|of|to|is|for|that|this|with)\b/gi;
/** How near English may come to the language that fits best, which has 1. Of 853 English manuals and lists of names none is below. */
const MOST_ENGLISH = 0.93;
/** Not prose: code, addresses, tags, commands. */
const MARKS = /```[^]*?```|`[^`\n]*`|https?:\S+|<[^<>]*>|\{\{[^{}]*\}\}|\\[A-Za-z]+|[^\p{L}\s]/gu;

/** withLanguage adds its language to what an object says about itself; English is not added. */
export async function withLanguage({ lang: said, ...about }: About, kind: ObjectKind, passages: readonly Passage[]): Promise<About> {
  const lang = said ?? (PROSE.test(kind) ? await detect(passages) : null);
  return lang === null || lang === "en" ? about : { ...about, lang };
}

async function detect(passages: readonly Passage[]): Promise<string | null> {
  let text = "";
  for (const passage of passages) if ((text += `\n${passage.text}`).length > SAMPLE) break;
  const sample = text.slice(0, SAMPLE).replaceAll(MARKS, " ").replaceAll(/\s+/g, " ").slice(0, LETTERS);
  if (sample.length < FEWEST) return null;
  if ((sample.match(ENGLISH) ?? []).length > ENGLISH_SHARE * sample.split(" ").length) return null;
  const { francAll } = await import("franc-min");
  // The detector compares the text with each language, so it is asked only about those that are of use here.
  const found = francAll(sample, { only: [...CODES.keys(), "eng"] });
  const [[code, first] = ["und", 0]] = found;
  const english = found.find(([one]) => one === "eng")?.[1] ?? 0;
  return first > 0 && english < MOST_ENGLISH ? (CODES.get(code) ?? null) : null;
}

/** Name of a language in the detector → the first part of its tag. */
const CODES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(STEMMED).map(([tag, [code]]) => [code, tag] as const),
  ["jpn", "ja"],
  ["cmn", "zh"],
  ["kor", "ko"],
  ["tha", "th"],
]);

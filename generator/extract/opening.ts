/** Reads the title and the summary of a file of source code out of the comments above its declarations. */
import { isProse, isSummary, MAX_SUMMARY } from "./body.ts";
import { blocksOf, headingsOf, proseOfSource } from "#snapshots/blocks";
import { readSymbols } from "./isabelle-symbols.ts";
import { type LanguageRow, LANGUAGES } from "#snapshots/highlight";
import { shorten } from "./passages.ts";

const OPENING = 4000; // UTF-16 units in which title and summary are looked for
const MAX_SENTENCE = 120; // UTF-16 units of a first sentence that is a title

/** Comments of languages that have no row. */
const ANY: LanguageRow = {
  line: ["//", "#", "--", ";", "%"],
  block: [
    ["/*", "*/"],
    ["(*", "*)"],
    ['"""', '"""'],
  ],
  path: "file",
};
/** From a line like this on, a comment is about rights and people. */
const LICENCE =
  /copyright|licen[cs]e|SPDX|all rights reserved|development team|this file is part of|free software|-\*-|\(c\)|[@\\]author|^\W*authors?\b|^\W*(?:\$Id|vim:|RUN:|title:|Local Variables:)|in the hope that|without (?:any )?warrant|clang-format|do not edit/im;
/** Haddock's fields; the description is what the file is about. */
const FIELD =
  /^[ \t]*(?:Module|Copyright|Licen[cs]e|Maintainer|Stability|Portability|Category|Authors?|Version)[ \t]*:[^\n]*$|^[ \t]*\([cC]\)[^\n]*$/gm;
const DESCRIPTION = /^[ \t]*Description[ \t]*:[ \t]*([^\n]*)$/m;
/** The name of a library that every one of its files begins with. */
const LIBRARY_LINE = /^\s*The Agda standard library\s*$/m;
/** A heading at the start of a comment: `(** * Title *)` in coqdoc, `(** {1 Title} *)` in ocamldoc, `# Title` elsewhere. */
const COQDOC_TITLE = /^\(\*\*\s+\*{1,4}\s+([^\n*]{1,200}(?:\n[ \t]+(?!Authors?\b|Institution\b)[^\n*]{1,120}(?=\s*\*+\)))?)/;
const OCAMLDOC_TITLE = /^\(\*\*\s*\{[0-3]\s([^\n}]{1,200})\}?/;
const DOC_TITLE = /^\s*#\s+([^\n]{1,200})/;
/** The header that every file of Agda's library has: its name, a blank line, and a line or two that say what the file is. */
const LIBRARY_TITLE = /^\s*-{5,}\n-- The Agda standard library\n--\n-- ([^\n]{1,160})((?:\n-- [\p{Ll}(][^\n]{0,160}){0,2})/u;
/** Texts that are no title, wherever they stand. */
const NO_TITLE = /deprecated|obsolete|^(?:to do|todo|fixme|xxx|hack|note that|disabled|begin hide)\b/i;
/** Authors and their places, behind a title. */
const PEOPLE = /\s*\((?:\p{Lu}[^(),]{1,40},\s*){2,}[^()]{1,60}\)\s*$/u;
/** A first paragraph of two to eight words, though it be no sentence. */
const SHORT_TITLE = /^\p{Lu}[\p{L}\p{N}'-]*(?: [\p{L}\p{N}'-]+){1,7}\.?$/u;
/** A command that is more than a way to other files and settings. */
const COQ_COMMAND = /^[ \t]*(?:Require|From|Import|Export|Notation|Ltac2?|Module|Section|Definition|Local|Declare)\b/m;
/** A comment that speaks of its file. */
const OF_FILE = /\b(?:this|the) (?:file|module|functor|library|theory|development)\b/i;
/** Code that somebody put into a comment, and headings. */
const NO_PROSE = /:=|^(?:\{\d|\*{1,4}|#{1,6})\s|^(?:Require|Set|Import|From|Open|open|import|#include)\s/;
const FRAME = /^[ \t]*[*/|=~#-]{3,}[ \t\r]*$/gm;

export type Opening = { readonly title: string | null; readonly summary: string };

/** readOpening reads the title and the summary of a file.
 *  @param declared offset of the first declaration with its own comments: what begins there documents no module */
export function readOpening(whole: string, language: string | null, declared: number): Opening {
  return readDocument(whole, language) ?? readComments(whole, language, declared);
}

/** A document in a language of proofs: by its first heading, or the title that Verso has above its text, and its first prose. */
function readDocument(whole: string, language: string | null): Opening | null {
  const text = whole.slice(0, OPENING).replaceAll("\r", "");
  const told = language === "lean" || language === "coq" ? proseOfSource(text) : null;
  const title = told === null ? null : (told.title ?? headingsOf(text, "code")[0]?.title ?? null);
  if (title === null) return null;
  const said = blocksOf(text, "code").find(
    ({ form, plain, heading }) => form === "prose" && isSummary(plain) && (told?.title !== null || heading.length > 0),
  );
  return { title, summary: shorten(said?.plain ?? "", MAX_SUMMARY) };
}

function readComments(whole: string, language: string | null, declared: number): Opening {
  const text = `${whole.slice(0, OPENING)}\n`;
  const row = (language !== null && Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined) ?? ANY;
  let title = row.title?.exec(text)?.[1] ?? null;
  let summary = "";
  // From the first command of a Coq file on, a comment is about what follows it, unless it says that it is about the file.
  const begun = row.block.some(([open]) => open === "(*") ? Math.min(declared, COQ_COMMAND.exec(text)?.index ?? declared) : declared;
  // Several headings further down are those of its parts.
  const onlyHeading = begun === declared || (whole.match(/^\(\*\*[ \t]+\*[ \t]/gm)?.length ?? 0) < 2;
  const library = LIBRARY_TITLE.exec(text);
  if (library !== null) title = NO_TITLE.test(library[1] ?? "") ? null : joinLines(library);
  for (const { index, 0: raw } of text.matchAll(commentPattern(row))) {
    if (/^(?:"""|''')/.test(raw) && !isDocumented(text.slice(0, index))) continue;
    const heading = title === null && summary === "" && (index < begun || onlyHeading) ? findHeading(raw) : null;
    if (heading !== null) title = plain(heading[1] ?? "", raw);
    // Far below, a remark of one line is about something else.
    if (index >= declared && raw.startsWith("(*") && !raw.startsWith("(** ") && !raw.includes("\n")) continue;
    const parts = proseOf(heading === null ? raw : raw.slice(heading[0].length));
    const documents = index < begun || (index < declared && OF_FILE.test(parts[0] ?? ""));
    if (title === null && library === null && documents && row.doc?.test(raw) === true && parts[0] !== undefined) {
      const sentence = findSentence(parts[0]);
      if (sentence !== null) {
        title = plain(sentence, raw);
        parts[0] = parts[0].slice(sentence.length);
        summary = "";
      }
    }
    if (summary === "") summary = parts.find(isSummary) ?? "";
    if (title !== null && summary !== "") break;
  }
  title =
    title === null
      ? null
      : readSymbols(
          title
            .replace(PEOPLE, "")
            .replaceAll(/\s+/g, " ")
            .replace(/[\s:.]+$/, ""),
        ) || null;
  summary = shorten(readSymbols(summary), MAX_SUMMARY);
  return { title, summary: title !== null && summary.replace(/\.$/, "") === shorten(title, MAX_SUMMARY) ? "" : summary };
}

/** Tells whether a string documents something: it begins its line, and above it stand comments alone, or what it is about. Any other is data. */
function isDocumented(above: string): boolean {
  const lines = above.split("\n");
  const own = lines.pop() ?? "";
  const last = lines.findLast((line) => line.trim() !== "")?.trim() ?? "#";
  return /^[ \t]*[a-zA-Z]{0,2}$/.test(own) && (last.startsWith("#") || last.endsWith(":"));
}

function joinLines([, first = "", more = ""]: RegExpExecArray): string {
  return first + more.replaceAll(/\n-- /g, " ");
}

/** Words of a title without the marks of code in them. */
function plain(words: string, comment: string): string {
  return (comment.startsWith("(*") ? words.replaceAll(/\[([^[\]]{1,80})\]/g, "$1") : words).replaceAll("`", "").trim();
}

/** Whole comments: a block, a box of comments of a line each, or lines with the same sign. */
function commentPattern({ line, block }: LanguageRow): RegExp {
  const box = block.some(([open]) => open === "(*") ? [String.raw`(?:^[ \t]*\(\*(?:\*{2,}\)|(?!\*)[^\n]{0,300}\*\))[ \t\r]*\n){2,}`] : [];
  // `{-# … #-}` speaks to the compiler.
  const blocks = block.map(
    ([open, close]) => `${RegExp.escape(open)}${open === "{-" ? "(?!#)" : ""}(?:[\\s\\S]*?)(?:${RegExp.escape(close)}|(?![\\s\\S]))`,
  );
  const kinds = line.flatMap((sign) => (sign === "//" ? ["//!", "///", "//(?![!/])"] : [sign === "#" ? "#(?![![])" : RegExp.escape(sign)]));
  const lines = kinds.map((sign) => `(?:^[ \\t]*${sign}[^\\n]*\\n)+`);
  return new RegExp([...box, ...blocks, ...lines].join("|"), "gm");
}

function findHeading(raw: string): RegExpExecArray | null {
  if (raw.startsWith("(*")) return COQDOC_TITLE.exec(raw) ?? OCAMLDOC_TITLE.exec(raw);
  if (/^(?:\/\*|"""|'''|[ \t]*#)/.test(raw)) return null;
  const sign = /^(?:[ \t]*(?:\/\/[/!]?|--+|;+|%+)|\/-[!-]?|\{-)/.exec(raw)?.[0] ?? "";
  const found = DOC_TITLE.exec(raw.slice(sign.length));
  if (found !== null) [found[0], found[1]] = [sign + found[0], (found[1] ?? "").replace(/\s*-[/}]\s*$/, "")];
  return found;
}

/** The signs that begin each line of a comment, which are its own: any other is its author's. */
function signsIn(raw: string): RegExp {
  if (raw.startsWith("/*")) return /^[ \t]*\*{1,2}(?=\s|$)[ \t]?/gm;
  if (raw.startsWith("(*")) return /^[ \t]*(?:\(\*+\)?|\*{1,2}(?=\s|$))[ \t]?|[ \t]*\*+\)[ \t\r]*$/gm;
  return /^(?:"""|'''|\/-|\{-|\$\(|text )/.test(raw) ? /(?!)/g : /^[ \t]*(?:\/\/[/!]?|--+|;+|%+|#+|\\\*)[ \t]?/gm;
}

/** The paragraphs of a comment, without its signs and frames, down to where it comes to speak of rights. */
function proseOf(raw: string): string[] {
  const inner = raw
    .replace(/^(?:\(\*+(?=[^)*])|\/-[!-]?|\/\*+!?(?=[^/])|\{-|\$\(|"""|'''|text (?:\\<open>|‹|\{\*))/, "")
    .replace(/(?:\*+\)|-\/|\*+\/|-\}|\$\)|"""|'''|\\<close>|›|\*\})\s*$/, "")
    .replaceAll(signsIn(raw), "")
    .replaceAll(/^[ \t]*[@\\]file\b[^\n]*$/gm, "")
    .replace(/^[ \t]*\|[ \t]/, "")
    .replaceAll(FRAME, "")
    .replace(LIBRARY_LINE, "");
  const described = DESCRIPTION.exec(inner)?.[1] ?? "";
  const fields = inner.replace(DESCRIPTION, "").replaceAll(FIELD, "");
  const licence = fields.search(LICENCE);
  // A box of comments is put around a licence, with names above it.
  const boxed = /^\(\*[^\n]*\*\)[ \t\r]*\n/.test(raw);
  const kept = licence < 0 ? fields : boxed ? "" : lastSentenceEnd(fields.slice(0, fields.lastIndexOf("\n", licence) + 1));
  return [described, ...kept.split(/\n[ \t\r]*\n/)]
    .map((part) => part.replaceAll(/\s+/g, " ").trim())
    .filter((part, at) => (isProse(part) || (at === 1 && SHORT_TITLE.test(part))) && !NO_PROSE.test(part));
}

/** lastSentenceEnd cuts a text that stops in the middle of a sentence behind the sentence before. */
function lastSentenceEnd(text: string): string {
  const end = Math.max(text.lastIndexOf(".\n"), text.lastIndexOf(". "), text.search(/\n[ \t\r]*\n[^\S]*$/));
  return end < 0 ? "" : text.slice(0, end + 1);
}

/** The first sentence of a paragraph when it can be a title. */
function findSentence(paragraph: string): string | null {
  const end = /[.!?](?=\s+[^\s\p{Ll}]|\s*$)/u.exec(paragraph);
  const sentence = end === null ? paragraph : paragraph.slice(0, end.index + 1);
  return sentence.length <= MAX_SENTENCE &&
    (isProse(sentence) || SHORT_TITLE.test(sentence)) &&
    !/[:;,(]$/.test(sentence) &&
    !NO_TITLE.test(sentence)
    ? sentence
    : null;
}

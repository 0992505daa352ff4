/** The excerpt that a result shows of the passage that was found, as a reader reads it: prose without the marks of its language, or the lines of
 *  code that hold the words. The API, the pages of a server and the browser's own search say the same. */
import { authorWords, cutText, splitNote } from "#snapshots/format";
import { type Kind, KINDS } from "#snapshots/schema";
import { type Hit, openFinder, words } from "#snapshots/words";
import { withoutComments } from "./declaration-line.ts";
import { blocksOf, plainIn } from "#snapshots/blocks";
import { snippet } from "./snippet.ts";

const MAX_PROSE = 320; // characters
const MAX_NOTE = 280; // of them, where it is said whose words they are
const CALLED = 0.75; // of the worth of the words in an entry that its name has, where it is called by them
const MAX_CODE_LINES = 2; // as the card has room for
const MAX_CODE = 480; // characters

/** A line that only brings in what stands elsewhere: it has the names, and says nothing of them. */
const BRINGS_IN = /^\s*(?:pub\s+)?(?:use|import|from|mod|open|include|require|#\s*include)\b|\binclude(?:_str|_bytes)?!|\bRequire\b/i;

/** A line that opens what declarations stand in, or says of what they speak: a passage may begin with it. */
const OPENS =
  /^\s*(?:Section|Module|Chapter|End|Variables?|Context|Hypothes[ie]s|Implicit|namespace|section|variables?|universes?|mutual|module|private)\b/;

type Find = (text: string) => Hit[];
export type MarkedPiece = { readonly text: string; readonly marked: boolean };
export type MarkedExcerpt = { readonly pieces: readonly MarkedPiece[]; readonly code: boolean };

/** findWords makes a finder of the words of a query in a text. A longer word is worth more, so that an identifier counts before its parts. */
export function findWords(query: string, languages: readonly string[]): Find {
  return openFinder(new Map(words(query, languages).map((word) => [word, word.length])), languages);
}

/** The sum of what the words that a text holds are worth, each counted once. */
function worthOf(text: string, find: Find): number {
  return [...new Map(find(text).map(({ word, worth }) => [word, worth])).values()].reduce((sum, worth) => sum + worth, 0);
}

/** excerpt makes the excerpt of a passage.
 *  @param text of a passage, as it stands in the object; whoever wrote that controls it
 *  @param name that the passage declares or explains; "" where there is none */
export function excerpt(kind: Kind, text: string, find: Find, name = ""): MarkedExcerpt {
  if (kind === "code") {
    const code = withoutComments(text);
    const said = proseOf(kind, text);
    const own = code
      .split("\n")
      .filter((line) => !BRINGS_IN.test(line))
      .join("\n");
    if (code.trim() !== "" && worthOf(own, find) >= worthOf(said, find)) return codeExcerpt(text, code, find);
    return proseExcerpt(said, find);
  }
  const { said, note } = kind === "record" ? splitNote(text) : { said: text, note: "" };
  if (note !== "" && worthOf(note, find) > worthOf(said, find)) {
    const shown = snippet(note, find, MAX_NOTE);
    const [before = "", after = ""] = authorWords("\n").split("\n");
    return { pieces: [{ text: before, marked: false }, ...markHits(shown, find(shown)), { text: after, marked: false }], code: false };
  }
  // The beginning of an entry says what the entry is: it is shown where the words are the entry's name.
  const isWhole = find(name).some(({ start, end }) => end - start === name.length);
  const isCalled = isWhole || (name !== "" && worthOf(name, find) >= CALLED * worthOf(text, find));
  return proseExcerpt(proseOf(kind, said), find, isCalled ? () => [] : find);
}

/** The text of a passage, block by block, without its headings. It stays as it is where its marks were taken out before, or have no reader. */
function proseOf(kind: Kind, text: string): string {
  const { prose } = KINDS[kind];
  if (prose === null || prose === "html" || prose === "printed" || prose === "entries" || prose === "table") return text;
  const blocks = blocksOf(text, kind).map(({ plain, form }) =>
    form === "entry" || form === "cells" || form === "row" ? plain.replaceAll(/\s*\|\s*/g, " ") : plain,
  );
  if (blocks.length > 0 || prose === "comments") return blocks.join(" ");
  // A heading alone, or links alone.
  return plainIn(text.replaceAll(/^\s{0,3}#{1,6}\s+/gm, ""), prose);
}

/** excerptText makes the same excerpt as one line of plain text. @param length characters at most */
export function excerptText(kind: Kind, text: string, find: Find, length: number, name: string): string {
  const { pieces } = excerpt(kind, text, find, name);
  return snippet(pieces.map((piece) => piece.text).join(""), find, length);
}

/** lineOf reads the line out of an anchor on a page of text. */
export function lineOf(anchor: string): number | null {
  const line = /^#L(\d+)$/.exec(anchor)?.[1];
  return line === undefined ? null : Number(line);
}

/** @param where finds what it is cut around; the beginning is shown where that finds nothing */
function proseExcerpt(text: string, find: Find, where: Find = find): MarkedExcerpt {
  const shown = snippet(text, where, MAX_PROSE);
  return { pieces: markHits(shown, find(shown)), code: false };
}

/** The declaration that it begins with if that has any of the words, else from the line with the most of them on.
 *  @param bare the text without its comments, at the same places */
function codeExcerpt(text: string, bare: string, find: Find): MarkedExcerpt {
  const lines = text.split("\n");
  const held = bare.split("\n").map((line) => (line.trim() === "" ? -1 : worthOf(line, find)));
  const own = held.map((one, at) => (BRINGS_IN.test(lines[at] ?? "") ? Math.min(one, 0) : one));
  const worth = own.some((one) => one > 0) ? own : held;
  const begins = worth.findIndex((one, at) => one >= 0 && !OPENS.test(lines[at] ?? ""));
  const first = (worth[begins] ?? 0) > 0 ? begins : worth.indexOf(Math.max(...worth));
  const rest = lines.slice(first).map((line, at) => ({ line, isCode: held[first + at] !== -1 }));
  const end = rest.findIndex(({ line }, at) => at > 0 && line.trim() === "");
  // A comment between two lines of code is prose with its marks.
  const group = (end < 0 ? rest : rest.slice(0, end)).filter(({ isCode }) => isCode).slice(0, MAX_CODE_LINES);
  const shown = cutText(group.map(({ line }) => line).join("\n"), MAX_CODE).trimEnd();
  return { pieces: markHits(shown, find(shown)), code: true };
}

/** markHits returns the text in pieces; a hit that begins inside another is left out. */
export function markHits(text: string, hits: readonly Hit[]): readonly MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let at = 0;
  for (const { start, end } of hits.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), marked: false });
    pieces.push({ text: text.slice(start, end), marked: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), marked: false });
  return pieces;
}

/** Text → the words of the index. One analysis for passages and for queries, so that a word means the same in both, in the statistics
 *  and in snippets. A passage has the words of its own language; a query, which may be in any, those of each language that the library has. Input is anybody's text: any string is safe. `insertionSort_perm` gives `insertionsort_perm`, `insert`, `sort`,
 *  `perm`: identifiers are found whole and in parts. A single letter or digit, and what a hash or a version is made of, counts only
 *  inside its identifier. */
import { stemmer } from "stemmer";
import { ownText } from "#snapshots/own-text";
import { ASCII_SIGN, ASCII_SIGNS } from "./ascii-signs.ts";
import { leaveEncodedOut } from "./encoded.ts";
import { LATEX_DRESS, LATEX_SIGNS } from "./latex-signs.ts";
import { ENGLISH, stemIn } from "./stemmers.ts";
import { isUnspaced, segmentsOf, unspacedWords } from "./unspaced.ts";

const MAX_WORD = 64; // code units; longer runs (base64, minified code) are cut and say nothing
const CACHE_LIMIT = 200_000; // distinct raw words whose analysis is kept

/** Names that end with signs: C++, g++, C#, F#, A*. */
const NAMED_SIGN = String.raw`(?<![\w*])(?:[A-Za-z]{1,3}\+\+|[A-Za-z]#|A\*)(?![\w+#*])`;
const IS_NAMED_SIGN = new RegExp(`^${NAMED_SIGN}$`);

/** Raw words: a LaTeX command; letters, digits, marks and `_`, joined by single `.`, `'` or `::`, with a letter that is set off in it as that of
 *  an option (`e[x]tract`); one mathematical sign beyond ASCII, or what stands for one. */
const RAW = new RegExp(
  String.raw`${NAMED_SIGN}|\\[A-Za-z]+|\[\p{L}\]\p{L}+|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_\u200c\u200d]*(?:\[\p{L}\]\p{L}+)?(?:(?:['.’]|::)[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*)*|[\u2190-\u23ff\u27c0-\u2aff]|${ASCII_SIGN}`,
  "gu",
);
const RAW_ASCII = new RegExp(
  String.raw`${NAMED_SIGN}|\\[A-Za-z]+|\[[A-Za-z]\][A-Za-z]+|[A-Za-z0-9_]+(?:\[[A-Za-z]\][A-Za-z]+)?(?:(?:['.]|::)[A-Za-z0-9_]+)*|${ASCII_SIGN}`,
  "g",
);
/** Pieces of a part of an identifier: `HTTPServer2` is `HTTP`, `Server`, `2`. */
const PIECE = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+|\p{N}+/gu;
const JOINT = /::|[.'’_]/u;
/** Where letters and digits meet. A part with more of these than MAX_MEETINGS is a hash: no piece of it is a word. */
const MEETING = /\p{L}(?=\p{N})|\p{N}(?=\p{L})/gu;
const MAX_MEETINGS = 2;
const PLAIN = /^[a-z]+$/;
const LETTERS = /^\p{L}+$/u;
const ASCII = /^[\x00-\x7f]*$/;

/** English function words: they decide nothing. */
const STOP: ReadonlySet<string> = new Set(
  (
    "a an and are as at be but by for from had has have he her his if in into is it its no not of on or s such t that the " +
    "their then there these they this to was were will with which who what when where why how i we you your our can do does"
  ).split(" "),
);

type Known = Map<string, readonly string[]>;
/** By languages. */
const caches = new Map<string, Known>();

function knownIn(languages: readonly string[]): Known {
  const name = languages.join(" ");
  const known: Known = caches.get(name) ?? new Map();
  caches.set(name, known);
  return known;
}

/** Letters that are no accent on another one, and what people without them type; forms of one Arabic letter that Persian and Arabic write with two. */
const LETTERS_AS: Readonly<Record<string, string>> = Object.fromEntries(
  "øo łl đd ðd þth ßss æae œoe ıi ħh ŧt ŋn əe \u06a9\u0643 \u06cc\u064a \u0649\u064a \u06c0\u0647 \u06d5\u0647 \u0640 \u200c \u200d"
    .split(" ")
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);
const OTHER_LETTER = new RegExp(`[${Object.keys(LETTERS_AS).join("")}]`, "gu");

function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return bare.replaceAll(OTHER_LETTER, (letter) => LETTERS_AS[letter] ?? letter);
}

const SPELLED: Readonly<Record<string, string>> = { "+": "plus", "#": "sharp", "*": "star" };

/** spellOtherwise writes the words of a text as people without its letters type them, and names that end with signs in letters: for a search whose
 *  words are letters alone. "Søren", "C++" are "soren", "cplusplus". */
export function spellOtherwise(text: string): string {
  return fold(text.replaceAll(new RegExp(NAMED_SIGN, "g"), (name) => name.replaceAll(/[+#*]/g, (sign) => SPELLED[sign] ?? sign)));
}

function addPart(into: string[], part: string, languages: readonly string[]): void {
  const word = fold(part).slice(0, MAX_WORD);
  if (word === "" || STOP.has(word)) return;
  const forms = languages.map((language) => {
    const stem = language === "en" || part.length > MAX_WORD || !LETTERS.test(part) ? null : stemIn(language, part.toLowerCase());
    // Porter's rules are for English: other words stay as they are.
    return stem === null ? (PLAIN.test(word) ? stemOf(word) : word) : fold(stem);
  });
  into.push(...(forms.length === 1 ? forms : new Set(forms)));
}

/** `walrus` and `walruses` are one word: a later form of Porter's rules takes no "s" from "us". */
function stemOf(word: string): string {
  return /[a-z]{2}[^o]us$|^[a-z]{1,2}us$/.test(word) ? word : stemmer(americanise(word));
}

/** British spellings as American ones; both sides of a comparison come through here. */
function americanise(word: string): string {
  return word.length < 6
    ? word
    : word
        .replace(/(?<=[a-z]{3})is(?=(?:e|ed|es|ing|er|ers|able|ation|ations)$)/, "iz")
        .replace(/our(?=(?:s|ed|ing|al|able|ite|ites|less)?$)/, "or");
}

/** The words within an identifier: `Nat.add_comm2` has `Nat`, `add`, `comm`. */
function piecesOf(raw: string): string[] {
  return raw.split(JOINT).flatMap((part) => {
    if ((part.match(MEETING) ?? []).length > MAX_MEETINGS) return [part];
    // Digits are a word only where they stand alone.
    return (part.match(PIECE) ?? []).filter((piece) => piece.length > 1 && (piece === part || !/^\p{N}/u.test(piece)));
  });
}

function analyse(raw: string, languages: readonly string[]): readonly string[] {
  const out: string[] = [];
  if (IS_NAMED_SIGN.test(raw)) return [raw.toLowerCase()];
  const operator = ASCII_SIGNS.get(raw);
  if (operator !== undefined) return [fold(operator)];
  if (raw.startsWith("\\")) {
    const command = raw.slice(1);
    if (LATEX_DRESS.has(command)) return out;
    const sign = LATEX_SIGNS.get(command);
    const own = wordsOf(command, languages);
    return sign === undefined ? own : [fold(sign), ...own];
  }
  if (raw.includes("[")) return wordsOf(raw.replaceAll(/[[\]]/g, ""), languages);
  if (PLAIN.test(raw)) {
    addPart(out, raw, languages);
    return out;
  }
  if (isUnspaced(raw)) {
    for (const word of unspacedWords(raw, (segment) => words(segment, languages))) out.push(fold(word).slice(0, MAX_WORD));
    return out;
  }
  const whole = raw.replace(/['’]s$/, "");
  const pieces = piecesOf(whole);
  if (pieces.length <= 1 && (pieces[0] ?? whole) === whole) {
    addPart(out, whole, languages);
    return out;
  }
  for (const name of identifiersIn(whole)) addPart(out, name, ENGLISH);
  for (const piece of pieces) addPart(out, piece, languages);
  return out;
}

/** An identifier of several pieces whole, and what is left of it without its qualifiers where that is one too. */
function identifiersIn(whole: string): string[] {
  return whole.length > MAX_WORD ? [] : qualifiedSuffixes(whole).filter((name) => name === whole || piecesOf(name).length !== 1);
}

/** identifierWords returns the index words that stand for a raw word as a whole, and for the rest of it without its first qualifiers; [] when it
 *  is no identifier of several pieces. */
export function identifierWords(raw: string): readonly string[] {
  const own = ownText(raw).replace(/['’]s$/, "");
  if (raw.startsWith("\\") || PLAIN.test(own) || isUnspaced(own)) return [];
  const pieces = piecesOf(own);
  if (pieces.length <= 1 && (pieces[0] ?? own) === own) return [];
  const out: string[] = [];
  for (const name of identifiersIn(own)) addPart(out, name, ENGLISH);
  return out;
}

/** qualifiedSuffixes returns a qualified name and the rest of it without its first qualifiers: `A.b.c` gives `A.b.c`, `b.c`, `c`. */
export function qualifiedSuffixes(name: string): string[] {
  const joints = [...name.matchAll(/\.|::/g)].map((joint) => joint.index + joint[0].length);
  return [0, ...joints].map((at) => name.slice(at));
}

function wordsOf(raw: string, languages: readonly string[], known = knownIn(languages)): readonly string[] {
  const found = known.get(raw);
  if (found !== undefined) return found;
  const own = ownText(raw);
  const words = analyse(own, languages);
  if (known.size >= CACHE_LIMIT) known.clear();
  known.set(own, words);
  return words;
}

function pattern(text: string): RegExp {
  return ASCII.test(text) ? RAW_ASCII : RAW;
}

/** rawWords returns the raw words of a text: each is a word of its own, an identifier, a sign. */
export function rawWords(text: string): readonly string[] {
  const read = leaveEncodedOut(text);
  return read.match(pattern(read)) ?? [];
}

/** words returns the index words of a text, in order, with repetitions. @param languages whose endings are taken off, each giving a word where
 *  they differ */
export function words(text: string, languages: readonly string[] = ENGLISH): string[] {
  const out: string[] = [];
  const known = knownIn(languages);
  for (const raw of rawWords(text)) for (const word of wordsOf(raw, languages, known)) out.push(word);
  return out;
}

/** A Hit is a place where one of some words stands, in code units. */
export type Hit = { readonly start: number; readonly end: number; readonly word: string; readonly worth: number };

const STEM_TAIL = 2; // letters at the end of a stem that its word may not have: `relate` is the stem of `relational`
const STEM_HEAD = 3; // letters that a stem keeps of its word, whatever suffix went
const JOINTS = new Set([..."'.:’"].map((joint) => joint.charCodeAt(0)));

/** openFinder returns a function that tells where a text holds any of the words; of several in one raw word, it takes the one worth most. */
export function openFinder(wanted: ReadonlyMap<string, number>, languages: readonly string[] = ENGLISH): (text: string) => Hit[] {
  const heads = [...new Set([...wanted.keys()].filter((word) => /^[\w.':]+$/.test(word)).map(headOf))].map((text) =>
    text.replaceAll(".", "\\."),
  );
  heads.push(...[...wanted.keys()].filter((word) => IS_NAMED_SIGN.test(word) || word === "a*").map((word) => RegExp.escape(word)));
  if (heads.length > 0) heads.push(String.raw`\[[A-Za-z]\](?=[A-Za-z])`);
  if ([...ASCII_SIGNS.values()].some((sign) => wanted.has(fold(sign)))) heads.push(ASCII_SIGN);
  const head = heads.length === 0 ? null : new RegExp(heads.join("|"), "gi");
  // A run with a letter beyond ASCII may be any word, folded.
  const headOrLetter = new RegExp([...heads, "[^\\x00-\\x7f]"].join("|"), "gi");
  const raw = new RegExp(RAW);
  const looked = new Map<string, { readonly word: string; readonly worth: number } | null>();

  function look(hits: Hit[], text: string, start: number): void {
    let best = looked.get(text);
    if (best === undefined) {
      best = null;
      for (const word of wordsOf(text, languages)) {
        const worth = wanted.get(word) ?? 0;
        if (worth > (best?.worth ?? 0)) best = { word, worth };
      }
      looked.set(text, best);
    }
    if (best !== null) hits.push({ start, end: start + text.length, ...best });
  }

  /** A run of words without spaces between them is looked at word by word, and as a whole for what stands across them. */
  function lookIn(hits: Hit[], text: string, start: number): void {
    const before = hits.length;
    for (const segment of isUnspaced(text) ? segmentsOf(text) : [])
      for (const found of segment.text.matchAll(RAW)) look(hits, found[0], start + segment.start + found.index);
    if (hits.length === before) look(hits, text, start);
  }

  function findAscii(hits: Hit[], text: string, pattern: RegExp): void {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      let start = match.index;
      let end = pattern.lastIndex;
      const isSign = ASCII_SIGNS.has(match[0]);
      while (!isSign && start > 0 && isWordCode(text.charCodeAt(start - 1))) start--;
      while (!isSign && end < text.length && isWordCode(text.charCodeAt(end))) end++;
      look(hits, text.slice(start, end), start);
      pattern.lastIndex = end;
    }
  }

  /** Raw words are found from the beginning of the run that a match stands in: before it no raw word can have begun. */
  function findAny(hits: Hit[], text: string): void {
    headOrLetter.lastIndex = 0;
    for (let match = headOrLetter.exec(text); match !== null; match = headOrLetter.exec(text)) {
      let start = match.index;
      let end = headOrLetter.lastIndex;
      while (start > 0 && isRunCode(text.charCodeAt(start - 1))) start--;
      while (end < text.length && isRunCode(text.charCodeAt(end))) end++;
      const run = text.slice(start, end);
      raw.lastIndex = 0;
      for (let found = raw.exec(run); found !== null; found = raw.exec(run)) lookIn(hits, found[0], start + found.index);
      headOrLetter.lastIndex = end;
    }
  }

  return (text) => {
    const hits: Hit[] = [];
    if (!ASCII.test(text)) findAny(hits, text);
    else if (head !== null) findAscii(hits, text, head);
    return hits;
  };
}

/** The beginning that a word shares with every raw word of ASCII that it stands for: `key` has the stem `kei`. */
function headOf(word: string): string {
  return word.slice(0, Math.max(STEM_HEAD, word.length - STEM_TAIL)).replace(/(?<=.)i$/, "");
}

/** True for signs that may stand within a raw word, and perhaps for more: letters, digits, joints, everything beyond ASCII. */
function isRunCode(code: number): boolean {
  return code > 127 || isWordCode(code) || JOINTS.has(code);
}

function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95;
}

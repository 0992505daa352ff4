/** PlainIn gives a text as a reader sees it: without the marks of its language, and with what is written in code and formulas as it stands there.
 *  Marks of one language mean nothing in another. */
import { nameToEmoji } from "gemoji";
import type { Prose } from "#snapshots/schema";
import { LATEX_DRESS, LATEX_SIGNS } from "#snapshots/words";
import { LATEX_ACCENTS, LATEX_PRINTED, pairs } from "./latex-letters.ts";

/** Those of mathematics have their names of LaTeX. */
const NAMED = pairs(
  "aelig=æ amp=& apos=' bull=• copy=© deg=° euro=€ gt=> hellip=… laquo=« larr=← ldquo=“ lsquo=‘ lt=< mdash=— middot=· minus=− nbsp=\u00a0 " +
    'ndash=– oslash=ø plusmn=± quot=" raquo=» rarr=→ rdquo=” reg=® rsquo=’ sect=§ szlig=ß trade=™',
);
const ACCENTED = /^([a-z])(acute|caron|cedil|circ|grave|ring|tilde|uml)$/i;
const ACCENTS = pairs("acute=\u0301 caron=\u030c cedil=\u0327 circ=\u0302 grave=\u0300 ring=\u030a tilde=\u0303 uml=\u0308");
/** An accent and its letter, as LaTeX has them. */
const LATEX_ACCENT = /\\(?:(["'`^~=.])|([cvuHkrdb])(?![A-Za-z])\s*)\{?(?:\\([ij])(?![A-Za-z])|(\p{L}))\}?/gu;

/** ATTRIBUTES are the attributes of a tag, in which a sign in quotes ends nothing; each is read in one way, so that nothing is tried twice. */
export const ATTRIBUTES = String.raw`[^<>=]*(?:=(?:\s*(?:"[^"]{0,5000}"|'[^']{0,5000}'))?[^<>=]*)*`;
/** Elements that a page may have: any other name between angle brackets is a sign of the text, unless it is closed or has attributes. */
const ELEMENT = new RegExp(
  "^(?:a|abbr|address|annotation|area|article|aside|audio|b|bdi|bdo|big|blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|data|" +
    "datalist|dd|del|details|dfn|dialog|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|h[1-6]|head|header|hgroup|hr|html|i|iframe|img|" +
    "input|ins|kbd|label|legend|li|link|main|map|mark|math|menu|meta|meter|m(?:i|n|o|s|row|text|frac|sqrt|root|sub|sup|subsup|under|over|underover|" +
    "table|tr|td|style|space|padded)|nav|noscript|object|ol|optgroup|option|output|p|param|picture|pre|progress|q|rp|rt|ruby|s|samp|script|section|" +
    "select|semantics|slot|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|" +
    "track|tt|u|ul|var|video|wbr)$",
  "i",
);
/** Elements whose content is no text for a browser: named and not closed, they are named. */
const RAW =
  /^(?:title|textarea|script|style|iframe|xmp|noembed|noframes|plaintext|select|template|noscript|object|svg|math|video|audio|canvas)$/i;

const TAG = new RegExp(String.raw`<(\/?)([a-z][\w.:-]*)(?=(${ATTRIBUTES}))\3>`, "gi");

/** closedIn returns the names of the elements that a text closes, with the place where it last does. */
export function closedIn(text: string): ReadonlyMap<string, number> {
  return new Map([...text.matchAll(/<\/([a-z][\w.:-]*)/gi)].map(({ 1: name = "", index }) => [name.toLowerCase(), index]));
}

/** replaceTags replaces what is between angle brackets and tells a tag from a name there, such as `<name>` and `Vec<T>`.
 *  @param elsewhere names that are closed in what is around the text */
export function replaceTags(
  text: string,
  replace: (tag: string, name: string, isTag: boolean) => string,
  elsewhere: ReadonlyMap<string, number> = new Map(),
): string {
  const closed = closedIn(text);
  const opened = new Set<string>();
  return text.replaceAll(TAG, (tag: string, slash: string, written: string, rest: string, index: number) => {
    const name = written.toLowerCase();
    const isOpening = slash === "";
    const isPaired = isOpening ? (closed.get(name) ?? -1) > index : opened.has(name);
    if (isOpening) opened.add(name);
    if (RAW.test(name)) return replace(tag, name, isPaired && name !== "plaintext");
    if (ELEMENT.test(name)) return replace(tag, name, /^(?:\s|\/?$)/.test(rest));
    return replace(tag, name, !isOpening || isPaired || elsewhere.has(name) || /=|\/$/.test(rest));
  });
}

/** Signs that stand for stretches which are set aside: nobody writes them, and where somebody does they are set aside themselves. */
const FIRST = 0xf0000;
const SET_ASIDE = /[\u{F0000}-\u{FFFFD}]/gu;

/** Changes a text but for the stretches that `spans` finds, which are shown as `show` says. */
function around(text: string, spans: RegExp, show: (span: string) => string, change: (rest: string) => string): string {
  const kept: string[] = [];
  const rest = text.replaceAll(spans, (span) => String.fromCodePoint(FIRST + (kept.push(show(span)) - 1)));
  return change(rest).replaceAll(SET_ASIDE, (sign) => kept[(sign.codePointAt(0) ?? 0) - FIRST] ?? "");
}

/** Letters with the accents that LaTeX sets over them. */
function composeAccents(text: string): string {
  return text.replaceAll(LATEX_ACCENT, (_, sign = "", name = "", dotless = "", letter = "") =>
    (dotless + letter + (LATEX_ACCENTS.get(sign + name) ?? "")).normalize("NFC"),
  );
}

/** namedSign gives the sign that a name stands for in HTML, or in formulas of LaTeX; what few texts have stays as it is written. */
export function namedSign(name: string): string | undefined {
  const [, letter = "", accent = ""] = ACCENTED.exec(name) ?? [];
  return letter === "" ? (NAMED.get(name) ?? LATEX_SIGNS.get(name)) : (letter + (ACCENTS.get(accent.toLowerCase()) ?? "")).normalize("NFC");
}

/** readReferences writes signs for references of HTML. */
function readReferences(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : -1;
    return code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : (namedSign(name ?? "") ?? whole);
  });
}

const fold = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** isTex tells whether the prose of a literate program is LaTeX. */
export const isTex = (text: string): boolean =>
  /\\(?:documentclass|(?:sub)*section\*?\{|chapter\*?\{|begin\{(?!code|spec)|(?:ref|cite|emph|texttt|label)\{)/.test(text);

const PLAIN: Readonly<Record<Prose, (text: string) => string>> = {
  plain: (text) => text,
  rst: plainOfRst,
  asciidoc: plainOfAsciidoc,
  org: plainOfOrg,
  markdown: plainOfMarkdown,
  literate: plainOfMarkdown,
  latex: plainOfLatex,
  comments: (text) => text,
  docs: plainOfDocs,
  html: withoutTags,
  printed: (text) => text,
  entries: (text) => text,
  table: (text) => text,
};

/** plainIn returns a text as a reader sees it, in one line. */
export function plainIn(text: string, prose: Prose): string {
  return fold(PLAIN[prose](text));
}

/** Code as it stands between its signs, without the space that sets it off from them. */
function codeIn(span: string): string {
  const inner = span.replaceAll(/^`+|`+$/g, "").replaceAll(/\s+/g, " ");
  return inner.trim() === "" ? inner : inner.replace(/^ (.*) $/, "$1");
}

const CODE = String.raw`(?<!${"`"})(?<ticks>${"`"}+)(?!${"`"})[^]{1,2000}?(?<!${"`"})\k<ticks>(?!${"`"})`;
/** Code and formulas, before which a role may stand, addresses between angle brackets, and signs that are escaped. */
const MARKDOWN = new RegExp(
  String.raw`(?:\{[a-zA-Z][\w:.+-]{0,40}\})?${CODE}|(?<!\\)\$\$[^$]+\$\$|\$${"`"}[^${"`"}]+${"`"}\$|(?<![\\$A-Za-z\d])\$(?=[^\s$])(?:[^$\\]|\\[^])+?(?<![\s\\])\$(?![\dA-Z_$])` +
    String.raw`|\\\((?:[^\\]|\\[^)]){1,1000}?\\\)|<(?:[a-z][a-z\d+.-]{1,31}:|[\w.+-]+@)[^\s<>]*>|https?:\/\/(?:[^\s<>()[]|\[(?!\^))*(?<![*_~.,;:!?])|\\[!-\/:-@[-${"`"}{-~\n]|[\u{F0000}-\u{FFFFD}]`,
  "giu",
);

function showMarkdown(span: string): string {
  const [, role = ""] = /^\{([^}]+)\}/.exec(span) ?? [];
  const code = span.slice(role === "" ? 0 : role.length + 2);
  if (role === "math") return plainFormula(codeIn(code));
  if (role !== "") return wordsOfRole(role, codeIn(code));
  if (span.startsWith("`")) return codeIn(span);
  if (span.startsWith("<")) return span.slice(1, -1);
  if (span.startsWith("$`")) return plainFormula(span.slice(2, -2));
  if (span.startsWith("$")) return isFormula(span) ? plainFormula(span.replaceAll(/^\$+|\$+$/g, "")) : span;
  if (span.startsWith("\\(") && span.length > 2) return plainFormula(span.slice(2, -2));
  return span.startsWith("\\") ? span.slice(1) : span;
}

/** wordsOfRole gives the words of a role of Sphinx or MyST: those before the target that it leads to, and none where it only numbers. A name of
 *  a program is shown as Sphinx does: behind `~` its last part, and a function with its brackets. */
export function wordsOfRole(role: string, inner: string): string {
  if (/^(?:kbd|code|guilabel|sub|sup|samp|command|file|program|option|envvar|abbr|literal)$/.test(role)) return inner;
  const words = inner.replace(/\s*<[^<>]*>$/, "");
  const [, kind = ""] = /(?:^|:)(func|meth|class|mod|attr|data|exc|obj|const|type|any)$/.exec(role) ?? [];
  if (words !== inner || kind === "") return words.replace(/^[~!]/, "");
  const name = words.replace(/^!/, "");
  const shown = name.startsWith("~") ? name.replace(/^~(?:.*(?:\.|::|\/)(?=[^.:/]))?/s, "") : name.replace(/^\./, "");
  return /^(?:func|meth)$/.test(kind) && !shown.endsWith(")") ? `${shown}()` : shown;
}

/** WIKI finds a link of a wiki: the sign of what is embedded, a page, a part of it, words. */
export const WIKI = /(!?)\[\[([^[\]\n|#!]*)(#[^[\]\n|]*)?(?:\\?\|([^[\]\n]*))?\]\](?![([])/g;
const PICTURE = /\.(?:png|apng|jpe?g|gif|webp|avif|svg)$/i;

/** wordsOfWiki gives the words of a link of a wiki, "" for a picture; null for what is none, such as the number of a reference. */
export function wordsOfWiki({ embed, page, part, words }: Readonly<Record<"embed" | "page" | "part" | "words", string>>): string | null {
  const name = page.trim();
  if ((name === "" && part === "") || /^\d+(?:\s*,\s*\d+)*$/.test(name)) return null;
  if (embed !== "" && PICTURE.test(name)) return "";
  return words.trim() || (name === "" ? part.slice(1) : name + part.replace("#", " › "));
}

/** ICON finds names of pictures in the sets that MkDocs Material and its like bring along, with their attributes. */
export const ICON = /:(?:material|octicons|fontawesome|simple)(?:-[a-z0-9]+)+:(?:\{[^{}\n]*\})?/g;
/** EMOJI finds what GitHub shows as a sign where its list has the name. */
export const EMOJI = /(?:(?<![\w:])|(?<=(?<![\w:]):[\w+-]{1,60}:)):([a-z0-9_+-]{1,60}):(?!\w)/g;
/** emojiOf gives the sign of a name; null where GitHub has none. */
export const emojiOf = (name: string): string | null => (Object.hasOwn(nameToEmoji, name) ? (nameToEmoji[name] ?? null) : null);
const MAX_BESIDE = 200; // code units beside an icon that tell whether words stand there

/** wordsOfIcon gives what a reader sees of an icon: its name between words or alone in its cell, item or link, and nothing where it adorns the words
 *  behind or before it. */
export function wordsOfIcon(text: string, at: number, icon: string): string {
  const end = at + icon.length;
  const [before, after] = [text.slice(Math.max(0, at - MAX_BESIDE), at), text.slice(end, end + MAX_BESIDE)].map((part) =>
    part.replaceAll(ICON, ""),
  );
  const begins = (at <= MAX_BESIDE && /^[\s*_~]*$/.test(before ?? "")) || /[[|>][\s*_~]*$/.test(before ?? "");
  const ends =
    (end + MAX_BESIDE >= text.length && /^[\s*_~]*$/.test(after ?? "")) || /^[\s*_~]*(?:[\]|<]|\{:?[ \t]*[.#])/.test(after ?? "");
  if (begins !== ends) return "";
  return icon
    .replace(/:(?:\{.*)?$/, "")
    .replace(/^:\w+-(?:(?:solid|brands|regular)-)?/, "")
    .replace(/-(?:outline|\d+)$/, "")
    .replaceAll("-", " ");
}

/** SHORTCODE finds what Hugo and Quarto fill in: its name and its arguments; an escaped one is an example. Also what Liquid and CriticMarkup leave out. */
export const SHORTCODE =
  /(?<!\{)\{\{(?:<(?!\/\*)[^{}\n]{1,500}>|%(?!\/\*)[^{}\n]{1,500}%)\}\}(?!\})|\{%-?[ \t]*(?:end)?raw[ \t]*-?%\}|\{>>[^{}\n]{1,500}<<\}/g;

/** shortcodeIn gives what a reader sees in the place of one: where it leads, and words, which are those of its caption, or a name whose value only its
 *  site knows; of a picture also its caption and what it has in place of itself. */
export function shortcodeIn(code: string): { readonly target: string | null } & Readonly<Record<"words" | "caption" | "alt", string>> {
  const [, name = "", rest = ""] = /^\{\{[<%]\s*(\/?[\w./-]+)\s*(.*?)\/?\s*[>%]\}\}$/.exec(code) ?? [];
  const all = [...rest.matchAll(/(?:([\w-]+)=)?(?:"([^"]*)"|'([^']*)'|([^\s"'=]+))/g)].map(
    ([, key = "", ...values]) => [key, values.find((one) => one !== undefined) ?? ""] as const,
  );
  const valueOf = (...keys: readonly string[]): string => all.find(([key]) => keys.includes(key))?.[1] ?? "";
  const first = all.find(([key]) => key === "")?.[1] ?? "";
  const target = [valueOf("src", "url", "href", "link"), first].find((one) => /^https?:\/\/|\.[a-z]\w{1,4}(?:#|$)/i.test(one)) ?? null;
  const [title, below, alt] = [valueOf("title"), valueOf("caption"), valueOf("alt")];
  const caption = title !== "" && below !== "" ? `**${title}** ${below}` : title || below;
  const said = caption || alt || valueOf("text") || (/^(?:meta|var|env|param|kbd)$/.test(name) ? (all.at(-1)?.[1] ?? "") : "");
  return { target, words: said || (target ?? ""), caption, alt: alt || below };
}

/** isFormula tells whether what stands between two dollars can be a formula: a dollar in code closes none before it, and one in brackets none outside. */
export function isFormula(tex: string): boolean {
  let depth = 0;
  for (const [sign] of tex.matchAll(/[()[\]]/g)) if ((depth += sign === "(" || sign === "[" ? 1 : -1) < 0) return false;
  return tex.split("`").length % 2 === 1;
}

const TARGET = String.raw`\((?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)`;
/** The words between brackets, which may hold brackets themselves. */
const WORDS = String.raw`((?:[^[\]]|\[[^[\]]*\])+)`;
const IMAGE = new RegExp(String.raw`!\[((?:[^[\]]|\[[^[\]]*\])*)\](?:${TARGET}|\[[^\]]*\])`, "g");
/** Words in brackets that attributes are about. */
const SPAN = /(?<![\]!\w])\[([^[\]\n]{1,300})\](?=\{:?[ \t]*(?:[.#][A-Za-z]|[\w-]+=))/g;
/** Attributes in braces behind what they are about, and those of MyST, Pandoc and kramdown at the end. */
const ATTRIBUTE_LIST =
  /(?<=[)\]*_`>\u{F0000}-\u{FFFFD}])\{:?[ \t]*(?:[.#][A-Za-z][\w-]*|[\w-]+=(?:"[^"{}\n]*"|[^\s{}"]+))[^{}\n]{0,200}\}|(?:^|[ \t])\{:?[ \t]*[.#][A-Za-z][\w-]*[^{}\n]{0,200}\}[ \t]*$|[ \t]\^[A-Za-z0-9-]{2,60}[ \t]*$/gmu;
const LINK = new RegExp(String.raw`\[${WORDS}\]${TARGET}|(?<![\w\]])\[${WORDS}\]\[[^[\]]*\]`, "g");

const wordsOfLink = (_: string, words?: string, other?: string): string => words ?? other ?? "";
/** A reference to a note, and a note that stands in its place; `[^a-z]` is a class of letters. */
const NOTE = /\[\^(?!.-.\])[\p{L}\p{N}][^\]\s]*\]|\^\[[^[\]]*\]/gu;

/** Documentation within code, whose tools have no dialect of a site; its page shows the source, in which no tag is one. */
function plainOfDocs(text: string): string {
  return around(text, MARKDOWN, showMarkdown, (rest) => withoutEmphasis(rest.replaceAll(LINK, wordsOfLink)));
}

/** withoutSize gives the words of a picture without the size that Obsidian has behind them. */
export const withoutSize = (words: string): string => words.replace(/\|\d{1,4}(?:x\d{1,4})?$/, "");

function plainOfMarkdown(text: string): string {
  return around(text.replaceAll(/^[ \t]*(?:>[ \t]?)+/gm, ""), MARKDOWN, showMarkdown, (rest) =>
    readReferences(
      withoutEmphasis(
        dropTags(rest.replaceAll(SPAN, "$1").replaceAll(ATTRIBUTE_LIST, ""))
          .replaceAll(
            WIKI,
            (whole, embed: string, page: string, part = "", words = "") => wordsOfWiki({ embed, page, part, words }) ?? whole,
          )
          .replaceAll(ICON, (icon: string, at: number, whole: string) => wordsOfIcon(whole, at, icon))
          .replaceAll(EMOJI, (whole, name: string) => emojiOf(name) ?? whole)
          .replaceAll(/\{(\+\+|--|==)([^{}\n]{1,500})\1\}|(\^\^)(?=\S)([^^\n]{1,300})(?<=\S)\3/g, "$2$4")
          .replaceAll(SHORTCODE, (code) => shortcodeIn(code).words)
          .replaceAll(/(?<!\w)\+\+([\w-]+(?:\+[\w-]+)*)\+\+(?![\w+])/g, "$1")
          .replaceAll(IMAGE, (_, words: string) => withoutSize(words))
          .replaceAll(LINK, wordsOfLink)
          .replaceAll(NOTE, "")
          .replaceAll(/(?<=[\p{L}\p{N})])(?:~([^\s~]{1,20})~|\^([^\s^]{1,20})\^)(?![~^])/gu, "$1$2")
          .replaceAll(/~~(?=\S)([^~]+)(?<=\S)~~/g, "$1")
          .replaceAll(/(?<![\w=])==(?=[^\s=])([^=\n]{1,500}?)(?<=\S)==(?![\w=])/g, "$1"),
      ),
    ),
  );
}

/** Takes tags and comments out of a text; of a picture its words stay. */
const dropTags = (text: string): string =>
  replaceTags(text.replaceAll(/<!--[^]*?-->/g, ""), (tag, name, isTag) =>
    isTag ? (/^(?:br|summary|p|div|li|td|th)$/.test(name) ? " " : name === "img" ? saidIn(tag) : "") : tag,
  );

function withoutEmphasis(text: string): string {
  return text
    .replaceAll(
      /(\*\*)(?=\S)(.+?)(?<=\S)\1|(?<![\w_])__(?=\S)(.+?)(?<=\S)__(?!\w)/gs,
      (_, __, stars?: string, lines?: string) => stars ?? lines ?? "",
    )
    .replaceAll(/(?<![\w*])\*(?=[^\s*])([^*]{1,200}?)(?<=\S)\*(?!\w)/g, "$1")
    .replaceAll(/(?<![\w_])_(?=[^\s_])([^_]{1,200}?)(?<=\S)_(?!\w)/g, "$1");
}

/** Formulas of LaTeX, and code within a line. */
const LATEX_SPANS =
  /\\(?:verb|lstinline)\*?([^\s\w*{])[^\n]{0,500}?\1|\\[$\\]|\$\$[^$]+\$\$|\$(?:[^$\\]|\\[^])+\$|\\\((?:[^\\]|\\[^)]){1,1000}?\\\)|[\u{F0000}-\u{FFFFD}]/gu;

function showLatex(span: string): string {
  if (/^\\[vl]/.test(span)) return /^\\\w+\*?([^])([^]*)\1$/.exec(span)?.[2] ?? span;
  if (span === "\\$") return "$";
  if (span === "\\\\") return " ";
  return span.startsWith("$") || span.startsWith("\\(") ? plainFormula(span.replaceAll(/^(?:\$+|\\\()|(?:\$+|\\\))$/g, "")) : span;
}

/** Signs of LaTeX beside words: a sign that is escaped, the end of a line, a command, braces. */
const LATEX =
  /\\([%&#_{}])|``|''|(?<!-)-{2,3}(?!-)|&|\\texorpdfstring\{[^{}]*\}|\[[\d.]+(?:pt|ex|em|cm|mm|in)\](?<=[\u{F0000}-\u{FFFFD}]\[[\d.]+\w\w\])|\\[\s,;:]|\\([A-Za-z@]+)\*?(?:<(?=[^<>\n]*\d)[\w+.,|:@ -]{1,30}>)?(?:\[[^\]]*\]|(?<=\\(?:[lLoO]|ss|a[ae]|A[AE]|oe|OE))\s+(?=\p{L}))?|[{}]/gu;
/** Signs that are typed for others; between cells of a table stands a point. */
const LATEX_TYPED: ReadonlyMap<string, string> = new Map([
  ["``", "\u201c"],
  ["''", "\u201d"],
  ["&", " \u00b7 "],
  ["--", "–"],
  ["---", "—"],
  ...[..." \n,;:"].map((sign) => [`\\${sign}`, " "] as const),
]);
/** Commands whose argument is not said. */
const UNSAID =
  /\\(?:\w{0,20}cite\w{0,20}|\w{0,20}ref|label|footnote|index\w*|[vh]space|lean|uses|proves|discussion|thanks|input|include|includegraphics|textcolor|color|usepackage|documentclass|bibliography\w*|begin|end)\*?(?:\[[^\]]*\]){0,3}\{[^{}]*\}/g;

/** Numbers with their units, as siunitx has them. */
const QUANTITY = /\\(?:SI|si|num|qty|unit)(?:\[[^\]]*\])?\{([^{}]{0,80})\}(?:\{([^{}]{0,80})\})?/g;

function plainOfLatex(text: string): string {
  return around(text, LATEX_SPANS, showLatex, (rest) =>
    composeAccents(rest)
      .replaceAll(UNSAID, "")
      .replaceAll(QUANTITY, (_, number: string, unit = "") =>
        `${number} ${unit}`
          .replaceAll(/\\([A-Za-z]+)/g, " $1")
          .replaceAll(/ +/g, " ")
          .trim(),
      )
      .replaceAll("~", " ")
      .replaceAll(
        LATEX,
        (sign, escaped?: string, command?: string) =>
          escaped ??
          (command === undefined ? (LATEX_TYPED.get(sign) ?? "") : (LATEX_PRINTED.get(command) ?? LATEX_SIGNS.get(command) ?? "")),
      ),
  );
}

/** With the signs that its commands print; as it is when one of them is none. */
function plainFormula(formula: string): string {
  const plain = formula
    .replaceAll(/\\(?:[,;:!]|\s)/g, " ")
    .replaceAll(/\\([A-Za-z]+)\s*\{([^{}]*)\}/g, (whole, name: string, inner: string) => (LATEX_DRESS.has(name) ? inner : whole))
    .replaceAll(/\\([A-Za-z]+)/g, (command, name: string) => (LATEX_DRESS.has(name) ? "" : (LATEX_SIGNS.get(name) ?? command)));
  return plain.includes("\\") ? `$${formula}$` : fold(plain);
}

/** Marks that LaTeXML writes beside what they count: a note has its number three times. */
const MARKS = "ltx_(?:note_mark|tag_note|tag_item|tag_listingline|listing_data|page_logo)";
const MARK_AGAIN = new RegExp(String.raw`<(sup|span|div)\b[^<>]*\b${MARKS}\b[^<>]*>[^<>]*(?:</\1>|$)`, "gi");

/** isUnsaid tells whether an element of a paper with such class names is a mark that stands there once more. */
export function isUnsaid(names: readonly string[]): boolean {
  return names.some((name) => new RegExp(`^${MARKS}$`).test(name));
}

const MATH = /<math\b([^<>]*)>((?:(?!<math\b)[\s\S]){0,20000}?)<\/math>/gi;
/** The words of a picture or a formula, which stand in its tag. */
const SAID = /\salt(?:text)?=(?:"([^"]*)"|'([^']*)')/i;
const saidIn = (tag: string): string =>
  SAID.exec(tag)
    ?.slice(1)
    .find((words) => words !== undefined) ?? "";
const HTML_TAG = new RegExp(String.raw`<!--[^]*?-->|<[!?][^<>]*>|<(\/?)([a-z][\w:-]*)(?=(${ATTRIBUTES}))\3>`, "gi");
const APART = /^(?:td|th|tr|p|div|li)$/i;

/** Formulas as somebody wrote them for a reader without pictures, in TeX, or by their signs. */
function wordsOfFormula(attributes: string, inside: string): string {
  const [, tex] = /<annotation\b[^<>]*>([^<]*)<\/annotation>/i.exec(inside) ?? [];
  const said = SAID.exec(` ${attributes}`);
  return said === null ? (tex ?? inside) : (said[1] ?? said[2] ?? "");
}

/** TEX_IN_HTML finds formulas that a script of a page would set. Without a sign of mathematics, or a letter alone, it is an expression of a program. */
export const TEX_IN_HTML =
  /\\\((?=[^)\\]*(?:[\^_=+<>{}&]|\\[^)])|\s*\w\s*\\\))((?:[^\\]|\\[^()]){1,2000}?)\\\)|\\\[(?=[^\]\\]*(?:[\^_=+<>{}&]|\\[^\]])|\s*\w\s*\\\])((?:[^\\]|\\[^[\]]){1,4000}?)\\\]|\$\$([^$]{1,4000})\$\$/g;

/** withoutTags gives the text of HTML with its own white space; a formula and a picture by their words. */
export function withoutTags(text: string): string {
  const written = text
    .replaceAll(MARK_AGAIN, "")
    .replaceAll(MATH, (_, attributes: string, inside: string) => wordsOfFormula(attributes, inside))
    .replaceAll(HTML_TAG, (tag, _, name = "") => {
      if (/^img$/i.test(name)) return saidIn(tag).replaceAll("<", "&lt;");
      return /^br$/i.test(name) ? "\n" : name === "" || APART.test(name) ? " " : "";
    });
  return readReferences(written)
    .replaceAll(TEX_IN_HTML, (_, ...tex: readonly (string | undefined)[]) =>
      plainFormula(tex.slice(0, 3).find((one) => one !== undefined) ?? ""),
    )
    .replaceAll("\u00b6", "");
}

/** Code between signs, of reStructuredText and AsciiDoc; a sign that a role stands before, or that ends a link, is no code. */
const LITERAL = /(?<!`)``(?!`)[^]{1,400}?(?<!`)``(?!`)|(?<![`:\w])`(?![`\s])[^`<\n]{1,400}?`(?![`_\w])|[\u{F0000}-\u{FFFFD}]/gu;

/** Without the marks that reStructuredText and AsciiDoc have in common; a name between angle brackets is no tag there. */
function plainOfText(text: string): string {
  return around(
    text,
    LITERAL,
    (span) => (span.startsWith("`") ? codeIn(span) : span),
    (rest) =>
      rest
        .replaceAll(/:[a-z][a-z:+-]{0,40}:`([^`<\n]{1,400}?)(?:\s*<[^<>`]{0,200}>)?`/g, "$1")
        .replaceAll(/`([^`<\n]{1,200}?)\s+<[^<>`\s]{1,300}>`_{1,2}/g, "$1")
        .replaceAll(/\blinkgit:([\w-]+)\[(\d)\]/g, "$1($2)")
        .replaceAll(/\blink:[^\s[]+\[([^\]]*)\]/g, "$1")
        .replaceAll(/(?<!\w)'([^'\n]{1,80})'(?!\w)/g, "$1")
        .replaceAll(/\*\*(?=\S)([^*\n]{1,200}?)(?<=\S)\*\*|(?<![\w*])\*(?=[^\s*])([^*]{1,200}?)(?<=\S)\*(?!\w)/g, "$1$2")
        .replaceAll(/(?<!`)`+(?!`)([^`]+)`+/g, "$1"),
  );
}

/** Literals of reStructuredText, in which no sign is escaped. */
const RST_LITERAL = /(?<![`\w])``(?=[^\s`])[^]{1,400}?(?<=\S)``(?![`\w])/g;

/** A role of reStructuredText before what it is about. */
const ROLE = /(?<![\w`]):([a-zA-Z][\w:.+-]{0,60}):`(?=\S)((?:[^`\\]|\\[^]){1,400})`/g;

/** References, and names that are filled in, by their words. */
function plainOfRst(whole: string): string {
  return around(
    whole,
    RST_LITERAL,
    (span) => span.slice(2, -2).replaceAll(/\s+/g, " "),
    (text) =>
      plainOfText(
        text
          .replaceAll(ROLE, (whole, role: string, inner: string) => {
            const shown = role === "math" ? "" : wordsOfRole(role.replace(/^(?:rst|std|ref):/, ""), inner).trim();
            return shown === "" ? whole : shown.includes("`") ? shown : `\`\`${shown}\`\``;
          })
          .replaceAll(/`([^`<\n]{1,200})`__?(?![\w`])/g, "$1")
          .replaceAll(/\s?\[(?:\d+|[#*][\w-]*)\]_(?!\w)/g, "")
          .replaceAll(/(\[[A-Za-z][\w.-]{0,80}\])_(?!\w)/g, "$1")
          .replaceAll(/(?<![\w`.+-])([\p{L}\p{N}](?:[\p{L}\p{N}_.+-]*[\p{L}\p{N}])?)__?(?=$|[\s,.;:!?)])/gu, "$1")
          .replaceAll(/(?<![\w|])\|(\S[^|\n]{0,80}\S|\S)\|_{0,2}(?![\w|])/g, "$1")
          .replaceAll(/::[ \t]*$/gm, ":"),
      ).replaceAll(/\\(\S)/g, "$1"),
  );
}

/** Text that AsciiDoc passes through as it is, in code and elsewhere. */
const PASSED = /(?<![`\w])`\+[^`\n]{1,400}?\+`(?![`\w])|(?<![\w+])(\+{1,3})(?=[^\s+])[^\n]{1,400}?(?<=[^\s+])\1(?![\w+])/g;

/** Links, places, notes and terms of AsciiDoc by their words. */
function plainOfAsciidoc(whole: string): string {
  return around(
    whole,
    PASSED,
    (span) => span.replaceAll(/^`?\++|\++`?$/g, ""),
    (text) =>
      readReferences(
        plainOfText(
          text
            .replaceAll(/^[ \t]*[a-z][\w-]{0,40}::([^\s[\]]{0,500})\[([^\]\n]{0,500})\][ \t]*$/gm, "$1 $2")
            .replaceAll(/\[[.\w-]{1,40}\](?=[#*_`])/g, "")
            .replaceAll(/\b(?:link|xref|https?|mailto|image|icon):[^\s[\]]{1,500}\[([^\]]{0,500})\]/g, (whole, words: string) =>
              words === "" && whole.startsWith("http") ? whole.slice(0, -2) : words.replace(/,.*|\^$/s, ""),
            )
            .replaceAll(
              /<<([^<>,\n]{1,200})(?:,\s*([^<>]{1,300}))?>>/g,
              (_, id: string, said?: string) =>
                said ??
                id
                  .replace(/^.*#(?=.)/, "")
                  .replaceAll("_", " ")
                  .trim(),
            )
            .replaceAll(/\b(?:stem|latexmath|asciimath|kbd|btn|pass|menu):[^\s[\]]*\[([^\]]{0,500})\]/g, "$1")
            .replaceAll(/\(\(\([^()]{1,300}\)\)\)|\[\[[^\]\n]{1,200}\]\]|\b(?:footnote|anchor|indexterm):[^\s[\]]*\[[^\]]{0,500}\]/g, "")
            .replaceAll(/\(\(([^()]{1,300})\)\)/g, "$1")
            .replaceAll(
              /(?<!\w)(?:__(?=\S)([^_\n]{1,200})__|_(?=[^\s_])([^_\n]{1,200})(?<=\S)_)(?!\w)|(?<!\w)[#](?=\S)([^#\n]{1,200})(?<=\S)#(?!\w)/g,
              "$1$2$3",
            )
            .replaceAll(/(?<!\^)\^([^\s^]{1,40})\^|(?<!~)~([^\s~]{1,40})~/g, "$1$2")
            .replaceAll(/(?<=\S)\|(?=\s|$)|(?<=\s)\|(?=\S)/g, " \u00b7 ")
            .replaceAll(/ \+$/gm, ""),
        ),
      ).replaceAll(/\\(?=[*_`#^~+<{[(:])/g, ""),
  );
}

/** Links and marks of Org by their words. */
function plainOfOrg(text: string): string {
  return around(
    text,
    /(?<!\w)([=~])(?=\S)[^\n]{1,300}?(?<=\S)\1(?!\w)|\\\((?:[^\\]|\\[^)]){1,1000}?\\\)|(?<![\\$\w])\$(?=[^\s$])[^$\n]{1,300}?(?<=\S)\$(?![\w$])/g,
    (span) => (/^[=~]/.test(span) ? span.slice(1, -1) : plainFormula(span.replaceAll(/^(?:\$|\\\()|(?:\$|\\\))$/g, ""))),
    (rest) =>
      rest
        .replaceAll(/\[\[(?:[^[\]]{1,500}\]\[)?(?:file:|https?:)?[^[\]]{1,500}\.(?:png|jpe?g|gif|svg|webp)\]\]/gi, "")
        .replaceAll(/\[\[[^[\]]{1,500}\]\[([^[\]]{1,500})\]\]/g, "$1")
        .replaceAll(/\[\[(?!https?:)(?:[a-z]+:)?\*?([^[\]]{1,500})\]\]|\[\[(https?:[^[\]]{1,500})\]\]/g, "$1$2")
        .replaceAll(/\[fn:[^\]]{1,300}\]/g, "")
        .replaceAll(/@@[a-z]{1,20}:([^@\n]{0,300})@@/g, (_, html: string) => withoutTags(html))
        .replaceAll(/\{\{\{\w{1,40}(?:\(([^()\n]{0,300})\))?\}\}\}/g, "$1")
        .replaceAll(/(?<=[\p{L}\p{N})])\^\{([^{}\n]{1,80})\}/gu, "$1")
        .replaceAll(/\\([A-Za-z]{2,20})(?:\{\})?(?![A-Za-z])/g, (whole, name: string) => LATEX_SIGNS.get(name) ?? whole)
        .replaceAll(/(?<!\w)([*/_+])(?=\S)([^\n]{1,200}?)(?<=\S)\1(?!\w)/g, "$2"),
  );
}

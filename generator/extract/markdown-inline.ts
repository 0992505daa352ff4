/** Reads the marks that sites write within a line of Markdown beside CommonMark: links of wikis, and attributes in braces behind a link, a
 *  picture, code, a heading or a paragraph, names of icons, and keys. */
import { slug } from "github-slugger";
import type { MarkdownIt, StateInline, Token } from "markdown-it";
import {
  EMOJI,
  emojiOf,
  ICON,
  pairs,
  SHORTCODE,
  shortcodeIn,
  WIKI,
  withoutSize,
  wordsOfIcon,
  wordsOfRole,
  wordsOfWiki,
} from "#snapshots/blocks";
import { escapeHtml } from "#snapshots/highlight";
import { rooted } from "./links.ts";
import { formatFormula } from "./markdown-formulas.ts";
import type { MarkdownParts } from "./markdown-parts.ts";

const PICTURE = /\.(?:png|apng|jpe?g|gif|webp|avif|svg)$/i;
const EDITED = /\^\^(?=\S)([^^\n]{1,300})(?<=\S)\^\^|\{\+\+([^{}\n]{1,500})\+\+\}|\{--([^{}\n]{1,500})--\}|\{==([^{}\n]{1,500})==\}/y;
const RAISED = /[~^](?:(?<=~)([^\s~]{1,20})~(?!~)|(?<=\^)([^\s^]{1,20})\^(?!\^))/y;
const MARKED = /==(?=[^\s=])([^=\n]{1,500}?)(?<=\S)==(?![\w=])/y;
const KEYS = /\+\+([\w-]{1,30}(?:\+[\w-]{1,30}){0,5})\+\+(?![\w+])/y;
/** A role of MyST: its name in braces, directly before code. */
const ROLE = /\{([A-Za-z][\w:.+-]{0,40})\}(`+)(?!`)([^]{1,2000}?)(?<!`)\2(?!`)/y;
const ATTRIBUTE = String.raw`(?:[.#][\w:.-]+|-|[\w-]+=(?:"[^"{}\n]*"|'[^'{}\n]*'|[^\s"'{}]*))`;
const LIST = String.raw`\{:?[ \t]*${ATTRIBUTE}(?:[ \t]+${ATTRIBUTE}){0,9}[ \t]*\}`;
const ATTRIBUTES = new RegExp(LIST, "y");
const SPAN = new RegExp(String.raw`\[([^[\]\n]{1,300})\]${LIST}`, "y");
/** A list behind a heading, and one on the last line of a paragraph, which may be all of it. */
const BEHIND = new RegExp(String.raw`[ \t]*(${LIST})[ \t]*$`);
const ABOVE = new RegExp(String.raw`^[ \t]*${LIST}[ \t]*\n`);
const BELOW = new RegExp(String.raw`(?:^|\n)[ \t]*${LIST}[ \t]*$`);

/** useInline adds the marks to a parser. */
export function useInline(md: MarkdownIt): void {
  md.inline.ruler.before("link", "wiki_link", wikiLink);
  md.inline.ruler.before("backticks", "role", readRole);
  md.inline.ruler.before("link", "icon", readIcon);
  md.inline.ruler.before("link", "emoji", readEmoji);
  // The name, which ids of headings have in place of the sign.
  md.renderer.rules["emoji"] = (tokens, at) => `<span title="${tokens[at]?.markup ?? ""}">${tokens[at]?.content ?? ""}</span>`;
  md.inline.ruler.before("link", "shortcode", readShortcode);
  md.inline.ruler.before("link", "keys", readKeys);
  md.inline.ruler.before("link", "edited", readWrapped(EDITED, null, /(?:)/));
  md.inline.ruler.before("link", "marked", readWrapped(MARKED, "mark", /^(?![\w=])/));
  md.inline.ruler.before("strikethrough", "raised", readWrapped(RAISED, null, /[\p{L}\p{N})]/u));
  md.inline.ruler.after("link", "span", readWrapped(SPAN, "", /^(?![\]!])/));
  md.inline.ruler.push("attributes", skipAttributes);
  md.inline.ruler.before("link", "cross_reference", readCrossReference);
  md.inline.ruler.before("link", "substitution", readSubstitution);
  md.core.ruler.before("inline", "attribute_lists", ({ tokens, src, env }) => {
    (env as Env).labels = labelsIn(src);
    dropLists(tokens);
  });
  md.core.ruler.after("inline", "attributes_behind", ({ tokens }) => {
    for (const { children } of tokens) dropBehind(children ?? []);
  });
}

/** Env is what the marks of a text know of it: how references to its labels are said, and the parts that it may take in. */
type Env = { labels?: ReadonlyMap<string, string>; readonly parts?: MarkdownParts };

const LABELLED = pairs(
  "fig=Figure tbl=Table sec=Section eq=Equation lst=Listing thm=Theorem lem=Lemma cor=Corollary prp=Proposition def=Definition exm=Example",
);
const LABEL = `(${[...LABELLED.keys()].join("|")})-[\\w-]{1,100}`;
const LABELS = new RegExp(
  String.raw`(?:^#{1,6}[ \t]+([^\n{}]{1,300}?)[ \t]*)?(?:\{#|\{[^{}\n]{0,100}[ \t]#|\|[ \t]*label:[ \t]*)(${LABEL})`,
  "gm",
);
const CROSS = new RegExp(`@(${LABEL})`, "y");

/** The labels of Quarto in a text: a section is called by its title, and others by their kind and number. */
function labelsIn(text: string): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  return new Map(
    Array.from(text.matchAll(LABELS), ([, title, id = "", kind = ""]) => {
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return [id, kind === "sec" && title !== undefined ? title : `${LABELLED.get(kind)} ${counts.get(kind)}`];
    }),
  );
}

function readCrossReference(state: StateInline, silent: boolean): boolean {
  const [whole = "", id = ""] = at(state, CROSS) ?? [];
  const words = (state.env as Env).labels?.get(id);
  if (words === undefined) return false;
  if (!silent) pushLink(state, `#${id}`, words);
  state.pos += whole.length;
  return true;
}

/** Reads Markdown that does not stand here itself. Its tokens are made apart: those around them are counted. */
function pushParsed(state: StateInline, text: string, env: StateInline["env"]): void {
  const made: Token[] = [];
  state.md.inline.parse(text, state.md, env, made);
  if (state.pending !== "") state.pushPending();
  for (const token of made) {
    state.tokens.push(token);
    state.tokens_meta.push(undefined);
  }
}

/** `{{ name }}` for which the text has a value above it. */
function readSubstitution(state: StateInline, silent: boolean): boolean {
  const env = state.env as Env;
  const [whole = "", name = ""] = at(state, /\{\{[ \t]*([\w-]{1,100})[ \t]*\}\}/y) ?? [];
  const value = env.parts?.values.get(name);
  if (value === undefined) return false;
  // A value that names itself is read once.
  if (!silent) pushParsed(state, value, { ...env, parts: undefined });
  state.pos += whole.length;
  return true;
}

/** Takes a list of attributes away that stands directly behind emphasis, and the size behind the words of a picture. */
function dropBehind(tokens: readonly Token[]): void {
  for (const [at, token] of tokens.entries()) {
    const words = token.type === "image" ? token.children?.at(-1) : undefined;
    if (words?.type === "text") words.content = withoutSize(words.content);
    const before = tokens[at - 1];
    if (token.type !== "text" || before?.nesting !== -1 || before.type === "link_close" || !token.content.startsWith("{")) continue;
    ATTRIBUTES.lastIndex = 0;
    token.content = token.content.slice(ATTRIBUTES.exec(token.content)?.[0].length ?? 0);
  }
}

/** Takes lists of attributes out of the words of headings and paragraphs. Of a heading the id stays. */
function dropLists(tokens: readonly Token[]): void {
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1]?.type;
    if (token.type !== "inline" || !/[{^]|^\|/.test(token.content)) continue;
    const list = before === "heading_open" ? BEHIND.exec(token.content) : null;
    if (list !== null) {
      token.content = token.content.slice(0, list.index);
      const [, id] = /#([A-Za-z][\w:.-]{0,100})/.exec(list[1] ?? "") ?? /\bid=["']?([A-Za-z0-9][\w:.-]{0,100})/.exec(list[1] ?? "") ?? [];
      if (id !== undefined) tokens[at - 1]?.attrSet("id", id);
    } else if (before === "paragraph_open" && token.content.split("\n").every((line) => /^\|(?:[ \t].*[^|\s])?$/.test(line))) {
      // Lines of a poem or an address, as Pandoc has them.
      token.content = token.content.replaceAll(/^\|[ \t]*/gm, "").replaceAll("\n", "  \n");
    } else if (before === "paragraph_open") {
      const [name, id] = /(?<=\S)[ \t]+\^([A-Za-z0-9-]{2,60})[ \t]*$/.exec(token.content) ?? [];
      token.content = token.content
        .slice(0, token.content.length - (name?.length ?? 0))
        .replace(ABOVE, "")
        .replace(BELOW, "");
      // A list that is close together shows its items, and no paragraphs.
      if (id !== undefined) tokens[at - (tokens[at - 1]?.hidden === true ? 2 : 1)]?.attrSet("id", id.toLowerCase());
    }
  }
}

/** Reads markup where the parser is. @param form is sticky */
function at(state: StateInline, form: RegExp): RegExpExecArray | null {
  form.lastIndex = state.pos;
  const found = form.exec(state.src);
  return found !== null && state.pos + found[0].length <= state.posMax ? found : null;
}

function readRole(state: StateInline, silent: boolean): boolean {
  const [whole, role = "", , inner = ""] = at(state, ROLE) ?? [];
  if (whole === undefined) return false;
  if (!silent) {
    const words = wordsOfRole(role, inner.trim().replaceAll(/\s+/g, " "));
    if (role === "math") state.push("html_inline", "", 0).content = formatFormula(inner, false);
    else if (ROLES.test(role)) pushReference(state, role, words, inner.trim());
    else if (/^su[bp]/.test(role))
      state.push("html_inline", "", 0).content = `<${role.slice(0, 3)}>${escapeHtml(words)}</${role.slice(0, 3)}>`;
    else if (/^(?:code|kbd|samp|command|file|literal)$/.test(role)) state.push("code_inline", "code", 0).content = words;
    else state.push("text", "", 0).content = words;
  }
  state.pos += whole.length;
  return true;
}

/** Roles of MyST that lead to a page or a label. */
const ROLES = /^(?:doc|ref|numref|any|download)$/;

/** A link to a page or a label of another text; without words of its own it takes the title that stands there. */
function pushReference(state: StateInline, role: string, words: string, inner: string): void {
  const { parts } = state.env as { readonly parts?: MarkdownParts };
  const [, title = "", target = inner] = /^([^]*?)\s*<([^<>]+)>$/.exec(inner) ?? [];
  const isPage = /^(?:doc|download)$/.test(role);
  const place = isPage ? null : (parts?.others.place(`#${target}`) ?? null);
  if (!isPage && place === null) {
    state.push("text", "", 0).content = words;
    return;
  }
  const href = place === null ? encodeURI(target) : `${rooted(place.key)}#${encodeURIComponent(target)}`;
  pushLink(state, href, title || (place?.title ?? ""));
}

const [EMOJI_HERE, ICON_HERE, SHORTCODE_HERE, WIKI_HERE] = [EMOJI, ICON, SHORTCODE, WIKI].map(({ source }) => new RegExp(source, "y")) as [
  RegExp,
  RegExp,
  RegExp,
  RegExp,
];

function readIcon(state: StateInline, silent: boolean): boolean {
  const [icon] = at(state, ICON_HERE) ?? [];
  if (icon === undefined) return false;
  const words = wordsOfIcon(state.src, state.pos, icon);
  if (!silent) state.push("text", "", 0).content = words;
  state.pos += icon.length;
  if (words === "") while (/[ \t]/.test(state.src.charAt(state.pos))) state.pos++;
  return true;
}

function readEmoji(state: StateInline, silent: boolean): boolean {
  const [markup = "", name = ""] = at(state, EMOJI_HERE) ?? [];
  const content = emojiOf(name);
  if (content === null) return false;
  if (!silent) Object.assign(state.push("emoji", "", 0), { markup, content });
  state.pos += markup.length;
  return true;
}

/** Reads what Hugo and Quarto fill in: a picture, a link, or words. */
function readShortcode(state: StateInline, silent: boolean): boolean {
  const [code] = at(state, SHORTCODE_HERE) ?? [];
  if (code === undefined) return false;
  const { target, words, alt, caption } = shortcodeIn(code);
  if (!silent && target !== null && PICTURE.test(target)) {
    pushPicture(state, encodeURI(target), alt);
    if (caption !== "") pushCaption(state, () => pushParsed(state, caption, state.env));
  } else if (!silent && target !== null) pushLink(state, encodeURI(target), words);
  else if (!silent) state.push("text", "", 0).content = words;
  state.pos += code.length;
  return true;
}

function pushLink(state: StateInline, href: string, words: string): void {
  state.push("link_open", "a", 1).attrs = [["href", href]];
  state.push("text", "", 0).content = words;
  state.push("link_close", "a", -1);
}

function pushPicture(state: StateInline, src: string, alt: string): void {
  const image = state.push("image", "img", 0);
  image.attrs = [
    ["src", src],
    ["alt", ""],
  ];
  const words = new state.Token("text", "", 0);
  words.content = alt;
  image.children = [words];
  image.content = alt;
}

/** Adds what is said below a picture. */
function pushCaption(state: StateInline, push: () => void): void {
  state.push("hardbreak", "br", 0);
  state.push("em_open", "em", 1);
  push();
  state.push("em_close", "em", -1);
}

/** `++ctrl+c++` as keys; `i++` and `C++` are none. */
function readKeys(state: StateInline, silent: boolean): boolean {
  const found = /\w/.test(state.src.charAt(state.pos - 1)) ? null : at(state, KEYS);
  if (found === null) return false;
  if (!silent)
    state.push("html_inline", "", 0).content = (found[1] ?? "")
      .split("+")
      .map((key) => `<kbd>${key}</kbd>`)
      .join("+");
  state.pos += found[0].length;
  return true;
}

const WRAPS = { "~": "sub", "^^": "ins", "^": "sup", "{+": "ins", "{-": "del", "{=": "mark" };

/** Reads what stands between signs as what an element holds: `==words==`, `H~2~O` and `x^2^`, and words in brackets that attributes are about.
 *  @param tag of the element; "" for none, null where the sign tells whether it is lower or higher
 *  @param behind the sign before it, or "" */
function readWrapped(form: RegExp, tag: string | null, behind: RegExp): (state: StateInline, silent: boolean) => boolean {
  return (state, silent) => {
    const [whole, ...groups] = (behind.test(state.src.slice(Math.max(0, state.pos - 1), state.pos)) ? at(state, form) : null) ?? [];
    if (whole === undefined) return false;
    const words = groups.find((one) => one !== undefined) ?? "";
    const [from, end, max] = [state.pos + whole.indexOf(words, 1), state.pos + whole.length, state.posMax];
    const name = tag ?? Object.entries(WRAPS).find(([sign]) => whole.startsWith(sign))?.[1] ?? "";
    if (!silent) {
      if (name !== "") state.push(`${name}_open`, name, 1);
      [state.pos, state.posMax] = [from, from + words.length];
      state.md.inline.tokenize(state);
      if (name !== "") state.push(`${name}_close`, name, -1);
    }
    [state.pos, state.posMax] = [end, max];
    return true;
  };
}

/** `[[Page]]`, `[[folder/Page#part|words]]`, `![[picture.png]]`. */
function wikiLink(state: StateInline, silent: boolean): boolean {
  const found = at(state, WIKI_HERE);
  if (found === null) return false;
  const [whole, embed = "", page = "", part = "", given = ""] = found;
  const name = page.trim();
  const words = wordsOfWiki({ embed, page, part, words: given });
  const { references = {} } = state.env as { readonly references?: Readonly<Record<string, unknown>> };
  if (Object.hasOwn(references, state.md.utils.normalizeReference(name))) return false;
  if (words === null) return false;
  if (!silent) {
    const target = `${name.split("/").map(encodeURIComponent).join("/")}${part === "" ? "" : `#${encodeURIComponent(slug(part.slice(1).trim()))}`}`;
    if (words === "") pushPicture(state, target, "");
    else {
      state.push("link_open", "a", 1).attrs = [["href", target]];
      pushParsed(state, words, state.env);
      state.push("link_close", "a", -1);
    }
  }
  state.pos += whole.length;
  return true;
}

/** Leaves out `{.class width=50%}` where it stands directly behind something that it is about. */
function skipAttributes(state: StateInline): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x7b || state.pos === 0) return false;
  const last = state.pending === "" ? state.tokens.at(-1) : undefined;
  if (last === undefined || !["image", "link_close", "code_inline"].includes(last.type)) return false;
  const found = at(state, ATTRIBUTES);
  if (found === null) return false;
  const id = /[{\s]#([\w:.-]+)/.exec(found[0])?.[1];
  if (id !== undefined) state.push("html_inline", "", 0).content = `<span id="${id}"></span>`;
  const [, alt = ""] = last.type === "image" && last.content === "" ? (/[{\s](?:fig-)?alt="([^"]*)"/.exec(found[0]) ?? []) : [];
  if (alt !== "") last.children = [Object.assign(new state.Token("text", "", 0), { content: alt })];
  const words = last.type === "image" && id !== undefined ? (state.env as Env).labels?.get(id) : undefined;
  if (words !== undefined) {
    pushCaption(state, () => {
      state.push("text", "", 0).content = `${words}: `;
      state.tokens.push(...(last.children ?? []));
    });
  }
  state.pos += found[0].length;
  return true;
}

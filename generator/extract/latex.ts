/** LaTeX as a document. The reader knows what authors write in the body of a paper; of a command that it does not know the arguments are text.
 *  Macros of the file are expanded, a bounded number of times. */
import type { Element, ElementContent } from "hast";
import { LATEX_ACCENTS, openLines, pairs, plainIn } from "#snapshots/blocks";
import { LEADS_ON } from "./first-words.ts";
import { isProse, MAX_SHOWN, MAX_SUMMARY, type Body, type SourceText } from "./body.ts";
import {
  box,
  codeBlock,
  element,
  Footnotes,
  formula,
  image,
  isAnchor,
  isParagraph,
  MAX_NESTED,
  type Nodes,
  type ParsedDocument,
  readDocument,
  tableOf,
  unwrapped,
  words,
} from "./document.ts";
import { classesOf, openingOf, textOf, TooComplex } from "./html-tree.ts";
import { LatexMath } from "./latex-math.ts";
import { settingsIn } from "./lined.ts";
import { rooted } from "./links.ts";
import { ARGUMENTS, DECLARES, DROPS, findShape, readArgument, SIGNS, type Shape, VERBATIM, WRAPS } from "./latex-tokens.ts";
import type { Others } from "./others.ts";
import { shorten } from "./passages.ts";

const MAX_OPTION = 2000; // UTF-16 units between brackets
const MAX_FORMULA = 6000; // UTF-16 units between two dollars
const MAX_PARTS = 8; // parts within parts
const MAX_READ = 3_000_000; // UTF-16 units of parts
const MAX_LISTING = 60_000; // UTF-16 units of code in a file of its own
const MAX_EXPANDED = 24; // groups and commands in one another, from which on commands are not expanded
const MIN_DEFINITIONS = 40; // lines of a file that defines commands for others
const OPENING = 60_000; // UTF-16 units in which the title of a file that is no document is looked for

export async function readLatex(source: SourceText, fallback: string): Promise<Body> {
  return await readDocument(source, { kind: "latex", language: "latex", fallback }, (text) =>
    parseLatex({ key: source.key, text }, source.others),
  );
}

type File = { readonly key: string; readonly text: string };

/** parseLatex parses a file. One that is a part of a document is read within it, for its numbers, labels and commands, and shown alone. */
export function parseLatex(own: File, others: Others): ParsedDocument {
  const isWhole = HAS_BODY.test(own.text);
  if (!isWhole && isProgram(own.text)) return { blocks: [], title: null };
  const { first } = others;
  if (first !== null && first.key !== own.key) {
    const paper = readPaper({ ...first, text: first.text.replaceAll("\r", "") }, own, others);
    const { part } = paper;
    const whole = words((paper.title === null ? "" : plainOf(paper.title)) || (first.key.split("/").at(-1) ?? first.key));
    const link = element("p", [words("A part of "), element("a", [whole], { href: rooted(first.key) }), words(".")]);
    if (part !== null) return { blocks: [...part, link], title: titleOf(own.text), summary: summaryOf(part), parts: paper.shown };
  }
  const paper = readPaper(own, own, others);
  const blocks = paper.part ?? [];
  const title = paper.title === null ? null : plainOf(paper.title);
  return {
    blocks: [...paper.front, ...blocks],
    title: title || titleOf(own.text),
    summary: summaryOf([...paper.abstract, ...blocks]),
    parts: paper.shown,
  };
}

/** Reads a document. @param own the file of it that is shown, which may be the document itself */
function readPaper(first: File, own: File, others: Others): Paper {
  const paper = new Paper(own, others, HAS_BODY.test(first.text));
  paper.show(first, (text, lineOf) => readFile({ key: first.key, text }, paper, lineOf));
  paper.fillReferences();
  return paper;
}

/** Reads a stretch of a file into blocks. */
function readFile(
  { key, text }: File,
  paper: Paper,
  lineOf: (offset: number) => number,
  depth = 0,
  [from, to]: Range = [0, text.length],
): Nodes {
  const flow = new Flow();
  new LatexReader(text, paper, lineOf, depth, key).read(from, to, flow);
  return flow.end();
}

const HAS_BODY = /\\begin\{document\}/;

/** The first title of a chapter or a section. */
function titleOf(text: string): string | null {
  const found = /\\(?:chapter|section)\*?(?:\[[^\]\n]*\])?\{/.exec(text.slice(0, OPENING));
  const argument = found === null ? null : readArgument(text, found.index + found[0].length);
  return (argument === null ? null : plainIn(argument, "latex")) || null;
}

function summaryOf(nodes: Nodes): string | null {
  const said = nodes.flatMap((one) => (one.type === "element" && one.tagName === "p" ? [openingOf(one)] : []));
  const prose = said.find((text) => isProse(text) && !LEADS_ON.test(text));
  return prose === undefined ? null : shorten(prose, MAX_SUMMARY);
}

/** A file that defines commands for others is code: a line in four says so. */
function isProgram(text: string): boolean {
  const defining = text.match(
    /^[ \t]*\\(?:(?:re|provide)?newcommand|[gex]?def|DeclareMathOperator|let|newtheorem|newenvironment|usepackage|RequirePackage)\b/gm,
  );
  const count = defining?.length ?? 0;
  return count >= MIN_DEFINITIONS && count * 4 > (text.match(/^[ \t]*[^\s%]/gm)?.length ?? 0);
}

const plainOf = (nodes: Nodes): string =>
  nodes
    .map((node) =>
      node.type !== "element"
        ? textOf(node)
        : classesOf(node).some((name) => name.startsWith("math-"))
          ? plainIn(`$${textOf(node)}$`, "latex")
          : node.tagName === "sup"
            ? ""
            : node.tagName === "br"
              ? " "
              : textOf(node),
    )
    .join("")
    .replaceAll(/\s+/g, " ")
    .trim();

/** A Label is what a reference says of a place: its number or title, and its kind, with the key of its file where it lies in another. */
type Label = { readonly said: string; readonly kind: string; readonly key: string | null };

/** Paper is what all readers of one document share: its own commands, its notes, numbers and references. Of several files one is shown, with the parts
 *  that it takes in as far as there is room; the others are read for what they define. */
class Paper {
  readonly math = new LatexMath();
  /** Blocks of the file that is shown; null until it is read. */
  part: Nodes | null = null;
  notes = new Footnotes();
  /** UTF-16 units of shown parts that lie in files of their own. */
  shown = 0;
  /** The file that is being read and is not shown here; null in one that is. */
  #hidden: string | null = null;
  readonly #open: string[] = [];
  /** UTF-16 units of parts that may still be read: each stands where it is taken in, however often. */
  #left = MAX_READ;
  readonly #own: File;
  readonly others: Others;
  readonly front: Nodes = [];
  abstract: Nodes = [];
  title: Nodes | null = null;
  /** Names of theorems and the like, with the counter that numbers them. */
  readonly theorems = new Map<string, { readonly title: string; readonly counter: string | null }>(
    "theorem lemma corollary proposition definition remark example conjecture claim note fact axiom problem exercise"
      .split(" ")
      .map((name) => [name, { title: name.charAt(0).toUpperCase() + name.slice(1), counter: name }]),
  );
  readonly #counters = new Map<string, { value: number; within: string | null }>();
  readonly #labels = new Map<string, Label>();
  readonly #references: { readonly label: string; readonly link: Element; readonly isNamed: boolean }[] = [];
  readonly #items = new Map<string, Label>();
  /** Facts of the statement or proof that is being read, outside of which there are none. */
  facts: Nodes[] | null = null;
  #kind = "";
  /** The words by which a label that stands here is referred to. */
  current = "";
  /** True above the body of a document. */
  inPreamble: boolean;
  graphics = "";

  constructor(own: File, others: Others, inPreamble: boolean) {
    this.#own = own;
    this.others = others;
    this.inPreamble = inPreamble;
  }

  /** Reads a file of the document. @returns its blocks where they are shown, else null */
  show(file: File, read: (text: string, lineOf: (offset: number) => number) => Nodes): Nodes | null {
    const isOwn = file.key === this.#own.key && this.part === null;
    const isShown =
      isOwn || (this.#hidden === null && this.#open.length > 0 && this.shown + file.text.length <= MAX_SHOWN - this.#own.text.length);
    const { notes } = this;
    const hidden = this.#hidden;
    this.#hidden = isShown ? null : file.key;
    if (isShown && !isOwn) this.shown += file.text.length;
    if (isOwn || (!isShown && hidden === null)) this.notes = new Footnotes();
    this.#open.push(file.key);
    const lines = openLines(isOwn ? this.#own.text : "");
    const blocks = read(isOwn ? this.#own.text : file.text, (offset) => (isOwn ? lines.lineAt(offset) : 0));
    this.#open.pop();
    if (isOwn) this.part = [...blocks, ...this.notes.section()];
    if (isOwn || !isShown) this.notes = notes;
    this.#hidden = hidden;
    return isShown ? blocks : null;
  }

  /** A part in a file of its own; null where it is not told, or is being read already. */
  find(from: string, path: string): File | null {
    const found = this.others.part(from, path);
    this.#left -= found?.text.length ?? 0;
    return found === null || this.#left < 0 || this.#open.includes(found.key) || this.#open.length > MAX_PARTS ? null : found;
  }

  declare(counter: string, within: string | null): void {
    this.#counters.set(counter, { value: 0, within });
  }

  /** Counts what stands here. @param kind as a reference calls it; "" where it says the number alone */
  count(counter: string, kind = ""): string {
    const own = this.#counters.get(counter) ?? { value: 0, within: null };
    own.value++;
    this.#counters.set(counter, own);
    for (const other of this.#counters.values()) if (other.within === counter) other.value = 0;
    this.current = this.#numberOf(counter, 0);
    this.#kind = kind;
    return this.current;
  }

  #numberOf(counter: string, depth: number): string {
    const { value, within } = this.#counters.get(counter) ?? { value: 0, within: null };
    const above = within === null || depth > 3 ? "" : this.#numberOf(within, depth + 1);
    return above === "" || above === "0" ? String(value) : `${above}.${value}`;
  }

  label(name: string): Element {
    this.#labels.set(name, { said: this.current, kind: this.#kind, key: this.#hidden });
    return element("span", [], { id: name });
  }

  /** @param isNamed where the kind of what it leads to is said before its number */
  refer(label: string, isNamed = false): Element {
    const link = element("a", [], { href: `#${label}` });
    this.#references.push({ label, link, isNamed });
    return link;
  }

  item(key: string, label: string | null): Element {
    this.#items.set(key, { said: label ?? String(this.#items.size + 1), kind: "", key: this.#hidden });
    return element("span", [], { id: `cite-${key}` });
  }

  cite(key: string): Element {
    return this.refer(`cite-${key}`);
  }

  /** Writes into each reference what its label stands for; a label that is not here is shown by its name. */
  fillReferences(): void {
    for (const { label, link, isNamed } of this.#references) {
      const key = label.replace(/^cite-/, "");
      const isCited = key !== label;
      const found = isCited ? this.#items.get(key) : this.#labels.get(label);
      if (found === undefined) Object.assign(link, { tagName: "span", properties: {} });
      else if (found.key !== null) link.properties["href"] = `${rooted(found.key)}#${label}`;
      link.children = [words(`${isNamed && found?.kind ? `${found.kind} ` : ""}${found?.said || key}`)];
    }
  }
}

/** Flow collects paragraphs and blocks as they come. */
class Flow {
  readonly #blocks: Nodes = [];
  #inline: Nodes = [];
  #line: number | null = null;
  #said = false;

  say(text: string, line: number): void {
    if (text.trim() === "" && !this.#said) return;
    const last = this.#inline.at(-1);
    if (last?.type === "text") last.value += text;
    else this.add(words(this.#said ? text : text.trimStart()), line);
    this.#said = true;
  }

  add(node: ElementContent, line: number): void {
    if (!isAnchor(node)) {
      this.#line ??= line;
      this.#said = true;
    }
    this.#inline.push(node);
  }

  block(...nodes: Nodes): void {
    this.#close();
    this.#blocks.push(...nodes);
  }

  #close(): void {
    const last = this.#inline.at(-1);
    if (last?.type === "text") last.value = last.value.trimEnd();
    if (this.#said) this.#blocks.push(element("p", this.#inline, {}, this.#line));
    else this.#blocks.push(...this.#inline);
    [this.#inline, this.#line, this.#said] = [[], null, false];
  }

  end(): Nodes {
    this.#close();
    return this.#blocks;
  }

  /** All of it within one line. */
  inline(): Nodes {
    return this.end().flatMap((node, at) =>
      node.type === "element" && node.tagName === "p" ? [...(at === 0 ? [] : [words(" ")]), ...node.children] : [node],
    );
  }

  /** Takes over another flow, its words within an element. */
  take(other: Flow, tagName: string | null, line: number): void {
    const blocks = other.end();
    const wrap = (children: readonly ElementContent[]): Nodes =>
      tagName === null ? [...children] : [element(tagName, tagName === "code" ? [words(children.map(textOf).join(""))] : children)];
    const isInline =
      blocks.length < 2 && blocks.every((one) => one.type === "text" || (one.type === "element" && /^(?:p|span)$/.test(one.tagName)));
    if (isInline)
      for (const one of blocks)
        for (const node of one.type === "element" && one.tagName === "p" ? wrap(one.children) : [one]) this.add(node, line);
    else
      this.block(...blocks.map((one) => (one.type === "element" && one.tagName === "p" ? { ...one, children: wrap(one.children) } : one)));
  }
}

type Range = readonly [from: number, to: number];
/** Call is where a command stands: the end of its stretch, the flow that it writes into, how deep it is, and its line. */
type Call = { readonly to: number; readonly flow: Flow; readonly depth: number; readonly line: number };

const MAX_FRONT = 200; // lines of authors and addresses

const TOKEN =
  /%[^\n]*(?:\n[ \t]*(?=\S))?|\\([A-Za-z@]+)\*?|\\([\s\S])|[{}&~]|\$\$?|\s*\n[ \t]*\n\s*|-{2,3}|``|''|["`']|[^\\{}$~&%\n\-`'"]+|[\s\S]/y;
const TYPED: ReadonlyMap<string, string> = new Map(
  Object.entries({ "--": "–", "---": "—", "``": "“", "''": "”", "`": "‘", "'": "’", "~": "\u00a0" }),
);
/** A length that is given to a command, or behind one that spaces. */
const ASSIGNED = /^\s*=?\s*-?(?:\d*\.)?\d+\s*(?:pt|em|ex|cm|mm|in|pc|bp|sp|\\[a-z]+)\b|^\s*=\s*\\[A-Za-z@]+/;
const SECTIONS = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
const LISTS = pairs("itemize=ul enumerate=ol compactitem=ul compactenum=ol list=ul inparaenum=ol description=dl labeling=dl");
const TABLES = /^(?:tabular[xy*]?|longtable|tabu|array|xltabular|supertabular|tblr)\*?$/;
const FLOATS = pairs("figure=Figure wrapfigure=Figure table=Table wraptable=Table sidewaystable=Table algorithm=Algorithm listing=Listing");
const REFERS = /^(?:ref|eqref|autoref|cref|Cref|pageref|nameref|vref|labelcref|fullref)$/;
const CITES = /^(?:[Cc]ite\w*|[a-z]*cite[a-z]*|shortcite)$/;
const NAMES = /^(?:auto|c|C|v|full)ref$/;
const THEOREMS = /^(?:newtheorem|declaretheorem|newmdtheoremenv|newtcbtheorem|spnewtheorem)$/;
/** Commands by which blueprints of formalised mathematics say something of a statement or a proof, and how readers are told. */
const FACTS: Readonly<Record<string, string>> = {
  lean: "In Lean:",
  leanok: "Marked as formalised",
  mathlibok: "Marked as in Mathlib",
  notready: "Not ready to be formalised",
  uses: "Uses",
  proves: "Proves",
  discussion: "Issue",
};
const DEFINES =
  /^(?:re|provide)?newcommand$|^(?:New|Renew|Provide)DocumentCommand$|^DeclareMathOperator$|^[gex]?def$|^DeclareRobustCommand$|^providecommand$|^renewcommand$/;

/** Structure is an environment: its name without a star, its option, the stretch of what it holds, its line, and how deep it is. */
type Structure = { name: string; option: string | null; from: number; end: number; line: number; depth: number };
type Meaning = (reader: LatexReader, call: Call, name: string) => void;
/** Gives several commands one meaning. */
const each = (names: string, meaning: Meaning): Readonly<Record<string, Meaning>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, meaning]));

/** LatexReader reads a text, or what a macro became of. */
class LatexReader {
  readonly #text: string;
  readonly #paper: Paper;
  readonly #lineOf: (offset: number) => number;
  readonly #shape: Shape;
  readonly #depth: number;
  /** Key of the file whose text it is. */
  readonly #file: string;
  #at = 0;
  /** Where signs that close something come next, as far as they were looked for. */
  readonly #next = new Map<string, number>();

  constructor(text: string, paper: Paper, lineOf: (offset: number) => number, depth: number, file: string) {
    this.#text = text;
    this.#paper = paper;
    this.#lineOf = lineOf;
    this.#shape = findShape(text);
    this.#depth = depth;
    this.#file = file;
  }

  /** Reads a stretch into a flow. @throws TooComplex where it is too deep */
  read(from: number, to: number, flow: Flow, depth = this.#depth): void {
    if (depth > MAX_NESTED) throw new TooComplex("parts too deep in one another");
    this.#at = from;
    while (this.#at < to) {
      const at = this.#at;
      TOKEN.lastIndex = at;
      const [whole = "", command, escaped] = TOKEN.exec(this.#text) ?? [];
      const token = whole.slice(0, to - at);
      this.#at = at + Math.max(1, token.length);
      const line = this.#lineOf(at);
      if (command !== undefined) this.#command(command, token.endsWith("*"), at, to, flow, depth);
      else if (escaped !== undefined) this.#escaped(escaped, to, flow, line);
      else if (token.startsWith("%")) continue;
      else if (token.startsWith("$")) this.#dollar(token, at, to, flow, line);
      else if (token === "{") this.#group(at, to, flow, depth);
      else if (/\n[ \t]*\n/.test(token)) flow.block();
      else if (token !== "}" && !this.#paper.inPreamble)
        flow.say(token === "&" ? " " : (TYPED.get(token) ?? token.replaceAll(/\s+/g, " ")), line);
    }
    this.#at = to;
  }

  #flowOf([from, to]: Range, { depth }: Pick<Call, "depth">): Flow {
    const [flow, after] = [new Flow(), this.#at];
    this.read(from, to, flow, depth + 1);
    this.#at = after;
    return flow;
  }

  #group(at: number, to: number, flow: Flow, depth: number): void {
    const end = this.#shape.braces.get(at);
    if (end === undefined || end >= to) return;
    flow.take(this.#flowOf([at + 1, end], { depth }), null, this.#lineOf(at));
    this.#at = end + 1;
  }

  /** The next arguments in braces, as many as there are up to a number. */
  #arguments(count: number, to: number): Range[] {
    const found: Range[] = [];
    for (let at = this.#skip(to); found.length < count && this.#text[at] === "{"; at = this.#skip(to)) {
      const end = this.#shape.braces.get(at);
      if (end === undefined || end >= to) break;
      found.push([at + 1, end]);
      this.#at = end + 1;
    }
    return found;
  }

  /** Where the next sign is that is no space; a blank line is none. */
  #skip(to: number): number {
    const space = /[ \t]*(?:(?:%[^\n]*)?\n[ \t]*(?!\n|\s*\n))?/y;
    space.lastIndex = this.#at;
    return Math.min(to, this.#at + (space.exec(this.#text)?.[0].length ?? 0));
  }

  #nextOf(sign: string, from: number): number {
    let at = this.#next.get(sign) ?? -1;
    if (at < from) {
      at = this.#text.indexOf(sign, from);
      this.#next.set(sign, at === -1 ? Infinity : at);
    }
    return at === -1 ? Infinity : at;
  }

  /** The option in brackets that comes next, without them; braces within are gone over. */
  #option(to: number): string | null {
    if (this.#text[this.#at] === "*") this.#at++;
    const from = this.#skip(to);
    if (this.#text[from] !== "[" || this.#nextOf("]", from) > from + MAX_OPTION) return null;
    for (let at = from + 1; at < Math.min(to, from + MAX_OPTION); at++) {
      const sign = this.#text[at];
      if (sign === "\\") at++;
      else if (sign === "{") at = this.#shape.braces.get(at) ?? at;
      else if (sign === "]") {
        this.#at = at + 1;
        return this.#text.slice(from + 1, at);
      }
    }
    return null;
  }

  #textOf([from, to]: Range): string {
    return this.#text.slice(from, to);
  }

  #inlineOf(range: Range | undefined, place: Pick<Call, "depth">): Nodes {
    return range === undefined ? [] : this.#flowOf(range, place).inline();
  }

  #escaped(sign: string, to: number, flow: Flow, line: number): void {
    if (sign === "(" || sign === "[") return this.#formula(sign === "(" ? "\\)" : "\\]", to, flow, line, sign === "[");
    if (sign === "\\") {
      this.#option(this.#text[this.#at] === "[" ? to : this.#at);
      flow.add(element("br"), line);
      return;
    }
    if (LATEX_ACCENTS.has(sign)) return this.#accent(sign, to, flow, line);
    if (/[,;:! \n/-]/.test(sign)) flow.say(/[/!-]/.test(sign) ? "" : " ", line);
    else if (/[^)\]<>+@]/.test(sign)) flow.say(sign, line);
  }

  #accent(accent: string, to: number, flow: Flow, line: number): void {
    const [range] = this.#arguments(1, to);
    const from = this.#skip(to);
    const [whole = "", name] = /^(?:\\([ij])(?![A-Za-z])|\p{L})/u.exec(this.#text.slice(from, Math.min(to, from + 4))) ?? [];
    if (range === undefined) this.#at = from + whole.length;
    const letter = (range === undefined ? (name ?? whole) : this.#textOf(range)).replace(/^\\([ij])$/, "$1");
    flow.say((letter === "" ? "" : letter.charAt(0) + (LATEX_ACCENTS.get(accent) ?? "") + letter.slice(1)).normalize("NFC"), line);
  }

  #dollar(token: string, at: number, to: number, flow: Flow, line: number): void {
    this.#at = at + token.length;
    this.#formula(token, to, flow, line, token === "$$");
  }

  /** A formula up to a sign that closes it; where none is near, the sign that opened it is a sign. */
  #formula(close: string, to: number, flow: Flow, line: number, display: boolean): void {
    const isNear = this.#nextOf(close, this.#at) < Math.min(to, this.#at + MAX_FORMULA);
    const near = isNear ? this.#text.slice(this.#at, Math.min(to, this.#at + MAX_FORMULA)) : "";
    const stop = new RegExp(`\\\\(?![()[\\]])[\\s\\S]|${close.replaceAll(/[\\$()[\]]/g, String.raw`\$&`)}|\\n[ \\t]*\\n`, "g");
    for (const found of near.matchAll(stop)) {
      if (found[0] !== close) {
        if (found[0].startsWith("\n") && !display) break;
        continue;
      }
      const tex = near.slice(0, found.index);
      this.#at += found.index + close.length;
      this.#setFormula(tex, display, flow, line, null);
      return;
    }
    flow.say(close.startsWith("$") ? close : "", line);
  }

  #setFormula(tex: string, display: boolean, flow: Flow, line: number, environment: string | null): void {
    if (this.#paper.inPreamble || tex.trim() === "") return;
    const { math } = this.#paper;
    const labels: Nodes = [];
    const numbered = math.numbered(tex, environment, (label) => {
      const number = this.#paper.count("equation", "Equation");
      this.#paper.current = `(${number})`;
      for (const name of label) labels.push(this.#paper.label(name));
      return number;
    });
    const shown = formula(math.expand(numbered), display);
    if (display) flow.block(element("p", [...labels, shown], {}, line));
    else flow.add(shown, line);
  }

  #command(name: string, isStarred: boolean, at: number, to: number, flow: Flow, depth: number): void {
    const paper = this.#paper;
    const line = this.#lineOf(at);
    // On which slides it stands.
    this.#at += this.#near(/^<(?=[^<>\n]*\d)[\w+.,|:@ -]{1,30}>/);
    const macro = paper.math.macro(name);
    const wrap = WRAPS.get(name);
    const declared = DECLARES.get(name);
    const sign = SIGNS.get(name);
    if (name === "begin") this.#environment(at, to, flow, depth);
    else if (name === "end") this.#arguments(1, to);
    else if (macro !== null) this.#expand(name, to, flow, depth, line);
    else if (DEFINES.test(name)) this.#define(name, to);
    else if (THEOREMS.test(name)) this.#newTheorem(isStarred || this.#text[this.#at - 1] === "*", to);
    else if (name === "verb" || (name === "lstinline" && !/[[{]/.test(this.#text[this.#at] ?? ""))) this.#verb(to, flow, line);
    else if (SECTIONS.includes(name)) this.#section(name, isStarred, to, flow, depth, line);
    else if (wrap !== undefined) {
      this.#option(to);
      const [range] = this.#arguments(1, to);
      if (range !== undefined) flow.take(this.#flowOf(range, { depth }), wrap, line);
    } else if (declared !== undefined && depth > 0 && depth < MAX_EXPANDED) {
      flow.take(this.#flowOf([this.#skip(to), to], { depth }), declared, line);
      this.#at = to;
    } else if (sign !== undefined) {
      this.#arguments(this.#text.startsWith("{}", this.#at) ? 1 : 0, to);
      flow.say(sign, line);
      if (/[ \t\n]/.test(this.#text[this.#at] ?? "") && sign.trim() !== "" && /^[\p{L}]$/u.test(sign)) this.#at = this.#skip(to);
    } else if (LATEX_ACCENTS.has(name)) this.#accent(name, to, flow, line);
    else if (REFERS.test(name)) this.#refer(name, to, flow, line);
    else if (CITES.test(name) && name !== "nocite") this.#cite(to, flow, line);
    else {
      const call = { to, flow, depth, line };
      const meaning = Object.hasOwn(LatexReader.#MEANINGS, name) ? LatexReader.#MEANINGS[name] : undefined;
      if (meaning === undefined) this.#drop(name, call);
      else meaning(this, call, name);
    }
  }

  /** Commands that have a meaning of their own; of any other the arguments are text. */
  static readonly #MEANINGS: Readonly<Record<string, Meaning>> = {
    // A condition that never holds: what stands behind it is commented out.
    iffalse: (reader, { to }) => {
      const end = Math.min(reader.#nextOf("\\fi", reader.#at), reader.#nextOf("\\else", reader.#at));
      if (end < to) reader.#at = end;
    },
    ...each(Object.keys(FACTS).join(" "), (reader, call, name) => reader.#fact(name, call)),
    title: (reader, call) => {
      reader.#paper.title = reader.#inBody(() => reader.#inlineOf(reader.#next1(call), call));
    },
    ...each("author date subtitle institute affil affiliation address email keywords Keywords", (reader, call) => reader.#front(call)),
    ...each("abstract Abstract", (reader, call) => {
      const range = reader.#next1(call);
      if (range !== undefined)
        reader.#abstract(
          reader.#inBody(() => reader.#flowOf(range, call).end()),
          call,
        );
    }),
    label: (reader, call) => call.flow.add(reader.#paper.label(reader.#said(reader.#next1(call))), call.line),
    ...each("footnote footnotetext thanks", (reader, call) =>
      call.flow.add(reader.#paper.notes.add(reader.#inlineOf(reader.#next1(call), call)), call.line),
    ),
    href: (reader, call) => {
      const [target, shown] = reader.#arguments(2, call.to);
      const href = addressOf(reader.#said(target));
      const link = reader.#inlineOf(shown, call);
      call.flow.add(element("a", link.length === 0 ? [words(href)] : link, { href }), call.line);
    },
    ...each("SI si qty unit", (reader, call, name) => {
      const said = reader
        .#arguments(/^(?:SI|qty)$/.test(name) ? 2 : 1, call.to)
        .map((range) => reader.#said(range).replaceAll(/\\?([A-Za-z]+)/g, " $1"));
      call.flow.add(words(said.join(" ").replaceAll(/\s+/g, " ").trim()), call.line);
    }),
    ...each("url nolinkurl", (reader, call) => reader.#address(call)),
    path: (reader, call) => call.flow.add(element("code", [words(addressOf(reader.#said(reader.#next1(call))))]), call.line),
    hyperref: (reader, call) => {
      const target = reader.#option(call.to);
      const [shown] = reader.#arguments(1, call.to);
      call.flow.add(element("a", reader.#inlineOf(shown, call), { href: `#${target ?? ""}` }), call.line);
    },
    hypertarget: (reader, call) => {
      const [target] = reader.#arguments(1, call.to);
      call.flow.add(element("span", [], { id: reader.#said(target) }), call.line);
    },
    includegraphics: (reader, call) => call.flow.add(image(reader.#paper.graphics + reader.#said(reader.#next1(call)), ""), call.line),
    graphicspath: (reader, call) => {
      reader.#paper.graphics = /^\{([^{}]*)\}/.exec(reader.#said(reader.#next1(call)))?.[1] ?? "";
    },
    caption: (reader, call) => call.flow.block(element("figcaption", reader.#inlineOf(reader.#next1(call), call), {}, call.line)),
    captionof: (reader, call) => {
      const [, shown] = reader.#arguments(2, call.to);
      call.flow.block(element("figcaption", reader.#inlineOf(shown, call), {}, call.line));
    },
    ...each("input include subfile subfileinclude", (reader, call) => reader.#takeIn(1, call)),
    ...each("subinputfrom inputfrom import subimport", (reader, call) => reader.#takeIn(2, call)),
    ...each("lstinputlisting verbatiminput inputminted VerbatimInput", (reader, call, name) =>
      reader.#listing(name === "inputminted", call),
    ),
    bibliography: (reader, call) => reader.#references(call),
    addbibresource: (reader, call) => reader.#links(reader.#said(reader.#next1(call)).split(","), "bib", call),
    printbibliography: (reader, call) => {
      reader.#option(call.to);
      reader.#printed(call);
    },
    ...each("newline linebreak", (_, { flow, line }) => flow.add(element("br"), line)),
    frametitle: (reader, call) => call.flow.block(element("h4", reader.#inlineOf(reader.#next1(call), call), {}, call.line)),
    multicolumn: (reader, call) => reader.#show(reader.#arguments(3, call.to)[2], call),
    texorpdfstring: (reader, call) => reader.#show(reader.#arguments(2, call.to)[0], call),
    ensuremath: (reader, call) => {
      const range = reader.#next1(call);
      if (range !== undefined) reader.#setFormula(reader.#said(range), false, call.flow, call.line, null);
    },
    let: (reader) => {
      reader.#at += reader.#near(/^\s*\\?[A-Za-z@]+\s*=?\s*\\?[A-Za-z@]+/);
    },
    ...each("item par newpage clearpage maketitle appendix", (_, { flow }) => flow.block()),
  };

  #drop(name: string, call: Call): void {
    const dropped = DROPS.get(name) ?? (/^index|label$/.test(name) ? 1 : undefined);
    this.#at += this.#near(ASSIGNED);
    if (dropped === undefined && this.#text[this.#at] !== "[") return;
    this.#option(call.to);
    for (let left = dropped ?? 0; left > 0; left--) if (this.#next1(call) === undefined) break;
  }

  #next1({ to }: Call): Range | undefined {
    this.#option(to);
    return this.#arguments(1, to)[0];
  }

  #said(range: Range | undefined): string {
    return range === undefined ? "" : this.#text.slice(...range).trim();
  }

  #show(range: Range | undefined, call: Call): void {
    if (range !== undefined) call.flow.take(this.#flowOf(range, call), null, call.line);
  }

  #front(call: Call): void {
    const { front } = this.#paper;
    const said = element(
      "p",
      this.#inBody(() => this.#inlineOf(this.#next1(call), call)),
      {},
      call.line,
    );
    if (textOf(said).trim() !== "" && front.length < MAX_FRONT) front.push(said);
  }

  #address(call: Call): void {
    const address = addressOf(this.#said(this.#next1(call)));
    call.flow.add(element("a", [words(address)], { href: address }), call.line);
  }

  /** A part of the document that lies in a file of its own: it stands in its place, or where it is not there or too long, a link to it.
   *  @param count of arguments: the last one names the file, one before it its folder */
  #takeIn(count: number, call: Call): void {
    const from = this.#skip(call.to);
    const bare = this.#text[from] === "{" ? null : /^[^\s{}\\%]{1,200}/.exec(this.#text.slice(from, from + 201));
    if (bare !== null) this.#at = from + bare[0].length;
    const written =
      bare?.[0] ??
      this.#arguments(count, call.to)
        .map((range) => this.#textOf(range).trim())
        .join("/")
        .replaceAll(/\/{2,}/g, "/");
    if (written === "") return;
    const paper = this.#paper;
    const path = pathOf(written, "tex");
    const part = paper.find(this.#file, path) ?? (path === written ? paper.find(this.#file, `${path}.tex`) : null);
    if (part === null) return this.#links([path], "tex", call);
    const { inPreamble } = paper;
    const blocks = paper.show(part, (text, lineOf) => readFile({ key: part.key, text }, paper, lineOf, call.depth + 1, bodyOf(text)));
    paper.inPreamble = inPreamble;
    if (blocks === null) this.#links([rooted(part.key)], "tex", call, titleOf(part.text) ?? path);
    else if (blocks.length === 1 && isParagraph(blocks[0]) && !/\n[ \t]*\n/.test(part.text)) {
      for (const node of blocks[0].children) call.flow.add(node, call.line);
      call.flow.say(" ", call.line);
    } else call.flow.block(...blocks);
  }

  /** Code that lies in a file of its own. @param isNamed where its language is the first argument */
  #listing(isNamed: boolean, call: Call): void {
    const option = this.#option(call.to);
    const [first, second] = this.#arguments(isNamed ? 2 : 1, call.to);
    const path = this.#said(isNamed ? second : first);
    const part = this.#paper.find(this.#file, path);
    const language = isNamed ? this.#said(first) : (/language=\{?(?:\[[^\]]*\])?([\w+#-]+)/.exec(option ?? "")?.[1] ?? null);
    if (part === null || part.text.length > MAX_LISTING) this.#links([path], "tex", call);
    else if (!this.#paper.inPreamble) call.flow.block(codeBlock(part.text.trimEnd(), language, call.line));
  }

  /** The list of what is cited, as BibTeX has written it beside the document, and the files that it is made from. */
  #references(call: Call): void {
    const files = this.#said(this.#next1(call)).split(",");
    if (!this.#printed(call)) this.#links(files, "bib", call);
  }

  #printed(call: Call): boolean {
    const path = `${(this.#paper.others.first?.key ?? this.#file).replace(/^.*\//s, "").replace(/\.[^.]*$/, "")}.bbl`;
    const part = this.#paper.find(this.#file, path);
    if (part === null) return false;
    const blocks = this.#paper.show(part, (text, lineOf) => readFile({ key: part.key, text }, this.#paper, lineOf, call.depth + 1));
    call.flow.block(...(blocks ?? []));
    return true;
  }

  #links(files: readonly string[], ending: string, call: Call, shown?: string): void {
    if (this.#paper.inPreamble) return;
    const paths = files.filter((file) => file.trim() !== "").map((file) => pathOf(file.trim(), ending));
    const link = (path: string): Element => element("a", [words(shown ?? path)], { href: shown === undefined ? encodeURI(path) : path });
    call.flow.block(...paths.map((path) => element("p", [link(path)], {}, call.line)));
  }

  /** How long what stands here is, if it is of a form. */
  #near(form: RegExp): number {
    return form.exec(this.#text.slice(this.#at, this.#at + 100))?.[0].length ?? 0;
  }

  /** Reads a title and the like above the body as if they stood in it. */
  #inBody<T>(read: () => T): T {
    const { inPreamble } = this.#paper;
    this.#paper.inPreamble = false;
    const value = read();
    this.#paper.inPreamble = inPreamble;
    return value;
  }

  #abstract(children: Nodes, { flow, line }: Pick<Call, "flow" | "line">): void {
    this.#paper.abstract = children;
    const shown = box([words("Abstract")], children, line);
    if (this.#paper.inPreamble) this.#paper.front.push(shown);
    else flow.block(shown);
  }

  #verb(to: number, flow: Flow, line: number): void {
    const close = this.#text[this.#at] ?? "";
    const [rest = ""] = this.#text.slice(this.#at + 1, Math.min(to, this.#at + 501)).split("\n", 1);
    const end = rest.indexOf(close);
    if (end < 0) return;
    flow.add(element("code", [words(this.#text.slice(this.#at + 1, this.#at + 1 + end))]), line);
    this.#at += end + 2;
  }

  #refer(name: string, to: number, flow: Flow, line: number): void {
    for (const node of this.#listed(to, (label) => this.#paper.refer(label, NAMES.test(name)))) flow.add(node, line);
  }

  /** The next argument as a list of what its names become. */
  #listed(to: number, show: (name: string) => Element): Nodes {
    const names = this.#said(this.#arguments(1, to)[0]).split(",");
    return names.flatMap((name) => (name.trim() === "" ? [] : [words(", "), show(name.trim())])).slice(1);
  }

  /** Facts that a blueprint says of a statement stand below it. */
  #fact(name: string, { to, flow, line }: Call): void {
    const isList = /^(?:lean|uses|proves|discussion)$/.test(name);
    const list = isList
      ? this.#listed(to, (one) => (name.endsWith("s") ? this.#paper.refer(one, true) : element("code", [words(one)])))
      : [];
    if (isList && list.length === 0) return;
    const fact = [words(`${FACTS[name]}${isList ? " " : ""}`), ...list];
    if (this.#paper.facts !== null) this.#paper.facts.push(fact);
    else for (const node of [...fact, words(". ")]) flow.add(node, line);
  }

  #cite(to: number, flow: Flow, line: number): void {
    const notes = [this.#option(to), this.#option(to)].flatMap((note) =>
      note === null || note.trim() === "" ? [] : [plainIn(note, "latex")],
    );
    const [range] = this.#arguments(1, to);
    if (range === undefined) return;
    flow.say("[", line);
    for (const [at, key] of this.#textOf(range).split(",").entries()) {
      if (at > 0) flow.say(", ", line);
      flow.add(this.#paper.cite(key.trim()), line);
    }
    flow.say(`${notes.map((note) => `, ${note}`).join("")}]`, line);
  }

  #section(name: string, isStarred: boolean, to: number, flow: Flow, depth: number, line: number): void {
    if (this.#text[this.#at - 1] === "*") isStarred = true;
    this.#option(to);
    const [range] = this.#arguments(1, to);
    const level = SECTIONS.indexOf(name) + 1;
    if (range === undefined) return;
    const title = this.#inlineOf(range, { depth });
    if (!isStarred && level < 6) this.#paper.count(name);
    this.#paper.current = plainOf(title);
    flow.block(element(`h${level}`, title, {}, line));
  }

  #define(name: string, to: number): void {
    const { math } = this.#paper;
    if (/^[gex]?def$/.test(name)) {
      const [whole = "", own = "", parameters = ""] =
        /^\s*\\([A-Za-z@]+|.)((?:\s*#\d)*)\s*(?=\{)/.exec(this.#text.slice(this.#at, this.#at + 200)) ?? [];
      this.#at += whole.length;
      const [body] = this.#arguments(1, to);
      if (body !== undefined && own !== "") math.define(own, parameters.split("#").length - 1, null, this.#textOf(body));
      return;
    }
    const from = this.#skip(to);
    const [bare = "", plain] = /^\*?\s*\\([A-Za-z@]+)/.exec(this.#text.slice(from, from + 100)) ?? [];
    this.#at = from + (this.#text[from] === "*" && plain === undefined ? 1 : bare.length);
    const [braced] = plain === undefined ? this.#arguments(1, to) : [];
    const own = plain ?? (braced === undefined ? "" : this.#textOf(braced).trim().replace(/^\\/, ""));
    const isDocument = name.endsWith("DocumentCommand");
    const [signature] = isDocument ? this.#arguments(1, to) : [];
    const count = isDocument
      ? (signature === undefined ? "" : this.#textOf(signature)).replaceAll(/\s/g, "").length
      : Number(this.#option(to) ?? 0);
    const usual = this.#option(to);
    const [body] = this.#arguments(1, to);
    if (body === undefined || own === "") return;
    const text = this.#textOf(body);
    math.define(own, Number.isInteger(count) ? count : 0, usual, name === "DeclareMathOperator" ? `\\operatorname{${text}}` : text);
  }

  /** Names an environment for theorems: in brackets before its name stands what `thmtools` and `tcolorbox` set, behind it what LaTeX has. */
  #newTheorem(isStarred: boolean, to: number): void {
    const settings = settingsIn(this.#option(to) ?? "");
    const set = (...names: readonly string[]): string | undefined => names.flatMap((one) => settings.get(one) ?? [])[0];
    const [name] = this.#arguments(1, to);
    const shared = this.#option(to) ?? set("sibling", "numberlike", "sharenumber") ?? null;
    const [title] = this.#arguments(1, to);
    const within = this.#option(to) ?? set("numberwithin", "within", "parent", "number within") ?? null;
    if (name === undefined) return;
    const own = this.#textOf(name);
    const said =
      title === undefined ? (set("name", "title", "heading") ?? own.charAt(0).toUpperCase() + own.slice(1)) : this.#textOf(title);
    if (shared === null) this.#paper.declare(own, within);
    const isCounted = !isStarred && set("numbered") !== "no";
    const counter = this.#paper.theorems.get(shared ?? "")?.counter ?? shared ?? own;
    this.#paper.theorems.set(own, { title: plainIn(said, "latex"), counter: isCounted ? counter : null });
  }

  /** Expands a command of the file's own, and reads what it becomes. */
  #expand(name: string, to: number, flow: Flow, depth: number, line: number): void {
    const { math } = this.#paper;
    const macro = math.macro(name);
    const usual = macro?.usual === null || macro === null ? null : (this.#option(to) ?? macro.usual);
    const given = this.#arguments((macro?.count ?? 0) - (usual === null ? 0 : 1), to).map((range) => this.#textOf(range));
    const values = [...(usual === null ? [] : [usual]), ...given];
    const body = math.fill(name, values);
    if (body === null || depth > MAX_EXPANDED) {
      flow.say(plainIn(values.join(" "), "latex"), line);
      return;
    }
    new LatexReader(body, this.#paper, () => line, depth + 2, this.#file).read(0, body.length, flow);
  }

  #environment(at: number, to: number, flow: Flow, depth: number): void {
    const [range] = this.#arguments(1, to);
    const name = range === undefined ? "" : this.#textOf(range).trim();
    const paper = this.#paper;
    if (name === "document") {
      paper.inPreamble = false;
      return;
    }
    const end = this.#shape.environments.get(at);
    const line = this.#lineOf(at);
    if (end === undefined || end >= to) return;
    const after = end + (/^\\end[ \t]*\{[^{}]*\}/.exec(this.#text.slice(end, end + 60))?.[0].length ?? 0);
    const bare = name.replace(/\*$/, "");
    const isMath = LatexMath.isEnvironment(bare);
    if (VERBATIM.has(name)) this.#verbatim(name, end, flow, line);
    else if (isMath) {
      if (ARGUMENTS.has(name)) this.#arguments(1, end);
      this.#setFormula(this.#text.slice(this.#at, end), true, flow, line, name);
    } else {
      const option = this.#option(end);
      this.#arguments(ARGUMENTS.get(name) ?? 0, end);
      this.#structure({ name: paper.theorems.has(name) ? name : bare, option, from: this.#at, end, line, depth }, flow);
    }
    this.#at = after;
    if (name !== "document") flow.block();
  }

  #verbatim(name: string, end: number, flow: Flow, line: number): void {
    // Brackets on the next line are text, and these environments take no option at all.
    const takesOption = !/^(?:verbatim|code|spec|alltt)/.test(name) && /^[ \t]*\[/.test(this.#text.slice(this.#at, this.#at + 80));
    const option = takesOption ? this.#option(end) : null;
    const takesArgument = name === "minted" || name.startsWith("filecontents");
    const [whole = "", argument] = takesArgument
      ? (/^[ \t]*\{([^{}\n]{0,200})\}/.exec(this.#text.slice(this.#at, this.#at + 300)) ?? [])
      : [];
    this.#at += whole.length;
    if (name === "comment" || this.#paper.inPreamble) return;
    const isDrawing = /^(?:tikz|pgf|forest)/.test(name);
    const language = isDrawing
      ? "latex"
      : argument === undefined
        ? name === "code"
          ? "agda"
          : (/language=\{?(?:\[[^\]]*\])?([\w+#-]+)/.exec(option ?? "")?.[1] ?? null)
        : argument;
    const code = this.#text
      .slice(this.#at, end)
      .replace(/^[ \t]*\n/, "")
      .trimEnd();
    flow.block(
      codeBlock(isDrawing ? `\\begin{${name}}${option === null ? "" : `[${option}]`}\n${code}\n\\end{${name}}` : code, language, line),
    );
  }

  #structure({ name, option, from, end, line, depth }: Structure, flow: Flow): void {
    const paper = this.#paper;
    const blocksOf = (): Nodes => this.#flowOf([from, end], { depth }).end();
    const list = LISTS.get(name);
    const theorem = paper.theorems.get(name);
    const float = FLOATS.get(name);
    if (list !== undefined) flow.block(this.#list(list, from, end, depth, line));
    else if (TABLES.test(name)) flow.block(this.#table(from, end, depth, line));
    else if (name === "abstract") this.#abstract(this.#inBody(blocksOf), { flow, line });
    else if (paper.inPreamble) return;
    else if (/^(?:quot|verse|displayquote)/.test(name)) flow.block(element("blockquote", blocksOf(), {}, line));
    else if (theorem !== undefined || name === "proof") flow.block(this.#theorem(theorem ?? null, option, blocksOf, line));
    else if (float !== undefined) flow.block(this.#float(float, blocksOf, line));
    else if (name === "thebibliography")
      flow.block(element("h3", [words("References")], {}, line), this.#list("ol", from, end, depth, line));
    else if (/^(?:algorithmic|algorithm2e|prooftree|picture|xy|circuitikz|bussproofs|mathpar|axis)$/.test(name))
      flow.block(codeBlock(this.#text.slice(from, end).replace(/^\n/, "").trimEnd(), "latex", line));
    else if (name === "frame" || /^(?:example|alert)?block$/.test(name)) {
      this.#at = from;
      const title = this.#inlineOf(this.#arguments(1, end)[0], { depth });
      const children = this.#flowOf([this.#at, end], { depth }).end();
      if (name === "frame") flow.block(...(title.length === 0 ? [] : [element("h4", title, {}, line)]), ...children);
      else flow.block(box(title, children, line));
    } else {
      flow.block();
      this.read(from, end, flow, depth + 1);
      flow.block();
    }
  }

  #theorem(
    theorem: { readonly title: string; readonly counter: string | null } | null,
    option: string | null,
    blocksOf: () => Nodes,
    line: number,
  ): Element {
    const paper = this.#paper;
    const number = theorem?.counter === null || theorem === null ? "" : ` ${paper.count(theorem.counter, theorem.title)}`;
    const note = option === null || option.trim() === "" ? "" : plainIn(option, "latex");
    const title =
      theorem === null
        ? element("em", [words(note === "" ? "Proof." : `${note}.`)])
        : element("strong", [words(`${theorem.title}${number}${note === "" ? "" : ` (${note})`}.`)]);
    const outer = paper.facts;
    const facts: Nodes[] = (paper.facts = []);
    const blocks = blocksOf();
    paper.facts = outer;
    if (facts.length > 0)
      blocks.push(
        element("p", [
          element(
            "small",
            facts.flatMap((fact) => [...fact, words(". ")]),
          ),
        ]),
      );
    const at = blocks.findIndex((one) => one.type === "element" && one.tagName !== "span");
    const first = blocks[at];
    if (first?.type === "element" && first.tagName === "p") blocks[at] = { ...first, children: [title, words(" "), ...first.children] };
    else blocks.splice(Math.max(0, at), 0, element("p", [title]));
    return element("div", blocks, {}, line);
  }

  #float(word: string, blocksOf: () => Nodes, line: number): Element {
    const number = this.#paper.count(word, word);
    const blocks = blocksOf().map((one) =>
      one.type === "element" && one.tagName === "figcaption"
        ? { ...one, children: [element("strong", [words(`${word} ${number}.`)]), words(" "), ...one.children] }
        : one,
    );
    return element("figure", blocks, {}, line);
  }

  /** Offsets in a stretch at which commands or signs stand that divide it, outside of groups and environments in it. */
  #dividers(from: number, to: number, divides: RegExp): { readonly at: number; readonly token: string }[] {
    const found: { readonly at: number; readonly token: string }[] = [];
    for (let at = from; at < to; ) {
      TOKEN.lastIndex = at;
      const [token = "", command] = TOKEN.exec(this.#text) ?? [];
      if (divides.test(token)) found.push({ at, token });
      const jump = token === "{" ? this.#shape.braces.get(at) : command === "begin" ? this.#shape.environments.get(at) : undefined;
      at = jump !== undefined && jump < to ? jump + 1 : at + Math.max(1, token.length);
    }
    return found;
  }

  #list(tagName: string, from: number, to: number, depth: number, line: number): Element {
    const items = this.#dividers(from, to, /^\\(?:item|bibitem)$/);
    const before = this.#flowOf([from, items[0]?.at ?? to], { depth }).end();
    const children = items.flatMap(({ at, token }, n): Element[] => {
      this.#at = at + token.length;
      const own = this.#lineOf(at);
      const end = items[n + 1]?.at ?? to;
      const start = this.#at;
      const option = this.#option(end);
      const label = option === null ? [] : this.#inlineOf([this.#text.indexOf("[", start) + 1, this.#at - 1], { depth });
      const [key] = token === "\\bibitem" ? this.#arguments(1, end) : [];
      const blocks = this.#flowOf([this.#at, end], { depth }).end();
      if (key !== undefined)
        blocks.unshift(
          this.#paper.item(
            this.#textOf(key).trim(),
            option === null ? null : plainIn(option, "latex").replace(/\(?(\d{4}\w?)\)?.*$/, " $1"),
          ),
        );
      if (tagName === "dl") return [element("dt", label, {}, own), element("dd", blocks)];
      const marked =
        label.length === 0 || key !== undefined
          ? blocks
          : [
              element("p", [...label, words(" "), ...(isParagraph(blocks[0]) ? blocks[0].children : [])]),
              ...blocks.slice(isParagraph(blocks[0]) ? 1 : 0),
            ];
      return [element("li", unwrapped(marked), {}, own)];
    });
    const list = element(tagName, children, {}, line);
    return before.length === 0 ? list : element("div", [...before, list]);
  }

  #table(from: number, to: number, depth: number, line: number): Element {
    const marks = this.#dividers(from, to, /^(?:&|\\\\|\\tabularnewline|\\(?:hline|midrule|toprule|bottomrule|endhead|endfirsthead))$/);
    const rows: Element[][] = [];
    let row: Element[] = [];
    let [start, heads] = [from, 0];
    const close = (end: number, isRow: boolean): void => {
      this.#at = start;
      const cell = this.#cell(start, end, depth);
      if (cell.children.length > 0 || (row.length > 0 && isRow) || !isRow) row.push(cell);
      if (isRow && row.some((one) => one.children.length > 0)) rows.push(row);
      if (isRow) row = [];
    };
    for (const { at, token } of [...marks, { at: to, token: "\\\\" }]) {
      if (/^\\[a-z]/.test(token) && token !== "\\tabularnewline") {
        if (rows.length === 1 && token !== "\\toprule") heads = 1;
        continue;
      }
      close(at, token !== "&");
      this.#at = at + token.length;
      if (token !== "&") this.#option(this.#text[this.#at] === "[" ? to : this.#at);
      start = this.#at;
    }
    return tableOf(rows, rows.length > 1 ? heads : 0, line);
  }

  #cell(from: number, to: number, depth: number): Element {
    const [, span] =
      /^(?:\s|\\(?:hline|[a-z]+rule(?:\[[^\]]*\])?|cline\{[^{}]*\}|cmidrule(?:\([^)]*\))?\{[^{}]*\}))*\\multicolumn\s*\{(\d{1,2})\}/.exec(
        this.#text.slice(from, Math.min(to, from + 300)),
      ) ?? [];
    const children = this.#flowOf([from, to], { depth }).inline();
    return element(
      "td",
      children,
      span === undefined ? {} : { colSpan: Number(span) },
      this.#lineOf(from + Math.max(0, this.#text.slice(from, to).search(/\S/))),
    );
  }
}

/** An address without the signs that LaTeX wants before others. */
const addressOf = (written: string): string => written.replaceAll(/\\([%#&_~{}])/g, "$1");

/** The stretch of a part that is taken in: of one that is a document by itself, its body. */
function bodyOf(text: string): Range {
  const begin = text.search(HAS_BODY);
  const end = begin < 0 ? -1 : text.lastIndexOf("\\end{document}");
  return begin < 0 ? [0, text.length] : [begin + "\\begin{document}".length, end < begin ? text.length : end];
}

const pathOf = (file: string, ending: string): string => (/\.[A-Za-z0-9]{1,5}$/.test(file) ? file : `${file}.${ending}`);

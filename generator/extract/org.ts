/** Org as a document. Drawers and settings are left out, what is written for an exporter is shown as code. */
import { slug } from "github-slugger";
import type { Element } from "hast";
import { namedSign } from "#snapshots/blocks";
import type { Body, SourceText } from "./body.ts";
import {
  box,
  codeBlock,
  element,
  formula,
  image,
  type Nodes,
  type ParsedDocument,
  readDocument,
  tableOf,
  unwrapped,
  words,
} from "./document.ts";
import { dedent, indentOf, isBlank, type PartLine, type Row, type Rule, takeIndented, textIn } from "./lined.ts";
import { SIGNS } from "./latex-tokens.ts";
import { MarkupReader } from "./markup-reader.ts";
import { rooted } from "./links.ts";
import { linesBetween } from "./others.ts";

export async function readOrg(source: SourceText, fallback: string): Promise<Body> {
  return await readDocument(source, { kind: "org", language: null, fallback }, (text) => new OrgReader(text, source).parse());
}

const HEADING = /^(\*{1,40})\s+(?:(TODO|DONE|NEXT|WAIT(?:ING)?|CANCELL?ED|STARTED)\s+)?(?:\[#(\w)\]\s+)?(.*)$/;
const KEYWORD = /^\s*#\+([\w-]+)(?:\[.*\])?:(?:\s+(.*))?$/;
const BEGIN = /^\s*#\+begin_([\w*-]+)(?:\s+(.*))?$/i;
const ITEM = /^(\s*)(?:([-+])|(\d{1,4}|[a-zA-Z])[.)]|(?<=\s)\*)(?:\s+|$)(?:\[@\d+\]\s+)?(?:\[([ xX-])\]\s+)?/;
const NOTE = /^\[fn:([\w-]+)\]\s*(.*)$/;
const PLANNING = /^\s*(?:CLOSED|DEADLINE|SCHEDULED|CLOCK):\s*[<[]/;
const ENVIRONMENT = /^\s*\\begin\{([\w*]+)\}/;
const MAX_FORMULA = 200; // lines of a formula or a drawer
const MAX_TAGS = 220; // UTF-16 units
const SPAN = 500; // UTF-16 units within one pair of signs
const STARTS = /[*/_+=~[<\\$^{]|https?:|cite[pt]?:|(?:eq)?ref:|label:|src_|@@/;
class OrgReader extends MarkupReader {
  protected override readonly starts = STARTS;
  readonly #said = new Map<string, readonly Row[]>();
  readonly #signs = new Map<string, Element>();
  /** Ids of what links name: headings by their titles, and what has a name or a target. */
  readonly #places = new Map<string, string>();

  constructor(text: string, source: SourceText) {
    super(text, source, readInclude);
    let title = "";
    for (const [at, { text: one }] of this.rows.entries()) {
      const [, stars, , , heading = ""] = HEADING.exec(one) ?? [];
      if (stars !== undefined) this.#places.set(splitTags(heading)[0].toLowerCase(), splitTags(heading)[0]);
      title = (stars === undefined ? /^#\+title:\s*(.*)$/i.exec(one)?.[1] : splitTags(heading)[0]) ?? title;
      const unique = /^\s*:ID:\s+(\S+)/i.exec(one)?.[1];
      if (unique !== undefined) {
        this.#places.set(`id:${unique}`.toLowerCase(), `ID-${unique}`);
        this.others.offer(
          `ID-${unique}`,
          title || (this.rows.slice(at, at + 10).flatMap(({ text: below }) => /^#\+title:\s*(.*)$/i.exec(below)?.[1] ?? [])[0] ?? ""),
        );
      }
      const custom = /^\s*:CUSTOM_ID:\s+(\S+)/i.exec(one)?.[1];
      if (custom !== undefined) this.#places.set(`#${custom}`.toLowerCase(), custom);
      const name = /^\s*#\+(?:name|label):\s+(\S.*)$/i.exec(one)?.[1] ?? /<<([^<>\n]{1,200})>>/.exec(one)?.[1];
      if (name !== undefined) this.#places.set(name.trim().toLowerCase(), name.trim());
      const [, note, said = ""] = NOTE.exec(one) ?? [];
      if (note !== undefined) this.#said.set(note, [{ text: said, line: at + 1 }, ...this.rows.slice(at + 1, this.#endOfNote(at + 1))]);
    }
  }

  parse(): ParsedDocument {
    return this.document(this.blocks(this.rows));
  }

  #endOfNote(from: number): number {
    let end = from;
    while (
      end < this.rows.length &&
      !isBlank(this.rows[end]) &&
      !NOTE.test(this.rows[end]?.text ?? "") &&
      !HEADING.test(this.rows[end]?.text ?? "")
    )
      end++;
    return end;
  }

  protected override each(rows: readonly Row[]): Nodes {
    const blocks: Nodes = [];
    let caption: Nodes = [];
    for (let at = 0; at < rows.length; ) {
      const before = blocks.length;
      const { text, line } = rows[at] ?? { text: "", line: 1 };
      const [, key = "", value = ""] = KEYWORD.exec(text) ?? [];
      if (key !== "" && !/^begin_/i.test(key)) {
        if (/^caption$/i.test(key)) caption = this.inline(value);
        else this.#keyword(key.toLowerCase(), value, line, blocks);
        at++;
        continue;
      }
      at = isBlank(rows[at]) ? at + 1 : this.block(rows, at, blocks);
      const made = blocks[before];
      if (caption.length === 0 || made?.type !== "element") continue;
      if (made.tagName === "table") made.children.unshift(element("caption", caption));
      else blocks.splice(before, 1, element("figure", [made, element("figcaption", caption)]));
      caption = [];
    }
    if (caption.length > 0) blocks.push(element("p", caption));
    return blocks;
  }

  #keyword(key: string, value: string, line: number, blocks: Nodes): void {
    if (value === "") return;
    if (key === "title") {
      this.title = [this.title, value].filter((one) => one !== null).join(" ");
      if (blocks.length === 0) blocks.push(element("h1", this.inline(value), {}, line));
    } else if (/^(?:subtitle|author|date)$/.test(key)) blocks.push(element("p", this.inline(value), {}, line));
    else if (key === "name" || key === "label") blocks.push(element("span", [], { id: value.trim() }));
    else if (/^(?:include|setupfile|bibliography)$/.test(key) && !/^https?:/.test(value)) {
      const [, path = ""] = /^"?([^"\s]+)/.exec(value) ?? [];
      if (key === "include") blocks.push(element("p", [element("a", [words(path)], { href: encodeURI(path) })], {}, line));
    }
  }

  /** Reads one block. @returns where the next one begins */
  protected override block(rows: readonly Row[], at: number, blocks: Nodes): number {
    const { text, line } = rows[at] ?? { text: "", line: 1 };
    const heading = HEADING.exec(text);
    if (heading !== null) return this.#heading(heading, rows, at, blocks);
    const begin = BEGIN.exec(text);
    if (begin !== null) return this.#fenced(begin, rows, at, blocks);
    if (/^\s*:[\w-]+:\s*$/.test(text)) {
      const end = this.#find(rows, at + 1, (one) => /^\s*:end:\s*$/i.test(one) || HEADING.test(one));
      if (end !== null && /:end:/i.test(rows[end]?.text ?? "")) return end + 1;
    }
    if (/^\s*(?:#(?:\s|\+|$))/.test(text) || PLANNING.test(text)) return at + 1;
    if (/^\s*-{5,}$/.test(text)) {
      blocks.push(element("hr"));
      return at + 1;
    }
    if (/^\s*:(?:\s|$)/.test(text)) {
      let end = at;
      while (/^\s*:(?:\s|$)/.test(rows[end]?.text ?? "")) end++;
      blocks.push(
        codeBlock(
          rows
            .slice(at, end)
            .map((row) => row.text.replace(/^\s*: ?/, ""))
            .join("\n"),
          null,
          line,
        ),
      );
      return end;
    }
    if (/^\s*\|/.test(text)) return this.#table(rows, at, blocks);
    if (ITEM.test(text)) return this.#list(rows, at, blocks);
    const [, name] = ENVIRONMENT.exec(text) ?? [];
    if (name !== undefined || /^\s*(?:\\\[|\$\$)\s*/.test(text)) {
      const close = name !== undefined ? `\\end{${name}}` : text.trim().startsWith("$$") ? "$$" : "\\]";
      const end = this.#find(
        rows,
        text
          .trim()
          .replace(/^(?:\$\$|\\\[)/, "")
          .includes(close)
          ? at
          : at + 1,
        (one) => one.includes(close),
      );
      if (end !== null) {
        const tex = textIn(rows.slice(at, end + 1))
          .replaceAll(/\\label\{[^}]*\}/g, "")
          .trim();
        blocks.push(
          element("p", [formula(name === undefined ? tex.replaceAll(/^(?:\$\$|\\\[)|(?:\$\$|\\\])$/g, "") : tex, true)], {}, line),
        );
        return end + 1;
      }
    }
    const note = NOTE.exec(text);
    if (note !== null && indentOf(rows[at]) === 0) {
      const end = this.#endOfNote(line);
      return Math.max(at + 1, at + end - line + 1);
    }
    return this.#paragraph(rows, at, blocks);
  }

  #find(rows: readonly Row[], from: number, fits: (text: string) => boolean, most = MAX_FORMULA): number | null {
    for (let at = from; at < Math.min(rows.length, from + most); at++) if (fits(rows[at]?.text ?? "")) return at;
    return null;
  }

  #heading([, stars = "", state, , written = ""]: RegExpExecArray, rows: readonly Row[], at: number, blocks: Nodes): number {
    // Commented out, with all that stands below it.
    if (/^COMMENT\b/.test(written))
      return this.#find(rows, at + 1, (one) => (HEADING.exec(one)?.[1]?.length ?? Infinity) <= stars.length, Infinity) ?? rows.length;
    const [title, tags] = splitTags(written);
    const ids = this.#ids(rows, at + 1);
    const marks = [state === undefined ? "" : state, tags === undefined ? "" : tags.replaceAll(":", " ").trim()];
    const [before, after] = marks.map((mark) => (mark === "" ? [] : [element("small", [words(mark)])]));
    const nodes = [
      ...(before ?? []),
      ...(before?.length === 1 ? [words(" ")] : []),
      ...this.inline(title),
      ...(after?.length === 1 ? [words(" "), ...after] : []),
    ];
    nodes.unshift(...ids.map((id) => element("span", [], { id })));
    if (this.#places.get(title.trim().toLowerCase()) === title.trim()) nodes.unshift(element("span", [], { id: title.trim() }));
    blocks.push(
      element(
        `h${Math.min(9, stars.length + 1)}`,
        nodes,
        nodes.length > 0 && (state ?? tags) !== undefined ? { id: slug(title) } : {},
        rows[at]?.line ?? null,
      ),
    );
    return at + 1;
  }

  /** The ids that the drawer below a heading gives it. */
  #ids(rows: readonly Row[], at: number): readonly string[] {
    const ids: string[] = [];
    for (let next = at; next < Math.min(rows.length, at + 12) && !HEADING.test(rows[next]?.text ?? ""); next++) {
      const [, name = "", id] = /^\s*:(CUSTOM_ID|ID):\s+(\S+)/i.exec(rows[next]?.text ?? "") ?? [];
      if (id !== undefined) ids.push(/^id$/i.test(name) ? `ID-${id}` : id);
    }
    return ids;
  }

  #fenced([, name = "", argument = ""]: RegExpExecArray, rows: readonly Row[], at: number, blocks: Nodes): number {
    const close = `#+end_${name.toLowerCase()}`;
    const end = this.#ends(rows, at, close);
    if (end === null) return this.#paragraph(rows, at, blocks);
    const inside = rows.slice(at + 1, end);
    const [line, first] = [rows[at]?.line ?? 1, inside[0]?.line ?? 1];
    const kind = name.toLowerCase();
    const code = textIn(dedent(inside)).replaceAll(/^,(?=[*,#])/gm, "");
    if (kind === "comment") return end + 1;
    if (/^(?:src|example|export)$/.test(kind))
      blocks.push(codeBlock(code, kind === "example" ? null : (/^\S+/.exec(argument)?.[0] ?? null), first));
    else if (kind === "quote") blocks.push(element("blockquote", this.blocks(dedent(inside)), {}, line));
    else if (kind === "verse")
      blocks.push(element("blockquote", [element("p", this.verse(inside.map(({ text }) => text.trim())))], {}, line));
    else if (kind === "center") blocks.push(...this.blocks(dedent(inside)));
    else
      blocks.push(
        box(
          kind === "abstract" ? [words("Abstract")] : [words(name.charAt(0).toUpperCase() + name.slice(1))],
          this.blocks(dedent(inside)),
          line,
        ),
      );
    return end + 1;
  }

  /** Ends that stand nowhere behind a line: nobody looks for them again. */
  readonly #missing = new WeakMap<readonly Row[], Set<string>>();

  #ends(rows: readonly Row[], at: number, close: string): number | null {
    const missing = this.#missing.get(rows) ?? new Set();
    this.#missing.set(rows, missing);
    if (missing.has(close)) return null;
    const end = this.#find(rows, at + 1, (text) => text.trim().toLowerCase() === close, Infinity);
    if (end === null) missing.add(close);
    return end;
  }

  #table(rows: readonly Row[], at: number, blocks: Nodes): number {
    let end = at;
    while (/^\s*\|/.test(rows[end]?.text ?? "")) end++;
    const made: Element[][] = [];
    let heads = 0;
    for (const { text, line } of rows.slice(at, end)) {
      if (/^\s*\|[-+]+\|?$/.test(text)) {
        if (heads === 0 && made.length > 0) heads = made.length;
        continue;
      }
      const cells = text
        .trim()
        .replaceAll(/^\||\|$/g, "")
        .split("|")
        .map((cell) => cell.trim());
      if (cells.every((cell) => /^(?:<[lrc]?\d*>)?$/.test(cell))) continue;
      made.push(cells.map((cell) => element("td", this.inline(cell), {}, line)));
    }
    blocks.push(tableOf(made, heads < made.length ? heads : 0, rows[at]?.line ?? 1));
    return end;
  }

  #list(rows: readonly Row[], at: number, blocks: Nodes): number {
    const own = indentOf(rows[at]);
    const [, , bullet] = ITEM.exec(rows[at]?.text ?? "") ?? [];
    const isTerms = /\s::(?:\s|$)/.test(rows[at]?.text ?? "");
    const items: Element[] = [];
    let next = at;
    while (next < rows.length && ITEM.test(rows[next]?.text ?? "") && indentOf(rows[next]) === own) {
      const [sign = "", , , , check] = ITEM.exec(rows[next]?.text ?? "") ?? [];
      let end = takeIndented(rows, next + 1, own + 1);
      // Two blank lines end a list.
      for (let blank = next + 1; blank + 1 < end; blank++) if (isBlank(rows[blank]) && isBlank(rows[blank + 1])) end = blank;
      const line = rows[next]?.line ?? 1;
      const [term, said] = isTerms
        ? splitTerm((rows[next]?.text ?? "").slice(sign.length))
        : [null, (rows[next]?.text ?? "").slice(sign.length)];
      const children = unwrapped(this.blocks([{ text: said, line }, ...dedent(rows.slice(next + 1, end))]));
      const mark =
        check === undefined
          ? []
          : [
              element("input", [], { type: "checkbox", disabled: true, ...(check === "X" || check === "x" ? { checked: true } : {}) }),
              words(" "),
            ];
      if (isTerms) items.push(element("dt", [...mark, ...this.inline(term ?? "")], {}, line), element("dd", children));
      else items.push(element("li", [...mark, ...children], {}, line));
      next = end;
      while (next < rows.length && isBlank(rows[next]) && ITEM.test(rows[next + 1]?.text ?? "")) next++;
    }
    const isBulleted = bullet !== undefined || /^\s+\*/.test(rows[at]?.text ?? "");
    blocks.push(element(isTerms ? "dl" : isBulleted ? "ul" : "ol", items, {}, rows[at]?.line ?? null));
    return Math.max(next, at + 1);
  }

  #paragraph(rows: readonly Row[], at: number, blocks: Nodes): number {
    let end = at + 1;
    while (
      end < rows.length &&
      !isBlank(rows[end]) &&
      !HEADING.test(rows[end]?.text ?? "") &&
      !/^\s*(?:#\+|\||\\begin\{|\\\[|-{5,}$|: )/.test(rows[end]?.text ?? "") &&
      !ITEM.test(rows[end]?.text ?? "") &&
      !NOTE.test(rows[end]?.text ?? "")
    )
      end++;
    const said = rows
      .slice(at, end)
      .map(({ text }) => text.trim())
      .join("\n");
    blocks.push(element("p", this.inline(said), {}, rows[at]?.line ?? null));
    return end;
  }

  protected override rules(depth: number): readonly Rule[] {
    const inside = (text: string): Nodes => this.inline(text, depth + 1);
    const marked = (sign: string, tagName: string): Rule => [
      new RegExp(`(?<![\\p{L}\\p{N}${sign}])${sign}(?=\\S)((?:(?!${sign}(?!\\S))[^]){1,${SPAN}}?)(?<=\\S)${sign}(?![\\p{L}\\p{N}])`, "uy"),
      ([, said = ""]) => [element(tagName, tagName === "code" ? [words(said)] : inside(said))],
    ];
    return [
      [
        /\[\[([^[\]]{1,1000})\](?:\[((?:[^[\]]|\[[^[\]]*\]){1,1000})\])?\]/y,
        ([, target = "", said]) => [this.#link(target, said === undefined ? null : inside(said))],
      ],
      [/\[fn:([\w-]*)(?::((?:[^[\]]|\[[^[\]]*\]){1,2000}))?\]/y, ([, name = "", said]) => this.#footnote(name, said)],
      [
        /\[?cite(?:\/[\w/]+)?:([^\s\]]*@[^\]\n]{1,500})\]|cite[pt]?:([\w:,-]{1,300})/y,
        ([, keys, others = ""]) => [words(`[${(keys ?? others).replaceAll("@", "").replaceAll(/[;,]\s*/g, ", ")}]`)],
      ],
      [/(?:eq|auto|name)?ref:([\w:.-]{1,200}\w)/y, ([, id = ""]) => [element("a", [words(id)], { href: `#${id}` })]],
      [/\\label\{([^{}\n]{1,200})\}|label:([\w:.-]{1,200}\w)/y, ([, id, other = ""]) => [element("span", [], { id: id ?? other })]],
      [/\$([_^][^$\n]{1,60})\$/y, ([, tex = ""]) => [formula(tex, false)]],
      [/\\\(((?:[^\\]|\\[^)]){1,2000})\\\)/y, ([, tex = ""]) => [formula(tex, false)]],
      [/\\\[((?:[^\\]|\\[^\]]){1,2000})\\\]/y, ([, tex = ""]) => [formula(tex, true)]],
      [/\$\$([^$]{1,2000})\$\$/y, ([, tex = ""]) => [formula(tex, true)]],
      [/(?<![\w$\\])\$(?=[^\s$])([^$\n]{1,500}(?:\n[^$\n]{1,500})?)(?<=[^\s$])\$(?![\w$])/y, ([, tex = ""]) => [formula(tex, false)]],
      marked("=", "code"),
      marked("~", "code"),
      marked("\\*", "strong"),
      marked("/", "em"),
      marked("_", "u"),
      marked("\\+", "s"),
      [/<<([^<>\n]{1,200})>>/y, ([, id = ""]) => [element("span", [], { id })]],
      [
        /<(https?:[^<>\s]{1,1000})>|(?<!\w)(https?:\/\/[^\s<>[\]"]{1,1000}[^\s<>[\].,;:!?"')])/y,
        ([, url, bare = ""]) => [element("a", [words(url ?? bare)], { href: url ?? bare })],
      ],
      [/[<[](\d{4}-\d\d-\d\d(?: [^\]>\n]{1,40})?)[>\]]/y, ([, time = ""]) => [element("time", [words(time)])]],
      [/src_([\w-]{1,30})(?:\[[^\]\n]{0,200}\])?\{([^{}\n]{1,300})\}/y, ([, , code = ""]) => [element("code", [words(code)])]],
      [/@@[\w-]{1,20}:([^@]{0,500})@@/y, ([, said = ""]) => [words(said.replaceAll(/<[^>]*>/g, ""))]],
      [/\{\{\{[\w-]{1,40}(?:\(([^{}]{0,300})\))?\}\}\}/y, ([, said = ""]) => [words(said)]],
      [/\\\\$/my, () => [element("br")]],
      [/\\([a-zA-Z]{2,20})(?:\{\})?(?![\w{])/y, ([, name = ""]) => signFor(name)],
      [
        /(?<=[\p{L}\p{N})])([_^])\{([^{}\n]{1,200})\}/uy,
        ([, sign = "", said = ""]) => [element(sign === "_" ? "sub" : "sup", inside(said))],
      ],
    ];
  }

  #footnote(name: string, said: string | undefined): Nodes | null {
    const known = this.#signs.get(name);
    if (name !== "" && known !== undefined) return [known];
    const rows = this.#said.get(name);
    if (said === undefined && rows === undefined) return null;
    // It may refer to itself.
    const note: Nodes = [];
    const mark = this.notes.add(note);
    if (name !== "") this.#signs.set(name, mark);
    note.push(...(said === undefined ? unwrapped(this.blocks(rows ?? [])) : this.inline(said, 1)));
    return [mark];
  }

  #link(target: string, said: Nodes | null): Element {
    const path = target.replace(/^(?:file|attachment|docview):/, "").replace(/::.*$/, "");
    if (said === null && /\.(?:png|jpe?g|gif|svg|webp)$/i.test(path)) return image(path, "");
    if (/^(?:https?|mailto):/.test(target)) return element("a", said ?? [words(target)], { href: target });
    const place = this.#places.get(target.replace(/^\*/, "").toLowerCase()) ?? (target.startsWith("#") ? target.slice(1) : undefined);
    if (place !== undefined) return element("a", said ?? [words(place)], { href: `#${encodeURIComponent(place)}` });
    const [, unique] = /^id:(.+)$/.exec(target) ?? [];
    const other = unique === undefined ? null : this.others.place(`#ID-${unique}`);
    if (other !== null) return element("a", said ?? [words(other.title)], { href: `${rooted(other.key)}#ID-${unique}` });
    const isPath = path !== target || /[./]/.test(path);
    return isPath && !/^[a-z-]+:/.test(path)
      ? element("a", said ?? [], { href: encodeURI(path) })
      : element("span", said ?? [words(target.replace(/^[a-z-]+:/, ""))]);
  }
}

function signFor(name: string): Nodes | null {
  const sign = SIGNS.get(name) ?? namedSign(name);
  return sign === undefined ? null : [words(sign)];
}

/** A part that is taken in as it is written, or as code. */
function readInclude(line: string): PartLine | null {
  const [, path = "", rest = ""] = /^\s*#\+include:\s+"?([^"\s]+)"?(.*)$/i.exec(line) ?? [];
  if (path === "" || /^https?:/.test(path)) return null;
  const [, kind = "", language = ""] = /^\s+(src|example|export)\b(?:\s+([^:\s]\S*))?/.exec(rest) ?? [];
  const [, spans] = /:lines\s+"?([\d-]+)"?/.exec(rest) ?? [];
  const own = kind === "example" ? "example" : "src";
  const take = (all: readonly string[]): readonly string[] => {
    const lines = spans === undefined ? all : linesBetween(all, spans);
    return kind === "" ? lines : [`#+begin_${own} ${language}`, ...lines, `#+end_${own}`];
  };
  return { path: path.replace(/::.*$/, ""), take };
}

/** Parts the tags from a heading. */
function splitTags(written: string): readonly [title: string, tags: string | undefined] {
  const tags = /\s(:[\w@#%:]{1,200}:)$/.exec(written.slice(-MAX_TAGS))?.[1];
  return [written.slice(0, written.length - (tags?.length ?? 0)).trim(), tags];
}

function splitTerm(text: string): readonly [term: string | null, said: string] {
  const at = text.search(/\s::(?:\s|$)/);
  return at < 0 ? [null, text] : [text.slice(0, at), text.slice(at + 3).trim()];
}

/** Jupyter notebooks: cells of prose as Markdown, cells of code with what they printed and drew. A passage stands in one cell, whose number is
 *  its `page`, and its lines are those of the cell's text as it is read here: code and outputs stand in fences, as Markdown has them.
 *  All of it is of whoever wrote the notebook, its images too: they are shown only when their bytes are pixels of a known type. A PNG is a file beside
 *  the page, as an image of a PDF's page is; what is tiny or of another type is a part of the page. */
import type { Element, Root, RootContent } from "hast";
import { fileTypeFromBuffer } from "file-type";
import { sha256 } from "#snapshots/digest";
import { objectPath, pageImagePath, pagePath, relativeHref } from "#snapshots/format";
import { escapeHtml, highlightLines, loadLanguage } from "#snapshots/highlight";
import type { Passage } from "#snapshots/schema";
import { notebookAbout } from "./about.ts";
import { MAX_SHOWN, type Body, type SourceText } from "./body.ts";
import { cleanTree } from "./clean.ts";
import { findDeclarations } from "./declarations.ts";
import { noteLines, renderClean } from "./dress.ts";
import { addHeadings, openHeadings, type OpenHeading } from "./headings.ts";
import { parsePart, textOf as htmlText, TooComplex } from "./html-tree.ts";
import { readFrontMatter } from "./front-matter.ts";
import { readJson } from "./json.ts";
import { clearAsides, openLines } from "#snapshots/blocks";
import { findSummary, findTitle } from "./first-words.ts";
import { findProblem, parseMarkdown } from "./markdown.ts";
import { cutPassages, headingPath, shorten, type Mark } from "./passages.ts";
import { type DrawnPage, MAX_IMAGE_BYTES } from "./pdf-images.ts";

const MAX_CELLS = 10_000;
const MAX_OUTPUT = 20_000; // UTF-16 units of one output that are read; a loop prints for ever
const MAX_IMAGE = 400_000; // characters of base64 of one image in the page
const MAX_IMAGES = 1_200_000; // of all of them
const SMALL_IMAGE = 2_000; // bytes: below, a request would cost more
const MAX_FILES = 12_000_000; // bytes of all images that are files
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const TERMINAL = /\u001b\[[0-9;?]*[A-Za-z]/g; // colours of a terminal, in what programs print

/** HANDLE is text that a cell which draws returns besides: `<AxesSubplot:>`, `[<matplotlib.lines.Line2D at 0x7f>]`, `Text(0.5, 1.0, 'Age')`. */
const HANDLE = /^(?:\[?<[^\n]*>\]?|Text\([^\n]*\)|array\(\[+<[^]*dtype=object\))$/;
const DECLARES = /\b(?:class|def|function|module|struct)\b/;

type Image = { readonly type: string; readonly base64: string };
/** Text as it was printed, or in a form that is shown as one: Markdown, a formula or a fragment of HTML. */
type Output = { readonly text: string } | { readonly markdown: string } | { readonly html: string } | Image;
type Cell = {
  readonly kind: "prose" | "code";
  readonly source: string;
  readonly outputs: readonly Output[];
  /** Pictures that prose shows by their names. */
  readonly attached: ReadonlyMap<string, Image>;
  /** How many outputs are of types that are not shown. */
  readonly left: number;
};
type Notebook = {
  readonly cells: readonly Cell[];
  readonly kernel: string | null;
  readonly language: string | null;
  readonly title: string | null;
};
/** Raw nodes among them are ours. */
type Shown = Root["children"];

export async function readNotebook(source: SourceText, mediaType: string, fallbackTitle: string): Promise<Body> {
  const value = parse(source.text);
  const notebook = value === null ? null : openNotebook(value);
  if (value === null || notebook === null) return await readAsJson(source, mediaType, "it has no cells that could be read");
  await loadLanguage(notebook.language);
  const reading = new NotebookReading(source.key, notebook);
  for (const [at, cell] of notebook.cells.slice(0, MAX_CELLS).entries()) await reading.add(at + 1, cell);
  try {
    return { ...(await reading.finish(fallbackTitle)), about: notebookAbout(value["metadata"]) };
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    return await readAsJson(source, mediaType, `it has ${error.message}`);
  }
}

async function readAsJson(source: SourceText, mediaType: string, reason: string): Promise<Body> {
  const body = await readJson(source, mediaType);
  return { ...body, notes: [...body.notes, `This notebook is shown as JSON: ${reason}.`] };
}

class NotebookReading {
  readonly #key: string;
  readonly #notebook: Notebook;
  readonly #passages: Passage[] = [];
  readonly #shown: Shown = [];
  readonly #notes: string[] = [];
  /** Open headings: they go on from cell to cell. */
  readonly #path: OpenHeading[] = [];
  #title: string | null = null;
  #summary = "";
  /** Prose above the title: in many books the same in each notebook. */
  #above = "";
  #units = 0;
  #cut = 0;
  #images = 0;
  readonly #files: DrawnPage[] = [];
  #left = 0;

  constructor(key: string, notebook: Notebook) {
    this.#key = key;
    this.#notebook = notebook;
  }

  async add(number: number, cell: Cell): Promise<void> {
    this.#units += cell.source.length;
    if (this.#units > MAX_SHOWN && this.#cut === 0) this.#cut = number;
    this.#left += cell.left;
    if (cell.kind === "prose") {
      this.#addProse(number, cell.source);
      for (const [name, image] of cell.attached) if (cell.source.includes(`attachment:${name}`)) await this.#addImage(number, image);
    } else await this.#addCode(number, cell);
  }

  #addProse(number: number, written: string): void {
    const front = number === 1 ? readFrontMatter(written).lines : 0;
    const text = clearAsides("\n".repeat(front) + written.split("\n").slice(front).join("\n"), "markdown");
    if (text.trim() === "") return;
    const tree = findProblem(text) === null && text.length <= MAX_SHOWN ? parseMarkdown(text) : null;
    const lines = openLines(text);
    const list = openHeadings(lines, this.#path);
    list.marks.push({ line: 1, heading: this.#heading(), name: null });
    if (tree !== null) {
      this.#title ??= findTitle(tree);
      if (this.#title === null) this.#above ||= findSummary(tree);
      else this.#summary ||= findSummary(tree);
      addHeadings(lines, "markdown", list);
      // A heading alone says nothing: the cells below it have it in their path.
      const isHeading = tree.children.every((child) => child.type !== "element" || /^h[1-6]$/.test(child.tagName));
      if (!isHeading || number === this.#notebook.cells.length) this.#addPassages(number, text, list.marks);
    } else this.#addPassages(number, text, list.marks);
    if (this.#cut > 0) return;
    this.#shown.push(...(tree === null ? [plainText(text, `P${number}L1`)] : showProse(tree, number, text)));
  }

  async #addCode(number: number, { source, outputs }: Cell): Promise<void> {
    const { language } = this.#notebook;
    const code = source.trim() === "" ? [] : [fenced(source, language ?? "")];
    const declared = this.#declarations(source);
    // The line of the fence is no passage.
    const marks = [{ line: 1, heading: this.#heading(), name: null, opens: declared[0]?.line === 2 }, ...declared];
    const isDrawn = outputs.some((output) => "base64" in output);
    const texts = outputs.flatMap((output) =>
      "text" in output && output.text.trim() !== "" && !(isDrawn && HANDLE.test(output.text.trim())) ? [output.text] : [],
    );
    const parts = [...code, ...texts.map((text) => fenced(text, ""))];
    this.#addPassages(number, parts.join("\n"), marks);
    for (const text of texts) this.#units += text.length;
    if (this.#cut > 0) return;
    const starts = new Set(this.#passages.filter(({ page }) => page === number).map(({ start_line: line }) => line));
    let line = 1;
    for (const [at, text] of [...(code.length === 0 ? [] : [source]), ...texts].entries()) {
      const isCode = at < code.length;
      const rows = highlightLines(text.replaceAll("\r", "").replace(/\n$/, ""), isCode ? language : null);
      const marked = rows.map((row, n) => (starts.has(line + 1 + n) ? `<span id="P${number}L${line + 1 + n}">${row}</span>` : row));
      const label = isCode ? "" : ` role="group" aria-label="Output"`;
      this.#shown.push(
        raw(`<pre class="${isCode ? "code" : "code output"}" id="P${number}L${line}"${label}><code>${marked.join("\n")}</code></pre>\n`),
      );
      line += (parts[at] ?? "").split("\n").length;
    }
    for (const output of outputs) {
      if ("base64" in output) await this.#addImage(number, output);
      else if ("markdown" in output) this.#addProse(number, output.markdown);
      else if ("html" in output) this.#addHtml(number, output.html);
    }
  }

  /** Shows what is harmless of a fragment that a program wrote, most often a table. */
  #addHtml(number: number, html: string): void {
    try {
      const clean = cleanTree(parsePart(html));
      const words = htmlText(clean)
        .replaceAll(/[ \t]*\n\s*/g, "\n")
        .trim();
      if (words === "") this.#left++;
      else {
        this.#addPassages(number, words, [{ line: 1, heading: this.#heading(), name: null }]);
        this.#shown.push(...clean.children);
      }
    } catch (error) {
      if (!(error instanceof TooComplex)) throw error;
      this.#left++;
    }
  }

  /** Names the functions that a cell declares, below the line of its fence. */
  #declarations(source: string): readonly Mark[] {
    const { language } = this.#notebook;
    const found = language === null ? null : findDeclarations(openLines(source), language);
    const heading = this.#heading();
    // A cell's values are its own business: what it declares for others are functions and types.
    const rows = source.split("\n");
    return (found ?? [])
      .filter(({ line }) => DECLARES.test(rows[line - 1] ?? ""))
      .map((mark) => ({ ...mark, line: mark.line + 1, heading }));
  }

  async #addImage(number: number, { base64, type }: Image): Promise<void> {
    const bytes = Buffer.from(base64, "base64");
    const mime = (await fileTypeFromBuffer(bytes))?.mime ?? "";
    const src = mime !== type || !IMAGE_TYPES.includes(mime) ? null : (this.#addFile(bytes, mime) ?? this.#inPage(bytes, mime));
    if (src === null) this.#left++;
    else this.#shown.push(raw(`<p><img ${src} alt="Drawn by cell ${number}" loading="lazy"></p>\n`));
  }

  /** @returns attributes of an image that lies in a file of its own; null when it is to be none */
  #addFile(bytes: Buffer, mime: string): string | null {
    const used = this.#files.reduce((sum, { size }) => sum + size, bytes.length);
    if (mime !== "image/png" || bytes.length < SMALL_IMAGE || bytes.length > MAX_IMAGE_BYTES || used > MAX_FILES) return null;
    const [width, height, page] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20), this.#files.length + 1];
    if (width === 0 || height === 0) return null;
    this.#files.push({ page, width, height, sha256: sha256(bytes), size: bytes.length, png: Uint8Array.from(bytes) });
    const href = escapeHtml(relativeHref(pagePath.object(this.#key), pageImagePath(this.#key, page)));
    return `src="${href}" width="${width}" height="${height}"`;
  }

  #inPage(bytes: Buffer, mime: string): string | null {
    const size = Math.ceil(bytes.length / 3) * 4;
    if (size > MAX_IMAGE || this.#images + size > MAX_IMAGES) return null;
    this.#images += size;
    return `src="data:${mime};base64,${bytes.toString("base64")}"`;
  }

  #heading(): readonly string[] {
    return headingPath(this.#path.map(({ title }) => title));
  }

  #addPassages(number: number, text: string, marks: readonly Mark[]): void {
    for (const passage of cutPassages(openLines(text), marks)) this.#passages.push({ ...passage, page: number });
  }

  async finish(fallbackTitle: string): Promise<Body> {
    const { cells, kernel, title: named } = this.#notebook;
    const title = named ?? this.#title;
    const html = await renderClean({ type: "root", children: this.#shown }, { key: this.#key, title: title ?? fallbackTitle });
    const whole = escapeHtml(relativeHref(pagePath.object(this.#key), objectPath(this.#key)));
    const cut =
      this.#cut === 0
        ? ""
        : `\n<p class="cut">Shown up to cell ${this.#cut - 1} of ${cells.length}; <a href="${whole}">the whole file</a>.</p>`;
    const code = cells.filter(({ kind }) => kind === "code");
    const facts = [
      ...(kernel === null ? [] : [["Kernel", kernel]]),
      [
        "Cells",
        `${cells.length - code.length} of prose, ${code.length} of code, ${code.filter(({ outputs, left }) => outputs.length + left > 0).length} with output`,
      ],
    ];
    if (this.#left > 0)
      this.#notes.push(
        `${this.#left === 1 ? "One output" : `${this.#left} outputs`} of this notebook cannot be shown here: of a type that is not shown, damaged or too large.`,
      );
    if (cells.length > MAX_CELLS) this.#notes.push(`Only the first ${MAX_CELLS} cells of this notebook are read.`);
    const summary = this.#summary || this.#above;
    return { title, summary, passages: this.#passages, html: html + cut, facts, notes: this.#notes, drawn: this.#files };
  }
}

function showProse(tree: Root, number: number, text: string): Shown {
  noteLines(tree, number);
  try {
    return cleanTree(tree).children;
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    return [plainText(text, `P${number}L1`)];
  }
}

function raw(value: string): RootContent {
  return { type: "raw", value };
}

function plainText(text: string, id: string): Element {
  return { type: "element", tagName: "pre", properties: { id }, children: [{ type: "text", value: text }] };
}

/** As Markdown writes code, between fences that are longer than any in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

type Members = Readonly<Record<string, unknown>>;

/** Python writes numbers that are none, which JSON does not know. */
const NO_NUMBER = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

function parse(text: string): Members | null {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  for (const written of [json, json.replaceAll(NO_NUMBER, (part) => (part.startsWith('"') ? part : "null"))])
    try {
      return membersOf(JSON.parse(written));
    } catch {
      // Tried again, or told as no JSON.
    }
  return null;
}

function membersOf(value: unknown): Members | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : null;
}

/** @returns null for what is no notebook of format 3 or 4. Cells of kinds that the format does not have are left out. */
function openNotebook(value: Members): Notebook | null {
  const { metadata: about, nbformat, worksheets } = value;
  const [sheet] = Array.isArray(worksheets) ? worksheets : [];
  const listed = nbformat === 3 ? membersOf(sheet)?.["cells"] : value["cells"];
  if (!Array.isArray(listed) || (nbformat !== 4 && nbformat !== 3)) return null;
  const cells = listed.map(openCell);
  if (listed.length > 0 && cells.every((cell) => cell === null)) return null;
  const metadata = membersOf(about) ?? {};
  const kernel = membersOf(metadata["kernelspec"]) ?? {};
  const written = membersOf(metadata["language_info"]) ?? {};
  const language = lineOf(written["name"]) ?? lineOf(kernel["language"]);
  return {
    cells: cells.filter((cell) => cell !== null),
    kernel: lineOf(kernel["display_name"]) ?? lineOf(kernel["name"]) ?? language,
    language: language !== null && /^[A-Za-z][\w+-]{0,30}$/.test(language) ? language.toLowerCase() : null,
    title: lineOf(metadata["title"]) ?? titleOf(listed[0]),
  };
}

function lineOf(value: unknown): string | null {
  return typeof value === "string" ? shorten(value, 120) || null : null;
}

/** Quarto and nbdev name a notebook in a raw cell above the others, and MyST in one of prose. */
function titleOf(first: unknown): string | null {
  const cell = membersOf(first) ?? {};
  return cell["cell_type"] === "raw" || cell["cell_type"] === "markdown" ? readFrontMatter(textOf(cell["source"]) ?? "").title : null;
}

function openCell(value: unknown): Cell | null {
  const cell = membersOf(value);
  if (cell === null) return null;
  // Format 3 says "input", and has headings of their own.
  const source = textOf(cell["source"]) ?? textOf(cell["input"]) ?? "";
  const type = cell["cell_type"];
  const prose = { kind: "prose" as const, outputs: [], attached: attachedTo(cell), left: 0 };
  if (type === "markdown") return { ...prose, source };
  if (type === "heading") return { ...prose, source: `${"#".repeat(Math.min(6, Math.max(1, Number(cell["level"]) || 1)))} ${source}` };
  // A "raw" cell holds text for another program, as a cell of code does.
  if (type !== "code" && type !== "raw") return null;
  const listed = Array.isArray(cell["outputs"]) ? cell["outputs"] : [];
  const outputs = listed.map((output) => openOutput(membersOf(output) ?? {}));
  return { kind: "code", source, outputs: outputs.flat(), attached: new Map(), left: outputs.filter((some) => some.length === 0).length };
}

function attachedTo(cell: Members): ReadonlyMap<string, Image> {
  const attached = Object.entries(membersOf(cell["attachments"]) ?? {});
  return new Map(
    attached.flatMap(([name, data]) =>
      IMAGE_TYPES.flatMap((type) => {
        const base64 = textOf(membersOf(data)?.[type]);
        return base64 === null ? [] : [[name, { type, base64 }] as const];
      }),
    ),
  );
}

/** Several lines, or one text. */
function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  return Array.isArray(value) && value.every((line) => typeof line === "string") ? value.join("") : null;
}

/** openOutput returns what a program printed, or the best of the forms in which it gave a result: pixels, else text. */
function openOutput(output: Members): readonly Output[] {
  const printed = textOf(output["text"]);
  if (printed !== null) return [printedText(printed)];
  if (output["output_type"] === "error") {
    const trace = textOf([output["traceback"]].flat().map((line) => `${String(line)}\n`)) ?? "";
    return [printedText(trace.trim() === "" ? `${lineOf(output["ename"]) ?? "Error"}: ${lineOf(output["evalue"]) ?? ""}` : trace)];
  }
  // Format 3 has the forms beside one another.
  const data = membersOf(output["data"]) ?? {
    "image/png": output["png"],
    "image/jpeg": output["jpeg"],
    "text/html": output["html"],
    "text/latex": output["latex"],
  };
  for (const type of IMAGE_TYPES) {
    const base64 = textOf(data[type]);
    if (base64 !== null) return [{ type, base64 }];
  }
  const of = (type: string): string | null => textOf(data[type])?.slice(0, MAX_OUTPUT) ?? null;
  const [html, markdown, latex, plain] = ["text/html", "text/markdown", "text/latex", "text/plain"].map(of);
  if (markdown !== null && markdown !== undefined) return [{ markdown }];
  if (latex !== null && latex !== undefined) return [{ markdown: /^\s*(?:\$|\\begin)/.test(latex) ? latex : `$$\n${latex}\n$$` }];
  if (html !== null && html !== undefined && (/<table\b/i.test(html) || plain === null)) return [{ html }];
  if (plain !== null && plain !== undefined) return [printedText(plain)];
  const json = data["application/json"];
  return json === undefined ? [] : [printedText(JSON.stringify(json, null, 2))];
}

function printedText(text: string): Output {
  const read = text
    .slice(0, MAX_OUTPUT)
    .replaceAll(TERMINAL, "")
    .replaceAll(/[^\n]*\r(?!\n|$)/g, "");
  return { text: text.length > MAX_OUTPUT ? `${read}\n…` : read };
}

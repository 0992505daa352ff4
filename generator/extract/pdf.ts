/** PDF: the text layer, page by page, in lines and paragraphs, each line with an anchor of its own: `#P3L12`, beside images of the
 *  pages where they are made (pdf-images.ts). A PDF is a program of its author's: run it in a process that may be
 *  killed (pool.ts). */
import { getDocumentProxy } from "unpdf";
import type { PageImage, Passage } from "#snapshots/schema";
import { nameSome, objectPath, pageImagePath, pagePath, relativeHref, countOf } from "#snapshots/format";
import { NO_ABOUT, pdfAbout } from "./about.ts";
import { EMPTY_BODY, isSummary, MAX_SHOWN, MAX_SHOWN_LINES, MAX_SUMMARY, type Body } from "./body.ts";
import { escapeHtml } from "#snapshots/highlight";
import { MAX_LENGTH, MIN_LENGTH, shorten, TARGET_LENGTH } from "./passages.ts";
import { type DrawPages, readPageText } from "./pdf-images.ts";
import { findParagraphs, isHeading, type Line, longer, readLines, tidyPages, usualHeight } from "./pdf-lines.ts";

const MAX_PAGES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
const UNDRAWN_FROM_HERE = '<p class="cut">From here on the pages are shown as text alone.</p>\n';
/** Entries of a list of contents, and how deep they may lie: its author decides both. */
const MAX_ENTRIES = 200;
const MAX_DEPTH = 3;
const MAX_NAMED = 80; // characters of a title, in the name of an image

/** A line of its own, or the beginning of a paragraph. */
const ABSTRACT = /^abstract(?:$|\s*[.:\p{Pd}])/iu;

const MAX_TITLE_LINES = 6;
const MAX_HEADING_LINES = 2; // more are names, or a page in large type
const MAX_INDENT = 40; // signs

/** Lines with where their paragraphs begin. */
type Page = { readonly number: number; readonly lines: readonly Line[]; readonly opens: readonly boolean[] };

/** readPdf reads a PDF. It never throws for a broken one: what could not be read is in the notes. */
export async function readPdf(key: string, bytes: Uint8Array, draw: DrawPages | null): Promise<Body> {
  if (bytes.length > MAX_BYTES) return { ...EMPTY_BODY, notes: ["This PDF is too large to read its text."] };
  const notes: string[] = [];
  const passages: Passage[] = [];
  // First: what draws may end the process, which then begins again behind the page that it ended at.
  const { images, failed } = (await draw?.(bytes)) ?? { images: [], failed: [] };
  const view = openView(key, images);
  let summary = "";
  let title: string | null = null;
  let about = NO_ABOUT;
  let outline: Entry[] = [];
  let pdf: Awaited<ReturnType<typeof getDocumentProxy>> | null = null;
  const tables = openTables();
  try {
    // The reader takes the buffer over, so it gets a copy.
    pdf = await getDocumentProxy(Uint8Array.from(bytes), {
      verbosity: 0,
      useSystemFonts: false,
      disableFontFace: true,
      cMapUrl: TABLES,
      BinaryDataFactory: tables.Factory,
    });
    const info = await readInfo(pdf);
    title = titleOf(info);
    about = pdfAbout(info["Author"], info["CreationDate"]);
    const pages = Math.min(pdf.numPages, MAX_PAGES);
    if (pdf.numPages > MAX_PAGES) notes.push(`Searched are the first ${MAX_PAGES} of ${countOf(pdf.numPages, "page")}.`);
    view.open(title ?? "", pdf.numPages);
    outline = await readOutline(pdf).catch(() => []);
    const broken: number[] = [];
    let others: ReadonlyMap<number, readonly string[]> | null = null;
    const read: { readonly number: number; readonly lines: readonly Line[] }[] = [];
    for (let number = 1; number <= pages; number++) {
      try {
        const page = await pdf.getPage(number);
        const content = await page.getTextContent();
        let lines: readonly Line[] = readLines(content.items, content.styles);
        if (tables.asked()) {
          others ??= await readPageText(bytes, rangeOf(number, pages));
          lines = longer(lines, others.get(number) ?? []);
        }
        if (number === 1) {
          title ??= findLargest(lines);
          view.open(title ?? "", pdf.numPages);
        }
        read.push({ number, lines });
        page.cleanup();
      } catch {
        broken.push(number);
        read.push({ number, lines: [] });
      }
    }
    const usual = usualHeight(read);
    for (const { number, lines } of tidyPages(read)) {
      const page = { number, lines, opens: findParagraphs(lines, usual) };
      if (summary === "") summary = findSummary(page, title);
      packLines(page, passages);
      view.add(page, usual);
    }
    if (broken.length > 0) notes.push(`${nameOfPages(broken)} of this PDF could not be read.`);
    else if (others?.has(pages) === false) notes.push("Letters of some fonts of this PDF could not be read.");
    else if (passages.length === 0) notes.push("This PDF has no text layer.");
    if (failed === null) notes.push("The pages of this PDF could not be drawn.");
  } catch (error) {
    const encrypted = error instanceof Error && error.name === "PasswordException";
    for (const { page: number } of images) view.add({ number, lines: [], opens: [] });
    notes.push(encrypted ? "This PDF is encrypted; its text cannot be read." : "This PDF is damaged; its text cannot be read.");
  } finally {
    await pdf?.loadingTask.destroy().catch(() => undefined);
  }
  if (failed !== null && failed.length > 0) notes.push(`${nameOfPages(failed)} of this PDF could not be drawn.`);
  return { title, summary, passages, html: view.html() || null, notes, about, images, outline };
}

/** Where the tables of letters would lie that fonts only name; the reader has none of them. */
const TABLES = "tables/";

/** @returns what the reader asks for its tables, and whether it has */
function openTables(): { readonly Factory: new () => { fetch(asked: { readonly kind: string }): Promise<never> }; asked(): boolean } {
  let asked = false;
  return {
    Factory: class {
      async fetch({ kind }: { readonly kind: string }): Promise<never> {
        asked ||= kind === "cMapUrl";
        throw new Error("There are no such tables.");
      }
    },
    asked: () => asked,
  };
}

function* rangeOf(first: number, last: number): Generator<number> {
  for (let number = first; number <= last; number++) yield number;
}

type Entry = NonNullable<Body["outline"]>[number];
type Item = { readonly title: string; readonly dest: string | readonly unknown[] | null; readonly items: readonly Item[] };

/** readOutline returns the contents that a file lists, in their order. An entry that leads to no page of the file is left out. */
async function readOutline(pdf: Awaited<ReturnType<typeof getDocumentProxy>>): Promise<Entry[]> {
  const entries: Entry[] = [];
  let looked = 0;
  const read = async (items: readonly Item[], depth: number): Promise<void> => {
    for (const { title, dest, items: below } of items) {
      if (looked++ >= MAX_ENTRIES) return;
      const place = typeof dest === "string" ? await pdf.getDestination(dest) : dest;
      const target: unknown = place?.[0];
      const index = typeof target === "number" ? target : await pdf.getPageIndex(target as never).catch(() => -1);
      const named = shorten(title.replaceAll(/[\s\p{Cc}]+/gu, " ").trim(), MAX_NAMED);
      if (named !== "" && Number.isInteger(index) && index >= 0 && index < pdf.numPages)
        entries.push({ title: named, page: index + 1, depth });
      if (depth + 1 < MAX_DEPTH) await read(below, depth + 1);
    }
  };
  await read(((await pdf.getOutline()) ?? []) as readonly Item[], 0);
  return entries;
}

/** The text as a page shows it: paragraphs below the number of each page, beside its image where there is one. */
function openView(
  key: string,
  images: readonly PageImage[],
): { open(title: string, pages: number): void; add(page: Page, usual?: number): void; html(): string } {
  const imageOf = new Map(images.map((image) => [image.page, image]));
  const lastImage = images.at(-1)?.page ?? -1;
  const hrefOf = (path: string): string => escapeHtml(relativeHref(pagePath.object(key), path));
  let title = "";
  let pages = 0;
  let html = "";
  let units = 0;
  let count = 0;
  let cut = "";
  const showImage = ({ page, width, height }: PageImage): string => {
    const href = hrefOf(pageImagePath(key, page));
    const alt = escapeHtml(`Page ${page} of ${title === "" ? "this PDF" : shorten(title, MAX_NAMED)}`).replaceAll('"', "&quot;");
    return `<a href="${href}"><img src="${href}" alt="${alt}" width="${width}" height="${height}" loading="lazy" decoding="async"></a>\n`;
  };
  return {
    open(named, counted) {
      title = named;
      pages = counted;
    },
    add({ number, lines, opens }, usual = 0) {
      const image = imageOf.get(number);
      if ((lines.length === 0 && image === undefined) || cut !== "") return;
      units += lines.reduce((sum, line) => sum + line.text.length, 0);
      count += lines.length;
      if (number > 1 && (units > MAX_SHOWN || count > MAX_SHOWN_LINES)) {
        cut = `<p class="cut">Shown up to page ${number - 1} of ${pages}; <a href="${hrefOf(objectPath(key))}">the whole file</a>.</p>`;
        return;
      }
      const text = formatLines(number, lines.slice(0, MAX_SHOWN_LINES), opens, usual);
      const heading = `<h2 id="page-${number}" class="quiet">Page ${number}</h2>\n`;
      if (image === undefined) html += (number === lastImage + 1 ? UNDRAWN_FROM_HERE : "") + heading + text;
      else html += `${heading}<div class="leaf">\n${showImage(image)}${text === "" ? "" : `<div>\n${text}</div>\n`}</div>\n`;
    },
    html: () => html + cut,
  };
}

/** Paragraphs, headings in larger type, and code in type whose signs are equally wide. */
function formatLines(page: number, lines: readonly Line[], opens: readonly boolean[], usual: number): string {
  let html = "";
  for (let from = 0; from < lines.length; ) {
    const next = opens.indexOf(true, from + 1);
    const part = lines.slice(from, next === -1 ? undefined : next);
    const [tag, left] = part.every(({ grid }) => grid !== null)
      ? ["pre", Math.min(...part.map(({ grid }) => grid?.x ?? 0))]
      : [part.length <= MAX_HEADING_LINES && part.every((line) => isHeading(line, usual)) ? "h3" : "p", null];
    const shown = part.map(({ text, grid }, at) => {
      const indent = left === null || grid === null ? 0 : Math.min(MAX_INDENT, Math.round((grid.x - left) / Math.max(1, grid.advance)));
      return `${" ".repeat(indent)}<span id="P${page}L${from + at + 1}">${escapeHtml(text.slice(0, MAX_LENGTH))}</span>`;
    });
    html += `<${tag}>${shown.join("\n")}</${tag}>\n`;
    from += part.length;
  }
  return html;
}

/** The first long paragraph, below the word "Abstract" where there is one, without the title that stands above it. */
function findSummary({ lines, opens }: Page, title: string | null): string {
  const starts = lines.flatMap((_, index) => (opens[index] === true ? [index] : []));
  const paragraphs = starts.map((start, at) =>
    lines
      .slice(start, starts[at + 1])
      .map(({ text }) => text)
      .filter((text) => !/^abstract$/i.test(text))
      .join("\n")
      .replaceAll("\n", " "),
  );
  const abstract = starts.findIndex((start) => ABSTRACT.test(lines[start]?.text ?? ""));
  for (const text of paragraphs.slice(Math.max(0, abstract))) {
    const bare = title !== null && text.startsWith(title) ? text.slice(title.length).trimStart() : text;
    const prose = bare.replace(ABSTRACT, "").replace(/^[\s.:\p{Pd}]+/u, "");
    if (prose.length > 80 && isSummary(prose)) return shorten(prose, MAX_SUMMARY);
  }
  return "";
}

async function readInfo(pdf: Awaited<ReturnType<typeof getDocumentProxy>>): Promise<Readonly<Record<string, unknown>>> {
  try {
    return { ...(await pdf.getMetadata()).info };
  } catch {
    return {};
  }
}

/** Titles that programs write where nobody gave one: their own name, or that of the file which they made the PDF of. */
const NO_TITLE = /^(?:untitled|microsoft word)|^(?:[^\s/\\]+|\S*[/\\].*)\.(?:dvi|tex|e?ps|pdf|docx?|odt|rtf|indd|pptx?|xlsx?|html?|txt)$/i;

function titleOf({ Title: title }: Readonly<Record<string, unknown>>): string | null {
  return typeof title === "string" && /\p{L}/u.test(title) && !NO_TITLE.test(title.trim()) ? title : null;
}

/** The line set in the largest type on the first page, when it stands out: the title of most papers. */
function findLargest(lines: readonly Line[]): string | null {
  const heights = lines.map((line) => line.height).sort((a, b) => a - b);
  // A title page has few lines, and most of them are large.
  const usual = heights[Math.floor(heights.length / 4)] ?? 0;
  const largest = heights.at(-1) ?? 0;
  if (largest === 0 || largest < usual * 1.25 || heights.indexOf(largest) < heights.length - MAX_TITLE_LINES) return null;
  const first = lines.findIndex((line) => line.height === largest);
  let title = "";
  for (let at = first; lines[at]?.height === largest && at < first + 4; at++) title += `${title === "" ? "" : " "}${lines[at]?.text ?? ""}`;
  return /\p{L}{2}/u.test(title) ? title : null;
}

function nameOfPages(pages: readonly number[]): string {
  return `${pages.length === 1 ? "Page" : "Pages"} ${nameSome(pages, 10)}`;
}

function packLines({ number: page, lines, opens }: Page, passages: Passage[]): void {
  let text = "";
  let start = 1;
  const flush = (end: number): void => {
    if (/\p{L}\p{L}/u.test(text)) passages.push({ heading: [], name: null, page, start_line: start, end_line: end, text });
    text = "";
  };
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    const paragraph = opens[index] === true;
    const piece = line.text.slice(0, MAX_LENGTH);
    const full = text.length + piece.length + 1;
    if (text !== "" && ((paragraph && full > TARGET_LENGTH && text.length >= MIN_LENGTH) || full > (MAX_LENGTH + TARGET_LENGTH) / 2))
      flush(number - 1);
    if (text === "") start = number;
    text += text === "" ? piece : `\n${piece}`;
  }
  flush(lines.length);
}

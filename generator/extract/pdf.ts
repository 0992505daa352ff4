/** PDF: the text layer, page by page, in lines and paragraphs. A PDF is a program of its author's: run it in a process that may be
 *  killed (pool.ts). */
import { getDocumentProxy } from "unpdf";
import type { Passage } from "../../snapshots/schema/extract.ts";
import { EMPTY_BODY, isProse, MAX_SUMMARY, type Body } from "./body.ts";
import { MAX_LENGTH, MIN_LENGTH, shorten, TARGET_LENGTH } from "./passages.ts";

const MAX_PAGES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
/** A gap between two lines this many times their usual distance begins a paragraph. */
const PARAGRAPH_GAP = 1.35;

type Line = { readonly text: string; readonly y: number; readonly height: number };

/** Never throws for broken ones: what could not be read is in the notes. */
export async function readPdf(bytes: Uint8Array): Promise<Body> {
  if (bytes.length > MAX_BYTES) return { ...EMPTY_BODY, notes: ["This PDF is too large to read its text."] };
  const notes: string[] = [];
  const passages: Passage[] = [];
  let title: string | null = null;
  let pdf: Awaited<ReturnType<typeof getDocumentProxy>> | null = null;
  try {
    // The reader takes the buffer over, so it gets a copy.
    pdf = await getDocumentProxy(Uint8Array.from(bytes), {
      verbosity: 0,
      useSystemFonts: false,
      disableFontFace: true,
    });
    title = await readTitle(pdf);
    const pages = Math.min(pdf.numPages, MAX_PAGES);
    if (pdf.numPages > MAX_PAGES) notes.push(`Only the first ${MAX_PAGES} of ${pdf.numPages} pages are searched.`);
    const broken: number[] = [];
    for (let number = 1; number <= pages; number++) {
      try {
        const page = await pdf.getPage(number);
        const content = await page.getTextContent();
        const lines = readLines(content.items);
        if (number === 1) title ??= findLargest(lines);
        packLines(lines, number, passages);
        page.cleanup();
      } catch {
        broken.push(number);
      }
    }
    if (broken.length > 0) notes.push(`${broken.length === 1 ? "Page" : "Pages"} ${listPages(broken)} of this PDF could not be read.`);
    else if (passages.length === 0) notes.push("This PDF has no text layer.");
  } catch (error) {
    const encrypted = error instanceof Error && error.name === "PasswordException";
    notes.push(encrypted ? "This PDF is encrypted; its text cannot be read." : "This PDF is damaged; its text cannot be read.");
  } finally {
    await pdf?.loadingTask.destroy().catch(() => undefined);
  }
  const summary =
    passages
      .map((passage) => passage.text.replaceAll(/\n(?!\n)/g, " "))
      .flatMap((text) => text.split("\n"))
      .find((text) => text.length > 80 && isProse(text)) ?? "";
  return { title, summary: shorten(summary, MAX_SUMMARY), passages, html: null, notes };
}

async function readTitle(pdf: Awaited<ReturnType<typeof getDocumentProxy>>): Promise<string | null> {
  try {
    const { info } = await pdf.getMetadata();
    const title: unknown = "Title" in info ? info.Title : undefined;
    return typeof title === "string" && /\p{L}/u.test(title) && !/^(?:untitled|microsoft word)/i.test(title.trim()) ? title : null;
  } catch {
    return null;
  }
}

/** The line set in the largest type on the first page, when it stands out: the title of most papers. */
function findLargest(lines: readonly Line[]): string | null {
  const heights = lines.map((line) => line.height).sort((a, b) => a - b);
  const usual = heights[Math.floor(heights.length / 2)] ?? 0;
  const largest = heights.at(-1) ?? 0;
  if (largest < usual * 1.25) return null;
  const first = lines.findIndex((line) => line.height === largest);
  let title = "";
  for (let at = first; lines[at]?.height === largest && at < first + 4; at++) title += `${title === "" ? "" : " "}${lines[at]?.text ?? ""}`;
  return /\p{L}{2}/u.test(title) ? title : null;
}

function listPages(pages: readonly number[]): string {
  return pages.length <= 10 ? pages.join(", ") : `${pages.slice(0, 10).join(", ")} and ${pages.length - 10} more`;
}

/** Text runs joined to lines: a run that says so, or one on another height, ends a line. */
function readLines(items: readonly object[]): Line[] {
  const lines: Line[] = [];
  let text = "";
  let y: number | null = null;
  let height = 0;
  const flush = (): void => {
    const folded = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
    if (folded !== "") lines.push({ text: folded, y: y ?? 0, height });
    text = "";
    y = null;
    height = 0;
  };
  for (const item of items) {
    if (!("str" in item) || typeof item.str !== "string") continue;
    const transform: unknown = "transform" in item ? item.transform : null;
    const at = Array.isArray(transform) && typeof transform[5] === "number" ? transform[5] : null;
    const size = "height" in item && typeof item.height === "number" ? item.height : 0;
    if (y !== null && at !== null && item.str.trim() !== "" && Math.abs(at - y) > Math.max(height, size, 1) * 0.6) flush();
    text += item.str;
    if (item.str.trim() !== "") {
      y ??= at;
      height = Math.max(height, size);
    }
    if ("hasEOL" in item && item.hasEOL === true) flush();
  }
  flush();
  return lines;
}

function packLines(lines: readonly Line[], page: number, passages: Passage[]): void {
  const gaps = lines
    .slice(1)
    .map((line, index) => Math.abs((lines[index]?.y ?? 0) - line.y))
    .filter((gap) => gap > 0.5)
    .sort((a, b) => a - b);
  const usual = gaps[Math.floor(gaps.length / 2)] ?? 0;
  let text = "";
  let start = 1;
  const flush = (end: number): void => {
    if (/\p{L}\p{L}/u.test(text)) passages.push({ heading: [], name: null, page, start_line: start, end_line: end, text });
    text = "";
  };
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    const before = lines[index - 1];
    const gap = before === undefined ? 0 : Math.abs(before.y - line.y);
    const paragraph = before !== undefined && (gap > usual * PARAGRAPH_GAP || Math.abs(before.height - line.height) > before.height * 0.25);
    const piece = line.text.slice(0, MAX_LENGTH);
    const full = text.length + piece.length + 1;
    if (text !== "" && ((paragraph && full > TARGET_LENGTH && text.length >= MIN_LENGTH) || full > (MAX_LENGTH + TARGET_LENGTH) / 2))
      flush(number - 1);
    if (text === "") start = number;
    text += text === "" ? piece : `\n${piece}`;
  }
  flush(lines.length);
}

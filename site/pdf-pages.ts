/** PdfPage is one page of a PDF. The fragment of a PDF, sanitised already, is fitted into its page one such page at a time. */

export type PdfPage = {
  readonly number: number;
  /** Its image in a link to itself; "" for a page that is not drawn. */
  readonly image: string;
  /** Paragraphs; "" where the page of the site leaves them to a script, or there are none. */
  readonly text: string;
};

/** As ../generator/extract/pdf.ts writes it. */
const HEADING = /<h2 id="page-(\d+)" class="quiet">Page \d+<\/h2>\n/;
const LEAF = /^<div class="leaf">\n(<a href="[^"]*"><img [^>]*><\/a>)\n(?:<div>\n([^]*)<\/div>\n)?<\/div>\n/;
const CUT = /<p class="cut">[^]*?<\/p>\n?/g;

/** UTF-16 units of HTML: of all text, and of all that is in the page at first. What is beyond comes as it is turned to. */
const MAX_TEXT = 40 * 1024;
const MAX_HTML = 56 * 1024;

/** splitPages returns the first pages of a PDF, as many as a page of the site may hold. @param html of fitObjectHtml */
export function splitPages(html: string): readonly PdfPage[] {
  const pages: PdfPage[] = [];
  let [text, size] = [0, 0];
  const parts = html.replaceAll(CUT, "").split(HEADING).slice(1);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const content = parts[at + 1] ?? "";
    const [whole, image = "", beside = ""] = LEAF.exec(content) ?? [];
    const all = whole === undefined ? content : beside;
    const fits = pages.length === 0 || text + all.length <= MAX_TEXT;
    if (fits) text += all.length;
    size += image.length + (fits ? all.length : 0);
    if (pages.length > 0 && (size > MAX_HTML || (!fits && image === ""))) break;
    pages.push({ number: Number(parts[at]), image, text: fits ? all : "" });
  }
  return pages;
}

/** numbersOf tells which numbers of many pages are links: all of a hundred, every tenth of a thousand. */
export function numbersOf(count: number): readonly number[] {
  const step = [1, 5, 10, 50, 100].find((each) => count / each <= 100) ?? 500;
  return Array.from({ length: count }, (_, at) => at + 1).filter((number) => number === 1 || number === count || number % step === 0);
}

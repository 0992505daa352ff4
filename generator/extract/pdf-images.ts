/** Images of a PDF's pages: drawn by PDFium as WebAssembly that can do nothing but compute, written as grey PNG. The same bytes give the
 *  same images on every machine, so nothing of the machine's has a part in it: no font, and no zlib, whose output differs between
 *  processors. Run it in a process that may be killed (pool.ts). */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import type { PDFiumDocument, PDFiumLibrary } from "@hyzyla/pdfium";
import { zlibSync } from "fflate";
import { sha256 } from "#snapshots/digest";
import type { PageImage } from "#snapshots/schema";

const PDF_WASM = "pdfium.wasm";
/** Pixels of an image, about: an A4 page becomes 629 by 890, and print of ten points can be read. */
const PIXELS = 560_000;
/** Pixels to a point, at most: a stamp is not blown up to a page. */
const MAX_SCALE = 2;
/** Pixels of a side: a ribbon is not drawn a hundred times as long as it is wide. */
const MAX_SIDE = 2000;

/** MAX_IMAGE_BYTES is the most bytes of one image: a page of a PDF has 560,000 pixels of a byte. */
export const MAX_IMAGE_BYTES = 1024 * 1024;

/** A DrawnPage is an image with its bytes. */
export type DrawnPage = PageImage & { readonly png: Uint8Array };
export type DrawRequest = {
  /** How many pages, from the first. */
  readonly limit: number;
  /** Those that an earlier process has drawn, and those that processes ended at; 0 stands for opening the document. */
  readonly done: readonly PageImage[];
  readonly skip: readonly number[];
};
/** A Drawing is a message sent while a document is drawn: a page is begun (0: the document is opened) or done, or all of the document is. */
export type Drawing = { readonly page: number | "end"; readonly image: DrawnPage | null };
type Drawn = {
  /** Ascending. */
  readonly images: readonly PageImage[];
  /** Pages that have none although they should; null when it is all of them. */
  readonly failed: readonly number[] | null;
};
export type DrawPages = (bytes: Uint8Array) => Promise<Drawn>;

/** openDrawing makes the function that draws the pages of a document.
 *  @param tell hears of every step before the next one is made
 *  @throws only WebAssembly.RuntimeError, after which the process must not go on */
export function openDrawing(request: DrawRequest, tell: (step: Drawing) => Promise<void>): DrawPages {
  return async (bytes) => {
    const drawn = request.skip.includes(0) ? UNDRAWN : await drawPages(bytes, request, tell);
    await tell({ page: "end", image: null });
    return drawn;
  };
}

const UNDRAWN: Drawn = { images: [], failed: null };

async function drawPages(bytes: Uint8Array, { limit, done, skip }: DrawRequest, tell: (step: Drawing) => Promise<void>): Promise<Drawn> {
  await tell({ page: 0, image: null });
  let document: PDFiumDocument;
  try {
    document = await (await openLibrary()).loadDocument(bytes);
  } catch (error) {
    // The library says so in plain words when it refuses; anything else is its end.
    if (Object.getPrototypeOf(error) !== Error.prototype) throw stopped();
    return UNDRAWN;
  }
  const images = new Map(done.map((image) => [image.page, image]));
  const failed: number[] = [];
  const pages = Math.min(limit, document.getPageCount());
  for (let page = 1; page <= pages; page++) {
    if (images.has(page)) continue;
    if (skip.includes(page)) {
      failed.push(page);
      continue;
    }
    await tell({ page, image: null });
    const image = await drawPage(document, page);
    if (image === null) {
      failed.push(page);
      continue;
    }
    const { png: _, ...facts } = image;
    images.set(page, facts);
    await tell({ page, image });
  }
  document.destroy();
  return { images: [...images.values()].sort((a, b) => a.page - b.page), failed };
}

/** null for a page that cannot be drawn. */
async function drawPage(document: PDFiumDocument, number: number): Promise<DrawnPage | null> {
  const page = document.getPage(number - 1);
  const { originalWidth, originalHeight } = page.getOriginalSize();
  // A page that could not be loaded has no size; the document's author chooses the others.
  if (!(originalWidth > 0) || !(originalHeight > 0)) return null;
  const scale = Math.min(
    MAX_SCALE,
    Math.sqrt(PIXELS / (originalWidth * originalHeight)),
    MAX_SIDE / Math.max(originalWidth, originalHeight),
  );
  const side = (points: number): number => Math.max(1, Math.floor(points * scale));
  const width = side(originalWidth);
  const height = side(originalHeight);
  try {
    const { data } = await page.render({ width, height, scale: 1, colorSpace: "Gray", render: async (bitmap) => bitmap.data });
    const png = formatPng(width, height, data);
    return { page: number, width, height, sha256: sha256(png), size: png.length, png };
  } catch {
    throw stopped();
  }
}

function stopped(): WebAssembly.RuntimeError {
  return new WebAssembly.RuntimeError("drawing a PDF stopped in the middle of its work");
}

type Library = Awaited<ReturnType<typeof PDFiumLibrary.init>>;

let library: Promise<Library> | null = null;

/** One for all documents, opened for the first of them: that takes longer than drawing a page. */
function openLibrary(): Promise<Library> {
  return (library ??= import("@hyzyla/pdfium").then(({ PDFiumLibrary: { init } }) => init({ wasmBinary: readProgram() })));
}

/** readPageText reads the text of pages by the same program, which brings the tables that tell the letters of Chinese, Japanese and Korean fonts
 *  that a file only names.
 *  @returns page → lines; of the pages before one at which the program stopped */
export async function readPageText(bytes: Uint8Array, pages: Iterable<number>): Promise<ReadonlyMap<number, readonly string[]>> {
  const read = new Map<number, readonly string[]>();
  try {
    const document = await (await openLibrary()).loadDocument(bytes);
    for (const page of pages)
      read.set(
        page,
        document
          .getPage(page - 1)
          .getText()
          .split(/\r?\n/),
      );
    document.destroy();
  } catch {
    // A library that stopped reads nothing any more: the next document has a new one.
    library = null;
  }
  return read;
}

function readProgram(): ArrayBuffer {
  const beside = fileURLToPath(new URL(PDF_WASM, import.meta.url));
  const file = readFileSync(existsSync(beside) ? beside : fileURLToPath(import.meta.resolve("@hyzyla/pdfium/pdfium.wasm")));
  return new Uint8Array(file).buffer;
}

/** formatPng makes a PNG of grey, its lines as they are: print compresses no better by any of the filters.
 *  @param grey width × height bytes, 0 is black */
function formatPng(width: number, height: number, grey: Uint8Array): Uint8Array {
  const lines = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y++) lines.set(grey.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    formatChunk("IHDR", header),
    formatChunk("IDAT", zlibSync(lines, { level: 6 })),
    formatChunk("IEND", new Uint8Array()),
  ]);
}

function formatChunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  chunk.set(body, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** The letters of the pictures that ./share-pictures.ts draws: set by PDFium, in the fonts that it brings, when the pages are compiled. No font of
 *  a machine has a part in it, so a picture is the same everywhere. */
import { zlibSync } from "fflate";
import { openLibrary } from "../extract/pdf-images.ts";

/** Signs of Latin-1, in rows of sixteen. */
export const CODES = [...range(0x20, 0x7e), ...range(0xa1, 0xff)];
export const COLUMNS = 16;
const ROWS = Math.ceil(CODES.length / COLUMNS);

/** A font: one table of letters above the other. Pixels. */
export const FONTS = {
  title: { name: "Times-Bold", size: 64, cell: 92, top: 0 },
  small: { name: "Helvetica", size: 32, cell: 46, top: ROWS * 92 },
} as const;
export const WIDTH = COLUMNS * FONTS.title.cell;
const HEIGHT = ROWS * (FONTS.title.cell + FONTS.small.cell);
/** Of a cell, above the line that letters stand on, and left of them. */
export const BASE = 0.7;
export const LEFT = 0.08;

export const GLYPHS_FILE = "glyphs.bin";

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** MakeGlyphs returns the letters in grey, packed. */
export async function makeGlyphs(): Promise<Uint8Array> {
  const document = await (await openLibrary()).loadDocument(Buffer.from(pdfOfGlyphs(), "latin1"));
  const { data } = await document
    .getPage(0)
    .render({ width: WIDTH, height: HEIGHT, scale: 1, colorSpace: "Gray", render: async (bitmap) => bitmap.data });
  const packed = zlibSync(data, { level: 9 });
  document.destroy();
  return packed;
}

function pdfOfGlyphs(): string {
  const shown = Object.values(FONTS).map(({ size, cell, top }, font) => {
    const letters = CODES.map((code, at) => {
      const [x, y] = [(at % COLUMNS) * cell + cell * LEFT, HEIGHT - top - Math.floor(at / COLUMNS) * cell - cell * BASE];
      return `1 0 0 1 ${x.toFixed(2)} ${y.toFixed(2)} Tm <${code.toString(16).padStart(2, "0")}> Tj`;
    });
    return `/F${font} ${size} Tf ${letters.join("\n")}`;
  });
  const content = `BT ${shown.join("\n")} ET`;
  const font = (name: string): string => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Resources << /Font << /F0 5 0 R /F1 6 0 R >> >> /Contents 4 0 R >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    font(FONTS.title.name),
    font(FONTS.small.name),
  ];
  let out = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = out.length;
    out += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const start = out.length;
  return `${out}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
}

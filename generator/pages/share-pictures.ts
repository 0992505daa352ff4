/** Draws the pictures that links are shown with: a title, how it stands, and the library, in black on white. */
import { inflateSync } from "node:zlib";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import { type Asset, type SharePicture, sharePictures } from "../../snapshots/page/index.ts";
import { formatPng } from "../extract/pdf-images.ts";
import { BASE, CODES, COLUMNS, FONTS, LEFT, WIDTH as SHEET } from "./share-glyphs.ts";

const WIDTH = 1200;
const HEIGHT = 630;
const MARGIN = 80;
const LINES = 4; // of a title
const INK = 160; // a pixel that is darker belongs to a letter
const GAP = 0.05; // between letters, in sizes
const SPACE = 0.25;
/** Signs that Latin-1 lacks, by what stands for them in text. */
const SPELLED: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "–": "-",
  "—": "-",
  "…": "...",
  "→": "->",
  "↔": "<->",
  "≤": "<=",
  "≥": ">=",
  "∀": "forall",
  "∃": "exists",
};

type Font = (typeof FONTS)[keyof typeof FONTS];
/** Where the ink of a letter lies in the sheet. */
type Glyph = { readonly x: number; readonly y: number; readonly width: number };

/** ShareFiles yields every picture of a view with its path in the tree. @param glyphs null where none were made */
export function* shareFiles(data: ViewData, glyphs: Uint8Array | null): Generator<Asset> {
  const pictures = glyphs === null ? [] : sharePictures(data);
  if (glyphs === null || pictures.length === 0) return;
  const draw = openPictures(glyphs);
  for (const picture of pictures) yield { path: picture.path.slice(1), mediaType: "image/png", bytes: draw(picture) };
}

/** @param packed of makeGlyphs */
function openPictures(packed: Uint8Array): (picture: SharePicture) => Uint8Array {
  const sheet = inflateSync(packed);
  const fonts = new Map(Object.values(FONTS).map((font) => [font, findGlyphs(sheet, font)]));
  return ({ library, title, state }) => {
    const grey = new Uint8Array(WIDTH * HEIGHT).fill(255);
    const widthOf = (text: string, font: Font): number =>
      [...text].reduce((sum, sign) => sum + (fonts.get(font)?.get(sign)?.width ?? font.size * SPACE) + font.size * GAP, 0);
    const write = (text: string, font: Font, left: number, base: number): void => {
      let x = left;
      for (const sign of text) {
        const glyph = fonts.get(font)?.get(sign);
        if (glyph !== undefined) blit(sheet, glyph, font, grey, Math.round(x), base);
        x += (glyph?.width ?? font.size * SPACE) + font.size * GAP;
      }
    };
    const wrap = (text: string, font: Font, most: number): readonly string[] => {
      const lines = [""];
      for (const word of text.split(" ").flatMap((long) => long.match(/.{1,28}/gu) ?? [])) {
        const longer = `${lines.at(-1)} ${word}`.trim();
        if (widthOf(longer, font) <= WIDTH - 2 * MARGIN) lines[lines.length - 1] = longer;
        else lines.push(word);
      }
      return lines.length <= most ? lines : [...lines.slice(0, most - 1), `${lines[most - 1]} ...`];
    };
    const head = spell(title);
    const above = head === "" ? "" : spell(library);
    for (const [at, line] of wrap(above, FONTS.small, 1).entries()) write(line, FONTS.small, MARGIN, 120 + at * 44);
    for (const [at, line] of wrap(head === "" ? spell(library) : head, FONTS.title, LINES).entries())
      write(line, FONTS.title, MARGIN, 240 + at * 78);
    for (const [at, line] of wrap(spell(state), FONTS.small, 2).entries()) write(line, FONTS.small, MARGIN, 550 + at * 44);
    for (let y = 0; y < HEIGHT; y++) grey.fill(0, y * WIDTH, y * WIDTH + 24);
    return formatPng(WIDTH, HEIGHT, grey, 2);
  };
}

/** A text in the letters that there are; "" where too many of its own are none of them. */
function spell(text: string): string {
  const signs = [...text.normalize("NFC").replaceAll(/\s+/g, " ").trim()];
  const spelled = signs.map((sign) => {
    if (CODES.includes(sign.codePointAt(0) ?? 0)) return sign;
    return SPELLED[sign] ?? [...sign.normalize("NFKD")].find((part) => CODES.includes(part.codePointAt(0) ?? 0)) ?? null;
  });
  const lost = spelled.filter((sign) => sign === null).length;
  return lost * 3 > signs.length ? "" : spelled.map((sign) => sign ?? "?").join("");
}

function findGlyphs(sheet: Uint8Array, { cell, top }: Font): ReadonlyMap<string, Glyph> {
  return new Map(
    CODES.flatMap((code, at) => {
      const [x, y] = [(at % COLUMNS) * cell, top + Math.floor(at / COLUMNS) * cell];
      let [first, last]: [number, number] = [cell, -1];
      for (let row = 0; row < cell; row++)
        for (let column = 0; column < cell; column++)
          if ((sheet[(y + row) * SHEET + x + column] ?? 255) < INK) [first, last] = [Math.min(first, column), Math.max(last, column)];
      if (last < 0) return [];
      // Ink may begin left of where a letter is set.
      const from = Math.max(0, Math.min(first, Math.round(cell * LEFT)) - 1);
      return [[String.fromCodePoint(code), { x: x + from, y, width: last - from + 1 }] as const];
    }),
  );
}

function blit(sheet: Uint8Array, { x, y, width }: Glyph, { cell }: Font, grey: Uint8Array, left: number, base: number): void {
  const top = base - Math.round(cell * BASE);
  for (let row = 0; row < cell; row++)
    for (let column = 0; column < width; column++) {
      const [to, value] = [(top + row) * WIDTH + left + column, sheet[(y + row) * SHEET + x + column] ?? 255];
      if (left + column < WIDTH && top + row < HEIGHT && value < (grey[to] ?? 0)) grey[to] = value;
    }
}

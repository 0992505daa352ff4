/** One public file looked through for what is gated: which secrets it holds, and where. Nothing is judged here. */
import { findReading, inflate, NO_PLACE, type TextPlace, readTexts, type Texts } from "./decode.ts";
import { type GatedSecrets, hexRuns, matches, matchTitles } from "./gated.ts";
import type { ScannedFile } from "#snapshots/verify";
import { eachShingle, findRunStart, foldText, SHINGLE_WORDS } from "./shingles.ts";
import type { Sketch } from "./sketch.ts";

/** A Run is eight words that a gated text says, too. `number`: of the run in the text; `end`: where it ends in the folded text. */
export type Run = { readonly slot: number; readonly number: number; readonly end: number };

export type ScannedText = {
  readonly text: string;
  readonly runs: readonly Run[];
  /** The place of a character of the text. */
  readonly place: (at: number) => TextPlace;
};

export type LeakScan = {
  /** Secrets that stand in it whole, by their numbers. */
  readonly ids: ReadonlyMap<number, () => TextPlace>;
  /** Those of a source that are prefixes, and stand only inside other paths: `courses/` in an address of elsewhere. */
  readonly inside: ReadonlySet<number>;
  /** Texts that have runs of gated words. */
  readonly texts: readonly ScannedText[];
};

/** scanFile looks for gated things in one public file.
 *  @param sketch gets everything by which something gated may be found in this file later */
export function scanFile(secrets: GatedSecrets, file: ScannedFile, sketch: Sketch | null = null): LeakScan {
  const { path, source, type, offset = 0, binary = false, software = false } = file;
  const bytes = binary ? file.bytes : inflate(path, file.bytes);
  const decoded = software ? readSoftware(bytes) : readTexts(bytes, binary ? "none" : findReading(type, source));
  // Lines of a part are not those of the file.
  const placed = (place: () => TextPlace): (() => TextPlace) => (offset > 0 ? () => NO_PLACE : place);
  if (sketch !== null) addBytes(sketch, bytes);
  const ids = new Map<number, () => TextPlace>();
  const inside = new Set<number>();
  for (const { id, offset: at, end } of matches(secrets, bytes)) {
    const { kind, value } = secrets.secrets[id] ?? { kind: null, value: "" };
    const isInside = source && kind === "key" && value.endsWith("/") && !beginsPath(bytes, at);
    // Escapes and markup may spell a title by accident, but no name and no digest.
    if ((ids.has(id) && (isInside || !inside.has(id))) || !(decoded.plain || source || kind === "key" || kind === "digest")) continue;
    // In files of the search engine texts stand end to end, and two of them make a title that neither has.
    if (kind === "title" && binary && !source && (isWordByte(bytes[at - 1]) || isWordByte(bytes[end]))) continue;
    if (isInside) inside.add(id);
    else inside.delete(id);
    ids.set(
      id,
      placed(() => (decoded.texts.length === 0 ? NO_PLACE : { line: lineAtByte(bytes, at), pointer: null })),
    );
  }
  if (source && !binary) {
    const text = Buffer.from(bytes).toString("utf8");
    const folded = Buffer.from(text.toLowerCase());
    for (const { id, offset: at } of matchTitles(secrets, text))
      if (!ids.has(id))
        ids.set(
          id,
          placed(() => (decoded.texts.length === 0 ? NO_PLACE : { line: lineAtByte(folded, at), pointer: null })),
        );
  }
  if (!decoded.plain) {
    const joined = Buffer.from(decoded.texts.join("\0"));
    if (sketch !== null) addBytes(sketch, joined);
    for (const { id, offset: at } of matches(secrets, joined)) {
      if (!ids.has(id))
        ids.set(
          id,
          placed(() => placeInJoined(decoded, joined.toString("utf8", 0, at).length)),
        );
    }
  }
  const texts: ScannedText[] = [];
  for (const [n, text] of decoded.texts.entries()) {
    const runs = findRuns(secrets, text, sketch);
    if (runs.length > 0) texts.push({ text, runs, place: (at) => (offset > 0 ? NO_PLACE : decoded.place(n, at)) });
  }
  return { ids, inside, texts };
}

function addBytes(sketch: Sketch, bytes: Uint8Array): void {
  sketch.addBytes(bytes);
  for (const { run } of hexRuns(bytes)) sketch.addDigests(run);
}

/** Sentences lie in template strings. */
function readSoftware(bytes: Uint8Array): Texts {
  return readTexts(
    Buffer.from(
      Buffer.from(bytes)
        .toString("utf8")
        .replaceAll(/\\[nrt]/g, " "),
    ),
    "document",
  );
}

export function findRuns({ text: gated }: GatedSecrets, text: string, sketch: Sketch | null = null): readonly Run[] {
  const runs: Run[] = [];
  if (gated.size === 0 && sketch === null) return runs;
  let number = 0;
  eachShingle(text, (high, low, end) => {
    number++;
    sketch?.add(high, low);
    const slot = gated.find(high, low);
    if (slot >= 0) runs.push({ slot, number, end });
  });
  return runs;
}

/** stretches yields runs that touch each other, as one. Runs that say too little are not looked for, and leave gaps. */
export function* stretches(runs: readonly Run[], together: (one: Run, next: Run) => boolean = () => true): Generator<readonly [Run, Run]> {
  for (let first = 0; first < runs.length; ) {
    let last = first;
    for (let next = runs[last + 1]; next !== undefined && touches(runs[last] as Run, next) && together(runs[last] as Run, next); )
      next = runs[++last + 1];
    yield [runs[first] as Run, runs[last] as Run];
    first = last + 1;
  }
}

function touches(one: Run, next: Run): boolean {
  return next.number - one.number <= SHINGLE_WORDS;
}

/** readStretch returns where a stretch begins in a text, and its words as they stand there. */
export function readStretch(text: string, [first, last]: readonly [Run, Run]): { readonly start: number; readonly words: string } {
  const folded = foldText(text);
  const start = findRunStart(folded, first.end);
  return { start, words: (folded.length === text.length ? text : folded).slice(start, last.end) };
}

/** Signs that may stand before a name in this library: nothing, dots, or the roots of our own addresses. */
const BEFORE_PATH = /(?:^|[^\w.%~:/-])(?:(?:\.{1,2}\/)+|\/|\/?(?:internal\/)?(?:objects?|browse)\/)?$/i;
const LONGEST_BEFORE = 64; // bytes

function beginsPath(bytes: Uint8Array, at: number): boolean {
  return BEFORE_PATH.test(Buffer.from(bytes.subarray(Math.max(0, at - LONGEST_BEFORE), at)).toString("latin1"));
}

function isWordByte(byte = 0): boolean {
  return /[a-z\d]/i.test(String.fromCharCode(byte));
}

function lineAtByte(bytes: Uint8Array, at: number): number {
  let line = 1;
  for (let from = bytes.indexOf(0x0a); from >= 0 && from < at; from = bytes.indexOf(0x0a, from + 1)) line++;
  return line;
}

function placeInJoined(decoded: Texts, at: number): TextPlace {
  let from = 0;
  for (const [n, { length }] of decoded.texts.entries()) {
    if (at <= from + length) return decoded.place(n, at - from);
    from += length + 1;
  }
  return NO_PLACE;
}

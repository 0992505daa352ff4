/** Two texts held against each other, line by line and within changed lines word by word. */
import { diffLines, diffWordsWithSpace } from "diff";
import { cutText } from "#snapshots/format";
import type { MarkedPiece } from "#snapshots/query";

/** Steps from one text to the other: the work grows with their square. */
const MAX_EDITS = 2000;
/** UTF-16 units of what is compared word by word; longer stretches are shown as lines that went and lines that came. */
const MAX_WORDS = 20_000;
/** Lines that are shown in all, and of each unchanged stretch at its ends. */
const MAX_LINES = 300;
const AROUND = 2;
/** UTF-16 units of a line that are shown. */
const MAX_LINE = 600;

export type DifferentLine = {
  readonly kind: "same" | "added" | "removed" | "left-out";
  /** The 1-based number of the line in its own text; of lines left out, how many they are. */
  readonly number: number;
  /** Marked: words that differ from the line that it stands for. */
  readonly pieces: readonly MarkedPiece[];
};

export type Difference = { readonly lines: readonly DifferentLine[]; readonly more: number };

/** difference compares two texts line by line. @returns null when the texts have too little in common to be held against each other */
export function difference(before: string, after: string): Difference | null {
  if (before === after) return { lines: [], more: 0 };
  const chunks = diffLines(before, after, { maxEditLength: MAX_EDITS });
  if (chunks === undefined) return null;
  const lines: DifferentLine[] = [];
  let [was, is] = [1, 1];
  for (const [at, { value, added, removed }] of chunks.entries()) {
    const next = chunks[at + 1];
    if (removed && next?.added === true) {
      const [gone, come] = wordsOf(value, next.value);
      lines.push(...linesOf("removed", gone, was), ...linesOf("added", come, is));
    } else if (removed) lines.push(...linesOf("removed", [{ text: value, marked: false }], was));
    else if (added) {
      if (chunks[at - 1]?.removed !== true) lines.push(...linesOf("added", [{ text: value, marked: false }], is));
    } else {
      const same = linesOf("same", [{ text: value, marked: false }], is);
      const [head, tail] = [at === 0 ? 0 : AROUND, next === undefined ? 0 : AROUND];
      if (same.length <= head + tail + 1) lines.push(...same);
      else
        lines.push(
          ...same.slice(0, head),
          { kind: "left-out", number: same.length - head - tail, pieces: [] },
          ...same.slice(same.length - tail),
        );
    }
    const count = value.split("\n").length - (value.endsWith("\n") ? 1 : 0);
    if (!added) was += count;
    if (!removed) is += count;
  }
  return { lines: lines.slice(0, MAX_LINES), more: Math.max(0, lines.length - MAX_LINES) };
}

/** The text that went and the text that came, with the words that differ marked. */
function wordsOf(before: string, after: string): readonly [readonly MarkedPiece[], readonly MarkedPiece[]] {
  const words = before.length + after.length > MAX_WORDS ? undefined : diffWordsWithSpace(before, after, { maxEditLength: MAX_EDITS });
  if (words === undefined) return [[{ text: before, marked: false }], [{ text: after, marked: false }]];
  return [
    words.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, marked: removed })),
    words.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, marked: added })),
  ];
}

/** @param first number of the first line */
function linesOf(kind: DifferentLine["kind"], pieces: readonly MarkedPiece[], first: number): readonly DifferentLine[] {
  const lines: MarkedPiece[][] = [[]];
  for (const { text, marked } of pieces) {
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: cutText(part, MAX_LINE), marked });
    }
  }
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines.map((line, at) => ({ kind, number: first + at, pieces: line }));
}

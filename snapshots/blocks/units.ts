/** UnitsOf joins blocks to what is quoted whole: a paragraph with the list or the command that it announces, an item, an entry. */
import { MAX_CITED } from "#snapshots/format";
import type { Kind } from "#snapshots/schema";
import type { Block } from "./block.ts";
import { blocksOf } from "./blocks.ts";

const MAX_UNIT = 600; // characters as a reader sees them
const MIN_UNIT = 350; // characters; below it what follows is quoted too

export type Unit = Block & {
  /** Blocks between it and the heading that it stands under. */
  readonly below: number;
};

/** After a full stop, a question mark or the like, before what may begin a sentence. */
const BOUNDARY = /(?:[.!?]["\u201d\u2019)\]*_`]*(?:<\/\w+>)*(\s+)(?=["\u201c\u2018([*_`$\\<]*[\p{Lu}\p{N}\p{Lo}])|(?<=\s)[.!?](\s+))/gu;
/** Words that end with a full stop and end no sentence. */
const ABBREVIATION =
  /(?:\b(?:e\.g|i\.e|cf|vs|etc|al|fig|figs|eq|no|dr|mr|mrs|st|approx|resp|ca|sp|spp|p|pp|vol|ed|eds)|\b\p{Lu})\.["\u201d)]*$/iu;
const MAX_ABBREVIATION = 40; // code units before a full stop that tell what it ends

/** sentencesIn finds where the sentences of a stretch begin and end. */
export function sentencesIn(text: string, start: number, end: number): readonly (readonly [start: number, end: number])[] {
  const whole = text.slice(start, end);
  const code = [...whole.matchAll(/(`+)(?!`)[^`]+\1/g)].map((span) => [span.index, span.index + span[0].length] as const);
  const pieces: [number, number][] = [];
  let from = 0;
  for (const match of whole.matchAll(BOUNDARY)) {
    if (code.some(([open, close]) => match.index > open && match.index < close - 1)) continue;
    const space = (match[1] ?? match[2] ?? "").length;
    const stop = match.index + match[0].length - space;
    const before = whole.slice(Math.max(from, stop - MAX_ABBREVIATION), stop);
    if (/\.["\u201d)]*$/.test(before) && ABBREVIATION.test(before) && !/\b\p{Lu}\p{Lu}+\.$/u.test(before)) continue;
    pieces.push([start + from, start + stop]);
    from = stop + space;
  }
  return [...pieces, [start + from, end]];
}

/** quotable returns the blocks that may be quoted: it leaves out `cells` that say nothing, as nobody knows what their columns are. */
export function quotable(text: string, kind: Kind, above: readonly string[] = []): readonly Block[] {
  return blocksOf(text, kind, above).filter(({ form, row }) => form !== "cells" || row !== undefined);
}

/** unitsOf cuts the quotable text into units. @param above headings that a part of a text stands under, before the first heading in it */
export function unitsOf(text: string, kind: Kind, above: readonly string[] = []): readonly Unit[] {
  const blocks = quotable(text, kind, above).flatMap((block) => cutLong(text, block));
  const headingOf = ({ heading }: Block): string => heading.join("\n");
  const belows: number[] = [];
  for (const [at, block] of blocks.entries()) {
    const before = blocks[at - 1];
    belows.push(before !== undefined && headingOf(before) === headingOf(block) ? (belows[at - 1] ?? 0) + 1 : 0);
  }
  return blocks.flatMap((block, at): Unit[] => {
    let end = at;
    // Joined at the end: of texts that grow by pieces every piece stays in memory.
    const pieces = [block.plain];
    let length = block.plain.length;
    for (let next = blocks[at + 1]; next !== undefined; next = blocks[end + 1]) {
      const last = blocks[end] ?? block;
      const announces =
        next.form === "code" ||
        (next.form === "item" && (block.form !== "item" ? last.form === "item" || last.plain.endsWith(":") : false));
      const isShort = length < MIN_UNIT && block.form === "prose" && next.form === "prose";
      if ((belows[end + 1] ?? 0) === 0 || !(announces || isShort)) break;
      if (length + 2 + next.plain.length > MAX_UNIT || next.end - block.start > MAX_CITED) break;
      // Lines of code stand apart.
      const between = last.plain.includes("\n") || next.plain.includes("\n") ? "\n\n" : " ";
      pieces.push(between, next.plain);
      length += between.length + next.plain.length;
      end++;
    }
    const last = blocks[end] ?? block;
    return last.end - block.start > MAX_CITED ? [] : [{ ...block, end: last.end, plain: pieces.join(""), below: belows[at] ?? 0 }];
  });
}

/** A longer block in parts of whole sentences. */
function cutLong(text: string, block: Block): readonly Block[] {
  if (block.plain.length <= MAX_UNIT && block.end - block.start <= MAX_CITED) return [block];
  if (block.form === "code") return [];
  const parts: Block[] = [];
  for (const [start, end] of sentencesIn(text, block.start, block.end)) {
    const last = parts.at(-1);
    const plain = last === undefined ? "" : block.plainOf(last.start, end);
    if (last !== undefined && plain.length <= MAX_UNIT && end - last.start <= MAX_CITED) parts[parts.length - 1] = { ...last, end, plain };
    else parts.push({ ...block, start, end, plain: block.plainOf(start, end) });
  }
  return parts.filter(({ plain }) => plain.length <= MAX_UNIT);
}

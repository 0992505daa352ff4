/** Candidates reads texts that were found into what can be quoted of them, and remembers the reading. */
import { LRUCache } from "lru-cache";
import { type Candidate, type Words, wordsIn } from "./features.ts";
import type { FoundPassage } from "./found-texts.ts";
import type { Source } from "./sources.ts";
import { type Unit, unitsOf } from "../blocks/units.ts";

const MAX_READ = 4 * 1024 * 1024; // code units of texts whose reading is kept: about ten times as many bytes
const OPENING = 60; // characters of a stretch that tell whether a passage has it

type ReadUnit = Pick<Candidate, "unit" | "said" | "headings" | "heading" | "section"> & { readonly line: number };

export class Candidates {
  readonly #read = new LRUCache<string, readonly ReadUnit[]>({
    maxSize: MAX_READ,
    sizeCalculation: (units) => 1 + (units.at(-1)?.unit.end ?? 0),
  });

  read(source: Source): readonly Candidate[] {
    const { sha256, kind, page, start_line, found } = source;
    const name = `${sha256} ${kind} ${page ?? ""} ${start_line} ${source.source.length}`;
    const units = this.#read.get(name) ?? readUnits(source);
    this.#read.set(name, units);
    const title = wordsIn(`${source.title} ${source.key}`).said;
    return units.map(({ line, ...read }) => ({ ...read, text: found, title, passage: passageOf(read.unit, line, found.passages) }));
  }
}

function readUnits({ source, kind, start_line, above }: Source): readonly ReadUnit[] {
  const pathOf = ({ heading }: Unit): string => heading.join("\n");
  const lines = lineStarts(source);
  const units = unitsOf(source, kind, above).map((unit): { readonly unit: Unit; readonly said: Words } => ({
    unit,
    said: wordsIn(unit.plain),
  }));
  return [...Map.groupBy(units, ({ unit }) => pathOf(unit))].flatMap(([path, list]) => {
    const headings = wordsIn(path);
    const heading = wordsIn(path.slice(path.lastIndexOf("\n") + 1)).said;
    const section = new Set([...headings.order, ...list.flatMap(({ said }) => said.order)]);
    return list.map((one) => ({ ...one, headings: headings.said, heading, section, line: start_line + lineAt(lines, one.unit.start) }));
  });
}

/** The passage that a stretch begins in, or what is known of one that was not found. */
function passageOf({ plain }: Unit, line: number, passages: readonly FoundPassage[]): Candidate["passage"] {
  const around = passages.filter(({ row }) => row.start_line <= line && line <= row.end_line);
  // Of a page that is one line, the words tell.
  const within = around.length > 1 ? around.find(({ row }) => row.text.includes(plain.slice(0, OPENING))) : around[0];
  return within ?? { row: null, words: 0, near: Math.min(...passages.map(({ near }) => near)) };
}

function lineStarts(source: string): readonly number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Number of the line, from 0, that an offset is in. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

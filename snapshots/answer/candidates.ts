/** Candidates reads texts that were found into what can be quoted of them, and remembers the reading. */
import { LRUCache } from "lru-cache";
import { type AnswerCandidate, type TextWords, wordsIn } from "./features.ts";
import type { FoundPassage } from "./found-texts.ts";
import type { AnswerSource } from "./sources.ts";
import { openLines, type Unit, unitsOf } from "#snapshots/blocks";

const MAX_READ = 4 * 1024 * 1024; // code units of texts whose reading is kept: about ten times as many bytes
const OPENING = 60; // characters of a stretch that tell whether a passage has it

type ReadUnit = Pick<AnswerCandidate, "unit" | "said" | "heading" | "section"> & { readonly line: number };

export class Candidates {
  readonly #read = new LRUCache<string, readonly ReadUnit[]>({
    maxSize: MAX_READ,
    sizeCalculation: (units) => 1 + (units.at(-1)?.unit.end ?? 0),
  });

  read(source: AnswerSource): readonly AnswerCandidate[] {
    const { sha256, kind, page, start_line, found } = source;
    const name = `${sha256} ${kind} ${page ?? ""} ${start_line} ${source.source.length}`;
    const units = this.#read.get(name) ?? readUnits(source);
    this.#read.set(name, units);
    const title = wordsIn(`${source.title} ${source.key}`).said;
    return units.map(({ line, ...read }) => ({ ...read, text: found, title, passage: passageOf(read.unit, line, found.passages) }));
  }
}

function readUnits({ source, kind, start_line, above }: AnswerSource): readonly ReadUnit[] {
  const pathOf = ({ heading }: Unit): string => heading.join("\n");
  const lines = openLines(source);
  const units = unitsOf(source, kind, above).map((unit): { readonly unit: Unit; readonly said: TextWords } => ({
    unit,
    said: wordsIn(unit.plain),
  }));
  return [...Map.groupBy(units, ({ unit }) => pathOf(unit))].flatMap(([path, list]) => {
    const heading = wordsIn(path.slice(path.lastIndexOf("\n") + 1)).said;
    const section = new Set([...wordsIn(path).order, ...list.flatMap(({ said }) => said.order)]);
    return list.map((one) => ({ ...one, heading, section, line: start_line + lines.lineAt(one.unit.start) - 1 }));
  });
}

/** The passage that a stretch begins in, or what is known of one that was not found. */
function passageOf({ plain }: Unit, line: number, passages: readonly FoundPassage[]): AnswerCandidate["passage"] {
  const around = passages.filter(({ row }) => row.start_line <= line && line <= row.end_line);
  // On a page that is one line, the words tell.
  const within = around.length > 1 ? around.find(({ row }) => row.text.includes(plain.slice(0, OPENING))) : around[0];
  return within ?? { row: null, words: 0, near: Math.min(...passages.map(({ near }) => near)) };
}

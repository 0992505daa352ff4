/** FindCells finds the cells of tables, and the settings, that a question asks for: a row is named by one of its cells, a column by its name. */
import { words } from "#snapshots/words";
import type { AnswerCandidate } from "./features.ts";
import type { Question } from "./question.ts";

const MAX_ROWS = 2_000; // candidates that are looked at, best first

export type AskedCell = { readonly column: string; readonly value: string };

type Found<Ranked> = { readonly ranked: Ranked; readonly cell: AskedCell };

/** findCells finds the rows that a question names whole, with the cell that it asks for. All that the question is about has to stand in the row, in
 *  the names of its columns, or above it.
 *  @param candidates best first */
export function findCells<Ranked extends { readonly candidate: AnswerCandidate }>(
  question: Question,
  candidates: readonly Ranked[],
): readonly Found<Ranked>[] {
  return candidates.slice(0, MAX_ROWS).flatMap((ranked) => {
    const cell = askedCell(question, ranked.candidate);
    return cell === null ? [] : [{ ranked, cell }];
  });
}

function askedCell({ said, topic, asks }: Question, { unit, title }: AnswerCandidate): AskedCell | null {
  const { row } = unit;
  if (row === undefined || !asks) return null;
  const names = row.columns.map((name) => words(name));
  const cells = row.cells.map((cell) => words(cell));
  const isAsked = (list: readonly string[]): boolean => list.length > 0 && list.every((word) => said.has(word));
  const named = cells.findIndex((list, at) => isAsked(list) && !isAsked(names[at] ?? []));
  const key = named >= 0 ? named : cells.findIndex(isAsked);
  if (key < 0 && names.length > 1) return null;
  const column = bestColumn(names, said, (at) => at !== key && (row.cells[at] ?? "").trim() !== "");
  if (column === null) return null;
  const around = new Set([...title, ...unit.heading.flatMap((text) => words(text)), ...names.flat(), ...(cells[key] ?? [])]);
  return [...topic.keys()].every((word) => around.has(word)) ? { column: row.columns[column] ?? "", value: row.cells[column] ?? "" } : null;
}

/** The column whose name is said most wholly; null where none is, or several are alike. */
function bestColumn(names: readonly (readonly string[])[], said: ReadonlySet<string>, has: (at: number) => boolean): number | null {
  const shares = names.map((name, at) => (has(at) && name.length > 0 ? name.filter((word) => said.has(word)).length / name.length : 0));
  const best = Math.max(0, ...shares);
  return best === 0 || shares.filter((share) => share === best).length > 1 ? null : shares.indexOf(best);
}

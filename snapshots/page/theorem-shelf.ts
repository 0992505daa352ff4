/** The shelf of theorems: a row a file, a mark a theorem, so that one look says what is proved and where the holes are. */
import { compareNames, recordStanding } from "#snapshots/format";
import { registryPath } from "#snapshots/query";
import type { CubRecord } from "#snapshots/schema";
import { countStandings, type ValueCount } from "./cards.ts";

/** Marks of a page; where there are more, each file has one bar. */
const MAX_MARKS = 3000;
/** Rows of a page; the list of records has a filter for every file. */
const MAX_ROWS = 200;

/** A Run is a mark of a row for each of some theorems beside each other, which stand alike. */
type Run = { readonly state: string; readonly count: number };

/** A Mark is one theorem of a row. */
type Mark = { readonly id: string; readonly name: string; readonly state: string };
/** A ShelfRow is one file. It has no runs where the page would have too many marks, and its marks are no links where it is to be light. */
type ShelfRow = {
  readonly repo: string;
  readonly file: string;
  /** Site path of the records of this file. */
  readonly path: string;
  readonly count: number;
  readonly byStanding: readonly ValueCount[];
  readonly runs: readonly Run[];
  readonly marks: readonly Mark[];
};
type Room = { readonly marks: number; readonly links: number; readonly rows: number };
/** A TheoremShelf has its rows, and counts those that it has no room for. */
export type TheoremShelf = { readonly byStanding: readonly ValueCount[]; readonly more: number; readonly rows: readonly ShelfRow[] };

/** theoremShelf puts records on a shelf. Rows are in the order of repositories and files, marks in that of the source. Where there is no room
 *  for all files, those with the most records are shown.
 *  @param room marks, marks that are links, and rows of a page that is to be light */
export function theoremShelf(cubs: readonly CubRecord[], room: Partial<Room> = {}): TheoremShelf {
  const { marks: mostMarks, links: mostLinks, rows: mostRows } = { marks: MAX_MARKS, links: MAX_MARKS, rows: MAX_ROWS, ...room };
  const files = [...Map.groupBy(cubs, (record) => JSON.stringify([record.repo, fileOf(record)]))].map(([, records]) => records);
  const repos = new Set(cubs.map(({ repo }) => repo));
  const rows = files
    .map((records) => {
      const [first] = records as [CubRecord, ...CubRecord[]];
      const file = fileOf(first);
      const filters = new Map([...(repos.size > 1 ? ([["repo", [first.repo]]] as const) : []), ["module", [first.module]] as const]);
      return {
        repo: first.repo,
        file,
        path: registryPath({ q: "", filters }),
        count: records.length,
        byStanding: countStandings(records),
        records,
      };
    })
    .toSorted((a, b) => b.count - a.count)
    .slice(0, mostRows)
    .sort((a, b) => compareNames(a.repo, b.repo) || compareNames(a.file, b.file));
  return {
    byStanding: countStandings(cubs),
    more: files.length - rows.length,
    rows: rows.map(({ records, ...row }) => {
      const marks = cubs.length > mostMarks ? [] : marksOf(records);
      return { ...row, runs: runsOf(marks), marks: cubs.length > mostLinks ? [] : marks };
    }),
  };
}

function marksOf(records: readonly CubRecord[]): readonly Mark[] {
  return records
    .toSorted((a, b) => (a.anchor?.line ?? 0) - (b.anchor?.line ?? 0))
    .map((record) => ({ id: record.id, name: record.theorem_name, state: recordStanding(record).state }));
}

function runsOf(marks: readonly Mark[]): readonly Run[] {
  const runs: { state: string; count: number }[] = [];
  for (const { state } of marks) {
    const last = runs.at(-1);
    if (last?.state === state) last.count++;
    else runs.push({ state, count: 1 });
  }
  return runs;
}

/** fileOf names the file of a record as its repository does: its module, else the path at which it stands. */
export function fileOf({ module, anchor, files }: CubRecord): string {
  return module === "" ? (anchor?.path ?? Object.values(files).find((path) => path !== "") ?? "") : module;
}

/** The shelf of theorems: a row a file, a mark a theorem, so that one look says what is proved and where the holes are. */
import { compareNames, recordStanding } from "#snapshots/format";
import { registryPath } from "#snapshots/query";
import type { CubRecord } from "#snapshots/schema";
import { countStandings, type ValueCount } from "./cards.ts";

/** Marks of a page; where there are more, each file has one bar. */
const MAX_MARKS = 3000;
/** Rows of a page; the list of records has a filter for every file. */
const MAX_ROWS = 200;

/** A Mark is one theorem of a row. */
type Mark = { readonly id: string; readonly name: string; readonly state: string };
/** A ShelfRow is one file; it has no marks where the page would have too many. */
type ShelfRow = {
  readonly repo: string;
  readonly file: string;
  /** Site path of the records of this file. */
  readonly path: string;
  readonly count: number;
  readonly byStanding: readonly ValueCount[];
  readonly marks: readonly Mark[];
};
/** A TheoremShelf has its rows, and counts those that it has no room for. */
export type TheoremShelf = { readonly byStanding: readonly ValueCount[]; readonly more: number; readonly rows: readonly ShelfRow[] };

/** theoremShelf puts records on a shelf. Rows are in the order of repositories and files, marks in that of the source.
 *  @param mostMarks where a page has less room */
export function theoremShelf(cubs: readonly CubRecord[], mostMarks = MAX_MARKS): TheoremShelf {
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
    .sort((a, b) => compareNames(a.repo, b.repo) || compareNames(a.file, b.file));
  const marked = cubs.length <= mostMarks;
  return {
    byStanding: countStandings(cubs),
    more: Math.max(0, rows.length - MAX_ROWS),
    rows: rows.slice(0, MAX_ROWS).map(({ records, ...row }) => ({
      ...row,
      marks: marked
        ? records
            .toSorted((a, b) => (a.anchor?.line ?? 0) - (b.anchor?.line ?? 0))
            .map((record) => ({ id: record.id, name: record.theorem_name, state: recordStanding(record).state }))
        : [],
    })),
  };
}

/** fileOf names the file of a record as its repository does: its module, else the path at which it stands. */
export function fileOf({ module, anchor, files }: CubRecord): string {
  return module === "" ? (anchor?.path ?? Object.values(files).find((path) => path !== "") ?? "") : module;
}

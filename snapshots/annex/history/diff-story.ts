/** The story of a comparison of two snapshots: which records moved, and from where to where, not which of their fields differ. */
import { RECORD_STANDINGS, recordStanding, wordsOf } from "#snapshots/format";
import { type DifferentLine, difference } from "#snapshots/page";
import type { CubRecord } from "#snapshots/schema";
import type { Change } from "#snapshots/shelf";
import type { ChangedPart } from "./meaning.ts";

/** Rows of a move; the others are counted. */
const MOST_ROWS = 300;
/** Statements whose words are shown struck and added. */
const MOST_STATEMENTS = 40;

/** A Moved is one record, with its standing before and after, "" where it was not there. */
type Moved = {
  readonly id: string;
  readonly name: string;
  /** Null for what is there no more. */
  readonly path: string | null;
  readonly was: string;
  readonly is: string;
  /** The words of a statement that says something else. */
  readonly lines: readonly DifferentLine[];
  /** Definitions below it that say something else. */
  readonly below: readonly ChangedPart[];
};

/** A Move is what happened to several records alike: `state` is the standing that they have now, for what changed that. */
export type Move = {
  readonly kind: "state" | "statement" | "meaning" | "added" | "removed" | "elsewhere";
  readonly state: string;
  readonly count: number;
  readonly rows: readonly Moved[];
};

type ById = ReadonlyMap<string, CubRecord>;

/** movesOf groups the changes of records: by the standing that they came to, the best first, then other statements, what is new, what is gone,
 *  and what changed elsewhere. */
export function movesOf(changes: readonly Change[], before: ById, after: ById): readonly Move[] {
  const groups = Map.groupBy(
    changes.filter(({ what }) => what === "record"),
    ({ name }) => moveOf(before.get(name), after.get(name)),
  );
  const moves = [...groups].map(([key, all]): Move => {
    const [kind, state = ""] = key.split(" ") as [Move["kind"], string?];
    const rows = all.slice(0, MOST_ROWS).map((change, at) => rowOf(change, before, after, kind === "statement" && at < MOST_STATEMENTS));
    return { kind, state, count: all.length, rows };
  });
  return moves.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || rankOf(a.state) - rankOf(b.state));
}

const KINDS: readonly Move["kind"][] = ["state", "statement", "meaning", "added", "removed", "elsewhere"];

function rankOf(state: string): number {
  const at = RECORD_STANDINGS.indexOf(state);
  return at < 0 ? RECORD_STANDINGS.length : at;
}

/** moveOf returns the kind of a move, with the standing that it leads to. */
function moveOf(was: CubRecord | undefined, is: CubRecord | undefined): string {
  if (is === undefined) return "removed";
  if (was === undefined) return "added";
  const [from, to] = [recordStanding(was).state, recordStanding(is).state];
  if (from !== to) return `state ${to}`;
  const cause = is.drift?.cause;
  const isOther = textOf(was) !== textOf(is) && cause !== "wording";
  if (isOther) return "statement";
  return isRead(was) && isRead(is) && was.meaning?.sha256 !== is.meaning?.sha256 ? "meaning" : "elsewhere";
}

/** isRead holds where a prover printed all that a statement says. */
function isRead({ meaning }: CubRecord): boolean {
  return meaning !== undefined && meaning.sha256 !== "";
}

/** withBelow adds what changed below the statements of records that mean something else, line by line. */
export async function withBelow(
  moves: readonly Move[],
  before: ById,
  after: ById,
  changesOf: (id: string) => Promise<readonly ChangedPart[]>,
): Promise<readonly Move[]> {
  let room = MOST_STATEMENTS;
  const means = (id: string, of: ById): string => of.get(id)?.meaning?.sha256 ?? "";
  const filled: Move[] = [];
  for (const move of moves) {
    const rows: Moved[] = [];
    for (const row of move.rows) {
      const isOther = before.has(row.id) && after.has(row.id) && means(row.id, before) !== means(row.id, after);
      rows.push(isOther && room-- > 0 ? { ...row, below: await changesOf(row.id) } : row);
    }
    filled.push({ ...move, rows });
  }
  return filled;
}

function textOf({ statement }: CubRecord): string {
  return wordsOf(statement).join(" ");
}

function lineOf({ statement }: CubRecord): string {
  return statement.replaceAll(/\s+/g, " ").trim();
}

function rowOf({ name: id, path }: Change, before: ById, after: ById, isShown: boolean): Moved {
  const [was, is] = [before.get(id), after.get(id)];
  const lines = isShown && was !== undefined && is !== undefined ? (difference(lineOf(was), lineOf(is))?.lines ?? []) : [];
  const stateOf = (record: CubRecord | undefined): string => (record === undefined ? "" : recordStanding(record).state);
  return { id, name: (is ?? was)?.theorem_name ?? id, path, was: stateOf(was), is: stateOf(is), lines, below: [] };
}

/** The route table, put together: the core's rows, the annexes' rows, and the pages, each with its id, in the order in which they are described.
 *  Answers, the description at /api/openapi.json and the reference page are handed it. */
import { HISTORY_PAGES, HISTORY_ROWS } from "#snapshots/annex/history";
import { HARVEST_ROWS } from "#snapshots/annex/harvest";
import { LEAK_ROWS } from "#snapshots/annex/leaks";
import { LOG_ROWS } from "#snapshots/annex/log";
import { PROOF_ROWS } from "#snapshots/annex/proofs";
import { BESIDE, SIDE_ROWS } from "#snapshots/annex/side";
import { CORE_ROWS, describedRoutes, EFFECT_ROWS, openRouter, PAGE_ROWS } from "#snapshots/routes";

const ROWS = {
  ...CORE_ROWS,
  ...EFFECT_ROWS,
  ...HISTORY_ROWS,
  ...LOG_ROWS,
  ...SIDE_ROWS,
  ...PROOF_ROWS,
  ...HARVEST_ROWS,
  ...LEAK_ROWS,
} as const;
const PAGES = { ...PAGE_ROWS, ...HISTORY_PAGES } as const;

/** A RowId names whatever has an answer: a row of the interface, or a page. */
export type RowId = keyof typeof ROWS | keyof typeof PAGES;

const rows = withIds(ROWS);

/** ROUTES has every route of the service as it is described. */
export const ROUTES = describedRoutes(rows);
/** ROUTER reads the paths of every row. */
export const ROUTER = openRouter([...rows, ...withIds(PAGES)], BESIDE);

function withIds<R extends object>(table: Readonly<Record<string, R>>): readonly (R & { readonly id: string })[] {
  return Object.entries(table).map(([id, row]) => ({ ...row, id }));
}

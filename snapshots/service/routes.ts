/** The route table, put together: the core's rows, the annexes' rows, and the pages, each with its id, in the order in which they are described.
 *  Answers, the description at /api/openapi.json and the reference page are handed it. */
import { HISTORY_PAGES, HISTORY_ROWS } from "../annex/history/rows.ts";
import { HARVEST_ROWS } from "../annex/harvest/rows.ts";
import { LEAK_ROWS } from "../annex/leaks/rows.ts";
import { LOG_ROWS } from "../annex/log/rows.ts";
import { PROOF_ROWS } from "../annex/proofs/rows.ts";
import { BESIDE, SIDE_ROWS } from "../annex/side/rows.ts";
import { EFFECT_ROWS } from "../routes/effect-rows.ts";
import { openRouter } from "../routes/match.ts";
import { PAGE_ROWS } from "../routes/page-rows.ts";
import { describedRoutes } from "../routes/route.ts";
import { CORE_ROWS } from "../routes/routes.ts";

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

/** Whatever has an answer: a row of the interface, or a page. */
export type RowId = keyof typeof ROWS | keyof typeof PAGES;

const rows = withIds(ROWS);

/** Every route of the service as it is described. */
export const ROUTES = describedRoutes(rows);
/** Reads the paths of every row. */
export const ROUTER = openRouter([...rows, ...withIds(PAGES)], BESIDE);

export { HARVEST_FILES } from "../annex/harvest/rows.ts";

function withIds<R extends object>(table: Readonly<Record<string, R>>): readonly (R & { readonly id: string })[] {
  return Object.entries(table).map(([id, row]) => ({ ...row, id }));
}

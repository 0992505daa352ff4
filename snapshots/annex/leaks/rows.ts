/** The row of the report on the search for leaks. */
import { LeakReport } from "./summary.ts";
import { json, row, type WrittenRow } from "#snapshots/routes";

export const LEAK_ROWS = {
  "leak-report": row({
    group: "service",
    path: "/api/leak-report",
    kind: "query",
    summary: "What was looked for, and where, before this snapshot was published: nothing gated may be in it",
    success: json(LeakReport, "Bound to the snapshot by the record of its publication"),
  }),
} as const satisfies Readonly<Record<string, WrittenRow>>;

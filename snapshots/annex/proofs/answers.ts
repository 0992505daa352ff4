/** Who uses whom, and what a check states. */
import { z } from "zod";
import type { Handler } from "../../http/view.ts";
import { queryAnswer } from "../../http/query-answer.ts";
import { parsed } from "../../query/bodies.ts";
import { rowsAnswer } from "../side/rows-answer.ts";
import { formatGraphDot, formatGraphNdjson } from "./record-graph.ts";
import type { PROOF_ROWS } from "./rows.ts";
import { proofCheckSchema } from "./statement.ts";

const predicate = z.toJSONSchema(proofCheckSchema, { io: "input" });

export const PROOF_HANDLERS = {
  "graph-ndjson": {
    read: (asked) =>
      rowsAnswer(asked, {
        id: "graph-ndjson",
        type: "application/x-ndjson",
        ofRegistry: true,
        format: ({ cubs }) => formatGraphNdjson(cubs),
      }),
  },
  "graph-dot": {
    read: (asked) =>
      rowsAnswer(asked, {
        id: "graph-dot",
        type: "text/vnd.graphviz; charset=utf-8",
        ofRegistry: true,
        format: ({ cubs }) => formatGraphDot(cubs),
      }),
  },
  predicate: { read: (asked) => queryAnswer(asked, () => parsed("predicate", null, [], async () => predicate)) },
} as const satisfies Readonly<Record<keyof typeof PROOF_ROWS, Handler>>;

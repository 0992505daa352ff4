/** Answers about who uses whom, and what a check states. */
import { z } from "zod";
import { type Handler, queryAnswer } from "#snapshots/http";
import { parsed, requireRegistry } from "#snapshots/query";
import type { CubRecord } from "#snapshots/schema";
import { piecesAnswer } from "#snapshots/annex/side";
import { formatGraphDot, formatGraphNdjson } from "./record-graph.ts";
import type { PROOF_ROWS } from "./rows.ts";
import { proofCheckSchema } from "./statement.ts";

const predicate = z.toJSONSchema(proofCheckSchema, { io: "input" });

function graphAnswer(id: string, type: string, format: (records: readonly CubRecord[]) => Iterable<string>): Handler {
  return {
    async read(asked) {
      const data = await asked.context.open.snapshot.data();
      requireRegistry(data);
      return piecesAnswer(asked, id, type, () => format(data.cubs));
    },
  };
}

export const PROOF_HANDLERS = {
  "graph-ndjson": graphAnswer("graph-ndjson", "application/x-ndjson", formatGraphNdjson),
  "graph-dot": graphAnswer("graph-dot", "text/vnd.graphviz; charset=utf-8", formatGraphDot),
  predicate: { read: (asked) => queryAnswer(asked, () => parsed("predicate", null, [], async () => predicate)) },
} as const satisfies Readonly<Record<keyof typeof PROOF_ROWS, Handler>>;

/** Answers about who uses whom, and what a check states. */
import { z } from "zod";
import { contentAnswer, type Handler, queryAnswer, textContent } from "#snapshots/http";
import { cubBody, parseCubId, parsed, proofBody, requireRegistry } from "#snapshots/query";
import type { RouteMatch } from "#snapshots/routes";
import { formatRecordProof } from "#snapshots/verify";
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
  "cub-tlog-proof": {
    read: ({ context, request, place }) =>
      contentAnswer(context, request, "queries", async () => {
        const { id } = await cubBody(context.open, parseCubId((place.match as RouteMatch).parts["id"] ?? ""));
        const text = formatRecordProof(await proofBody(context.open, "record", id));
        return textContent(text, "text/plain; charset=utf-8", context.cache);
      }),
  },
  predicate: { read: (asked) => queryAnswer(asked, () => parsed("predicate", null, [], async () => predicate)) },
} as const satisfies Readonly<Record<keyof typeof PROOF_ROWS, Handler>>;

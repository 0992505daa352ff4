/** Rows about proofs as a whole: who uses whom, and what a check states. */
import { anyObject, json, row, text, type WrittenRow } from "#snapshots/routes";
import { PREDICATE_PATH } from "./statement.ts";

export const PROOF_ROWS = {
  "graph-ndjson": row({
    group: "registry",
    path: "/api/graph.ndjson",
    summary: "Every record and what it uses, a line for each node and edge",
    success: text("application/x-ndjson", "Nodes, then edges, then one line that counts both and the uses that are not named here"),
    errors: [503],
  }),
  "graph-dot": row({
    group: "registry",
    path: "/api/graph.dot",
    summary: "The same for Graphviz: edges of proofs are dashed",
    success: text("text/vnd.graphviz", "A digraph"),
    errors: [503],
  }),
  "cub-tlog-proof": row({
    group: "registry",
    path: "/api/cubs/{id}/tlog-proof",
    summary: "One file that proves one record offline: that the log has its snapshot, and the snapshot has the record",
    parts: { id: { description: "Exact CUB id.", example: "CUB-0001" } },
    success: text("text/plain", "C2SP tlog-proof; checked with: proofshelf verify --receipt FILE --key KEY"),
    errors: [400, 404, 503],
  }),
  predicate: row({
    group: "registry",
    views: "public",
    path: PREDICATE_PATH,
    kind: "live",
    summary: "What a check of a proof states: the JSON Schema of the predicate in its in-toto statement",
    success: json(anyObject, "JSON Schema"),
  }),
} as const satisfies Readonly<Record<string, WrittenRow>>;

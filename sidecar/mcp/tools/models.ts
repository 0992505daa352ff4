/** The two tools that need more than a snapshot. What answers them is the same function that answers their routes. */
import { ShelfError } from "#snapshots/errors";
import { parseSearch } from "#snapshots/query";
import { parseAsked } from "#sidecar/http";
import { type Tool, withQuery } from "./context.ts";
import { fitWhole, slice } from "./fit.ts";
import { jsonBytes } from "#snapshots/tools";
import type { AskTool, SemanticTool } from "#sidecar/ask";

/** Allow counts one more use of a group for this caller; false when there were too many. */
export type Allow = (group: "ask" | "ai-search") => boolean;

function limited(allow: Allow, group: "ask" | "ai-search"): void {
  if (!allow(group))
    throw new ShelfError("rate_limited", "There were too many calls of this tool.", {
      fixes: ["Wait a minute; search_library has a wider limit."],
    });
}

export function askTool(ask: AskTool, allow: Allow, signal: AbortSignal): Tool {
  return async ({ open, budget }, args) => {
    const asked = parseAsked(args);
    limited(allow, "ask");
    // The receipt repeats answer and citations for a check offline; POST /api/ask gives it.
    const { receipt: _, snapshot, ...response } = await ask(asked, open, signal);
    const { value, truncated, notices } = fitWhole(response, budget);
    return { result: value, snapshot, path: withQuery("/ask/", asked), pinned: false, truncated, next: null, notices };
  };
}

export function semanticTool(semantic: SemanticTool, allow: Allow, signal: AbortSignal): Tool {
  return async ({ open, budget }, { query, prefix = "", limit }) => {
    const parsed = parseSearch(new URLSearchParams({ q: String(query), prefix: String(prefix), limit: String(Number(limit) + 1) }));
    const { q, prefix: under } = parsed;
    limited(allow, "ai-search");
    const { results, ...found } = await semantic(parsed, open, signal);
    const frame = { query: q, prefix: under, ...found };
    const { items, next, notices } = slice(results, 0, Number(limit), jsonBytes({ ...frame, results: [] }), budget);
    const path = withQuery("/api/ai-search", { q, prefix: under });
    const truncated = next !== null || notices.length > 0;
    return { result: { ...frame, results: items }, snapshot: open.snapshot.id, path, pinned: false, truncated, next: null, notices };
  };
}

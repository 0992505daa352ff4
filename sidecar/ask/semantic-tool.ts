/** Answers questions and searches by meaning, as the routes and the tools of agents call it. */
import type { OpenSnapshot, SearchQuery } from "#snapshots/query";
import type { AiSearchResponse, AskRequest, AskResponse } from "#snapshots/schema";

export type AskTool = (request: AskRequest, open: OpenSnapshot, signal: AbortSignal) => Promise<AskResponse>;
export type SemanticTool = (
  query: SearchQuery,
  open: OpenSnapshot,
  signal?: AbortSignal,
) => Promise<Pick<AiSearchResponse, "mode" | "notice" | "results" | "did_you_mean">>;

/** noSemantic stands where no semantic search is built in. */
export const noSemantic: SemanticTool = async () => {
  return {
    mode: "unavailable",
    notice: "Semantic search is not configured. Add embeddings to proofshelf.yaml and build again.",
    results: [],
  };
};

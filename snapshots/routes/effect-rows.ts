/** Rows that need a secret, a body, a model or an identity: the sidecar answers them. */
import { DEFAULT_SEMANTIC_LIMIT } from "#snapshots/query";
import { AiSearchResponse, AskRequest, AskResponse, ReindexRequest, ReindexSummary } from "#snapshots/schema";
import { anyObject, json, limit, prefix, q, type WrittenRow, row, text } from "./row.ts";

export const EFFECT_ROWS = {
  "ai-search": row({
    group: "library",
    path: "/api/ai-search",
    kind: "effect",
    at: "kept",
    limit: "ai-search",
    summary: "Semantic search; 200 with a notice when it is not available",
    query: [
      q("What to look for, in words. At most 500 characters.", "why do digests need a canonical form"),
      prefix,
      limit("Sources", DEFAULT_SEMANTIC_LIMIT),
    ],
    success: json(AiSearchResponse, "Sources with the passages that matched"),
    errors: [400, 503],
  }),
  ask: row({
    group: "library",
    methods: ["POST"],
    path: "/api/ask",
    gatedPath: "/library/api/ask",
    kind: "effect",
    limit: "ask",
    summary: "An answer grounded in sources, with quotes that can be checked",
    body: AskRequest,
    success: json(AskResponse, "mode ai, or search when no model answers"),
    errors: [400, 404, 410, 413, 503],
  }),
  mcp: row({
    group: "service",
    methods: ["POST"],
    path: "/mcp",
    kind: "effect",
    limit: "mcp",
    summary: "Read-only tools for agents: Model Context Protocol over JSON-RPC 2.0",
    body: anyObject,
    success: json(anyObject, "JSON-RPC 2.0 response"),
    also: {
      202: "A notification, or a response, was taken: there is nothing to answer",
      400: "JSON-RPC 2.0 error: the body cannot be read, or is no message",
      403: "JSON-RPC 2.0 error: the host, or a page of that origin, may not call",
      413: "JSON-RPC 2.0 error: the body is over the limit",
      415: "JSON-RPC 2.0 error: Content-Type is not application/json",
    },
    errors: [503],
  }),
  code: row({
    group: "registry",
    views: "public",
    path: "/api/code/{repo}/{head}/{path...}",
    kind: "effect",
    access: "gated",
    limit: "code",
    summary: "One file at an exact revision, re-hashed before it is sent",
    parts: {
      repo: { description: "Repository.", example: "sorting" },
      head: { description: "Revision id.", example: "0".repeat(40) },
      path: { description: "Path in the repository.", example: "coq/Sort.v" },
    },
    success: text("*/*", "The bytes, with X-CUB-Sha256"),
    errors: [400, 401, 403, 404, 503],
  }),
  reindex: row({
    group: "service",
    views: "public",
    methods: ["POST"],
    path: "/api/reindex",
    kind: "effect",
    access: "token",
    summary: "Rebuild now",
    body: ReindexRequest.optional(),
    success: json(ReindexSummary, "What the rebuild did"),
    errors: [400, 401, 409, 413, 503],
  }),
  /** For people only, and in the gated view alone. */
  "person-ask": row({
    group: "internal",
    views: "internal",
    methods: ["POST"],
    path: "/api/ask",
    kind: "effect",
    access: "person",
    limit: "ask",
    summary: "Assistant for people; machines use /internal/library/api/ask",
    body: AskRequest,
    success: json(AskResponse, "Like the machine route"),
    errors: [400, 401, 403, 404, 410, 413, 503],
  }),
} as const satisfies Readonly<Record<string, WrittenRow>>;

export type EffectRouteId = keyof typeof EFFECT_ROWS;

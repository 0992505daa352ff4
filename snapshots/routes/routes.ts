/** The route table as data: who may call what, how it is cached, what goes in and what comes out.
 *  The answers, the description at /api/openapi.json, the reference page and the tests that enumerate routes all read it. */
import { z } from "zod";
import { pagePath } from "../format/layout.ts";
import { DEFAULT_LIMIT } from "../query/params.ts";
import { DEFAULT_SEMANTIC_LIMIT } from "../query/semantic.ts";
import { ClaimsRegistry } from "../schema/claims.ts";
import { CUB_FILTERS, CubCode, CubListResponse, CubRecord, RegistryMeta } from "../schema/cubs.ts";
import { DigestMatches, ObjectProof } from "../schema/evidence.ts";
import {
  AiSearchResponse,
  AskRequest,
  AskResponse,
  Capabilities,
  Catalog,
  Health,
  ListResponse,
  ReindexSummary,
  Rejected,
  SearchResponse,
} from "../schema/resources.ts";
import type { PageRoute, Route, RouteParameter, RouteResponse } from "./route.ts";

const READ = ["GET", "HEAD"] as const;

function parameter(
  name: string,
  description: string,
  example: string,
  more: { required?: boolean; repeats?: boolean } = {},
): RouteParameter {
  return { name, description, example, required: more.required ?? false, repeats: more.repeats ?? false };
}

const prefix = parameter("prefix", "Only keys that start with it; empty means no restriction.", "notes/");
const cursor = parameter("cursor", "Taken unchanged from the member next, or from the Link header, of the page before.", "");
const limit = (what: string, usual: number): RouteParameter =>
  parameter("limit", `${what} in one response, 0 to 500; ${usual} without it.`, "10");
const q = (description: string, example: string): RouteParameter => parameter("q", description, example, { required: true });
const key = { description: "Object key, percent-encoded segment by segment.", example: "notes/reading-a-digest.md" };
const id = { description: "Exact CUB id.", example: "CUB-0001" };
const anyObject = z.looseObject({});
const text = (type: string, description: string): RouteResponse => ({ description, type });
const json = (schema: z.ZodType, description: string): RouteResponse => ({ description, schema });

const cubFilters = CUB_FILTERS.map(({ name, field }) =>
  parameter(
    name,
    name === "deployable" ? "true or false." : `Exact, case-sensitive value of \`${field}\`; repeated values are alternatives.`,
    name === "deployable" ? "true" : name === "verification_state" ? "VERIFIED" : "",
    { repeats: true },
  ),
);

/** Routes that both views have, without the /internal in front. */
const library: readonly Route[] = [
  {
    id: "list",
    group: "library",
    methods: READ,
    path: "/api/list",
    kind: "query",
    access: "public",
    limit: null,
    summary: "Objects and child prefixes directly under a prefix",
    query: [prefix, cursor],
    parts: {},
    success: json(ListResponse, "Both lists ascending; at most 1,000 entries"),
    errors: [400, 410],
  },
  {
    id: "catalog",
    group: "library",
    methods: READ,
    path: "/api/catalog",
    kind: "file",
    access: "public",
    limit: null,
    summary: "Every object, grouped by collection, with digests",
    query: [],
    parts: {},
    success: json(Catalog, "The catalog"),
    errors: [503],
  },
  {
    id: "claims",
    group: "library",
    methods: READ,
    path: "/api/claims",
    kind: "file",
    access: "public",
    limit: null,
    summary: "The claims registry: scope, pinned evidence, reproduction steps, known gaps",
    query: [],
    parts: {},
    success: json(ClaimsRegistry, "All claims"),
    errors: [],
  },
  {
    id: "search",
    group: "library",
    methods: READ,
    path: "/api/search",
    kind: "query",
    access: "public",
    limit: "search",
    summary: "Ranked full-text search, best first",
    query: [q("Words; quotes make a phrase. At most 500 characters.", "merkle proof"), prefix, limit("Sources", DEFAULT_LIMIT)],
    parts: {},
    success: json(SearchResponse, "One source per object"),
    errors: [400, 503],
  },
  {
    id: "ai-search",
    group: "library",
    methods: READ,
    path: "/api/ai-search",
    kind: "effect",
    access: "public",
    limit: "ai-search",
    summary: "Semantic search; 200 with a notice when it is not available",
    query: [
      q("What to look for, in words. At most 500 characters.", "why do digests need a canonical form"),
      prefix,
      limit("Sources", DEFAULT_SEMANTIC_LIMIT),
    ],
    parts: {},
    success: json(AiSearchResponse, "Sources with the passages that matched"),
    errors: [400, 429, 503],
  },
  {
    id: "ask",
    group: "library",
    methods: ["POST"],
    path: "/api/ask",
    kind: "effect",
    access: "public",
    limit: "ask",
    summary: "An answer grounded in sources, with quotes that can be checked",
    query: [],
    parts: {},
    body: AskRequest,
    success: json(AskResponse, "mode ai, or search when no model answers"),
    errors: [400, 413, 429, 503],
  },
  {
    id: "capabilities",
    group: "service",
    methods: READ,
    path: "/api/capabilities",
    kind: "live",
    access: "public",
    limit: null,
    summary: "What this process offers now, with limits",
    query: [],
    parts: {},
    success: json(Capabilities, "Read from the running configuration"),
    errors: [],
  },
  {
    id: "openapi",
    group: "service",
    methods: READ,
    path: "/api/openapi.json",
    kind: "file",
    access: "public",
    limit: null,
    summary: "This description, OpenAPI 3.1",
    query: [],
    parts: {},
    success: json(anyObject, "OpenAPI 3.1 document"),
    errors: [],
  },
  {
    id: "object",
    group: "library",
    methods: READ,
    path: "/objects/{key...}",
    kind: "file",
    access: "public",
    limit: null,
    summary: "The bytes of one object; ranges allowed",
    query: [],
    parts: { key },
    success: text("application/octet-stream", "The object, with Repr-Digest and its own media type"),
    errors: [404, 416],
    also: { 206: "The range that was asked for", 308: "Another spelling of the key: its one canonical percent-encoding" },
  },
  {
    id: "digest",
    group: "library",
    methods: READ,
    path: "/api/digests/{sha256}",
    kind: "query",
    access: "public",
    limit: null,
    summary: "Every object, evidence item and record file with a digest",
    query: [],
    parts: { sha256: { description: "SHA-256, 64 hex digits.", example: "0".repeat(64) } },
    success: json(DigestMatches, "Three lists, empty when nothing has it"),
    errors: [400],
  },
  {
    id: "proof",
    group: "library",
    methods: READ,
    path: "/api/proofs/{key...}",
    kind: "query",
    access: "public",
    limit: null,
    summary: "The trees that prove an object to lie in this snapshot",
    query: [],
    parts: { key },
    success: json(ObjectProof, "From the root to the object, checked with SHA-256 alone"),
    errors: [400, 404],
  },
  {
    id: "browse",
    group: "library",
    methods: READ,
    path: "/browse/{prefix...}",
    kind: "file",
    access: "public",
    limit: null,
    summary: "A prefix as a page",
    query: [parameter("sort", "name, size, date or kind; a leading - turns it round.", "-size")],
    parts: { prefix: { description: "Prefix, percent-encoded; empty for the root.", example: "notes/" } },
    success: text("text/html", "HTML"),
    errors: [404],
    also: { 308: "Another spelling of the path: the page's own" },
  },
  {
    id: "llms",
    group: "service",
    methods: READ,
    path: "/llms.txt",
    kind: "file",
    access: "public",
    limit: null,
    summary: "Text index of all collections for language models",
    query: [],
    parts: {},
    success: text("text/plain", "Markdown"),
    errors: [],
  },
  {
    id: "llms-full",
    group: "service",
    methods: READ,
    path: "/llms-full.txt",
    kind: "file",
    access: "public",
    limit: null,
    summary: "Claims, records and texts in one file, up to 4 MiB",
    query: [],
    parts: {},
    success: text("text/plain", "Markdown; each object's text between two lines with its digest"),
    errors: [],
  },
  {
    id: "mcp-description",
    group: "service",
    methods: READ,
    path: "/.well-known/mcp.json",
    kind: "file",
    access: "public",
    limit: null,
    summary: "Where the MCP endpoint is and what it offers",
    query: [],
    parts: {},
    success: json(anyObject, "Endpoint, revisions, tools, prompts"),
    errors: [],
  },
  {
    id: "mcp",
    group: "service",
    methods: ["POST"],
    path: "/mcp",
    kind: "effect",
    access: "public",
    limit: "mcp",
    summary: "Read-only tools for agents: Model Context Protocol over JSON-RPC 2.0",
    query: [],
    parts: {},
    body: anyObject,
    success: json(anyObject, "JSON-RPC 2.0 response"),
    errors: [403, 413, 429, 503],
  },
];

/** Routes of the public view alone. */
const publicOnly: readonly Route[] = [
  {
    id: "cubs",
    group: "registry",
    methods: READ,
    path: "/api/cubs",
    kind: "query",
    access: "public",
    limit: null,
    summary: "Proof records by filters and words",
    query: [
      parameter(
        "q",
        "Words over id, theorem_name, module, statement, crate, repo and note; all must match. Quotes make a phrase.",
        "sorted",
      ),
      ...cubFilters,
      limit("Records", DEFAULT_LIMIT),
      cursor,
    ],
    parts: {},
    success: json(CubListResponse, "An exact id first, then ascending by id"),
    errors: [400, 410, 503],
  },
  {
    id: "cubs-all",
    group: "registry",
    methods: READ,
    path: "/api/cubs.json",
    kind: "file",
    access: "public",
    limit: null,
    summary: "Every record in one file",
    query: [],
    parts: {},
    success: json(CubListResponse, "All records"),
    errors: [503],
  },
  {
    id: "cubs-meta",
    group: "registry",
    methods: READ,
    path: "/api/cubs/meta",
    kind: "file",
    access: "public",
    limit: null,
    summary: "Freshness, counts and reconciliation of the registry",
    query: [],
    parts: {},
    success: json(RegistryMeta, "Registry metadata"),
    errors: [503],
  },
  {
    id: "cub",
    group: "registry",
    methods: READ,
    path: "/api/cubs/{id}",
    kind: "file",
    access: "public",
    limit: null,
    summary: "One proof record",
    query: [],
    parts: { id },
    success: json(CubRecord, "The record"),
    errors: [400, 404, 503],
  },
  {
    id: "cub-code",
    group: "registry",
    methods: READ,
    path: "/api/cubs/{id}/code",
    kind: "file",
    access: "public",
    limit: null,
    summary: "Integrity index of a record's files: digests and availability, never bytes",
    query: [],
    parts: { id },
    success: json(CubCode, "The index"),
    errors: [400, 404, 503],
  },
  {
    id: "code",
    group: "registry",
    methods: READ,
    path: "/api/code/{repo}/{head}/{path...}",
    kind: "effect",
    access: "gated",
    limit: "code",
    summary: "One file at an exact revision, re-hashed before it is sent",
    query: [],
    parts: {
      repo: { description: "Repository.", example: "sorting" },
      head: { description: "Revision id.", example: "0".repeat(40) },
      path: { description: "Path in the repository.", example: "coq/Sort.v" },
    },
    success: text("application/octet-stream", "The bytes, with X-CUB-Sha256"),
    errors: [400, 401, 403, 404, 429, 503],
  },
  {
    id: "rejected",
    group: "service",
    methods: READ,
    path: "/api/rejected",
    kind: "file",
    access: "public",
    limit: null,
    summary: "Inputs that were refused, with reasons: why something is missing",
    query: [],
    parts: {},
    success: json(Rejected, "The list"),
    errors: [],
  },
  {
    id: "reindex",
    group: "service",
    methods: ["POST"],
    path: "/api/reindex",
    kind: "effect",
    access: "token",
    limit: null,
    summary: "Rebuild now",
    query: [],
    parts: {},
    success: json(ReindexSummary, "What the rebuild did"),
    errors: [401, 409, 503],
  },
  {
    id: "health",
    group: "service",
    methods: READ,
    path: "/health",
    kind: "live",
    access: "public",
    limit: null,
    summary: "Whether this process can serve, and how old the snapshot is",
    query: [],
    parts: {},
    success: { description: "pass or warn", schema: Health, type: "application/health+json" },
    errors: [],
    also: { 503: "fail: nothing can be served" },
  },
  {
    id: "sitemap",
    group: "service",
    methods: READ,
    path: "/sitemap.xml",
    kind: "file",
    access: "public",
    limit: null,
    summary: "Addresses of all public pages",
    query: [],
    parts: {},
    success: text("application/xml", "Sitemap"),
    errors: [],
  },
  {
    id: "robots",
    group: "service",
    methods: READ,
    path: "/robots.txt",
    kind: "file",
    access: "public",
    limit: null,
    summary: "What crawlers may fetch",
    query: [],
    parts: {},
    success: text("text/plain", "robots.txt"),
    errors: [],
  },
];

const gatedPath: Readonly<Record<string, string>> = { ask: "/internal/library/api/ask" };

const internal: readonly Route[] = [
  ...library.map(
    (route): Route => ({
      ...route,
      id: `internal-${route.id}`,
      group: "internal",
      path: gatedPath[route.id] ?? `/internal${route.path}`,
      kind: "effect",
      access: "gated",
      summary: `${route.summary} (public plus email-gated)`,
      errors: [...new Set([...route.errors, 401, 403, 503])].sort(),
    }),
  ),
  {
    id: "internal-person-ask",
    group: "internal",
    methods: ["POST"],
    path: "/internal/api/ask",
    kind: "effect",
    access: "person",
    limit: "ask",
    summary: "Assistant for people; machines use /internal/library/api/ask",
    query: [],
    parts: {},
    body: AskRequest,
    success: json(AskResponse, "Like the machine route"),
    errors: [400, 401, 403, 413, 429, 503],
  },
];

/** Every route of the service. */
export const ROUTES: readonly Route[] = [...library, ...publicOnly, ...internal];

/** Pages that cost more than reading, in both views: the others are files and follow from the snapshot. */
export const COSTLY_PAGES: readonly PageRoute[] = [
  { id: "search-page", path: pagePath.search, methods: READ, kind: "query", access: "public", limit: "search" },
  // A stored page without a question; with one, an answer.
  { id: "ask-page", path: pagePath.ask, methods: READ, kind: "effect", access: "public", limit: "ask" },
];

export function findRoute(id: string): Route {
  const route = ROUTES.find((candidate) => candidate.id === id);
  if (route === undefined) throw new TypeError(`there is no route "${id}"`);
  return route;
}

/** The route whose path pattern fits, whatever the method; null when none does. Static paths win over patterns.
 *  @param path URL path as sent, still percent-encoded */
export function matchRoute(path: string): Route | null {
  return exactRoutes.get(path) ?? patternRoutes.find(({ pattern }) => pattern.test(path))?.route ?? null;
}

const exactRoutes = new Map(ROUTES.filter(({ path }) => !path.includes("{")).map((route) => [route.path, route]));
const patternRoutes = ROUTES.filter(({ path }) => path.includes("{")).map((route) => ({
  route,
  pattern: new RegExp(
    `^${route.path.replaceAll(".", "\\.").replaceAll(/\{(\w+)(\\\.\\\.\\\.)?\}/g, (_, __, rest) => (rest === undefined ? "[^/]+" : ".*"))}$`,
  ),
}));

/** The route table as data: who may call what, how it is cached, what goes in and what comes out.
 *  The answers, the description at /api/openapi.json, the reference page and the tests that enumerate routes all read it. */
import { z } from "zod";
import { pagePath } from "../format/layout.ts";
import { DEFAULT_LIMIT } from "../query/params.ts";
import { DEFAULT_CHANGES } from "../query/changes.ts";
import { DEFAULT_SEMANTIC_LIMIT } from "../query/semantic.ts";
import { ChangesResponse, Comparison } from "../schema/changes.ts";
import { ClaimsRegistry } from "../schema/claims.ts";
import { CUB_FILTERS, type CubFilter } from "../schema/cub-facets.ts";
import { CubCode, CubListResponse, CubRecord, RegistryMeta } from "../schema/cubs.ts";
import { DigestMatches, Proof } from "../schema/evidence.ts";
import { LeakReport } from "../schema/leak-summary.ts";
import {
  AiSearchResponse,
  AskRequest,
  AskResponse,
  Capabilities,
  Catalog,
  CollectionCatalog,
  Health,
  ListResponse,
  ReindexRequest,
  ReindexSummary,
  Rejected,
  SearchResponse,
} from "../schema/resources.ts";
import type { FeedName, PageRoute, Route, RouteId, RouteParameter, RouteResponse, ViewRouteId } from "./route.ts";

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
const license = parameter(
  "license",
  "Only objects with this licence, as the catalog has it; empty: none is stated. Repeated values are alternatives.",
  "Apache-2.0",
  {
    repeats: true,
  },
);
const cursor = parameter("cursor", "Taken unchanged from the member next, or from the Link header, of the page before.", "");
const limit = (what: string, usual: number): RouteParameter =>
  parameter("limit", `${what} in one response, 0 to 500; ${usual} without it.`, "10");
const q = (description: string, example: string): RouteParameter => parameter("q", description, example, { required: true });
const key = { description: "Object key, percent-encoded segment by segment.", example: "notes/reading-a-digest.md" };
const id = { description: "Exact CUB id.", example: "CUB-0001" };
const SNAPSHOT_NAMED = "Id of a snapshot, or the first six digits of it or more.";
const anyObject = z.looseObject({});
const text = (type: string, description: string): RouteResponse => ({ description, type });
const json = (schema: z.ZodType, description: string): RouteResponse => ({ description, schema });

const FILTER_EXAMPLES: Readonly<Record<CubFilter, string>> = {
  repo: "sorting",
  status: "VERIFIED_EXACT",
  verification_state: "VERIFIED",
  production_consumption: "EXECUTABLE-RUNTIME",
  proof_consumption: "RUNTIME-CONSUMER-WIRED",
  wiring: "FUNCTION-IMPL",
  crate: "sorted-lists",
  use_case: "crypto",
  invocation: "runtime",
  invocation_role: "verifier",
  formal_systems: "Coq+Lean",
  kernels: "none",
  proof_scope: "function",
  deployable: "true",
  lane: "main",
  tier: "1",
};
const cubFilters = CUB_FILTERS.map(({ name, field }) =>
  parameter(
    name,
    name === "deployable" ? "true or false." : `Exact, case-sensitive value of \`${field}\`; repeated values are alternatives.`,
    FILTER_EXAMPLES[name],
    { repeats: true },
  ),
);

type Row<Id extends RouteId> = Pick<Route<Id>, "id" | "group" | "path" | "summary" | "success"> & Partial<Route<Id>>;

/** A row: a public file that takes no parameters and counts against no limit, unless it says otherwise. */
function row<Id extends RouteId>(given: Row<Id>): Route<Id> {
  return { methods: READ, kind: "file", access: "public", limit: null, query: [], parts: {}, errors: [], ...given };
}

/** A feed beside a page, in both its forms. */
function feedRows(id: FeedName, page: string, summary: string, more: Partial<Pick<Route, "parts" | "errors">> = {}): Route<ViewRouteId>[] {
  const shared = { group: "service", kind: "history", ...more } as const;
  const atom = text("application/atom+xml", "Atom: an entry for each change, what got weaker in the category weaker");
  const feed = { ...json(anyObject, "JSON Feed 1.1, with tags for categories"), type: "application/feed+json" };
  return [
    row({ ...shared, id, path: `${page}/feed.xml`, summary: `${summary} as a feed`, success: atom }),
    row({ ...shared, id: `${id}-json`, path: `${page}/feed.json`, summary: `${summary} as a JSON Feed`, success: feed }),
  ];
}

/** The same in two forms. */
function rowRoutes(name: "catalog" | "cubs", group: Route["group"], summary: string): Route<ViewRouteId>[] {
  const shared = { group, errors: name === "cubs" ? [503] : [] } as const;
  const csv = text("text/csv", "RFC 4180 with a header; lists are JSON, and a text that begins like a formula has an apostrophe in front");
  return [
    row({
      ...shared,
      id: `${name}-ndjson`,
      path: `/api/${name}.ndjson`,
      summary: `${summary}, as JSON`,
      success: text("application/x-ndjson", "NDJSON"),
    }),
    row({ ...shared, id: `${name}-csv`, path: `/api/${name}.csv`, summary: `${summary}, for spreadsheets`, success: csv }),
  ];
}

/** Routes that both views have, without the /internal in front. */
const library: readonly Route<ViewRouteId>[] = [
  row({
    id: "list",
    group: "library",
    path: "/api/list",
    kind: "query",
    summary: "Objects and child prefixes directly under a prefix",
    query: [prefix, license, cursor],
    success: json(ListResponse, "Both lists ascending; at most 1,000 entries"),
    errors: [400, 410],
  }),
  row({
    id: "catalog",
    group: "library",
    path: "/api/catalog",
    summary: "Every object, grouped by collection, with digests",
    success: json(Catalog, "The catalog"),
    errors: [503],
  }),
  row({
    id: "catalog-collection",
    group: "library",
    path: "/api/catalog/{collection}",
    summary: "The objects of one collection, as in the catalog",
    parts: { collection: { description: "Id of a collection.", example: "notes" } },
    success: json(CollectionCatalog, "That collection's part of the catalog"),
    errors: [404, 503],
  }),
  row({
    id: "claims",
    group: "library",
    path: "/api/claims",
    file: "api/claims.json",
    summary: "The claims registry: scope, pinned evidence, reproduction steps, known gaps",
    success: json(ClaimsRegistry, "All claims"),
  }),
  row({
    id: "search",
    group: "library",
    path: "/api/search",
    kind: "query",
    limit: "search",
    summary: "Ranked full-text search, best first",
    query: [q("Words; quotes make a phrase. At most 500 characters.", "merkle proof"), prefix, limit("Sources", DEFAULT_LIMIT)],
    success: json(SearchResponse, "One source per object"),
    errors: [400, 503],
  }),
  row({
    id: "ai-search",
    group: "library",
    path: "/api/ai-search",
    kind: "effect",
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
  row({
    id: "ask",
    group: "library",
    methods: ["POST"],
    path: "/api/ask",
    kind: "effect",
    limit: "ask",
    summary: "An answer grounded in sources, with quotes that can be checked",
    body: AskRequest,
    success: json(AskResponse, "mode ai, or search when no model answers"),
    errors: [400, 413, 503],
  }),
  row({
    id: "capabilities",
    group: "service",
    path: "/api/capabilities",
    kind: "live",
    summary: "What this process offers now, with limits",
    success: json(Capabilities, "Read from the running configuration"),
  }),
  row({
    id: "openapi",
    group: "service",
    path: "/api/openapi.json",
    file: "api/openapi.json",
    summary: "This description, OpenAPI 3.1",
    success: json(anyObject, "OpenAPI 3.1 document"),
  }),
  row({
    id: "object",
    group: "library",
    path: "/objects/{key...}",
    summary: "The bytes of one object; ranges allowed",
    parts: { key },
    success: text("application/octet-stream", "The object, with Repr-Digest and its own media type"),
    errors: [404, 416],
    also: { 206: "The range that was asked for", 308: "Another spelling of the key: its one canonical percent-encoding" },
  }),
  row({
    id: "page-image",
    group: "library",
    path: "/images/{key...}/{page}.png",
    file: "images/{key}/{page}.png",
    summary: "A page of a PDF as an image, of the first pages as the library is configured",
    parts: {
      key: { ...key, example: "papers/merkle-by-hand.pdf" },
      page: { description: "Number of the page, from 1.", example: "1" },
    },
    success: text("image/png", "The page in grey, of about half a million pixels"),
    errors: [404],
  }),
  row({
    id: "digest",
    group: "library",
    path: "/api/digests/{sha256}",
    kind: "query",
    summary: "Every object, evidence item and record file with a digest",
    parts: { sha256: { description: "SHA-256, 64 hex digits.", example: "0".repeat(64) } },
    success: json(DigestMatches, "Three lists, empty when nothing has it"),
    errors: [400],
  }),
  row({
    id: "proof",
    group: "library",
    path: "/api/proofs/{key...}",
    kind: "query",
    summary: "Proof that this snapshot has an object, a record or a claim, or that it has none, and that the snapshot is in the log",
    parts: { key },
    query: [parameter("kind", "What the key is of: object, record (its id) or claim (its id); object without it.", "object")],
    success: json(Proof, "From the root to the file, and from the snapshot to the log's head; checked with SHA-256 and Ed25519 alone"),
    errors: [400],
  }),
  row({
    id: "changes",
    group: "library",
    path: "/api/changes",
    kind: "history",
    limit: "at",
    summary: "What each publication changed, oldest first, with fields before and after",
    query: [
      parameter("since", "Number or id of a snapshot: what came after it. Everything that is kept without it.", "0"),
      { ...limit("Changes", DEFAULT_CHANGES), description: `Changes in one response, 1 to 500; ${DEFAULT_CHANGES} without it.` },
      cursor,
    ],
    success: json(ChangesResponse, "The changes of objects, claims and records"),
    errors: [400, 404, 410],
  }),
  row({
    id: "diff",
    group: "library",
    path: "/api/diff/{from}/{to}",
    kind: "history",
    limit: "at",
    summary: "What differs between two snapshots that are kept",
    parts: { from: { description: SNAPSHOT_NAMED, example: "0".repeat(64) }, to: { description: SNAPSHOT_NAMED, example: "0".repeat(64) } },
    query: [
      { ...limit("Changes", DEFAULT_CHANGES), description: `Changes in one response, 1 to 500; ${DEFAULT_CHANGES} without it.` },
      cursor,
    ],
    success: json(Comparison, "As the page of the comparison, and as `snapshots diff --json`"),
    errors: [400, 404, 410],
  }),
  ...feedRows("folder-feed", "/browse/{prefix...}", "The newest changes of objects under a prefix", {
    parts: { prefix: { description: "Prefix without its last slash, percent-encoded.", example: "notes" } },
    errors: [404],
  }),
  row({
    id: "browse",
    group: "library",
    path: "/browse/{prefix...}",
    summary: "A prefix as a page",
    query: [parameter("sort", "name, size, date or kind; a leading - turns it round.", "-size"), license],
    parts: { prefix: { description: "Prefix, percent-encoded; empty for the root.", example: "notes/" } },
    success: text("text/html", "HTML"),
    errors: [404],
    also: { 308: "Another spelling of the path: the page's own" },
  }),
  row({
    id: "llms",
    group: "service",
    path: "/llms.txt",
    file: "pages/llms.txt",
    summary: "Text index of all collections for language models",
    success: text("text/plain", "Markdown"),
  }),
  row({
    id: "llms-full",
    group: "service",
    path: "/llms-full.txt",
    limit: "llms-full",
    summary: "Claims, records and texts in one file of at most 4 MiB",
    success: text("text/plain", "Markdown; each object's text between two lines with its digest"),
  }),
  row({
    id: "mcp-description",
    group: "service",
    path: "/.well-known/mcp.json",
    summary: "Where the MCP endpoint is and what it offers",
    success: json(anyObject, "Endpoint, revisions, tools, prompts"),
  }),
  row({
    id: "mcp",
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
      415: "JSON-RPC 2.0 error: Content-Type is not application/json",
    },
    errors: [403, 413, 503],
  }),
  ...feedRows("feed", "", "The newest changes"),
  ...feedRows("claims-feed", "/claims", "The newest changes of claims"),
  ...feedRows("registry-feed", "/registry", "The newest changes of records", { errors: [404] }),
  row({
    id: "timemap",
    group: "service",
    path: "/api/timemap",
    kind: "history",
    summary: "When which snapshot was served: a TimeMap (RFC 7089)",
    success: text("application/link-format", "A link for each snapshot that is kept"),
  }),
  row({
    id: "timegate",
    group: "service",
    path: "/timegate/{path...}",
    kind: "history",
    summary: "Leads to any address as it was at the time in Accept-Datetime (RFC 7089); /at/2026-01-31T12:00:00Z/… does so too",
    parts: { path: { description: "Any path of this service.", example: "claims/" } },
    success: text("text/html", "Never: the answer is the address under /at/"),
    errors: [400, 404],
    also: { 302: "The address under /at/" },
  }),
  row({
    id: "leak-report",
    group: "service",
    path: "/api/leak-report",
    kind: "query",
    summary: "What was looked for, and where, before this snapshot was published: nothing gated may be in it",
    success: json(LeakReport, "Bound to the snapshot by the record of its publication"),
  }),
];

/** Routes of the public view alone. */
const publicOnly: readonly Route<ViewRouteId>[] = [
  row({
    id: "cubs",
    group: "registry",
    path: "/api/cubs",
    kind: "query",
    summary: "Proof records by filters and words",
    query: [
      parameter(
        "q",
        "Words over id, theorem_name, module, statement, crate, repo and note; all must match. Quotes make a phrase.",
        "sorted",
      ),
      ...cubFilters,
      parameter(
        "facets",
        "true: also what each value of each filter would leave, as `facets`; the filter's own values do not count for it.",
        "true",
      ),
      limit("Records", DEFAULT_LIMIT),
      cursor,
    ],
    success: json(CubListResponse, "An exact id first, then ascending by id"),
    errors: [400, 410, 503],
  }),
  row({
    id: "cubs-all",
    group: "registry",
    path: "/api/cubs.json",
    summary: "Every record in one file",
    success: json(CubListResponse, "All records"),
    errors: [503],
  }),
  row({
    id: "cubs-meta",
    group: "registry",
    path: "/api/cubs/meta",
    file: "api/cubs/meta.json",
    summary: "Freshness, counts and reconciliation of the registry",
    success: json(RegistryMeta, "Registry metadata"),
    errors: [503],
  }),
  row({
    id: "cub",
    group: "registry",
    path: "/api/cubs/{id}",
    file: "api/cubs/{id}.json",
    summary: "One proof record",
    parts: { id },
    success: json(CubRecord, "The record"),
    errors: [400, 404, 503],
  }),
  row({
    id: "cub-code",
    group: "registry",
    path: "/api/cubs/{id}/code",
    file: "api/cubs/{id}/code.json",
    summary: "Integrity index of a record's files: digests and availability, never bytes",
    parts: { id },
    success: json(CubCode, "The index"),
    errors: [400, 404, 503],
  }),
  row({
    id: "code",
    group: "registry",
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
    success: text("application/octet-stream", "The bytes, with X-CUB-Sha256"),
    errors: [400, 401, 403, 404, 503],
  }),
  row({
    id: "archive",
    group: "library",
    path: "/api/archive.tar",
    limit: "at",
    summary: "Every file of the snapshot in one archive; the same each time, ranges allowed",
    success: text("application/x-tar", "POSIX pax, in the order of the snapshot's tree"),
    errors: [416],
    also: { 206: "The range that was asked for" },
  }),
  ...rowRoutes("catalog", "library", "Every object, a line each"),
  ...rowRoutes("cubs", "registry", "Every record, a line each"),
  row({
    id: "rejected",
    group: "service",
    path: "/api/rejected",
    file: "api/rejected.json",
    summary: "Inputs that were refused, with reasons: why something is missing",
    success: json(Rejected, "The list"),
  }),
  row({
    id: "reindex",
    group: "service",
    methods: ["POST"],
    path: "/api/reindex",
    kind: "effect",
    access: "token",
    summary: "Rebuild now",
    body: ReindexRequest.optional(),
    success: json(ReindexSummary, "What the rebuild did"),
    errors: [400, 401, 409, 413, 503],
  }),
  row({
    id: "health",
    group: "service",
    path: "/health",
    kind: "live",
    summary: "Whether this process can serve, and how old the snapshot is",
    success: { description: "pass or warn", schema: Health, type: "application/health+json" },
    also: { 503: "fail: nothing can be served" },
  }),
  row({
    id: "sitemap",
    group: "service",
    path: "/sitemap.xml",
    file: "pages/sitemap.xml",
    summary: "Addresses of all public pages, or of the parts that have them where there are more than 50,000",
    success: text("application/xml", "Sitemap, or sitemap index"),
  }),
  row({
    id: "sitemap-part",
    group: "service",
    path: "/sitemap-{part}.xml",
    file: "pages/sitemap-{part}.xml",
    summary: "A part of the sitemap",
    parts: { part: { description: "Number of the part, from 1.", example: "1" } },
    success: text("application/xml", "Sitemap"),
    errors: [404],
  }),
  row({
    id: "security-txt",
    group: "service",
    path: "/.well-known/security.txt",
    summary: "Whom to tell of a weakness (RFC 9116), where the configuration says so",
    success: text("text/plain", "security.txt"),
    errors: [404],
  }),
  row({
    id: "robots",
    group: "service",
    path: "/robots.txt",
    file: "pages/robots.txt",
    summary: "What crawlers may fetch",
    success: text("text/plain", "robots.txt"),
  }),
  row({
    id: "shelf",
    group: "service",
    path: "/shelf/{path...}",
    summary: "The public shelf as files, for mirrors and auditors",
    parts: {
      path: {
        description:
          "checkpoint, checkpoints/{n}, keys.json, tile/…, snapshots.json (numbers of those that are kept), snapshots/{n}.json, changes/{n}.json, withdrawn.json, or blobs/ab/abcd….bin.",
        example: "checkpoint",
      },
    },
    success: text("application/octet-stream", "The file, as the format's description has it"),
    also: { 206: "The part that Range asks for, of a blob" },
    errors: [404, 416, 503],
  }),
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
    errors: [400, 401, 403, 413, 503],
  },
];

/** Every route of the service, the gated view under /internal. */
export const ROUTES: readonly Route[] = [...library, ...publicOnly, ...internal];

/** Pages that cost more than reading, in both views: the others are files and follow from the snapshot. */
export const COSTLY_PAGES: readonly PageRoute[] = [
  { id: "search-page", path: pagePath.search, methods: READ, kind: "query", access: "public", limit: "search" },
  // A stored page without a question; with one, an answer.
  { id: "ask-page", path: pagePath.ask, methods: READ, kind: "effect", access: "public", limit: "ask" },
];

/** A kept snapshot, whatever is asked of it: read and parsed first, unless somebody has just asked for it. */
export const KEPT_SNAPSHOT: PageRoute = {
  id: "at",
  path: "/at/{snapshot}/{path...}",
  methods: READ,
  kind: "query",
  access: "public",
  limit: "at",
};

/** Two snapshots held against each other: whole catalogs, record by record. */
export const COMPARISON: PageRoute = { ...KEPT_SNAPSHOT, id: "diff-page", path: "/snapshots/{from}..{to}/" };

export function findRoute(id: RouteId): Route {
  const route = ROUTES.find((candidate) => candidate.id === id);
  if (route === undefined) throw new TypeError(`there is no route "${id}"`);
  return route;
}

/** Every route inside a view: without /internal in front. */
export const VIEW_ROUTES: readonly Route<ViewRouteId>[] = [...library, ...publicOnly];

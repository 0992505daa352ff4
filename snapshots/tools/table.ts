/** The tools for agents as data: names, arguments, results. The MCP endpoint, /.well-known/mcp.json, the page /agents and
 *  the tests read it. Descriptions are ours; no text of the library is ever put into one. */
import { z } from "zod";
import {
  AiSearchResponse,
  AskResponse,
  Capabilities,
  Catalog,
  CatalogCollection,
  Claim,
  CLAIM_STATUSES,
  CUB_SUMMARY,
  CubRecord,
  DateTime,
  DigestMatches,
  ListResponse,
  Proof,
  RECORD_FILTERS,
  RegistryMeta,
  SearchResponse,
  Sha256Hex,
} from "#snapshots/schema";
import { LIST_PAGE, MAX_LIMIT, DEFAULT_LIMIT as SEARCH_RESULTS } from "#snapshots/query";
import { MAX_RESULT_BYTES } from "./budget.ts";

const DEFAULT_ITEMS = 20; // of a list; about half a result
const DEFAULT_SEARCH = 10;

/** MCP_VERSIONS lists the newest first; the first is stateless, the others begin with a handshake that nothing has to remember. */
export const MCP_VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] as const;

type ToolRow = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Schema of the member `result`. */
  readonly output: z.ZodType;
  /** The route that says the same. */
  readonly twin: string;
  readonly example: Readonly<Record<string, unknown>>;
};

const text = (description: string) => z.string().meta({ description });

/** A whole number; one that is out of range is moved to the nearest bound, and the result says so. */
function count(description: string, minimum: number, maximum: number, byDefault: number | null) {
  return z
    .number()
    .refine((value) => Number.isInteger(value), "is not a whole number")
    .optional()
    .meta({ type: "integer", description, minimum, maximum, ...(byDefault === null ? {} : { default: byDefault }) });
}

const cursor = text("next_cursor of the result before").optional();
const prefix = text("Only keys that start with it").optional();
const cubId = text("CUB- and at least four digits");
const detail = z
  .enum(["summary", "full"])
  .optional()
  .meta({ description: "summary is the default; full gives every field", default: "summary" });

/** As the API takes it, too, where it is a word. */
const truth = z.preprocess((value) => (value === "true" || value === "false" ? value === "true" : value), z.boolean());
/** A list of values, any of which may hold; one by itself is taken, too. */
const anyOf = z.preprocess((value) => (typeof value === "string" ? [value] : value), z.array(z.string()));
const LIST_OF_TEXT = { type: "array", items: { type: "string" } } as const;
const filters = Object.fromEntries(
  RECORD_FILTERS.map(({ name }) => [
    name,
    name === "deployable" || name === "no_holes" ? truth.optional().meta({ type: "boolean" }) : anyOf.optional().meta(LIST_OF_TEXT),
  ]),
);
const paging = { limit: count("Records", 0, MAX_LIMIT, DEFAULT_ITEMS), cursor, detail };

const SummaryRecord = CubRecord.pick(
  Object.fromEntries(CUB_SUMMARY.map((name) => [name, true])) as Record<(typeof CUB_SUMMARY)[number], true>,
);
/** A full record is a summary with more members. */
const records = z.object({ count: z.int(), returned: z.int(), cubs: z.array(SummaryRecord) });
const SummaryClaim = Claim.pick({ id: true, title: true, status: true, standing: true, scope: true, statement: true }).extend({
  evidence: z.int(),
  gaps: z.int(),
});

const TABLE = [
  {
    name: "list_collections",
    title: "Collections",
    description: "The library's collections with prefix, number of objects and size. Start here.",
    input: z.strictObject({ cursor }),
    twin: "GET /api/catalog",
    example: {},
    output: z.object({ counts: Catalog.shape.counts, collections: z.array(CatalogCollection.omit({ objects: true })) }),
  },
  {
    name: "list_objects",
    title: "Objects under a prefix",
    description: "Objects and child prefixes directly under a prefix, in key order.",
    input: z.strictObject({ prefix, limit: count("Prefixes and objects together", 1, LIST_PAGE, 50), cursor }),
    output: ListResponse.omit({ next: true }),
    twin: "GET /api/list",
    example: { prefix: "notes/", limit: 20 },
  },
  {
    name: "search_library",
    title: "Search",
    description:
      "Ranked full-text search over objects, claims and proof records. Words, not sentences; double quotes make a phrase. Read a hit with get_object, get_claim or get_cub.",
    input: z.strictObject({
      query: text("At most 500 characters"),
      prefix,
      limit: count("Results", 1, SEARCH_RESULTS, DEFAULT_SEARCH),
      cursor,
    }),
    output: SearchResponse,
    twin: "GET /api/search",
    example: { query: "insertion sort", limit: 5 },
  },
  {
    name: "get_object",
    title: "Read an object",
    description: "The text of one object by key, whole or by lines, with its SHA-256. Cite it as key, sha256 and lines.",
    input: z.strictObject({
      key: text("As list_objects and search_library give it"),
      start_line: count("First line, from 1", 1, Number.MAX_SAFE_INTEGER, 1),
      end_line: count("Last line, inclusive", 1, Number.MAX_SAFE_INTEGER, null),
      cursor,
    }),
    output: z.object({
      key: z.string(),
      title: z.string(),
      kind: z.string(),
      media_type: z.string(),
      size: z.int(),
      sha256: Sha256Hex,
      uploaded: DateTime.nullable(),
      text_from: z.enum(["bytes", "extract", "none"]),
      lines: z.int(),
      start_line: z.int(),
      end_line: z.int(),
      text: z.string().nullable(),
    }),
    twin: "GET /objects/{key}",
    example: { key: "notes/reading-a-digest.md", start_line: 1, end_line: 40 },
  },
  {
    name: "ask_library",
    title: "Ask",
    description: "An answer from the library's own texts, each quote checked against the bytes. To explore, search_library is faster.",
    input: z.strictObject({ question: text("At most 500 characters"), prefix }),
    output: AskResponse.omit({ receipt: true, snapshot: true }),
    twin: "GET /ask/?question={question}",
    example: { question: "Why is insertion sort stable?" },
  },
  {
    name: "ai_search",
    title: "Semantic search",
    description: "Passages by meaning rather than by words. When mode is unavailable, use search_library.",
    input: z.strictObject({ query: text("At most 500 characters"), prefix, limit: count("Results", 1, SEARCH_RESULTS, DEFAULT_SEARCH) }),
    output: AiSearchResponse.omit({ snapshot: true }),
    twin: "GET /api/ai-search",
    example: { query: "how to know that a file was not changed" },
  },
  {
    name: "list_claims",
    title: "Claims",
    description: "What is claimed, its scope, and how it stands.",
    input: z.strictObject({
      status: z.enum(CLAIM_STATUSES).optional(),
      limit: count("Claims", 1, MAX_LIMIT, DEFAULT_ITEMS),
      cursor,
      detail,
    }),
    output: z.object({ count: z.int(), claims: z.array(z.union([Claim, SummaryClaim])) }),
    twin: "GET /api/claims",
    example: { status: "verified" },
  },
  {
    name: "get_claim",
    title: "One claim",
    description: "A claim with pinned evidence, steps to reproduce and to verify, and known gaps.",
    input: z.strictObject({ id: text("As list_claims gives it") }),
    output: Claim,
    twin: "GET /api/claims",
    example: { id: "sorting-is-stable" },
  },
  {
    name: "search_cubs",
    title: "Search proof records",
    description:
      "Proof records (CUBs) by words over id, theorem, module, statement, crate, repo and note; all must match. Filters as in list_cubs.",
    input: z.strictObject({ query: text("Words; double quotes make a phrase"), ...filters, ...paging }),
    output: records,
    twin: "GET /api/cubs",
    example: { query: "sorted", verification_state: ["VERIFIED"], limit: 5 },
  },
  {
    name: "list_cubs",
    title: "Proof records",
    description:
      "Proof records (CUBs) in order of id, by exact values of their fields, any of each list. standing says what holds, verification_state what the registry says. limit 0 only counts.",
    input: z.strictObject({ ...filters, ...paging }),
    output: records,
    twin: "GET /api/cubs",
    example: { invocation: ["runtime"], limit: 10 },
  },
  {
    name: "get_cub",
    title: "One proof record",
    description: "A proof record: statement, files with digests, checks, where it runs.",
    input: z.strictObject({ id: cubId }),
    output: CubRecord,
    twin: "GET /api/cubs/{id}",
    example: { id: "CUB-0007" },
  },
  {
    name: "get_registry_meta",
    title: "Registry",
    description: "Freshness, sources, counts.",
    input: z.strictObject({}),
    output: RegistryMeta,
    twin: "GET /api/cubs/meta",
    example: {},
  },
  {
    name: "lookup_digest",
    title: "Who has this digest",
    description: "What has a SHA-256: objects, evidence, files of records.",
    input: z.strictObject({ sha256: text("64 hex digits") }),
    output: DigestMatches,
    twin: "GET /api/digests/{sha256}",
    example: { sha256: "0".repeat(64) },
  },
  {
    name: "verify_object",
    title: "Verify an object",
    description: "Proof, by SHA-256 alone, that an object lies in a snapshot, and that in the log; the steps are in check.",
    input: z.strictObject({ key: text("As list_objects gives it") }),
    output: Proof,
    twin: "GET /api/proofs/{key}",
    example: { key: "notes/reading-a-digest.md" },
  },
  {
    name: "get_capabilities",
    title: "Capabilities",
    description: "What this service offers at the moment, with limits.",
    input: z.strictObject({}),
    output: Capabilities.omit({ snapshot: true }),
    twin: "GET /api/capabilities",
    example: {},
  },
] as const satisfies readonly ToolRow[];

export type ToolName = (typeof TABLE)[number]["name"];
export type ToolInfo = ToolRow & { readonly name: ToolName };
export const TOOLS: readonly ToolInfo[] = TABLE;
export const TOOL_NAMES: readonly ToolName[] = TOOLS.map(({ name }) => name);

export function findTool(name: string): ToolInfo | null {
  return TOOLS.find((tool) => tool.name === name) ?? null;
}

/** resultSchema is the schema that every result is wrapped in; notices, and the word that texts are data, may stand beside it. */
function resultSchema(tool: ToolInfo): z.ZodObject {
  return z.object({
    snapshot: z.string().meta({ description: "Id of the snapshot that all of this is from" }),
    href: z.string().meta({ description: `The same over HTTP: ${tool.twin}` }),
    truncated: z.boolean().meta({ description: `The whole did not fit ${MAX_RESULT_BYTES} bytes, or the limit` }),
    next_cursor: z.string().exactOptional(),
    result: tool.output,
  });
}

/** inputJsonSchema returns the JSON Schema 2020-12 of a tool's arguments. */
export function inputJsonSchema(tool: ToolInfo): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: "input" });
  return schema;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** outputJsonSchema describes a tool's structured result in JSON Schema 2020-12: names and types, as deep as the members of `result`. An agent reads
 *  the list of tools whole before it asks anything; what is inside these members the API's description says. */
export function outputJsonSchema(tool: ToolInfo): JsonSchema {
  const schema: JsonSchema = z.toJSONSchema(resultSchema(tool), { io: "output", unrepresentable: "any", reused: "inline" });
  const defs = (schema["$defs"] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const whole = (one: JsonSchema): JsonSchema =>
    typeof one["$ref"] === "string" ? (defs[one["$ref"].replace("#/$defs/", "")] ?? {}) : one;
  const typesOf = (one: JsonSchema): readonly unknown[] => {
    const { type, anyOf } = whole(one);
    return Array.isArray(anyOf) ? [...new Set(anyOf.flatMap((each: JsonSchema) => typesOf(each)))] : [type];
  };
  const typed = (one: JsonSchema): JsonSchema => {
    const types = typesOf(one);
    return types.includes(undefined) ? {} : { type: types.length === 1 ? types[0] : types };
  };
  const outline = (one: JsonSchema): JsonSchema => {
    const members = Object.entries(whole(one)["properties"] as Record<string, JsonSchema>);
    return { type: "object", properties: Object.fromEntries(members.map(([name, member]) => [name, typed(member)])) };
  };
  const { required, properties } = schema as { required: unknown; properties: Readonly<Record<"result", JsonSchema>> };
  const envelope = outline(schema);
  return { ...envelope, properties: { ...(envelope["properties"] as JsonSchema), result: outline(properties.result) }, required };
}

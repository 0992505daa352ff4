/** Bodies of the library routes (interface §2, conventions "Bodies that the interface does not show").
 *  The CUB bodies stand in cubs.ts, the claims in claims.ts. */
import { Reviewed, Standing } from "./standing.ts";
import { z } from "zod";
import { type ErrorCode, PROBLEMS } from "#snapshots/errors";
import { Count, DateTime, Sha256Hex, SnapshotId } from "./scalar.ts";
import { Withdrawal } from "./withdrawals.ts";

export const MAX_QUESTION = 500;
export const MAX_SNIPPET = 320;

export const VISIBILITIES = ["public", "email-gated"] as const;
export type Visibility = (typeof VISIBILITIES)[number];
export const VIEWS = ["public", "internal"] as const;
export type ViewName = (typeof VIEWS)[number];

export const LibraryObject = z
  .object({
    key: z.string().meta({ description: "Object key" }),
    size: Count.meta({ description: "Bytes" }),
    uploaded: DateTime.nullable(),
    etag: z.string().nullable(),
  })
  .meta({ id: "LibraryObject" });
export type LibraryObject = z.infer<typeof LibraryObject>;

export const ListResponse = z
  .object({
    prefix: z.string(),
    prefixes: z.array(z.string()).meta({ description: "Child prefixes" }),
    objects: z.array(LibraryObject),
    next: z.string().exactOptional().meta({ description: "Cursor of the next page; absent on the last" }),
  })
  .meta({ id: "ListResponse" });
export type ListResponse = z.infer<typeof ListResponse>;

export const Source = z
  .object({
    title: z.string(),
    kind: z.string(),
    key: z.string(),
    href: z.string(),
    summary: z.string(),
    snippet: z.string().meta({ description: `Plain text, at most ${MAX_SNIPPET} characters` }),
    score: z.number().meta({ description: "Higher is better; comparable only inside one response" }),
    standing: Standing.exactOptional().meta({ description: "Of a record or a claim: what is to be said of it" }),
    reviewed: Reviewed,
    line: z
      .int()
      .min(1)
      .exactOptional()
      .meta({ description: "Where the best passage begins, in code the declaration; absent without lines" }),
    copies: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .meta({ description: "Other keys with the same bytes, at most 20; absent when there are none" }),
  })
  .meta({ id: "Source" });
export type Source = z.infer<typeof Source>;

const DidYouMean = z.string().exactOptional().meta({
  description: "The query that the results are for, where a word of `query` stands nowhere and another is near it; else absent",
});

export const SearchResponse = z
  .object({
    query: z.string(),
    prefix: z.string(),
    results: z.array(Source).meta({ description: "Best first" }),
    did_you_mean: DidYouMean,
  })
  .meta({ id: "SearchResponse" });
export type SearchResponse = z.infer<typeof SearchResponse>;

/** No key, no query and no digest can be of such a text. */
const HALF_PAIR = "has half of a surrogate pair";

const NO_SNAPSHOT = "is neither a snapshot's number nor its id";

export const AskRequest = z
  .strictObject({
    question: z
      .string("is missing or not a string")
      .normalize("NFC")
      .refine((question) => question.trim() !== "", "is empty")
      .refine((question) => [...question].length <= MAX_QUESTION, `is longer than ${MAX_QUESTION} characters`)
      .refine((question) => question.isWellFormed(), HALF_PAIR)
      .meta({ description: "The question", override: { minLength: 1, maxLength: MAX_QUESTION } }),
    prefix: z
      .string()
      .refine((prefix) => prefix.isWellFormed(), HALF_PAIR)
      .optional()
      // Without a default in its description: makers of clients would take the member for one that has to be there.
      .transform((prefix) => prefix ?? "")
      .meta({ description: "Only keys under it; empty means no restriction" }),
    snapshot: z
      .union(
        [
          z.int(NO_SNAPSHOT).min(1, NO_SNAPSHOT).max(9_999_999, NO_SNAPSHOT),
          z.string().regex(/^(?:[1-9][0-9]{0,6}|[0-9a-f]{6,64})$/, NO_SNAPSHOT),
        ],
        NO_SNAPSHOT,
      )
      .transform(String)
      .pipe(z.string())
      .exactOptional()
      .meta({ description: "Number or id of a kept snapshot that shall answer; the one that is served when left out" }),
  })
  .meta({ id: "AskRequest" });
export type AskRequest = z.infer<typeof AskRequest>;

/** ReindexRequest is the body of POST /api/reindex; there need not be one. */
export const ReindexRequest = z
  .strictObject({
    keys: z
      .array(z.string())
      .exactOptional()
      .meta({ description: "Keys of the store that may have changed, and no others: only they are looked at; without it everything is" }),
  })
  .meta({ id: "ReindexRequest" });

export const Citation = z
  .object({
    n: z.int().min(1).meta({ description: "The number that the answer refers to as [n]" }),
    key: z.string(),
    sha256: Sha256Hex,
    page: z
      .int()
      .min(1)
      .exactOptional()
      .meta({ description: "Of a PDF: lines are those of this page's text, as the snapshot's extract has it" }),
    start_line: z.int().min(1),
    end_line: z.int().min(1),
    quote: z.string().meta({ description: "Occurs byte for byte in that object at those lines" }),
    href: z.string().exactOptional().meta({ description: "The object's page at these lines, in this snapshot" }),
  })
  .meta({ id: "Citation" });
export type Citation = z.infer<typeof Citation>;

export const CountedNumber = z
  .object({
    value: z.string(),
    start: Count.meta({ description: "Where it stands in the answer, in UTF-16 code units" }),
    href: z.string().meta({ description: "The query that it comes from: a page whose list proves it" }),
  })
  .meta({ id: "CountedNumber", description: "A number of an answer that was counted and not quoted" });
export type CountedNumber = z.infer<typeof CountedNumber>;

export const RECEIPT_FORMAT = "proofshelf-receipt/1";

export const Receipt = z
  .object({
    format: z.literal(RECEIPT_FORMAT),
    question: z.string(),
    prefix: z.string(),
    snapshot: SnapshotId,
    mode: z.enum(["ai", "search"]),
    answer: z.string(),
    citations: z.array(Citation.omit({ href: true }).meta({ id: "ReceiptCitation" })),
    model: z.string().nullable().meta({ description: "What wrote the answer; null for mode search" }),
    digest: Sha256Hex.meta({ description: "SHA-256 of the RFC 8785 text of all other members" }),
  })
  .meta({ id: "Receipt", description: "Checked again with: proofshelf verify --receipt FILE" });
export type Receipt = z.infer<typeof Receipt>;

export const AskResponse = z
  .object({
    query: z.string(),
    prefix: z.string(),
    mode: z.enum(["ai", "search"]),
    answer: z.string(),
    sources: z.array(Source),
    notice: z.string(),
    snapshot: SnapshotId,
    citations: z.array(Citation),
    counted: z.array(CountedNumber),
    finding: z
      .enum(["answer", "nearest", "none"])
      .exactOptional()
      .meta({ description: "Of quotes without a model: whether they answer, are only the nearest, or there are none" }),
    receipt: Receipt.exactOptional().meta({ description: "Enough to check the answer again later, offline" }),
  })
  .meta({ id: "AskResponse" });
export type AskResponse = z.infer<typeof AskResponse>;

export const SemanticChunk = z
  .object({ text: z.string(), start_line: z.int().min(1), end_line: z.int().min(1), score: z.number() })
  .meta({ id: "SemanticChunk" });
export type SemanticChunk = z.infer<typeof SemanticChunk>;

export const SemanticSource = Source.extend({ sha256: Sha256Hex, chunks: z.array(SemanticChunk) }).meta({
  id: "SemanticSource",
});
export type SemanticSource = z.infer<typeof SemanticSource>;

export const AiSearchResponse = z
  .object({
    query: z.string(),
    prefix: z.string(),
    mode: z.enum(["semantic", "unavailable"]),
    notice: z.string().meta({ description: "Empty, or what to configure" }),
    snapshot: SnapshotId,
    results: z.array(SemanticSource),
    did_you_mean: DidYouMean,
  })
  .meta({ id: "AiSearchResponse" });
export type AiSearchResponse = z.infer<typeof AiSearchResponse>;

export const SourceRef = z.object({ repo: z.string(), ref: z.string(), path: z.string() }).meta({ id: "SourceRef" });
export type SourceRef = z.infer<typeof SourceRef>;

export const CatalogObject = z
  .object({
    key: z.string(),
    title: z.string(),
    summary: z.string().exactOptional().meta({ description: "First prose of the object" }),
    kind: z.string(),
    size: Count,
    sha256: Sha256Hex.nullable().meta({ description: "null in a catalog made from a listing" }),
    etag: z.string().nullable(),
    uploaded: DateTime.nullable(),
    media_type: z.string(),
    source: SourceRef.exactOptional(),
    authors: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .meta({ description: "Who made it, as it says itself or its library says of it" }),
    date: z.string().exactOptional().meta({ description: "When it was made, as stated: a year, a month or a day" }),
    license: z
      .string()
      .exactOptional()
      .meta({ description: "Terms of use, an SPDX expression where they are known ones; absent when not stated" }),
    lang: z
      .string()
      .exactOptional()
      .meta({ description: "Language that it is written in: de; absent for English and where nothing tells" }),
    addresses: z
      .array(z.string())
      .readonly()
      .exactOptional()
      .meta({ description: "Paths that it has besides its own on the site that it was written for: permalink, slug, aliases" }),
    swhid: z.string().exactOptional().meta({ description: "Identifier of its content: swh:1:cnt: and git's digest of the bytes" }),
    whole: Count.exactOptional().meta({ description: "Bytes of all that its page shows, where parts of it lie in files of their own" }),
    href: z.string(),
  })
  .meta({ id: "CatalogObject" });
export type CatalogObject = z.infer<typeof CatalogObject>;

export const CatalogCollection = z
  .object({
    id: z.string(),
    title: z.string(),
    summary: z.string(),
    visibility: z.enum(VISIBILITIES),
    prefix: z.string(),
    count: Count,
    bytes: Count,
    updated: DateTime.nullable().meta({ description: "Newest upload in it; null when empty" }),
    href: z.string(),
    objects: z.array(CatalogObject),
  })
  .meta({ id: "CatalogCollection" });
export type CatalogCollection = z.infer<typeof CatalogCollection>;

export const Catalog = z
  .object({
    schema_version: z.int().min(1),
    snapshot: SnapshotId.nullable().meta({ description: "null in a catalog made from a listing" }),
    generator: z.string(),
    source: z.enum(["database", "listing"]),
    counts: z.object({ collections: Count, objects: Count, bytes: Count }),
    declared: z
      .object({ public: Count, email_gated: Count })
      .exactOptional()
      .meta({ description: "Numbers of collections that the operator states" }),
    collections: z.array(CatalogCollection),
  })
  .meta({ id: "Catalog", description: "Every object, grouped by collection" });
export type Catalog = z.infer<typeof Catalog>;

export const CollectionCatalog = Catalog.pick({ schema_version: true, snapshot: true, source: true })
  .extend({ collection: CatalogCollection })
  .meta({ id: "CollectionCatalog", description: "The objects of one collection" });
export type CollectionCatalog = z.infer<typeof CollectionCatalog>;

const DeclaredCounts = z.object({ public: Count, email_gated: Count });

export const CollectionCounts = DeclaredCounts.extend({
  declared: DeclaredCounts.exactOptional().meta({ description: "Numbers of collections that the operator states" }),
}).meta({ id: "CollectionCounts", description: "Numbers of collections, counted when the snapshot was built" });
export type CollectionCounts = z.infer<typeof CollectionCounts>;

export const COMPONENT_STATUSES = ["live", "bound", "wired (opt-in)", "planned", "unavailable"] as const;

export const Component = z.object({ name: z.string(), status: z.enum(COMPONENT_STATUSES), note: z.string() }).meta({ id: "Component" });
export type Component = z.infer<typeof Component>;

export const Capabilities = z
  .object({
    updated: z.string().meta({ description: "Date of this description, YYYY-MM-DD" }),
    interface_version: z.literal("2026-08-01"),
    snapshot: SnapshotId.nullable(),
    knowledge_base: z.object({ path: z.string(), view: z.enum(VIEWS) }),
    components: z.array(Component),
    collections: CollectionCounts.exactOptional(),
    next_build: z.iso.datetime().nullable().meta({ description: "When the next build begins, where this process knows" }),
    limits: z.record(z.string(), z.union([z.number(), z.string()])),
    auth: z.record(z.string(), z.unknown()),
    mcp: z.object({ endpoint: z.string(), versions: z.array(z.string()), tools: z.array(z.string()) }),
    links: z.record(z.string(), z.string()),
  })
  .meta({ id: "Capabilities" });
export type Capabilities = z.infer<typeof Capabilities>;

const HealthStatus = z.enum(["pass", "warn", "fail"]);

export const Health = z
  .object({
    status: HealthStatus,
    snapshot: SnapshotId.nullable(),
    sequence: Count.nullable(),
    age_s: z.number().min(0).nullable().meta({ description: "Seconds since the snapshot was published" }),
    version: z.string(),
    checks: z.record(z.string(), z.object({ status: HealthStatus, detail: z.string() })),
  })
  .meta({ id: "Health" });
export type Health = z.infer<typeof Health>;

export const REJECTION_SOURCES = ["store", "registry", "claims", "code"] as const;

export const Rejection = z
  .object({
    source: z.enum(REJECTION_SOURCES),
    key: z.string().meta({ description: "Object key, record id, claim id or code path" }),
    reason: z.string(),
  })
  .meta({ id: "Rejection" });
export type Rejection = z.infer<typeof Rejection>;

/** Rejected is the answer of GET /api/rejected, to "why is it missing". */
export const Rejected = z
  .object({
    rejected: z.array(Rejection),
    withheld: Count.meta({ description: "Further inputs left out because they lie under no collection; their names are not told here" }),
    withdrawn: z.array(Withdrawal).exactOptional().meta({ description: "Notices of what was withdrawn; absent where nothing was" }),
  })
  .meta({ id: "Rejected" });
export type Rejected = z.infer<typeof Rejected>;

export const ReindexSummary = z
  .object({
    started: DateTime,
    finished: DateTime,
    previous: SnapshotId.nullable(),
    snapshot: SnapshotId,
    sequence: Count,
    added: Count,
    changed: Count,
    removed: Count,
    unchanged: Count,
    rejected: z.array(Rejection),
    duration_ms: z.number().min(0),
  })
  .meta({ id: "ReindexSummary" });
export type ReindexSummary = z.infer<typeof ReindexSummary>;

/** Problem is the RFC 9457 body of every error; media type application/problem+json. */
export const Problem = z
  .object({
    type: z.string().meta({ description: "Address of the page that explains this problem" }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    code: z.enum(Object.keys(PROBLEMS) as [ErrorCode, ...ErrorCode[]]),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).exactOptional(),
    fixes: z.array(z.string()).exactOptional(),
    withdrawn: Withdrawal.exactOptional().meta({ description: "The notice of what was at this address" }),
    request_id: z.string().exactOptional(),
    snapshot: SnapshotId.exactOptional(),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

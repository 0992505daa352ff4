/** The data of every page: what the builders in this folder make and the compiled site turns into HTML. Plain JSON that depends on the
 *  snapshot (and, where made per request, on the shelf's history and the URL); the digests of model and compiled site decide
 *  whether a page is rendered again. Texts come from strangers: components escape them, except `html`, which is sanitised. */
import type { Totals } from "../format/relations.ts";
import type { NameReason } from "../query/direct.ts";
import type { Piece } from "../query/excerpt.ts";
import type { CountRow } from "../query/registry-counts.ts";
import type { CollectionInfo, ObjectRow } from "../format/view-data.ts";
import type { CubCodeFile, CubRecord, RegistryMeta } from "../schema/cubs.ts";
import type { EvidenceState } from "../schema/scalar.ts";
import type { Claim, ClaimEvidence, ClaimsMeta } from "../schema/claims.ts";
import type { Extract } from "../schema/extract.ts";
import type { Citation, CountedNumber, Rejection, Source, View } from "../schema/resources.ts";
import type { Withdrawal } from "../schema/withdrawals.ts";
import type { Change } from "../shelf/diff.ts";
import type { SnapshotRecord } from "../shelf/shelf.ts";

/** What every page shows around its content. */
export type Chrome = {
  readonly library: string;
  readonly view: View;
  /** Site path of this page, e.g. "/claims/"; links are made relative to it. */
  readonly path: string;
  /** Absolute URL of the page for rel=canonical, or null when no base URL is known. */
  readonly canonical: string | null;
};

export type Crumb = { readonly title: string; readonly path: string };
export type Count = { readonly value: string; readonly count: number };

export type CollectionCard = CollectionInfo & Totals;

export type ObjectCard = Omit<ObjectRow, "media_type">;

export type ClaimCard = Pick<Claim, "id" | "title" | "status" | "scope">;

export type RecordCard = Pick<
  CubRecord,
  "id" | "theorem_name" | "kind" | "statement" | "verification_state" | "repo" | "module" | "invocation"
>;

/** Records by the states that every overview of them shows. */
export type RecordCounts = {
  readonly byVerification: readonly Count[];
  readonly byProduction: readonly Count[];
  readonly byInvocation: readonly Count[];
};

export type FrontPage = {
  readonly page: "front";
  readonly summary: string;
  /** What the library says of itself; null when it says nothing. */
  readonly front: {
    readonly key: string;
    /** Harmless, with links as they are on the front page; null when the text is too long to open it. */
    readonly html: string | null;
  } | null;
  readonly objects: number;
  readonly bytes: number;
  readonly collections: readonly CollectionCard[];
  readonly claims: { readonly total: number; readonly byStatus: readonly Count[]; readonly newest: readonly ClaimCard[] };
  readonly registry: (RecordCounts & { readonly total: number; readonly updated: string | null }) | null;
  /** Why there is no registry, or null. */
  readonly unavailable: string | null;
  readonly byKind: readonly Count[];
  readonly rejected: number;
};

export const BROWSE_SORTS = ["name", "-name", "size", "-size", "date", "-date", "kind", "-kind"] as const;
export type BrowseSort = (typeof BROWSE_SORTS)[number];

/** A range of a list that is shown in parts, with the names, or the places, of its first and last item. */
export type Jump = { readonly path: string; readonly first: string; readonly last: string; readonly here: boolean };

export type BrowsePage = {
  readonly page: "browse";
  readonly prefix: string;
  readonly crumbs: readonly Crumb[];
  readonly collection: CollectionCard | null;
  /** Of the whole view, at its root; null in a folder. */
  readonly collections: number | null;
  readonly prefixes: readonly { readonly prefix: string; readonly title: string | null; readonly count: number; readonly bytes: number }[];
  readonly objects: readonly ObjectCard[];
  readonly sort: BrowseSort;
  /** Large folders come in parts of 200 entries, folders first; totals are of the whole folder. */
  readonly part: number;
  readonly parts: number;
  readonly jumps: readonly Jump[];
  readonly folders: number;
  readonly total: number;
  /** Of all objects under the prefix. */
  readonly licences: Facet;
};

export type CitedBy = { readonly claims: readonly ClaimCard[]; readonly records: readonly RecordCard[] };

type Neighbour = Pick<ObjectRow, "key" | "title">;

export type ObjectPage = ObjectRow & {
  readonly page: "object";
  readonly crumbs: readonly Crumb[];
  readonly collection: Pick<CollectionInfo, "id" | "title" | "visibility"> | null;
  readonly etag: string | null;
} & Pick<Extract, "language" | "lines" | "html" | "notes"> & {
    /** Titles of passages for a table of contents: heading path and first line. */
    readonly outline: readonly { readonly title: string; readonly line: number; readonly depth: number }[];
    readonly cited_by: CitedBy;
    readonly previous: Neighbour | null;
    readonly next: Neighbour | null;
    /** Lines that the address asks for, above the whole text; null on the stored page. */
    readonly quoted: QuotedLines | null;
  };

export type { Piece };

export type QuotedLine = {
  readonly number: number;
  /** False for the lines before and after. */
  readonly cited: boolean;
  readonly pieces: readonly Piece[];
};

export type QuotedLines = {
  /** Of a PDF, whose lines are counted on each page; else null. */
  readonly page: number | null;
  readonly start: number;
  readonly end: number;
  readonly snapshot: string;
  /** Why nothing is marked, or null: the file is too large or is no text with these lines, or they do not hold the quote. */
  readonly problem: "too_large" | "no_lines" | "no_quote" | null;
  readonly lines: readonly QuotedLine[];
  readonly more: number;
};

export type ClaimsPage = {
  readonly page: "claims";
  readonly meta: ClaimsMeta;
  readonly claims: readonly (ClaimCard & { readonly evidence: number; readonly gaps: number })[];
  readonly byStatus: readonly Count[];
};

/** `object` is the key of the library object with that digest (or path) when this view holds one. */
export type EvidenceRow = ClaimEvidence & {
  readonly object: string | null;
  readonly record: string | null;
  readonly evidence_state: EvidenceState;
};

export type ClaimPage = {
  readonly page: "claim";
  readonly claim: Claim;
  readonly evidence: readonly EvidenceRow[];
  readonly pins: Readonly<Record<string, string>>;
  readonly records: readonly RecordCard[];
};

export type Facet = {
  readonly name: string;
  /** The most frequent ones, and those that are selected. */
  readonly values: readonly (Count & { readonly selected: boolean; readonly href: string })[];
  /** How many values there are besides. */
  readonly more: number;
};

export type RegistryPage = {
  readonly page: "registry";
  readonly total: number;
  readonly matching: number;
  readonly records: readonly RecordCard[];
  readonly facets: readonly Facet[];
  readonly query: string;
  /** Filters that are set now, each with the site path that removes it. */
  readonly selected: readonly { readonly name: string; readonly value: string; readonly remove: string }[];
  readonly part: number;
  readonly parts: number;
  readonly jumps: readonly Jump[];
  /** Site path (with query) of the next and previous part. */
  readonly next: string | null;
  readonly previous: string | null;
  readonly unavailable: string | null;
};

export type CodeFileRow = Omit<CubCodeFile, "gated" | "media_type"> & {
  /** Key of a public library object with the same digest, so that its lines can be read. */
  readonly object: string | null;
};

export type RecordSide = {
  readonly file: CodeFileRow;
  /** What is declared there, as the record names it, or "". */
  readonly name: string;
  /** null when this view does not have the file's bytes, or nothing of that name is declared in them. */
  readonly lines: {
    /** 1-based, inclusive, with the comment before the declaration. */
    readonly start: number;
    readonly end: number;
    /** Of the declaration itself. */
    readonly declared: number;
    /** The first lines, highlighted and harmless. */
    readonly html: readonly string[];
  } | null;
};

export type RecordPage = {
  readonly page: "record";
  readonly record: CubRecord;
  /** Harmless HTML: the record's statement, coloured where the language of its prover is known. */
  readonly statement: string;
  readonly head: string | null;
  /** Statement, twin and code, to be read side by side. */
  readonly sides: readonly RecordSide[];
  /** The other files. */
  readonly files: readonly CodeFileRow[];
  readonly claims: readonly ClaimCard[];
  readonly previous: string | null;
  readonly next: string | null;
};

export type VerifiedCounts = Count & { readonly byVerification: readonly Count[] };

export type DashboardPage = RecordCounts & {
  readonly page: "dashboard";
  readonly meta: RegistryMeta | null;
  readonly unavailable: string | null;
  readonly total: number;
  readonly counts: readonly CountRow[];
  /** By repository and by proof system, each with its records by verification; most records first. */
  readonly byRepository: readonly VerifiedCounts[];
  readonly bySystem: readonly VerifiedCounts[];
  /** Records by what became of what they pin. */
  readonly byEvidence: readonly Count[];
  readonly sources: readonly (RegistryMeta["sources"][string] & { readonly repo: string; readonly records: number })[];
  /** Notes of the generator: unknown values, a registry that was down, … in words. */
  readonly notes: readonly string[];
};

export type SnapshotRow = Pick<SnapshotRecord, "sequence" | "created" | "previous" | "restores"> & {
  readonly id: string;
  readonly current: boolean;
  /** False for one that was taken out of service. */
  readonly kept: boolean;
  /** Whether the snapshot before is kept too. */
  readonly comparable: boolean;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
};

/** Records of a snapshot by their verification; null where they cannot be read. */
export type StatesAt = Pick<SnapshotRecord, "sequence" | "created"> & { readonly states: readonly Count[] | null };

export type SnapshotsPage = {
  readonly page: "snapshots";
  /** Newest first. */
  readonly snapshots: readonly SnapshotRow[];
  /** Of the newest of them that are in service; oldest first. */
  readonly states: readonly StatesAt[];
  readonly part: number;
  readonly parts: number;
};

export type DiffPage = {
  readonly page: "diff";
  readonly from: SnapshotRow;
  readonly to: SnapshotRow;
  readonly changes: readonly Change[];
  readonly truncated: boolean;
};

export type SearchHit = {
  readonly title: string;
  readonly kind: string;
  readonly key: string;
  /** Site path, with "#L12" where a line is known. */
  readonly path: string;
  /** As a reader reads it. */
  readonly pieces: readonly Piece[];
  /** Whether that is lines of code. */
  readonly code: boolean;
  /** Of the declaration that was found, or "". */
  readonly name: string;
  /** That the path leads to, or null. */
  readonly line: number | null;
  /** Other keys with the same bytes. */
  readonly copies: readonly string[];
  /** What of it the whole query is: its key, id, name, title or digest. */
  readonly exact: NameReason | null;
};

export type SearchPage = {
  readonly page: "search";
  readonly query: string;
  readonly prefix: string;
  readonly hits: readonly SearchHit[] | null;
  readonly collections: readonly CollectionChoice[];
  /** Results that were looked at, under the filters that are set; the best are in `hits`. */
  readonly found: number;
  /** "collection" and "kind", with the number of results that each value leaves. */
  readonly facets: readonly Facet[];
  /** The query that these are results of, where a word stands nowhere and another is near it; with the site path of its page. */
  readonly didYouMean: { readonly query: string; readonly path: string } | null;
  readonly problem: string | null;
};

type CollectionChoice = Pick<CollectionInfo, "id" | "prefix" | "title">;

export type AskedCitation = Omit<Citation, "href"> & {
  readonly title: string;
  /** The object's page in the answer's snapshot with these lines on top. */
  readonly path: string;
};

type AskedSource = Pick<Source, "title" | "kind" | "key"> & { readonly path: string; readonly line: string };

export type Asked = {
  readonly mode: "ai" | "search";
  /** Plain text; "[1]" refers to a citation. */
  readonly answer: string;
  readonly notice: string;
  readonly model: string | null;
  readonly citations: readonly AskedCitation[];
  /** Numbers in the answer with the site path of the list that each comes from. */
  readonly counted: readonly (Omit<CountedNumber, "href"> & { readonly path: string })[];
  readonly sources: readonly AskedSource[];
  readonly snapshot: string;
  readonly receipt: { readonly text: string; readonly digest: string } | null;
};

export type AskPage = {
  readonly page: "ask";
  readonly question: string;
  readonly prefix: string;
  readonly collections: readonly CollectionChoice[];
  /** Site path that takes questions as JSON. */
  readonly api: string;
  /** null on the stored page, and when there is a problem. */
  readonly asked: Asked | null;
  readonly problem: string | null;
  /** Absolute address of the page that does answer, when this one cannot. */
  readonly elsewhere: string | null;
};

export type AgentsPage = {
  readonly page: "agents";
  /** Absolute when the service's address is known, else a site path. */
  readonly endpoint: string;
  readonly versions: readonly string[];
  readonly resultBytes: number;
  readonly gated: boolean;
  readonly tools: readonly {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly twin: string;
    readonly arguments: readonly {
      readonly name: string;
      readonly type: string;
      readonly required: boolean;
      readonly description: string;
    }[];
    readonly example: string;
  }[];
  readonly prompts: readonly { readonly name: string; readonly title: string; readonly description: string }[];
  readonly clients: readonly { readonly title: string; readonly where: string; readonly text: string }[];
};

export type ReferenceOperation = {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly access: "public" | "token" | "gated";
  readonly parameters: readonly {
    readonly name: string;
    readonly where: string;
    readonly required: boolean;
    readonly description: string;
  }[];
  readonly responses: readonly { readonly status: string; readonly description: string }[];
  readonly example: string;
};

export type ReferencePage = {
  readonly page: "reference";
  readonly version: string;
  readonly groups: readonly { readonly title: string; readonly operations: readonly ReferenceOperation[] }[];
};

export type ProblemRow = {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly fix: string;
};
export type ProblemsPage = { readonly page: "problems"; readonly problems: readonly ProblemRow[] };
type ProblemPage = { readonly page: "problem"; readonly problem: ProblemRow };

/** A notice, and where what takes the place of the thing is. */
export type WithdrawalRow = Withdrawal & { readonly href: string | null };

export type RejectedPage = {
  readonly page: "rejected";
  readonly rejected: readonly Rejection[];
  readonly withheld: number;
  readonly withdrawn: readonly WithdrawalRow[];
};

type NotFoundPage = { readonly page: "not-found"; readonly detail: string | null; readonly withdrawn?: WithdrawalRow };

/** A snapshot that added or changed a thing. */
export type Revision = Pick<SnapshotRecord, "sequence" | "created" | "snapshot"> & {
  /** Of the thing in that snapshot; null with its digest and size when the snapshot is not kept or cannot be read. */
  readonly path: string | null;
  readonly sha256: string | null;
  readonly size: number | null;
};

export type DifferentLine = {
  readonly kind: "same" | "added" | "removed" | "left-out";
  /** Of the line in its own text, 1-based; of lines left out, how many. */
  readonly number: number;
  /** Marked: words that differ from the line that it stands for. */
  readonly pieces: readonly Piece[];
};

export type Difference = { readonly lines: readonly DifferentLine[]; readonly more: number };

export type RevisionsPage = {
  readonly page: "revisions";
  readonly what: "object" | "record";
  readonly name: string;
  /** Site path of the thing. */
  readonly path: string;
  /** Newest first. */
  readonly revisions: readonly Revision[];
  /** Earlier ones that are not listed. */
  readonly more: number;
  /** Numbers of the two snapshots; the difference is null when there is no text, or too much of it. */
  readonly compared: { readonly from: number; readonly to: number; readonly difference: Difference | null } | null;
};

/** What a person who is refused sees, whether or not anything is at the address. */
type GatedPage = {
  readonly page: "gated";
  /** Of the refusal. */
  readonly status: number;
  readonly detail: string;
  /** An address of the web, or null. */
  readonly signIn: string | null;
  /** A mail address or an address of the web, or null. */
  readonly contact: string | null;
};

export type PageModel =
  | FrontPage
  | BrowsePage
  | ObjectPage
  | ClaimsPage
  | ClaimPage
  | RegistryPage
  | RecordPage
  | DashboardPage
  | SnapshotsPage
  | DiffPage
  | SearchPage
  | AskPage
  | ReferencePage
  | AgentsPage
  | ProblemsPage
  | ProblemPage
  | RejectedPage
  | NotFoundPage
  | GatedPage
  | RevisionsPage;

export type PageInput = { readonly chrome: Chrome; readonly model: PageModel };

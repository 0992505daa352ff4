/** The data of every page, as the builders in this folder make it and the compiled site turns it into HTML. Plain JSON that depends on the
 *  snapshot (and, where made per request, on the shelf's history and the URL); the digests of model and compiled site decide
 *  whether a page is rendered again. Texts come from strangers: components escape them, except `html`, which is sanitised.
 *  What a type says is written where it is built. */
import type { ViewName } from "#snapshots/schema";
import type { agentsPage } from "./agents-page.ts";
import type { askForm } from "./ask-page.ts";
import type { citedBy, claimCard, collectionCard, objectCard, recordCard } from "./cards.ts";
import type { browsePage, claimPage, claimsPage, frontFacts, objectPage, rejectedPage } from "./library-pages.ts";
import type { dashboardPage, recordFacts, registryPage } from "./registry-pages.ts";
import type { axiomsOf } from "./axioms.ts";
import type { searchResults } from "./search-page.ts";
import type { problemRow, problemsPage, referencePage } from "./service-pages.ts";

export { type MarkedPiece } from "#snapshots/query";
export { BROWSE_SORTS, type BrowseSort } from "./facets.ts";
export type { TheoremShelf } from "./theorem-shelf.ts";
export type { QuotedLines } from "./quoted-lines.ts";

/** Chrome holds the facts that every page shows around its content. */
export type Chrome = {
  readonly library: string;
  readonly view: ViewName;
  /** Site path of this page, e.g. "/claims/"; links are made relative to it. */
  readonly path: string;
  /** True where there is anything behind the doors that not every library has. */
  readonly has: { readonly records: boolean; readonly claims: boolean };
  /** Where readers report a mistake, or null. */
  readonly report: string | null;
  /** Absolute URL of the page for rel=canonical, or null when no base URL is known. */
  readonly canonical: string | null;
};

/** A Model is the result of a builder, which nobody changes. */
export type Model<F extends (...args: never[]) => unknown> = Fixed<NonNullable<Awaited<ReturnType<F>>>>;
type Fixed<T> = { readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? readonly Item[] : T[K] };

export type CollectionCard = Model<typeof collectionCard>;
export type ObjectCard = Model<typeof objectCard>;
export type ClaimCard = Model<typeof claimCard>;
export type RecordCard = Model<typeof recordCard>;
export type Axioms = Model<typeof axiomsOf>;
export type CitedBy = Model<typeof citedBy>;
export type BrowsePage = Model<typeof browsePage>;
export type ObjectPage = Model<typeof objectPage>;
export type ClaimsPage = Model<typeof claimsPage>;
export type EvidenceRow = Model<typeof claimPage>["evidence"][number];
export type RegistryPage = Model<typeof registryPage>;
export type RecordPage = Model<typeof recordFacts>;
export type DashboardPage = Model<typeof dashboardPage>;
export type VerifiedCounts = DashboardPage["byRepository"][number];
export type AskPage = Model<typeof askForm>;
export type AskedCitation = NonNullable<AskPage["asked"]>["citations"][number];
export type ReferenceOperation = Model<typeof referencePage>["operations"][number];
export type ProblemRow = Model<typeof problemRow>;
export type WithdrawalRow = Model<typeof rejectedPage>["withdrawn"][number];

type ProblemPage = { readonly page: "problem"; readonly problem: ProblemRow };

/** A GoneThing was at an address until a snapshot took it away. */
export type GoneThing = {
  readonly name: string;
  /** Number of the first snapshot without it. */
  readonly sequence: number;
  readonly created: string;
  /** Site path of where it was last, and of what that snapshot changed; null where it is not kept. */
  readonly last: string | null;
  readonly diff: string | null;
  /** As the operator said who let it go. */
  readonly why: string | null;
};

type NotFoundPage = {
  readonly page: "not-found";
  readonly detail: string | null;
  readonly withdrawn?: WithdrawalRow;
  readonly gone?: GoneThing | null;
};

/** The page that a person who is refused sees, whether or not anything is at the address. */
type GatedPage = {
  readonly page: "gated";
  /** Status of the refusal. */
  readonly status: number;
  readonly detail: string;
  /** An address of the web, or null. */
  readonly signIn: string | null;
  /** A mail address or an address of the web, or null. */
  readonly contact: string | null;
};

/** Pages of annexes, by any name: an annex adds its own by declaration merging, and nothing of it is named here.
 *  @public */
// oxlint-disable-next-line typescript/no-empty-interface
export interface AnnexPages {}

export type PageModel =
  | AnnexPages[keyof AnnexPages]
  | Model<typeof frontFacts>
  | BrowsePage
  | ObjectPage
  | ClaimsPage
  | Model<typeof claimPage>
  | RegistryPage
  | RecordPage
  | DashboardPage
  | Model<typeof searchResults>
  | AskPage
  | Model<typeof referencePage>
  | Model<typeof agentsPage>
  | Model<typeof problemsPage>
  | ProblemPage
  | Model<typeof rejectedPage>
  | NotFoundPage
  | GatedPage;

export type PageInput = { readonly chrome: Chrome; readonly model: PageModel };

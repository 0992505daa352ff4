/** The core's pages. A page has one spelling, with a slash behind it; every other one leads to it. */
import { pagePath } from "#snapshots/format";
import { pageRow, type WrittenPage } from "./row.ts";

/** A file that pages load has one spelling and nothing beside it. */
const FILE = { page: false } as const;

export const PAGE_ROWS = {
  front: pageRow(pagePath.front),
  "claims-page": pageRow(pagePath.claims),
  "claim-page": pageRow("/claims/{claim...}/"),
  "registry-page": pageRow(pagePath.registry),
  "registry-part": pageRow("/registry/=p{part}/"),
  dashboard: pageRow(pagePath.dashboard),
  "record-page": pageRow("/registry/{id}/"),
  "object-page": pageRow("/object/{key...}/"),
  "search-page": pageRow(pagePath.search, { kind: "query", limit: "search" }),
  // A form without a question; with one, an answer of the sidecar's.
  "ask-page": pageRow(pagePath.ask, { kind: "query", limit: "ask" }),
  agents: pageRow(pagePath.agents),
  reference: pageRow(pagePath.reference),
  "reference-group": pageRow("/reference/{group}/"),
  "problems-page": pageRow(pagePath.problems),
  "problem-page": pageRow("/problems/{code}/"),
  "rejected-page": pageRow(pagePath.rejected),
  "not-found": pageRow(pagePath.notFound),
  asset: pageRow("/assets/{path...}", FILE),
  icon: pageRow("/favicon.ico", FILE),
} as const satisfies Readonly<Record<string, WrittenPage>>;

export type PageId = keyof typeof PAGE_ROWS;

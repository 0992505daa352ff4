/** Facets that records can be narrowed by. Apart from their schemas, because browsers load this. */
import type { CubField, CubRecord } from "./cubs.ts";

/** CUB_FILTERS are the 16 filters of GET /api/cubs besides q and limit: parameter name and the record field it looks at. */
export const CUB_FILTERS = [
  { name: "repo", field: "repo" },
  { name: "status", field: "status" },
  { name: "verification_state", field: "verification_state" },
  { name: "production_consumption", field: "production_consumption" },
  { name: "proof_consumption", field: "proof_consumption" },
  { name: "wiring", field: "wiring" },
  { name: "crate", field: "crate" },
  { name: "use_case", field: "use_cases" },
  { name: "invocation", field: "invocation" },
  { name: "invocation_role", field: "invocation_role" },
  { name: "formal_systems", field: "formal_systems" },
  { name: "kernels", field: "kernels" },
  { name: "proof_scope", field: "proof_scope" },
  { name: "deployable", field: "deployable" },
  { name: "lane", field: "lane" },
  { name: "tier", field: "tier" },
] as const satisfies readonly { readonly name: string; readonly field: CubField }[];
export type CubFilter = (typeof CUB_FILTERS)[number]["name"];

/** RECORD_FILTERS are all filters of GET /api/cubs, of the registry's page and of the tools, in the order in which the page shows them. */
export const RECORD_FILTERS = [
  { name: "standing", field: "standing" },
  { name: "axiom", field: "axioms" },
  { name: "module", field: "module" },
  { name: "kind", field: "kind" },
  { name: "prover", field: "checks" },
  ...CUB_FILTERS,
  { name: "check_state", field: "checks" },
  { name: "evidence_state", field: "evidence_state" },
  { name: "no_holes", field: "no_holes" },
  { name: "license", field: "license" },
] as const satisfies readonly { readonly name: string; readonly field: keyof CubRecord }[];
export type CubFacet = (typeof RECORD_FILTERS)[number]["name"];

/** What records can be narrowed by. Apart from their schemas, because browsers load this. */
import type { CubField, CubRecord } from "./cubs.ts";

/** The 16 filters of GET /api/cubs besides q and limit: parameter name and the record field it looks at. */
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

/** Filters over what a prover said; a record that nobody ran a prover over has no value. */
const CHECK_FILTERS = [
  { name: "check_state", field: "checks" },
  { name: "prover", field: "checks" },
  { name: "axiom", field: "axioms" },
] as const;

/** Every filter of GET /api/cubs. */
export const RECORD_FILTERS = [...CUB_FILTERS, ...CHECK_FILTERS] as const;
export type RecordFilter = (typeof RECORD_FILTERS)[number]["name"];

/** What the registry's page can be narrowed by: the filters, and what GET /api/cubs takes no parameter for. */
export const CUB_FACETS = [
  { name: "standing", field: "standing" },
  ...RECORD_FILTERS,
  { name: "evidence_state", field: "evidence_state" },
  { name: "kind", field: "kind" },
  { name: "no_holes", field: "no_holes" },
  { name: "license", field: "license" },
] as const satisfies readonly { readonly name: string; readonly field: keyof CubRecord }[];
export type CubFacet = (typeof CUB_FACETS)[number]["name"];

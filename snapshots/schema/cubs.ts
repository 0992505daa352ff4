/** CUB records and the registry's metadata, field by field as interface §2 names them. `CubRecord` is closed: what it does not name is
 *  dropped on parse, which keeps internal operational fields out of every view (conventions, "Inputs"). Enumerations stay open
 *  strings: a value nobody has seen yet is kept and reported, since refusing it would hide a record. */
import { z } from "zod";
import { CHECKED_FIELDS, CHECKED_MEMBERS } from "./checked.ts";
import { Standing } from "./standing.ts";
import { Count, Counters, EVIDENCE_STATES, Sha256Hex, STATEMENT_STATES, WebUrl, text } from "./scalar.ts";

export const CUB_ID_PATTERN = /^CUB-[0-9]{4,}$/;

export const CubId = z
  .string()
  .regex(CUB_ID_PATTERN, "is not a CUB id like CUB-0042")
  .max(64, "is longer than 64 characters")
  .meta({ description: "CUB id: CUB- and at least four digits", examples: ["CUB-0042"] });

export const CubFiles = z
  .object({
    coq_file: text("Path of the Coq file, or empty"),
    lean_file: text("Path of the Lean file, or empty"),
  })
  .meta({ id: "CubFiles" });

export const CubReproduce = z
  .object({
    proof_files: z.array(z.string()).default([]).meta({ description: "Paths of the proof files" }),
    verify_hash: text("Command that compares a file's hash with file_shas[<path>]"),
    recheck: text("Command that runs the proof checker again"),
    get_code: text("The request that lists this record's code: GET /api/cubs/<id>/code"),
  })
  .meta({ id: "CubReproduce" });

export const CubLinks = z
  .object({
    api: WebUrl.default("").meta({ description: "This record" }),
    code: WebUrl.default("").meta({ description: "Its integrity index" }),
    registry: WebUrl.default("").meta({ description: "Its page in the registry" }),
  })
  .meta({ id: "CubLinks" });

/** As a registry gives it. */
const RegistryRecord = z.object({
  id: CubId,
  repo: z.string().min(1, "is empty").meta({ description: "Source repository" }),
  theorem_name: z.string().min(1, "is empty"),
  module: text("Module that holds it"),
  kind: text("Definition, Theorem, Lemma, …"),
  statement: z.string().min(1, "is empty"),
  status: text("Registry status, e.g. VERIFIED_EXACT"),
  verification_state: z.string().default("UNSPECIFIED").meta({ description: "VERIFIED, NOT_VERIFIED or UNSPECIFIED" }),
  source_class: text("e.g. active"),
  active: z.boolean().default(false),
  crate: text("Rust crate, or empty"),
  wiring: text("How the record is tied to code, e.g. FUNCTION-IMPL"),
  invocation: text("unwired, runtime, dead or test-only"),
  invocation_role: text("May be empty"),
  production_consumption: text("NOT-RUNTIME-CONSUMED, EXECUTABLE-RUNTIME, PROOF-ARTIFACT-RUNTIME or EXECUTABLE-AND-PROOF-ARTIFACT"),
  proof_consumption: text("Empty or RUNTIME-CONSUMER-WIRED"),
  proof_bundle_id: text("May be empty"),
  proof_consumer: text("May be empty"),
  proof_policy_effect: text("May be empty"),
  proof_consumption_condition: text("May be empty"),
  proof_runtime_boundary: text("May be empty"),
  proof_artifact_integrity: text("May be empty"),
  proof_kernels_execute_at_request_time: z.boolean().default(false),
  lane: text("May be empty"),
  tier: text("May be empty"),
  proof_scope: text("May be empty"),
  deployable: z.boolean().default(false),
  no_holes: z.boolean().default(false).meta({ description: "No admitted step in the proof" }),
  riscv: text("Empty or yes"),
  formal_systems: text("e.g. Coq+Lean"),
  kernels: text("e.g. none"),
  use_cases: z.array(z.string()).default([]).meta({ description: "As its author says; no standing follows from it" }),
  lineage: text("Where the record came from, as its author says; no standing follows from it"),
  claims: z.array(z.unknown()).default([]).meta({ description: "Claims that rest on this record" }),
  files: CubFiles.default(CubFiles.parse({})),
  file_shas: z.record(z.string(), Sha256Hex).default({}).meta({ description: "File path to SHA-256" }),
  exec_file: text("File of the executable counterpart, or empty"),
  exec_fn: text("Its function, or empty"),
  exec_fns: z.array(z.string()).default([]),
  rust_anchor: text("Where the Rust function stands"),
  note: text("Free text of its author; no standing follows from it"),
  reproduce: CubReproduce.default(CubReproduce.parse({})),
  links: CubLinks.default(CubLinks.parse({})),
});

export const CubRecord = RegistryRecord.extend({
  ...CHECKED_MEMBERS,
  standing: Standing.exactOptional().meta({
    description: "What is to be said of it: its verification_state, held against its files; no registry says it",
  }),
  evidence_state: z.enum(EVIDENCE_STATES).exactOptional().meta({
    description: "Whether the files that it pins are what is there, when the snapshot was built: the gravest of them; no registry says it",
  }),
  statement_state: z.enum(STATEMENT_STATES).exactOptional().meta({
    description:
      "Its statement beside the declaration of its name in the files that it pins, when the snapshot was built: the same words, others, or none of that name; absent where texts alone do not tell; no registry says it",
  }),
  license: z.string().trim().min(1, "is empty").max(200, "is longer than 200 characters").exactOptional().meta({
    description:
      "Terms, as the registry states them of the record, else as its files or the library do; an SPDX expression where they are known ones; absent when not stated",
  }),
}).meta({ id: "CubRecord", description: "One formal proof item" });
export type CubRecord = z.infer<typeof CubRecord>;
export type CubField = keyof z.infer<typeof RegistryRecord>;

export const CUB_FIELDS = Object.keys(RegistryRecord.shape) as readonly CubField[];
/** SAID_FIELDS names what a registry may say of a record. */
export const SAID_FIELDS: readonly string[] = [...CUB_FIELDS, ...CHECKED_FIELDS, "license"];

/** KNOWN_VALUES are the values that the interface lists, in its order: for facets, for words on pages, for the description. */
export const KNOWN_VALUES = {
  kind: ["Definition", "Theorem", "Lemma"],
  status: ["VERIFIED_EXACT"],
  verification_state: ["VERIFIED", "NOT_VERIFIED", "UNSPECIFIED"],
  source_class: ["active"],
  wiring: ["CSV-LEGACY", "FUNCTION-IMPL", "DOC-REFERENCE"],
  invocation: ["unwired", "runtime", "dead", "test-only"],
  production_consumption: ["NOT-RUNTIME-CONSUMED", "EXECUTABLE-RUNTIME", "PROOF-ARTIFACT-RUNTIME", "EXECUTABLE-AND-PROOF-ARTIFACT"],
  proof_consumption: ["", "RUNTIME-CONSUMER-WIRED"],
  riscv: ["", "yes"],
  formal_systems: ["Coq+Lean"],
  kernels: ["none"],
  use_cases: ["crypto", "topology", "TDX"],
} as const satisfies Partial<Record<CubField, readonly string[]>>;

/** CLOSED_FIELDS are the fields whose list above is the whole set (the others are only "observed"): another value is kept and reported. */
export const CLOSED_FIELDS = [
  "verification_state",
  "invocation",
  "production_consumption",
  "proof_consumption",
  "riscv",
] as const satisfies readonly (keyof typeof KNOWN_VALUES)[];

export const RegistrySource = z
  .object({
    head: text("Revision id the registry was built from"),
    ref: text("Branch or tag, may be empty"),
    csv_rows: Count.default(0),
  })
  .meta({ id: "RegistrySource" });

const VerusScope = z.object({ note: text("What is counted"), standalone: Count.default(0), imports_runtime: Count.default(0) });

const InCrateVerus = z.object({
  files: Count.default(0),
  blocks: Count.default(0),
  wired_files_in_ci: Count.default(0),
  gated_by_ci: z.boolean().default(false),
  note: text("What is counted"),
});

const CrateCounts = z.object({
  cubie_tf_workspace_total: Count.default(0),
  bound_count: Count.default(0),
  awaiting_verus_count: Count.default(0),
});

const DeclaredReconciliation = z.object({
  tf_csv_rows: Count.default(0),
  tf_audit_entries: Count.default(0),
  tf_csv_only_count: Count.default(0),
  tf_audit_only_count: Count.default(0),
  id_overlap_across_repos: z.array(z.unknown()).default([]),
});

/** Formalization is what a project says of itself in its formalization.yaml. */
export const Formalization = z
  .object({
    repo: z.string().meta({ description: "Source repository" }),
    name: text("Name of the project"),
    authors: z.array(z.string()).default([]),
    sources: z
      .array(z.object({ title: z.string(), id: z.string().default("") }))
      .default([])
      .meta({ description: "What was formalised" }),
    methods: z.array(z.string()).default([]).meta({ description: "manual, copilot, agent, autonomous, …" }),
    models: z.array(z.string()).default([]),
    divergences: text("Where it leaves its sources"),
    review: text("Status of its review"),
    reviewers: z.array(z.string()).default([]),
    main: z
      .array(z.object({ name: z.string(), id: z.string().exactOptional().meta({ description: "Its record, where there is one" }) }))
      .default([])
      .meta({ description: "Main results" }),
  })
  .meta({ id: "Formalization", description: "What a project says of itself in its formalization.yaml" });
export type Formalization = z.infer<typeof Formalization>;

/** RegistryMeta is what the registry says about itself. Counts in it are declared; the build counts again and shows both. */
export const RegistryMeta = z
  .object({
    service: text("Name of the registry service"),
    centralized: z.boolean().default(false),
    authoritative_ui: WebUrl.default("").meta({ description: "Address of the registry's web UI" }),
    public_api: WebUrl.default(""),
    public_mcp: WebUrl.default(""),
    updated_iso: text("ISO 8601 time of the registry's last change"),
    registry_sha256: z.string().default("").meta({ description: "SHA-256 of the registry's bytes as pulled" }),
    bytes: Count.default(0).meta({ description: "Number of those bytes" }),
    generator: text("What made the registry"),
    sources: z.record(z.string(), RegistrySource).default({}).meta({ description: "By source repository" }),
    invocation_counts: Counters.default({}),
    production_consumption_counts: Counters.default({}),
    verification_counts: Counters.default({}),
    standing_counts: Counters.exactOptional().meta({
      description: "Counted here: the state of each record's standing, beside verification_counts, which the registry declares",
    }),
    advisories: z
      .array(
        z.object({
          id: z.string(),
          title: z.string(),
          url: WebUrl,
          survives: z
            .array(z.string())
            .exactOptional()
            .meta({ description: "What it passes, too: an export of the proof, a second kernel" }),
          test: WebUrl.exactOptional().meta({ description: "The proof that shows it" }),
          needs: text("What a proof has to have so that it can use the hole; empty where every proof can"),
          withdrawn: z.string().exactOptional().meta({ description: "Why it recalls nothing here, as a list of this library says" }),
          affected: Count.meta({ description: "Records whose acceptance rests on it" }),
          passed: Count.meta({ description: "Records that it is no reason to doubt" }),
          used_by: Count.meta({ description: "Further records that rest on any of those, step by step" }),
        }),
      )
      .exactOptional()
      .meta({ description: "Known holes of the checkers that accepted records, those on which most rests first" }),
    formalizations: z.array(Formalization).exactOptional().meta({ description: "What projects say of themselves" }),
    readiness_counts: Counters.default({}),
    proof_consumption_counts: Counters.default({}),
    lane_tier: z.unknown().default(null).meta({ description: "null or a value" }),
    verus_scope: VerusScope.default(VerusScope.parse({})),
    in_crate_verus: InCrateVerus.default(InCrateVerus.parse({})),
    crates: CrateCounts.default(CrateCounts.parse({})),
    reconciliation: DeclaredReconciliation.default(DeclaredReconciliation.parse({})),
    boundary: text("What the public projection includes and what stays private"),
  })
  .meta({ id: "RegistryMeta", description: "Freshness, counts and reconciliation of the registry" });
export type RegistryMeta = z.infer<typeof RegistryMeta>;

/** CubListResponse is the answer of GET /api/cubs. `next` is there only when more records follow. */
export const CubListResponse = z
  .object({
    meta: RegistryMeta,
    count: Count.meta({ description: "Matching records in all" }),
    returned: Count.meta({ description: "Records in this response" }),
    cubs: z.array(CubRecord),
    next: z.string().exactOptional().meta({ description: "Cursor of the next page" }),
    facets: z
      .record(z.string(), z.array(z.object({ value: z.string(), count: Count })))
      .exactOptional()
      .meta({
        description:
          "On request: of each filter, and of standing and evidence_state, the values among the matching records, most frequent first",
      }),
  })
  .meta({ id: "CubListResponse" });
export type CubListResponse = z.infer<typeof CubListResponse>;

/** CubCodeFile is an entry of the answer of GET /api/cubs/{id}/code: the integrity index, never bytes. */
export const CubCodeFile = z
  .object({
    path: z.string(),
    role: z.enum(["proof", "runtime"]),
    system: z.string().meta({ description: "coq, lean, rust, … or empty" }),
    size: Count.nullable().meta({ description: "null when the file is not in the exact-revision store" }),
    sha256: Sha256Hex,
    media_type: z.string(),
    gated: z.literal(true),
    available: z.boolean().meta({ description: "In the exact-revision store with this digest, when the snapshot was built" }),
    state: z.enum(EVIDENCE_STATES).meta({
      description:
        "Whether the store's bytes were the pinned ones then; unpinned: the record names the file and no digest, and sha256 is that of the store's bytes",
    }),
    href: z.string().meta({ description: "Where an authorized identity downloads it" }),
  })
  .meta({ id: "CubCodeFile" });
export type CubCodeFile = z.infer<typeof CubCodeFile>;

export const CubCode = z
  .object({
    id: CubId,
    repo: z.string(),
    head: z.string().meta({ description: "Revision of the repository; empty when the registry names none" }),
    files: z.array(CubCodeFile),
  })
  .meta({ id: "CubCode", description: "Integrity index of a record's proof and runtime files" });
export type CubCode = z.infer<typeof CubCode>;

/** CUB_SUMMARY names what decides whether an agent opens a record; the rest is in `detail: full` and in get_cub. */
export const CUB_SUMMARY = [
  "id",
  "repo",
  "theorem_name",
  "kind",
  "statement",
  "verification_state",
  "standing",
  "status",
  "invocation",
  "production_consumption",
  "formal_systems",
  "files",
  "statement_source",
  "statement_words",
  "reviews",
] as const satisfies readonly (CubField | "standing" | "statement_source" | "statement_words" | "reviews")[];

/** The claims registry: headline claims with scope, pinned evidence, reproduction steps and known gaps (interface §2). */
import { z } from "zod";
import { Reviewed, Standing } from "./standing.ts";
import { EVIDENCE_STATES, Sha256Hex, WebUrl, text } from "./scalar.ts";

export const CLAIM_STATUSES = ["verified", "scoped", "partial"] as const;
export const EVIDENCE_ACCESS = ["public", "email-gated", "private"] as const;

export const ClaimEvidence = z
  .object({
    artifact: z.string().min(1, "is empty").meta({ description: "What the evidence is" }),
    kind: z.string().min(1, "is empty"),
    access: z.enum(EVIDENCE_ACCESS),
    repo: z.string().exactOptional(),
    path: z.string().exactOptional(),
    ref: z.string().exactOptional(),
    url: WebUrl.exactOptional(),
    sha256: Sha256Hex.exactOptional(),
    state: z.enum(EVIDENCE_STATES).exactOptional().meta({
      description:
        "Whether what is there is what is pinned, when the snapshot was built; of evidence that this view may see, or that names no digest",
    }),
  })
  .meta({ id: "ClaimEvidence", description: "One pinned piece of evidence" });
export type ClaimEvidence = z.infer<typeof ClaimEvidence>;

export const Claim = z
  .object({
    id: z
      .string()
      .min(1, "is empty")
      .max(200, "is longer than 200 characters")
      .regex(/^[^\u0000-\u001f\u007f]*$/, "has control characters"),
    title: z.string().min(1, "is empty"),
    status: z.enum(CLAIM_STATUSES),
    scope: z.string().min(1, "is empty").meta({ description: "What the claim covers" }),
    statement: z.string().min(1, "is empty"),
    runContract: z.record(z.string(), z.unknown()).exactOptional().meta({
      description: "Execution, provenance, estimand and claim-boundary contract of an empirical claim; free-form",
    }),
    evidence: z.array(ClaimEvidence).default([]),
    reproduce: z.array(z.string()).default([]).meta({ description: "Steps that produce the evidence again" }),
    verify: z.array(z.string()).default([]).meta({ description: "Steps that check it" }),
    gaps: z.array(z.string()).default([]).meta({ description: "What is known to be missing" }),
    standing: Standing.exactOptional().meta({
      description: "What is to be said of it: its status, held against its evidence and the records that it rests on; no author says it",
    }),
    reviewed: Reviewed,
  })
  .meta({ id: "Claim" });
export type Claim = z.infer<typeof Claim>;

export const ClaimsMeta = z
  .object({
    title: text("Title of the registry"),
    subtitle: text("Its second line"),
    generated: text("When it was made, as the source writes it"),
    fact_checked: text("When it was last checked, as the source writes it"),
    note: text("Free text"),
    pins: z.record(z.string(), z.string()).default({}).meta({ description: "Name to pinned revision or digest" }),
  })
  .meta({ id: "ClaimsMeta" });
export type ClaimsMeta = z.infer<typeof ClaimsMeta>;

export const ClaimsRegistry = z
  .object({ meta: ClaimsMeta, claims: z.array(Claim) })
  .meta({ id: "ClaimsRegistry", description: "Headline claims with scope, evidence, reproduction steps and gaps" });
export type ClaimsRegistry = z.infer<typeof ClaimsRegistry>;

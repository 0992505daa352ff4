/** The files of claims and of proof records as JSON Schemas, for editors and for `config check`. They are closed: a build drops what it does
 *  not know, and whoever writes the file wants to be told. */
import { z } from "zod";
import { ClaimEvidence, ClaimsMeta, CUB_FIELDS, CubFiles, CubLinks, CubRecord, CubReproduce } from "#snapshots/schema";
import { WrittenClaim } from "./claims.ts";
import { WrittenMeta } from "./registry.ts";

const editor = z.string().optional().meta({ description: "Where an editor finds the schema of this file" });

const { state: _state, ...evidence } = ClaimEvidence.shape;
const claim = z.strictObject({
  ...WrittenClaim.shape,
  evidence: z.array(z.strictObject(evidence)).default([]).meta({ description: "What the claim rests on, each pinned by its digest" }),
});
export const claimsFile = z.strictObject({
  $schema: editor,
  meta: z.strictObject(ClaimsMeta.shape).nullable().optional().meta({ description: "About the list as a whole" }),
  claims: z.array(claim).meta({ description: "What the library claims" }),
});

const recordShape = Object.fromEntries(CUB_FIELDS.map((name) => [name, CubRecord.shape[name]]));
const record = z.strictObject({
  ...recordShape,
  files: z.strictObject(CubFiles.shape).optional(),
  reproduce: z.strictObject(CubReproduce.shape).optional(),
  links: z.strictObject(CubLinks.shape).optional(),
  license: CubRecord.shape.license,
});
export const registryFile = z.strictObject({
  $schema: editor,
  meta: z.strictObject(WrittenMeta.shape).optional().meta({ description: "Where the records come from, and what is declared of them" }),
  cubs: z.array(record).meta({ description: "Proof records" }),
});

export const claimsJsonSchema = z.toJSONSchema(claimsFile, { io: "input" });
export const registryJsonSchema = z.toJSONSchema(registryFile, { io: "input" });

/** SMALLEST_CLAIMS is the least that a file of claims may hold, and SMALLEST_REGISTRY the least that a registry may, for whoever wrote something
 *  else. */
export const SMALLEST_CLAIMS = `claims:
  - id: lists-are-sorted
    title: The output is sorted
    status: partial
    scope: Lists of whole numbers
    statement: Whatever list is given, the result is ascending.`;
export const SMALLEST_REGISTRY = `{ "cubs": [
  { "id": "CUB-0001", "repo": "sorting", "theorem_name": "sort_sorted", "statement": "forall l, Sorted (sort l)" }
] }`;

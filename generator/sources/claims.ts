/** The claims registry from a YAML or JSON file. A claim that breaks the schema costs that claim, and says why. */
import { CORE_SCHEMA, load, YAMLException } from "js-yaml";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { Claim, ClaimsMeta, type ClaimsRegistry, type Rejection } from "#snapshots/schema";
import type { RegistryState } from "#snapshots/format";
import {
  acceptOnce,
  dropNulls,
  explainRecordIssues,
  findSwallowed,
  findUnrepresentable,
  isRecord,
  openUnknownFields,
  parseLeniently,
  type UnknownField,
} from "./issues.ts";
import { parseStrictJson } from "./json.ts";
import { describeStale, type LastGoodOptions, readLastGood, withoutEntries } from "./last-good.ts";
import { readSourceFile } from "./source-file.ts";

export const MAX_CLAIMS_BYTES = 16 * 1024 * 1024; // thousands of claims
const MAX_DEPTH = 100; // levels, as for JSON
const MAX_ALIASES = 100; // uses of anchors
const MAX_EXPANDED = 1_000_000; // values after aliases are followed; a hundred aliases can still multiply

export type Claims = ClaimsRegistry & {
  readonly state: RegistryState;
  readonly sha256: string;
  readonly size: number;
  readonly rejected: readonly Rejection[];
  /** Dropped meta fields and dropped parts, in words. */
  readonly notes: readonly string[];
  /** Fields that the interface does not name, for who keeps the claims, in no view. */
  readonly unknownFields: readonly UnknownField[];
};

/** NO_CLAIMS are the claims of a library without a claims file. */
export const NO_CLAIMS: Claims = {
  state: "none",
  meta: ClaimsMeta.parse({}),
  claims: [],
  sha256: "",
  size: 0,
  rejected: [],
  notes: [],
  unknownFields: [],
};

/** readClaims reads the file of claims, or the last good copy of it.
 *  @param path a file of the configuration; `.json` is read as JSON, anything else as YAML
 *  @throws ShelfError "bad_source" when the file as a whole cannot be used and no copy of it is kept, and "build_failed" when claims of it are
 *  served besides; the message names no path of this machine */
export async function readClaims(path: string, options: LastGoodOptions): Promise<Claims> {
  const format = path.toLowerCase().endsWith(".json") ? "json" : "yaml";
  const found = await readLastGood(
    {
      name: "claims",
      place: `file ${path}`,
      pull: async () => ({ bytes: await readSourceFile(path, "claims file", MAX_CLAIMS_BYTES), etag: "", lastModified: "" }),
      parse: (bytes) => parseClaims(bytes, format),
      ids: ({ claims }) => claims.map(({ id }) => id),
      without: (bytes, ids) => (ids.size === 0 ? null : withoutEntries(parseBody(bytes, format), "claims", ids)),
    },
    options,
  );
  if (found.unavailable !== null) {
    if (options.acceptLoss !== true) throw new ShelfError("bad_source", found.unavailable);
    return { ...NO_CLAIMS, state: "failed", notes: [`The claims could not be read: ${found.unavailable}`] };
  }
  const { value, stale } = found;
  return stale === null ? value : { ...value, state: "kept", notes: [describeStale("claims", stale), ...value.notes] };
}

/** parseClaims reads the text of a file of claims. @throws ShelfError "bad_source" when the text as a whole is no claims registry */
export function parseClaims(bytes: Uint8Array, format: "json" | "yaml"): Claims {
  const body = parseBody(bytes, format);
  if (!isRecord(body)) throw new ShelfError("bad_source", "The claims file is not a mapping with meta and claims.");
  const { meta: rawMeta, claims: rawClaims } = body;
  if (!Array.isArray(rawClaims)) throw new ShelfError("bad_source", "The claims file has no list named claims.");
  if (rawMeta !== undefined && rawMeta !== null && !isRecord(rawMeta))
    throw new ShelfError("bad_source", "The meta of the claims file is not a mapping.");
  const { data: meta, notes } = parseLeniently(ClaimsMeta, rawMeta ?? {});
  const unknown = openUnknownFields((claim) => Object.keys(claim).filter((name) => !Object.hasOwn(WrittenClaim.shape, name)));
  const { accepted, rejected } = acceptOnce(
    unknown.counted(rawClaims as readonly unknown[]),
    { source: "claims", kind: "claim", whole: "file" },
    parseClaim,
    ({ id }) => id,
  );
  return {
    state: "read",
    meta,
    claims: accepted,
    sha256: sha256(bytes),
    size: bytes.length,
    rejected,
    notes: [
      ...notes.map((note) => `claims meta: ${note}; the field is taken as left out`),
      ...accepted.flatMap((claim) => [findSwallowed(claim) ?? []].flat().map((what) => `claim ${claim.id}: ${what}`)),
    ],
    unknownFields: unknown.found(),
  };
}

function parseBody(bytes: Uint8Array, format: "json" | "yaml"): unknown {
  return format === "json" ? parseStrictJson(bytes) : parseYaml(bytes);
}

/** WrittenClaim is a claim as its author writes it: a standing and marks say nothing there. */
export const WrittenClaim = Claim.omit({ standing: true, reviewed: true });

function parseClaim(raw: unknown): Claim | { readonly rejected: string } {
  if (!isRecord(raw)) return { rejected: "the claim is not a mapping" };
  const problem = findUnrepresentable(raw);
  if (problem !== null) return { rejected: problem };
  const members = dropNulls(raw);
  if (Array.isArray(members["evidence"])) {
    // An empty string here means the same as leaving the member out, but an empty digest is none.
    members["evidence"] = members["evidence"].map((item: unknown) =>
      isRecord(item) ? Object.fromEntries(Object.entries(dropNulls(item)).filter(([, value]) => value !== "")) : item,
    );
  }
  const result = WrittenClaim.safeParse(members);
  return result.success ? result.data : { rejected: explainRecordIssues(result.error.issues, members) };
}

/** YAML 1.2 core: dates stay text, there are no objects of any class, no merge keys. */
function parseYaml(bytes: Uint8Array): unknown {
  let source: string;
  try {
    source = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ShelfError("bad_source", "The claims file is not valid UTF-8.", { cause });
  }
  let value: unknown;
  try {
    value = load(source, { schema: CORE_SCHEMA, maxDepth: MAX_DEPTH, maxAliases: MAX_ALIASES });
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw new ShelfError("bad_source", "The claims file cannot be read as YAML.", { cause });
    const where = cause.mark === undefined ? "" : ` at line ${cause.mark.line + 1}`;
    throw new ShelfError("bad_source", `The claims file is not valid YAML${where}: ${cause.reason}.`, { cause });
  }
  checkExpanded(value);
  return value;
}

/** Aliases share one object in memory; written out as JSON they multiply, or never end. */
function checkExpanded(value: unknown): void {
  let left = MAX_EXPANDED;
  const walk = (part: unknown, depth: number): void => {
    if (--left < 0 || depth > MAX_DEPTH)
      throw new ShelfError("bad_source", "The aliases in the claims file expand to too much; write the values out.");
    if (part !== null && typeof part === "object") for (const member of Object.values(part)) walk(member, depth + 1);
  };
  walk(value, 0);
}

/** Finds what is wrong with a registry's records without making them unusable, for who keeps the registry. Readers are not told: names of fields
 *  and of files that are not there may be internal. */
import { CLOSED_FIELDS, CUB_FIELDS, CubFiles, CubLinks, type CubRecord, CubReproduce, RegistryMeta } from "#snapshots/schema";
import { nameSome, countOf } from "#snapshots/format";
import { nearest } from "#generator/config";
import { WrittenClaim } from "./claims.ts";
import type { UnknownField } from "./issues.ts";
import { explainUnknownValue, type ParsedRegistry } from "./registry.ts";

export type RegistryFinding = {
  /** Id of the record; null for what concerns several, or the metadata. */
  readonly record: string | null;
  readonly field: string;
  readonly what: string;
};

/** FindCode finds the digest of a file at the revision that the record's repository has in the metadata; null when the code store has no such
 *  file, and undefined when there is no code store to ask. */
export type FindCode = (record: CubRecord, path: string) => Promise<string | null | undefined>;

/** findInRegistry finds what is wrong with the records of a registry. @param internalFields fields that are known to be internal */
export async function findInRegistry(
  { records, unknownFields, meta }: Pick<ParsedRegistry, "records" | "unknownFields" | "meta">,
  internalFields: readonly string[],
  findCode: FindCode,
): Promise<readonly RegistryFinding[]> {
  const findings = unknownFields.filter(({ name }) => !internalFields.includes(name)).map(describeUnknown);
  const lost = await findWithoutCode(records, findCode);
  for (const { record, said } of records) {
    const [{ id, repo }, head, isLost] = [record, meta.sources[record.repo]?.head ?? "", lost.has(record.repo)];
    const what = `pins files of ${repo} at ${head.slice(0, 12)}, and the code store has none of that revision; they belong into ${repo}/${head}/ there, where proofshelf registry recheck puts those of a registry.yaml`;
    if (isLost) findings.push({ record: id, field: "file_shas", what });
    findings.push(...(await findInRecord(record, said, isLost ? async () => undefined : findCode, head)));
  }
  return findings;
}

/** Repositories that have no file in the code store at their revision, as after a commit that nobody has scanned. */
async function findWithoutCode(records: ParsedRegistry["records"], findCode: FindCode): Promise<ReadonlySet<string>> {
  const lost = new Set<string>();
  for (const [repo, all] of Map.groupBy(records, ({ record }) => record.repo)) {
    const pinned = all.flatMap(({ record }) => Object.keys(record.file_shas).map((path) => ({ record, path })));
    const isMissing = async ({ record, path }: (typeof pinned)[number]): Promise<boolean> => (await findCode(record, path)) === null;
    if (new Set(pinned.map(({ path }) => path)).size > 1 && (await isEach(pinned, isMissing))) lost.add(repo);
  }
  return lost;
}

/** describeUnknownClaims tells of fields of claims that nobody knows, and that do nothing therefore. */
export function describeUnknownClaims(fields: readonly UnknownField[]): readonly string[] {
  return fields.map(({ name, records, first }) => {
    const right = nearest(name, Object.keys(WrittenClaim.shape));
    return `The claims have a field ${JSON.stringify(name)} that is not known and says nothing, in ${records === 1 ? first : `${countOf(records, "claim")}, ${first} for one`}${right === null ? "" : `; did you mean ${right}?`}.`.replace(
      "?.",
      "?",
    );
  });
}

const KNOWN: readonly string[] = [
  ...CUB_FIELDS,
  ...Object.entries({ files: CubFiles, reproduce: CubReproduce, links: CubLinks, meta: RegistryMeta }).flatMap(([part, { shape }]) =>
    Object.keys(shape).map((name) => `${part}.${name}`),
  ),
];

function describeUnknown({ name, records, first }: UnknownField): RegistryFinding {
  const where = records === 0 ? "" : records === 1 ? ` in ${first}` : ` in ${countOf(records, "record")}, ${first} for one`;
  const right = nearest(name, KNOWN);
  const what = right === null ? "name it in registry.internalFields if it is internal" : `did you mean ${right}?`;
  return { record: null, field: name, what: `is not a known field${where}; ${what}` };
}

async function isEach<T>(all: readonly T[], holds: (one: T) => Promise<boolean>): Promise<boolean> {
  for (const one of all) if (!(await holds(one))) return false;
  return true;
}

/** @param said names of the members that the record has of itself */
async function findInRecord(
  record: CubRecord,
  said: ReadonlySet<string>,
  findCode: FindCode,
  head: string,
): Promise<readonly RegistryFinding[]> {
  const findings: RegistryFinding[] = [];
  const add = (field: string, what: string): void => void findings.push({ record: record.id, field, what });
  for (const [path, digest] of Object.entries(record.file_shas)) {
    const found = await findCode(record, path);
    if (found === null)
      add("file_shas", `pins ${JSON.stringify(path)}, which is not in the code store; it would be ${record.repo}/${head}/${path} there`);
    else if (found !== undefined && found !== digest)
      add("file_shas", `pins ${JSON.stringify(path)} as ${digest}, but the code store has ${found}`);
  }
  const proofs = new Set([record.files.coq_file, record.files.lean_file, ...record.reproduce.proof_files].filter((path) => path !== ""));
  for (const path of proofs) {
    if (Object.hasOwn(record.file_shas, path)) continue;
    const missing = (await findCode(record, path)) === null ? ", and the code store does not have it" : "";
    add("file_shas", `has no digest of the proof file ${JSON.stringify(path)}${missing}`);
  }
  const { exec_file: runtime } = record;
  if (runtime !== "" && !Object.hasOwn(record.file_shas, runtime)) {
    const found = await findCode(record, runtime);
    if (typeof found !== "string")
      add(
        "exec_file",
        `${JSON.stringify(runtime)} is nowhere: no digest is pinned${found === null ? ", and the code store does not have it" : ""}`,
      );
  }
  for (const field of CLOSED_FIELDS) {
    const what = explainUnknownValue(field, record[field]);
    // Apart from what the gates look at.
    if (what !== null) add(`the value of ${field}`, what);
  }
  const isCalledVerified = /^(?:VERIFIED|PROVED)/i.test(record.status);
  const isCalledUnverified = /^(?:NOT|UN)[_-]?(?:VERIFIED|PROVED)/i.test(record.status);
  if (record.verification_state === "VERIFIED" ? isCalledUnverified : isCalledVerified)
    add("status", `is ${JSON.stringify(record.status)}, but verification_state is ${record.verification_state || "empty"}`);
  if (record.verification_state === "VERIFIED" && !record.no_holes)
    add("no_holes", `${said.has("no_holes") ? "is false" : "is left out, which says false"}, but verification_state is VERIFIED`);
  return findings;
}

/** Records that are named beside one thing that is wrong with all of them. */
const MAX_NAMED = 5;

/** describeFindings writes one line for each thing that is wrong, with the records of which it is true. */
export function describeFindings(findings: readonly RegistryFinding[]): readonly string[] {
  const same = Map.groupBy(findings, ({ field, what }) => `${field} ${what}`.trim());
  return [...same].map(([text, [first, ...more]]) => {
    if (first?.record === null || first === undefined) return text;
    return `${nameSome(
      [first, ...more].map(({ record }) => record ?? ""),
      MAX_NAMED,
    )}: ${text}`;
  });
}

/** Checks the files of claims and of proof records for `config check`: it tells each problem with its line, before a build drops what it cannot
 *  use. */
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { ShelfError } from "#snapshots/errors";
import {
  type ConfigProblem,
  explainIssues,
  listAt,
  MAX_CONFIG_BYTES,
  nearest,
  parseLocatedYaml,
  type Path,
  valueAt,
} from "#generator/config";
import { CHECK_ONLY, CLOSED_FIELDS, CUB_ID_PATTERN } from "#snapshots/schema";
import { dropNulls, isRecord } from "./issues.ts";
import { CHECK_ONLY_REMEDY, explainUnknownValue } from "./registry.ts";
import { claimsFile, claimsJsonSchema, registryFile, registryJsonSchema, SMALLEST_CLAIMS, SMALLEST_REGISTRY } from "./source-schemas.ts";

/** SourceProblems are the problems of one file. Each of `wrong` costs an entry, or the file; a build goes on with what is told in `notes`. */
export type SourceProblems = { readonly wrong: readonly Located[]; readonly notes: readonly Located[] };
export type Located = { readonly line: number | null; readonly path: Path; readonly what: string };

type Kind = {
  readonly list: "claims" | "cubs";
  readonly schema: z.ZodType;
  readonly json: object;
  readonly smallest: string;
  readonly parse: (bytes: Uint8Array) => unknown;
  readonly contradictions: (entry: Readonly<Record<string, unknown>>) => readonly ConfigProblem[];
};

/** checkClaims checks a file of claims.
 *  @param parse reads the file as a build does, and says why it cannot */
export function checkClaims(bytes: Uint8Array, parse: (bytes: Uint8Array) => unknown): SourceProblems {
  return check(bytes, {
    list: "claims",
    schema: claimsFile,
    json: claimsJsonSchema,
    smallest: SMALLEST_CLAIMS,
    parse,
    contradictions: claimContradictions,
  });
}

/** checkRecords checks a file of proof records.
 *  @param internalFields that the configuration names, which are no mistakes */
export function checkRecords(bytes: Uint8Array, internalFields: readonly string[], parse: (bytes: Uint8Array) => unknown): SourceProblems {
  const found = check(bytes, {
    list: "cubs",
    schema: registryFile,
    json: registryJsonSchema,
    smallest: SMALLEST_REGISTRY,
    parse,
    contradictions: recordContradictions,
  });
  const isInternal = ({ path: [list, , ...rest] }: Located): boolean => list === "cubs" && internalFields.includes(rest.join("."));
  return { wrong: found.wrong, notes: found.notes.filter((note) => !isInternal(note)) };
}

/** checkEvidence looks for paths of claims that lead to no object of the library, and to no record, and for digests that are not those of what
 *  lies there. A path of another repository is not looked for.
 *  @param digestOf gives the digest of an object
 *  @param records ids that are there; null where nobody knows */
export async function checkEvidence(
  bytes: Uint8Array,
  keys: ReadonlySet<string>,
  records: ReadonlySet<string> | null,
  digestOf: (key: string) => Promise<string>,
): Promise<readonly Located[]> {
  const yaml = parseLocatedYaml(bytes);
  const found: Located[] = [];
  for (const [at, claim] of listAt(yaml.value, ["claims"]).entries())
    for (const [index, item] of listAt(claim, ["evidence"]).entries()) {
      const [key, repo, url, sha256] = ["path", "repo", "url", "sha256"].map((name) => valueAt(item, [name]));
      if (typeof key !== "string" || repo !== undefined || url !== undefined) continue;
      const add = (field: string, what: string): void => {
        const path = ["claims", at, "evidence", index, field];
        found.push({ line: yaml.lineOf(path), path, what });
      };
      const lost = keys.has(key) ? null : explainLost(key, keys, records);
      if (lost !== null) add("path", lost);
      const is = keys.has(key) && typeof sha256 === "string" && sha256 !== "" ? await digestOf(key) : sha256;
      if (is !== sha256) add("sha256", `is ${String(sha256)}, and ${JSON.stringify(key)} has ${String(is)}`);
    }
  return found;
}

/** explainLost says why a path of evidence leads nowhere; null where it may lead to a record that nobody has asked for, or to one that is there. */
export function explainLost(key: string, keys: ReadonlySet<string>, records: ReadonlySet<string> | null): string | null {
  const namesRecord = CUB_ID_PATTERN.test(key);
  if (namesRecord && (records === null || records.has(key))) return null;
  const is = `is ${JSON.stringify(key)}, `;
  if (/^https?:/i.test(key)) return `${is}an address; write it as url`;
  const within = [...keys].find((one) => one.startsWith(`${key.replace(/\/$/, "")}/`));
  if (within !== undefined) return `${is}a folder; write the key of one of its objects, as in ${JSON.stringify(within)}`;
  const meant = nearest(key, [...(namesRecord && records !== null ? records : keys)]);
  const how = namesRecord ? "write an id that it has" : "write a key, as in proofs/Sort.v, or name its repo";
  return `${is}which is no ${namesRecord ? "record of the registry" : "object of this library"}; ${meant === null ? how : `did you mean ${JSON.stringify(meant)}?`}`;
}

function check(bytes: Uint8Array, { list, schema, json, smallest, parse, contradictions }: Kind): SourceProblems {
  const located = bytes.length > MAX_CONFIG_BYTES ? null : parseLocatedYaml(bytes);
  // The words for what is wrong with JSON are those of its own parser, but for what no parser expects.
  const isJson =
    /^\s*[{[]/.test(Buffer.from(bytes.subarray(0, 100)).toString()) && !located?.problems.some(({ what }) => what.startsWith("a merge"));
  const yaml = isJson && (located?.problems.length ?? 0) > 0 ? null : located;
  const at = (path: Path): number | null => yaml?.lineOf(path) ?? null;
  const whole = (what: string, line: number | null = 1): SourceProblems => ({ wrong: [{ line, path: [], what }], notes: [] });
  if (yaml !== null && yaml.problems.length > 0)
    return { wrong: yaml.problems.map(({ line, what }) => ({ line, path: [], what })), notes: [] };
  if (yaml !== null && Array.isArray(yaml.value))
    return whole(`is a list; write it under ${list}. The smallest file that is right:\n${indent(smallest)}`);
  if (yaml !== null && !isRecord(yaml.value)) return whole(`holds nothing of use. The smallest file that is right:\n${indent(smallest)}`);
  if (list === "cubs" && yaml !== null && valueAt(yaml.value, ["sources"]) !== undefined && valueAt(yaml.value, ["cubs"]) === undefined)
    return whole("names sources and has no records; the configuration names it as registry: { sources: … }, not as path");
  try {
    parse(bytes);
  } catch (error) {
    if (!(error instanceof ShelfError)) throw error;
    const line = /\bline (\d+)/i.exec(error.message)?.[1];
    const what = `${error.message.replace(/ \(line \d+\)/, "")} The smallest file that is right:\n${indent(smallest)}`;
    return whole(what, Number(line ?? 1));
  }
  // Without lines there are no places either; what is too long for them is judged by the build's own findings.
  const value = yaml === null ? null : withoutNulls(yaml.value, list);
  if (value === null) return { wrong: [], notes: [] };
  const parsed = schema.safeParse(value);
  const issues = parsed.success ? [] : parsed.error.issues;
  const [unknown, broken] = [
    issues.filter(({ code }) => code === "unrecognized_keys"),
    issues.filter(({ code }) => code !== "unrecognized_keys"),
  ];
  const locate = (problem: ConfigProblem): Located => ({ line: at(problem.path), ...problem });
  const entries = (valueAt(value, [list]) as readonly unknown[]).entries();
  const against = [...entries].flatMap(([index, entry]) =>
    isRecord(entry) ? contradictions(entry).map(({ path, what }) => ({ path: [list, index, ...path], what })) : [],
  );
  const advised = [...(valueAt(value, [list]) as readonly unknown[]).entries()].flatMap(([index, entry]) =>
    isRecord(entry) ? advise(entry).map(({ path, what }) => ({ path: [list, index, ...path], what })) : [],
  );
  const wrong = [...explainIssues(broken, value, json), ...repeats(value, list), ...against].map(locate);
  const isTold = ({ path: told }: Located): boolean => wrong.some(({ path }) => isDeepStrictEqual(path, told));
  const notes = [...explainIssues(unknown, value, json), ...advised].map(locate).filter((note) => !isTold(note));
  return { wrong, notes };
}

/** As a build reads it: null means left out. */
function withoutNulls(value: unknown, list: string): unknown {
  if (!isRecord(value)) return value;
  const entries = value[list];
  return Array.isArray(entries)
    ? { ...value, [list]: entries.map((entry: unknown) => (isRecord(entry) ? dropNulls(entry) : entry)) }
    : value;
}

function repeats(value: unknown, list: string): readonly ConfigProblem[] {
  const entries = valueAt(value, [list]) as readonly unknown[];
  const ids = entries.map((entry) => valueAt(entry, ["id"]));
  return ids.flatMap((id, index) => {
    const earlier = ids.indexOf(id);
    return typeof id !== "string" || earlier === index
      ? []
      : [{ path: [list, index, "id"], what: `is the id of ${list}[${earlier}] too; a build keeps the earlier one alone` }];
  });
}

function recordContradictions(entry: Readonly<Record<string, unknown>>): readonly ConfigProblem[] {
  const { status, verification_state: state } = entry;
  const checked = CHECK_ONLY.filter((name) => Object.hasOwn(entry, name));
  if (checked.length > 0) return checked.map((name) => ({ path: [name], what: `cannot stand here: ${CHECK_ONLY_REMEDY}` }));
  if (status === "VERIFIED_EXACT" && (state === "NOT_VERIFIED" || state === "UNSPECIFIED"))
    return [{ path: ["status"], what: `is VERIFIED_EXACT, and verification_state is ${state}; one of the two is not so` }];
  return state === "VERIFIED" && entry["no_holes"] === false
    ? [{ path: ["no_holes"], what: "is false, and verification_state is VERIFIED; a proof with holes verifies nothing" }]
    : [];
}

function claimContradictions(entry: Readonly<Record<string, unknown>>): readonly ConfigProblem[] {
  const { status, evidence = [] } = entry;
  return status === "verified" && isDeepStrictEqual(evidence, [])
    ? [{ path: ["status"], what: "is verified, and there is no evidence; name some, or write partial" }]
    : [];
}

/** advise tells values that nobody knows, and ids that make awkward addresses. */
function advise(entry: Readonly<Record<string, unknown>>): readonly ConfigProblem[] {
  const { id } = entry;
  const values = CLOSED_FIELDS.flatMap((field) => {
    const what = explainUnknownValue(field, entry[field]);
    return what === null ? [] : [{ path: [field], what }];
  });
  if (typeof id !== "string" || !/[^\w.~-]/.test(id)) return values;
  const better = id.replaceAll(/[^\w.~-]+/g, "-").replaceAll(/^-+|-+$/g, "");
  const what = `is part of an address for ever, and ${JSON.stringify(id)} is written ${encodeURIComponent(id.toWellFormed())} there`;
  return [...values, { path: ["id"], what: `${what}${better === "" ? "" : `; write ${better}`}` }];
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

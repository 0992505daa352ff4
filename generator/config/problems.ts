/** Schema findings in words: what is wrong, and what would be right. No value of the file is repeated that could be a secret. */
import { distance } from "fastest-levenshtein";
import { z } from "zod";
import { ShelfError } from "#snapshots/errors";
import type { ConfigProblem, Path } from "./yaml.ts";
import { configSchema, secretVariables } from "./schema.ts";

/** badConfig makes one error of all problems of a file, by line.
 *  @param path as the user wrote it */
export function badConfig(path: string, lines: readonly { line: number; path: Path; what: string }[]): ShelfError {
  const sorted = [...lines].sort((a, b) => a.line - b.line);
  const errors = sorted.map((problem) => ({
    pointer: problem.path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
    detail: `${path}:${problem.line}: ${[formatPath(problem.path), problem.what].filter((part) => part !== "").join(" ")}`,
  }));
  return new ShelfError("bad_config", foldAlike(errors.map((error) => error.detail)).join("\n"), { errors });
}

/** Lines of one fault that are told before the rest of them is counted. */
const MAX_ALIKE = 3;

/** foldAlike leaves of lines that differ only in numbers, in what stands in quotes and in the name of a key that nobody knows the first few, and
 *  counts the others. */
export function foldAlike(lines: readonly string[]): readonly string[] {
  const kindOf = (line: string): string => line.replaceAll(/"(?:[^"\\]|\\.)*"|\d+|[^\s.]+(?= is not a known key; known here)/g, "#");
  const byKind = Map.groupBy(lines, kindOf);
  const told = new Map<string, number>();
  return lines.flatMap((line) => {
    const kind = kindOf(line);
    const [number, all] = [(told.get(kind) ?? 0) + 1, byKind.get(kind)?.length ?? 0];
    told.set(kind, number);
    if (number <= MAX_ALIKE || all === MAX_ALIKE + 1) return [line];
    return number === MAX_ALIKE + 1 ? [`… and ${all - MAX_ALIKE} more like the last.`] : [];
  });
}

type JsonSchema = {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
};

const SECRET_NAME = /secret|passw|token|api_?key|access_?key|credential|private_?key/i;
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
};

/** configJsonSchema returns the schema of the file as it is written, for editors too. */
export const configJsonSchema = (): object => z.toJSONSchema(configSchema(), { io: "input" });

/** explainIssues writes zod's issues as problems.
 *  @param schema of the file, as `configJsonSchema` is */
export function explainIssues(issues: readonly z.core.$ZodIssue[], value: unknown, schema: object = configJsonSchema()): ConfigProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ path: [...path, key], what: explainUnknownKey(key, path, value, schema) }));
    }
    return [{ path, what: explainIssue(issue, path, value, schema) }];
  });
}

function explainIssue(issue: z.core.$ZodIssue, path: Path, value: unknown, schema: JsonSchema): string {
  const found = valueAt(value, path);
  if (issue.code === "invalid_type") {
    const expected = TYPE_NAMES[issue.expected] ?? issue.expected;
    const about = schemaAt(schema, path, value).description;
    if (found === undefined || found === null) return `is missing; write ${expected}${about === undefined ? "" : ` (${about})`}`;
    return `is ${nameType(found)}; write ${expected}${typeof found === "number" && issue.expected === "string" ? ", in quotes if it looks like a number" : ""}`;
  }
  if (issue.code === "invalid_value") return explainChoice(found, issue.values.map(String));
  if (issue.code === "invalid_union" && "discriminator" in issue && issue.discriminator !== undefined) {
    return explainChoice(found, kindsAt(schema, path.slice(0, -1), value));
  }
  return issue.message;
}

function explainChoice(found: unknown, values: readonly string[]): string {
  const right = values.map((value) => JSON.stringify(value)).join(" or ");
  if (found === undefined || found === null) return `is missing; write ${right}`;
  if (typeof found !== "string") return `is ${nameType(found)}; write ${right}`;
  const meant = nearest(found, values);
  return `is not one of the known values; ${meant === null ? "write" : `did you mean ${JSON.stringify(meant)}? Write`} ${right}`;
}

function explainUnknownKey(key: string, path: Path, value: unknown, schema: JsonSchema): string {
  const known = Object.keys(schemaAt(schema, path, value).properties ?? {});
  if (SECRET_NAME.test(key) && nearest(key, known, 1) === null) {
    return `looks like a secret; secrets come from the environment only (${secretVariables().join(", ")}), so remove it here`;
  }
  const right = nearest(key, known);
  if (right !== null) return `is not a known key; did you mean ${JSON.stringify(right)}?`;
  const more = known.length - MAX_KNOWN;
  return `is not a known key; known here: ${known.slice(0, MAX_KNOWN).join(", ")}${more > 0 ? ` and ${more} more, which the schema lists` : ""}`;
}

/** Keys that one line names. */
const MAX_KNOWN = 20;

/** Names that people write for another one. */
const MEANT: Readonly<Record<string, string>> = {
  verified: "verification_state",
  verification: "verification_state",
  theorem: "theorem_name",
  name: "theorem_name",
  repository: "repo",
  prover: "formal_systems",
  system: "formal_systems",
  hashes: "file_shas",
  digests: "file_shas",
  path: "root",
  url: "baseUrl",
  description: "summary",
  proven: "VERIFIED",
  proved: "VERIFIED",
  checked: "VERIFIED",
  unverified: "NOT_VERIFIED",
  unproven: "NOT_VERIFIED",
  admitted: "NOT_VERIFIED",
  unknown: "UNSPECIFIED",
};

/** nearest finds the known name that somebody may have meant; capitals, hyphens and underscores do not count. @param limit letters apart */
export function nearest(key: string, known: readonly string[], limit = Math.max(2, Math.floor(key.length / 3))): string | null {
  const meant = MEANT[key.toLowerCase()];
  if (meant !== undefined && known.includes(meant)) return meant;
  let best: string | null = null;
  let least = limit + 1;
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");
  for (const name of known) {
    const apart = distance(plain(key), plain(name));
    if (apart < least) [best, least] = [name, apart];
  }
  return best;
}

/** The JSON Schema at a path of the input; of a choice by `kind`, the one the input chose, or all of them together. */
function schemaAt(document: JsonSchema, path: Path, value: unknown): JsonSchema {
  return choose(declaredAt(document, path, value), valueAt(value, path));
}

/** The same with its choices open. */
function declaredAt(document: JsonSchema, path: Path, value: unknown): JsonSchema {
  let schema = document;
  for (const [depth, step] of path.entries()) {
    const chosen = choose(schema, valueAt(value, path.slice(0, depth)));
    schema = (typeof step === "number" ? chosen.items : chosen.properties?.[step]) ?? {};
  }
  return schema;
}

function choose(schema: JsonSchema, value: unknown): JsonSchema {
  const options = schema.oneOf ?? schema.anyOf;
  if (options === undefined) return schema;
  const kind = valueAt(value, ["kind"]);
  const chosen = options.find((option) => option.properties?.["kind"]?.const === kind);
  if (chosen !== undefined) return chosen;
  return {
    ...schema,
    properties: Object.assign({}, ...options.map((option) => option.properties ?? {})) as Record<string, JsonSchema>,
  };
}

function kindsAt(document: JsonSchema, path: Path, value: unknown): string[] {
  const schema = declaredAt(document, path, value);
  return (schema.oneOf ?? schema.anyOf ?? []).map((option) => String(option.properties?.["kind"]?.const));
}

/** valueAt returns the part of plain data at a path; undefined when it is not there. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let part = value;
  for (const step of path) {
    if (part === null || typeof part !== "object" || !Object.hasOwn(part, step)) return undefined;
    part = (part as Record<PropertyKey, unknown>)[step];
  }
  return part;
}

function nameType(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value === null) return "empty";
  return { string: "text", number: "a number", boolean: "true or false", object: "a mapping" }[typeof value as string] ?? typeof value;
}

/** formatPath writes a path as `collections[1].prefix` */
export function formatPath(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else {
      const plain = /^[A-Za-z0-9_-]{1,60}$/.test(step) ? step : JSON.stringify(step.slice(0, 60));
      text += text === "" ? plain : `.${plain}`;
    }
  }
  return text;
}

/** listAt returns the list at a path; an empty one when there is none. */
export function listAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

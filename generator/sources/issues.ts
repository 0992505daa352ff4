/** Schema findings on one record, as a reason that its author can act on. */
import type { z } from "zod";
import type { Rejection } from "#snapshots/schema";
import { valueAt } from "#generator/config";

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};
const MAX_REASONS = 5; // a record of the wrong kind altogether needs no list of forty

/** explainRecordIssues writes issues as one reason: `repo is missing; use_cases[2] is a number, not text` */
export function explainRecordIssues(issues: readonly z.core.$ZodIssue[], value: unknown): string {
  const reasons = issues
    .slice(0, MAX_REASONS)
    .map((issue) => `${formatIssuePath(issue.path)} ${explain(issue, valueAt(value, issue.path))}`.trim());
  if (issues.length > MAX_REASONS) reasons.push(`and ${issues.length - MAX_REASONS} more`);
  return reasons.join("; ");
}

function explain(issue: z.core.$ZodIssue, found: unknown): string {
  if (issue.code === "invalid_type") {
    if (found === undefined || found === null) return "is missing";
    return `is ${nameType(found)}, not ${TYPES[issue.expected] ?? issue.expected}`;
  }
  if (issue.code === "invalid_value") return `is not ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
  if (issue.code === "too_small" && issue.origin === "int") return `is under ${issue.minimum}`;
  return issue.message;
}

function nameType(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return { string: "text", number: "a number", boolean: "true or false", object: "an object" }[typeof value as string] ?? typeof value;
}

function formatIssuePath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step).slice(0, 80)}`))
    .join("");
}

/** dropNulls returns a copy without members that are null: sources write null where they mean "left out". */
export function dropNulls(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** acceptOnce accepts the entries of a list that `parse` takes, one for each id, the earliest; the rest is refused with its reason. */
export function acceptOnce<T extends object>(
  list: Iterable<unknown>,
  { source, kind, whole }: { readonly source: Rejection["source"]; readonly kind: string; readonly whole: string },
  parse: (raw: unknown) => T | { readonly rejected: string },
  idOf: (item: T) => string,
): { accepted: T[]; rejected: Rejection[] } {
  const accepted = new Map<string, T>();
  const rejected: Rejection[] = [];
  let number = 0;
  for (const raw of list) {
    number++;
    const item = parse(raw);
    if ("rejected" in item) {
      const id = isRecord(raw) ? raw["id"] : undefined;
      const key = typeof id === "string" && id !== "" ? id.slice(0, 200) : `${kind} ${number}`;
      rejected.push({ source, key, reason: String(item.rejected) });
    } else if (accepted.has(idOf(item))) {
      const reason = `an earlier ${kind} has the same id; this one is number ${number} in the ${whole}`;
      rejected.push({ source, key: idOf(item), reason });
    } else accepted.set(idOf(item), item);
  }
  return { accepted: [...accepted.values()], rejected };
}

/** parseLeniently parses `value` by an object schema whose every member has a default: a member that breaks it falls back to its default, and the
 *  reason is told. */
export function parseLeniently<T>(schema: z.ZodType<T>, value: Record<string, unknown>): { data: T; notes: string[] } {
  const notes: string[] = [];
  let members = dropNulls(value);
  for (const [name, member] of Object.entries(members)) {
    const problem = findUnrepresentable({ [name]: member });
    if (problem === null) continue;
    notes.push(problem);
    delete members[name];
  }
  for (;;) {
    const result = schema.safeParse(members);
    if (result.success) return { data: result.data, notes };
    const broken = new Set(result.error.issues.map((issue) => String(issue.path[0])));
    const kept = Object.fromEntries(Object.entries(members).filter(([name]) => !broken.has(name)));
    if (Object.keys(kept).length === Object.keys(members).length) throw result.error;
    notes.push(...result.error.issues.map((issue) => explainRecordIssues([issue], members)));
    members = kept;
  }
}

/** findUnrepresentable finds a value that canonical JSON cannot write, and says where it stands, as a reason; null when there is nothing of the
 *  kind. Sources can hold both kinds: the escape \ud800 alone, and numbers like 1e999. */
export function findUnrepresentable(value: unknown): string | null {
  return findWithin(value, (leaf) => {
    if (typeof leaf === "number") return Number.isFinite(leaf) ? null : "holds a number that is too large";
    return typeof leaf !== "string" || leaf.isWellFormed() ? null : "holds half of a surrogate pair";
  });
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\u0007": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\u001b": "e",
};
/** A control sign, or white space and letters that make a command of LaTeX together: `\t` and "heta". */
const SWALLOWED =
  /(?:[\0-\u0008\v\f\u000e-\u001f\u007f]|\t(?=o\b|heta|imes|ext|au\b|op\b|frac|ilde)|\r(?=ho\b|ight|angle|ceil|floor)|\n(?=abla|otin))([a-zA-Z]{0,20})/;

/** findSwallowed finds a text of which an escape has taken a backslash, as "\forall" between double quotes is a form feed and "orall", in JSON as in YAML;
 *  a reason that says where, or null. */
export function findSwallowed(value: unknown): string | null {
  return findWithin(value, (leaf) => {
    const [found, word = ""] = (typeof leaf === "string" ? SWALLOWED.exec(leaf) : null) ?? [];
    if (found === undefined) return null;
    const letter = ESCAPES[found.charAt(0)];
    const code = `U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    const meant = letter === undefined ? "" : `; for \\${letter}${word} between double quotes write \\\\${letter}${word}`;
    return `holds the control sign ${code}${word === "" ? "" : ` before ${JSON.stringify(word)}`}${meant}`;
  });
}

/** findWithin walks a value and the names in it, and says where the first thing stands of which `tell` has something to say. */
function findWithin(value: unknown, tell: (leaf: unknown) => string | null, path: readonly PropertyKey[] = []): string | null {
  const told = tell(value);
  if (told !== null) return `${formatIssuePath(path)} ${told}`.trim();
  if (value === null || typeof value !== "object") return null;
  for (const [name, member] of Object.entries(value)) {
    const named = tell(name);
    if (named !== null) return `${formatIssuePath(path)} has a member whose name ${named}`.trim();
    const found = findWithin(member, tell, [...path, Array.isArray(value) ? Number(name) : name]);
    if (found !== null) return found;
  }
  return null;
}

/** UnknownField is a field that the interface does not name. */
export type UnknownField = { readonly name: string; readonly records: number /** Id of one of them. */; readonly first: string };

/** openUnknownFields counts the fields of a list's entries that are unknown, each once, while the entries go by.
 *  @param unknownIn names of those of one entry */
export function openUnknownFields(unknownIn: (entry: Record<string, unknown>) => readonly string[]): {
  counted<T>(entries: Iterable<T>): Iterable<T>;
  found(): readonly UnknownField[];
} {
  const found = new Map<string, { records: number; first: string }>();
  return {
    *counted(entries) {
      let number = 0;
      for (const raw of entries) {
        number++;
        for (const name of isRecord(raw) ? unknownIn(raw) : []) {
          const field = found.get(name) ?? {
            records: 0,
            first: isRecord(raw) && typeof raw["id"] === "string" ? raw["id"] : `entry ${number}`,
          };
          field.records++;
          found.set(name, field);
        }
        yield raw;
      }
    },
    found: () => [...found].map(([name, field]) => ({ name, ...field })),
  };
}

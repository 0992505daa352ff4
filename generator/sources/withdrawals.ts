/** The file of withdrawals: what is served no more, since when, and why. Checked as a whole, as the configuration is: with one entry that
 *  cannot be read, what it withdraws would come back, so nothing is built. */
import { z } from "zod";
import { findKeyProblem, isAddress } from "#snapshots/format";
import { isWebUrl, type Withdrawal, WITHDRAWAL_REASONS } from "#snapshots/schema";
import { type ConfigProblem, readLocated } from "#generator/config";

const entry = z.strictObject({
  key: z.string().optional().meta({ description: "Key of the object" }),
  record: z.string().optional().meta({ description: "Or the id of a record" }),
  claim: z.string().optional().meta({ description: "Or the id of a claim" }),
  reason: z.enum(WITHDRAWAL_REASONS).meta({ description: "Why; legal makes its address answer 451 in place of 410" }),
  date: z.iso.date("is not a date; write one like 2026-01-31").meta({ description: "Since when" }),
  note: z
    .string()
    .refine((note) => note.trim() !== "", "is empty; write what readers shall be told")
    .refine((note) => note.isWellFormed(), "holds half of a surrogate pair; write whole characters")
    .meta({ description: "What readers are told" }),
  replacement: z
    .string()
    .min(1, "is empty; leave it out")
    .optional()
    .meta({ description: "What takes its place: a name of the same kind, or an address" }),
  redact: z.boolean().default(false).meta({ description: "Takes its bytes out of earlier snapshots, too" }),
});
type Entry = z.infer<typeof entry>;
const schema = z.strictObject({ withdrawals: z.array(entry).default([]).meta({ description: "What was withdrawn" }) });

/** withdrawalsJsonSchema is the schema of the file of withdrawals, for editors. */
export const withdrawalsJsonSchema = z.toJSONSchema(schema, { io: "input" });

const KINDS = { key: "object", record: "record", claim: "claim" } as const;
type Kind = keyof typeof KINDS;

/** readWithdrawals reads the file of withdrawals.
 *  @param path of the file, as it is shown in problems
 *  @returns in the order of the file
 *  @throws ShelfError "bad_config" with every problem and its line */
export function readWithdrawals(path: string): readonly Withdrawal[] {
  const found = readLocated(path, schema, withdrawalsJsonSchema, "a file of withdrawals", ({ withdrawals }) => checkEntries(withdrawals));
  return found.withdrawals.map((one) => {
    const [kind, name] = namesOf(one)[0] ?? ["key", ""];
    const { reason, date, note, replacement = null, redact } = one;
    return { what: KINDS[kind], name, reason, date, note, replacement, redacted: redact };
  });
}

function namesOf(one: Entry): readonly (readonly [kind: Kind, name: string])[] {
  return (["key", "record", "claim"] as const).flatMap((kind) => {
    const name = one[kind];
    return name === undefined ? [] : [[kind, name] as const];
  });
}

function checkEntries(entries: readonly Entry[]): readonly ConfigProblem[] {
  const first = new Map<string, number>();
  const next = new Map(entries.flatMap((one) => namesOf(one).map(([kind, name]) => [`${kind} ${name}`, one.replacement ?? null] as const)));
  return entries.flatMap((one, at): ConfigProblem[] => {
    const path = ["withdrawals", at];
    const [named, ...more] = namesOf(one);
    if (named === undefined) return [{ path, what: "names nothing; write key, record or claim" }];
    if (more.length > 0) return [{ path, what: "names more than one thing; write an entry for each" }];
    const [kind, name] = named;
    const problem = findNameProblem(kind, name);
    if (problem !== null) return [{ path: [...path, kind], what: problem }];
    const earlier = first.get(`${kind} ${name}`);
    if (earlier !== undefined) return [{ path: [...path, kind], what: `is withdrawn by withdrawals[${earlier}] already; keep one` }];
    first.set(`${kind} ${name}`, at);
    const wrong = one.replacement === undefined ? null : findReplacementProblem(kind, one.replacement);
    if (wrong !== null) return [{ path: [...path, "replacement"], what: wrong }];
    return leadsBack(kind, name, next)
      ? [{ path: [...path, "replacement"], what: "leads back to what it replaces; name what is there" }]
      : [];
  });
}

function findNameProblem(kind: Kind, name: string): string | null {
  if (kind === "record") return /^CUB-[0-9]{4,}$/.test(name) ? null : "is no id of a record; write it like CUB-0007";
  if (kind === "claim") return name.trim() !== "" && name.isWellFormed() ? null : "is no id of a claim";
  const problem = findKeyProblem(name);
  return problem === null ? null : `cannot be withdrawn: ${problem}`;
}

function findReplacementProblem(kind: Kind, replacement: string): string | null {
  if (!isAddress(replacement)) return findNameProblem(kind, replacement);
  return isWebUrl(replacement) ? null : "is no http or https address";
}

function leadsBack(kind: Kind, name: string, next: ReadonlyMap<string, string | null>): boolean {
  const passed = new Set<string>();
  for (let at = next.get(`${kind} ${name}`) ?? null; at !== null && !passed.has(at); at = next.get(`${kind} ${at}`) ?? null) {
    if (at === name) return true;
    passed.add(at);
  }
  return false;
}

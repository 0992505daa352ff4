/** Holds what records state against what their pinned proof files declare. An annex knows how a file is read; what it found is kept by the digests
 *  of file, name and statement, so that a build reads what is new. */
import { join } from "node:path";
import { z } from "zod";
import { sha256 } from "#snapshots/digest";
import { parseCodeRef } from "#snapshots/format";
import { type CubCode, type CubCodeFile, type CubRecord, STATEMENT_STATES, type StatementState } from "#snapshots/schema";
import type { CodeStore } from "#snapshots/shelf";
import { keptFile, type KeptFile } from "#generator/files";
import type { RegistryFinding } from "./registry-findings.ts";

/** HeldStatement is what came out for one record and one file; "unknown" where texts alone do not tell. */
export type HeldStatement =
  | { readonly state: "differs" | "open"; readonly declared: string; readonly line: number }
  | { readonly state: Exclude<StatementState, "differs" | "open"> | "unknown" };
/** HoldStatement holds a record's statement against the text of a file. @param file whose text it is; its system is coq, lean, … */
export type HoldStatement = (
  record: Pick<CubRecord, "theorem_name" | "statement" | "verification_state">,
  file: Pick<CubCodeFile, "path" | "system">,
  text: string,
) => HeldStatement;
export type StatementAnnexes = { readonly openStatements: () => Promise<HoldStatement> };

const keptSchema = z.strictObject({
  maker: z.string(),
  states: z.record(z.string(), z.enum([...STATEMENT_STATES, "unknown"])),
});
type Kept = z.infer<typeof keptSchema>;

export type Statements = StatementAnnexes & { readonly kept: KeptFile<Kept> | null; readonly keep: boolean; readonly maker: string };

/** openKeptStatements opens what earlier builds found.
 *  @param maker digest of the program: what another one found is found anew
 *  @param keep whether anything may be written */
export function openKeptStatements(annexes: StatementAnnexes, buildDir: string, maker: string, keep: boolean): Statements {
  return { ...annexes, kept: keptFile(keptSchema, join(buildDir, "statements.state")), keep, maker };
}

type Held = { readonly file: CubCodeFile; readonly held: HeldStatement };

/** holdStatements holds the statements of all records against their files.
 *  @param store null where there is no code to look into
 *  @returns of each record that texts tell something of, its state, and a finding where it states something else than its file */
export async function holdStatements(
  cubs: readonly CubRecord[],
  code: ReadonlyMap<string, CubCode>,
  store: CodeStore | null,
  statements: Statements | null,
): Promise<{ readonly states: ReadonlyMap<string, StatementState>; readonly findings: readonly RegistryFinding[] }> {
  if (store === null || statements === null) return { states: new Map(), findings: [] };
  const { openStatements, kept, keep, maker } = statements;
  const hold = await openStatements();
  const last = kept?.read();
  const known = new Map(last?.maker === maker ? Object.entries(last.states) : []);
  const now = new Map<string, HeldStatement["state"]>();
  const pairs = cubs.flatMap((record) => {
    const { repo = "", head = "", files = [] } = code.get(record.id) ?? {};
    const proofs = files.filter(({ role, state, system }) => role === "proof" && state === "holds" && system !== "");
    return proofs.map((file) => ({ record, file, place: JSON.stringify([repo, head, file.path]), ref: { repo, head, path: file.path } }));
  });
  const byRecord = new Map<string, Held[]>();
  for (const sharing of Map.groupBy(pairs, ({ place }) => place).values()) {
    let text: string | null = null;
    for (const { record, file, ref } of sharing) {
      const key = sha256(JSON.stringify([file.sha256, record.theorem_name, record.statement, record.verification_state])).slice(0, 32);
      const before = known.get(key);
      let held: HeldStatement;
      // A file of which the declaration is shown is read again.
      if (before !== undefined && before !== "differs" && before !== "open") held = { state: before };
      else {
        text ??= await readText(store, ref, file.sha256);
        if (text === null) continue;
        held = hold(record, file, text);
      }
      now.set(key, held.state);
      byRecord.set(record.id, [...(byRecord.get(record.id) ?? []), { file, held }]);
    }
  }
  if (keep) kept?.write({ maker, states: Object.fromEntries(now) });
  const judged = cubs.map((record) => ({ record, ...judge(record, byRecord.get(record.id) ?? []) }));
  return {
    states: new Map(judged.flatMap(({ record, state }) => (state === null ? [] : [[record.id, state]]))),
    findings: judged.flatMap(({ record, told }) => (told === null ? [] : [{ record: record.id, ...told }])),
  };
}

const MAX_SHOWN = 400; // UTF-16 units of each of the two statements

type Judged = { readonly state: StatementState | null; readonly told: Pick<RegistryFinding, "field" | "what"> | null };

/** Words by which records name a system. */
const NAMED: readonly (readonly [words: RegExp, system: string])[] = [
  [/coq|rocq/i, "coq"],
  [/lean/i, "lean"],
  [/agda/i, "agda"],
  [/metamath/i, "metamath"],
  [/isabelle/i, "isabelle"],
];

/** namesSystem tells whether a record calls itself verified by a system. One that names none that is known means each of its files. */
function namesSystem(systems: string, system: string): boolean {
  const named = NAMED.filter(([words]) => words.test(systems));
  return named.length === 0 || named.some(([, name]) => name === system);
}

/** judge takes the file of the record's own language for what it states: a twin in another one writes it in its own way. An open proof in any
 *  file of a system that the record names is one. */
function judge({ statement, files, formal_systems: systems }: CubRecord, of: readonly Held[]): Judged {
  const open = of.find(({ file, held }) => held.state === "open" && namesSystem(systems, file.system));
  if (open?.held.state === "open") {
    const { declared, line } = open.held;
    const what = `is VERIFIED, but ${JSON.stringify(open.file.path)}:${line} leaves its proof open: ${declared}`;
    return { state: "open", told: { field: "verification_state", what } };
  }
  const own = files.coq_file !== "" ? "coq" : files.lean_file !== "" ? "lean" : null;
  const ours = own === null ? of : of.filter(({ file }) => file.system === own);
  const states = new Set(ours.map(({ held }) => held.state));
  if (states.has("same")) return { state: "same", told: null };
  if (ours.length === 0 || states.has("unknown") || states.has("open")) return { state: null, told: null };
  for (const { file, held } of ours)
    if (held.state === "differs") {
      const declares = `${JSON.stringify(file.path)}:${held.line} declares ${show(held.declared)}`;
      return {
        state: "differs",
        told: { field: "statement", what: `is ${show(statement)}, but ${declares}` },
      };
    }
  return { state: "not_found", told: null };
}

/** show shows the beginning of a statement. Two that begin alike are told from each other. */
function show(text: string): string {
  const shown = JSON.stringify(text.slice(0, MAX_SHOWN));
  return text.length <= MAX_SHOWN ? shown : `${shown} (and more; SHA-256 ${sha256(text)})`;
}

/** Null when the store has lost it since it was looked at. */
async function readText(
  store: CodeStore,
  { repo, head, path }: Record<"repo" | "head" | "path", string>,
  digest: string,
): Promise<string | null> {
  const file = await store.read(parseCodeRef(repo, head, path));
  return file === null || file.sha256 !== digest ? null : new TextDecoder().decode(file.bytes);
}

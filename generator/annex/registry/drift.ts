/** What moved under an unchanged name, told by cause from two checks: words are a hint, the prover's print is the verdict. */
import { canonicalJson, sha256 } from "#snapshots/digest";
import type { CheckStatement } from "#snapshots/annex/proofs";
import type { DRIFT_CAUSES } from "#snapshots/schema";

type Predicate = CheckStatement["predicate"];
type Definitions = Readonly<Predicate["definitions"]>;
/** One declaration as a check has it. */
type Digested = Readonly<Pick<Predicate["results"][number], "statement_sha256" | "type_sha256" | "meaning_sha256" | "mentions">> & {
  readonly axioms: readonly string[] | null;
  readonly check: Pick<Predicate, "definitions" | "revision">;
};
export type Cause = (typeof DRIFT_CAUSES)[number];
export type Moved = { readonly cause: Cause; readonly definitions: readonly string[] };

/** Definitions of the sources that a statement reaches, itself left out, by name. */
function reach(definitions: Definitions, mentions: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const open = [...mentions];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const one = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (found.has(name)) continue;
    found.set(name, one?.sha256 ?? "");
    open.push(...(one?.mentions ?? []));
  }
  return found;
}

/** The digest of a statement and of all that it says by the definitions below it; null where a prover did not print it. Other libraries
 *  count by their names. */
export function meaningOf(
  type: string | null,
  mentions: readonly string[] | null,
  axioms: readonly string[] | null,
  definitions: Definitions,
): string | null {
  if (type === null || mentions === null) return null;
  const below = [...reach(definitions, startsOf({ mentions, axioms }, definitions))].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(canonicalJson([type, below]));
}

/** An axiom of these sources that a policy allows by its name is what it says: another under that name is another theorem. */
function startsOf(
  { mentions, axioms }: { readonly mentions: readonly string[]; readonly axioms: readonly string[] | null },
  definitions: Definitions,
): readonly string[] {
  return [...mentions, ...(axioms ?? []).filter((name) => Object.hasOwn(definitions, name))];
}

/** What moved from one check of a declaration to another; null when nothing did, or a prover printed one of them alone. */
export function causeOf(before: Digested, after: Digested): Moved | null {
  if (before.type_sha256 === null || after.type_sha256 === null || before.meaning_sha256 === null || after.meaning_sha256 === null)
    return null;
  const words = before.statement_sha256 !== after.statement_sha256;
  const type = before.type_sha256 !== after.type_sha256;
  if (before.meaning_sha256 === after.meaning_sha256) return words ? { cause: "wording", definitions: [] } : null;
  const [was, is] = [before, after].map(({ check, mentions, axioms }) =>
    reach(check.definitions, startsOf({ mentions, axioms }, check.definitions)),
  ) as [Reached, Reached];
  const definitions = [...new Set([...was.keys(), ...is.keys()])]
    .filter((name) => was.has(name) && is.has(name) && was.get(name) !== is.get(name))
    .sort();
  if (!type) return { cause: "meaning", definitions };
  return { cause: words || definitions.length > 0 ? "statement" : "churn", definitions };
}
type Reached = ReadonlyMap<string, string>;

/** What moved since a prover accepted a statement, told by what the lock remembers of that.
 *  @param history checks of it, the newest first
 *  @returns null when nothing did; no cause where nobody has printed it as it is now */
export function movedSince(
  line: { readonly type?: string; readonly meaning?: string },
  now: Digested | undefined,
  history: readonly Digested[],
): Moved | "unchanged" | null {
  if (line.meaning === undefined || now?.meaning_sha256 == null) return null;
  if (now.meaning_sha256 === line.meaning) return "unchanged";
  const before = history.find(({ meaning_sha256: meaning }) => meaning === line.meaning);
  const moved = before === undefined ? null : causeOf(before, now);
  return moved ?? { cause: line.type === now.type_sha256 ? "meaning" : "statement", definitions: [] };
}

/** Many by their causes: 44 definitions moved and 256 theorems rest on them, never 256 alarms. @param names of declarations, by what moved */
export function describeMoved(all: readonly (Moved & { readonly name: string })[]): string[] {
  const of = (cause: Cause): readonly (Moved & { readonly name: string })[] => all.filter((one) => one.cause === cause);
  const lines: string[] = [];
  const meaning = of("meaning");
  if (meaning.length > 0) {
    const definitions = [...new Set(meaning.flatMap((one) => one.definitions))].sort();
    lines.push(
      `meaning: ${definitions.length} ${definitions.length === 1 ? "definition says" : "definitions say"} something else (${some(definitions)}); ${count(meaning)} of unchanged statement ${meaning.length === 1 ? "rests" : "rest"} on ${definitions.length === 1 ? "it" : "them"}: ${some(meaning.map(({ name }) => name))}`,
    );
  }
  for (const [cause, says] of Object.entries(SAYS)) {
    const those = of(cause as Cause);
    if (those.length > 0) lines.push(`${cause}: ${count(those)} ${says}: ${some(those.map(({ name }) => name))}`);
  }
  return lines;
}

const SAYS = {
  statement: "say something else themselves",
  wording: "have other words, and the prover prints the same",
  churn: "are printed otherwise, though neither words nor definitions here moved: a library did",
} as const;

function count(those: readonly unknown[]): string {
  return `${those.length} ${those.length === 1 ? "theorem" : "theorems"}`;
}

const NAMED = 5;
function some(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ""}`;
}

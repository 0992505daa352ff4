/** Drift under an unchanged name, told by cause from two checks: words are a hint, the prover's print is the verdict. */
import { canonicalJson, sha256 } from "#snapshots/digest";
import { compareNames, nameSome, countOf } from "#snapshots/format";
import type { CheckStatement } from "#snapshots/annex/proofs";
import type { DRIFT_CAUSES } from "#snapshots/schema";

type Predicate = CheckStatement["predicate"];
type Definitions = Readonly<Predicate["definitions"]>;
/** One declaration as a check has it. */
type Digested = Readonly<Pick<Predicate["results"][number], "statement_sha256" | "type_sha256" | "meaning_sha256" | "mentions">> & {
  readonly axioms: readonly string[] | null;
  /** Digest of the files that it is of. */
  readonly files: string;
  readonly check: Pick<Predicate, "definitions" | "revision" | "tool">;
};
export type Cause = (typeof DRIFT_CAUSES)[number];
export type Moved = { readonly cause: Cause; readonly definitions: readonly string[] };

type Node = { readonly sha256: string; readonly mentions: readonly string[] };

/** reach lists the definitions of the sources that a statement reaches, by name, in the order in which they are met: names of modules are no
 *  part of it. */
function reach(definitions: Definitions, starts: readonly string[]): ReadonlyMap<string, Node> {
  const found = new Map<string, Node>();
  const open = [...starts].reverse();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    const one = (Object.hasOwn(definitions, name) ? definitions[name] : undefined) ?? { sha256: name, mentions: [] };
    found.set(name, one);
    open.push(...[...one.mentions].reverse());
  }
  return found;
}

/** meaningOf gives the digest of a statement and of all that it says by the definitions below it; null where a prover did not print it. Other
 *  libraries count by their names; what is of these sources counts by what it says, wherever it has moved to. */
export function meaningOf(
  type: string | null,
  mentions: readonly string[] | null,
  axioms: readonly string[] | null,
  definitions: Definitions,
): string | null {
  if (type === null || mentions === null) return null;
  const starts = startsOf({ mentions, axioms }, definitions);
  const below = reach(definitions, starts);
  const places = new Map([...below.keys()].map((name, place) => [name, place]));
  const written = (names: readonly string[]): (readonly [number | undefined, string])[] =>
    names.map((name) => [places.get(name), lastOf(name)]);
  return sha256(canonicalJson([type, written(starts), [...below.values()].map((one) => [one.sha256, written(one.mentions)])]));
}

function lastOf(name: string): string {
  return name.split(".").at(-1) ?? name;
}

/** startsOf returns what a check starts from. An axiom of these sources that a policy allows by its name is what it says: another under that
 *  name is another theorem. */
export function startsOf(
  { mentions, axioms }: { readonly mentions: readonly string[]; readonly axioms: readonly string[] | null },
  definitions: Definitions,
): readonly string[] {
  const own = (axioms ?? []).filter((name) => Object.hasOwn(definitions, name));
  return [...mentions, ...own.sort((a, b) => compareNames(`${lastOf(a)} ${a}`, `${lastOf(b)} ${b}`))];
}

/** causeOf says what moved from one check of a declaration to another; null when nothing did, or a prover printed one of them alone. */
export function causeOf(before: Digested, after: Digested): Moved | null {
  if (before.type_sha256 === null || after.type_sha256 === null || before.meaning_sha256 === null || after.meaning_sha256 === null)
    return null;
  const words = before.statement_sha256 !== after.statement_sha256;
  if (before.meaning_sha256 === after.meaning_sha256) return words ? { cause: "wording", definitions: [] } : null;
  // The same files cannot have moved: another library is there, or another adapter, which writes prints otherwise.
  if (before.files === after.files)
    return before.check.tool.adapter === after.check.tool.adapter ? { cause: "churn", definitions: [] } : null;
  const { definitions, isAnother } = compareBelow(before, after);
  if (before.type_sha256 === after.type_sha256 && !isAnother) return { cause: "meaning", definitions };
  // Where the same tool printed both, no library moved: the file means another one's words by its own.
  const isSameTool = canonicalJson(before.check.tool) === canonicalJson(after.check.tool);
  return { cause: words || definitions.length > 0 || isAnother || isSameTool ? "statement" : "churn", definitions };
}

type Pair = readonly [old: string, now: string];

/** compareBelow walks both from the statement down, each name beside the one that took its place.
 *  @returns definitions that say something else, and whether the statement itself names others */
function compareBelow(before: Digested, after: Digested): { readonly definitions: readonly string[]; readonly isAnother: boolean } {
  const there = after.check.definitions;
  const [was, is] = [before, after].map(({ check, mentions, axioms, type_sha256 }): Node => {
    return { sha256: type_sha256 ?? "", mentions: startsOf({ mentions, axioms }, check.definitions) };
  }) as [Node, Node];
  const moved = new Set<string>();
  const seen = new Set<string>();
  const isRewired = (pairs: readonly Pair[]): boolean => pairs.some(([old, now]) => old !== now && Object.hasOwn(there, old));
  const first = pairNames(was, is);
  const open = [...first];
  for (const [old, now] of open) {
    if (seen.has(`${old} ${now}`)) continue;
    seen.add(`${old} ${now}`);
    const [then, one] = [before.check.definitions[old], there[now]];
    const below = then === undefined || one === undefined ? [] : pairNames(then, one);
    if (then?.sha256 !== one?.sha256 || isRewired(below)) moved.add(now);
    open.push(...below);
  }
  return { definitions: [...moved].sort(), isAnother: isRewired(first) };
}

/** pairNames puts what two prints name beside each other: by place where they are alike, else the same names, then those that are in their last
 *  part. */
function pairNames(was: Node, is: Node): readonly Pair[] {
  if (was.sha256 === is.sha256 && was.mentions.length === is.mentions.length)
    return was.mentions.map((old, at) => [old, is.mentions[at] ?? old]);
  const left = new Set(is.mentions);
  const same = was.mentions.filter((old) => left.delete(old));
  const alike = was.mentions.flatMap((old): Pair[] => {
    const now = same.includes(old) ? undefined : [...left].find((name) => lastOf(name) === lastOf(old));
    if (now !== undefined) left.delete(now);
    return now === undefined ? [] : [[old, now]];
  });
  return [...same.map((name): Pair => [name, name]), ...alike];
}

/** movedSince tells what moved since a prover accepted a statement, by what the lock remembers of that.
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
  if (before?.files === now.files) return causeOf(before, now) ?? "unchanged";
  const moved = before === undefined ? null : causeOf(before, now);
  return moved ?? { cause: line.type === now.type_sha256 ? "meaning" : "statement", definitions: [] };
}

/** describeMoved tells many moves by their causes: 44 definitions moved and 256 theorems rest on them, never 256 alarms. @param names of
 *  declarations, by what moved */
export function describeMoved(all: readonly (Moved & { readonly name: string })[]): string[] {
  const of = (cause: Cause): readonly (Moved & { readonly name: string })[] => all.filter((one) => one.cause === cause);
  const lines: string[] = [];
  const meaning = of("meaning");
  if (meaning.length > 0) {
    const definitions = [...new Set(meaning.flatMap((one) => one.definitions))].sort();
    lines.push(
      `meaning: ${countOf(definitions.length, "definition says", "definitions say")} something else (${nameSome(definitions, NAMED)}); ${count(meaning)} of unchanged statement ${meaning.length === 1 ? "rests" : "rest"} on ${definitions.length === 1 ? "it" : "them"}: ${nameSome(
        meaning.map(({ name }) => name),
        NAMED,
      )}`,
    );
  }
  for (const [cause, says] of Object.entries(SAYS)) {
    const those = of(cause as Cause);
    if (those.length > 0)
      lines.push(
        `${cause}: ${count(those)} ${says}: ${nameSome(
          those.map(({ name }) => name),
          NAMED,
        )}`,
      );
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

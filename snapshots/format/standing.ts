/** The standing of a record or a claim: the one value that every page, list, count, file, tool and answer says of it. What a source says
 *  stays beside it, as the source says it. Apart from views, because browsers load this. */
import type { CubRecord } from "../schema/cubs.ts";
import type { CheckState, EvidenceState } from "../schema/scalar.ts";
import type { Standing } from "../schema/standing.ts";

/** Endings of a state that has a "but": nobody here could hold it against its evidence, or its evidence does not hold any more. */
export const SAID = "_said" as const;
export const LOST = "_lost" as const;

/** States of the interface, as one word each; any other is said as the registry writes it. */
const STATES: ReadonlyMap<string, string> = new Map([
  ["VERIFIED", "verified"],
  ["NOT_VERIFIED", "not_verified"],
  ["UNSPECIFIED", "unspecified"],
  ["", "unspecified"],
]);

/** States that promise something, of records and of claims. */
const GOOD: ReadonlySet<string> = new Set(["verified", "scoped", "partial"]);

const withEndings = (states: readonly string[], endings: readonly string[]): readonly string[] =>
  states.flatMap((state) => endings.map((ending) => state + ending));

/** Every standing that a record may have, but for states that a registry makes up, the best first; and a claim. */
export const RECORD_STANDINGS: readonly string[] = [
  ...withEndings(["verified"], ["", SAID, LOST]),
  ...withEndings(["not_verified", "unspecified"], ["", LOST]),
];
export const CLAIM_STANDINGS: readonly string[] = withEndings(["verified", "scoped", "partial"], ["", SAID, LOST]);

type But = { readonly record: string; readonly claim: string; readonly lost: boolean };

/** What became of a thing's evidence, of its files or of what it pins. */
export const BUTS: Readonly<Record<EvidenceState, But | null>> = {
  holds: null,
  differs: { record: "its files have changed", claim: "what it pins has changed", lost: true },
  gone: { record: "its files are gone", claim: "what it pins is gone", lost: true },
  unreachable: { record: "its files could not be looked at", claim: "what it pins could not be looked at", lost: false },
  unpinned: { record: "it pins no file", claim: "it pins nothing", lost: false },
};

type Check = NonNullable<Standing["check"]>;

/** What a run of a prover that ended in this state did; of one that accepted, "verified" says so. */
const DID: Readonly<Record<Exclude<CheckState, "not_run">, string>> = {
  accepted: "accepted it",
  accepted_with_axioms: "accepted it with axioms",
  holes: "found it open",
  rejected: "refused it",
  timeout: "came to no end",
  memory: "ran out of memory",
  environment: "could not be run",
  unsupported: "could not be asked",
  stale: "was asked of an older revision",
  disagrees: "contradicts the prover that it looks over",
};

const PROVERS: Readonly<Record<string, string>> = { coq: "Coq", lean: "Lean", metamath: "Metamath", agda: "Agda" };

export function proverName(prover: string): string {
  return PROVERS[prover] ?? prover;
}

type Judged = Pick<CubRecord, "verification_state" | "evidence_state" | "statement_state" | "checks">;

/** RecordStanding returns the standing of a record, which follows from its own members. */
export function recordStanding({
  verification_state: said,
  evidence_state: evidence = "unpinned",
  statement_state: statement,
  checks = [],
}: Judged): Standing {
  const but = BUTS[evidence];
  const buts = [...(but === null ? [] : [but.record]), ...(statement === "differs" ? ["its file declares another statement"] : [])];
  return formatStanding(STATES.get(said) ?? said, evidence, buts, but?.lost ?? false, findCheck(said, checks));
}

/** FindCheck returns the run that is to be told: one that contradicts another, of a verified record one that accepted it, else the newest.
 *  Where nobody who is trusted ran a prover there is none: what strangers state counts for nothing. */
function findCheck(said: string, checks: NonNullable<CubRecord["checks"]>): Check | null {
  const run = checks.filter(({ state, counted }) => state !== "not_run" && counted).toSorted((a, b) => (a.finished < b.finished ? 1 : -1));
  const contradicting = run.find(({ state }) => state === "disagrees");
  // Who looks over what a prover accepted is told after it.
  const accepted = said === "VERIFIED" ? (run.find((one) => accepts(one) && one.tool === "") ?? run.find(accepts)) : undefined;
  const check = contradicting ?? accepted ?? run[0];
  if (check === undefined) return null;
  return {
    state: check.state,
    by: `${check.tool === "" ? proverName(check.prover) : check.tool} ${check.version}`.trimEnd(),
    on: check.finished,
  };
}

function accepts({ state }: { readonly state: CheckState }): boolean {
  return state === "accepted" || state === "accepted_with_axioms";
}

/** FormatStanding puts a state, what checked it and what is to be said against it into words.
 *  @param buts in words; none where all holds
 *  @param lost whether something that is pinned or rested on does not hold any more */
export function formatStanding(
  said: string,
  evidence: EvidenceState,
  buts: readonly string[],
  lost: boolean,
  check: Check | null = null,
): Standing {
  const doubted = buts.length > 0 && (lost || GOOD.has(said));
  const word = said === "not_verified" ? "not verified" : said;
  const first = said !== "verified" || !doubted ? word : lost ? "verified once" : "said to be verified";
  return {
    state: !doubted ? said : said + (lost ? LOST : SAID),
    evidence,
    ...(check === null ? {} : { check }),
    says: [check === null ? first : withCheck(first, check), ...(doubted ? buts : [])].join("; "),
  };
}

/** "verified by Coq 8.16.1 on 2026-11-24", or "not verified; Coq 8.16.1 refused it on 2026-11-24". */
function withCheck(first: string, check: Check): string {
  const { state, by, on } = check;
  if (state === "not_run") return first;
  const day = on === "" ? "" : ` on ${on.slice(0, 10)}`;
  return accepts(check) && first.startsWith("verified") ? `${first} by ${by}${day}` : `${first}; ${by} ${DID[state]}${day}`;
}

/** StandingWord returns a state in words, for counts and charts, which have no room for a sentence. */
export function standingWord(state: string): string {
  const ending = [SAID, LOST].find((one) => state.endsWith(one)) ?? "";
  const said = state.slice(0, state.length - ending.length);
  const word = said.replaceAll("_", " ");
  if (ending === LOST) return said === "verified" ? "verified once" : `${word}, and changed`;
  if (ending === SAID) return said === "verified" ? "said to be verified" : `${word}, not checked here`;
  return word;
}

/** Whether something that a record or a claim pins or rests on does not hold any more. */
export function isLostStanding({ state }: Pick<Standing, "state">): boolean {
  return state.endsWith(LOST);
}

/** How a record is used in production, as pages and their histories say it in place of the registry's constants. */
export const USE_WORDS: Readonly<Record<string, string>> = {
  "NOT-RUNTIME-CONSUMED": "not used at run time",
  "EXECUTABLE-RUNTIME": "code in production",
  "PROOF-ARTIFACT-RUNTIME": "proof in production",
  "EXECUTABLE-AND-PROOF-ARTIFACT": "code and proof in production",
};

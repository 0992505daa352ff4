/** The standing of a record or a claim: the one value that every page, list, count, file, tool and answer says of it. What a source says
 *  stays beside it, as the source says it. Apart from views, because browsers load this. */
import { nameSome } from "./cut-text.ts";
import type { CheckState, CubRecord, EvidenceState, Standing, StatementState } from "#snapshots/schema";

/** SAID and LOST are endings of a state that has a "but": SAID when its source alone says so, LOST when something that it pins or rests on does
 *  not hold any more. */
export const SAID = "_said" as const;
export const LOST = "_lost" as const;

/** States of the interface, as one word each; any other is quoted as the registry writes it. */
const STATES: ReadonlyMap<string, string> = new Map([
  ["VERIFIED", "verified"],
  ["NOT_VERIFIED", "not_verified"],
  ["UNSPECIFIED", "unspecified"],
  ["", "unspecified"],
]);

/** GOOD are states that promise something, of records and of claims. */
const GOOD: ReadonlySet<string> = new Set(["verified", "scoped", "partial"]);

/** WORDS says states that are no word themselves. */
const WORDS: Readonly<Record<string, string>> = {
  verified_said: "said to be verified",
  verified_lost: "verified once",
  verified_said_lost: "said to be verified once",
  proved_outside: "proved, from axioms outside the policy",
  exported: "exported, not replayed",
  recalled: "accepted by a checker with a known hole",
};

const withEndings = (states: readonly string[], endings: readonly string[]): readonly string[] =>
  states.flatMap((state) => endings.map((ending) => state + ending));

/** RECORD_STANDINGS are all standings that a record may have, the best first, but for states that a registry makes up; CLAIM_STANDINGS are those
 *  of a claim. */
export const RECORD_STANDINGS: readonly string[] = [
  ...withEndings(["verified"], ["", SAID, LOST, SAID + LOST]),
  ...withEndings(["proved_outside", "recalled", "exported", "defined", "assumed", "not_verified", "unspecified"], ["", LOST]),
];
export const CLAIM_STANDINGS: readonly string[] = withEndings(["verified", "scoped", "partial"], ["", SAID, LOST]);

const isKnown = (state: string): boolean => RECORD_STANDINGS.includes(state) || CLAIM_STANDINGS.includes(state);
const madeUp = (state: string): string => `said to be ${JSON.stringify(state)}`;

type But = { readonly record: string; readonly claim: string; readonly lost: boolean };

/** BUTS says what became of a thing's evidence, of its files or of what it pins. */
export const BUTS: Readonly<Record<EvidenceState, But | null>> = {
  holds: null,
  differs: { record: "its files have changed", claim: "what it pins has changed", lost: true },
  gone: { record: "its files are gone", claim: "what it pins is gone", lost: true },
  unreachable: { record: "its files could not be looked at", claim: "what it pins could not be looked at", lost: false },
  unpinned: { record: "it pins no file", claim: "it pins nothing", lost: false },
};

/** Check is what a standing tells of a run; where it ran in no sandbox, its sentence says so. */
type Check = NonNullable<Standing["check"]> & { readonly isolation?: "none" };

/** DID says what a run of a prover that ended in this state did. */
const DID: Readonly<Record<Exclude<CheckState, "not_run">, string>> = {
  accepted: "accepted it",
  accepted_with_axioms: "accepted it with axioms",
  exported: "wrote it out",
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

type Judged = Pick<CubRecord, "verification_state" | "status" | "evidence_state" | "statement_state" | "checks" | "axioms_outside">;

/** recordStanding returns the standing of a record, which follows from its own members: what a check that counts accepted is verified, and what
 *  its registry alone calls verified is said to be. */
export function recordStanding(record: Partial<Judged> & Pick<Judged, "verification_state">): Standing {
  const { verification_state: said, evidence_state: evidence = "unpinned", statement_state: statement, checks = [] } = record;
  const but = BUTS[evidence];
  const found = statement === undefined ? undefined : STATEMENT_BUTS[statement];
  const buts = [...(but === null ? [] : [but.record]), ...(found === undefined ? [] : [found])];
  const check = findCheck(said, checks);
  return formatStanding(stateOf(record, check), evidence, buts, but?.lost ?? false, check, record.axioms_outside);
}

/** STATEMENT_BUTS says what the file that it pins has against a record. */
const STATEMENT_BUTS: Readonly<Partial<Record<StatementState, string>>> = {
  differs: "its file declares another statement",
  open: "its file leaves its proof open",
};

/** STATUSES are what a scan says of what there is nothing to prove of, and of what a checker with a hole alone accepted. */
const STATUSES: Readonly<Record<string, string>> = { DEFINED: "defined", ASSUMED: "assumed", RECALLED: "recalled" };

/** stateOf holds the registry's word against the check that is told. */
function stateOf({ verification_state: said, status = "", axioms_outside: outside = [] }: Partial<Judged>, check: Check | null): string {
  // A registry that makes up a state gives itself none of ours.
  const word = STATES.get(said ?? "") ?? (isKnown(said ?? "") ? "unspecified" : (said ?? ""));
  const accepted = check !== null && accepts(check);
  if (word === "verified") return accepted ? word : word + SAID;
  if (word === "not_verified") return accepted && outside.length > 0 ? "proved_outside" : word;
  if (word !== "unspecified" || check === null) return word;
  if (check.state === "exported") return "exported";
  return accepted ? (STATUSES[status] ?? word) : word;
}

/** findCheck returns the run that is to be told: one that contradicts another, of a verified record one that accepted it, else the newest.
 *  Where nobody who is trusted ran a prover there is none: what strangers state counts for nothing. */
function findCheck(said: string, checks: NonNullable<CubRecord["checks"]>): Check | null {
  const run = checks.filter(({ state, counted }) => state !== "not_run" && counted).toSorted((a, b) => (a.finished < b.finished ? 1 : -1));
  const contradicting = run.find(({ state }) => state === "disagrees");
  // A checker that looks over what a prover accepted is told after it.
  const own = run.filter(({ tool }) => tool === "");
  const accepted = said === "VERIFIED" ? (own.find(accepts) ?? run.find(accepts)) : undefined;
  const check = contradicting ?? accepted ?? own[0] ?? run.find(({ state }) => state === "exported") ?? run[0];
  if (check === undefined) return null;
  return {
    state: check.state,
    by: `${check.tool === "" ? proverName(check.prover) : check.tool} ${check.version}`.trimEnd(),
    on: check.finished,
    ...(check.isolation === "none" ? { isolation: "none" as const } : {}),
  };
}

/** accepts tells that a prover took something for a proof, from axioms or without. */
export function accepts({ state }: { readonly state: string }): boolean {
  return state === "accepted" || state === "accepted_with_axioms";
}

/** formatStanding puts a state, what checked it and what is to be said against it into words.
 *  @param state that of a record may say already that its source alone says so
 *  @param buts in words; none where all holds
 *  @param lost whether something that is pinned or rested on does not hold any more
 *  @param outside axioms that the policy does not allow */
export function formatStanding(
  state: string,
  evidence: EvidenceState,
  buts: readonly string[],
  lost: boolean,
  check: Check | null = null,
  outside: readonly string[] = [],
): Standing {
  const isDoubted = buts.length > 0 && (lost || GOOD.has(state));
  const ending = !isDoubted ? "" : lost ? LOST : SAID;
  const first = firstWords(state, ending, outside);
  const { isolation: _, ...told } = check ?? {};
  return {
    state: state + ending,
    evidence,
    ...(check === null ? {} : { check: told as NonNullable<Standing["check"]> }),
    says: [check === null ? first : withCheck(first, check), ...(isDoubted || state.endsWith(SAID) ? buts : [])].join("; "),
  };
}

const MAX_AXIOMS = 3; // that a sentence names

/** For other states than these the "but" alone says that something is lost. */
function firstWords(state: string, ending: string, outside: readonly string[]): string {
  if (!isKnown(state)) return madeUp(state);
  if (state === "verified" || state === `verified${SAID}`) return WORDS[state + ending] ?? "verified";
  if (state !== "proved_outside") return WORDS[state] ?? (state === "not_verified" ? "not verified" : state);
  return `proved, from axioms that this library's policy does not allow: ${nameSome(outside, MAX_AXIOMS)}`;
}

/** "verified by Coq 8.16.1 on 2026-11-24", or "not verified; Coq 8.16.1 refused it on 2026-11-24". */
function withCheck(first: string, check: Check): string {
  const { state, by, on, isolation } = check;
  if (state === "not_run") return first;
  const day = `${on === "" ? "" : ` on ${on.slice(0, 10)}`}${isolation === "none" ? ", without a sandbox" : ""}`;
  if (accepts(check) && first.startsWith("verified")) return `${first} by ${by}${day}`;
  if (accepts(check) && (first === "defined" || first === "assumed")) return `${first}, accepted by ${by}${day}`;
  return `${first}; ${by} ${DID[state]}${day}`;
}

/** standingWord returns a state in words, for counts and charts, which have no room for a sentence. */
export function standingWord(state: string): string {
  const known = WORDS[state];
  if (known !== undefined) return known;
  const ending = [SAID, LOST].find((one) => state.endsWith(one)) ?? "";
  const said = state.slice(0, state.length - ending.length);
  const word = WORDS[said] ?? (isKnown(said) ? said.replaceAll("_", " ") : madeUp(said));
  return ending === LOST ? `${word}, and changed` : ending === SAID ? `${word}, not checked here` : word;
}

/** isLostStanding tells whether something that a record or a claim pins or rests on does not hold any more. */
export function isLostStanding({ state }: Pick<Standing, "state">): boolean {
  return state.endsWith(LOST);
}

/** USE_WORDS say how a record is used in production, as pages and their histories say it in place of the registry's constants. */
export const USE_WORDS: Readonly<Record<string, string>> = {
  "NOT-RUNTIME-CONSUMED": "not used at run time",
  "EXECUTABLE-RUNTIME": "code in production",
  "PROOF-ARTIFACT-RUNTIME": "proof in production",
  "EXECUTABLE-AND-PROOF-ARTIFACT": "code and proof in production",
};

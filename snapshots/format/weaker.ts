/** When a record or a claim is weaker than it was: one rule for the build's gates, for the list of changes and for the feeds. */
import { type Claim, CLAIM_STATUSES, type CubRecord, type EvidenceState } from "#snapshots/schema";
import { accepts } from "./standing.ts";

/** ACCEPTED stands before the id, in the inputs of a snapshot's record, where something was let to get weaker, with the reason. */
export const ACCEPTED = "accepted ";

/** evidenceFell says in words that evidence stopped holding; it returns null when it did not, or nobody says. */
export function evidenceFell(was: EvidenceState | undefined, is: EvidenceState | undefined): string | null {
  return was === "holds" && (is === "differs" || is === "gone")
    ? `its evidence held and is ${is === "gone" ? "gone" : "another now"}`
    : null;
}

type Stated = Pick<CubRecord, "verification_state" | "no_holes"> &
  Partial<Pick<CubRecord, "statement" | "statement_source" | "checks" | "drift" | "status" | "recall" | "witness">>;

/** recallReason says which known holes of its checkers hold a record back; null where none does. */
export function recallReason({ status, recall }: Partial<Pick<CubRecord, "status" | "recall">>): string | null {
  if (status !== "RECALLED") return null;
  return `all that accepted it have a known hole that it may use: ${(recall?.affected ?? []).map(({ id, by }) => `${id} of ${by}`).join(", ")}`;
}

/** recordFell says in words how a record got weaker, one sentence for each member that fell; empty when none did. */
export function recordFell(was: Stated, is: Stated): readonly string[] {
  return [
    ...(was.verification_state === "VERIFIED" && is.verification_state !== "VERIFIED"
      ? [recallReason(is) ?? `verification_state was VERIFIED and is ${is.verification_state}`]
      : []),
    ...(was.no_holes && !is.no_holes ? ["no_holes was true and is false"] : []),
    ...lostChecks(was, is),
    ...lostWitness(was, is),
    ...changedStatement(was, is),
  ];
}

/** A verified witness of its hypotheses that is verified no more, or that nobody names. */
function lostWitness({ witness: was }: Stated, { witness: is }: Stated): readonly string[] {
  const holds = (one: typeof was): boolean => one?.state === "shown" || one?.state === "named";
  return was === undefined || !holds(was) || holds(is)
    ? []
    : [`its witness ${was.id} was verified, and ${is === undefined ? "is named no more" : "is not now"}`];
}

/** A prover that accepted it, and does not now. */
function lostChecks(was: Stated, is: Stated): readonly string[] {
  const statesOf = ({ checks = [] }: Stated): ReadonlyMap<string, string> =>
    new Map(checks.filter(({ counted }) => counted !== false).map(({ prover, tool, state }) => [tool || prover, state]));
  const now = statesOf(is);
  return [...statesOf(was)].flatMap(([prover, state]) => {
    const after = now.get(prover) ?? "not_run";
    return !accepts({ state }) || accepts({ state: after })
      ? []
      : [`its proof lost its check: ${prover} accepted it, and now it is ${after.replaceAll("_", " ")}`];
  });
}

/** changedStatement tells that what was verified says something else: itself, or by a definition below it. Other words of the same print are no
 *  other statement, nor is other white space. */
export function changedStatement(was: Stated, is: Stated): readonly string[] {
  if (was.verification_state !== "VERIFIED" || was.statement === undefined || is.statement === undefined) return [];
  const { cause, definitions = [] } = is.drift ?? {};
  const isNew = JSON.stringify(was.drift) !== JSON.stringify(is.drift);
  if (cause === "meaning" && isNew)
    return [`its statement says something else, since ${definitions.join(", ") || "a definition below it"} does`];
  if (cause !== undefined && cause !== "statement") return [];
  return (cause === "statement" && isNew) || !isSameText(was, is) ? ["its statement changed"] : [];
}

/** isSameText holds where the source's words are the same, also where the prover's print is shown now and was not before. */
function isSameText(was: Stated, is: Stated): boolean {
  const textsOf = ({ statement = "", statement_source: source = statement }: Stated): string[] =>
    [statement, source].map((text) => wordsOf(text).join(" "));
  const [now, before] = [textsOf(is), textsOf(was)];
  return now[0] === before[0] || now[1] === before[1];
}

const WORDS = /"[^"]*"|[\p{L}\p{N}_'.]+|[^\s\p{L}\p{N}_'.]/gu;

/** wordsOf gives the words and signs of a statement, however they are spaced. What stands in quotes is one word. */
export function wordsOf(text: string): readonly string[] {
  return text.match(WORDS) ?? [];
}

/** claimFell says the same about a claim. */
export function claimFell(was: Pick<Claim, "status">, is: Pick<Claim, "status">): readonly string[] {
  const [before, after] = [CLAIM_STATUSES.indexOf(was.status), CLAIM_STATUSES.indexOf(is.status)];
  return after > before ? [`its status was ${was.status} and is ${is.status}`] : [];
}

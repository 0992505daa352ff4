/** Sentences for readers about a record's proof: which prover said what of which revision, and what it rests on. */
import type { CheckState, CubRecord, RecordCheck } from "#snapshots/schema";
import { accepts, proverName } from "./standing.ts";
import { recallSentences } from "./recall-sentence.ts";

type Checked = Pick<CubRecord, "checks" | "axioms" | "unsafe"> & Partial<Pick<CubRecord, "agreement" | "quorum" | "recall">>;

/** checkSentences returns one sentence for each prover; for a record that nobody's prover was asked of, that a person says so. */
export function checkSentences(record: Checked): readonly string[] {
  const { checks, agreement, quorum } = record;
  if (checks === undefined) return ["Said by hand: no check of it lies here."];
  return [
    ...checks.map((check) => checkSentence(check, record)),
    ...recallSentences(record),
    ...quorumSentence(quorum),
    ...(agreement === undefined ? [] : [`${agreement.agree} of ${agreement.checkers} who ran a prover over this agree.`]),
  ];
}

/** shownState is the state that a check is shown with: a second checker speaks of files, and of what sealed modules hold, not of what one theorem
 *  rests on. */
export const shownState = (check: Pick<RecordCheck, "tool" | "state">): CheckState | "agrees" =>
  check.tool !== "" && accepts(check) ? "agrees" : check.state;

export function checkSentence(
  check: RecordCheck,
  { axioms = [], unsafe = [], checks = [] }: Pick<Checked, "axioms" | "unsafe"> & Partial<Pick<Checked, "checks">>,
): string {
  const isReplayed = checks.some(({ state: said, counted: counts }) => counts && said === "accepted");
  const { state, prover, version, revision, finished, isolation, signers, counted, tool, attestation, exact, reason } = check;
  const name = tool === "" ? proverName(prover) : tool;
  if (state === "not_run") return `Nobody has run ${name} over this here${reason === "" ? "" : `: ${reason}`}.`;
  const when = `at ${shortRevision(revision)} on ${finished.slice(0, 10)}`;
  if (state === "stale") return `${name} ${version} was asked of an older revision, ${when}; nobody has run it over this as it is now.`;
  if (!counted)
    return `${signers.length === 0 ? "Somebody who signs nothing" : `${listNames(signers)}, whom nobody here trusts,`} states that ${name} ${version} said ${state.replaceAll("_", " ")} ${when}; it counts for nothing.`;
  if (state === "disagrees") return `${name} ${version} disagrees ${when}: ${reason}.`;
  const where = `${isolation === "none" ? " It ran without a sandbox." : ""}${attestation !== "" && signers.length === 0 ? " The check is unsigned." : ""}`;
  const rests = axioms.length === 0 ? "no axiom" : `${exact ? "" : "at most "}${listNames(axioms.map(shortName))}`;
  const off = unsafe.length === 0 ? "" : `, and what keeps proofs sound was switched off: ${listNames(unsafe)}`;
  return `${said()}${where}`;

  function said(): string {
    if (state === "exported")
      return `${name} ${version} wrote this out ${when}, and ${isReplayed ? "a kernel has replayed that" : "no kernel has replayed it: nobody has looked whether it is a proof"}.`;
    if (shownState(check) === "agrees") return `${name} ${version} looked over what ${proverName(prover)} accepted ${when}, and agrees.`;
    if (accepts(check)) return `${name} ${version} accepted this file ${when}; it rests on ${rests}${off}.`;
    if (state === "holes") return `${name} ${version} accepted this file ${when}, but this rests on what nobody has proved: ${rests}.`;
    if (state === "rejected") return `${name} ${version} refused this file ${when}.`;
    if (state === "timeout" || state === "memory") return `${name} ${version} came to no end with this file ${when}, within its limits.`;
    return `${name} ${version} could not be asked of this ${when}${reason === "" ? ` (${state})` : `: ${reason}`}.`;
  }
}

/** quorumSentence says how many kernels accepted something, of those that were asked for: also that it is one alone. */
function quorumSentence(quorum: Checked["quorum"]): readonly string[] {
  if (quorum === undefined) return [];
  const accepted = [...new Set(quorum.verdicts.flatMap(({ name, verdict }) => (verdict === "accept" ? [name] : [])))];
  const who =
    accepted.length === 0
      ? "No kernel"
      : accepted.length === 1
        ? `One kernel alone, ${accepted[0] ?? ""},`
        : `${accepted.length} kernels, ${listNames(accepted)},`;
  return [`${who} accepted this${quorum.asked > 1 ? `; this library asks for ${quorum.asked}` : ""}.`];
}

function shortRevision(revision: string): string {
  return /^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 7) : revision;
}

/** The last part of a full name: the whole one stands beside it. */
function shortName(name: string): string {
  return name.split(".").at(-1) || name;
}

function listNames(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

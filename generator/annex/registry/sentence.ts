/** What is known of a record's proof, as one sentence for readers. */
import type { ToldVerdict } from "./checks.ts";

const NAMES: Readonly<Record<string, string>> = { coq: "Coq", lean: "Lean" };

/** @param older a check of this declaration at other bytes, when there is none of these */
export function describeVerdict(verdict: ToldVerdict | undefined, older: ToldVerdict | undefined): string {
  if (verdict === undefined)
    return older === undefined
      ? "Nobody has run a prover over this here."
      : `The last check of this was made of other bytes, at ${short(older.check.revision)}; nobody has run a prover over it as it is now.`;
  const { check, state, axioms, unsafe, exact, sha256 } = verdict;
  const tool = `${NAMES[check.tool.name] ?? check.tool.name} ${check.tool.version}`;
  const when = `at ${short(check.revision)} on ${check.finished.slice(0, 10)}`;
  const end = `${check.isolation === "none" ? " It ran without a sandbox." : ""} Check ${sha256}.`;
  if (state === "accepted" || state === "accepted_with_axioms") {
    const rests = axioms === null || axioms.length === 0 ? "no axiom" : `${exact ? "" : "at most "}${list(axioms)}`;
    const off = unsafe.length === 0 ? "" : `, and what keeps proofs sound was switched off: ${list(unsafe)}`;
    return `${tool} accepted this file ${when}; it rests on ${rests}${off}.${end}`;
  }
  if (state === "holes")
    return `${tool} accepted this file ${when}, but this rests on what nobody has proved: ${list(axioms ?? [])}.${end}`;
  if (state === "rejected") return `${tool} refused this file ${when}.${end}`;
  if (state === "timeout" || state === "memory") return `${tool} came to no end with this file ${when}, within its limits.${end}`;
  return `${tool} could not be asked of this ${when} (${state}).${end}`;
}

function short(revision: string): string {
  return /^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 7) : revision;
}

function list(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

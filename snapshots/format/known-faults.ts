/** Versions of provers that are known to accept some wrong proofs: what such a version accepted holds as far as nobody used that. */
import type { CubRecord, RecordCheck } from "#snapshots/schema";

type Fault = { readonly tool: string; readonly from: string; readonly to: string; readonly what: string };

/** From and to are the first and the last version that has it. */
const FAULTS: readonly Fault[] = [
  { tool: "coq", from: "8.5", to: "9.1", what: "Rocq #21685, #21702, #21736" },
  { tool: "coq", from: "8.16", to: "9.0.0", what: "Rocq #20455" },
  { tool: "coq", from: "8.16", to: "9.2.0", what: "Rocq #21839" },
  { tool: "metamath", from: "0", to: "0.198", what: "hypotheses of rules without variables are not compared" },
];

/** faultSentences says which checks of a record are of such a version. */
export function faultSentences({ checks = [] }: Pick<CubRecord, "checks">): readonly string[] {
  const told = checks.flatMap(({ state, counted, tool, prover, version }) => {
    const isAccepted = counted && (state === "accepted" || state === "accepted_with_axioms");
    const faults = isAccepted ? FAULTS.filter((one) => one.tool === (tool || prover) && isBetween(version, one)) : [];
    return faults.length === 0 ? [] : [`${TITLES[tool || prover] ?? prover} ${version}: ${faults.map(({ what }) => what).join(", ")}`];
  });
  return [...new Set(told)].map(
    (one) => `This version is known to accept some wrong proofs, ${one}. Nothing here says that one of them is used.`,
  );
}

const TITLES: Readonly<Record<string, string>> = { coq: "Coq", metamath: "Metamath" };

function isBetween(version: RecordCheck["version"], { from, to }: Fault): boolean {
  return compare(version, from) >= 0 && compare(version, to) <= 0;
}

/** compare compares as far as the second one goes: 9.1.1 is a 9.1. */
function compare(version: string, other: string): number {
  const [own, theirs] = [version, other].map((text) => text.split(/[.+]/).map(Number)) as [number[], number[]];
  for (const [at, number] of theirs.entries()) if ((own[at] ?? 0) !== number) return (own[at] ?? 0) - number;
  return 0;
}

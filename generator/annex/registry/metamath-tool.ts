/** The Metamath of this machine, as what it is known by in checks. */
import { askProgram, type ProverTool } from "./tool.ts";

/** findMetamath finds the metamath program; null where it is not installed. */
export function findMetamath(): ProverTool | null {
  const found = askProgram("metamath", ["exit"], /Metamath - Version (\S+)/);
  return found === null ? null : { ...found, installed: "", adapter: "metamath 4" };
}

/** VERIFIER is our own verifier, as a kernel beside the program. */
export const VERIFIER = { name: "proofshelf-metamath", version: "1" } as const;

/** holeOf tells what a version of the program is known to accept although it is wrong; null where nothing is known. */
export function holeOf(version: string): string | null {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major === 0 && minor <= 198
    ? `Metamath ${version} is known to accept wrong proofs: it does not compare the hypotheses of a rule that has no variables.`
    : null;
}

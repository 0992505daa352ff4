/** The Metamath of this machine, as what it is known by in checks. */
import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { sha256 } from "#snapshots/digest";
import { findProgram, type ProverTool } from "./tool.ts";

const ADAPTER = "metamath 2";

/** findMetamath finds the metamath program; null where it is not installed. */
export function findMetamath(): ProverTool | null {
  const program = findProgram("metamath");
  if (program === null) return null;
  const said = spawnSync(program, ["exit"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 20_000 }).stdout ?? "";
  const version = /Metamath - Version (\S+)/.exec(said)?.[1];
  return version === undefined ? null : { version, digest: sha256(readFileSync(program)), installed: "", adapter: ADAPTER };
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

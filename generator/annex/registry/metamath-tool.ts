/** The Metamath of this machine, as what it is known by in checks. */
import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { sha256 } from "../../../snapshots/digest.ts";
import { findProgram, type ProverTool } from "./tool.ts";

const ADAPTER = "metamath 1";

/** Null where it is not installed. */
export function findMetamath(): ProverTool | null {
  const program = findProgram("metamath");
  if (program === null) return null;
  const said = spawnSync(program, ["exit"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 20_000 }).stdout ?? "";
  const version = /Metamath - Version (\S+)/.exec(said)?.[1];
  return version === undefined ? null : { version, digest: sha256(readFileSync(program)), installed: "", adapter: ADAPTER };
}

/** The Agda of this machine, as what it is known by in checks. */
import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { sha256 } from "#snapshots/digest";
import { findProgram, type ProverTool } from "./tool.ts";

const ADAPTER = "agda 3";

/** findAgda finds Agda; null where it is not installed. @param flags name the folders of libraries: -i FOLDER */
export function findAgda(flags: readonly string[] = []): ProverTool | null {
  const program = findProgram("agda");
  if (program === null) return null;
  const said = spawnSync(program, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 20_000 }).stdout ?? "";
  const version = /Agda version (\S+)/.exec(said)?.[1];
  return version === undefined ? null : { version, digest: sha256(readFileSync(program)), installed: digestOf(flags), adapter: ADAPTER };
}

/** digestOf digests names and sizes of the libraries' files; it is empty without any library. */
function digestOf(flags: readonly string[]): string {
  const folders = flags.filter((flag, at) => flags[at - 1] === "-i" && isAbsolute(flag));
  if (folders.length === 0) return "";
  const rows = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.l?agda(?:\.\w+)?$/.test(name))
      .sort()
      .map((name) => `${name} ${lstatSync(join(folder, name)).size}`),
  );
  return sha256(rows.join("\n"));
}

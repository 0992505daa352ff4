/** The Agda of this machine, as what it is known by in checks. */
import { isAbsolute } from "node:path";
import { askProgram, digestNames, type ProverTool } from "./tool.ts";

/** findAgda finds Agda; null where it is not installed. @param flags name the folders of libraries: -i FOLDER */
export function findAgda(flags: readonly string[] = []): ProverTool | null {
  const found = askProgram("agda", ["--version"], /Agda version (\S+)/);
  if (found === null) return null;
  const folders = flags.filter((flag, at) => flags[at - 1] === "-i" && isAbsolute(flag));
  return { ...found, installed: folders.length === 0 ? "" : digestNames(folders, /\.l?agda(?:\.\w+)?$/), adapter: "agda 5" };
}

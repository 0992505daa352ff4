/** Processes that this one started, for tests that kill them. Linux only: elsewhere there are none to be found. */
import { readdirSync, readFileSync } from "node:fs";

/** @param word part of the command line
 *  @returns process ids */
export function childProcesses(word: string): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        // The name in parentheses may hold anything, so fields are counted after the last one: state is 0, parent 1.
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return state !== "Z" && Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
      } catch {
        return false; // gone since it was listed
      }
    })
    .map(Number);
}

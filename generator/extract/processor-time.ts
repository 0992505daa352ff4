/** How much processor a process has taken. */
import { readFileSync } from "node:fs";

/** The unit that /proc counts in: hundredths of a second on every Linux. */
const TICK_MS = 10;

/** processorTime returns the milliseconds that all threads of a process have taken so far; those of a clock where the system does not say. The
 *  process controls its name, which stands in brackets before the numbers. */
export function processorTime(pid: number | undefined): number {
  if (process.platform !== "linux") return performance.now();
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [, , , , , , , , , , , user = "", system = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return 0;
  }
}

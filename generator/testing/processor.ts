/** Processor time of this process and of its children. Loaded into each test process with `--import`: there it writes what the process took,
 *  and of that the tests of each file, into the file that `PROOFSHELF_TEST_COST` names, when the process ends. */
import asyncHooks from "node:async_hooks";
import { readFileSync, writeFileSync } from "node:fs";

/** In which Linux counts the time of children: on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** processorSeconds adds up user and system time, in seconds. Children count once they have ended and were waited for, with those that they
 *  waited for;
 *  outside of Linux they do not count. */
export function processorSeconds(): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1e6 + childrenSeconds();
}

function childrenSeconds(): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The second field is a file name in brackets, which may hold spaces; of those behind it the 14th and 15th are cutime and cstime.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

const file = process.env["PROOFSHELF_TEST_COST"];
// Children and threads of a test process get no such name: they are counted with it.
delete process.env["PROOFSHELF_TEST_COST"];
if (file !== undefined) {
  await leavePromisesAlone();
  await writeCosts(file);
}

/** Costs are seconds: of the whole process, and of that the tests of each file. What loading took is of the first that ends. */
export type Costs = { readonly all: number; readonly files: Readonly<Record<string, number>> };

async function writeCosts(name: string): Promise<void> {
  const { afterEach } = await import("node:test");
  const files: Record<string, number> = {};
  let before = 0;
  afterEach((context) => {
    const now = processorSeconds();
    const path = context.filePath ?? "";
    files[path] = (files[path] ?? 0) + now - before;
    before = now;
  });
  process.once("exit", () => writeFileSync(name, JSON.stringify({ all: processorSeconds(), files } satisfies Costs)));
}

/** node:test follows every promise, to tell of a stray error which test it came from: a fifth of the processor of a test that does much. Without
 *  its hook such an error fails its file, by name. */
async function leavePromisesAlone(): Promise<void> {
  const { createHook } = asyncHooks;
  Object.assign(asyncHooks, { createHook: () => ({ enable() {}, disable() {} }) });
  await import("node:test");
  Object.assign(asyncHooks, { createHook });
}

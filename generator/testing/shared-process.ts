/** Groups of test files that run together in one process of Node: loading the modules of a build takes half a second, more than many files do with
 *  them. A file that could touch another's through the process has one of its own, and so has a long one. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Sources } from "./import-closure.ts";
import { ROOT, ships } from "./house.ts";

/** Marks of what is the process's, not the file's: threads, the working folder, clocks, and hooks around every test. */
const OF_THE_PROCESS =
  /node:worker_threads|process\.(?:chdir|umask|exit|on|resourceUsage|memoryUsage)\b|process\.std\w+\.write =|\bmock\.|globalThis\.\w+ =[^=]|^ +useParts\(|setFlagsFromString|\bgc\(|getEventListeners|console\.\w+ =|^(?:beforeEach|afterEach)\(/m;
/** Sets the environment. A file that does has a process of its own; those whose fixture does may share one with each other. */
const ENVIRONMENT = /process\.env\b[^;\n]*[^=!]=[^=]|delete process\.env/;
/** Gives the process other parts of a build for good: files that give it the same ones may share it. */
const PARTS = /^useParts\((\w+)\)/m;
/** Modules whose doings to a process are nobody else's: programs that tests start, and what takes its own back before it returns. */
const HARMLESS: ReadonlySet<string> = new Set(
  ["plain-program", "paged-program", "crash-child", "run-program"].map((name) => `generator/testing/${name}.ts`),
);
/** Makes what a whole run shares, before any test. */
const SHARED = /^snapshots\/contract\//;
/** A longer file spends little of its time on loading; bytes. */
const MAX_FILE = 30 * 1024;
/** Files in a group, and how long they are together, so that none holds one of the lanes for long; bytes. */
const [GROUP, MAX_GROUP] = [12, 96 * 1024];

/** dealGroups deals files into groups whose modules are alike, and the rest.
 *  @param files from the project's root */
export function dealGroups(
  files: readonly string[],
  sources: Sources,
): { readonly groups: readonly (readonly string[])[]; readonly alone: readonly string[] } {
  const closures = new Map(files.map((path) => [path, sources.closure([path]).files]));
  const loaded = (path: string): readonly string[] =>
    (closures.get(path) ?? []).filter((used) => !ships(used) && !SHARED.test(used) && /\.m?ts$/.test(used) && !HARMLESS.has(used));
  const mayShare = (path: string): boolean =>
    sizeOf(path) <= MAX_FILE &&
    // Tests that a fixture declares are not told by the file that calls it.
    /^ *test\(/m.test(textOf(path)) &&
    !ENVIRONMENT.test(textOf(path)) &&
    partsOf(path).length <= 1 &&
    loaded(path).every((used) => !OF_THE_PROCESS.test(textOf(used)));
  const partsOf = (path: string): readonly string[] => [...new Set(loaded(path).flatMap((used) => PARTS.exec(textOf(used))?.[1] ?? []))];
  const setting = (path: string): readonly string[] => loaded(path).filter((used) => ENVIRONMENT.test(textOf(used)));
  const groups: string[][] = [];
  for (const sharing of Map.groupBy(files.filter(mayShare), (path) => [...partsOf(path), ...setting(path)].join(" ")).values()) {
    let group: string[] = [];
    for (const path of sharing.sort((a, b) => (closures.get(a)?.length ?? 0) - (closures.get(b)?.length ?? 0))) {
      const together = group.reduce((sum, one) => sum + sizeOf(one), sizeOf(path));
      if (group.length === 0 || group.length === GROUP || together > MAX_GROUP) groups.push((group = []));
      group.push(path);
    }
  }
  const shared = groups.filter(({ length }) => length > 1);
  const inGroups = new Set(shared.flat());
  return { groups: shared, alone: files.filter((path) => !inGroups.has(path)) };
}

function sizeOf(path: string): number {
  return statSync(join(ROOT, path)).size;
}

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

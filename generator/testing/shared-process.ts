/** Which test files run together in one process of Node: loading the modules of a build takes half a second, more than many files do with
 *  them. A file that could touch another's through the process has one of its own, and so has a long one. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Sources } from "../files/import-closure.ts";
import { ROOT, ships } from "./house.ts";

/** What is the process's, not the file's: other processes, the environment, the working folder, clocks, and hooks around every test. */
const OF_THE_PROCESS =
  /node:child_process|node:worker_threads|process\.env\b[^;\n]*[^=!]=[^=]|delete process\.env|process\.(?:chdir|umask|exit|kill|on|resourceUsage|memoryUsage)\b|process\.std\w+\.write =|\bmock\.|globalThis\.\w+ =[^=]|useParts\(|setFlagsFromString|\bgc\(|getEventListeners|console\.\w+ =|^(?:beforeEach|afterEach)\(/m;
/** Makes what a whole run shares, before any test. */
const SHARED = /^snapshots\/contract\//;
/** A longer file spends little of its time on loading; bytes. */
const MAX_FILE = 12 * 1024;
const GROUP = 12;

/** Deals files into groups whose modules are alike, and the rest.
 *  @param files from the project's root */
export function dealGroups(
  files: readonly string[],
  sources: Sources,
): { readonly groups: readonly (readonly string[])[]; readonly alone: readonly string[] } {
  const closures = new Map(files.map((path) => [path, sources.closure([path]).files]));
  const mayShare = (path: string): boolean =>
    statSync(join(ROOT, path)).size <= MAX_FILE &&
    // Tests that a fixture declares are not told by the file that calls it.
    /^ *test\(/m.test(textOf(path)) &&
    (closures.get(path) ?? []).every(
      (used) => ships(used) || SHARED.test(used) || !/\.m?ts$/.test(used) || !OF_THE_PROCESS.test(textOf(used)),
    );
  const sharing = files.filter(mayShare).sort((a, b) => (closures.get(a)?.length ?? 0) - (closures.get(b)?.length ?? 0));
  const groups = Array.from({ length: Math.ceil(sharing.length / GROUP) }, (_, at) => sharing.slice(at * GROUP, (at + 1) * GROUP));
  return {
    groups: groups.filter(({ length }) => length > 1),
    alone: files.filter((path) => !groups.some((group) => group.length > 1 && group.includes(path))),
  };
}

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

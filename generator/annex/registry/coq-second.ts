/** Coq's own second checker: it reads compiled files again, with a kernel of its own, and says of files what they rest on together. */
import { type Ran, silenceOf } from "./sandbox.ts";
import type { CheckState } from "./states.ts";

type Again = { readonly state: CheckState; readonly log: string; readonly names?: readonly string[]; readonly unsafe?: readonly string[] };

/** checkAgain asks the second checker of all compiled files at once, and file by file where that fails.
 *  @param check asks of some files at once
 *  @returns what the checker says of each file that was compiled */
export async function checkAgain(
  paths: readonly string[],
  compiled: ReadonlyMap<string, Again>,
  check: (some: readonly string[]) => Promise<Again>,
): Promise<Map<string, Again>> {
  const there = paths.filter((path) => compiled.get(path)?.state === "accepted");
  const found = new Map<string, Again>(compiled);
  const all = there.length === 0 ? null : await check(there);
  for (const path of there) found.set(path, all?.state === "accepted" ? all : await check([path]));
  return found;
}

/** askChecker makes a function that asks coqchk of some files. @param run starts coqchk with these arguments */
export function askChecker(moduleOf: (path: string) => string, run: (args: readonly string[]) => Promise<Ran>) {
  return async (some: readonly string[]): Promise<Again> => {
    const { code, stdout, stderr, killed } = await run(["-silent", "-o", ...some.flatMap((path) => ["-norec", moduleOf(path)])]);
    const silent = silenceOf({ code, killed });
    if (silent !== null) return { state: silent, log: `It ended with ${killed ?? code}.` };
    // That it broke down is no word about a proof.
    if (code !== 0) return { state: BROKE.test(stderr) ? "environment" : "rejected", log: `${stdout}\n${stderr}`.trim() };
    // It prints its summary beside what it tells of its progress.
    const summary = readSummary(`${stdout}\n${stderr}`);
    return summary === null ? { state: "environment", log: "coqchk printed no summary." } : { state: "accepted", log: "", ...summary };
  };
}

const BROKE = /^(?:Fatal )?Error: (?:Anomaly|Out of memory|Stack overflow)|^(?:Out of memory|Stack overflow)|Cannot find library/m;
const SECTION = /^\* ([^:]+):(.*)$/;

/** readSummary reads coqchk's summary of what was loaded: axioms by their full names, and what was switched off. It is null when the summary has
 *  no form that is known. */
export function readSummary(text: string): { names: string[]; unsafe: string[] } | null {
  const names: string[] = [];
  const unsafe: string[] = [];
  let section = "";
  for (const line of text.slice(Math.max(0, text.indexOf("CONTEXT SUMMARY"))).split("\n")) {
    const [, title = "", rest = ""] = SECTION.exec(line) ?? [];
    if (title !== "") section = title;
    const name = title === "" ? line.trim() : "";
    if (title === "Theory" && !/Set is predicative/.test(rest)) unsafe.push(`Theory:${rest}`);
    if (name === "" || /^(?:CONTEXT SUMMARY|=+)$/.test(name)) continue;
    if (section === "Axioms") names.push(name);
    else if (section.endsWith("type-in-type")) unsafe.push(`${name} relies on an unsafe hierarchy`);
    else if (section.endsWith("(co)fixpoints")) unsafe.push(`${name} is assumed to be guarded`);
    else if (section.startsWith("Inductives whose positivity")) unsafe.push(`${name} is assumed to be positive`);
  }
  return section === ""
    ? null
    : { names: names.filter((name) => name !== "<none>"), unsafe: unsafe.filter((what) => !what.startsWith("<none>")) };
}

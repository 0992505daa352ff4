/** The Coq of this machine, as what it is known by in checks. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { askProgram, digestNames, type ProverTool } from "./tool.ts";

/** ADAPTER is the version of the adapter: another one asks other questions. */
export const ADAPTER = "coq 10";

export type CoqTool = ProverTool & {
  readonly coqc: string;
  readonly programs: Programs;
  /** The folder of its libraries; `installed` is of names, sizes and times of the compiled files in it. */
  readonly library: string;
  /** True where the plugin is there that writes the kernel's graph. */
  readonly graph: boolean;
};

/** The programs that compile, answer and list imports, each with its first arguments. */
type Programs = Readonly<Record<"compile" | "ask" | "depend", readonly string[]>>;
const COQ: Programs = { compile: ["coqc"], ask: ["coqtop"], depend: ["coqdep"] };
const ROCQ: Programs = { compile: ["rocq", "compile"], ask: ["rocq", "repl"], depend: ["rocq", "dep"] };

const VERSION = /version (\S+)/;

/** findCoq finds Coq, or Rocq where programs of the older names are not there; null where neither is. */
export function findCoq(): CoqTool | null {
  const older = askProgram("coqc", ["--version"], VERSION);
  const found = older ?? askProgram("rocq", ["--version"], VERSION);
  if (found === null) return null;
  const programs = older === null ? ROCQ : COQ;
  const { program: coqc } = found;
  const library = (spawnSync(coqc, [...programs.compile.slice(1), "-where"], { encoding: "utf8" }).stdout ?? "").trim();
  const graph = existsSync(join(library, "user-contrib/dpdgraph/dpdgraph.vo"));
  return { ...found, coqc, programs, library, installed: digestNames([library], /\.(?:vo|cmxs)$/), adapter: ADAPTER, graph };
}

/** findChecker finds the second checker, which reads compiled files with a kernel of its own; null where it is not installed. */
export function findChecker(): { readonly version: string; readonly digest: string; readonly program: string } | null {
  return askProgram("coqchk", ["--version"], VERSION) ?? askProgram("rocqchk", ["--version"], VERSION);
}

/** The Coq of this machine, as what it is known by in checks. */
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "#snapshots/digest";
import { findProgram, type ProverTool } from "./tool.ts";

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

/** findCoq finds Coq, or Rocq where programs of the older names are not there; null where neither is. */
export function findCoq(): CoqTool | null {
  const older = findProgram("coqc");
  const coqc = older ?? findProgram("rocq");
  const programs = older === null ? ROCQ : COQ;
  const version = coqc === null ? undefined : versionOf(coqc);
  if (coqc === null || version === undefined) return null;
  const library = (spawnSync(coqc, [...programs.compile.slice(1), "-where"], { encoding: "utf8" }).stdout ?? "").trim();
  const graph = existsSync(join(library, "user-contrib/dpdgraph/dpdgraph.vo"));
  return { version, coqc, programs, digest: sha256(readFileSync(coqc)), library, installed: digestOf(library), adapter: ADAPTER, graph };
}

/** findChecker finds the second checker, which reads compiled files with a kernel of its own; null where it is not installed. */
export function findChecker(): { readonly version: string; readonly executable_sha256: string; readonly program: string } | null {
  const program = findProgram("coqchk") === null ? "rocqchk" : "coqchk";
  const coqchk = findProgram(program);
  const version = coqchk === null ? undefined : versionOf(coqchk);
  return coqchk === null || version === undefined ? null : { version, executable_sha256: sha256(readFileSync(coqchk)), program };
}

function versionOf(program: string): string | undefined {
  return /version (\S+)/.exec(spawnSync(program, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1];
}

function digestOf(library: string): string {
  const rows = readdirSync(library, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:vo|cmxs)$/.test(name))
    .sort()
    .map((name) => {
      const { size, mtimeMs } = lstatSync(join(library, name));
      return `${name} ${size} ${Math.floor(mtimeMs / 1000)}`;
    });
  return sha256(rows.join("\n"));
}

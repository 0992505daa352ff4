/** The provers whose sources are read, a row each: which files are theirs, which program runs them, and whether that was ever tried. */
import { fileURLToPath } from "node:url";
import { findAgda } from "./agda-tool.ts";
import type { SourceConfig } from "./config.ts";
import { findCoq } from "./coq-tool.ts";
import { findLeanExport } from "./lean-tool.ts";
import { findMetamath } from "./metamath-tool.ts";
import type { ProverTool } from "./tool.ts";

export type ProverName = SourceConfig["prover"];

type Prover = {
  readonly title: string;
  readonly endings: readonly string[];
  /** Bytes of one file: a database of Metamath is one file. */
  readonly maxFile: number;
  /** The programs that a check needs, as a person would look for them. */
  readonly needs: string;
  /** Null where no adapter of ours is for it. */
  readonly adapter: string | null;
  /** The tool that would be asked now, of a source or as such; null where it is not here. */
  readonly find: (source: SourceConfig | null) => ProverTool | null;
  readonly says: string;
  /** How many files it is asked of at a time, so that what is done is kept; null where each run reads all of them anyway. */
  readonly batch: number | null;
};

const MIB = 1024 * 1024;

export const PROVERS: Readonly<Record<ProverName, Prover>> = {
  coq: {
    title: "Coq",
    endings: [".v"],
    maxFile: 8 * MIB,
    needs: "coqc",
    adapter: fileURLToPath(new URL("./coq-adapter.ts", import.meta.url)),
    find: () => findCoq(),
    says: "statements, meaning, holes, axioms, uses, check, a second opinion by coqchk; exact axioms and the kernel's uses where dpdgraph is installed",
    batch: 40,
  },
  metamath: {
    title: "Metamath",
    endings: [".mm"],
    maxFile: 256 * MIB,
    needs: "metamath",
    adapter: fileURLToPath(new URL("./metamath-adapter.ts", import.meta.url)),
    find: () => findMetamath(),
    says: "statements, meaning, holes, axioms, uses, check",
    batch: null,
  },
  agda: {
    title: "Agda",
    endings: [".agda", ".lagda.md", ".lagda.tex", ".lagda"],
    maxFile: 8 * MIB,
    needs: "agda",
    adapter: fileURLToPath(new URL("./agda-adapter.ts", import.meta.url)),
    find: (source) => findAgda(source?.flags),
    says: "holes, axioms, uses, check; statements as they are written, meaning as far as their words name it",
    batch: 16,
  },
  isabelle: {
    title: "Isabelle",
    endings: [".thy"],
    maxFile: 8 * MIB,
    needs: "isabelle",
    adapter: null,
    find: () => null,
    says: "",
    batch: null,
  },
  lean: {
    title: "Lean",
    endings: [".lean"],
    maxFile: 8 * MIB,
    needs: "a file of lean4export, named as exported",
    adapter: fileURLToPath(new URL("./lean-export-adapter.ts", import.meta.url)),
    find: (source) => findLeanExport(source?.exported),
    says: "holes, axioms, uses, of files of lean4export (formats 3.0 and 3.1), which was run elsewhere",
    batch: null,
  },
};

/** adapterOf names the program of ours that a source is asked by; null where there is none. */
export function adapterOf({ prover, exported }: SourceConfig): string | null {
  return prover === "lean" && exported === undefined ? null : PROVERS[prover].adapter;
}

export function isSourceOf(prover: ProverName, path: string): boolean {
  return PROVERS[prover].endings.some((ending) => path.endsWith(ending));
}

/** openTools finds the tool that a source's adapter of ours would run; a program of somebody else says itself which it is. */
export function openTools(): (source: SourceConfig) => ProverTool | null {
  const found = new Map<string, ProverTool | null>();
  return (source) => {
    const name = JSON.stringify([source.prover, source.flags, source.exported]);
    if (!found.has(name)) found.set(name, PROVERS[source.prover].find(source));
    return found.get(name) ?? null;
  };
}

type Adapter = {
  readonly name: string;
  /** Null of an example that a source names itself. */
  readonly prover: ProverName | null;
  readonly needs: string;
  readonly says: string;
  /** Why it is called so; null of what is tried against the prover itself. */
  readonly experimental: string | null;
};

const UNTRIED = "that prover was not to be had where this was written; it is tested on transcripts alone";

/** ADAPTERS are the adapters that `registry adapters` lists. */
export const ADAPTERS: readonly Adapter[] = [
  ...(Object.keys(PROVERS) as ProverName[])
    .filter((prover) => PROVERS[prover].adapter !== null && prover !== "lean")
    .map((prover) => ({ name: prover, prover, ...PROVERS[prover], experimental: null })),
  {
    name: "lean4export",
    prover: "lean",
    ...PROVERS.lean,
    experimental: "it is tested on files of both formats, and no Lean was to be had where this was written",
  },
  {
    name: "lean",
    prover: null,
    needs: "lake, and adapter: { command: [lake, env, lean, --run, ./lean-adapter.lean], prover: lean }",
    says: "statements, holes, axioms, uses, check",
    experimental: UNTRIED,
  },
  {
    name: "isabelle",
    prover: null,
    needs: "isabelle, and adapter: { command: [node, ./isabelle-adapter.mjs], prover: isabelle }",
    says: "holes, uses, check",
    experimental: UNTRIED,
  },
];

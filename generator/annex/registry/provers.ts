/** The provers whose sources are read, a row each: which files are theirs, which program runs them, and whether that was ever tried. */
import { fileURLToPath } from "node:url";
import type { SourceConfig } from "./config.ts";
import { findCoq } from "./coq-tool.ts";
import { findMetamath } from "./metamath-tool.ts";
import type { ProverTool } from "./tool.ts";

export type ProverName = SourceConfig["prover"];

type Prover = {
  readonly title: string;
  readonly endings: readonly string[];
  /** Bytes of one file: a database of Metamath is one file. */
  readonly maxFile: number;
  /** What a check needs, as a person would look for it. */
  readonly needs: string;
  /** Null where no adapter of ours is for it. */
  readonly adapter: string | null;
  /** What would be asked now, of a source or as such; null where it is not here. */
  readonly find: (source: SourceConfig | null) => ProverTool | null;
  readonly says: string;
};

const MIB = 1024 * 1024;

export const PROVERS: Readonly<Record<ProverName, Prover>> = {
  coq: {
    title: "Coq",
    endings: [".v"],
    maxFile: 8 * MIB,
    needs: "coqc",
    adapter: fileURLToPath(new URL("./coq-adapter.ts", import.meta.url)),
    find: findCoq,
    says: "statements, meaning, holes, axioms, uses, check, a second opinion by coqchk; exact axioms and the kernel's uses where dpdgraph is installed",
  },
  metamath: {
    title: "Metamath",
    endings: [".mm"],
    maxFile: 256 * MIB,
    needs: "metamath",
    adapter: fileURLToPath(new URL("./metamath-adapter.ts", import.meta.url)),
    find: findMetamath,
    says: "statements, holes, axioms, uses, check",
  },
  lean: {
    title: "Lean",
    endings: [".lean"],
    maxFile: 8 * MIB,
    needs: "lean",
    adapter: null,
    find: () => null,
    says: "",
  },
};

export function isSourceOf(prover: ProverName, path: string): boolean {
  return PROVERS[prover].endings.some((ending) => path.endsWith(ending));
}

/** The tool that a source's adapter of ours would run; a program of somebody else says itself which it is. */
export function openTools(): (source: SourceConfig) => ProverTool | null {
  const found = new Map<ProverName, ProverTool | null>();
  return (source) => {
    const known = found.get(source.prover);
    if (known !== undefined) return known;
    const tool = PROVERS[source.prover].find(source);
    found.set(source.prover, tool);
    return tool;
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

/** What `registry adapters` lists. */
export const ADAPTERS: readonly Adapter[] = (["coq", "metamath"] as const).map((prover) => ({
  name: prover,
  prover,
  ...PROVERS[prover],
  experimental: null,
}));

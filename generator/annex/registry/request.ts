/** An adapter is asked this. It stands apart from what reads the answer, so that an adapter starts without a library of schemas. */
import { posix } from "node:path";

export const PROTOCOL = 1;

/** EVERY stands for all files of a request where each was made with all others: named one by one they would be a square of names. */
export const EVERY = "*";

/** ANYWHERE begins an import that stands for every file of a name, in whatever folder: one that comes may take the place of another, or of a library's. */
export const ANYWHERE = "**/";

/** LOOKED begins the line by which an adapter of ours says, before it answers, that it has looked at a file. Nothing follows from it. */
export const LOOKED = '{"t":"looked","path":';

/** isBelow tells whether a path stays below the root: an import that is not there is named only where it could be there. */
export function isBelow(path: string): boolean {
  return path !== "" && !path.startsWith("/") && posix.normalize(path) === path && path.split("/")[0] !== "..";
}

export type AskedDeclaration = {
  readonly key: string;
  readonly path: string;
  readonly name: string;
  readonly class: string;
  /** The statement of a theorem, as its text has it; empty for others. */
  readonly words: string;
};

/** Kernel is another kernel, as a command that takes files. */
export type Kernel = {
  readonly name: string;
  /** As registry.yaml tells it: the digest is of what was run. */
  readonly version: string;
  readonly command: readonly string[];
  /** Files of the command, which it may read. */
  readonly files: readonly string[];
  readonly digest: string;
};

export type AdapterRequest = {
  readonly protocol: typeof PROTOCOL;
  /** A folder that holds exactly these files. */
  readonly root: string;
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  readonly options: {
    readonly root: string;
    readonly logical: string;
    /** Coq's `-R folder Name`, instead of both. */
    readonly paths: readonly string[];
    readonly flags: readonly string[];
    /** A file of lean4export; empty where there is none. */
    readonly exported: string;
  };
  readonly ask: readonly AskedDeclaration[];
  /** Names of what the files state and prove: who rests on one of them that is open rests on a hole. */
  readonly own: readonly string[];
  /** Those of them that are theorems: of a theorem its type alone means something. */
  readonly theorems: readonly string[];
  /** A second opinion of another program, of files that the prover compiles first. */
  readonly second: boolean;
  /** The kernel to ask instead of the prover's own second checker. */
  readonly kernel: Kernel | null;
  /** True where the kernel's graph may be asked, if it is there. */
  readonly graph: boolean;
  /** Axioms that need not be told apart. */
  readonly allowed: readonly string[];
  readonly sandbox: boolean;
  readonly limits: Readonly<Record<"wall" | "cpu" | "memory" | "output" | "processes", number>>;
  readonly cache: string | null;
  readonly jobs: number;
};

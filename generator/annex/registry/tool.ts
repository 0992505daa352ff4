/** A prover of this machine, as what it is known by in checks. */
import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

export type ProverTool = {
  readonly version: string;
  /** Digest of the program. */
  readonly digest: string;
  /** Digest of the libraries that are installed beside it; empty where it has none. */
  readonly installed: string;
  /** The version of the adapter: another one asks other questions. */
  readonly adapter: string;
};

/** findProgram gives the file of a program on the path. */
export function findProgram(name: string): string | null {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return realpathSync(join(folder, name));
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/** A prover of this machine, as what it is known by in checks. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { sha256 } from "#snapshots/digest";

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
      const file = realpathSync(join(folder, name));
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/** askProgram asks a program on the path for its version, which a pattern finds in what it prints; null where it is not here. */
export function askProgram(
  name: string,
  args: readonly string[],
  version: RegExp,
): { readonly program: string; readonly version: string; readonly digest: string } | null {
  const program = findProgram(name);
  if (program === null) return null;
  const said = spawnSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 20_000 }).stdout ?? "";
  const [, found] = version.exec(said) ?? [];
  return found === undefined ? null : { program, version: found, digest: sha256(readFileSync(program)) };
}

/** digestNames digests names, sizes and times of the files in some folders that have such a name. */
export function digestNames(folders: readonly string[], wanted: RegExp): string {
  const rows = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => wanted.test(name))
      .sort()
      .map((name) => {
        const { size, mtimeMs } = lstatSync(join(folder, name));
        return `${name} ${size} ${Math.floor(mtimeMs / 1000)}`;
      }),
  );
  return sha256(rows.join("\n"));
}

/** How a process that reads strangers' files is shut in: Node's permission flags, no environment variables (hence no secret), and
 *  a network namespace where the system gives one. README.md says what this holds and what it does not. */
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname } from "node:path";

export type Command = { readonly execPath: string; readonly execArgv: readonly string[] };

const NAMESPACES = ["--user", "--map-current-user", "--net", "--"];

/** isolate shuts a program in.
 *  @param worker a compiled program; it may read what lies in its folder
 *  @param flags more flags of Node
 *  @returns how to start it shut in, as `fork` takes it */
export function isolate(worker: string, flags: readonly string[]): Command {
  const node = [
    ...flags,
    "--no-warnings",
    "--disallow-code-generation-from-strings",
    "--permission",
    `--allow-fs-read=${dirname(realpathSync(worker))}/*`,
  ];
  return hasNamespaces()
    ? { execPath: "unshare", execArgv: [...NAMESPACES, process.execPath, ...node] }
    : { execPath: process.execPath, execArgv: node };
}

let namespaces: boolean | null = null;

/** hasNamespaces tells whether the system lets us close the network. It asks once, by doing it. */
export function hasNamespaces(): boolean {
  // No environment: the system's own `unshare` is meant, as it will be for the worker.
  namespaces ??= process.platform === "linux" && spawnSync("unshare", [...NAMESPACES, "true"], { env: {}, stdio: "ignore" }).status === 0;
  return namespaces;
}

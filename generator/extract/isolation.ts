/** How a process that reads strangers' files is shut in.
 *
 *  A parser that a document takes over must not reach our secrets, our files or a network. What holds where:
 *
 *  - Node's permission flags: it reads the folder of its own compiled program and nothing else, writes nothing, starts no
 *    program and no thread, loads no native code, and makes no code from strings. Its parsers are JavaScript and WebAssembly.
 *  - No environment variables, hence no secret.
 *  - A network namespace of its own, with no way out of it, where the system lets us have one (Linux with unprivileged user
 *    namespaces, or root; many containers forbid it). Elsewhere it can open connections until Node 25, whose permission flags
 *    close the network as well.
 *
 *  What this does not hold: the flags bind JavaScript. Who takes over the engine itself acts with the rights of our user
 *  (but for the network namespace). It may signal processes of that user, and connect to Unix sockets that lie in the file
 *  system and are open to that user. */
import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname } from "node:path";

export type Command = { readonly execPath: string; readonly execArgv: readonly string[] };

const NAMESPACES = ["--user", "--map-current-user", "--net", "--"];

/** @param worker a compiled program; it may read what lies in its folder
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

/** Whether the system lets us close the network; asked once, by doing it. */
export function hasNamespaces(): boolean {
  // No environment: the system's own `unshare` is meant, as it will be for the worker.
  namespaces ??= process.platform === "linux" && spawnSync("unshare", [...NAMESPACES, "true"], { env: {}, stdio: "ignore" }).status === 0;
  return namespaces;
}

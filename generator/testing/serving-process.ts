/** `proofshelf serve` as a process of its own, for what measures or judges it from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
/** PLAIN_CLI is the same command line, whose builds have plain parts. */
export const PLAIN_CLI = fileURLToPath(new URL("plain-program.ts", import.meta.url));
/** PAGED_CLI is one whose builds have plain parts but for the pages. */
export const PAGED_CLI = fileURLToPath(new URL("paged-program.ts", import.meta.url));
/** Milliseconds; a server reads its newest snapshot and is ready. */
const START_LIMIT_MS = 60_000;
/** Characters of what it said last, for who wants to know why it ended. */
const MAX_SAID = 4_000;

export type ServingProcess = {
  /** Without a slash at the end. */
  readonly url: string;
  readonly child: ChildProcess;
  /** Returns when it has ended. */
  stop(): Promise<void>;
};

/** startServing starts a server.
 *  @param args of `serve`
 *  @param before what starts the program, as `taskset -c 0`
 *  @throws Error when it ends, or is not ready in time */
export async function startServing(args: readonly string[], before: readonly string[] = []): Promise<ServingProcess> {
  const [command = "", ...rest] = [...before, process.execPath, CLI, "serve", "--port", "0", "--json", ...args];
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  // Read all along: it logs every request there.
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-MAX_SAID)));
  const ended = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  const line = await new Promise<string>((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error("The server did not start in time.")), START_LIMIT_MS);
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (!text.includes("\n")) return;
      clearTimeout(timer);
      resolve(text);
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`The server ended before it was ready.\n${said}`)));
  }).catch(async (error: unknown) => {
    if (child.exitCode === null && child.pid !== undefined) await stop();
    throw error;
  });
  return { url: (JSON.parse(line) as { url: string }).url, child, stop };
}

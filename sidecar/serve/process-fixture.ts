/** The sidecar as a process over a small library, told what to serve as `proofshelf serve` tells it, for tests. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerMessage, SidecarServing, StarterMessage } from "../../snapshots/http/serving.ts";
import type { Views } from "./view-fixture.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

export type SidecarProcess = {
  readonly child: ChildProcess;
  readonly ready: Extract<ServerMessage, { type: "ready" }>;
  /** Everything that it has written to standard error. */
  errors(): string;
  /** Tells it to end. @returns its exit code */
  stop(): Promise<number | null>;
};

/** startSidecarProcess starts a sidecar as a process.
 *  @param change what differs from a sidecar without a gate, a model and limits
 *  @throws Error with its message when it cannot serve */
export async function startSidecarProcess(
  views: Views,
  change: Partial<SidecarServing>,
  env: NodeJS.ProcessEnv = {},
): Promise<SidecarProcess> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = fork(MAIN, [], { env: { PATH, NODE_COMPILE_CACHE, ...env }, execArgv: [], stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const serving: SidecarServing = {
    part: "sidecar",
    host: "127.0.0.1",
    port: 0,
    publicDir: join(views.folder, "shelf", "public"),
    internalDir: join(views.folder, "shelf", "internal"),
    dist: views.folder,
    version: "1.2.3",
    baseUrl: "http://test",
    access: null,
    answers: null,
    embeddings: { kind: "none" },
    gateway: null,
    code: { kind: "directory", root: views.codeRoot },
    reindexCommand: null,
    rateLimits: false,
    trustProxy: null,
    alone: false,
    operations: null,
    accessLog: false,
    mcp: { hosts: [], origins: [] },
    ...change,
  };
  child.send({ type: "serve", serving } satisfies StarterMessage<SidecarServing>);
  const [message] = (await once(child, "message")) as [ServerMessage];
  if (message.type !== "ready") {
    child.kill();
    throw new Error(JSON.stringify(message));
  }
  return {
    child,
    ready: message,
    errors: () => errors,
    async stop() {
      const ended = once(child, "exit") as Promise<[number | null]>;
      child.kill("SIGTERM");
      return (await ended)[0];
    },
  };
}

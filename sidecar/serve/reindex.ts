/** POST /api/reindex: one rebuild at a time, in a process of its own, so that a build that fails or eats memory leaves the
 *  server as it was. The command comes from whoever started the sidecar; of the request only a list of keys reaches it, as data on
 *  its standard input. */
import { type ChildProcess, spawn } from "node:child_process";
import { z } from "zod";
import { parseJson, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { isSameDigest } from "#sidecar/gate";
import { ReindexSummary } from "#snapshots/schema";

export const REINDEX_HEADER = "x-resource-library-reindex-token";
const MAX_SUMMARY = 32 * 1024 * 1024; // characters
const MAX_TRACE = 4_000;
/** The builder's exit code when another build holds the lock (conventions "Command line"). */
const EXIT_BUSY = 4;

type ReindexParts = {
  /** REINDEX_TOKEN, or null when it is not set. */
  readonly token: string | null;
  /** Program and arguments; null when this process may not build. It prints a ReindexSummary as one line of JSON on stdout as
   *  soon as it has published; what it does after that is waited for by nobody. */
  readonly command: readonly [program: string, ...args: string[]] | null;
  /** Milliseconds after which a build that has not published is stopped. */
  readonly timeout: number;
  /** "published", or the code of the error. */
  readonly onEnd?: (outcome: string) => void;
  readonly onFailure?: (exitCode: number | null, trace: string) => void;
};

export type Reindexer = ReturnType<typeof openReindexer>;

export function openReindexer(parts: ReindexParts) {
  const children = new Set<ChildProcess>();
  let running = false;
  return {
    /** @throws ShelfError "not_configured", "unauthenticated" */
    authorize(headers: Headers): void {
      if (parts.token === null || parts.token === "" || parts.command === null) {
        throw new ShelfError("not_configured", "Reindexing is not configured.", {
          fixes: ["Set REINDEX_TOKEN in the server's environment."],
        });
      }
      // Two headers that disagree are no credential.
      const sent = [bearer(headers.get("authorization")), headers.get(REINDEX_HEADER)].filter((token) => token !== null);
      const good = sent.map((token) => isSameDigest(sha256(token), sha256(parts.token ?? "")));
      if (good.length === 0 || good.includes(false)) {
        throw new ShelfError("unauthenticated", "The reindex token is missing or invalid.", {
          fixes: [`Send it as Authorization: Bearer, or in ${REINDEX_HEADER}.`],
        });
      }
    },
    /** @param keys of the store that may have changed, and no others; null for all
     *  @throws ShelfError "reindex_running", "build_failed" (the served snapshot stays) */
    async run(keys: readonly string[] | null = null): Promise<ReindexSummary> {
      if (running) throw busy("A reindex is already running.");
      running = true;
      try {
        const summary = await runBuild(parts, children, keys);
        parts.onEnd?.("published");
        return summary;
      } catch (error) {
        parts.onEnd?.(error instanceof ShelfError ? error.code : "internal");
        throw error;
      } finally {
        running = false;
      }
    },
    stop(): void {
      for (const child of children) child.kill("SIGTERM");
    },
  };
}

/** @param children holds the process for as long as it lives, which may be longer than this waits */
async function runBuild(parts: ReindexParts, children: Set<ChildProcess>, keys: readonly string[] | null): Promise<ReindexSummary> {
  const [program, ...args] = parts.command ?? [""];
  // The builder needs the store's credentials, and none of the sidecar's own secrets.
  const { REINDEX_TOKEN: _token, ...env } = process.env;
  const child = spawn(program, keys === null ? args : [...args, "--keys", "-"], { env, stdio: ["pipe", "pipe", "pipe"] });
  children.add(child);
  // A builder that ends before it has read them says why itself.
  child.stdin.on("error", () => {});
  child.stdin.end(keys === null ? "" : JSON.stringify(keys));
  const timer = setTimeout(() => child.kill("SIGTERM"), parts.timeout);
  let out = "";
  let trace = "";
  let published = false;
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    trace = (trace + text).slice(-MAX_TRACE);
  });
  const exitCode = await new Promise<number | null>((end) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (published) return;
      out += text;
      if (out.length > MAX_SUMMARY) return void child.kill("SIGTERM");
      published = text.includes("\n") && parseSummary(out) !== null;
      if (published) end(0);
    });
    child.once("error", () => end(null));
    child.once("close", (code) => {
      children.delete(child);
      // Too late for the answer, but somebody should know; unless it was stopped.
      if (published && code !== 0 && !child.killed) parts.onFailure?.(code, trace);
      end(code);
    });
  });
  clearTimeout(timer);
  if (exitCode === EXIT_BUSY) throw busy("Another build is running.");
  const summary = exitCode === 0 ? parseSummary(out) : null;
  if (summary !== null) return summary;
  parts.onFailure?.(exitCode, trace);
  throw new ShelfError("build_failed", `The build failed${reasonIn(parseJson(out))}; the snapshot served before stays.`, {
    fixes: ["Look at the server's log, or run proofshelf build."],
  });
}

function busy(message: string): ShelfError {
  return new ShelfError("reindex_running", message, { fixes: ["Wait for it to end, then look at /health."] });
}

function parseSummary(text: string): ReindexSummary | null {
  const parsed = ReindexSummary.safeParse(parseJson(text));
  return parsed.success ? parsed.data : null;
}

const failure = z.object({ error: z.object({ message: z.string() }) });

/** The builder's reason, when it gave one: a ShelfError's message, which is written for callers. It may name a file as the
 *  command line did; where that lies on this machine is nothing for an answer. */
function reasonIn(value: unknown): string {
  const parsed = failure.safeParse(value);
  return parsed.success ? `: ${parsed.data.error.message.replaceAll(FOLDERS, "").slice(0, 500)}` : "";
}

/** The folders of an absolute path, at the beginning of a word: not of an address, nor of a key. */
const FOLDERS = /(?<![^\s"'(])\/(?:[^\s/:"']+\/)+/g;

function bearer(header: string | null): string | null {
  if (header === null) return null;
  return /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
}

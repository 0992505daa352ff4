/** Standard error as a log is written to it: lines are gathered for a moment. */
import { type DestinationStream, destination } from "pino";
import { visible } from "#snapshots/terminal";

const MIN_WRITE = 4096; // bytes
const MAX_WRITE = 16 * 1024;
const MAX_HELD = 1024 * 1024; // that a slow reader has not taken; later lines are lost to it
const FLUSH_MS = 250;

/** Compact tokens: three base64url parts that begin like a JSON object. */
const TOKEN = /eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*\.?[A-Za-z0-9_-]*/g;

/** cutTokens leaves no token in a line of a log: a token that a client sends in a path would else be written with the path. */
export function cutTokens(line: string): string {
  return line.replaceAll(TOKEN, "[token]");
}

/** openStderr opens standard error for a log. Nobody waits for the log's reader. A server whose log nobody reads any more goes on, and ends when
 *  it is told to: a line that cannot be written is tried again a moment later, and not in a loop. While nothing is to be written, nothing wakes
 *  the process. */
export function openStderr(): DestinationStream {
  const stream = destination({
    fd: 2,
    minLength: MIN_WRITE,
    maxWrite: MAX_WRITE,
    maxLength: MAX_HELD,
    sync: true,
    retryEAGAIN: () => false,
  });
  stream.on("error", () => undefined);
  let held = 0; // bytes
  let timer: NodeJS.Timeout | null = null;
  stream.on("write", (bytes: number) => (held -= bytes));
  stream.on("drop", (line: string) => (held -= Buffer.byteLength(line)));
  const wait = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      stream.flush();
      if (held > 0) wait();
    }, FLUSH_MS).unref();
  };
  process.on("exit", () => {
    // Each writes no more than MAX_WRITE. Its flushSync tries for ever where nobody reads.
    for (let write = 0; write <= MAX_HELD / MAX_WRITE; write++) stream.flush();
  });
  return {
    write(raw) {
      const line = visible(raw);
      held += Buffer.byteLength(line);
      stream.write(line);
      wait();
    },
  };
}

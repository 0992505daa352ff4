/** Standard error as a log is written to it: lines are gathered for a moment. */
import { type DestinationStream, destination } from "pino";

const MIN_WRITE = 4096; // bytes
const MAX_WRITE = 16 * 1024;
const MAX_HELD = 1024 * 1024; // that a slow reader has not taken; later lines are lost to it
const FLUSH_MS = 250;

/** Nobody waits for who reads the log, and a server whose log nobody reads any more goes on, and ends when it is told to: what cannot be
 *  written is tried again with what comes after it, and not in a loop. */
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
  setInterval(() => stream.flush(), FLUSH_MS).unref();
  process.on("exit", () => {
    // Each writes no more than MAX_WRITE. Its flushSync tries for ever where nobody reads.
    for (let write = 0; write <= MAX_HELD / MAX_WRITE; write++) stream.flush();
  });
  return stream;
}

/** Reports of the requests that a process has answered: to a log, to counters. */
import type { RequestListener } from "node:http";
import { pino } from "pino";
import { cutTokens, openStderr } from "./stderr.ts";

export type SeenRequest = {
  readonly method: string;
  /** As it was sent, without the query, which is a reader's own business. */
  readonly path: string;
  readonly status: number;
  /** From the request's head to the last byte of the answer, or to the end of its connection. Milliseconds. */
  readonly ms: number;
  /** False when the client went before it had everything. */
  readonly sent: boolean;
};

/** observe returns a listener that does the same and calls `tell` after each answer. */
export function observe(listener: RequestListener, tell: (seen: SeenRequest) => void): RequestListener {
  return (message, response) => {
    const began = performance.now();
    const method = message.method ?? "GET";
    const path = (message.url ?? "/").replace(/\?.*$/s, "").slice(0, 512);
    response.once("close", () => {
      tell({ method, path, status: response.statusCode, ms: Math.round(performance.now() - began), sent: response.writableFinished });
    });
    listener(message, response);
  };
}

/** openAccessLog writes public reads to standard error, one JSON line each. They carry no credential that a path could not, and no token out of a
 *  path. */
export function openAccessLog(): (seen: SeenRequest) => void {
  const stderr = openStderr();
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line) => stderr.write(cutTokens(line)) });
  return (seen) => log.info(seen, "read");
}

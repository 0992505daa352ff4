/** What a process tells of the requests that it has answered: to a log, to counters. */
import type { RequestListener } from "node:http";
import { pino } from "pino";
import { cutTokens, openStderr } from "./stderr.ts";

export type Seen = {
  readonly method: string;
  /** As it was sent, without the query, which is a reader's own business. */
  readonly path: string;
  readonly status: number;
  /** From the request's head to the last byte of the answer, or to the end of its connection. Milliseconds. */
  readonly ms: number;
  /** False when the client went before it had everything. */
  readonly sent: boolean;
};

/** The same listener, and `tell` is called after each answer. */
export function observe(listener: RequestListener, tell: (seen: Seen) => void): RequestListener {
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

/** Public reads, one JSON line each on standard error. They carry no credential that a path could not, and of a path no token. */
export function openAccessLog(): (seen: Seen) => void {
  const stderr = openStderr();
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line) => stderr.write(cutTokens(line)) });
  return (seen) => log.info(seen, "read");
}

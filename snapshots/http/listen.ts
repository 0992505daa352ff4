/** A Node server for answers. The fast path sends what is prepared already without building a thing: see `readyAnswer`. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { answer, readyAnswer } from "./answer.ts";
import type { Answer, AnswerRequest } from "./reply.ts";
import type { View } from "./view.ts";

/** How patient a server is with a client; milliseconds. */
export type Patience = {
  /** For all of its headers, and for its whole request. */
  readonly headers: number;
  readonly request: number;
  /** While nothing moves on a connection that is being answered: a client that does not read keeps what it was to be sent. */
  readonly stalled: number;
  /** For the next request on an idle connection; longer than most proxies keep theirs. */
  readonly idle: number;
  /** How often Node looks for requests that have run out of time; without it, every 30 s. */
  readonly check: number;
};
export const PATIENCE: Patience = { headers: 10_000, request: 30_000, stalled: 120_000, idle: 65_000, check: 2_000 };
/** Open requests get this long to end when the server stops. */
const DRAIN_MS = 10_000;
/** How often idle connections are looked for meanwhile: one that was busy when closing began is idle a moment later. */
const IDLE_CHECK_MS = 100;

/** Header lists of shared answers, flat as writeHead takes them. */
const flat = new WeakMap<Answer, string[]>();

function flatHeaders(found: Answer): string[] {
  let list = flat.get(found);
  if (list === undefined) {
    list = Object.entries(found.headers).flat();
    flat.set(found, list);
  }
  return list;
}

/** Sends an answer. A body that fails on its way closes the connection, so that nobody takes half for the whole. */
export async function sendAnswer(response: ServerResponse, found: Answer): Promise<void> {
  response.writeHead(found.status, flatHeaders(found));
  const { body } = found;
  if (body === null) response.end();
  else if (body instanceof Uint8Array) response.end(body);
  else await pipeline(Readable.from(body), response).catch(() => response.destroy());
}

/** An incoming message as a request of ours; `target` may have its mount taken off. */
export function toAnswerRequest(message: IncomingMessage, target: string): AnswerRequest {
  return {
    method: message.method ?? "GET",
    target,
    header(name) {
      const value = message.headers[name];
      return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
    },
  };
}

/** The target as an origin gets it: a proxy may send the whole address (RFC 9112 §3.2.2). */
export function originForm(target: string): string {
  const [whole = "", path = ""] = /^https?:\/\/[^/?]*(.*)$/is.exec(target) ?? [];
  return whole === "" ? target : path.startsWith("/") ? path : `/${path}`;
}

/** Answers every request from a view. */
export function viewListener(view: View): RequestListener {
  return (message, response) => {
    const target = originForm(message.url ?? "/");
    const { headers } = message;
    const ready =
      headers.range === undefined
        ? readyAnswer(
            view,
            message.method ?? "GET",
            target,
            headers["accept-encoding"]?.toString() ?? null,
            headers["if-none-match"] ?? null,
          )
        : null;
    if (ready !== null) {
      response.writeHead(ready.status, flatHeaders(ready));
      response.end(ready.body as Uint8Array | null);
      return;
    }
    // One request that cannot be sent costs its connection, never the process.
    answer(view, toAnswerRequest(message, target))
      .then((found) => sendAnswer(response, found))
      .catch(() => response.destroy());
  };
}

export type Listening = { readonly server: Server; readonly url: string; readonly port: number; close(): Promise<void> };

/** @param options.port 0 takes a free one
 *  @param patience for tests, which have little
 *  @throws the system's error when the address is taken */
export async function listen(
  listener: RequestListener,
  options: { readonly host: string; readonly port: number },
  patience: Patience = PATIENCE,
): Promise<Listening> {
  const server = createServer(
    {
      headersTimeout: patience.headers,
      requestTimeout: patience.request,
      keepAliveTimeout: patience.idle,
      connectionsCheckingInterval: patience.check,
      noDelay: true,
    },
    listener,
  );
  server.timeout = patience.stalled;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => resolve());
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    server,
    url: `http://${host}:${port}`,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(timer);
    },
  };
}

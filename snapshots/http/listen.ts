/** A Node server for answers. What is prepared already is sent without building a thing. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { ShelfError } from "../errors.ts";
import { PROBLEM_TYPE, problemBody } from "../format/problem.ts";
import { splitAt } from "../routes/match.ts";
import { answer } from "./answer.ts";
import { chooseEncoding } from "./encoding.ts";
import { type Answer, type AnswerRequest, CACHE } from "./reply.ts";
import { atBasis, type View } from "./view.ts";

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

/** Sends an answer. A body that fails on its way closes the connection, so that nobody takes half for the whole. */
export async function sendAnswer(response: ServerResponse, found: Answer): Promise<void> {
  response.writeHead(found.status, { ...found.headers });
  const { body } = found;
  if (body === null) response.end();
  else if (body instanceof Uint8Array) response.end(body);
  else await pipeline(Readable.from(body), response).catch(() => response.destroy());
}

/** An incoming message as a request of ours; `target` may have its mount taken off. */
function toAnswerRequest(message: IncomingMessage, target: string): AnswerRequest {
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

export function viewListener(view: View): RequestListener {
  return (message, response) => {
    const target = originForm(message.url ?? "/");
    if (sendPrepared(view, target, message, response)) return;
    // One request that cannot be sent costs its connection, never the process.
    answer(view, toAnswerRequest(message, target))
      .then((found) => sendAnswer(response, found))
      .catch(() => response.destroy());
  };
}

/** Headers that ask for more than the plain answer or its 304. */
const SPECIAL = ["range", "if-match", "if-unmodified-since", "if-modified-since"] as const;

/** Sends what is ready without waiting. @returns false when `answer` has to be asked */
function sendPrepared(view: View, target: string, { method, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (method !== "GET" || SPECIAL.some((name) => headers[name] !== undefined)) return false;
  const at = splitAt(target);
  const open = at === null ? view.peek() : view.peekById(at.id);
  if (open === null) return false;
  const { id } = open.snapshot;
  const encoding = chooseEncoding(headers["accept-encoding"]?.toString() ?? null);
  const found = view.prepared.get(at === null ? id : atBasis(id), target, encoding);
  if (found === null) return false;
  const held = headers["if-none-match"];
  if (held === undefined) {
    response.writeHead(200, found.head as string[]);
    response.end(found.answer.body as Uint8Array);
  } else if (held === found.answer.headers["ETag"]) {
    // Nearly every client sends back the one validator that it was given.
    response.writeHead(304, found.unmodifiedHead as string[]);
    response.end();
  } else return false;
  return true;
}

export type Listening = { readonly server: Server; readonly url: string; readonly port: number; close(): Promise<void> };

/** Node keeps the first of several Host headers, a proxy in front may have gone by another (RFC 9112 §3.2: 400). */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === "host") count++;
  return count;
}

function refuseHosts(message: IncomingMessage, response: ServerResponse): void {
  const error = new ShelfError("bad_request", "The request has more than one Host header.", { fixes: ["Send one."] });
  response.writeHead(error.status, { "Content-Type": PROBLEM_TYPE, "Cache-Control": CACHE.none, Connection: "close" });
  response.end(message.method === "HEAD" ? undefined : JSON.stringify(problemBody(error, "", null)));
}

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
    (message, response) => (countHosts(message) > 1 ? refuseHosts(message, response) : listener(message, response)),
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

/** A Node server for answers. What is prepared already is sent without building a thing. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { ShelfError } from "#snapshots/errors";
import { PROBLEM_TYPE, problemBody, toShelfError } from "#snapshots/format";
import type { RoutePlace } from "#snapshots/routes";
import { PART_BYTES } from "#snapshots/shelf";
import { answer, placeIn, refuse } from "./answer.ts";
import { openConnections } from "./connections.ts";
import { findReady } from "./prepared.ts";
import { type Answer, type AnswerRequest, CACHE } from "./reply.ts";
import { openAdmission, type Turn, type Admission } from "./admission.ts";
import type { View } from "./view.ts";

/** Patience is how patient a server is with a client; milliseconds where nothing else is said. */
export type Patience = {
  /** For all of its headers, and for its whole request. */
  readonly headers: number;
  readonly request: number;
  /** While nothing moves on a connection that is being answered: a client that does not read keeps what it was to be sent. */
  readonly stalled: number;
  /** For the next request on an idle connection; longer than most proxies keep theirs. */
  readonly idle: number;
  /** How often requests that have run out of time, and readers that are too slow, are looked for. */
  readonly check: number;
  /** How far a reader may fall behind the least rate; bytes. */
  readonly leeway: number;
  /** For the next request of an idle client when the server stops, and for what is being answered then. */
  readonly farewell: number;
  readonly drain: number;
};
export const PATIENCE: Patience = {
  headers: 10_000,
  request: 30_000,
  stalled: 120_000,
  idle: 65_000,
  check: 2_000,
  // More than a third of what a system buffers for a connection, which is the step in which it asks for more.
  leeway: 1024 * 1024,
  farewell: 1_000,
  drain: 10_000,
};

/** sendAnswer sends an answer, and returns when it has left or its client has. A body that fails on its way closes the connection, so that nobody
 *  takes half for the whole. */
export async function sendAnswer(response: ServerResponse, found: Answer): Promise<void> {
  response.writeHead(found.status, { ...found.headers });
  await sendBody(response, found.body);
}

async function sendBody(response: ServerResponse, body: Answer["body"]): Promise<void> {
  if (body === null) response.end();
  else if (body instanceof Uint8Array && body.length <= PART_BYTES) response.end(body);
  // Part by part, so that it shows how fast a client reads.
  else await pipeline(body instanceof Uint8Array ? partsOf(body) : body, response).catch(() => response.destroy());
  if (!response.closed) await once(response, "close");
}

export function* partsOf(body: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < body.length; at += PART_BYTES) yield body.subarray(at, at + PART_BYTES);
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

/** originForm returns the target as an origin gets it: a proxy may send the whole address (RFC 9112 §3.2.2). */
export function originForm(target: string): string {
  const [whole = "", path = ""] = /^https?:\/\/[^/?]*(.*)$/is.exec(target) ?? [];
  return whole === "" ? target : path.startsWith("/") ? path : `/${path}`;
}

/** A ViewListener answers from a view. @param place where the target leads, where somebody has read it already */
export type ViewListener = (message: IncomingMessage, response: ServerResponse, place?: RoutePlace) => void;

/** viewListener makes the listener of a view. @param admission the process's budget for answers */
export function viewListener(view: View, admission = openAdmission()): ViewListener {
  return (message, response, place) => {
    const request = toAnswerRequest(message, originForm(message.url ?? "/"));
    if (sendPrepared(view, request, response)) return;
    const at = place ?? placeIn(view, request.target);
    const made = takesForm(request, at)
      ? readForm(message).then(
          (query) => makeAnswer(view, admission, { ...request, method: "GET", target: `${at.path}?${query}` }, { ...at, query }, response),
          async (error: unknown) => sendAnswer(response, await refuse(view, request, toShelfError(error))),
        )
      : makeAnswer(view, admission, request, at, response);
    // One request that cannot be sent costs its connection, never the process.
    made.catch(() => response.destroy());
  };
}

/** Characters of a form: as many as a query may have. */
const MAX_FORM = 8 * 1024;

/** Tells whether a form stands for the query of a row that is read. */
function takesForm({ method }: AnswerRequest, { match, at }: RoutePlace): boolean {
  return method === "POST" && at === null && match?.exact === true && match.route.kind !== "effect" && match.route.methods.includes("POST");
}

/** @throws ShelfError "body_too_large" */
async function readForm(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    size += (chunk as Buffer).length;
    if (size > MAX_FORM) throw new ShelfError("body_too_large", `The form is over the limit of ${MAX_FORM} bytes.`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** isOfProcess tells whether the process answers for itself: it does so in any state, also where nothing else has room. */
export function isOfProcess({ match, at }: RoutePlace): boolean {
  return match?.route.kind === "live" && at === null;
}

async function makeAnswer(
  view: View,
  admission: Admission,
  request: AnswerRequest,
  place: RoutePlace,
  response: ServerResponse,
): Promise<void> {
  if (isOfProcess(place)) return sendAnswer(response, await answer(view, request, place));
  let turn: Turn;
  try {
    turn = await admission.begin();
  } catch (error) {
    return sendAnswer(response, await refuse(view, request, toShelfError(error)));
  }
  try {
    if (response.destroyed) return;
    const found = await answer(view, request, place);
    turn.hold(found.body);
    await sendAnswer(response, found);
  } finally {
    turn.end();
  }
}

/** Sends what is ready without waiting. @returns false when `answer` has to be asked */
function sendPrepared(view: View, request: AnswerRequest, response: ServerResponse): boolean {
  if (request.method !== "GET") return false;
  // An answer under /at says which time it is of. `answer` adds that to the prepared one, which lies under another basis than this.
  const open = view.peek();
  const found = open === null ? null : findReady(view.prepared, open.snapshot.id, request);
  if (found === null) return false;
  const { ready, held } = found;
  if (held) {
    response.writeHead(304, ready.unmodifiedHead as string[]);
    response.end();
  } else {
    response.writeHead(200, ready.head as string[]);
    void sendBody(response, ready.answer.body);
  }
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

/** listen opens a server. @param options.port 0 takes a free one
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
    (message, response) => connections.answer(message, response, countHosts(message) > 1 ? refuseHosts : listener),
  );
  const connections = openConnections(server, patience);
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
    close: () => connections.leave(patience),
  };
}

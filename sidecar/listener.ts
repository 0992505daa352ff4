/** One listener for everything on one port: what has an effect, or is gated, goes through the app; all else is answered from
 *  the public view as the site server would, without building a Request. Alone, beside site servers, it has no "all else".
 *
 *  The choice cannot leak: the short way holds the public view only. A path that merely looks like a gated one (another
 *  case, an encoded letter, a doubled slash) takes the short way and is not found there. Gated paths come to the gate here,
 *  because a refusal should cost an attacker more than us, and a member's reading not much more than a stranger's. Behind it
 *  stand the internal view as it is, for reading, and the app for what has an effect; the app asks the gate again. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import { answer } from "../snapshots/http/answer.ts";
import { ShelfError } from "../snapshots/errors.ts";
import { pagePath, parseKeyPath } from "../snapshots/format/layout.ts";
import { originForm, sendAnswer, toAnswerRequest, viewListener } from "../snapshots/http/listen.ts";
import { toShelfError } from "../snapshots/format/problem.ts";
import { CACHE } from "../snapshots/http/reply.ts";
import { createApp, isSearch, isSemanticAt, type Parts } from "./app.ts";
import type { Identity } from "./gate.ts";
import { problemParts, problemResponse } from "./respond.ts";

/** Paths of the app, besides /mcp and everything under /internal and /api/code/. */
const EFFECTS: ReadonlySet<string> = new Set(["/api/ask", pagePath.ask, "/api/ai-search", "/api/reindex"]);
/** What every process says of itself. */
const OWN: ReadonlySet<string> = new Set(["/health", "/api/capabilities"]);
/** Gated for people alone, by another check. */
const PEOPLE = "/internal/api/ask";
const INTERNAL = "/internal";
/** Paths under /internal that are the app's besides EFFECTS; the others only read. */
const GATED_EFFECTS: ReadonlySet<string> = new Set(["", "/library/api/ask", "/mcp"]);

export type ListenerOptions = {
  /** Whether the app's rate limits are on. */
  readonly counting: boolean;
  /** Whether other processes serve the files, pages and queries of the public view. */
  readonly alone: boolean;
};

export function sidecarListener(parts: Parts, { counting, alone }: ListenerOptions): RequestListener {
  const app = createApp(parts);
  const throughApp = getRequestListener((request, env) => app.fetch(request, env), {
    overrideGlobalObjects: false,
    // What cannot even become a Request reaches neither the app nor a gate in it, so nobody may keep the answer.
    errorHandler: (error) =>
      problemResponse(error instanceof RequestError ? malformed : toShelfError(error), parts.baseUrl, { "Cache-Control": CACHE.private }),
  });
  const direct = viewListener(parts.publicView);
  return (message, response) => {
    const target = originForm(message.url ?? "/");
    // For the app, which looks at it again: one address must not be two.
    message.url = target;
    const cut = target.indexOf("?");
    const path = cut < 0 ? target : target.slice(0, cut);
    const isEffect = (within: string): boolean => EFFECTS.has(within) || isSemanticAt(within);
    if (path === INTERNAL || path.startsWith(`${INTERNAL}/`)) {
      const within = path.slice(INTERNAL.length);
      const ofApp = GATED_EFFECTS.has(within) || isEffect(within) || (counting && isSearch(within));
      if (path === PEOPLE) void throughApp(message, response);
      else if (ofApp) void atGate(parts, path, message, response, () => throughApp(message, response));
      else void atGate(parts, path, message, response, (identity) => readInternal(parts, identity, target, message, response));
    } else if (path.startsWith("/api/code/")) void atGate(parts, path, message, response, () => throughApp(message, response));
    else if (path === "/mcp") void throughApp(message, response);
    else if (isEffect(path) || (counting && !alone && isSearch(path))) void throughApp(message, response);
    else if (alone && !OWN.has(path)) sendProblem(parts, elsewhere, message, response, CACHE.none);
    else direct(message, response);
  };
}

/** Only ever called with who has been let in. What the internal view answers says itself that nobody may keep it. */
async function readInternal(
  parts: Parts,
  identity: Identity,
  target: string,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const started = performance.now();
  const found = await answer(parts.internalView, toAnswerRequest(message, target.slice(INTERNAL.length)));
  parts.log({
    method: message.method ?? "",
    path: target.replace(/\?.*$/s, "").slice(0, 512),
    status: found.status,
    ms: Math.round(performance.now() - started),
    identity: identity.name,
    reason: null,
  });
  await sendAnswer(response, found);
}

/** 404 and not 503: whether the path exists is for another process to say, and this one is well. */
const elsewhere = new ShelfError("not_found", "This process has the sidecar's own routes and nothing else.", {
  fixes: [
    "Send requests for files, pages and queries to a site server or the CDN.",
    "To have everything on one port, start it without --only.",
  ],
});

const malformed = new ShelfError("bad_request", "The Host header or the target of this request is missing or malformed.", {
  fixes: ["Send the name of this server, and its port, as Host."],
});

/** A Request tidies its address: dot segments and backslashes have to be refused while they can still be seen. */
function findMalformed(path: string): ShelfError | null {
  try {
    parseKeyPath(path);
    return null;
  } catch (error) {
    return toShelfError(error);
  }
}

async function atGate(
  parts: Parts,
  path: string,
  message: IncomingMessage,
  response: ServerResponse,
  pass: (identity: Identity) => unknown,
): Promise<void> {
  const verdict = await parts.gate.check({
    get(name) {
      // The configuration writes header names as it likes; Node's are lower-case.
      const value = message.headers[name.toLowerCase()];
      return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
    },
  });
  const refuse = (problem: ShelfError, reason: string): void => {
    parts.log({ method: message.method ?? "", path: path.slice(0, 512), status: problem.status, ms: 0, identity: null, reason });
    sendProblem(parts, problem, message, response, CACHE.private);
  };
  if (!verdict.ok) return refuse(verdict.problem, verdict.reason);
  const problem = findMalformed(path);
  if (problem !== null) return refuse(problem, problem.code);
  try {
    await pass(verdict.identity);
  } catch {
    // One request that cannot be answered costs its connection, never the process.
    response.destroy();
  }
}

function sendProblem(parts: Parts, problem: ShelfError, message: IncomingMessage, response: ServerResponse, cache: string): void {
  const { status, headers, body } = problemParts(problem, parts.baseUrl, { "Cache-Control": cache });
  response.writeHead(status, headers);
  response.end(message.method === "HEAD" ? undefined : body);
}

/** Everything that has an effect or is gated, in one order: log, seal, gate, malformed paths, methods, limit, and then what
 *  the row of the route table names, or else reading. Which path is which row, who may call it and what is counted stands in
 *  that table alone (place.ts reads it). */
import type { OpenSnapshot } from "../snapshots/query/open-snapshot.ts";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { answer } from "../snapshots/http/answer.ts";
import { missingSnapshot } from "../snapshots/query/history.ts";
import { SHA256_PATTERN } from "../snapshots/digest.ts";
import { ShelfError } from "../snapshots/errors.ts";
import { parseKeyPath } from "../snapshots/format/layout.ts";
import { checkParameters } from "../snapshots/routes/parameters.ts";
import { toShelfError } from "../snapshots/format/problem.ts";
import { parseSearch } from "../snapshots/query/search.ts";
import { DEFAULT_SEMANTIC_LIMIT } from "../snapshots/query/semantic.ts";
import { isOfProcess } from "../snapshots/http/listen.ts";
import type { Seen } from "../snapshots/http/observe.ts";
import { type Answer, CACHE } from "../snapshots/http/reply.ts";
import { preflight } from "../snapshots/http/preflight.ts";
import type { Route } from "../snapshots/routes/route.ts";
import { findRoute } from "../snapshots/routes/routes.ts";
import type { UnderWay } from "../snapshots/http/under-way.ts";
import type { View } from "../snapshots/http/view.ts";
import { askPage } from "./ask-page.ts";
import { askResponse } from "./ask-response.ts";
import { MAX_ASK_BYTES, MAX_REINDEX_BYTES, parseAskBody, parseReindexBody, readBody } from "./body.ts";
import { codeAnswer } from "./code.ts";
import type { CodeStore } from "../snapshots/shelf/code-store.ts";
import type { Gate, Identity } from "./gate.ts";
import type { openClients } from "./client.ts";
import { type Ask, wholeAnswer } from "./library.ts";
import { findPlace, isGated, limitOf, type Place } from "./place.ts";
import { rateLimited, type RateLimiter } from "./limits.ts";
import type { SemanticTool } from "./mcp/tools/models.ts";
import { shareAnswer } from "./mcp/origin.ts";
import type { McpEndpoint } from "./mcp/serve.ts";
import type { Reindexer } from "./reindex.ts";
import { jsonResponse, problemParts, problemResponse, toResponse } from "./respond.ts";

export type LogEntry = {
  readonly method: string;
  /** Without the query, which is a reader's own business. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly identity: string | null;
  readonly reason: string | null;
};

export type Parts = {
  readonly publicView: View;
  readonly internalView: View;
  readonly gate: Gate;
  readonly limits: RateLimiter;
  /** Who is counted where nobody has a name. */
  readonly clientOf: ReturnType<typeof openClients>;
  readonly ask: Ask;
  readonly semantic: SemanticTool;
  /** Endpoints over the two views; null when this process has none. */
  readonly mcp: { readonly public: McpEndpoint; readonly internal: McpEndpoint } | null;
  readonly codeStore: CodeStore | null;
  readonly reindexer: Reindexer;
  /** What this process holds for readers, gated or not. */
  readonly underWay: UnderWay;
  /** Of the service, for problem addresses. */
  readonly baseUrl: string;
  readonly log: (entry: LogEntry) => void;
  /** Of public reads, which do not come through the app; null when they are not logged. */
  readonly accessLog: ((seen: Seen) => void) | null;
};

/** `place` as the listener found it: what of a target is still to be seen in a Request is not all of it. */
type Env = {
  Bindings: Partial<HttpBindings> & { readonly place?: Place | undefined };
  Variables: { place: Place; identity: Identity; reason: string };
};

type Effect = {
  readonly answer: (context: Context<Env>, of: View) => Promise<Response>;
  readonly kept?: true;
  /** Counts itself, because its refusal is more than a problem body. */
  readonly counts?: true;
  /** Takes every method, because its protocol has its own words for those that it does not take. */
  readonly anyMethod?: true;
  /** Lets scripts of other sites read the answer: everybody's, or only those that it names. */
  readonly share?: (headers: Headers, origin: string | null) => void;
};

export type App = {
  readonly fetch: Hono<Env>["fetch"];
  /** Whether a place is the app's alone: gated, or with an effect. */
  owns(place: Place): boolean;
};

export function createApp(parts: Parts): App {
  const effects = openEffects(parts);
  const effectOf = ({ route, at }: Place): Effect | null => {
    const found = route === null ? undefined : effects[route.id.replace(/^internal-/, "")];
    return found === undefined || (at !== null && found.kept !== true) ? null : found;
  };

  const app = new Hono<Env>();
  app.onError((error, context) => {
    const problem = toShelfError(error);
    const { status, headers, body, requestId } = problemParts(problem, parts.baseUrl);
    context.set("reason", problem.code === "internal" ? `request ${requestId}: ${error.stack}` : problem.code);
    return new Response(body, { status, headers });
  });
  app.use(observe(parts));
  app.use(async (context, next) => {
    await next();
    const place = context.get("place");
    const { headers } = context.res;
    if (isGated(place.access)) {
      // The one place where this is said of everything gated: errors, redirects and 304 included.
      headers.set("Cache-Control", CACHE.private);
      headers.delete("Access-Control-Allow-Origin");
      headers.delete("Access-Control-Expose-Headers");
    } else effectOf(place)?.share?.(headers, context.req.header("origin") ?? null);
  });
  app.use(gated(parts));
  app.all("*", async (context) => {
    const place = context.get("place");
    // A Request has tidied its address: dot segments and backslashes are refused as they were written.
    parseKeyPath(place.path);
    const of = place.mount === "" ? parts.publicView : parts.internalView;
    const effect = effectOf(place);
    const { method } = context.req;
    if (effect !== null && effect.anyMethod !== true) {
      const methods: readonly string[] = place.route?.methods ?? [];
      if (method === "OPTIONS" && effect.share !== undefined && !isGated(place.access)) return toResponse(preflight(place.route as Route));
      if (!methods.includes(method))
        throw new ShelfError("method_not_allowed", `This path takes ${methods.join(" and ")}.`, { headers: { Allow: methods.join(", ") } });
    }
    const answering = (): Promise<Response> => effect?.answer(context, of) ?? readFrom(parts, of, context);
    const group = effect?.counts === true ? null : limitOf(place, of.isOpen);
    if (group === null) return answering();
    const verdict = parts.limits.take(group, clientOf(parts, context));
    if (!verdict.ok) return problemResponse(rateLimited(group), parts.baseUrl, verdict.headers);
    const response = await answering();
    for (const [name, value] of Object.entries(verdict.headers)) response.headers.set(name, value);
    return response;
  });
  return {
    fetch: app.fetch,
    owns: (place) => isGated(place.access) || effectOf(place) !== null,
  };
}

/** By the id of the row, without the `internal-` of its twin in the gated view. */
function openEffects(parts: Parts): Readonly<Record<string, Effect | undefined>> {
  const ask: Effect = { answer: (context, of) => askIn(parts, of, context), share: shareWithAll };
  const records = async () => (await (await parts.internalView.current())?.snapshot.data()) ?? null;
  return {
    ask,
    "person-ask": ask,
    "ai-search": { answer: (context, of) => semanticIn(parts, of, context), kept: true, share: shareWithAll },
    "ask-page": { answer: (context, of) => askPageIn(parts, of, context), counts: true },
    code: {
      answer: (context) =>
        counted(parts, context, () => codeAnswer({ store: parts.codeStore, records }, context.req.method, context.get("place").path)),
    },
    reindex: {
      async answer(context) {
        parts.reindexer.authorize(context.req.raw.headers);
        context.env?.incoming?.socket.setTimeout(0);
        const keys = parseReindexBody(await readBody(context.req.raw, MAX_REINDEX_BYTES));
        const summary = await parts.reindexer.run(keys);
        await Promise.all([parts.publicView.refresh(), parts.internalView.refresh()]);
        return jsonResponse(summary);
      },
    },
    mcp: {
      anyMethod: true,
      answer(context, of) {
        const mcp = of === parts.publicView ? parts.mcp?.public : parts.mcp?.internal;
        if (mcp === undefined) throw new ShelfError("not_configured", "This process has no MCP endpoint.");
        const client = clientOf(parts, context);
        return mcp(context.req.raw, (group) => parts.limits.take(group, client).ok);
      },
      share: (headers, origin) => shareAnswer(headers, origin, parts.mcp?.public.sharedWith ?? []),
    },
  };
}

/** The gate decides before anything is looked up. Asked once for a request. */
function gated(parts: Parts): MiddlewareHandler<Env> {
  return async (context, next) => {
    const { access } = context.get("place");
    if (!isGated(access)) return next();
    const { headers } = context.req.raw;
    const verdict = await (access === "person" ? parts.gate.checkHuman(headers) : parts.gate.check(headers));
    if (!verdict.ok) {
      context.set("reason", verdict.reason);
      return problemResponse(verdict.problem, parts.baseUrl);
    }
    context.set("identity", verdict.identity);
    return next();
  };
}

/** Who is counted: the identity behind the gate, else the network of the client. */
function clientOf(parts: Parts, context: Context<Env>): string {
  const identity = context.get("identity") as Identity | undefined;
  return identity === undefined ? parts.clientOf(context.env?.incoming) : `${identity.kind} ${identity.name}`;
}

async function currentOf(of: View): Promise<OpenSnapshot> {
  const open = await of.current();
  if (open === null)
    throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run a build, then try again."] });
  return open;
}

async function askIn(parts: Parts, of: View, context: Context<Env>): Promise<Response> {
  const { raw } = context.req;
  const request = parseAskBody(await readBody(raw, MAX_ASK_BYTES), raw.headers.get("content-type"));
  const open = await currentOf(of);
  const gone = new AbortController();
  const events = parts.ask(request, open, AbortSignal.any([gone.signal, raw.signal]));
  const response = await askResponse(events, raw.headers.get("accept"), () => gone.abort());
  response.headers.set("X-Snapshot", open.snapshot.id);
  return response;
}

async function keptIn(of: View, id: string): Promise<OpenSnapshot> {
  const open = SHA256_PATTERN.test(id) ? await of.byId(id) : null;
  if (open === null) throw await missingSnapshot(of, id);
  return open;
}

async function askPageIn(parts: Parts, of: View, context: Context<Env>): Promise<Response> {
  const params = new URLSearchParams(context.get("place").query);
  if (!params.has("question")) return readFrom(parts, of, context);
  if (context.req.method === "HEAD")
    return new Response(null, { headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": CACHE.none } });
  const open = await currentOf(of);
  return askPage(of, params, {
    open,
    verdict: parts.limits.take("ask", clientOf(parts, context)),
    answer: (request) => wholeAnswer(parts.ask(request, open, context.req.raw.signal)),
    onProblem: ({ code }) => context.set("reason", code),
  });
}

async function semanticIn(parts: Parts, of: View, context: Context<Env>): Promise<Response> {
  const { query: params, at } = context.get("place");
  const open = await (at === null ? currentOf(of) : keptIn(of, at));
  checkParameters(findRoute("ai-search"), params);
  const query = parseSearch(new URLSearchParams(params), DEFAULT_SEMANTIC_LIMIT);
  const found = await parts.semantic(query, open, context.req.raw.signal).catch(() => {
    return { mode: "unavailable" as const, notice: "Semantic search is not available at the moment; /api/search is.", results: [] };
  });
  return jsonResponse({ query: query.q, prefix: query.prefix, snapshot: open.snapshot.id, ...found }, { "X-Snapshot": open.snapshot.id });
}

async function readFrom(parts: Parts, of: View, context: Context<Env>): Promise<Response> {
  const { path, query, mount } = context.get("place");
  const rest = query === "" ? "" : `?${query}`;
  // Links are relative: without its last slash the front page would point outside the mount.
  if (mount !== "" && path === mount) return new Response(null, { status: 308, headers: { Location: `${mount}/${rest}` } });
  const { raw } = context.req;
  const target = path.slice(mount.length) + rest;
  const read = (): Promise<Answer> => answer(of, { method: raw.method, target, header: (name) => raw.headers.get(name) });
  return isOfProcess(target) ? toResponse(await read()) : counted(parts, context, read);
}

/** Has its share of what the process holds for readers until the answer is sent or its connection gone. */
async function counted({ underWay }: Parts, context: Context<Env>, make: () => Promise<Answer>): Promise<Response> {
  const turn = await underWay.begin();
  const { outgoing } = context.env ?? {};
  outgoing?.once("close", () => turn.end());
  try {
    const made = await make();
    if (outgoing?.destroyed !== true) turn.hold(made.body);
    return toResponse(made);
  } finally {
    if (outgoing === undefined || outgoing.destroyed) turn.end();
  }
}

function targetOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

const READABLE = "X-Snapshot, RateLimit, RateLimit-Policy, Retry-After";

function shareWithAll(headers: Headers): void {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", READABLE);
}

function observe(parts: Parts): MiddlewareHandler<Env> {
  return async (context, next) => {
    const started = performance.now();
    const place = context.env?.place ?? findPlace(targetOf(context.req.url));
    context.set("place", place);
    await next();
    const identity = context.get("identity") as Identity | undefined;
    parts.log({
      method: context.req.method,
      path: place.path.slice(0, 512),
      status: context.res.status,
      ms: Math.round(performance.now() - started),
      identity: identity?.name ?? null,
      reason: (context.get("reason") as string | undefined) ?? null,
    });
  };
}

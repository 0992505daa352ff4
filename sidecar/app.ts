/** The whole URL map of the sidecar. Everything that a view answers stands once, in `view`, and is mounted twice: at "/"
 *  with the public view, under /internal behind the gate with the internal one. */
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { answer } from "../snapshots/http/answer.ts";
import { SHA256_PATTERN } from "../snapshots/digest.ts";
import { ShelfError } from "../snapshots/errors.ts";
import { pagePath } from "../snapshots/format/layout.ts";
import { checkParameters } from "../snapshots/routes/parameters.ts";
import { toShelfError } from "../snapshots/format/problem.ts";
import { parseSearch } from "../snapshots/query/search.ts";
import { DEFAULT_SEMANTIC_LIMIT } from "../snapshots/query/semantic.ts";
import { CACHE } from "../snapshots/http/reply.ts";
import type { RateGroup } from "../snapshots/routes/route.ts";
import { findRoute } from "../snapshots/routes/routes.ts";
import type { OpenSnapshot, View } from "../snapshots/http/view.ts";
import { askPage } from "./ask-page.ts";
import { askResponse } from "./ask-response.ts";
import { MAX_ASK_BYTES, parseAskBody, readBody } from "./body.ts";
import { codeAnswer } from "./code.ts";
import type { CodeStore } from "../snapshots/shelf/code-store.ts";
import type { Gate, GateVerdict, Identity } from "./gate.ts";
import { type Ask, wholeAnswer } from "./library.ts";
import { rateLimited, type RateLimiter } from "./limits.ts";
import type { SemanticTool } from "./mcp/model-tools.ts";
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
  /** Why the gate refused, or what failed. */
  readonly reason: string | null;
};

export type Parts = {
  readonly publicView: View;
  readonly internalView: View;
  readonly gate: Gate;
  readonly limits: RateLimiter;
  readonly ask: Ask;
  /** null when no semantic search is built in. */
  readonly semantic: SemanticTool | null;
  /** Endpoints over the two views; null when this process has none. */
  readonly mcp: { readonly public: McpEndpoint; readonly internal: McpEndpoint } | null;
  readonly codeStore: CodeStore | null;
  readonly reindexer: Reindexer;
  /** Of the service, for problem addresses. */
  readonly baseUrl: string;
  readonly log: (entry: LogEntry) => void;
};

type Env = { Bindings: Partial<HttpBindings>; Variables: { identity: Identity; reason: string } };

export function createApp(parts: Parts): Hono<Env> {
  const { gate, publicView, internalView } = parts;
  const member = gated(parts, (headers) => gate.check(headers));
  const person = gated(parts, (headers) => gate.checkHuman(headers));
  const records = async () => (await (await internalView.current())?.snapshot.data()) ?? null;

  const app = new Hono<Env>();
  app.use(observe(parts));
  app.onError((error, context) => {
    const problem = toShelfError(error);
    const { status, headers, body, requestId } = problemParts(problem, parts.baseUrl);
    context.set("reason", problem.code === "internal" ? `request ${requestId}: ${error.stack}` : problem.code);
    return new Response(body, { status, headers });
  });

  app.use("/api/code/*", member);
  effect(app, parts, ["GET", "HEAD"], "/api/code/*", limited(parts, "code"), async (context) =>
    toResponse(await codeAnswer({ store: parts.codeStore, records }, context.req.method, targetOf(context).replace(/\?.*$/s, ""))),
  );
  effect(app, parts, ["POST"], "/api/reindex", null, async (context) => {
    parts.reindexer.authorize(context.req.raw.headers);
    // Nothing moves on this connection until the build is done.
    context.env?.incoming?.socket.setTimeout(0);
    return jsonResponse(await parts.reindexer.run());
  });

  app.use("/internal/api/ask", person);
  effect(app, parts, ["POST"], "/internal/api/ask", limited(parts, "ask"), (context) => askIn(parts, internalView, context));
  app.use("/internal/*", member);
  app.route("/internal", view(parts, internalView, "/internal", "/library/api/ask", parts.mcp?.internal ?? null));
  app.route("/", view(parts, publicView, "", "/api/ask", parts.mcp?.public ?? null));
  return app;
}

/** Every route that both views have. */
function view(parts: Parts, of: View, mount: "" | "/internal", askPath: string, mcp: McpEndpoint | null): Hono<Env> {
  const app = new Hono<Env>();
  effect(app, parts, ["POST"], askPath, limited(parts, "ask"), (context) => askIn(parts, of, context));
  const counting = limited(parts, "ai-search");
  effect(app, parts, ["GET", "HEAD"], "/api/ai-search", counting, async (context) => semanticIn(parts, await currentOf(of), context));
  effect(app, parts, ["GET", "HEAD"], "/at/:snapshot/api/ai-search", counting, async (context) =>
    semanticIn(parts, await keptIn(of, context.req.param("snapshot") ?? ""), context),
  );
  app.get(pagePath.ask, async (context, next) => {
    const params = new URLSearchParams(targetOf(context).split("?").slice(1).join("?"));
    // Without a question it is a stored page.
    if (!params.has("question")) return next();
    // HEAD comes here as well, and asks no model.
    if (context.req.method === "HEAD")
      return new Response(null, { headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": CACHE.none } });
    const open = await currentOf(of);
    return askPage(of, params, {
      open,
      verdict: parts.limits.take("ask", clientOf(context)),
      answer: (request) => wholeAnswer(parts.ask(request, open, context.req.raw.signal)),
      onProblem: ({ code }) => context.set("reason", code),
    });
  });
  // A page elsewhere that may call should also read that there is a limit, and when to come again.
  const shared: MiddlewareHandler<Env> = async (context, next) => {
    await next();
    shareAnswer(context.res.headers, context.req.header("origin") ?? null, mcp?.sharedWith ?? []);
  };
  // Every method: the protocol has its own words for those that it does not take.
  app.all("/mcp", shared, limited(parts, "mcp"), (context) => {
    if (mcp === null) throw new ShelfError("not_configured", "This process has no MCP endpoint.");
    const client = clientOf(context);
    return mcp(context.req.raw, (group) => parts.limits.take(group, client).ok);
  });
  const counted = limited(parts, "search");
  app.use("*", (context, next) => (isSearch(targetOf(context).slice(mount.length)) ? counted(context, next) : next()));
  app.all("*", async (context) => {
    // Links are relative: without its last slash the front page would point outside the mount.
    if (mount !== "" && targetOf(context) === mount) return new Response(null, { status: 308, headers: { Location: `${mount}/` } });
    return toResponse(await readFrom(of, mount, context));
  });
  return app;
}

/** Whether a target makes the server search, under any of its names: of now or of a kept snapshot, as data or as a page.
 *  @param target path inside a view, with or without its query */
export function isSearch(target: string): boolean {
  return /^(?:\/at\/[^/?]*)?\/(?:api\/search(?:\.json)?|search\/?)(?:\?|$)/.test(target);
}

/** Whether a path is the semantic search of a kept snapshot, which the app answers. */
export function isSemanticAt(path: string): boolean {
  return path.startsWith("/at/") && path.endsWith("/api/ai-search");
}

/** A route with an effect: its methods, and 405 for the others. */
function effect(
  app: Hono<Env>,
  parts: Parts,
  methods: readonly ("GET" | "HEAD" | "POST")[],
  path: string,
  limit: MiddlewareHandler<Env> | null,
  handle: (context: Context<Env>) => Promise<Response>,
): void {
  const pass: MiddlewareHandler<Env> = (_, next) => next();
  app.all(
    path,
    async (context, next) => {
      if ((methods as readonly string[]).includes(context.req.method)) return next();
      return problemResponse(new ShelfError("method_not_allowed", `This path takes ${methods.join(" and ")}.`), parts.baseUrl, {
        Allow: methods.join(", "),
      });
    },
    limit ?? pass,
    handle,
  );
}

/** The gate decides before anything is looked up, and stamps whatever comes back. */
function gated(parts: Parts, check: (headers: Headers) => Promise<GateVerdict>): MiddlewareHandler<Env> {
  return async (context, next) => {
    const verdict = await check(context.req.raw.headers);
    if (verdict.ok) {
      context.set("identity", verdict.identity);
      await next();
    } else {
      context.set("reason", verdict.reason);
      context.res = problemResponse(verdict.problem, parts.baseUrl);
    }
    context.res.headers.set("Cache-Control", CACHE.private);
    context.res.headers.delete("Access-Control-Allow-Origin");
  };
}

function limited(parts: Parts, group: RateGroup): MiddlewareHandler<Env> {
  return async (context, next) => {
    const verdict = parts.limits.take(group, clientOf(context));
    if (!verdict.ok) return problemResponse(rateLimited(group), parts.baseUrl, verdict.headers);
    await next();
    for (const [name, value] of Object.entries(verdict.headers)) context.res.headers.set(name, value);
    return undefined;
  };
}

/** Who is counted: the identity behind the gate, else the address of the connection. Headers name nobody: any client
 *  can write them. IPv6 clients own whole /64 networks. */
function clientOf(context: Context<Env>): string {
  const identity = context.get("identity") as Identity | undefined;
  if (identity !== undefined) return `${identity.kind} ${identity.name}`;
  const address = context.env?.incoming?.socket.remoteAddress ?? "unknown";
  return address.includes(":") && !address.includes(".") ? address.split(":").slice(0, 4).join(":") : address;
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
  if (open === null)
    throw new ShelfError("snapshot_not_found", "No snapshot with this id is kept.", {
      fixes: [`See ${pagePath.snapshots} for those that are.`],
    });
  return open;
}

async function semanticIn(parts: Parts, open: OpenSnapshot, context: Context<Env>): Promise<Response> {
  const params = targetOf(context).split("?").slice(1).join("?");
  checkParameters(findRoute("ai-search"), params);
  const query = parseSearch(new URLSearchParams(params), DEFAULT_SEMANTIC_LIMIT);
  const unavailable = (notice: string) => ({ mode: "unavailable" as const, notice, results: [] });
  const found =
    parts.semantic === null
      ? unavailable("Semantic search is not configured. Add embeddings to proofshelf.yaml and build again.")
      : await parts
          .semantic(query, open, context.req.raw.signal)
          .catch(() => unavailable("Semantic search is not available at the moment; /api/search is."));
  return jsonResponse({ query: query.q, prefix: query.prefix, snapshot: open.snapshot.id, ...found }, { "X-Snapshot": open.snapshot.id });
}

async function readFrom(of: View, mount: string, context: Context<Env>) {
  const target = targetOf(context);
  if (mount !== "" && !target.startsWith(`${mount}/`)) {
    // Another spelling of the mount: the gate has let it in, but it is no path of ours.
    throw new ShelfError("not_found", "Nothing is served at this path.", { fixes: [`See ${mount}/.`] });
  }
  const { raw } = context.req;
  return answer(of, { method: raw.method, target: target.slice(mount.length), header: (name) => raw.headers.get(name) });
}

/** Path and query as the client wrote them: a URL parser would have resolved dot segments already. */
function targetOf(context: Context<Env>): string {
  const sent = context.env?.incoming?.url;
  if (sent?.startsWith("/") === true) return sent;
  const { pathname, search } = new URL(context.req.url);
  return pathname + search;
}

function observe(parts: Parts): MiddlewareHandler<Env> {
  return async (context, next) => {
    const started = performance.now();
    await next();
    const identity = context.get("identity") as Identity | undefined;
    parts.log({
      method: context.req.method,
      path: targetOf(context).replace(/\?.*$/s, "").slice(0, 512),
      status: context.res.status,
      ms: Math.round(performance.now() - started),
      identity: identity?.name ?? null,
      reason: (context.get("reason") as string | undefined) ?? null,
    });
  };
}

/** The stations that every request passes on its way to an effect: the log, the gate, methods and parameters, the limit. */
import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import { ShelfError } from "#snapshots/errors";
import { parseKeyPath, toShelfError } from "#snapshots/format";
import { type Admission, admit, CACHE, readsHtml, type SeenRequest, strayAnswer, type View } from "#snapshots/http";
import { limitOf, type RoutePlace, type RateGroup } from "#snapshots/routes";
import type { CodeStore } from "#snapshots/shelf";
import type { Ask, SemanticTool } from "#sidecar/ask";
import { type Gate, type GateVerdict, type Identity, type openClients } from "#sidecar/gate";
import { problemParts, problemResponse, rateLimited, type RateLimiter, refusalHeaders, toResponse } from "#sidecar/http";
import type { McpEndpoint } from "#sidecar/mcp";
import type { Reindexer } from "./reindex.ts";

export type LogEntry = {
  readonly method: string;
  /** Without the query, which is a reader's own business. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly identity: string | null;
  readonly reason: string | null;
};

/** SignInAddresses are where somebody is let in: asked before the gate, and counted like everything else. */
export type SignInAddresses = {
  readonly addresses: readonly (readonly [method: "GET" | "POST", path: string])[];
  /** @returns the error that refuses somebody; null where the configuration has no such sign-in: the gate answers then */
  answer(request: Request): Promise<Response | ShelfError | null> | Response | null;
};

/** SidecarParts are what a sidecar is put together from. */
export type SidecarParts = {
  readonly publicView: View;
  readonly internalView: View;
  readonly ask: Ask;
  readonly semantic: SemanticTool;
  /** Endpoints over the two views; null when this process has none. */
  readonly mcp: { readonly public: McpEndpoint; readonly internal: McpEndpoint };
  readonly codeStore: CodeStore | null;
  readonly reindexer: Reindexer;
  /** Room for what this process holds for readers, gated or not. */
  readonly admission: Admission;
  readonly gate: Gate;
  readonly signIn: SignInAddresses;
  readonly limits: RateLimiter;
  /** The network that is counted where nobody has a name. */
  readonly clientOf: ReturnType<typeof openClients>;
  /** The service's address, for problems. */
  readonly baseUrl: string;
  readonly log: (entry: LogEntry) => void;
  /** Hears of public reads, which do not come through the app; null when they are not logged. */
  readonly accessLog: ((seen: SeenRequest) => void) | null;
};

/** AppEnv has `place` and `address` as the listener found them: a Request does not show all of a target. */
export type AppEnv = {
  Bindings: Partial<HttpBindings> & { readonly place: RoutePlace; readonly address: string };
  Variables: {
    /** Null until the gate has let it in, and for whoever needs no name. */
    identity: Identity | null;
    /** Why it was refused or failed, for the log. */
    reason: string | null;
  };
};
export type Call = Context<AppEnv>;
type Step = MiddlewareHandler<AppEnv>;

/** addressOf writes a place as the client wrote it, without the query. */
export function addressOf({ mount, at, path }: RoutePlace): string {
  return mount + (at === null ? "" : `/at/${at}`) + path;
}

/** isEffect tells whether the row of a place is one that app.ts answers itself, whatever method is asked for. */
export function isEffect({ match }: RoutePlace): boolean {
  return match?.exact === true && match.beside === null && (match.route.kind === "effect" || match.route.id === "ask-page");
}

export function viewOf({ publicView, internalView }: { readonly publicView: View; readonly internalView: View }, { env }: Call): View {
  return env.place.mount === "" ? publicView : internalView;
}

/** clientOf names who is counted: the identity behind the gate, else the network of the client. */
export function clientOf(parts: Pick<SidecarParts, "clientOf">, { env, var: { identity } }: Call): string {
  return identity === null ? parts.clientOf(env.incoming) : `${identity.kind} ${identity.name}`;
}

export function tooLong(bytes: number): never {
  throw new ShelfError("body_too_large", `The body is over the limit of ${bytes} bytes.`, { fixes: [`Send at most ${bytes} bytes.`] });
}

export function openPassage(parts: SidecarParts) {
  const { baseUrl } = parts;

  const trace: Step = async (call, next) => {
    const started = performance.now();
    call.set("identity", null);
    call.set("reason", null);
    await next();
    const { identity, reason } = call.var;
    const ms = Math.round(performance.now() - started);
    const path = call.env.address.slice(0, 512);
    parts.log({ method: call.req.raw.method, path, status: call.res.status, ms, identity: identity?.name ?? null, reason });
  };

  const failed = (error: Error, call: Call): Response => {
    const problem = toShelfError(error);
    const { status, headers, body, requestId } = problemParts(problem, baseUrl);
    call.set("reason", problem.code === "internal" ? `request ${requestId}: ${error.stack}` : problem.code);
    return new Response(body, { status, headers });
  };

  /** seal keeps what is gated out of caches and from scripts of other sites, errors, redirects and 304 included. */
  const seal: Step = async (call, next) => {
    await next();
    call.res.headers.set("Cache-Control", CACHE.private);
    call.res.headers.delete("Access-Control-Allow-Origin");
    call.res.headers.delete("Access-Control-Expose-Headers");
  };

  /** A person gets a page, where a program gets a problem body. It follows from the refusal and the configuration alone, so it says the same
   *  whether or not anything is at the address.
   *  @param wanted the address that a person who signs in is led to */
  const refuse = async (call: Call, problem: ShelfError, reason: string, wanted: string): Promise<Response> => {
    call.set("reason", reason);
    const { publicView: view, gate } = parts;
    const open = readsHtml(call.req.header("accept") ?? null) ? await view.current() : null;
    if (open === null) return problemResponse(problem, baseUrl);
    const { status, message: detail } = problem;
    const { signIn, contact } = gate.help(wanted);
    const model = { page: "gated", status, detail, signIn, contact } as const;
    const page = await strayAnswer(view, open, call.env.address, status, model).catch(() => null);
    if (page === null) return problemResponse(problem, baseUrl);
    return toResponse({ ...page, headers: { ...page.headers, ...refusalHeaders(problem), "X-Robots-Tag": "noindex" } });
  };

  /** The gate decides before anything is looked up, and once for a request. */
  const behind = (check: (call: Call) => Promise<GateVerdict>): Step => {
    return async (call, next) => {
      if (call.var.identity === null) {
        const verdict = await check(call);
        if (!verdict.ok) return refuse(call, verdict.problem, verdict.reason, call.env.address);
        call.set("identity", verdict.identity);
      }
      return next();
    };
  };

  /** A person whom the sign-in refuses gets the page of every refusal, which says whom to ask. */
  const signIn: Step = async (call, next) => {
    const answer = await parts.signIn.answer(call.req.raw);
    if (answer === null) return next();
    return answer instanceof Response ? answer : refuse(call, answer, answer.code, "/internal/");
  };

  /** admitted refuses dot segments, and of effects the methods and parameters that their row has not; reading refuses its own, and MCP has words
   *  of its own for methods. */
  const admitted: Step = ({ env: { place, address }, req }, next) => {
    parseKeyPath(address);
    if (isEffect(place) && place.match?.route.id !== "mcp" && (place.at === null || place.match?.route.at === "kept"))
      admit(req.raw.method, { ...place, access: "gated" }, true);
    return next();
  };

  const limitBy = (groupOf: (call: Call) => RateGroup | null): Step => {
    return async (call, next) => {
      const group = groupOf(call);
      if (group === null) return next();
      const verdict = parts.limits.take(group, clientOf(parts, call));
      if (!verdict.ok) return problemResponse(rateLimited(group), baseUrl, verdict.headers);
      await next();
      for (const [name, value] of Object.entries(verdict.headers)) call.res.headers.set(name, value);
    };
  };

  return {
    trace,
    failed,
    seal,
    signIn,
    gate: behind(({ req }) => parts.gate.check(req.raw.headers)),
    person: behind(({ req }) => parts.gate.check(req.raw.headers, "people")),
    token: (({ req }, next) => {
      parts.reindexer.authorize(req.raw.headers);
      return next();
    }) satisfies Step,
    admitted,
    limit: limitBy((call) => limitOf(call.env.place, viewOf(parts, call))),
    limitSignIn: limitBy(() => "sign-in"),
  };
}

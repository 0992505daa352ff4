/** Everything that has an effect or is gated, in one order: gate, malformed paths, methods, limit, and then the effect that the row of the
 *  route table names, or else reading; whatever comes of it is sealed and logged. Which path is which row, who may call it and what is
 *  counted stands in that table alone (routes/match.ts reads it). */
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { type ErrorCode, ShelfError } from "../../snapshots/errors.ts";
import { parseKeyPath } from "../../snapshots/format/layout.ts";
import { toShelfError } from "../../snapshots/format/index.ts";
import { admit, CACHE, readsHtml, type Seen } from "../../snapshots/http/index.ts";
import { isGated, isOf, limitOf, type Place } from "../../snapshots/routes/index.ts";
import { type Call, clientOf, type Effect, type EffectParts, openEffects, readFrom } from "./effects.ts";
import type { Gate } from "../gate/gate.ts";
import { gatedPage } from "../gate/gated-page.ts";
import { rateLimited } from "../http/limits.ts";
import { problemParts, problemResponse, toResponse } from "../http/respond.ts";

export type LogEntry = {
  readonly method: string;
  /** Without the query, which is a reader's own business. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly identity: string | null;
  readonly reason: string | null;
};

export type Parts = EffectParts & {
  readonly gate: Gate;
  /** Answers the addresses by which somebody is let in, and nothing else; null where there are none. */
  readonly signIn: ((request: Request) => Response | null | Promise<Response | null>) | null;
  /** Of the service, for problem addresses. */
  readonly baseUrl: string;
  readonly log: (entry: LogEntry) => void;
  /** Of public reads, which do not come through the app; null when they are not logged. */
  readonly accessLog: ((seen: Seen) => void) | null;
};

/** `place` as the listener found it: what of a target is still to be seen in a Request is not all of it. */
type Env = {
  Bindings: Partial<HttpBindings> & { readonly place?: Place | undefined };
  Variables: { call: Call };
};

export type App = {
  readonly fetch: Hono<Env>["fetch"];
  /** Whether a place is the app's alone: gated, or with an effect. */
  owns(place: Place): boolean;
};

export function createApp(parts: Parts): App {
  const effects = openEffects(parts);
  const effectOf = ({ match, mount, at }: Place): Effect | null => {
    if (match === null || !match.exact || match.beside !== null || !isOf(match, effects)) return null;
    const { kind, views, at: kept } = match.route;
    const isThere = (at === null || (kind === "effect" && kept === "kept")) && (mount === "" || views !== "public");
    return isThere ? effects[match.route.id] : null;
  };

  /** The gate decides before anything is looked up. Asked once for a request. @returns the refusal */
  async function refusal(call: Call): Promise<Response | null> {
    const { place, request } = call;
    if (!isGated(place)) return null;
    const verdict = await (place.access === "person" ? parts.gate.checkHuman(request.headers) : parts.gate.check(request.headers));
    if (verdict.ok) {
      call.identity = verdict.identity;
      return null;
    }
    call.reason = verdict.reason;
    const page = await gatedPage(
      parts.publicView,
      pathOf(place),
      request.headers.get("accept"),
      verdict.problem,
      parts.gate.help(pathOf(place)),
    );
    return page ?? problemResponse(verdict.problem, parts.baseUrl);
  }

  /** What the sign-in answers. A person whom it refuses gets the page of every refusal, which says whom to ask. */
  async function signIn({ request, place }: Call): Promise<Response | null> {
    const response = (await parts.signIn?.(request)) ?? null;
    if (response === null || ![401, 403].includes(response.status) || !readsHtml(request.headers.get("accept"))) return response;
    const { code, detail } = (await response.clone().json()) as { code: ErrorCode; detail: string };
    if (code !== "unauthenticated" && code !== "forbidden") return response;
    const accept = request.headers.get("accept");
    const page = await gatedPage(parts.publicView, pathOf(place), accept, new ShelfError(code, detail), parts.gate.help("/internal/"));
    for (const cookie of response.headers.getSetCookie()) page?.headers.append("Set-Cookie", cookie);
    return page ?? response;
  }

  async function respond(call: Call): Promise<Response> {
    const { place, request, of } = call;
    // A Request has tidied its address: dot segments and backslashes are refused as they were written.
    parseKeyPath(pathOf(place));
    const effect = effectOf(place);
    if (effect !== null && effect.anyMethod !== true) {
      const early = admit(request.method, effect.share === undefined ? { ...place, access: "gated" } : place, true);
      if (early !== null) return toResponse(early);
    }
    const group = effect?.counts === true ? null : limitOf(place, of);
    const answering = (): Promise<Response> => effect?.answer(call) ?? readFrom(parts, call);
    if (group === null) return answering();
    const verdict = parts.limits.take(group, clientOf(parts, call));
    if (!verdict.ok) return problemResponse(rateLimited(group), parts.baseUrl, verdict.headers);
    const response = await answering();
    for (const [name, value] of Object.entries(verdict.headers)) response.headers.set(name, value);
    return response;
  }

  function failed(call: Call, error: unknown): Response {
    const problem = toShelfError(error);
    const { status, headers, body, requestId } = problemParts(problem, parts.baseUrl);
    const trace = error instanceof Error ? error.stack : String(error);
    call.reason = problem.code === "internal" ? `request ${requestId}: ${trace}` : problem.code;
    return new Response(body, { status, headers });
  }

  /** What is said of everything gated, and what scripts of other sites may read: errors, redirects and 304 included. */
  function seal({ place, request }: Call, { headers }: Response): void {
    if (isGated(place)) {
      headers.set("Cache-Control", CACHE.private);
      headers.delete("Access-Control-Allow-Origin");
      headers.delete("Access-Control-Expose-Headers");
    } else effectOf(place)?.share?.(headers, request.headers.get("origin"));
  }

  const app = new Hono<Env>();
  app.onError((error, context) => failed(context.get("call"), error));
  app.use(async (context, next) => {
    const started = performance.now();
    const { raw: request } = context.req;
    const { place = parts.publicView.options.service.router.findPlace(targetOf(request.url)), incoming, outgoing } = context.env ?? {};
    const of = place.mount === "" ? parts.publicView : parts.internalView;
    const call: Call = { request, place, of, incoming, outgoing, identity: null, reason: null };
    context.set("call", call);
    await next();
    parts.log({
      method: request.method,
      path: pathOf(place).slice(0, 512),
      status: context.res.status,
      ms: Math.round(performance.now() - started),
      identity: call.identity?.name ?? null,
      reason: call.reason,
    });
  });
  app.use(async (context, next) => {
    await next();
    seal(context.get("call"), context.res);
  });
  app.use(async (context, next) => (await signIn(context.get("call"))) ?? (await refusal(context.get("call"))) ?? next());
  app.all("*", async (context) => respond(context.get("call")));
  return {
    fetch: app.fetch,
    owns: (place) => isGated(place) || effectOf(place) !== null,
  };
}

/** As the client wrote it, without the query. */
function pathOf({ mount, at, path }: Place): string {
  return mount + (at === null ? "" : `/at/${at}`) + path;
}

function targetOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

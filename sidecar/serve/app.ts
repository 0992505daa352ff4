/** The addresses that the sidecar answers: what has an effect, and everything gated. Whatever else is public does not come here (listener.ts).
 *
 *  A request passes from above to below, so that nothing is answered before its gate, its methods and its limit. `snapshots/routes` describes
 *  the same addresses; app.test.ts holds that both name the same. */
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { secureHeaders } from "hono/secure-headers";
import { isGated, type RoutePlace } from "#snapshots/routes";
import { MAX_ASK_BYTES, MAX_REINDEX_BYTES } from "#sidecar/http";
import { boundMessages, sharedWith } from "#sidecar/mcp";
import { openEffects } from "./effects.ts";
import { type AppEnv, isEffect, openPassage, type SidecarParts, tooLong } from "./passage.ts";

export type App = {
  readonly fetch: Hono<AppEnv>["fetch"];
  /** Every method and path of the map. */
  readonly routes: Hono<AppEnv>["routes"];
  /** True for a place that is the app's alone: gated, or with an effect. */
  owns(place: RoutePlace): boolean;
};

const READABLE = ["X-Snapshot", "RateLimit", "RateLimit-Policy", "Retry-After"];
const shared = (...allowMethods: string[]) =>
  cors({ allowMethods: [...allowMethods, "OPTIONS"], allowHeaders: ["*"], maxAge: 86_400, exposeHeaders: READABLE });
const body = (maxSize: number) => bodyLimit({ maxSize, onError: () => tooLong(maxSize) });
const SEMANTIC = ["/api/ai-search", "/at/:at/api/ai-search", "/internal/api/ai-search", "/internal/at/:at/api/ai-search"];

export function createApp(parts: SidecarParts): App {
  const { trace, failed, seal, signIn, gate, person, token, admitted, limit, limitSignIn } = openPassage(parts);
  const { ask, askPage, semantic, code, reindex, mcp, read } = openEffects(parts);
  // By the address as it was sent: what a Request makes of it has no dot segments left to refuse.
  const app = new Hono<AppEnv>({ getPath: (_, options) => options?.env?.address ?? "" });
  app.onError(failed);
  app.use(trace, secureHeaders({ strictTransportSecurity: false, crossOriginResourcePolicy: false }));
  app.use("/api/ask", shared("POST"));
  for (const path of SEMANTIC.slice(0, 2)) app.use(path, shared("GET", "HEAD"));
  app.use("/mcp", sharedWith(parts.mcp.public.sharedWith ?? []));

  app.use("/internal/*", seal);
  app.use("/api/code/*", seal);
  for (const [method, path] of parts.signIn.addresses) app.on(method, path, limitSignIn, signIn);
  app.use("/internal/api/ask", person);
  app.use("/internal/*", gate);
  app.use("/api/code/*", gate);
  app.use(admitted);

  app.post("/api/ask", limit, body(MAX_ASK_BYTES), ask);
  app.post("/internal/library/api/ask", limit, body(MAX_ASK_BYTES), ask);
  app.post("/internal/api/ask", limit, body(MAX_ASK_BYTES), ask);
  app.on("GET", ["/ask/", "/internal/ask/"], askPage);
  app.on("GET", SEMANTIC, limit, semantic);
  app.get("/api/code/*", limit, code);
  app.post("/api/reindex", token, body(MAX_REINDEX_BYTES), reindex);
  app.on(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], ["/mcp", "/internal/mcp"], limit, boundMessages, mcp);
  app.all("*", limit, read);
  return {
    fetch: app.fetch,
    routes: app.routes,
    owns: (place) => isGated(place) || isEffect(place),
  };
}

/** One listener for everything on one port: what has an effect, or is gated, goes through the app; all else is answered from
 *  the public view as the site server would, without building a Request.
 *
 *  The choice cannot leak: the short way holds the public view only. A path that merely looks like a gated one (another
 *  case, an encoded letter, a doubled slash) takes the short way and is not found there. */
import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { viewListener } from "../snapshots/listen.ts";
import type { View } from "../snapshots/view.ts";
import type { createApp } from "./app.ts";

/** Paths of the app, besides everything under /internal and /api/code/. */
const EFFECTS: ReadonlySet<string> = new Set(["/internal", "/api/ask", "/api/ai-search", "/api/reindex", "/mcp"]);
/** Paths that the app only counts. */
const COUNTED: ReadonlySet<string> = new Set(["/api/search", "/search/"]);

export function sidecarListener(app: ReturnType<typeof createApp>, publicView: View, rateLimits: boolean): RequestListener {
  const throughApp = getRequestListener((request, env) => app.fetch(request, env), { overrideGlobalObjects: false });
  const direct = viewListener(publicView);
  return (message, response) => {
    const target = message.url ?? "/";
    const cut = target.indexOf("?");
    const path = cut < 0 ? target : target.slice(0, cut);
    const effect = EFFECTS.has(path) || path.startsWith("/internal/") || path.startsWith("/api/code/") || (rateLimits && COUNTED.has(path));
    if (effect) void throughApp(message, response);
    else direct(message, response);
  };
}

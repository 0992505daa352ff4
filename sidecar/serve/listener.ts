/** One listener for everything on one port: what is gated or has an effect goes through the app; all else is counted, where it costs
 *  much, and answered from the public view as the site server would, without building a Request. Alone, beside site servers, it has no
 *  "all else". The short way holds the public view only, so nothing gated can come of a wrong turn. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import { ShelfError } from "#snapshots/errors";
import { CACHE, isOfProcess, observe, originForm, viewListener } from "#snapshots/http";
import { limitOf, type RoutePlace } from "#snapshots/routes";
import { toShelfError } from "#snapshots/format";
import { createApp } from "./app.ts";
import { addressOf, type SidecarParts } from "./passage.ts";
import { problemParts, problemResponse, rateLimited } from "#sidecar/http";

/** sidecarListener returns the listener for all requests to the sidecar.
 *  @param options.alone whether other processes serve the files, pages and queries of the public view */
export function sidecarListener(parts: SidecarParts, { alone }: { readonly alone: boolean }): RequestListener {
  const app = createApp(parts);
  const { router } = parts.publicView.options.service;
  const places = new WeakMap<object, RoutePlace>();
  const throughApp = getRequestListener(
    (request, env) => {
      const place = places.get(env.incoming) ?? router.findPlace(originForm(env.incoming.url ?? "/"));
      return app.fetch(request, { ...(env as HttpBindings), place, address: addressOf(place) });
    },
    {
      // A message that cannot even become a Request reaches neither the app nor a gate in it, so nobody may keep the answer.
      errorHandler: (error) =>
        problemResponse(error instanceof RequestError ? malformed : toShelfError(error), parts.baseUrl, { "Cache-Control": CACHE.private }),
    },
  );
  const reads = viewListener(parts.publicView, parts.admission);
  return (message, response) => {
    const target = originForm(message.url ?? "/");
    const place = router.findPlace(target);
    if (app.owns(place)) {
      places.set(message, place);
      // No Request can be made of a bare backslash; the app refuses it by the place, behind the gate.
      message.url = target.replaceAll("\\", "%5C");
      void throughApp(message, response);
      return;
    }
    if (alone && !(isOfProcess(place) && place.match?.exact === true)) return sendProblem(parts, elsewhere, message, response);
    const group = limitOf(place, parts.publicView);
    if (group !== null) {
      const verdict = parts.limits.take(group, parts.clientOf(message));
      for (const [name, value] of Object.entries(verdict.headers)) response.setHeader(name, value);
      if (!verdict.ok) return sendProblem(parts, rateLimited(group), message, response);
    }
    const read: RequestListener = () => reads(message, response, place);
    (parts.accessLog === null ? read : observe(read, parts.accessLog))(message, response);
  };
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

function sendProblem(parts: SidecarParts, problem: ShelfError, message: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = problemParts(problem, parts.baseUrl);
  response.writeHead(status, headers);
  response.end(message.method === "HEAD" ? undefined : body);
}

/** Decides who may call from a browser, and under which name this service may be called: DNS rebinding ends here. The caller controls both
 *  headers. */
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

export type OriginRules = {
  /** Address of the service; its host and its origin are always good. "" when not known. */
  readonly baseUrl: string;
  /** Further host names, without port; "*" lets every name pass, for a proxy in front that checks. */
  readonly hosts: readonly string[];
  /** Further origins, e.g. "https://inspector.example". */
  readonly origins: readonly string[];
};

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** findOriginProblem checks the host and the origin of a request.
 *  @param host of the request, as its Host header or its URL has it
 *  @returns why the request is refused, or null */
export function findOriginProblem(host: string, origin: string | null, rules: OriginRules): string | null {
  const base = URL.canParse(rules.baseUrl) ? new URL(rules.baseUrl) : null;
  const target = parseHost(host);
  if (target === null) return "the Host header is malformed";
  const known =
    rules.hosts.includes("*") ||
    LOOPBACK.has(target.hostname) ||
    target.hostname === base?.hostname ||
    rules.hosts.includes(target.hostname);
  if (!known) return "this host name is not the service's";
  if (origin === null) return null;
  if (rules.origins.includes(origin) || origin === base?.origin) return null;
  const source = origin !== "null" && URL.canParse(origin) ? new URL(origin) : null;
  if (source === null || source.origin !== origin) return "the Origin header is malformed";
  // The page and the endpoint are one host; or both are on this machine, as with an inspector on another port.
  if (source.host === target.host || (LOOPBACK.has(source.hostname) && LOOPBACK.has(target.hostname))) return null;
  return "pages of this origin may not call here";
}

function parseHost(host: string): URL | null {
  if (host === "" || /[\s/@?#\\]/.test(host) || !URL.canParse(`http://${host}`)) return null;
  return new URL(`http://${host}`);
}

/** sharedWith lets the browsers of pages at these origins ask, and show them what is answered. No credentials: what is public needs none. */
export function sharedWith(origins: readonly string[]): MiddlewareHandler {
  const share = cors({
    origin: [...origins],
    allowMethods: ["POST"],
    // Headers that clients of every revision send.
    allowHeaders: ["Accept", "Content-Type", "Last-Event-ID", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id"],
    exposeHeaders: ["RateLimit", "RateLimit-Policy", "Retry-After"],
    maxAge: 7200, // seconds; no browser keeps it longer
  });
  return (call, next) => (origins.includes(call.req.header("origin") ?? "") ? share(call, next) : next());
}

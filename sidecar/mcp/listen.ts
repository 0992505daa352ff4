/** Ordinary calls straight from Node's message: no Request, no Response and no stream is made for them, which together cost
 *  more than the call. Everything else is passed on as if it had not been looked at. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { CACHE } from "../../snapshots/http/reply.ts";
import { MAX_MCP_BYTES } from "../body.ts";
import type { McpEndpoint } from "./serve.ts";

/** As `sealResponse` seals the others, with the names as a Response writes them. */
const HEADERS = { "cache-control": CACHE.none, "content-type": "application/json", "x-content-type-options": "nosniff" };

/** @param otherwise answers what is no ordinary call; a body that was read already lies in the message's `rawBody`
 *  @param done told after each answer given here */
export function plainCallListener(
  endpoint: McpEndpoint,
  otherwise: RequestListener,
  done: (message: IncomingMessage, ms: number) => void = () => undefined,
): RequestListener {
  const answer = async (message: IncomingMessage, response: ServerResponse, bytes: Buffer): Promise<void> => {
    const started = performance.now();
    // What fails here fails again the general way, which says so to the caller and to the log.
    const text = await endpoint.plain?.(bytes, { get: (name) => message.headers[name]?.toString() ?? null }).catch(() => null);
    if (typeof text !== "string") {
      // The name under which getRequestListener looks for a body that somebody has read.
      otherwise(Object.assign(message, { rawBody: bytes }), response);
      return;
    }
    const body = Buffer.from(text);
    response.writeHead(200, { ...HEADERS, "content-length": body.length });
    response.end(body);
    done(message, performance.now() - started);
  };
  return (message, response) => {
    if (!isPlain(message)) {
      otherwise(message, response);
      return;
    }
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    // Who goes away while sending waits for nothing.
    message.on("error", () => undefined);
    message.on("end", () => {
      answer(message, response, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).catch(() => response.destroy());
    });
  };
}

/** A POST whose length is announced and within the limit: Node's parser lets no more through. */
function isPlain({ method, headers, rawHeaders }: IncomingMessage): boolean {
  const length = headers["content-length"];
  if (method !== "POST" || length === undefined || Number(length) > MAX_MCP_BYTES || headers["transfer-encoding"] !== undefined)
    return false;
  // Of a header that comes twice Node keeps the first, others join both: whatever that means is not for here to say.
  let once = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (ONCE.test(rawHeaders[at] as string)) once++;
  return once === 2;
}

const ONCE = /^(?:host|content-type)$/i;

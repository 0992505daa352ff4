/** A server behind a proxy that says what a test wants of it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { after, before } from "node:test";
import type { Ports } from "./fixture.ts";

/** startDouble returns a server that says of its answers whatever the query asks for, each with other bytes. */
export function startDouble(): { ports(): Ports; count(target: string): number; forget(): void; close(): void } {
  const counts = new Map<string, number>();
  let serial = 0;
  const PUBLIC = { "cache-control": "public, max-age=60, stale-while-revalidate=600" };
  const KINDS: Readonly<Record<string, Record<string, string>>> = {
    public: PUBLIC,
    private: { "cache-control": "private, no-store" },
    "no-store": { "cache-control": "no-store" },
    nothing: {},
    "max-age": { "cache-control": "max-age=60" },
    both: { "cache-control": "public, max-age=60, private" },
    cookie: { ...PUBLIC, "set-cookie": "a=b" },
    vary: { ...PUBLIC, vary: "Accept" },
    star: { ...PUBLIC, vary: "*" },
    kept: { "cache-control": "public, max-age=31536000, immutable, s-maxage=1", etag: '"same"' },
    brief: { "cache-control": "public, max-age=1, stale-while-revalidate=600" },
  };
  const answer = (message: IncomingMessage, response: ServerResponse): void => {
    const target = message.url ?? "";
    counts.set(target, (counts.get(target) ?? 0) + 1);
    const kind = target.slice(target.indexOf("?") + 1);
    const status = kind === "kept" && message.headers["if-none-match"] !== undefined ? 304 : 200;
    const of = { "x-snapshot": String(counts.get(target)) };
    setTimeout(
      () =>
        response
          .writeHead(status, { ...KINDS[kind], ...of, "x-saw-cookie": message.headers.cookie ?? "none" })
          .end(status === 304 ? "" : `answer ${++serial}`),
      kind === "brief" ? 200 : 0,
    );
  };
  const server = createServer(answer);
  let port = 0;
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
  });
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  after(close);
  return { ports: () => ({ port, sidecarPort: port }), close, count: (target) => counts.get(target) ?? 0, forget: () => counts.clear() };
}

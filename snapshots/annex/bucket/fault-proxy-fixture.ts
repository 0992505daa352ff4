/** A proxy in front of a store that fails as networks and stores do, at the requests that a test says. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** FAULTS are named so. cut: the connection ends before the request gets through; half: in the middle of the answer; lost: the request is done
 *  and its
 *  answer never comes; slow: it comes later; the others are answers of the store. */
export const FAULTS = ["cut", "half", "lost", "slow", "500", "503", "429"] as const;
export type Fault = (typeof FAULTS)[number];

export type FaultProxy = {
  readonly endpoint: string;
  /** Requests so far, as "GET /bucket/key?query". */
  readonly requests: string[];
  /** Says what happens to the n-th request, counted from zero since the last `reset`; null is nothing. */
  fault: (n: number, line: string) => Fault | "403" | null;
  /** Milliseconds added to every request. */
  delayMs: number;
  reset(): void;
  close(): Promise<void>;
};

const SLOW_MS = 150;
const CODES: Readonly<Record<string, string>> = { 403: "AccessDenied", 429: "TooManyRequests", 500: "InternalError", 503: "SlowDown" };

export async function openFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    incoming.on("error", () => {});
    outgoing.on("error", () => {});
    void serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const proxy: FaultProxy = {
    endpoint: "",
    requests: [],
    fault: () => null,
    delayMs: 0,
    reset() {
      count = 0;
      proxy.requests.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const line = `${incoming.method} ${incoming.url}`;
    const fault = proxy.fault(count++, line);
    proxy.requests.push(line);
    if (proxy.delayMs > 0) await sleep(proxy.delayMs, undefined, { ref: false });
    if (fault === "cut") return void incoming.socket.destroy();
    if (fault !== null && Object.hasOwn(CODES, fault)) {
      incoming.resume();
      outgoing.writeHead(Number(fault), { "content-type": "application/xml", connection: "close" });
      return void outgoing.end(`<?xml version="1.0"?><Error><Code>${CODES[fault]}</Code></Error>`);
    }
    if (fault === "slow") await sleep(SLOW_MS);
    const headers = incoming.headers;
    const passed = request({ hostname, port, method: incoming.method, path: incoming.url, headers, setHost: false, agent: false });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    passed.on("response", (answer) => {
      if (fault === "lost") {
        answer.resume();
        answer.once("end", () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      if (fault !== "half") return void answer.pipe(outgoing);
      // Head and half of the body. What has no body loses its end.
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("end", () => {
        const body = Buffer.concat(chunks);
        outgoing.write(body.subarray(0, body.length >> 1), () => incoming.socket.destroy());
        if (body.length === 0) incoming.socket.destroy();
      });
    });
    incoming.pipe(passed);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(proxy, { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

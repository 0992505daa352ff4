import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeFixture } from "../snapshots/contract/fixture.ts";
import { httpSuite, PUBLIC_SCRIPTS, SHARED_SCRIPTS, SITE_SCRIPTS, socketExchange } from "../snapshots/contract/suite.ts";
import { listen, type Listening, viewListener } from "../snapshots/http/listen.ts";
import type { ServerMessage, SiteServing } from "../snapshots/http/serving.ts";
import { openSiteView } from "./server.ts";

let fixture: Awaited<ReturnType<typeof makeFixture>>;
let listening: Listening;

before(async () => {
  fixture = await makeFixture();
  const view = openSiteView(
    { ...fixture, baseUrl: "http://library.example" },
    null,
    () => Date.parse("2026-04-03T01:00:00Z") + performance.now(),
  );
  await view.options.renderer?.();
  listening = await listen(viewListener(view), { port: 0, host: "127.0.0.1" });
});
after(async () => {
  await listening.close();
  await fixture.remove();
});

const servingOn = (port: number): SiteServing => {
  const { publicDir, dist, version } = fixture;
  return { part: "site", host: "127.0.0.1", port, baseUrl: "", publicDir, dist, version, operations: null, accessLog: false };
};
const exchange = socketExchange(() => listening.port);
httpSuite({ scripts: [...SITE_SCRIPTS, ...PUBLIC_SCRIPTS, ...SHARED_SCRIPTS], mount: "", fixture: () => fixture, exchange });

/** Bytes in, everything that comes back until the server closes or falls silent. */
function raw(text: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(listening.port, "127.0.0.1", () => socket.write(text));
    let found = "";
    socket.setTimeout(60_000, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk) => (found += chunk.toString("latin1")));
    socket.on("end", () => resolve(found));
    socket.on("error", (error) => (found === "" ? reject(error) : resolve(found)));
  });
}

test("bytes that are no HTTP are refused and harm nobody", async () => {
  const bad = [
    "\r\n\r\nGET\r\n\r\n",
    "GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    `GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(100_000)}\r\n\r\n`,
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nX\u0001: y\r\n\r\n",
  ];
  for (const text of bad) assert.match(await raw(text), /^HTTP\/1\.1 4\d\d /, JSON.stringify(text.slice(0, 60)));
  assert.equal((await exchange({ method: "GET", target: "/api/claims", headers: {} })).status, 200);
});

test("the whole address as target means its path, as proxies send it", async () => {
  for (const address of ["http://library.example/api/cubs/CUB-0001", "HTTP://other.example:8080/api/cubs/CUB-0001"]) {
    assert.match(
      await raw(`GET ${address} HTTP/1.1\r\nHost: library.example\r\nConnection: close\r\n\r\n`),
      /^HTTP\/1\.1 200 [\s\S]*"id":"CUB-0001"/,
    );
  }
  assert.match(await raw("GET http://library.example HTTP/1.1\r\nHost: library.example\r\nConnection: close\r\n\r\n"), /^HTTP\/1\.1 200 /);
});

test("raw bytes beyond ASCII in a target are refused or served as what they spell, never reflected", async () => {
  const answered = await raw(Buffer.from("GET /claims?\xff\xc3\xa9 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "latin1"));
  assert.match(answered, /^HTTP\/1\.1 (308|400) /);
  assert.doesNotMatch(answered.slice(0, answered.indexOf("\r\n\r\n")), /[^\x00-\x7e]/);
});

test("a body that nobody asked for does not reach the next request", async () => {
  const smuggled = "GET /api/cubs/CUB-0002 HTTP/1.1\r\nHost: x\r\n\r\n";
  const text = `GET /api/cubs/CUB-0001 HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}GET /api/cubs/CUB-0003 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  assert.deepEqual(
    [...(await raw(text)).matchAll(/"id":"(CUB-\d+)"/g)].map((match) => match[1]),
    ["CUB-0001", "CUB-0003"],
  );
});

test("requests in one go are answered in order", async () => {
  const ids = Array.from({ length: 20 }, (_, at) => `CUB-${String(at + 1).padStart(4, "0")}`);
  const text = ids
    .map((id, at) => `GET /api/cubs/${id} HTTP/1.1\r\nHost: x\r\n${at === ids.length - 1 ? "Connection: close\r\n" : ""}\r\n`)
    .join("");
  assert.deepEqual(
    [...(await raw(text)).matchAll(/"id":"(CUB-\d+)"/g)].map((match) => match[1]),
    ids,
  );
});

test("the process needs a message and nothing else, prints nothing, and ends when its starter does", async () => {
  const child = fork(fileURLToPath(new URL("main.ts", import.meta.url)), [], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    execArgv: [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const ready = new Promise<ServerMessage>((resolve) => child.once("message", (message) => resolve(message as ServerMessage)));
  child.send({ type: "serve", serving: servingOn(0) });
  const message = await ready;
  assert.equal(message.type, "ready");
  const url = message.type === "ready" ? message.url : "";
  assert.equal((await fetch(`${url}/api/claims`)).headers.get("x-snapshot"), fixture.public.current);
  const { components } = (await (await fetch(`${url}/api/capabilities`)).json()) as { components: { name: string; status: string }[] };
  assert.deepEqual(
    Object.fromEntries(components.map(({ name, status }) => [name, status]))["mcp"],
    "wired (opt-in)",
    "a sidecar may have it",
  );
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  child.disconnect();
  assert.equal(await ended, 0);
  assert.equal(printed, "");
});

test("told to stop, it answers whatever fifty kept-alive clients go on to ask, closes each connection with an answer, and ends", async () => {
  const child = fork(fileURLToPath(new URL("main.ts", import.meta.url)), [], {
    env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const ready = once(child, "message") as Promise<[ServerMessage]>;
  child.send({ type: "serve", serving: servingOn(0) });
  const [message] = await ready;
  const { port } = new URL(message.type === "ready" ? message.url : "");
  const targets = ["/api/claims", "/", "/api/list?prefix=notes/", "/objects/notes/short.md", "/api/search?q=zebra"];
  let asked = 0;
  const lost: string[] = [];
  const closed: boolean[] = [];
  const client = async (n: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let at = n; ; at++) {
      const target = targets[at % targets.length] ?? "";
      asked++;
      const header = await new Promise<string | undefined>((resolve, reject) => {
        // A query of its own each time: what is being made when the signal comes is answered, too.
        const sent = request({ port, path: target.includes("?") ? `${target}${at}` : target, agent }, (response) => {
          response.resume().on("end", () => resolve(response.headers.connection));
        });
        sent.on("error", reject).end();
      }).catch((error: Error) => {
        lost.push(`${target}: ${error.message}`);
        return "close";
      });
      if (header === "close") return void closed.push(true);
      // Some are idle when the signal comes, and ask in that very moment.
      await new Promise((resolve) => setTimeout(resolve, (at * 7) % 60));
    }
  };
  const clients = Array.from({ length: 50 }, (_, n) => client(n));
  while (asked < 500) await new Promise((resolve) => setTimeout(resolve, 10));
  const ended = once(child, "exit") as Promise<[number | null]>;
  child.kill("SIGTERM");
  await Promise.all(clients);
  assert.deepEqual([lost, closed.length, (await ended)[0]], [[], 50, 0]);
});

test("a port that is taken is said to the starter, by its code", async () => {
  const child = fork(fileURLToPath(new URL("main.ts", import.meta.url)), [], {
    env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const failed = new Promise<ServerMessage>((resolve) => child.once("message", (message) => resolve(message as ServerMessage)));
  child.send({ type: "serve", serving: servingOn(listening.port) });
  const message = await failed;
  assert.deepEqual([message.type, message.type === "failed" ? message.code : null], ["failed", "EADDRINUSE"]);
  child.disconnect();
});

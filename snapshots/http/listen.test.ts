import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { test, type TestContext } from "node:test";
import { listen, PATIENCE, type Patience, sendAnswer } from "./listen.ts";

const HURRY = { ...PATIENCE, headers: 150, request: 300, stalled: 300, idle: 300, check: 30 };
const CHUNK = Buffer.alloc(1024 * 1024);

/** Told when the large answer at a target has ended, and whether all of it was sent. Each test has targets of its own: an answer may end
 *  when the next test has begun. */
const onEnd = new Map<string, (whole: boolean) => void>();

function ending(target: string): Promise<boolean> {
  return new Promise((resolve) => onEnd.set(target, resolve));
}

/** Takes the whole request and answers "ok"; /large… is more than any connection buffers. */
const listener: RequestListener = (message, response) => {
  const target = message.url ?? "";
  const large = target.startsWith("/large");
  if (large) response.on("close", () => onEnd.get(target)?.(response.writableFinished));
  message.resume().on("end", () => {
    void sendAnswer(response, {
      status: 200,
      headers: {},
      body: large ? Readable.from(Array.from({ length: 64 }, () => CHUNK)) : Buffer.from("ok"),
    });
  });
};

async function start(t: TestContext, patience: Patience = HURRY): Promise<{ readonly port: number; serves(): Promise<void> }> {
  const listening = await listen(listener, { host: "127.0.0.1", port: 0 }, patience);
  t.after(() => {
    listening.server.closeAllConnections();
    return listening.close();
  });
  return {
    port: listening.port,
    async serves() {
      // On a busy machine even a good client is late for a server that is in such a hurry.
      for (let tries = 0; tries < 1_000; tries++) {
        const response = await fetch(listening.url, { method: "POST", body: "x" }).catch(() => null);
        if (response?.status === 200) return assert.equal(await response.text(), "ok");
      }
      assert.fail("others are not served");
    },
  };
}

async function open(port: number, sent: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(sent);
  return socket;
}

/** A reset is an end like any other: `once` would take it for a failure of ours. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once("close", () => resolve()));
}

test("a client that never ends its headers or its body is told 408 and closed, and others are served meanwhile", async (t) => {
  const { port, serves } = await start(t);
  for (const half of [
    "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
  ]) {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(port, half)));
    const ends = sockets.map(async (socket) => {
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
      // Drop by drop is not fast enough either.
      const drip = setInterval(() => socket.write("x"), 50);
      await closed(socket);
      clearInterval(drip);
      return text;
    });
    await serves();
    for (const text of await Promise.all(ends)) assert.match(text, /^(HTTP\/1\.1 408 |HTTP\/1\.1 400 |$)/);
    await serves();
  }
});

test("a client that does not read what it asked for is closed, and others are served meanwhile", async (t) => {
  const { port, serves } = await start(t);
  const ended = ending("/large-unread");
  const socket = await open(port, "GET /large-unread HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.pause();
  await serves();
  // A socket that is not read learns nothing of its end: the server has to say it.
  assert.equal(await ended, false);
  socket.destroy();
  await serves();
});

test("an idle connection is closed, one that is used goes on", async (t) => {
  const { port } = await start(t);
  const socket = await open(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const answers = (): number => text.split("HTTP/1.1 200").length - 1;
  for (let asked = 1; asked < 5; asked++) {
    while (answers() < asked) await once(socket, "data");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  await closed(socket);
  assert.equal(answers(), 5);
});

test("two Host headers are refused, whatever they say; one is answered", async (t) => {
  const { port, serves } = await start(t);
  for (const more of ["Host: y", "host: x", "HOST: x"]) {
    const socket = await open(port, `GET / HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`);
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    await closed(socket);
    assert.match(text, /^HTTP\/1\.1 400 /, more);
    assert.match(text, /"code":"bad_request"/);
  }
  await serves();
});

/** Sends requests in one go, and reads nothing yet. */
async function pipeline(port: number, targets: readonly string[]): Promise<Socket> {
  const socket = await open(port, targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
  return socket.pause();
}

test("of the requests that a client sends in one go, the next is begun when the answer before it has been taken", async (t) => {
  const begun: string[] = [];
  const listening = await listen(
    (message, response) => {
      begun.push(message.url ?? "");
      void sendAnswer(response, {
        status: 200,
        headers: { "Content-Length": String(64 * CHUNK.length) },
        body: Readable.from(Array(64).fill(CHUNK)),
      });
    },
    { host: "127.0.0.1", port: 0 },
  );
  t.after(async () => {
    listening.server.closeAllConnections();
    await listening.close();
  });
  const socket = await pipeline(listening.port, ["/1", "/2", "/3", "/4"]);
  const other = await fetch(`${listening.url}/other`);
  await other.arrayBuffer();
  assert.deepEqual(begun, ["/1", "/other"]);
  let got = 0;
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      got += chunk.length;
      if (got > 4 * 64 * CHUNK.length) resolve();
    });
    socket.resume();
  });
  assert.deepEqual(begun, ["/1", "/other", "/2", "/3", "/4"]);
  socket.destroy();
});

test("who lets more requests wait than a server holds for everybody loses the connection, and others are served", async (t) => {
  const { port, serves } = await start(t, PATIENCE);
  const ended = ending("/large-crowd");
  const sockets: Socket[] = [];
  for (let n = 0; n < 10; n++) sockets.push(await pipeline(port, ["/large-crowd", ...Array<string>(2_000).fill("/")]));
  assert.equal(await ended, false);
  await serves();
  for (const socket of sockets) socket.destroy();
});

test("a client that takes an answer drop by drop is closed, one that takes it at a fair rate gets all of it", async (t) => {
  const { port } = await start(t, { ...PATIENCE, check: 30, leeway: 64 * 1024 });
  const reading = async (bytes: number, pause: number): Promise<boolean> => {
    const ended = ending(`/large-${bytes}`);
    const socket = await pipeline(port, [`/large-${bytes}`]);
    let got = 0;
    const taking = setInterval(() => {
      for (let left = bytes; left > 0; ) {
        const chunk = (socket.read(Math.min(left, socket.readableLength)) ?? null) as Buffer | null;
        if (chunk === null) break;
        left -= chunk.length;
        got += chunk.length;
      }
    }, pause);
    const whole = await ended;
    clearInterval(taking);
    socket.destroy();
    assert.ok(whole || got < 64 * CHUNK.length);
    return whole;
  };
  assert.equal(await reading(1, 20), false);
  assert.equal(await reading(4 * CHUNK.length, 5), true);
});

import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { openHttpEmbedder } from "./embedder-http.ts";

type Asked = { readonly authorization: string | undefined; readonly body: { readonly model: string; readonly input: readonly string[] } };

let behave: (asked: Asked, response: ServerResponse) => void = () => {};
const asked: Asked[] = [];
const server = createServer(async (request: IncomingMessage, response) => {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part as Uint8Array);
  const entry: Asked = { authorization: request.headers.authorization, body: JSON.parse(Buffer.concat(parts).toString()) as Asked["body"] };
  asked.push(entry);
  behave(entry, response);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
const open = (timeoutMs = 5_000) => openHttpEmbedder({ baseUrl, model: "m", dimensions: 2, apiKey: "key", timeoutMs });
const send = (value: unknown) => (_: Asked, response: ServerResponse) =>
  void response.end(typeof value === "string" ? value : JSON.stringify(value));

test("a server that refuses, lies, drips or floods gives an error without its words, never a vector", async () => {
  const bad: [string, (asked: Asked, response: ServerResponse) => void][] = [
    ["status 500", (_, response) => void response.writeHead(500).end("secret stack")],
    ["redirect", (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
    ["no JSON", send("<html>secret")],
    ["another form", send({ data: "secret" })],
    ["too few", send({ data: [] })],
    ["too many", send({ data: [{ embedding: [1, 2] }, { embedding: [1, 2] }] })],
    ["other dimensions", send({ data: [{ index: 0, embedding: [1, 2, 3] }] })],
    ["all zero", send({ data: [{ index: 0, embedding: [0, 0] }] })],
    ["not finite", send('{"data":[{"index":0,"embedding":[1e999,0]}]}')],
    ["not finite as a float", send({ data: [{ index: 0, embedding: [1e300, 0] }] })],
    ["no numbers", send({ data: [{ index: 0, embedding: ["1", null] }] })],
    ["an index of another text", send({ data: [{ index: 7, embedding: [1, 2] }] })],
    [
      "a flood",
      (_, response) => {
        const flood = (): void => {
          while (!response.destroyed && response.write("x".repeat(1 << 20)));
        };
        response.on("drain", flood);
        flood();
      },
    ],
  ];
  for (const [name, how] of bad) {
    behave = how;
    await assert.rejects(open().embed(["text"]), (error: Error & { code: string }) => {
      assert.equal(error.code, "not_configured", name);
      assert.doesNotMatch(error.message, /secret/, name);
      return true;
    });
  }
  behave = () => {};
  await assert.rejects(open(50).embed(["text"]), /in time/);
});

test("vectors come in the order of the texts, at length 1, in requests of bounded size, with the key", async () => {
  asked.length = 0;
  behave = ({ body }, response) => {
    const data = body.input.map((text, index) => ({ index, embedding: [Number(text), 1] }));
    response.end(JSON.stringify({ object: "list", data: data.toReversed(), usage: {} }));
  };
  const texts = Array.from({ length: 150 }, (_, at) => String(at));
  const vectors = await open().embed(texts);
  vectors.forEach((vector, at) => {
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
    assert.ok(Math.abs((vector[0] ?? 0) / (vector[1] ?? 1) - at) < 0.01);
  });
  // A request of the test before, which gave up, may come late.
  const own = asked.filter(({ body }) => body.input[0] !== "text");
  assert.equal(own.length, 3);
  assert.ok(own.every(({ authorization, body }) => authorization === "Bearer key" && body.model === "m"));
  assert.deepEqual(await open().embed([]), []);
});

test("a caller that gave up is told so", async () => {
  behave = () => {};
  const controller = new AbortController();
  const waiting = open().embed(["text"], controller.signal);
  controller.abort(new Error("gone"));
  await assert.rejects(waiting, /gone/);
});

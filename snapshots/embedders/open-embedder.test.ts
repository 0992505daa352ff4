import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { openEmbeddedEmbedder } from "./embedder-embedded.ts";
import { openEmbedder } from "./open-embedder.ts";

const asked: { readonly path: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
const server = createServer((request, response) => {
  asked.push({ path: request.url, headers: request.headers });
  response.end(JSON.stringify({ data: [{ index: 0, embedding: [3, 4] }] }));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});
const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const model = { kind: "openai", baseUrl: "http://models.example/v1", model: "m", dimensions: 2 } as const;

test("AI_GATEWAY_ID sends texts to the gateway with its header and the key; the vectors count as the same model's", async () => {
  const { embedder } = await openEmbedder(model, {
    env: { AI_GATEWAY_ID: "route-7", INFERENCE_API_KEY: "key" },
    gateway: { baseUrl: `${here}/gateway/` },
  });
  assert.deepEqual(await embedder?.embed(["text"]), [Float32Array.of(0.6, 0.8)]);
  assert.deepEqual(
    [asked[0]?.path, asked[0]?.headers["ai-gateway-id"], asked[0]?.headers.authorization],
    ["/gateway/embeddings", "route-7", "Bearer key"],
  );
  const direct = await openEmbedder(model, { env: {}, gateway: { baseUrl: here } });
  assert.equal(direct.embedder?.id, embedder?.id);
});

test("a gateway that is asked for but not configured is not gone round", async () => {
  const { embedder, notice } = await openEmbedder(model, { env: { AI_GATEWAY_ID: "route-7" }, gateway: null });
  assert.equal(embedder, null);
  assert.match(notice, /gateway\.baseUrl/);
});

test("without the gateway's id the endpoint itself is asked; empty variables are none", async () => {
  const { embedder } = await openEmbedder(
    { ...model, baseUrl: `${here}/v1` },
    { env: { AI_GATEWAY_ID: "", INFERENCE_API_KEY: "" }, gateway: { baseUrl: "http://127.0.0.1:1" } },
  );
  await embedder?.embed(["text"]);
  const last = asked.at(-1);
  assert.deepEqual([last?.path, last?.headers["ai-gateway-id"], last?.headers.authorization], ["/v1/embeddings", undefined, undefined]);
});

test("switched off says how to switch it on; the embedded model is opened without being loaded", async () => {
  const off = await openEmbedder({ kind: "none" }, { env: {}, gateway: null });
  assert.equal(off.embedder, null);
  assert.match(off.notice, /embeddings in proofshelf\.yaml/);
  const { embedder } = await openEmbedder({ kind: "embedded" }, { env: {}, gateway: null });
  assert.equal(embedder?.dimensions, 512);
  await embedder?.close();
});

/** Ids of the processes that this one started. */
function children(): string[] {
  const ids = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim();
  return ids === "" ? [] : ids.split(" ");
}

test("a process of the embedded model that hangs is ended, and the next text gets another", {
  skip: process.platform !== "linux",
}, async () => {
  const embedder = openEmbeddedEmbedder({ threads: 1, taskMs: 10_000 });
  const [first] = await embedder.embed(["a puppy plays"]);
  process.kill(Number(children()[0]), "SIGSTOP");
  await assert.rejects(embedder.embed(["a kitten sleeps"]), { code: "not_configured" });
  assert.deepEqual(await embedder.embed(["a puppy plays"]), [first]);
  await embedder.close();
});

test("a process of the embedded model that is killed fails what it was doing and nothing else", {
  skip: process.platform !== "linux",
}, async () => {
  const { embedder } = await openEmbedder({ kind: "embedded" }, { env: {}, gateway: null, threads: 1 });
  assert.ok(embedder !== null);
  const [first] = await embedder.embed(["a puppy plays"]);
  const [child] = children();
  const under = embedder.embed(Array.from({ length: 100 }, (_, at) => `text number ${at}`));
  process.kill(Number(child), "SIGKILL");
  await assert.rejects(under, { code: "not_configured" });
  assert.deepEqual(await embedder.embed(["a puppy plays"]), [first], "the next text gets another process");
  const stopped = new AbortController();
  const stopping = embedder.embed(
    Array.from({ length: 100 }, (_, at) => `text number ${at}`),
    stopped.signal,
  );
  stopped.abort();
  await assert.rejects(stopping, { name: "AbortError" });
  await embedder.close();
  assert.deepEqual(children(), []);
});

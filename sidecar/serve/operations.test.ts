/** What an operator's tools are told on a port of their own, and the log of public reads: of the process as it is started. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { type SidecarProcess, startSidecarProcess } from "./process-fixture.ts";
import { openModelDouble } from "../ask/model-double.ts";
import { CANARY, GATED_KEY, makeViews } from "./view-fixture.ts";

const operationsOf = ({ ready }: SidecarProcess): string => {
  const url = /http:\/\/[\d.:]+/.exec(ready.notes?.find((note) => note.startsWith("Metrics at ")) ?? "")?.[0];
  assert.ok(url !== undefined, JSON.stringify(ready.notes));
  return url;
};

/** Value of a sample; its labels are written as they stand there. */
const valueOf = (metrics: string, sample: string): number => {
  const line = metrics.split("\n").find((text) => text.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? Number.NaN);
};

test("requests, models, rebuilds and the snapshot are counted on a port of their own, by route and without a name of anything", async (t) => {
  const views = await makeViews();
  const model = await openModelDouble();
  t.after(() => rmSync(views.folder, { recursive: true }));
  t.after(() => model.close());
  const sidecar = await startSidecarProcess(
    views,
    {
      operations: { host: "127.0.0.1", port: 0 },
      accessLog: true,
      answers: { baseUrl: model.baseUrl, model: "double" },
      reindexCommand: [process.execPath, "-e", "process.exit(1)"],
    },
    { REINDEX_TOKEN: "a-token-for-this-test" },
  );
  t.after(() => sidecar.child.kill());
  const operations = operationsOf(sidecar);
  const { url } = sidecar.ready;
  const read = async (path: string, init: RequestInit = {}): Promise<number> => {
    const response = await fetch(url + path, init);
    await response.arrayBuffer();
    return response.status;
  };
  assert.equal(await read("/objects/notes/sorting.md"), 200);
  assert.equal(await read("/objects/notes/sorting.md"), 200);
  assert.equal(await read(`/internal/objects/${GATED_KEY}`), 401);
  assert.equal(await read("/api/search?q=stable"), 200);
  assert.equal(await read(`/nobody/${CANARY}`), 404);
  const question = { method: "POST", headers: { "content-type": "application/json" }, body: '{"question":"Why is it stable?"}' };
  assert.equal(await read("/api/ask", question), 200);
  assert.equal(await read("/api/reindex", { method: "POST", headers: { authorization: "Bearer a-token-for-this-test" } }), 500);

  const response = await fetch(`${operations}/metrics`);
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const metrics = await response.text();
  for (const [sample, value] of [
    ['proofshelf_http_requests_total{route="object",status="200"}', 2],
    ['proofshelf_http_requests_total{route="internal-object",status="401"}', 1],
    ['proofshelf_http_requests_total{route="page",status="404"}', 1],
    ['proofshelf_http_request_duration_seconds_count{route="search"}', 1],
    ['proofshelf_rebuilds_total{outcome="build_failed"}', 1],
    ['proofshelf_refusals_total{status="401"}', 1],
    ['proofshelf_builds_total{outcome="published"}', 0],
    ["proofshelf_snapshot_sequence", 1],
  ] as const)
    assert.equal(valueOf(metrics, sample), value, `${sample}\n${metrics}`);
  assert.match(metrics, /^proofshelf_model_calls_total\{outcome="\w+"\} 1$/m);
  assert.ok(valueOf(metrics, "proofshelf_snapshot_age_seconds") >= 0);
  assert.ok(valueOf(metrics, "process_resident_memory_bytes") > 1e6);
  assert.doesNotMatch(metrics, new RegExp(`${CANARY}|sorting|stable`));
  assert.equal((await fetch(`${operations}/ready`)).status, 200);
  assert.equal((await fetch(`${operations}/api/catalog`)).status, 404);
  assert.equal(await read("/metrics"), 404, "not where readers are");
  assert.equal(await sidecar.stop(), 0);

  const lines = sidecar
    .errors()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const reads = lines.filter(({ msg }) => msg === "read");
  assert.deepEqual(reads.map(({ path, status }) => [path, status]).slice(0, 3), [
    ["/objects/notes/sorting.md", 200],
    ["/objects/notes/sorting.md", 200],
    ["/api/search", 200],
  ]);
  assert.equal(lines.filter(({ path }) => path === `/internal/objects/${GATED_KEY}`).length, 1, "once, and not as a public read too");
  assert.doesNotMatch(sidecar.errors(), /a-token-for-this-test/);
});

test("it is not ready without a snapshot, and a port that is taken is said", async (t) => {
  const views = await makeViews(false);
  t.after(() => rmSync(views.folder, { recursive: true }));
  const sidecar = await startSidecarProcess(views, { operations: { host: "127.0.0.1", port: 0 } });
  const operations = operationsOf(sidecar);
  assert.equal((await fetch(`${operations}/ready`)).status, 503);
  assert.equal(valueOf(await (await fetch(`${operations}/metrics`)).text(), "proofshelf_snapshot_sequence"), 0);
  await sidecar.stop();
  assert.doesNotMatch(sidecar.errors(), /"read"/, "public reads are logged only when that is asked for");

  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  await assert.rejects(startSidecarProcess(views, { operations: { host: "127.0.0.1", port } }), /EADDRINUSE/);
});

/** Shared by outage.test.ts and its slow tests. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { renameSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before } from "node:test";
import { Pool } from "undici";
import type { SidecarServing } from "../../snapshots/http/serving.ts";
import { Problem } from "../../snapshots/schema/resources.ts";
import { accessConfig, jwks, makeToken, SERVICE_SECRET } from "../gate/gate-fixture.ts";
import { openModelDouble, type ModelDouble } from "../ask/model-double.ts";
import { startSidecarProcess } from "./process-fixture.ts";
import { CANARY, CODE_TEXT, GATED_KEY, HEAD, makeViews, type Views } from "./view-fixture.ts";

/** Milliseconds after which a server has looked at the pointer of its shelf again. */
const LOOKED_AGAIN = 400;

/** Clients that go on reading public files whatever else is down. */
const READERS = 4;

export const PREPARED = ["/api/catalog", "/api/claims", "/api/list?prefix=notes/", "/api/openapi.json", "/llms.txt"];

/** OBJECT is read from the shelf each time: objects may be large. */
export const OBJECT = "/objects/notes/sorting.md";

export const PUBLIC = [...PREPARED, OBJECT];

export const CODE = `/api/code/sorting/${HEAD}/coq/Sort.v`;

export const SECRETS = {
  REINDEX_TOKEN: "canary-reindex-secret",
  INFERENCE_API_KEY: "canary-inference-secret",
  AI_GATEWAY_ID: "",
  AWS_SECRET_ACCESS_KEY: "canary-storage-secret",
};

const soon = Math.floor(Date.now() / 1000) + 600;

const token = makeToken({ exp: soon, nbf: soon - 1_200, iat: soon - 1_200 });

export const member = { "edge-access-token": token };

export const pair = { "edge-access-client-id": "ci.example", "edge-access-client-secret": SERVICE_SECRET };

export let views: Views;

export let model: ModelDouble;

export let keys: { server: Server; url: string; up: boolean };

before(async () => {
  views = await makeViews();
  model = await openModelDouble();
  model.behave(
    () =>
      'Insertion sort is stable because equal keys keep their order [1 "Insertion sort is stable because equal keys keep their order."].',
  );
  const server = createServer((_, response) => {
    if (keys.up) response.end(jwks);
    else response.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  keys = { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`, up: true };
});

after(async () => {
  await model.close();
  keys.server.close();
  rmSync(views.folder, { recursive: true });
});

type Answered = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly text: string };

type Running = {
  ask(method: "GET" | "POST", path: string, headers?: Readonly<Record<string, string>>, body?: string): Promise<Answered>;
  /** The code of the problem that a path answers, or its status when it is none. */
  problem(path: string, headers?: Readonly<Record<string, string>>): Promise<string>;
  /** Statuses of the public files that were read all the while; empties the list. */
  read(): Record<string, number>;
};

/** withSidecar starts the sidecar as a process, with readers at it for as long as `work` goes on; afterwards nothing that it said may hold a secret. */
export async function withSidecar(change: Partial<SidecarServing>, work: (running: Running) => Promise<void>): Promise<void> {
  const sidecar = await startSidecarProcess(
    views,
    { access: accessConfig({ jwks: keys.url }), answers: { baseUrl: model.baseUrl, model: "double" }, ...change },
    SECRETS,
  );
  let said = "";
  const pool = new Pool(sidecar.ready.url, { connections: 2 * READERS });
  const ask: Running["ask"] = async (method, path, headers = {}, body) => {
    const reply = await pool.request({ method, path, headers, body: body ?? null });
    const text = await reply.body.text();
    if (!headers["edge-access-token"] && !headers["edge-access-client-id"]) said += `${JSON.stringify(reply.headers)}${text}`;
    else said += JSON.stringify(reply.headers) + (reply.statusCode >= 400 ? text : "");
    return { status: reply.statusCode, headers: reply.headers, text };
  };
  let statuses: Record<string, number> = {};
  const enough = new AbortController();
  const readers = Array.from({ length: READERS }, async (_, reader) => {
    for (let at = reader; !enough.signal.aborted; at++) {
      const path = PUBLIC[at % PUBLIC.length] ?? "";
      const { statusCode, body } = await pool.request({ method: "GET", path });
      await body.dump();
      const outcome = statusCode === 200 ? "200" : `${path} ${statusCode}`;
      statuses[outcome] = (statuses[outcome] ?? 0) + 1;
    }
  });
  try {
    await work({
      ask,
      async problem(path, headers) {
        const { status, text, headers: sent } = await ask("GET", path, headers);
        if (!String(sent["content-type"]).startsWith("application/problem+json")) return String(status);
        const { code, status: named } = Problem.parse(JSON.parse(text));
        assert.equal(named, status);
        assert.match(String(sent["cache-control"]), /no-store/);
        return code;
      },
      read() {
        const taken = statuses;
        statuses = {};
        return taken;
      },
    });
  } finally {
    enough.abort();
    await Promise.all(readers);
    await pool.close();
    await sidecar.stop();
    said += sidecar.errors();
  }
  for (const secret of [
    ...Object.values(SECRETS).filter((value) => value !== ""),
    SERVICE_SECRET,
    token,
    token.split(".")[2] ?? "",
    CANARY,
    views.folder,
  ]) {
    assert.ok(
      !said.includes(secret),
      `${secret.slice(0, 40)} was said: ${said.slice(Math.max(0, said.indexOf(secret) - 300), said.indexOf(secret) + 100)}`,
    );
  }
}

export const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOKED_AGAIN));

export const question = (path = "/api/ask"): [method: "POST", path: string, headers: Record<string, string>, body: string] => [
  "POST",
  path,
  { "content-type": "application/json", ...(path === "/api/ask" ? {} : member) },
  '{"question":"Why is insertion sort stable?"}',
];

export async function assertAllWell({ ask, problem, read }: Running): Promise<void> {
  read();
  assert.equal((await ask("GET", "/internal/api/catalog", member)).status, 200);
  assert.match((await ask("GET", `/internal/objects/${GATED_KEY}`, pair)).text, new RegExp(CANARY));
  assert.equal((await ask("GET", CODE, member)).text, CODE_TEXT);
  assert.equal(await problem("/api/search?q=stable"), "200");
  assert.equal((JSON.parse((await ask(...question())).text) as { mode: string }).mode, "ai");
  assert.equal((await ask("GET", "/health")).status, 200);
  assert.deepEqual(Object.keys(read()), ["200"]);
}

/** without moves a folder away while `work` goes on; what stands there meanwhile is no folder that could be read. */
export async function without(path: string, work: () => Promise<void>): Promise<void> {
  renameSync(path, `${path}.away`);
  try {
    await settle();
    await work();
  } finally {
    // Opening an index makes its folder when there is none.
    rmSync(path, { recursive: true, force: true });
    renameSync(`${path}.away`, path);
  }
  await settle();
}

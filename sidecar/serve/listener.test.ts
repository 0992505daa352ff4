import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { openAdmission } from "../../snapshots/http/admission.ts";
import { ROUTES } from "../../snapshots/service/routes.ts";
import { Problem } from "../../snapshots/schema/resources.ts";
import { startSidecar } from "./app-fixture.ts";
import { accessConfig, clock, makeToken, readKeys, SERVICE_SECRET } from "../gate/gate-fixture.ts";
import { openGate } from "../gate/gate.ts";
import { CODE_TEXT, HEAD } from "./view-fixture.ts";

test("credential headers are found however the configuration and the client write their names", async () => {
  const { headers, ...access } = accessConfig();
  // As the configuration reader hands them over: the names of the interface, in its own letters.
  for (const names of [
    headers,
    { token: "Edge-Access-Token", clientId: "Edge-Access-Client-Id", clientSecret: "Edge-Access-Client-Secret" },
  ]) {
    const running = await startSidecar({ gate: openGate({ ...access, headers: names }, { now: clock, readKeys }) });
    for (const change of [(name: string) => name.toLowerCase(), (name: string) => name.toUpperCase()]) {
      const pair = { [change(names.clientId)]: "ci.example", [change(names.clientSecret)]: SERVICE_SECRET };
      for (const credentials of [pair, { [change(names.token)]: makeToken() }]) {
        assert.equal(
          (await running.send("GET", "/internal/api/catalog", credentials)).status,
          200,
          JSON.stringify(Object.keys(credentials)),
        );
      }
    }
    await running.listening.close();
    rmSync(running.views.folder, { recursive: true });
  }
});

test("alone it answers its own routes as ever, and of the public files, pages and queries not one, however they are spelled", async (context) => {
  const whole = await startSidecar();
  const alone = await startSidecar({}, true, true);
  context.after(async () => {
    for (const running of [whole, alone]) {
      await running.listening.close();
      rmSync(running.views.folder, { recursive: true });
    }
  });
  const member = { "edge-access-token": makeToken() };
  const fill = (path: string): string =>
    path
      .replace("{repo}", "sorting")
      .replace("{head}", HEAD)
      .replace("{path...}", "coq/Sort.v")
      .replace("{key...}", "notes/sorting.md")
      .replace("{prefix...}", "notes/")
      .replace("{id}", "CUB-0007")
      .replace("{sha256}", "0".repeat(64));
  for (const { id, path, kind, access, methods } of ROUTES) {
    const own = kind === "effect" || kind === "live";
    for (const method of [...methods, "DELETE"]) {
      for (const headers of access === "public" ? [{}] : [{}, member]) {
        const target = fill(path) + (path.endsWith("search") ? "?q=stable" : "");
        const body = method === "POST" ? '{"question":"Where?"}' : undefined;
        const [expected, got] = [await whole.send(method, target, headers, body), await alone.send(method, target, headers, body)];
        if (!own) {
          assert.equal(got.status, 404, `${method} ${target}`);
          if (method !== "HEAD") assert.match(Problem.parse(JSON.parse(got.body)).detail, /own routes/, target);
          continue;
        }
        assert.equal(got.status, expected.status, `${method} ${target} of ${id}`);
        // Each has a library of its own, published at a time of its own.
        const dated = ROUTES.some((other) => other.kind === "history" && `internal-${other.id}` === id);
        for (const name of ["cache-control", "content-type", ...(dated ? [] : ["etag"]), "www-authenticate"])
          assert.equal(got.headers[name], expected.headers[name], `${target} ${name}`);
      }
    }
  }
  assert.equal((await alone.send("GET", `/api/code/sorting/${HEAD}/coq/Sort.v`, member)).body, CODE_TEXT);
  assert.match((await alone.send("GET", "/internal/objects/notes/sorting.md", member)).body, /stable/);
  assert.notEqual((await alone.send("GET", "/ask/?question=Why%20is%20it%20stable%3F")).status, 404);
  for (const target of [
    "/",
    "/assets/a.css",
    "/api/list?prefix=notes/",
    "/search/?q=x",
    "/at/0/api/search?q=x",
    "//api/ask",
    "/api/ask/",
    "/health/",
    "/INTERNAL/",
    "http://x/api/catalog",
    "/x/../internal/",
    "/objects/notes/sorting.md",
  ]) {
    const { status, headers, body } = await alone.send("GET", target, member);
    assert.deepEqual([status, headers["cache-control"], /stable/.test(body)], [404, "no-store", false], target);
  }
});

test("a Host that is missing or no name is a problem that nobody keeps, on every way into the app", async (context) => {
  const running = await startSidecar();
  context.after(async () => {
    await running.listening.close();
    rmSync(running.views.folder, { recursive: true });
  });
  const raw = (line: string, host: string | null): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = "";
      const socket = connect(running.listening.port, "127.0.0.1", () =>
        socket.write(`${line}\r\n${host === null ? "" : `Host: ${host}\r\n`}Connection: close\r\nContent-Length: 0\r\n\r\n`),
      );
      socket
        .setEncoding("utf8")
        .on("data", (chunk: string) => (text += chunk))
        .on("end", () => resolve(text))
        .on("error", reject);
    });
  const requests = [
    "POST /api/ask",
    "GET /api/ai-search?q=x",
    "POST /mcp",
    "POST /internal/api/ask",
    "POST /api/reindex",
    "GET /ask/?question=x",
  ];
  for (const request of requests) {
    for (const [version, host] of [
      ["1.1", "a b"],
      ["1.1", "x@y"],
      ["1.1", "x/y"],
      ["1.1", "["],
      ["1.1", ""],
      ["1.0", null],
    ] as const) {
      const [head = "", body = ""] = (await raw(`${request} HTTP/${version}`, host)).split("\r\n\r\n");
      assert.match(head, /^HTTP\/1\.1 400 /, `${request} ${host}`);
      assert.match(head, /^cache-control: private, no-store$/im, `${request} ${host}`);
      assert.match(head, /^content-type: application\/problem\+json$/im);
      assert.equal(Problem.parse(JSON.parse(body)).code, "bad_request");
    }
  }
});

test("a whole address in the request line is its path, at the gate as elsewhere", async () => {
  const running = await startSidecar();
  const member = { "edge-access-token": makeToken() };
  for (const start of ["http://x", "HTTP://library.example:8080", "https://user@x"]) {
    for (const path of ["/internal/api/catalog", "/internal/api/ai-search?q=stable", `/api/code/sorting/${HEAD}/coq/Sort.v`]) {
      assert.equal((await running.send("GET", start + path)).status, 401, start + path);
      assert.equal((await running.send("GET", start + path, member)).status, 200, start + path);
    }
    assert.equal((await running.send("GET", `${start}/api/catalog`)).status, 200);
    assert.equal((await running.send("POST", `${start}/api/ask`, {}, '{"question":"Where?"}')).status, 200);
    assert.equal((await running.send("GET", `${start}/x/../internal/api/catalog`, member)).status, 400);
  }
  await running.listening.close();
  rmSync(running.views.folder, { recursive: true });
});

test("gated bytes that nobody takes use up the same budget as public ones, and give it back", async () => {
  const MB = 1024 * 1024;
  const long = "Qed.".repeat(4 * MB + 1);
  const running = await startSidecar({ admission: openAdmission({ limit: MB, patience: 200 }) }, true, false, long);
  const member = { "edge-access-token": makeToken() };
  const sockets: Socket[] = [];
  let refused = 0;
  for (let n = 0; n < 40 && refused === 0; n++) {
    const socket = connect(running.listening.port, "127.0.0.1");
    sockets.push(socket);
    socket.write(
      `GET /api/code/sorting/${HEAD}/coq/Sort.v HTTP/1.1\r\nHost: x\r\nEdge-Access-Token: ${member["edge-access-token"]}\r\n\r\n`,
    );
    const [head] = (await once(socket, "data")) as [Buffer];
    socket.pause();
    if (head.toString().startsWith("HTTP/1.1 503")) refused++;
    else assert.match(head.toString(), /^HTTP\/1\.1 200/);
  }
  assert.equal(refused, 1, "the fortieth reader is still let in");
  for (const path of ["/internal/objects/notes/sorting.md", "/objects/notes/sorting.md"]) {
    const told = await running.send("GET", path, member);
    assert.deepEqual([told.status, told.headers["retry-after"], Problem.parse(JSON.parse(told.body)).code], [503, "1", "overloaded"], path);
  }
  assert.equal((await running.send("GET", "/internal/api/capabilities", member)).status, 200);
  const waiting = running.send("GET", "/internal/objects/notes/sorting.md", member);
  for (const socket of sockets) socket.destroy();
  assert.equal((await waiting).status, 200);
  for (let n = 0; n < 40; n++) assert.equal((await running.send("GET", `/internal/api/claims?n=${n}`, member)).status, 400);
  assert.equal((await running.send("GET", "/internal/api/catalog", member)).status, 200, "refusals give back what they took");
  await running.listening.close();
  rmSync(running.views.folder, { recursive: true });
});

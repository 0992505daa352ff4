/** Many readers who take nothing: what they hold is bounded, and everybody else is answered or told when to come back. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openDirectoryShelf } from "../shelf/shelf-directory.ts";
import { publishTiny, TINY, tinyData } from "../verify/tiny-shelf-fixture.ts";
import { listen, viewListener } from "./listen.ts";
import { openAdmission } from "./admission.ts";
import { openView } from "./view.ts";
import { SERVICE } from "../service/service.ts";

const MB = 1024 * 1024;
/** More than two systems buffer for one connection. */
const LONG = "notes/long.md";

test("readers who take nothing use up the budget; then others are 503 with Retry-After, health and what is prepared answer, and room comes back", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-under-way-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const source = { ...TINY, objects: [...TINY.objects, { key: LONG, text: "0123456789abcdef".repeat(2 * MB) }] };
  const shelf = openDirectoryShelf(root);
  await publishTiny(shelf, tinyData(source, "public"), source);
  const runtime = { version: "1", components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } };
  const view = openView({ service: SERVICE, view: "public", shelf, renderer: null, index: null, runtime, now: Date.now, listing: null });
  const listening = await listen(viewListener(view, openAdmission({ limit: MB, patience: 200 })), { host: "127.0.0.1", port: 0 });
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    listening.server.closeAllConnections();
    await listening.close();
  });
  const ask = async (path: string): Promise<{ status: number; headers: Headers; text: string }> => {
    const response = await fetch(listening.url + path, { headers: { "accept-encoding": "identity" } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  assert.equal((await ask("/api/claims")).status, 200);

  let refused = 0;
  for (let n = 0; n < 40 && refused === 0; n++) {
    const socket = connect(listening.port, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
    socket.write(`GET /objects/${LONG} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [head] = (await once(socket, "data")) as [Buffer];
    socket.pause();
    if (head.toString().startsWith("HTTP/1.1 503")) refused++;
    else assert.match(head.toString(), /^HTTP\/1\.1 200/);
  }
  assert.equal(refused, 1, "the fortieth reader is still let in");
  assert.ok(sockets.length > 10, "room for few");
  const told = await ask("/api/catalog");
  assert.deepEqual([told.status, told.headers.get("retry-after"), told.headers.get("cache-control")], [503, "1", "no-store"]);
  assert.equal((JSON.parse(told.text) as { code: string }).code, "overloaded");
  assert.equal((await ask("/health")).status, 200);
  assert.equal((await ask("/api/capabilities")).status, 200);
  assert.equal((await ask("/api/claims")).status, 200, "what is prepared costs no room");
  const waiting = ask("/api/list");
  for (const socket of sockets) socket.destroy();
  assert.equal((await waiting).status, 200, "who waits has a turn when readers go");
  assert.equal((await ask("/api/catalog")).status, 200);
});

test("a body that many are sent counts once, until the last of them has it", async () => {
  const admission = openAdmission({ limit: MB, patience: 10 });
  const body = Buffer.alloc(MB - 300 * 1024);
  const turns = [];
  for (let n = 0; n < 100; n++) {
    const turn = await admission.begin();
    turn.hold(body);
    turns.push(turn);
  }
  const other = await admission.begin();
  other.hold(Buffer.alloc(300 * 1024));
  const last = turns.pop();
  for (const turn of turns) turn.end();
  await assert.rejects(admission.begin(), { code: "overloaded" });
  last?.end();
  (await admission.begin()).end();
});

/** A stranger asks to be let in: what he is told, what he is not told, and what he cannot do. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { appendLine, readRequests } from "../../../snapshots/annex/requests/index.ts";
import { changed } from "../../../snapshots/http/changed-fixture.ts";
import { openRenderer } from "../../../snapshots/page/renderer.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import type { AccessConfig } from "../../../snapshots/schema/index.ts";
import { accessConfig, clock, readKeys } from "../../gate/gate-fixture.ts";
import { openGate } from "../../gate/gate.ts";
import { problemResponse } from "../../http/respond.ts";
import { type Running, startSidecar } from "../../serve/app-fixture.ts";
import { openRequests } from "./requests.ts";

const BROWSER = { accept: "text/html" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
let folder: string;
let file: string;
let access: AccessConfig;
let running: Running;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "requests-"));
  file = join(folder, "requests.jsonl");
  access = accessConfig({ requests: file, policy: { emails: ["ada@example.org"] } });
  const requests = openRequests(() => access, { baseUrl: "http://test", log: { info: () => undefined } });
  const renderer = await openRenderer(join(import.meta.dirname, "../../..", "site", "dist"));
  const plain = await startSidecar();
  await plain.listening.close();
  const { publicView } = plain.views;
  running = await startSidecar({
    gate: requests.withRequests(openGate(() => access, { now: clock, readKeys })),
    publicView: changed(publicView, { options: { ...publicView.options, renderer: async () => renderer } }),
    // Beside it a sign-in that refuses.
    signIn: (request) =>
      new URL(request.url).pathname === "/internal/signed-in"
        ? problemResponse(new ShelfError("forbidden", "You are signed in, but the policy does not let you in."), "http://test")
        : requests.answer(request),
  });
});
after(async () => {
  await running.listening.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (body: string, headers: Record<string, string> = {}) =>
  running.send("POST", "/internal/request", { ...FORM, ...headers }, body);

test("the page of a refusal has the form; what it sends waits, and its page says what was decided", async () => {
  const refused = await running.send("GET", "/internal/browse/drafts/", BROWSER);
  assert.equal(refused.status, 401);
  assert.match(refused.body, /<form[^>]*method="post"[^>]*action="[^"]*\/internal\/request"/);
  const sent = await ask("email=grace%40example.org&reason=I+review+%3Cb%3E");
  assert.equal(sent.status, 303);
  const place = sent.headers.location ?? "";
  assert.match((await running.send("GET", place)).body, /grace@example\.org asked .*It waits/);
  const [request] = readRequests(file);
  assert.deepEqual([request?.email, request?.reason, request?.state], ["grace@example.org", "I review <b>", "waiting"]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  appendLine(file, { id: request?.id ?? "", at: new Date().toISOString(), state: "refused", note: "<i>No</i>" });
  const decided = await running.send("GET", place);
  assert.match(decided.body, /It was refused.*&lt;i&gt;No/);
  assert.equal(decided.headers["cache-control"], "private, no-store");
});

test("whoever the sign-in refuses sees the same page, with the form", async () => {
  const { status, headers, body } = await running.send("GET", "/internal/signed-in?code=x", BROWSER);
  assert.deepEqual([status, headers["content-type"]], [403, "text/html; charset=utf-8"]);
  assert.match(body, /You are signed in, and not let in[^]*action="[^"]*\/internal\/request"/);
  assert.equal((await running.send("GET", "/internal/signed-in?code=x")).headers["content-type"], "application/problem+json");
});

test("nobody learns whether an address is let in already, and nobody is let in by asking", async () => {
  const [known, unknown] = [await ask("email=ada%40example.org"), await ask("email=eve%40evil.test")];
  const told = await Promise.all([known, unknown].map(async ({ headers }) => (await running.send("GET", headers.location ?? "")).body));
  assert.equal(told[0]?.replace("ada@example.org", ""), told[1]?.replace("eve@evil.test", ""));
  assert.equal((await running.send("GET", "/internal/api/list")).status, 401);
});

test("what is no request is refused: no address, too long, from a page elsewhere, an id that is guessed, another method", async () => {
  const before = readFileSync(file, "utf8");
  for (const body of ["", "email=nobody", `email=a%40b.c&reason=${"x".repeat(501)}`, "email=a%40b.c%0A%7B%7D"])
    assert.equal((await ask(body)).status, 400, body.slice(0, 30));
  assert.equal((await ask(`email=${"x".repeat(9_000)}`)).status, 413);
  assert.equal((await ask("email=a%40b.c", { origin: "https://evil.test" })).status, 403);
  for (const id of ["", "?id=", "?id=1", "?id=00000000-0000-4000-8000-000000000000"])
    assert.equal((await running.send("GET", `/internal/request${id}`)).status, 404, id);
  assert.equal((await running.send("DELETE", "/internal/request")).status, 404);
  assert.equal(readFileSync(file, "utf8"), before);
});

test("a full file takes no more, a damaged line says nothing, and without a file there is neither form nor address", async () => {
  const kept = readFileSync(file);
  writeFileSync(file, `{"id":1}\n\nnonsense\n${kept.toString()}{"id":`);
  assert.ok(readRequests(file).length >= 3);
  writeFileSync(file, Buffer.alloc(1024 * 1024 + 1, "\n"));
  assert.equal((await ask("email=a%40b.c")).status, 503);
  access = accessConfig({ requests: null });
  assert.equal((await ask("email=a%40b.c")).status, 401);
  assert.doesNotMatch((await running.send("GET", "/internal/browse/", BROWSER)).body, /internal\/request/);
});

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openRenderer } from "../../snapshots/page/renderer.ts";
import { changed } from "../../snapshots/http/changed-fixture.ts";
import type { View } from "../../snapshots/http/view.ts";
import { type Running, startSidecar } from "../serve/app-fixture.ts";
import { openGate } from "./gate.ts";
import { accessConfig, clock, makeToken, readKeys } from "./gate-fixture.ts";
import { GATED_KEY, HEAD, CANARY } from "../serve/view-fixture.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const THERE = `/api/code/sorting/${HEAD}/coq/Sort.v`;
const NOT_THERE = `/api/code/sorting/${HEAD}/coq/Else.v`;

let running: Running;

before(async () => {
  const renderer = await openRenderer(join(import.meta.dirname, "../..", "site", "dist"));
  const withPages = (view: View): View => changed(view, { options: { ...view.options, renderer: async () => renderer } });
  const gate = openGate(accessConfig({ signIn: "https://gateway.example.org/", contact: "library@example.org" }), { now: clock, readKeys });
  const plain = await startSidecar();
  await plain.listening.close();
  running = await startSidecar({ gate, publicView: withPages(plain.views.publicView) });
});
after(() => running.listening.close());

test("a person who has not signed in sees a page that says how, with the refusal's own status and headers", async () => {
  for (const target of [THERE, "/internal/browse/drafts/", `/internal/objects/${GATED_KEY}`]) {
    const { status, headers, body } = await running.send("GET", target, BROWSER);
    assert.equal(status, 401, target);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cache-control"], "private, no-store");
    assert.match(headers["www-authenticate"] ?? "", /^Bearer/);
    assert.match(body, /<h1[^>]*>Only for those who are let in<\/h1>/);
    assert.match(body, /href="https:\/\/gateway\.example\.org\/"/);
    assert.match(body, /href="mailto:library@example\.org"/);
    assert.doesNotMatch(body, new RegExp(`${CANARY}|drafts|Sort`));
  }
});

test("the page is the same to the byte whether or not the thing exists, and nothing gated is looked up for it", async () => {
  running.takeCalls();
  const stranger = { ...BROWSER, "edge-access-token": makeToken({ email: "eve@evil.test" }) };
  for (const headers of [BROWSER, stranger]) {
    const [there, not] = [await running.send("GET", THERE, headers), await running.send("GET", NOT_THERE, headers)];
    assert.equal(there.body, not.body);
    const { date: _, ...same } = there.headers;
    const { date: __, ...other } = not.headers;
    assert.deepEqual(same, other);
  }
  assert.match((await running.send("GET", THERE, stranger)).body, /You are signed in, and not let in/);
  assert.equal(running.takeCalls(), 0);
});

test("a program gets a problem body, and who is let in gets the bytes", async () => {
  const program = await running.send("GET", THERE, { accept: "*/*" });
  assert.equal(program.headers["content-type"], "application/problem+json");
  const reader = await running.send("GET", THERE, { ...BROWSER, "edge-access-token": makeToken() });
  assert.equal(reader.status, 200);
  assert.match(reader.body, /Lemma insert_keeps_sorted/);
});

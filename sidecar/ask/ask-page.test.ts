import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { askForm } from "../../snapshots/page/ask-page.ts";
import { openRenderer, type Renderer } from "../../snapshots/page/renderer.ts";
import { changed } from "../../snapshots/http/changed-fixture.ts";
import type { View } from "../../snapshots/http/view.ts";
import type { AnswerModel } from "./answer-model.ts";
import { createApp } from "../serve/app.ts";
import { makeParts } from "../serve/app-fixture.ts";
import { addressOf, type LogEntry, type SidecarParts } from "../serve/passage.ts";
import { makeToken } from "../gate/gate-fixture.ts";
import { ask } from "./ask.ts";
import { askOptions, drain, makeLibrary } from "./ask-fixture.ts";
import { openAsk } from "./library.ts";
import { openRateLimiter } from "../http/limits.ts";
import { CANARY, makeViews, type Views } from "../serve/view-fixture.ts";

let views: Views;
let renderer: Renderer;
before(async () => {
  views = await makeViews();
  renderer = await openRenderer(join(import.meta.dirname, "../..", "site", "dist"));
});
after(() => rmSync(views.folder, { recursive: true }));

const withPages = (view: View): View => changed(view, { options: { ...view.options, renderer: async () => renderer } });

function openApp(change: Partial<SidecarParts> = {}, model: AnswerModel | null = null) {
  const log: LogEntry[] = [];
  const parts = makeParts({ publicView: withPages(views.publicView), internalView: withPages(views.internalView) }, log, {
    ask: openAsk({ model, deadline: 1_000, delimiter: () => "delimiter" }),
    ...change,
  });
  const app = createApp(parts);
  return {
    log,
    get: async (target: string, headers: Record<string, string> = {}, method = "GET") => {
      const place = parts.publicView.options.service.router.findPlace(target);
      return app.fetch(new Request(`http://test${target}`, { headers, method }), { place, address: addressOf(place) });
    },
  };
}

const QUESTION = `/ask/?question=${encodeURIComponent("Why is insertion sort stable?")}`;
const member = { "edge-access-token": makeToken() };

test("a model that obeys what an excerpt says gets no markup, link or image into the page", async () => {
  const obedient: AnswerModel = {
    name: `<img src=x onerror=alert(1)>`,
    async *write() {
      yield `![pixel](https://evil.example/p.png) <script>alert(1)</script> [1]\n`;
      yield `Insertion sort is stable because equal keys keep their order [1 "Insertion sort is stable because equal keys keep their order."].\n`;
    },
  };
  const response = await openApp({}, obedient).get(QUESTION);
  const html = await response.text();
  assert.equal(response.status, 200);
  assert.match(html, /Insertion sort is stable because equal keys keep their order[^<]*<a class="cite" href="#c1">\[1\]<\/a>/);
  // The source that carries the instructions is quoted as one, as text; the answer has nothing of it.
  assert.doesNotMatch(html, /<script>alert|<img|(?:href|src)="[^"]*evil/);
  assert.doesNotMatch(/<div data-answer[^]*?<\/div>/.exec(html)?.[0] ?? "evil", /evil|pixel/);
  assert.match(html, /Written by &lt;img src=x onerror=alert\(1\)(?:>|&gt;)/);
});

test("q is heard as question, as the search has it", async () => {
  const { get } = openApp();
  const html = await (await get(QUESTION.replace("question=", "q="))).text();
  assert.match(html, /value="Why is insertion sort stable\?"/);
  assert.match(html, /data-answer/);
});

test("a question that is empty, too long or odd gives the page with a reason, and the form keeps it", async () => {
  const { get, log } = openApp();
  for (const [question, reason] of [
    ["", /is empty/],
    ["x".repeat(501), /longer than 500/],
    [" ", /is empty/],
  ] as const) {
    const response = await get(`/ask/?question=${encodeURIComponent(question)}`);
    assert.equal(response.status, 400);
    assert.match(await response.text(), reason);
  }
  for (const target of [
    "/ask/?question=%00%ff",
    "/ask/?question=%E2%80%AE%3Cscript%3E",
    "/ask/?question=a&question=b",
    "/ask/?question=x&prefix=%2E%2E%2F",
  ]) {
    assert.equal((await get(target)).status, 200, target);
  }
  assert.ok(
    log.every(({ path }) => path === "/ask/"),
    "a question is a reader's own business",
  );
});

test("an answer is for this reader now: no cache, no crawler and no other site's script keeps it", async () => {
  const { get } = openApp();
  const response = await get(QUESTION);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("x-robots-tag"), "noindex");
  assert.equal(response.headers.get("access-control-allow-origin"), null);
  assert.match(response.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
  const head = await get(QUESTION, {}, "HEAD");
  assert.equal(head.status, 200);
  assert.equal(head.headers.get("cache-control"), "no-store");
  assert.equal((await get(QUESTION, {}, "POST")).status, 405);
});

test("the page's citations and its receipt are those of the API, and open the lines in the snapshot", async () => {
  const { get } = openApp();
  const response = await get(QUESTION);
  const html = await response.text();
  const snapshot = response.headers.get("x-snapshot") ?? "";
  assert.match(
    html,
    new RegExp(`href="\\.\\./at/${snapshot}/object/notes/sorting\\.md/\\?lines=3-7&amp;quote=Insertion%20sort%20is%20stable[^"]*#quote"`),
  );
  assert.match(
    html,
    /<blockquote dir="auto">Insertion sort is stable because equal keys keep their order\.\nIts worst case needs n squared comparisons\.[^<]*memory\.<\/blockquote>/,
  );
  const receipt = JSON.parse(decodeURIComponent(/href="data:application\/json;charset=utf-8,([^"]*)"/.exec(html)?.[1] ?? "")) as {
    readonly snapshot: string;
    readonly question: string;
  };
  assert.equal(receipt.snapshot, snapshot);
  assert.equal(receipt.question, "Why is insertion sort stable?");
});

test("the gated view answers behind the gate alone, and what is gated is in no public answer", async () => {
  const { get } = openApp();
  const question = `/ask/?question=${encodeURIComponent(`Where does ${CANARY.split("-")[0]} sleep in drafts?`)}`;
  assert.equal((await get(`/internal${question}`)).status, 401);
  const inside = await get(`/internal${question}`, member);
  assert.equal(inside.headers.get("cache-control"), "private, no-store");
  const html = await inside.text();
  assert.match(html, /sleeps in the drafts/);
  assert.match(html, /data-api="\.\.\/library\/api\/ask"/);
  const outside = await (await get(question)).text();
  assert.doesNotMatch(outside, new RegExp(`sleeps|drafts/|${CANARY}`));
});

test("a client's questions are counted with those of the API, and the refusal is a page", async () => {
  const { get } = openApp({
    limits: openRateLimiter({ monotonic: () => 0, rates: { search: 9, mcp: 9, ask: 2, "ai-search": 9, code: 9 } }),
  });
  assert.equal((await get(QUESTION)).status, 200);
  assert.equal((await get(QUESTION)).status, 200);
  const refused = await get(QUESTION);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("retry-after"), "60");
  assert.match(await refused.text(), /role="alert"/);
});

test("each question that the page offers is answered from what is there, whatever the library holds", async () => {
  const { get } = openApp();
  const offered = [...(await (await get("/ask/")).text()).matchAll(/href="[^"]*(\?question=[^"]+)"/g)].map(([, query]) => query);
  assert.equal(offered.length, 3);
  const named = offered.find((query) => query?.includes("What+is"));
  assert.match(await (await get(`/ask/${named}`)).text(), /data-status[^>]*>Answered\. Looked up in this snapshot; no model wrote this\./);
  const library = makeLibrary();
  const { claims } = library.data;
  for (const change of [{}, { claims: { ...claims, claims: [] } }, { cubs: [] }, { cubs: [], claims: { ...claims, claims: [] } }]) {
    const data = { ...library.data, ...change };
    const { examples } = askForm(data);
    assert.equal(new Set(examples).size, 3, examples.join());
    for (const question of examples) {
      const { answer } = await drain(ask({ question, prefix: "" }, { ...library, data }, askOptions()));
      assert.deepEqual([answer.finding, answer.citations], [undefined, []], `${question}: ${answer.answer}`);
    }
  }
});

import type { OpenSnapshot } from "../../snapshots/query/open-snapshot.ts";
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { ShelfError } from "../../snapshots/errors.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import type { Embedder } from "../../snapshots/embed/embedder.ts";
import type { SearchQuery } from "../../snapshots/query/search.ts";
import { startSidecar } from "../serve/app-fixture.ts";
import { openAsk, wholeAnswer } from "./library.ts";
import { openSemantic } from "./semantic.ts";
import { makeViews, type Views } from "../serve/view-fixture.ts";

/** One direction for everything but what names insertion, and a failure on demand. */
function toy(): Embedder & { calls: number; failure: Error | null } {
  return {
    id: "toy",
    dimensions: 2,
    calls: 0,
    failure: null,
    close: async () => {},
    async embed(texts) {
      this.calls++;
      if (this.failure !== null) throw this.failure;
      return texts.map((text) => Float32Array.from(/insert/i.test(text) ? [1, 0] : [0, 1]));
    },
  };
}

let views: Views;
let open: OpenSnapshot;
const embedder = toy();
const parse = (q: string): SearchQuery => ({ q, prefix: "", limit: 20 });
before(async () => {
  views = await makeViews();
  open = (await views.publicView.current()) as OpenSnapshot;
});
after(() => rmSync(views.folder, { recursive: true }));

async function makeVectors(): Promise<void> {
  const index = await openIndex(views.publicShelf.indexUri);
  await index.embed({ tag: open.snapshot.id, embedder: toy(), cacheUri: null });
  index.close();
}

test("without a model, before its vectors and after them, capabilities and answers agree", async () => {
  const none = openSemantic({ embedder: null, notice: "Configure embeddings.", model: "" });
  assert.deepEqual(await none.tool(parse("x"), open), { mode: "unavailable", notice: "Configure embeddings.", results: [] });
  assert.equal(none.embedder, null);
  assert.deepEqual(await none.component(open), { name: "semantic search", status: "wired (opt-in)", note: "Configure embeddings." });

  const semantic = openSemantic({ embedder, notice: "", model: "toy" });
  assert.equal((await semantic.component(null)).status, "unavailable");
  assert.equal((await semantic.component(open)).status, "unavailable");
  assert.match((await semantic.tool(parse("x"), open)).notice, /not made yet/);
  await makeVectors();
  assert.deepEqual(await semantic.component(open), {
    name: "semantic search",
    status: "live",
    note: "hybrid with full text, vectors by toy",
  });
  const { mode, results } = await semantic.tool(parse("insert"), open);
  assert.ok(results.length > 1);
  assert.deepEqual((await semantic.tool({ ...parse("insert"), limit: 1 }, open)).results, results.slice(0, 1));
  assert.equal(mode, "semantic");
  assert.match(results[0]?.sha256 ?? "", /^[0-9a-f]{64}$/);
  assert.ok((results[0]?.chunks.length ?? 0) > 0);
});

test("no text is near a name that stands nowhere: it finds nothing, or a name that is near it, and that is said", async () => {
  const semantic = openSemantic({ embedder, notice: "", model: "toy" });
  const before = embedder.calls;
  for (const name of ["zq9f0b7d614e858a", "insert_nonfb_25", "CUB-2701", "Nope::zorp", "wibbleWobbleThing", "0x7fffdeadbee1"])
    assert.deepEqual(await semantic.tool(parse(name), open), { mode: "semantic", notice: "", results: [] }, name);
  assert.equal(embedder.calls, before);
  const near = await semantic.tool(parse("insert_keeps_sortde"), open);
  assert.equal(near.did_you_mean, "insert_keeps_sorted");
  assert.ok(near.results.length > 0);
});

test("a model that fails is left alone for a while, is told as unavailable, and asking does without it", async () => {
  let now = 0;
  const model = toy();
  const semantic = openSemantic({ embedder: model, notice: "", model: "toy", now: () => now });
  model.failure = new ShelfError("not_configured", "The embedding model toy could not be reached.");
  assert.match((await semantic.tool(parse("insert"), open)).notice, /toy could not be reached/);
  assert.equal((await semantic.component(open)).status, "unavailable");
  model.failure = new Error("secret of the machine");
  for (let at = 0; at < 5; at++) assert.equal((await semantic.tool(parse("insert"), open)).mode, "unavailable");
  assert.equal(model.calls, 1);
  const ask = openAsk({ model: null, deadline: 1_000, delimiter: () => "delimiter" }, semantic);
  const running = await startSidecar({ ask, semantic: semantic.tool });
  const answer = JSON.parse((await running.send("POST", "/api/ask", {}, '{"question":"Why is insertion sort stable?"}')).body) as {
    sources: unknown[];
  };
  assert.ok(answer.sources.length > 0);
  await running.listening.close();
  rmSync(running.views.folder, { recursive: true });
  now += 20_000;
  assert.doesNotMatch((await semantic.tool(parse("insert"), open)).notice, /secret/);
  assert.equal(model.calls, 2);
  now += 20_000;
  model.failure = null;
  assert.equal((await semantic.tool(parse("insert"), open)).mode, "semantic");
  assert.equal((await semantic.component(open)).status, "live");
});

test("a model that never answers is given up in time and left alone, and asking does without it; a caller who gives up says nothing of it", async () => {
  const model: Embedder & { calls: number; ended: number } = {
    ...toy(),
    ended: 0,
    embed(_, signal) {
      this.calls++;
      signal?.addEventListener("abort", () => this.ended++);
      return new Promise(() => undefined);
    },
  };
  const patient = openSemantic({ embedder: model, notice: "", model: "toy", limitMs: 60_000 });
  const gone = new AbortController();
  const asked = [patient.tool(parse("insert"), open, gone.signal), patient.tool(parse("insert"), open, gone.signal)] as const;
  while (model.calls < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  gone.abort();
  assert.equal((await asked[0]).mode, "unavailable");
  assert.equal((await asked[1]).mode, "unavailable");
  assert.equal((await patient.tool(parse("insert"), open, gone.signal)).mode, "unavailable");
  assert.deepEqual([model.calls, model.ended], [2, 2]);
  assert.equal((await patient.component(open)).status, "live");

  const semantic = openSemantic({ embedder: model, notice: "", model: "toy", limitMs: 20 });
  const { mode, notice, results } = await semantic.tool(parse("insert"), open);
  assert.deepEqual([mode, results], ["unavailable", []]);
  assert.match(notice, /not embedded in time by toy.* \/api\/search meanwhile/);
  assert.equal((await semantic.component(open)).status, "unavailable");
  const ask = openAsk({ model: null, deadline: 1_000, delimiter: () => "delimiter" }, semantic);
  const { sources } = await wholeAnswer(ask({ question: "Why is insertion sort stable?", prefix: "" }, open, new AbortController().signal));
  assert.ok(sources.length > 0);
  assert.equal(model.calls, 3, "it rests");
});

test("asking goes on by words when meaning cannot be had because its vectors cannot be opened", async () => {
  const ask = openAsk(
    { model: null, deadline: 1_000, delimiter: () => "delimiter" },
    { embedder: { ...toy(), embed: () => Promise.reject(new ShelfError("search_unavailable", "The vectors cannot be opened.")) } },
  );
  const { notice, sources } = await wholeAnswer(
    ask({ question: "Why is insertion sort stable?", prefix: "" }, open, new AbortController().signal),
  );
  assert.ok(sources.length > 0);
  assert.doesNotMatch(notice, /Search is not available/);
});

test("a kept snapshot is searched under /at/ in both views, and the gate stands before the internal one", async () => {
  const semantic = openSemantic({ embedder, notice: "", model: "toy" });
  const running = await startSidecar({ semantic: semantic.tool });
  const id = (await running.views.publicView.current())?.snapshot.id ?? "";
  const found = await running.send("GET", `/at/${id}/api/ai-search?q=insert`);
  assert.equal(found.status, 200);
  assert.equal(found.headers["cache-control"], "no-store");
  assert.equal((JSON.parse(found.body) as { snapshot: string }).snapshot, id);
  assert.equal((await running.send("GET", `/at/${"0".repeat(64)}/api/ai-search?q=insert`)).status, 404);
  assert.equal((await running.send("GET", `/at/x/api/ai-search?q=insert`)).status, 404);
  assert.equal((await running.send("GET", `/at/${id}/api/ai-search`)).status, 400);
  assert.equal((await running.send("POST", `/at/${id}/api/ai-search?q=insert`)).status, 405);
  assert.equal((await running.send("GET", `/internal/at/${id}/api/ai-search?q=insert`)).status, 401);
  await running.listening.close();
  rmSync(running.views.folder, { recursive: true });
});

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { CODE_TEXT } from "./view-fixture.ts";
import { PREPARED, OBJECT, CODE, SECRETS, member, views, model, withSidecar, question, assertAllWell, without } from "./outage-fixture.ts";

test("the whole shelf goes and comes back: what is known is served, what is not is 503, and nothing is 404 or 500", async () => {
  await withSidecar({}, async (running) => {
    await assertAllWell(running);
    await without(join(views.folder, "shelf"), async () => {
      running.read();
      for (const path of PREPARED) assert.equal(await running.problem(path), "200", path);
      assert.equal(await running.problem(OBJECT), "snapshot_damaged");
      assert.equal(await running.problem(OBJECT, { range: "bytes=0-3" }), "snapshot_damaged");
      assert.equal(await running.problem("/objects/notes/none.md"), "object_not_found");
      assert.match(await running.problem("/internal/api/catalog", member), /^(200|snapshot_damaged)$/);
      assert.equal(await running.problem("/internal/api/catalog"), "unauthenticated");
      assert.equal((await running.ask("GET", CODE, member)).text, CODE_TEXT);
      for (const path of ["/api/ask", "/internal/library/api/ask"])
        assert.match(String((await running.ask(...question(path))).status), /^(200|503)$/, path);
      // An index that is open may go on for as long as it holds what it needs.
      for (const word of ["stable", "sort", "none"])
        assert.match(await running.problem(`/api/search?q=${word}%20away`), /^(200|search_unavailable)$/);
      assert.match(await running.problem("/internal/api/search?q=stable%20away", member), /^(200|search_unavailable)$/);
      assert.equal(await running.problem("/api/ai-search?q=stable"), "200");
      assert.match(String((await running.ask("GET", "/health")).status), /^(200|503)$/);
      for (const outcome of Object.keys(running.read())) assert.match(outcome, /^200$|^\/objects\/.* 503$/);
    });
    await assertAllWell(running);
  });
});

test("a model that breaks off or fails leaves the best passages and a notice; the code store's end is a 503", async () => {
  await withSidecar({}, async (running) => {
    await assertAllWell(running);
    const good = model.calls.length;
    const behaviours = [
      (_: unknown, response: { destroy(): void }) => (response.destroy(), null),
      (_: unknown, response: { writeHead(status: number): { end(text: string): void } }) => (
        response.writeHead(500).end(SECRETS.INFERENCE_API_KEY), null
      ),
    ];
    for (const behaviour of behaviours) {
      model.behave(behaviour);
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, at) => running.ask(...question(at % 2 === 0 ? "/api/ask" : "/internal/library/api/ask"))),
      );
      for (const { status, text } of replies) {
        const answer = JSON.parse(text) as { mode: string; notice: string; sources: unknown[] };
        assert.deepEqual([status, answer.mode, answer.sources.length > 0, answer.notice === ""], [200, "search", true, false]);
      }
    }
    assert.ok(model.calls.length > good);
    model.behave(
      () =>
        'Insertion sort is stable because equal keys keep their order [1 "Insertion sort is stable because equal keys keep their order."].',
    );
    await without(views.codeRoot, async () => {
      assert.equal(await running.problem(CODE, member), "code_store_unavailable");
      assert.equal(await running.problem(CODE), "unauthenticated");
    });
    await assertAllWell(running);
  });
});

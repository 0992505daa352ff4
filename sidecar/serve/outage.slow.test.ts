/** Pointer, index and keys that fail under a sidecar that serves. */
import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PUBLIC, CODE, member, pair, views, keys, withSidecar, settle, question, assertAllWell, without } from "./outage-fixture.ts";

test("a pointer that cannot be read, or is nonsense, leaves the last good snapshot served and health says so", async () => {
  await withSidecar({}, async (running) => {
    await assertAllWell(running);
    const pointer = join(views.folder, "shelf", "public", "current.json");
    await without(pointer, async () => {
      mkdirSync(pointer);
      await settle();
      for (const path of PUBLIC) assert.equal(await running.problem(path), "200", path);
      const health = JSON.parse((await running.ask("GET", "/health")).text) as { status: string };
      assert.equal(health.status, "warn");
    });
    await assertAllWell(running);
  });
});

test("a process that starts while its index is gone serves files and says 503 to searches, and searches when it is back", async () => {
  const away = ["public", "internal"].map((view) => join(views.folder, "shelf", view, "index"));
  for (const path of away) renameSync(path, `${path}.away`);
  await withSidecar({}, async (running) => {
    for (const path of PUBLIC) assert.equal(await running.problem(path), "200", path);
    assert.equal(await running.problem("/api/search?q=stable"), "search_unavailable");
    assert.equal(await running.problem("/internal/api/search?q=stable", member), "search_unavailable");
    assert.equal(await running.problem("/internal/api/search?q=stable"), "unauthenticated");
    assert.equal(await running.problem("/api/ai-search?q=stable"), "200");
    assert.equal(JSON.parse((await running.ask("GET", "/health")).text).status, "warn");
    const asked = await running.ask(...question());
    assert.match(String(asked.status), /^(200|503)$/);
    for (const path of away) {
      rmSync(path, { recursive: true, force: true });
      renameSync(`${path}.away`, path);
    }
    await assertAllWell(running);
  });
});

test("keys that could never be read are 503 for tokens while pairs go on; keys that were read outlast their source", async () => {
  keys.up = false;
  await withSidecar({}, async (running) => {
    assert.equal(await running.problem("/internal/api/catalog", member), "keys_unavailable");
    assert.equal(await running.problem(CODE, member), "keys_unavailable");
    assert.equal(await running.problem("/internal/api/catalog", pair), "200");
    assert.equal(await running.problem("/internal/api/catalog"), "unauthenticated");
    keys.up = true;
    // Asked for again at most once a second.
    for (let at = 0; at < 2_000 && (await running.problem("/internal/api/catalog", member)) !== "200"; at++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await assertAllWell(running);
    keys.up = false;
    await assertAllWell(running);
  }).finally(() => (keys.up = true));
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openView } from "../../http/view.ts";
import { SERVICE } from "../../service/service.ts";
import { openDirectoryShelf } from "../../shelf/shelf-directory.ts";
import { publishTiny, TINY, tinyData, type TinySource } from "../../verify/tiny-shelf-fixture.ts";
import { newsHtml } from "./news.ts";

test("what got weaker is news of each publication in which it did, also where a later one has the same snapshot again", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-news-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const shelf = openDirectoryShelf(root);
  const weak: TinySource = { ...TINY, claims: (TINY.claims ?? []).map((claim) => ({ ...(claim as object), status: "partial" })) };
  for (const [day, source] of [TINY, TINY, weak, TINY, weak].entries())
    await publishTiny(shelf, tinyData(source, "public"), source, { created: `2026-02-0${day + 1}T00:00:00Z` });
  const runtime = { version: "1", components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } };
  const view = openView({ service: SERVICE, view: "public", shelf, renderer: null, index: null, runtime, now: Date.now, listing: null });
  const open = await view.current();
  assert.ok(open !== null);
  const days = [...(await newsHtml(open, "/")).matchAll(/datetime="2026-02-0(\d)/g)].map(([, day]) => day);
  assert.deepEqual([...new Set(days)], ["5", "3"]);
});

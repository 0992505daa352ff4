/** What is made again when a file of this program is edited: tried in a copy of it, with its own command line. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { BuildSummary } from "./summary.ts";
import { writeFixture } from "../testing/library.ts";
import { copyProgram } from "../testing/program-copy.ts";

test("a build after an edit makes again what that file made: of the listener nothing, of the extractor extracts, of a component pages", {
  timeout: 280_000,
}, async (t) => {
  const { folder, copy, node, edited, remove } = copyProgram();
  t.after(remove);
  const config = await writeFixture(join(folder, "library"));
  await wait(100);
  const build = (): BuildSummary => JSON.parse(node(join(copy, "generator/cli.ts"), "build", "--json", "--config", config)) as BuildSummary;
  const first = build();
  const nothing = { read: 0, rendered: 0, indexed: 0 };
  const listener = edited("snapshots/http/listen.ts", "\n// A comment.\n", build);
  assert.deepEqual([listener.published, listener.work], [false, nothing]);
  const extractor = edited("generator/extract/markdown.ts", "\n// A comment.\n", build);
  assert.deepEqual([extractor.published, extractor.work], [false, { ...nothing, read: first.work.read }]);
  const settled = build();
  assert.deepEqual(settled.work, { ...nothing, read: first.work.read }, "and back");
  const component = edited("site/components/crumbs.astro", "\n<span>Another crumb</span>\n", build);
  assert.deepEqual([component.published, component.work], [true, { ...nothing, rendered: first.work.rendered }]);
});

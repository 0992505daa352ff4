import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { openIndex } from "../../snapshots/index/open.ts";
import { semantic } from "../../snapshots/query/semantic.ts";
import { writeFiles } from "../testing/library.ts";
import { filesUnder } from "../testing/shelf-files.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { NOTES, configure, makeLibrary, model, openEndpoint, quiet, serve, status } from "./embed-fixture.ts";
import { build, embedViews, openShelves } from "../testing/whole.ts";

test("nothing new embeds nothing and loads neither engine nor model; one changed object embeds its own passages; a changed model starts anew", async (t) => {
  const endpoint = await openEndpoint(t);
  const { dir, file, config } = await makeLibrary(t, null);
  await build(config, quiet, PLAIN_PARTS);
  const first = await embedViews(config, quiet);
  assert.deepEqual([first.model, first.written, first.embedded, first.complete, first.notice], ["embedded", 3, 3, true, ""]);
  const script = `import { readFileSync } from "node:fs"; import { openConfig } from ${JSON.stringify(new URL("../config/config.ts", import.meta.url).href)}; import { embedViews } from ${JSON.stringify(new URL("./embed.ts", import.meta.url).href)}; import { ANNEXES } from ${JSON.stringify(new URL("../annexes.ts", import.meta.url).href)};
    const done = await embedViews(await openConfig(${JSON.stringify(file)}), ANNEXES);
    console.log(JSON.stringify({ ...done, engine: process.report.getReport().sharedObjects.some((name) => name.includes("lancedb")), processes: process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length }));`;
  const again = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })) as Record<
    string,
    unknown
  >;
  assert.deepEqual([again["written"], again["embedded"], again["complete"], again["engine"], again["processes"]], [0, 0, true, false, 0]);

  await writeFiles(
    dir,
    [["library/notes/rain.md", "# Weather\n\nIt will snow tomorrow in the north.\n"]],
    new Date("2026-05-01T00:00:00Z"),
  );
  await build(config, quiet, PLAIN_PARTS);
  const one = await embedViews(config, quiet);
  assert.deepEqual([one.written, one.embedded], [1, 1]);

  const changed = await configure(file, endpoint.yaml);
  await build(changed, quiet, PLAIN_PARTS);
  const other = await embedViews(changed, quiet);
  assert.deepEqual([other.model, other.written, endpoint.texts, other.complete], ["toy", 3, 3, true]);
  assert.equal((await embedViews(await configure(file, null), quiet)).written, 0, "the first model's are still there");
  const off = await embedViews(await configure(file, "{ kind: none }"), quiet);
  assert.deepEqual([off.model, off.complete, off.notice], ["none", false, ""]);
});

test("gated texts show in no public vector, result, score or order, and in no file of the public index", async (t) => {
  const queries = [
    "young dogs running around",
    "heliotrope gardens behind the wall",
    "cost of borrowing",
    "wet weather",
    "notes/dog.md",
    "zzz",
  ];
  const publicResults = async (gated: string): Promise<unknown> => {
    const { dir, config } = await makeLibrary(t, null, [...NOTES, ["library/drafts/secret.md", `# Secret\n\n${gated}\n`]]);
    await build(config, quiet, PLAIN_PARTS);
    assert.equal((await embedViews(config, quiet)).complete, true);
    const shelves = openShelves(config);
    const find = async (view: "public" | "internal"): Promise<unknown[]> => {
      const index = await openIndex(shelves[view].indexUri);
      const reader = await index.at((await shelves[view].readPointer())?.snapshot ?? "");
      const found = [];
      for (const q of queries) found.push(await semantic(reader, model, { q, prefix: "", limit: 20 }));
      reader.close();
      index.close();
      return found;
    };
    assert.match(JSON.stringify(await find("internal")), /CANARY-GATED/, "the internal view finds it");
    for (const { path, bytes } of filesUnder(join(dir, "shelf", "public")))
      assert.doesNotMatch(bytes.toString("latin1"), /CANARY-GATED|drafts\/secret/, path);
    return find("public");
  };
  const one = await publicResults("CANARY-GATED heliotrope gardens lie behind the wall, and puppies play there.");
  const two = await publicResults("CANARY-GATED of another kind: interest rates of banks, rain and more rain, over many words.");
  assert.deepEqual(one, two);
  assert.doesNotMatch(JSON.stringify(one), /CANARY/);
});

test("served without embeddings: the answer is 200 and says what to configure", async (t) => {
  const { file, config } = await makeLibrary(t, "{ kind: none }");
  await build(config, quiet, PLAIN_PARTS);
  const { url } = await serve(t, "--config", file);
  const response = await fetch(`${url}/api/ai-search?q=rain`);
  const body = (await response.json()) as { mode: string; notice: string; results: unknown[] };
  assert.deepEqual([response.status, body.mode, body.results], [200, "unavailable", []]);
  assert.match(body.notice, /embeddings in proofshelf\.yaml/);
  assert.equal((await status(url))?.status, "wired (opt-in)");
});

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { openIndex } from "../../snapshots/index/open.ts";
import { semantic } from "../../snapshots/query/semantic.ts";
import { writeFiles } from "../testing/library.ts";
import { filesUnder } from "../testing/shelf-files.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { PLAIN_CLI } from "../testing/serving-process.ts";
import { until } from "../testing/until.ts";
import { NOTES, configure, makeLibrary, model, openEndpoint, quiet } from "./embed-fixture.ts";
import { build, embedViews, openShelves } from "../testing/whole.ts";

/** `serve` as a process, until the test ends. */
async function serve(t: TestContext, ...args: string[]): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [PLAIN_CLI, "serve", "--json", "--no-rate-limits", "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  });
  for await (const chunk of child.stdout) return { url: (JSON.parse(String(chunk)) as { url: string }).url, child };
  throw new Error("the server did not start");
}

async function status(url: string): Promise<{ readonly status: string; readonly note: string } | undefined> {
  const { components } = (await (await fetch(`${url}/api/capabilities`)).json()) as {
    components: { name: string; status: string; note: string }[];
  };
  return components.find(({ name }) => name === "semantic search");
}

test("an endpoint that is down fails no build, is told in words of ours, and the next build makes what is missing", async (t) => {
  const endpoint = await openEndpoint(t);
  const { file } = await makeLibrary(t, endpoint.yaml);
  endpoint.up = false;
  // A process of its own: the endpoint has to answer meanwhile.
  const run = async (...args: string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> => {
    const child = spawn(process.execPath, [PLAIN_CLI, "build", ...args, "--config", file], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, "close")) as [number];
    return { code, stdout, stderr };
  };
  const first = await run("--json");
  assert.equal(first.code, 0);
  assert.equal((JSON.parse(first.stdout) as { published: boolean }).published, true);
  assert.match(first.stderr, /^Note: .*toy answered with status 503.*The next build/m);
  assert.doesNotMatch(first.stdout + first.stderr, /CANARY/);
  assert.match((await run()).stdout, /Nothing has changed.*\n[^]*Note: .*status 503/);
  endpoint.up = true;
  const third = await run();
  assert.match(third.stdout, /Nothing has changed[^]*Made vectors of 3 passages/);
  assert.equal(endpoint.texts, 3, "nothing is gated: both views have one index, and its vectors");
  assert.doesNotMatch((await run()).stdout, /vectors/);
});

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

test("served: a paraphrase is found, every query gets an answer, and a new snapshot says when its vectors are made", async (t) => {
  const { dir, file, config } = await makeLibrary(t, null);
  const { url } = await serve(t, "--build", "--config", file);
  await until("the first vectors", async () => (await status(url))?.status === "live");
  type Found = {
    mode: string;
    notice: string;
    snapshot: string;
    results: { key: string; sha256: string; score: number; chunks: { text: string; start_line: number }[] }[];
  };
  const search = async (q: string, mount = "", more = ""): Promise<Found> =>
    (await (await fetch(`${url}${mount}/api/ai-search?q=${encodeURIComponent(q)}${more}`)).json()) as Found;

  const young = await search("young dogs running around");
  assert.equal(young.mode, "semantic");
  assert.equal(young.results[0]?.key, "notes/dog.md");
  assert.match(young.results[0]?.chunks[0]?.text ?? "", /puppy plays/);
  assert.deepEqual(
    (await search("young dogs running around", "", "&prefix=notes/r")).results.map(({ key }) => key),
    ["notes/rain.md"],
  );
  const answer = (await (
    await fetch(`${url}/api/ask`, {
      method: "POST",
      body: JSON.stringify({ question: "young dogs running around" }),
      headers: { "content-type": "application/json" },
    })
  ).json()) as { sources: { key: string }[] };
  assert.equal(answer.sources[0]?.key, "notes/dog.md", "asking finds it by its meaning too");
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "ai_search", arguments: { query: "young dogs running around" } },
  };
  const tool = await (
    await fetch(`${url}/mcp`, {
      method: "POST",
      body: JSON.stringify(call),
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    })
  ).text();
  assert.match(tool, /\\?"mode\\?":\\?"semantic/);

  const awkward = fc.oneof(
    fc.string({ unit: "binary", maxLength: 600 }),
    fc.string({ maxLength: 40 }),
    fc.constantFrom(
      '"',
      "(",
      "a AND",
      "title:*",
      "' OR 1=1 --",
      "\\",
      "%",
      "\0",
      "💥".repeat(300),
      "x".repeat(500),
      "x".repeat(501),
      "x ".repeat(250),
    ),
  );
  const send = async (query: string): Promise<void> => {
    const response = await fetch(`${url}/api/ai-search?${query}`);
    const body = (await response.json()) as { detail?: string };
    assert.ok(response.status === 200 || (response.status === 400 && (body.detail ?? "") !== ""), `${response.status} ${query}`);
  };
  await fc.assert(
    fc.asyncProperty(awkward, awkward, (q, prefix) =>
      send(`q=${encodeURIComponent(q.toWellFormed())}&prefix=${encodeURIComponent(prefix.toWellFormed())}`),
    ),
    { numRuns: 60 },
  );
  for (const raw of ["q=%", "q=%ff%fe", "q=%00", "q", "", "q=a&q=b", "q=a&limit=3", "q=%C3%28"]) await send(raw);

  await writeFiles(dir, [["library/notes/ship.md", "# Harbour\n\nA vessel sails across the ocean.\n"]]);
  await build(config, quiet, PLAIN_PARTS);
  await until("the switch", async () => (await search("x")).snapshot !== young.snapshot);
  const early = await search("boat trip over the sea");
  assert.deepEqual([early.mode, early.results], ["unavailable", []]);
  assert.match(early.notice, /not made yet/);
  assert.match((await status(url))?.note ?? "", /not made yet/);
  const old = await search("young dogs running around", `/at/${young.snapshot}`);
  assert.deepEqual(old, young, "the snapshot before has its own");
  await embedViews(config, quiet);
  const late = await search("boat trip over the sea");
  assert.deepEqual([late.mode, late.results[0]?.key], ["semantic", "notes/ship.md"]);
  assert.equal((await fetch(`${url}/at/${"0".repeat(64)}/api/ai-search?q=x`)).status, 404);
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

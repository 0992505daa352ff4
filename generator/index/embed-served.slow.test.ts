/** Vectors as processes make and serve them. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import fc from "fast-check";
import { writeFiles } from "../testing/library.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { PLAIN_CLI } from "../testing/serving-process.ts";
import { until } from "../testing/until.ts";
import { makeLibrary, openEndpoint, quiet, serve, status } from "./embed-fixture.ts";
import { build, embedViews } from "../testing/whole.ts";

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

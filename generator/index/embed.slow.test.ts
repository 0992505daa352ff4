/** Builds that are ended while they make vectors. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { PLAIN_CLI } from "../testing/serving-process.ts";
import { makeLibrary, quiet, openEndpoint } from "./embed-fixture.ts";
import { build, embedViews, openShelves, verifyLibrary } from "../testing/whole.ts";

test("a build that is killed while it embeds has said its summary, leaves its snapshot served, and the next goes on where it was", async (t) => {
  const endpoint = await openEndpoint(t);
  const many = Array.from({ length: 300 }, (_, at) => [`library/notes/${at}.md`, `# Number ${at}\n\nText ${at}.\n`] as const);
  const { file, config } = await makeLibrary(t, endpoint.yaml, many);
  endpoint.hangAfter = 256;
  const child = spawn(process.execPath, [PLAIN_CLI, "build", "--json", "--config", file], { stdio: ["ignore", "pipe", "ignore"] });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  await endpoint.hanging;
  child.kill("SIGKILL");
  await once(child, "close");
  const served = await openShelves(config).public.readPointer();
  assert.equal(served?.sequence, 1);
  assert.match(stdout, /^\{.*\}\n$/);
  assert.equal((JSON.parse(stdout) as { snapshot: string }).snapshot, served.snapshot);
  endpoint.hangAfter = Infinity;
  const before = endpoint.texts;
  assert.equal(before, 256);
  assert.equal((await build(config, quiet, PLAIN_PARTS)).published, false);
  const { complete, written } = await embedViews(config, quiet);
  assert.deepEqual(
    [complete, written, endpoint.texts],
    [true, 44, 300],
    "the 44 that were missing of the one index, which serves both views",
  );
});

test("Ctrl-C while vectors are made says how many are kept, ends at once, and the next build makes only the others", async (t) => {
  const endpoint = await openEndpoint(t);
  const many = Array.from({ length: 300 }, (_, at) => [`library/notes/${at}.md`, `# Number ${at}\n\nText ${at}.\n`] as const);
  const { file, config } = await makeLibrary(t, endpoint.yaml, many);
  endpoint.hangAfter = 256;
  const child = spawn(process.execPath, [PLAIN_CLI, "build", "--config", file], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await endpoint.hanging;
  child.kill("SIGINT");
  assert.deepEqual(await once(child, "close"), [130, null], said);
  assert.match(said, /Published snapshot 1/);
  assert.match(said, /Made vectors of 256 passages in .*; the model ran for 256\.\n.*it was stopped.*kept/);
  assert.equal((await openShelves(config).public.readPointer())?.sequence, 1, "what was published is served on");
  assert.deepEqual(await verifyLibrary(config, { snapshots: "all", derive: false }, PLAIN_PARTS), []);
  endpoint.hangAfter = Infinity;
  const { complete, written, embedded } = await embedViews(config, quiet);
  assert.deepEqual([complete, written, embedded, endpoint.texts], [true, 44, 44, 300], "44 texts, and one index serves both views");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { sha256 } from "../../snapshots/digest.ts";
import { openReindexer, REINDEX_HEADER, type Reindexer } from "./reindex.ts";

const SUMMARY = {
  started: "2026-01-01T00:00:00.000Z",
  finished: "2026-01-01T00:00:01.000Z",
  previous: null,
  snapshot: sha256("s"),
  sequence: 1,
  added: 1,
  changed: 0,
  removed: 0,
  unchanged: 0,
  rejected: [],
  duration_ms: 1000,
};

function reindexer(
  script: string,
  change: { token?: string | null; timeout?: number; onFailure?: (code: number | null, trace: string) => void } = {},
): Reindexer {
  return openReindexer({ token: "right token", timeout: 20_000, command: [process.execPath, "-e", script], ...change });
}

/** Handles of the processes that were started and have not ended. */
function childProcesses(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap");
}

const print = (value: unknown): string => `process.stdout.write(${JSON.stringify(JSON.stringify(value))})`;

test("without a token configured it is 503, whatever is sent", () => {
  for (const token of [null, ""]) {
    const closed = reindexer("", { token });
    for (const headers of [new Headers(), new Headers({ authorization: "Bearer " }), new Headers({ [REINDEX_HEADER]: "" })]) {
      assert.throws(() => closed.authorize(headers), { code: "not_configured" });
    }
  }
});

test("a missing, wrong, cut, doubled or contradicting token is 401", () => {
  const open = reindexer("");
  for (const headers of [
    {},
    { authorization: "right token" },
    { authorization: "Basic cmlnaHQgdG9rZW4=" },
    { authorization: "Bearer" },
    { authorization: "Bearer wrong" },
    { [REINDEX_HEADER]: "right toke" },
    { [REINDEX_HEADER]: "right token x" },
    { [REINDEX_HEADER]: "right token, right token" },
    { [REINDEX_HEADER]: "" },
    { authorization: "Bearer wrong", [REINDEX_HEADER]: "right token" },
  ]) {
    assert.throws(
      () => open.authorize(new Headers(headers as Record<string, string>)),
      { code: "unauthenticated" },
      JSON.stringify(headers),
    );
  }
  open.authorize(new Headers({ [REINDEX_HEADER]: "right token" }));
  const plain = openReindexer({ token: "t0ken", timeout: 1, command: ["x"] });
  plain.authorize(new Headers({ authorization: "Bearer t0ken" }));
  plain.authorize(new Headers({ authorization: "bearer  t0ken" }));
});

test("two at once: the second is 409, and afterwards it works again", async () => {
  const slow = reindexer(`setTimeout(() => ${print(SUMMARY)}, 300)`);
  const first = slow.run();
  await assert.rejects(slow.run(), { code: "reindex_running" });
  assert.deepEqual(await first, SUMMARY);
  assert.equal((await slow.run()).sequence, 1);
});

test("a build is answered when it has published, not when its vectors are made; meanwhile another one may run, and both are stopped in the end", {
  timeout: 20_000,
}, async () => {
  const traces: string[] = [];
  const open = reindexer(`${print(SUMMARY)}; console.log(); setInterval(() => {}, 1000)`, {
    timeout: 10_000,
    onFailure: (_, trace) => traces.push(trace),
  });
  assert.deepEqual(await open.run(), SUMMARY);
  assert.deepEqual(await open.run(), SUMMARY);
  const left = childProcesses();
  assert.equal(left.length, 2, "both work on");
  open.stop();
  while (childProcesses().length > 0) await wait(20);
  assert.deepEqual(traces, [], "which is no failure");
});

test("what fails after publication is in the log, and the answer stands", { timeout: 20_000 }, async () => {
  let heard = (_: string): void => undefined;
  const trace = new Promise<string>((resolve) => (heard = resolve));
  const open = reindexer(`${print(SUMMARY)}; console.log(); setTimeout(() => { console.error("no vectors"); process.exit(1) }, 100)`, {
    onFailure: (_, words) => heard(words),
  });
  assert.deepEqual(await open.run(), SUMMARY);
  assert.match(await trace, /no vectors/);
});

test("a build that another process holds up is 409 too", async () => {
  await assert.rejects(reindexer("process.exitCode = 4").run(), { code: "reindex_running" });
});

test("a build that fails, crashes, hangs, or prints nonsense says why, and its own words stay in the log", async () => {
  const traces: string[] = [];
  const onFailure = (_: number | null, trace: string): number => traces.push(trace);
  const failing: [string, RegExp][] = [
    [
      `${print({ error: { code: "bad_source", message: "The store cannot be read." } })}; console.error("at /secret/path"); process.exitCode = 1`,
      /^The build failed: The store cannot be read\.; the snapshot served before stays\.$/,
    ],
    [
      `${print({ error: { code: "bad_config", message: "/srv/secret/proofshelf.yaml:4: store.root (/srv/secret/library) does not exist, nor https://host/a/b or notes/x/" } })}; process.exitCode = 2`,
      /^The build failed: proofshelf\.yaml:4: store\.root \(library\) does not exist, nor https:\/\/host\/a\/b or notes\/x\/; the snapshot/,
    ],
    ["process.exitCode = 1", /^The build failed; the snapshot/],
    ["process.stdout.write('{')", /^The build failed; the snapshot/],
    [print({ snapshot: "x" }), /^The build failed; the snapshot/],
    [`${print(SUMMARY)}; process.exitCode = 1`, /^The build failed; the snapshot/],
    ["process.kill(process.pid, 'SIGKILL')", /^The build failed; the snapshot/],
  ];
  for (const [script, message] of failing) {
    const failingReindexer = reindexer(script, { onFailure });
    await assert.rejects(
      failingReindexer.run(),
      (error: Error & { code?: string }) => error.code === "build_failed" && message.test(error.message),
      script,
    );
  }
  assert.match(traces[0] ?? "", /secret/);
  await assert.rejects(reindexer("setInterval(() => {}, 1000)", { timeout: 200 }).run(), { code: "build_failed" });
  await assert.rejects(openReindexer({ token: "t", timeout: 1_000, command: ["/nonexistent/program"] }).run(), { code: "build_failed" });
});

test("the builder is not told the reindex token", async () => {
  process.env["REINDEX_TOKEN"] = "canary";
  try {
    const { rejected } = await reindexer(
      `const s = ${JSON.stringify(SUMMARY)}; s.rejected = [{ source: "store", key: String(process.env.REINDEX_TOKEN), reason: "x" }]; process.stdout.write(JSON.stringify(s))`,
    ).run();
    assert.equal(rejected[0]?.key, "undefined");
  } finally {
    delete process.env["REINDEX_TOKEN"];
  }
});

test("keys reach the builder as data on its standard input, and nothing else of a request does", async () => {
  // Node takes what comes behind "--" for the script's own.
  const builder = (script: string): Reindexer =>
    openReindexer({ token: "t", timeout: 20_000, command: [process.execPath, "-e", script, "--"] });
  const keys = ["a/b.md", "--config", "\n$(id)"];
  const script = `let text = ""; process.stdin.on("data", (chunk) => (text += chunk)).on("end", () => {
    const ok = text === ${JSON.stringify(JSON.stringify(keys))} && process.argv.slice(1).join(" ") === "--keys -";
    if (ok) ${print(SUMMARY)}; else process.exitCode = 1; });`;
  assert.deepEqual(await builder(script).run(keys), SUMMARY);
  await assert.rejects(builder(script).run(), { code: "build_failed" });
  // One that does not read them.
  assert.deepEqual(await builder(print(SUMMARY)).run(Array.from({ length: 50_000 }, (_, at) => `a/${at}.md`)), SUMMARY);
});

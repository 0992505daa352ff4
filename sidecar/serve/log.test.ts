import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { makeToken } from "../gate/gate-fixture.ts";
import { openLog, requestLog } from "./log.ts";

test("no secret comes into a log, by name, inside a text, in a stack, or in an address", () => {
  const lines: string[] = [];
  const env = {
    REINDEX_TOKEN: "canary-reindex",
    INFERENCE_API_KEY: 'canary-"quoted',
    AI_GATEWAY_ID: "canary-gateway",
    AWS_SECRET_ACCESS_KEY: "canary/aws+key",
  };
  const log = openLog({ write: (line) => lines.push(line) }, env);
  const token = makeToken();
  log.info({ headers: { "edge-access-token": token }, authorization: "Bearer canary-bearer", token: "canary-token" }, "start");
  log.info({ request: { cookie: "canary-cookie", secret: "canary-secret", "edge-access-client-secret": "canary-pair" } });
  log.error({ err: new Error(`call to https://user:canary-password@host/ failed with ${env.INFERENCE_API_KEY}`) }, `token was ${token}`);
  log.error({ trace: `env REINDEX_TOKEN=${env.REINDEX_TOKEN} ${env.AI_GATEWAY_ID} ${env.AWS_SECRET_ACCESS_KEY}` });
  for (const each of [log, requestLog(log)]) each.info({ path: `/internal/${token}`, reason: `${env.REINDEX_TOKEN} ${env.AI_GATEWAY_ID}` });
  const text = lines.join("");
  assert.doesNotMatch(text, /canary|eyJ/);
  assert.match(text, /\[redacted\]/);
  for (const line of lines) assert.doesNotThrow(() => JSON.parse(line));
});

const END_MS = 20_000;

/** A process that writes a line for each line that it reads, and ends when there are no more. */
function startLogger(t: TestContext, lines: number) {
  const script = `
    const { openLog } = await import(${JSON.stringify(new URL("./log.ts", import.meta.url).href)});
    const log = openLog();
    process.stdin.on("end", () => process.exit(0)).once("data", () => {
      for (let line = 0; line < ${lines}; line++) log.info({ text: "x".repeat(1000) }, "line");
      process.stdout.write("written");
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "pipe" });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

test("whoever has stopped reading the log, or reads nothing of it, holds no server up", async (t) => {
  const gone = startLogger(t, 3);
  gone.stderr.destroy();
  const stalled = startLogger(t, 3000);
  for (const child of [gone, stalled]) {
    child.stdin.write("go");
    await once(child.stdout, "data");
    child.stdin.end();
    const ended = await Promise.race([once(child, "exit"), wait(END_MS, null, { ref: false })]);
    assert.deepEqual(ended, [0, null]);
  }
});

test("a log that is read has every line, the last ones of a process that ends as well", async (t) => {
  const child = startLogger(t, 50);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stdin.end("go");
  await once(child, "close");
  assert.equal(said.split("\n").filter((line) => line.includes("xxxx")).length, 50);
});

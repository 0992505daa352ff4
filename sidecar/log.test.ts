import assert from "node:assert/strict";
import { test } from "node:test";
import { makeToken } from "./gate-fixture.ts";
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

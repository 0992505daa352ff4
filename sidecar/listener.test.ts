import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { startSidecar } from "./app-fixture.ts";
import { accessConfig, clock, makeToken, readKeys, SERVICE_SECRET } from "./gate-fixture.ts";
import { openGate } from "./gate.ts";

test("credential headers are found however the configuration and the client write their names", async () => {
  const { headers, ...access } = accessConfig();
  // As the configuration reader hands them over: the names of the interface, in its own letters.
  for (const names of [headers, { token: "Edge-Access-Token", clientId: "Edge-Access-Client-Id", clientSecret: "Edge-Access-Client-Secret" }]) {
    const running = await startSidecar({ gate: openGate({ ...access, headers: names }, { now: clock, readKeys }) });
    for (const change of [(name: string) => name.toLowerCase(), (name: string) => name.toUpperCase()]) {
      const pair = { [change(names.clientId)]: "ci.example", [change(names.clientSecret)]: SERVICE_SECRET };
      for (const credentials of [pair, { [change(names.token)]: makeToken() }]) {
        assert.equal((await running.send("GET", "/internal/api/catalog", credentials)).status, 200, JSON.stringify(Object.keys(credentials)));
      }
    }
    await running.listening.close();
    rmSync(running.views.folder, { recursive: true });
  }
});

/** The HTTP scripts of snapshots/contract against the sidecar: the public ones at its root, the shared ones under /internal with
 *  credentials, so that the gate changes nothing but who may read and what may be kept. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeFixture } from "../../snapshots/contract/fixture.ts";
import type { Exchange } from "../../snapshots/contract/script.ts";
import { httpSuite, PUBLIC_SCRIPTS, SHARED_SCRIPTS, socketExchange } from "../../snapshots/contract/suite.ts";
import { listen, type Listening } from "../../snapshots/http/listen.ts";
import { openLog } from "./log.ts";
import { openSidecar, type Sidecar } from "./server.ts";
import { ANNEXES } from "../annexes.ts";

let fixture: Awaited<ReturnType<typeof makeFixture>>;
let sidecar: Sidecar;
let listening: Listening;
let token = "";

before(async () => {
  fixture = await makeFixture();
  const { publicDir, internalDir, dist, version } = fixture;
  const log = openLog();
  log.level = "silent";
  sidecar = await openSidecar(
    {
      part: "sidecar",
      host: "127.0.0.1",
      port: 0,
      publicDir,
      internalDir,
      dist,
      version,
      baseUrl: "http://library.example",
      access: "development",
      answers: null,
      embeddings: { kind: "none" },
      gateway: null,
      code: null,
      reindexCommand: null,
      rateLimits: false,
      trustProxy: null,
      alone: false,
      operations: null,
      accessLog: false,
      mcp: { hosts: [], origins: [] },
    },
    {},
    log,
    { annexes: ANNEXES },
  );
  token = sidecar.token ?? "";
  listening = await listen(sidecar.listener, { host: "127.0.0.1", port: 0 });
});
after(async () => {
  sidecar.stop();
  await listening.close();
  await fixture.remove();
});

const open: Exchange = socketExchange(() => listening.port);
const member: Exchange = (sent) => open({ ...sent, headers: { ...sent.headers, "edge-access-token": token } });

httpSuite({ scripts: [...PUBLIC_SCRIPTS, ...SHARED_SCRIPTS], mount: "", fixture: () => fixture, exchange: open });
httpSuite({ scripts: SHARED_SCRIPTS, mount: "/internal", fixture: () => fixture, exchange: member });

test("the same requests without credentials are 401 under /internal, whatever lies there", async () => {
  for (const target of [
    "/internal/api/catalog",
    "/internal/objects/notes/short.md",
    "/internal/objects/none",
    "/internal/",
    `/internal/at/${fixture.internal.current}/api/list`,
    "/internal/%2e%2e/api/catalog",
    "/internal//",
  ]) {
    const { status, headers } = await open({ method: "GET", target, headers: {} });
    assert.deepEqual([status, headers.get("cache-control")], [401, "private, no-store"], target);
  }
});

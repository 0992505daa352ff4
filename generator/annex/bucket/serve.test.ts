/** A library in a bucket and the processes that serve it, each with a copy of its own, as on machines of their own. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFaultProxy } from "../../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { until } from "../../testing/until.ts";
import { openFollowers } from "../../torture/followers.ts";

/** `npm run torture -- --part followers` has fifty. */
const PUBLICATIONS = 1;

bucketTest(
  "site servers with no right but to read what is public, and a sidecar, follow what another process publishes",
  async (t, server) => {
    const dir = await mkdtemp(join(tmpdir(), "proofshelf-remote-serve-"));
    const bucket = await makeBucket(server);
    const proxy = await openFaultProxy(server.endpoint);
    const followers = await openFollowers(dir, server, bucket, { ...bucket, endpoint: proxy.endpoint });
    t.after(async () => {
      await followers.stop();
      await proxy.close();
      await rm(dir, { recursive: true, force: true });
    });
    const [site] = followers.servers;
    assert.ok(site !== undefined);
    assert.deepEqual(
      (await readdir(join(dir, "first/internal"))).filter((name) => !["bucket"].includes(name)),
      [],
    );
    for (let round = 1; round <= PUBLICATIONS; round++) await followers.publish();
    assert.deepEqual((await followers.settle()).failures, []);

    // In steady state nobody asks for anything but the pointer.
    proxy.reset();
    await until("three looks", async () => proxy.requests.length >= 3);
    assert.deepEqual([...new Set(proxy.requests.map((line) => line.replace(/\?.*/, "")))], [`GET /${bucket.bucket}/public/pointer`]);

    // The bucket is away: what there is is served on, and somebody is told.
    proxy.fault = () => "cut";
    const health = async (): Promise<{ checks: Record<string, { status: string; detail: string } | undefined> }> =>
      (await (await fetch(`${site.url}/health`)).json()) as never;
    assert.equal((await health()).checks["bucket"]?.status, "pass");
    const long = new Date(Date.now() - 7_200_000);
    await until("what was said of the outage", async () => {
      await utimes(join(dir, "first/public/followed"), long, long);
      return (await health()).checks["bucket"]?.status === "warn";
    });
    assert.match((await health()).checks["bucket"]?.detail ?? "", /has not answered for 120 minutes/);
    assert.equal((await fetch(`${site.url}/api/catalog`)).headers.get("x-snapshot"), followers.snapshot());
    proxy.fault = () => null;
    await until("the end of the outage", async () => (await health()).checks["bucket"]?.status === "pass");
    assert.equal(existsSync(join(dir, "first/internal/current.json")), false);
  },
);

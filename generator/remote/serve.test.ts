/** A library in a bucket and the processes that serve it, each with a copy of its own, as on machines of their own. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { BucketConfig } from "../../snapshots/bucket/bucket.ts";
import type { CephServer } from "../../snapshots/bucket/ceph.ts";
import { type FaultProxy, openFaultProxy } from "../../snapshots/bucket/fault-proxy-fixture.ts";
import { bucketTest, makeBucket } from "../../snapshots/bucket/server-fixture.ts";
import { build } from "../build.ts";
import { openConfig } from "../config/config.ts";
import { shelveInBucket } from "../fixtures/bucket-library.ts";
import { writeFixture } from "../fixtures/library.ts";
import { type ServingProcess, startServing } from "../fixtures/serving-process.ts";

const SILENT = { step() {}, end() {} };
/** For a machine that has much else to do; milliseconds. */
const PATIENCE_MS = 60_000;
const PUBLICATIONS = 3;

async function makeDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "proofshelf-remote-serve-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Another user may read what is public, and neither list nor write nor read anything else. */
async function letOthersRead({ bucket }: BucketConfig, server: CephServer): Promise<void> {
  const { PutBucketPolicyCommand, S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client({ endpoint: server.endpoint, region: "us-east-1", forcePathStyle: true, credentials: server.owner });
  const statement = { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: `arn:aws:s3:::${bucket}/public/*` };
  await client.send(
    new PutBucketPolicyCommand({ Bucket: bucket, Policy: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }) }),
  );
  client.destroy();
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await wait(100)) if (await look()) return;
  assert.fail(`${what} did not come about`);
}

async function snapshotOf(server: ServingProcess): Promise<string | null> {
  return (await fetch(`${server.url}/api/catalog`)).headers.get("x-snapshot");
}

bucketTest(
  "site servers with no right but to read what is public, and a sidecar, follow what another process publishes",
  async (t, server) => {
    const servers: ServingProcess[] = [];
    let asking = true;
    // Before their folders go.
    t.after(async () => {
      asking = false;
      await Promise.all(servers.map((one) => one.stop()));
    });
    const dir = await makeDir(t);
    await writeFixture(dir);
    const bucket = await makeBucket(server);
    await letOthersRead(bucket, server);
    const proxy: FaultProxy = await openFaultProxy(server.endpoint);
    t.after(() => proxy.close());
    const through = { ...bucket, endpoint: proxy.endpoint };
    const builder = await openConfig(await shelveInBucket(dir, bucket, "builder"));
    let published = await build(builder, { progress: SILENT });

    const { accessKeyId, secretAccessKey } = server.other;
    const reader = ["env", `AWS_ACCESS_KEY_ID=${accessKeyId}`, `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`];
    const start = async (args: readonly string[], before: readonly string[] = []): Promise<ServingProcess> => {
      const started = await startServing(args, before);
      servers.push(started);
      return started;
    };
    const site = await start(["--only", "site", "--config", await shelveInBucket(dir, through, "first")], reader);
    await start(["--only", "site", "--config", await shelveInBucket(dir, bucket, "second")], reader);
    await start(["--no-rate-limits", "--config", await shelveInBucket(dir, bucket, "sidecar")]);
    for (const one of servers) await until("the first snapshot", async () => (await snapshotOf(one)) === published.snapshot);
    assert.deepEqual(
      (await readdir(join(dir, "first/internal"))).filter((name) => !["bucket"].includes(name)),
      [],
    );

    const seen = servers.map(async ({ url }) => {
      const bad: string[] = [];
      for (let at = 0; asking; at++) {
        for (const path of ["/", "/api/catalog", "/api/search?q=sorted", `/api/list?prefix=notes/`, "/objects/notes/a.md"]) {
          const answer = await fetch(url + path);
          await answer.arrayBuffer();
          if (answer.status >= 500) bad.push(`${path} ${answer.status}`);
        }
        await wait(20);
      }
      return bad;
    });
    for (let round = 1; round <= PUBLICATIONS; round++) {
      await writeFile(join(dir, `library/notes/round-${round}.md`), `# Round ${round}\n\nA note on wheels, number ${round}.\n`);
      published = await build(builder, { progress: SILENT });
      for (const one of servers) await until(`snapshot ${published.sequence}`, async () => (await snapshotOf(one)) === published.snapshot);
      for (const { url } of servers) {
        const found = (await (await fetch(`${url}/api/search?q=wheels`)).json()) as { results: readonly { key: string }[] };
        assert.ok(
          found.results.some(({ key }) => key === `notes/round-${round}.md`),
          JSON.stringify(found).slice(0, 300),
        );
      }
    }
    asking = false;
    assert.deepEqual((await Promise.all(seen)).flat(), []);

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
    assert.equal(await snapshotOf(site), published.snapshot);
    proxy.fault = () => null;
    await until("the end of the outage", async () => (await health()).checks["bucket"]?.status === "pass");
    assert.equal(existsSync(join(dir, "first/internal/current.json")), false);
  },
);

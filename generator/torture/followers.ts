/** Servers in processes of their own that follow a shelf in a bucket while somebody else publishes again and again: every answer is there,
 *  and of one snapshot. Two site servers may read what is public and do nothing else; a sidecar has the gated view, too. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { BucketConfig } from "../../snapshots/annex/bucket/bucket.ts";
import type { CephServer } from "../../snapshots/annex/bucket/ceph-fixture.ts";

import { openConfig } from "../config/config.ts";
import { shelveInBucket } from "../testing/bucket-library.ts";
import { SILENT, writeSmallFixture } from "../testing/library.ts";
import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { type ServingProcess, startServing } from "../testing/serving-process.ts";
import { until } from "../testing/until.ts";
import { build } from "../testing/whole.ts";

/** Milliseconds. */
const PAUSE_MS = 20;
/** The object that changes with each publication. */
const NOTE = "notes/round.md";
/** Paths that are asked, and where the body says of which round it is. */
const ASKED: readonly (readonly [path: string, round: RegExp])[] = [
  ["/object/notes/round.md", /<h1[^>]*>Round (\d+)/],
  ["/api/catalog", /"Round (\d+)"/],
  ["/api/search?q=wheels", /"Round (\d+)"/],
  ["/browse/notes/", /Round (\d+)/],
  ["/objects/notes/round.md", /^# Round (\d+)/],
];

export type Followers = {
  /** Two site servers and a sidecar. */
  readonly servers: readonly ServingProcess[];
  /** Id of the snapshot that all of them serve. */
  readonly snapshot: () => string;
  /** Publishes once more, and returns when all serve it. */
  publish(): Promise<void>;
  /** Ends what asks them. */
  settle(): Promise<{ readonly answers: number; readonly failures: readonly string[] }>;
  stop(): Promise<void>;
};

/** openFollowers starts what follows a bucket.
 *  @param dir an empty folder; @param first how the first site server's machine sees the bucket: through a proxy, for instance */
export async function openFollowers(dir: string, server: CephServer, bucket: BucketConfig, first = bucket): Promise<Followers> {
  const servers: ServingProcess[] = [];
  const stop = async (): Promise<void> => {
    asking = false;
    await Promise.all(servers.map((one) => one.stop()));
  };
  /** Snapshot → round. */
  const rounds = new Map<string, number>();
  const seen: { readonly path: string; readonly status: number; readonly snapshot: string; readonly round: number }[] = [];
  let asking = true;
  let snapshot = "";
  await mkdir(dir, { recursive: true });
  await writeSmallFixture(dir);
  await letOthersRead(bucket, server);
  const builder = await openConfig(await shelveInBucket(dir, bucket, "builder"));
  const publish = async (): Promise<void> => {
    const round = rounds.size + 1;
    await writeFile(join(dir, "library", NOTE), `# Round ${round}\n\nA note on wheels.\n`);
    ({ snapshot } = await build(builder, { progress: SILENT }, PAGED_PARTS));
    rounds.set(snapshot, round);
    for (const { url } of servers) await until(`snapshot ${round}`, async () => (await snapshotOf(url)) === snapshot);
  };
  const ask = async (url: string): Promise<void> => {
    while (asking) {
      for (const [path, round] of ASKED) {
        const answer = await fetch(url + path);
        const said = round.exec(await answer.text())?.[1];
        seen.push({ path: url + path, status: answer.status, snapshot: answer.headers.get("x-snapshot") ?? "", round: Number(said) });
      }
      await wait(PAUSE_MS);
    }
  };
  try {
    await publish();
    const { accessKeyId, secretAccessKey } = server.other;
    const reader = ["env", `AWS_ACCESS_KEY_ID=${accessKeyId}`, `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`];
    const start = async (machine: string, through: BucketConfig, args: readonly string[], before: readonly string[]): Promise<void> => {
      servers.push(await startServing([...args, "--no-rate-limits", "--config", await shelveInBucket(dir, through, machine)], before));
    };
    await start("first", first, ["--only", "site"], reader);
    await start("second", bucket, ["--only", "site"], reader);
    await start("sidecar", bucket, [], []);
    for (const { url } of servers) await until("the first snapshot", async () => (await snapshotOf(url)) === snapshot);
  } catch (error) {
    await stop();
    throw error;
  }
  const all = Promise.all(servers.map(({ url }) => ask(url)));
  all.catch(() => undefined);
  return {
    servers,
    snapshot: () => snapshot,
    publish,
    async settle() {
      asking = false;
      await all;
      const bad = seen.filter((one) => one.status !== 200 || one.round !== rounds.get(one.snapshot));
      return { answers: seen.length, failures: bad.map((one) => JSON.stringify(one)) };
    },
    stop,
  };
}

/** tortureFollowers asks followers while it publishes.
 *  @returns answers that were given, and those that failed or were of two snapshots */
export async function tortureFollowers(
  dir: string,
  server: CephServer,
  bucket: BucketConfig,
  { publications, onProgress }: { readonly publications: number; readonly onProgress?: (done: number) => void },
): Promise<{ readonly answers: number; readonly failures: readonly string[] }> {
  const followers = await openFollowers(dir, server, bucket);
  try {
    for (let done = 1; done <= publications; done++) {
      await followers.publish();
      onProgress?.(done);
    }
    return await followers.settle();
  } finally {
    await followers.stop();
  }
}

/** letOthersRead lets another user read what is public, and neither list nor write nor read anything else. */
async function letOthersRead({ bucket }: BucketConfig, server: CephServer): Promise<void> {
  const { PutBucketPolicyCommand, S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client({ endpoint: server.endpoint, region: "us-east-1", forcePathStyle: true, credentials: server.owner });
  const statement = { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: `arn:aws:s3:::${bucket}/public/*` };
  await client.send(
    new PutBucketPolicyCommand({ Bucket: bucket, Policy: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }) }),
  );
  client.destroy();
}

async function snapshotOf(url: string): Promise<string | null> {
  const answer = await fetch(`${url}/api/catalog`);
  await answer.arrayBuffer();
  return answer.headers.get("x-snapshot");
}

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openFaultProxy } from "../../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { openBucket } from "../../../snapshots/annex/bucket/s3-bucket.ts";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { writeFiles } from "../../testing/library.ts";
import { type Ran, runHere } from "../../testing/run-program.ts";
import { type ExportedToBucket } from "./export-bucket.ts";
import { takeLease } from "../bucket/lease.ts";
import { type ExportedFile } from "./exported-files.ts";
import { keysOf, mustHold, openLibrary } from "./export-bucket-fixture.ts";

function findStage(line: string, before: ReadonlyMap<string, ExportedFile>): string {
  const path = decodeURIComponent(line.slice(line.indexOf("/site/") + "/site/".length));
  if (!before.has(path)) return "0 new";
  return path.endsWith(".html") ? "2 page" : "1 changed";
}

async function headOf(endpoint: string, bucket: string, key: string): Promise<{ type: string | undefined; cache: string | undefined }> {
  const { HeadObjectCommand, S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
  const { ContentType, CacheControl } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
  client.destroy();
  return { type: ContentType, cache: CacheControl };
}

bucketTest(
  "what a folder would hold lies in the bucket, with its types, and of a second run only what has changed is written",
  async (t, server) => {
    const library = await openLibrary(t);
    const made = await makeBucket(server, "site/");
    const proxy = await openFaultProxy(server.endpoint);
    t.after(() => proxy.close());
    const bucket = openBucket({ ...made, endpoint: proxy.endpoint });
    const first = await library.run(bucket);
    const files = await library.expected();
    assert.deepEqual([first.files, first.written, first.removed, first.skipped], [files.size, files.size, 0, []]);
    await mustHold(bucket, files);
    for (const [path, type] of [
      ["index.html", "text/html; charset=utf-8"],
      ["api/catalog.json", "application/json"],
      ["objects/names/page.html.txt", "text/plain"],
    ] as const) {
      const response = await headOf(server.endpoint, made.bucket, `site/${path}`);
      assert.equal(response.type?.startsWith(type), true, `${path}: ${response.type}`);
    }
    const asset = [...files.keys()].find((path) => path.startsWith("assets/")) ?? "";
    assert.equal((await headOf(server.endpoint, made.bucket, `site/${asset}`)).cache, "public, max-age=31536000, immutable");

    proxy.reset();
    const again = await library.run(bucket);
    assert.deepEqual([again.files, again.written, again.removed], [files.size, 0, 0]);
    assert.ok(proxy.requests.length <= 18, proxy.requests.join("\n"));

    // Somebody has been there.
    await bucket.delete("api/claims.json");
    await bucket.put("index.html", Buffer.from("mine"));
    await bucket.put("somebody-elses", Buffer.from("years of work"));
    assert.equal((await library.run(bucket)).written, 2);
    assert.ok((await keysOf(bucket)).includes("somebody-elses"));
    await bucket.delete("somebody-elses");

    await writeFiles(library.folder, [["names/new.md", "# New\n"]]);
    rmSync(join(library.folder, "names/page.html"));
    await library.build();
    proxy.reset();
    const third = await library.run(bucket);
    assert.ok(third.written < third.files / 2 && third.removed > 0);
    await mustHold(bucket, await library.expected());
    // A run that is killed between two of these leaves no object whose name is noted nowhere.
    const noted = proxy.requests.flatMap(
      (line) => /^(PUT|DELETE) .*\.proofshelf-export\/(begun|manifest)/.exec(line)?.slice(1).join(" ") ?? [],
    );
    assert.deepEqual(noted, ["PUT begun", "PUT manifest", "DELETE begun"]);
    const order = proxy.requests
      .map((line) => line.split("?")[0] ?? "")
      .filter((line) => !line.includes(".proofshelf-export") && /^(PUT|DELETE)/.test(line))
      .map((line) => (line.startsWith("DELETE") ? "4 gone" : line.endsWith("/site/index.html") ? "3 front" : findStage(line, files)));
    assert.deepEqual(order, order.toSorted());
    assert.deepEqual(new Set(order), new Set(["0 new", "1 changed", "2 page", "3 front", "4 gone"]));
  },
);

bucketTest("the command takes a bucket as it takes a folder, and says what is wrong with what is neither", async (t, server) => {
  const library = await openLibrary(t);
  const { bucket } = await makeBucket(server);
  const run = (...args: string[]): Promise<Ran> =>
    runHere(["export", ...args, "--json", "--config", join(library.folder, "../proofshelf.yaml")]);
  for (const args of [
    ["s3://Bad_Name/"],
    ["s3:/x"],
    ["a-folder", "--endpoint", server.endpoint],
    [`s3://${bucket}`, "--endpoint", "ftp://x"],
  ])
    assert.equal((await run(...args)).status, 2, args.join(" "));
  const { status, stdout, stderr } = await run(`s3://${bucket}/some/site`, "--endpoint", server.endpoint);
  assert.equal(status, 0, stderr);
  const keys = await keysOf(
    openBucket({ bucket, prefix: "some/site/", endpoint: server.endpoint, region: "us-east-1", forcePathStyle: true }),
  );
  assert.equal(keys.length, (JSON.parse(stdout) as ExportedToBucket).files + 2);
  assert.ok(keys.includes("index.html"));
  const denied = await run("s3://no-such-bucket", "--endpoint", server.endpoint);
  const said = denied.stdout + denied.stderr;
  assert.deepEqual([denied.status, /There is no such bucket/.test(said)], [1, true], said);
});

bucketTest("a bucket that holds something else is not touched", async (t, server) => {
  const library = await openLibrary(t);
  const bucket = openBucket(await makeBucket(server));
  await bucket.put("thesis.txt", Buffer.from("years of work"));
  await assert.rejects(library.run(bucket), (error: unknown) => error instanceof ShelfError && error.code === "build_failed");
  assert.deepEqual(await keysOf(bucket), ["thesis.txt"]);
});

bucketTest(
  "two exports at a time: the second is told who is at it, and what a sleeper has written is found and removed",
  async (t, server) => {
    const library = await openLibrary(t);
    const made = await makeBucket(server, "site/");
    const direct = openBucket(made);
    const [ttl, stop] = [1500, Promise.withResolvers<void>()];
    // The first run sleeps after its first page was put; nothing of it is heard for longer than its lease is good.
    let asleep = false;
    const bucket = openBucket(made);
    const sleeping = {
      put: async (...args: Parameters<typeof bucket.put>) => {
        const etag = await bucket.put(...args);
        asleep ||= !args[0].startsWith(".proofshelf-export/");
        if (asleep) await stop.promise;
        return etag;
      },
      putIfMatch: async (...args: Parameters<typeof bucket.putIfMatch>) => {
        if (asleep) await stop.promise;
        return bucket.putIfMatch(...args);
      },
    };
    const slow = new Proxy(bucket, {
      get(target, name) {
        const value: unknown = Reflect.get(Object.hasOwn(sleeping, name) ? sleeping : target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const first = library.run(slow, { ttl }).then(
      () => null,
      (error: unknown) => error,
    );
    for (let turn = 0; !asleep; turn++) {
      assert.ok(turn < 3000, "the first export has put nothing");
      await wait(20);
    }
    await writeFiles(library.folder, [["names/secret.md", "# Secret\n\nOut for a while.\n"]]);
    await library.build();
    await library.run(direct, { ttl });
    assert.ok((await keysOf(direct)).includes("objects/names/secret.md"));
    stop.resolve();
    assert.ok(isLost(await first), String(await first));
    rmSync(join(library.folder, "names/secret.md"));
    await library.build();
    await library.run(direct, { ttl });
    await mustHold(direct, await library.expected());

    // While one is alive another waits for nobody.
    const holder = await takeLease(direct, null, { key: ".proofshelf-export/lease", work: "export to this bucket", ttl: 600 });
    await assert.rejects(library.run(direct, { ttl: 600 }), {
      code: "build_running",
      message: /Another export to this bucket is running: a process that names no machine/,
    });
    await holder.release();
    const lease = await direct.get(".proofshelf-export/lease");
    assert.ok(lease.state === "found" && !lease.bytes.toString().includes(hostname()));
  },
);

bucketTest("an export that waits for its turn exports what is newest then", async (t, server) => {
  const library = await openLibrary(t);
  const bucket = openBucket(await makeBucket(server, "site/"));
  let first = true;
  const late = new Proxy(bucket, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== "get" || !first) return typeof value === "function" ? value.bind(target) : value;
      first = false;
      return async (key: string) => {
        await writeFiles(library.folder, [["names/later.md", "# Later\n\nThe newest.\n"]]);
        await library.build();
        await library.run(bucket);
        return target.get(key);
      };
    },
  });
  await library.run(late);
  await mustHold(bucket, await library.expected());
});

function isLost(error: unknown): boolean {
  return error instanceof ShelfError && error.code === "lost_race";
}

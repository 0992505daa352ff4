import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bucket, BucketConfig } from "../../snapshots/annex/bucket/bucket.ts";
import { openFaultProxy } from "../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { openBucket } from "../../snapshots/annex/bucket/s3-bucket.ts";
import { bucketTest, makeBucket } from "../../snapshots/annex/bucket/memory-server-fixture.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import type { ObjectRow } from "../../snapshots/format/view-data.ts";
import type { BuildSummary } from "../pipeline/summary.ts";
import { type Config, openConfig, type StoreConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { readPointers, readServed } from "../shelves/shelves.ts";
import type { ObjectStore, StoredObject } from "./object-store.ts";
import { useParts } from "../publish/parts.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { build, openObjectStore, openShelves } from "../testing/whole.ts";

useParts(PLAIN_PARTS);

function storeOf(config: BucketConfig, uploadedFrom: string | null = null): StoreConfig {
  return { kind: "s3", ...config, uploadedFrom };
}

async function listAll(store: ObjectStore): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  for await (const object of store.list()) objects.push(object);
  return objects.sort((a, b) => (a.key < b.key ? -1 : 1));
}

async function fill(bucket: Bucket, objects: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, content] of Object.entries(objects)) await bucket.put(key, Buffer.from(content));
}

// biome-ignore format: a list of names
const WHOLE = [
  " ", "trailing ", "a+b.md", "100%", "%41", "%2e%2e", "#x", "?q", "&amp;", "=", "back\\slash", "\"quotes'", "new\nline", "cr\r", "tab\t",
  "\u0001", "\u007f", "e\u0301", "é", "🦉.md", "\uFF5E", "\u{1F600}", "\u202E", "<script>", "]]>", "*", "[a]", "{a,b}", "~", "-rf",
  "$(id)", "`id`", ";", "__proto__", "constructor", "...", "..x", "x..", "a:b", "C:\\x", ".hidden", "a/b c/d+e", "k".repeat(1024),
];
const REFUSED: Readonly<Record<string, string>> = {
  "../x": "the key has a dot segment",
  "x/../y": "the key has a dot segment",
  "./x": "the key has a dot segment",
  "..": "the key has a dot segment",
  "a//b": "the key has an empty segment",
  "/leading": "the key has an empty segment",
  "full/": "the key has an empty segment",
  "\ufffd": "the key is not valid UTF-8",
};

bucketTest("every key that can be served is listed and read, byte for byte, and the others come with their problem", async (_, server) => {
  const config = await makeBucket(server);
  const store = openObjectStore(storeOf(config));
  await fill(openBucket(config), Object.fromEntries([...WHOLE, ...Object.keys(REFUSED)].map((key) => [key, `content of ${key}`])));
  await fill(openBucket(config), { "empty-folder/": "" });
  const objects = await listAll(store);
  assert.deepEqual(
    objects.map(({ key }) => key),
    [...WHOLE, ...Object.keys(REFUSED)].sort(),
  );
  assert.deepEqual(Object.fromEntries(objects.flatMap(({ key, problem }) => (problem === null ? [] : [[key, problem]]))), REFUSED);
  for (const row of objects) {
    if (row.problem !== null) {
      await assert.rejects(store.read(row.key), (error: unknown) => error instanceof ShelfError && error.code === "bad_source");
      continue;
    }
    const { bytes, version } = await store.read(row.key);
    assert.equal(Buffer.from(bytes).toString(), `content of ${row.key}`);
    assert.equal(version, row.version);
    const found = await store.find(row.key);
    assert.deepEqual([found?.version, found?.size], [row.version, row.size]);
  }
  assert.equal(await store.find("none"), null);
  await assert.rejects(store.read("none"), /The object is gone/);
});

bucketTest("below a prefix the rest of the name is the key", async (_, server) => {
  const config = await makeBucket(server);
  await fill(openBucket(config), { "lib/": "", "lib/a.md": "1", "library.md": "2", "lib/b/c.md": "3" });
  const objects = await listAll(openObjectStore(storeOf({ ...config, prefix: "lib/" })));
  assert.deepEqual(
    objects.map(({ key, problem }) => [key, problem]),
    [
      ["a.md", null],
      ["b/c.md", null],
    ],
  );
});

bucketTest("the version changes with the bytes, and the time is the metadata's where it says one", async (_, server) => {
  const config = await makeBucket(server);
  const bucket = openBucket(config);
  const store = openObjectStore(storeOf(config, "Taken"));
  await bucket.put("a", Buffer.from("one"), { metadata: { taken: "2020-02-29T12:00:00+02:00" } });
  await bucket.put("b", Buffer.from("two"), { metadata: { taken: "yesterday" } });
  const [a, b] = await listAll(store);
  assert.equal((await store.read("a")).uploaded, "2020-02-29T10:00:00.000Z");
  assert.equal((await store.find("a"))?.uploaded, "2020-02-29T10:00:00.000Z");
  assert.equal((await store.read("b")).uploaded, b?.uploaded?.replace(/\.\d+Z$/, ".000Z"));
  await bucket.put("a", Buffer.from("six"));
  const [after] = await listAll(store);
  assert.notEqual(after?.version, a?.version);
  assert.equal(after?.size, a?.size);
});

async function openLibrary(t: TestContext, config: BucketConfig): Promise<Config> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-bucket-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const { bucket, prefix, endpoint, region } = config;
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      `store: ${JSON.stringify({ kind: "s3", bucket, prefix, endpoint, region, forcePathStyle: true })}
shelf: { kind: directory, root: ./shelf }
embeddings: { kind: none }
collections: [{ id: a, prefix: a/, title: A, visibility: public }]
`,
    ],
  ]);
  return openConfig(join(dir, "proofshelf.yaml"));
}

async function servedObjects(config: Config): Promise<readonly ObjectRow[]> {
  const shelves = openShelves(config);
  const { internal } = await readPointers(shelves);
  return (internal === null ? null : await readServed(shelves.internal, internal))?.objects ?? [];
}

async function servedKeys(config: Config): Promise<string[]> {
  return (await servedObjects(config)).map(({ key }) => key);
}

async function servedSources(config: Config): Promise<unknown[]> {
  return (await servedObjects(config)).flatMap(({ source }) => source ?? []);
}

bucketTest(
  "a library in a bucket is built, only what changed is read, and what is not the bucket's answer removes nothing",
  async (t, server) => {
    const made = await makeBucket(server);
    const bucket = openBucket(made);
    await fill(bucket, { "a/one.md": "# One\n", "a/two.md": "# Two\n", "a/b/three & four.md": "# Three\n", "a//y": "no", other: "no" });
    const metadata = { "source-repo": "https://git.example.org/one", "source-ref": "v1", "source-path": "docs/one.md" };
    await bucket.put("a/one.md", Buffer.from("# One\n"), { metadata });
    await bucket.put("a/two.md", Buffer.from("# Two\n"), { metadata: { "source-repo": "half" } });
    const proxy = await openFaultProxy(server.endpoint);
    t.after(() => proxy.close());
    const config = await openLibrary(t, { ...made, endpoint: proxy.endpoint });
    const run = (): Promise<BuildSummary> => build(config, { progress: SILENT });
    const first = await run();
    assert.deepEqual([first.added, first.work.read], [3, 3]);
    assert.deepEqual(
      first.rejected.map(({ key, reason }) => [key, reason]),
      [
        ["a//y", "the key has an empty segment"],
        ["other", "the key lies under no collection"],
      ],
    );
    assert.equal(proxy.requests.length, 4, "a page, and each object once");
    assert.deepEqual(await servedSources(config), [{ repo: "https://git.example.org/one", ref: "v1", path: "docs/one.md" }]);

    proxy.reset();
    assert.equal((await run()).published, false);
    assert.equal(proxy.requests.length, 1, "nothing is asked of objects that have not changed");

    await sleep(1_000);
    await fill(bucket, { "a/two.md": "# Two, again\n" });
    proxy.reset();
    // The first page is lost twice; the object comes in half.
    proxy.fault = (n) => (n === 0 ? "half" : n === 1 ? "503" : n === 3 ? "half" : null);
    const second = await run();
    assert.deepEqual([second.changed, second.removed, second.work.read], [1, 0, 1]);

    await fill(bucket, { "a/new.md": "# New\n" });
    for (const fault of ["503", "403"] as const) {
      proxy.reset();
      // The list can be read, and then nothing.
      proxy.fault = (n) => (n === 0 ? null : fault);
      await assert.rejects(run(), (error: unknown) => error instanceof ShelfError && error.code.startsWith("bucket_"));
      assert.deepEqual(await servedKeys(config), ["a/b/three & four.md", "a/one.md", "a/two.md"]);
    }
    proxy.fault = () => null;
    await bucket.delete("a/one.md");
    const third = await run();
    assert.deepEqual([third.added, third.removed], [1, 1]);
  },
);

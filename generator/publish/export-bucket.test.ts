import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, type TestContext } from "node:test";
import type { Bucket } from "../../snapshots/bucket/bucket.ts";
import { openFaultProxy } from "../../snapshots/bucket/fault-proxy-fixture.ts";
import { openBucket } from "../../snapshots/bucket/s3-bucket.ts";
import { bucketTest, makeBucket } from "../../snapshots/bucket/server-fixture.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { build } from "../build.ts";
import { openConfig } from "../config/config.ts";
import { HOSTILE_NAMES, SILENT, writeFiles } from "../fixtures/library.ts";
import { CLI } from "../fixtures/serving-process.ts";
import { audit } from "../mirror/audit.ts";
import { openOrigin } from "../mirror/origin.ts";
import { compileSite } from "../pages/compile-site.ts";
import { openShelves } from "../shelves.ts";
import { openWebsite } from "./bucket-website-fixture.ts";
import { openStaticView } from "./export.ts";
import { type ExportedToBucket, exportToBucket } from "./export-bucket.ts";
import { type ExportedFile, exportedFiles } from "./exported-files.ts";

const OWN = ".proofshelf-export/manifest.json";

type Library = {
  readonly folder: string;
  build(): Promise<void>;
  expected(): Promise<Map<string, ExportedFile>>;
  run(bucket: Bucket, gzip?: boolean): Promise<ExportedToBucket>;
};

/** Built once; each test has a copy. */
const base = mkdtempSync(join(tmpdir(), "proofshelf-export-bucket-"));
before(async () => {
  await writeFiles(base, [
    [
      "proofshelf.yaml",
      `store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
embeddings: { kind: none }
collections:
  - { id: names, prefix: names/, title: Names, visibility: public }
  - { id: gated, prefix: gated/, title: Gated, visibility: email-gated }
`,
    ],
    ...HOSTILE_NAMES.map((key): [string, string] => [`library/${key}`, `# ${key.length} characters\n\nAn awkward name.\n`]),
    ["library/names/page.html", "<!doctype html><title>A page</title><script>alert(1)</script>\n"],
    ["library/gated/plan.md", "# Plan\n\nNobody but us.\n"],
  ]);
  await build(await openConfig(join(base, "proofshelf.yaml")), { progress: SILENT });
});
after(() => rmSync(base, { recursive: true, force: true }));

async function openLibrary(t: TestContext): Promise<Library> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-export-bucket-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const folder = join(dir, "library");
  cpSync(base, dir, { recursive: true, preserveTimestamps: true });
  const { dist } = await compileSite();
  const shelf = async () => openShelves(await openConfig(join(dir, "proofshelf.yaml"))).public;
  return {
    folder,
    build: async () => void (await build(await openConfig(join(dir, "proofshelf.yaml")), { progress: SILENT })),
    async expected() {
      const { view } = await openStaticView(await shelf(), dist);
      const files = new Map<string, ExportedFile>();
      for await (const file of exportedFiles(view, {})) files.set(file.path, file);
      return files;
    },
    run: async (bucket, gzip = false) => exportToBucket({ shelf: await shelf(), dist, bucket, gzip }),
  };
}

async function keysOf(bucket: Bucket): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list()) keys.push(key);
  return keys;
}

async function mustHold(bucket: Bucket, files: ReadonlyMap<string, ExportedFile>): Promise<void> {
  assert.deepEqual((await keysOf(bucket)).toSorted(), [...files.keys(), OWN].toSorted());
  for (const [path, { bytes }] of files) {
    const got = await bucket.get(path);
    assert.ok(got.state === "found" && got.bytes.equals(bytes), path);
    assert.equal(got.metadata["sha256"], sha256(bytes));
  }
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
    assert.ok(proxy.requests.length <= 4, proxy.requests.join("\n"));

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
    const order = proxy.requests
      .map((line) => line.split("?")[0] ?? "")
      .filter((line) => !line.includes(".proofshelf-export") && /^(PUT|DELETE)/.test(line))
      .map((line) => (line.startsWith("DELETE") ? "4 gone" : line.endsWith("/site/index.html") ? "3 front" : findStage(line, files)));
    assert.deepEqual(order, order.toSorted());
    assert.deepEqual(new Set(order), new Set(["0 new", "1 changed", "2 page", "3 front", "4 gone"]));
  },
);

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

bucketTest("with gzip text lies there compressed, and readers and strangers find what they would find without it", async (t, server) => {
  const library = await openLibrary(t);
  const made = await makeBucket(server);
  const bucket = openBucket(made);
  const { written } = await library.run(bucket, true);
  const files = await library.expected();
  assert.equal(written, files.size);
  assert.equal((await library.run(bucket, true)).written, 0);

  const website = await openWebsite(made);
  t.after(() => website.close());
  const { url } = website;
  const compressed = new Set<string>();
  for (const [path, { bytes }] of files) {
    const answer = await fetch(`${url}/${path.split("/").map(encodeURIComponent).join("/")}`);
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes), path);
    if (answer.headers.get("content-encoding") === "gzip") compressed.add(path);
  }
  for (const path of ["index.html", "api/catalog.json", "llms.txt"]) assert.ok(compressed.has(path), path);
  assert.deepEqual(
    [...compressed].filter((path) => /^(shelf|objects)\//.test(path)),
    [],
  );
  const origin = openOrigin(url);
  t.after(() => origin.close());
  const { lies, checked } = await audit(origin, { key: null, seen: null, since: null, sample: null, full: false, progress: SILENT });
  assert.deepEqual(lies, []);
  assert.ok(checked.addresses > checked.files / 2, JSON.stringify(checked));

  assert.equal((await library.run(bucket)).written, compressed.size);
  await mustHold(bucket, files);
});

bucketTest("a run that ends anywhere is finished by the next, and leaves nothing that was to go", async (t, server) => {
  const library = await openLibrary(t);
  const made = await makeBucket(server);
  const proxy = await openFaultProxy(server.endpoint);
  t.after(() => proxy.close());
  const bucket = openBucket({ ...made, endpoint: proxy.endpoint });
  const direct = openBucket(made);
  for (const [round, at] of [40, 3, 150].entries()) {
    // Each time a file comes, and one that an interrupted run may have written goes.
    await writeFiles(library.folder, [[`names/round-${round}.md`, `# Round ${round}\n`]]);
    if (round > 0) rmSync(join(library.folder, `names/round-${round - 1}.md`));
    await library.build();
    proxy.reset();
    proxy.fault = (n) => (n >= at ? "403" : n % 10 === 9 ? "lost" : null);
    await library
      .run(bucket)
      .catch((error: unknown) => assert.ok(error instanceof ShelfError && error.code === "bucket_denied", String(error)));
    assert.ok(!(await keysOf(direct)).some((key) => key.includes("plan.md")));
  }
  proxy.fault = () => null;
  await library.run(bucket);
  await mustHold(direct, await library.expected());
});

bucketTest("the command takes a bucket as it takes a folder, and says what is wrong with what is neither", async (t, server) => {
  const library = await openLibrary(t);
  const { bucket } = await makeBucket(server);
  const run = async (...args: string[]): Promise<{ code: number | null; out: string; err: string }> => {
    const child = spawn(process.execPath, [CLI, "export", ...args, "--json", "--config", join(library.folder, "../proofshelf.yaml")]);
    const ended = once(child, "exit") as Promise<[number | null]>;
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: (await ended)[0], out, err };
  };
  for (const args of [
    ["s3://Bad_Name/"],
    ["s3:/x"],
    ["a-folder", "--endpoint", server.endpoint],
    [`s3://${bucket}`, "--endpoint", "ftp://x"],
  ])
    assert.equal((await run(...args)).code, 2, args.join(" "));
  const { code, out, err } = await run(`s3://${bucket}/some/site`, "--endpoint", server.endpoint);
  assert.equal(code, 0, err);
  const keys = await keysOf(
    openBucket({ bucket, prefix: "some/site/", endpoint: server.endpoint, region: "us-east-1", forcePathStyle: true }),
  );
  assert.equal(keys.length, (JSON.parse(out) as ExportedToBucket).files + 1);
  assert.ok(keys.includes("index.html"));
  const denied = await run("s3://no-such-bucket", "--endpoint", server.endpoint);
  assert.deepEqual([denied.code, /There is no such bucket/.test(denied.out + denied.err)], [1, true], denied.out + denied.err);
});

bucketTest("a bucket that holds something else is not touched", async (t, server) => {
  const library = await openLibrary(t);
  const bucket = openBucket(await makeBucket(server));
  await bucket.put("thesis.txt", Buffer.from("years of work"));
  await assert.rejects(library.run(bucket), (error: unknown) => error instanceof ShelfError && error.code === "build_failed");
  assert.deepEqual(await keysOf(bucket), ["thesis.txt"]);
});

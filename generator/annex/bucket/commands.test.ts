/** Commands on a shelf in a bucket, on machines of their own, and what the others see of it. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { TestContext } from "node:test";
import type { BucketConfig } from "../../../snapshots/annex/bucket/bucket.ts";
import { openFaultProxy } from "../../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { openBucket } from "../../../snapshots/annex/bucket/s3-bucket.ts";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { spoilBlob } from "../../../snapshots/contract/spoil-blob.ts";
import { sha256 } from "../../../snapshots/digest.ts";

import { ANNEXES } from "../../annexes.ts";
import { openConfig } from "../../config/config.ts";
import { withBuildLock } from "../../files/lock.ts";
import { previewBuild } from "../../pipeline/preview.ts";
import { refresh } from "../../shelves/shelves.ts";
import { shelveInBucket } from "../../testing/bucket-library.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { runHere } from "../../testing/run-program.ts";
import { copyIntoFolder } from "./copy-shelf.ts";
import { EMPTY, objectsOf } from "./inventory.ts";
import { readKnown } from "./known.ts";
import { openRemote, type Remote } from "./remote.ts";
import { useParts } from "../../publish/parts.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { build, openShelves, repair } from "../../testing/whole.ts";

useParts(PLAIN_PARTS);

type Said = { readonly code: number; readonly json: Record<string, unknown>; readonly stderr: string };

async function run(file: string, ...args: readonly string[]): Promise<Said> {
  const { status, stdout, stderr } = await runHere([...args, "--json", "--config", file]);
  return { code: status, json: JSON.parse(stdout || "{}") as Record<string, unknown>, stderr };
}

async function makeLibrary(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "proofshelf-remote-commands-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["library/notes/a.md", "# A\n"],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf:\nembeddings: { kind: none }\ncollections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]\n",
    ],
  ]);
  return dir;
}

async function keysOf(bucket: BucketConfig): Promise<ReadonlySet<string>> {
  return new Set(await Array.fromAsync(openBucket(bucket).list(), ({ key }) => key));
}

const sequences = ({ json }: Said): readonly number[] => (json["snapshots"] as { sequence: number }[]).map(({ sequence }) => sequence);

bucketTest("what is compared, rolled back, pruned and verified on any machine is so on every other one", async (t, server) => {
  const dir = await makeLibrary(t);
  const bucket = await makeBucket(server);
  const machines = await Promise.all(["one", "two", "three"].map((machine) => shelveInBucket(dir, bucket, machine)));
  const [one = "", two = "", three = ""] = machines;
  const config = await openConfig(one);
  const first = await build(config, { progress: SILENT });
  await writeFile(join(dir, "library/notes/new.md"), "# Something new\n");
  await build(config, { progress: SILENT });

  const compared = await run(two, "snapshots", "diff", "1", "2");
  assert.equal(compared.code, 0, compared.stderr);
  assert.deepEqual((compared.json["added"] as { objects: string[] }).objects, ["notes/new.md"]);

  const rolled = await run(three, "snapshots", "rollback", "1");
  assert.equal(rolled.code, 0, rolled.stderr);
  const served = { snapshot: first.snapshot, sequence: 3, restores: 1 };
  const listed = await run(two, "snapshots", "list");
  const checked = await run(one, "verify", "--all");
  assert.partialDeepStrictEqual((listed.json["snapshots"] as object[])[0], { ...served, current: true });
  assert.deepEqual([checked.code, checked.json["findings"]], [0, []]);

  assert.equal((await build(config, { progress: SILENT })).sequence, 4);
  await run(two, "snapshots", "list");
  const { public: place } = openRemote(bucket, join(dir, "two")).places;
  const needed = objectsOf((await readKnown(place.root, place.id))?.inventory ?? EMPTY);
  const pruned = await run(two, "prune", "--keep", "1");
  assert.equal(pruned.code, 0, pruned.stderr);
  assert.ok((pruned.json["removed_snapshots"] as string[]).includes(first.snapshot));
  // Whoever is behind can still fetch what was there before.
  const there = await keysOf(bucket);
  assert.deepEqual(
    [...needed].filter((object) => !there.has(`public/files/${object}`)),
    [],
  );
  const kept = await run(one, "snapshots", "list");
  const whole = await run(three, "verify", "--all");
  assert.deepEqual([sequences(kept), whole.code, whole.json["findings"]], [[4], 0, []]);
  assert.deepEqual(await readdir(join(dir, "one/public/snapshots")), ["4.json"]);
});

bucketTest(
  "a copy that was damaged spoils nothing in the bucket, verify finds it, and repair takes what is whole from there",
  async (t, server) => {
    const dir = await makeLibrary(t);
    const bucket = await makeBucket(server);
    const [one = "", two = ""] = await Promise.all(["one", "two"].map((machine) => shelveInBucket(dir, bucket, machine)));
    const config = await openConfig(one);
    await build(config, { progress: SILENT });
    spoilBlob(openShelves(config).publicDir, sha256("# A\n"));
    const found = await run(one, "verify");
    assert.equal(found.code, 3);
    await writeFile(join(dir, "library/notes/new.md"), "# Something new\n");
    await run(one, "build");
    const other = await run(two, "verify", "--all");
    assert.deepEqual([other.code, other.json["findings"]], [0, []]);
    const repaired = await run(one, "repair");
    assert.deepEqual([repaired.code, repaired.json["findings"]], [0, []]);
    assert.partialDeepStrictEqual(repaired.json["mended"], [{ root: "public", how: "taken from the bucket again" }]);
  },
);

bucketTest("a build whose pointer somebody else moves meanwhile publishes nothing, says so and exits 4", async (t, server) => {
  const dir = await makeLibrary(t);
  const bucket = await makeBucket(server);
  const proxy = await openFaultProxy(server.endpoint);
  t.after(() => proxy.close());
  await build(await openConfig(await shelveInBucket(dir, bucket, "one")), { progress: SILENT });
  const late = await shelveInBucket(dir, { ...bucket, endpoint: proxy.endpoint }, "late");
  const pointer = openBucket(bucket);
  let moving: Promise<void> | null = null;
  let moved = "";
  const move = async (): Promise<void> => {
    const got = await pointer.get("public/pointer");
    assert.ok(got.state === "found");
    const next = JSON.parse(got.bytes.toString()) as { sequence: number };
    const text = JSON.stringify({ ...next, sequence: next.sequence + 1 });
    await pointer.putIfMatch("public/pointer", Buffer.from(text), got.etag);
    moved = text;
  };
  proxy.fault = (_, line) => {
    if (!line.startsWith("PUT ") || !line.includes("/public/pointer")) return null;
    moving ??= move();
    return moved === "" ? "503" : null;
  };
  await writeFile(join(dir, "library/notes/new.md"), "# Something new\n");
  const lost = await run(late, "build", "--adopt");
  assert.equal(lost.code, 4, lost.stderr);
  assert.match(lost.stderr, /Another publisher moved the pointer in the bucket first; nothing was published\.\n +Build again/);
  const now = await pointer.get("public/pointer");
  assert.equal(now.state === "found" ? now.bytes.toString() : "", moved);
});

bucketTest("who copies, repairs, lists or plans waits for whoever brings the copy up, and says what is there then", async (t, server) => {
  const dir = await makeLibrary(t);
  const bucket = await makeBucket(server);
  // A file that was changed within one tick of the file system's clock is looked at twice.
  await wait(100);
  await build(await openConfig(await shelveInBucket(dir, bucket, "one")), { progress: SILENT });
  const config = await openConfig(await shelveInBucket(dir, bucket, "two"));
  const shelves = openShelves(config);
  const copy = openRemote(bucket, join(dir, "two"));
  const building = (): Promise<void> => withBuildLock(shelves.buildDir, () => refresh(shelves));
  const nothingYet = (): Promise<void> => assert.rejects(building(), { code: "build_running" });
  assert.equal(await copy.alone(nothingYet), true, "a copy that a build is bringing up for the first time is not read");
  const works: readonly (readonly [name: string, copy: Remote, work: () => Promise<unknown>])[] = [
    ["list", copy, async () => refresh(shelves).then(async () => assert.equal((await shelves.public.readPointer())?.sequence, 1))],
    ["plan", copy, async () => assert.equal((await previewBuild(config, ANNEXES, false)).nothing, true)],
    ["repair", copy, async () => assert.partialDeepStrictEqual((await repair(config)).mended, [{ how: "taken from the bucket again" }])],
    ["copy", openRemote(bucket, join(dir, "copied")), () => copyIntoFolder(bucket, join(dir, "copied"))],
  ];
  for (const [name, remote, work] of works) {
    const held = Promise.withResolvers<void>();
    const other = remote.alone(() => held.promise);
    if (name === "repair") spoilBlob(shelves.publicDir, sha256("# A\n"));
    const waiting = work();
    assert.equal(await Promise.race([waiting.then(() => "done"), wait(400).then(() => "waiting")]), "waiting", name);
    held.resolve();
    assert.equal(await other, true);
    await waiting;
  }
  assert.ok((await readdir(join(dir, "copied/public"))).includes("current.json"));
  assert.equal(await copy.alone(building), true, "what was brought up is read while a build runs");
});

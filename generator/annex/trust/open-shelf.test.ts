/** The public shelf over HTTP: each file that a kept snapshot needs, as it is; of all else that lies in the root, nothing. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { blobPath } from "../../../snapshots/format/layout.ts";
import { parseTree } from "../../../snapshots/format/tree.ts";
import { openCheckpoint } from "../../../snapshots/log/checkpoint.ts";
import { generateKey, parseKey } from "../../../snapshots/log/note.ts";
import { readEntries, tileNodes } from "../../../snapshots/log/tiles.ts";
import { treeRoot } from "../../../snapshots/log/tree.ts";
import { prune } from "../../../snapshots/shelf/prune.ts";
import { reachable } from "../../../snapshots/shelf/reach.ts";
import { openDirectoryShelf } from "../../../snapshots/shelf/shelf-directory.ts";

import { openConfig } from "../../config/config.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { ask, openFixtureView } from "../../testing/view.ts";

import { exportView } from "../export/export.ts";
import { compileSite } from "../../pages/compile-site.ts";
import { PAGED_PARTS } from "../../testing/plain-parts.ts";
import { build, openShelves } from "../../testing/whole.ts";

const ORIGIN = "library.example/shelf";
const PAIR = generateKey(ORIGIN);
const SAID = "curl -s http://library.example/objects/notes/a.txt";
const config = (visibility = "public"): string => `title: Open library
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: plans, prefix: plans/, title: Plans, visibility: ${visibility} }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
log: { origin: ${ORIGIN}, publicKey: ${PAIR.publicKey} }
embeddings: { kind: none }
`;

async function openLibrary(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-open-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  process.env["LOG_KEY"] = PAIR.privateKey;
  t.after(() => delete process.env["LOG_KEY"]);
  const write = (files: Readonly<Record<string, string>>) => writeFiles(dir, Object.entries(files));
  await write({
    "proofshelf.yaml": config(),
    "library/notes/a.txt": "A note.\n",
    "library/plans/plan.md": "# The plan of the year\n\nPublic at first.\n",
    "library/drafts/b.md": "# A draft of the summer\n\nGated.\n",
  });
  const file = join(dir, "proofshelf.yaml");
  const publish = async () => build(await openConfig(file), { progress: SILENT }, PAGED_PARTS);
  await publish();
  const opened = await openConfig(file);
  return { dir, write, publish, opened, shelf: openShelves(opened).public, view: await openFixtureView(opened) };
}

test("checkpoint, tiles and records lead to every blob of the snapshot that is served, each of which is its digest", async (t) => {
  const { shelf, view, publish, write } = await openLibrary(t);
  await write({ "library/notes/a.txt": "Another note.\n" });
  await publish();
  const checkpoint = await ask(view, "/shelf/checkpoint");
  const { size, root } = openCheckpoint(checkpoint.body, { origin: ORIGIN, log: [parseKey(PAIR.publicKey)] }).checkpoint;
  assert.equal(size, 2);
  const read = async (path: string) => {
    const { status, body } = await ask(view, `/shelf/${path}`);
    return status === 200 ? body : null;
  };
  assert.deepEqual(await treeRoot(size, tileNodes(size, read)), root);
  const entries = await readEntries(0, size, read);
  assert.equal(entries[1]?.toString(), (await ask(view, "/shelf/snapshots/2.json")).text);
  assert.deepEqual((await ask(view, "/shelf/snapshots.json")).json(), [1, 2]);
  assert.equal((await ask(view, "/shelf/withdrawn.json")).text, "[]");
  assert.match((await ask(view, "/shelf/changes/2.json")).text, /notes\/a\.txt/);
  // What a log of one entry had is there, whatever has become of its files.
  assert.deepEqual(await ask(view, "/shelf/tile/0/000.p/1").then(({ body }) => body), (await read("tile/0/000.p/2"))?.subarray(0, 32));
  for (const name of [
    "tile/0/000.p/3",
    "tile/0/000",
    "tile/0/001.p/1",
    "tile/1/000.p/1",
    "checkpoints/3",
    "tile/0/0000.p/1",
    "tile/00/000.p/1",
  ])
    assert.equal((await ask(view, `/shelf/${name}`)).status, 404, name);

  const { snapshot } = JSON.parse((await ask(view, "/shelf/snapshots/2.json")).text) as { snapshot: string };
  let blobs = 0;
  const open = [snapshot];
  for (let digest = open.pop(); digest !== undefined; digest = open.pop()) {
    const { status, body, headers } = await ask(view, blobPath(digest));
    assert.equal(status, 200);
    assert.equal(sha256(body), digest);
    assert.deepEqual(
      [headers["Cache-Control"], headers["ETag"], headers["Content-Type"]],
      ["public, max-age=31536000, immutable, s-maxage=600", `"${digest}"`, "application/octet-stream"],
    );
    for (const entry of parseTree(body)) {
      if (entry.kind === "tree") open.push(entry.sha256);
      else {
        assert.equal(sha256((await ask(view, blobPath(entry.sha256))).body), entry.sha256);
        blobs++;
      }
    }
  }
  assert.ok(blobs > 10);
  const part = await ask(view, blobPath(snapshot), { range: "bytes=0-9" });
  assert.deepEqual([part.status, part.body.length], [206, 10]);
  assert.equal((await ask(view, blobPath(snapshot), { "if-none-match": `"${snapshot}"` })).status, 304);
  assert.equal((await ask(view, `/at/${snapshot}/shelf/checkpoint`)).headers["Location"], "/shelf/checkpoint");
  assert.ok((await reachable(shelf, [snapshot])).size > blobs);
});

test("what a refused build, a prune or a gating has left in the public root is served to nobody", async (t) => {
  const { dir, shelf, view, publish, write } = await openLibrary(t);
  const served = async (): Promise<Set<string>> => {
    const found = new Set<string>();
    for await (const { digest } of shelf.blobs.list()) {
      const { status } = await ask(view, blobPath(digest));
      assert.ok(status === 200 || status === 404);
      if (status === 200) found.add(digest);
    }
    return found;
  };
  const inService = await served();
  assert.deepEqual(
    inService,
    await reachable(
      shelf,
      (await shelf.records.index()).records.map(({ snapshot }) => snapshot),
    ),
  );

  // The leak check refuses a draft whose files lie in the public root by then.
  await write({ "library/drafts/b.md": `\n# ${SAID}\n\nGated.\n`, "library/notes/refused.md": "# Refused words of a draft\n" });
  await assert.rejects(publish(), /may not|would|leak|gated/i);
  const lying: string[] = [];
  for await (const { digest } of shelf.blobs.list()) if (!inService.has(digest)) lying.push(digest);
  assert.ok(lying.includes(sha256("# Refused words of a draft\n")), "the draft's bytes lie there");
  assert.deepEqual(await served(), inService);

  // What is gated leaves with the snapshots that had it; a copy that somebody put back is nobody's.
  await write({ "library/drafts/b.md": "# A draft of the summer\n\nGated.\n", "proofshelf.yaml": config("email-gated") });
  const plan = sha256("# The plan of the year\n\nPublic at first.\n");
  assert.ok(inService.has(plan));
  await publish();
  assert.equal((await ask(view, "/shelf/snapshots/1.json")).status, 404);
  assert.deepEqual((await ask(view, "/shelf/snapshots.json")).json(), [2]);
  assert.equal((await ask(view, blobPath(plan))).status, 404);
  await openDirectoryShelf(join(dir, "shelf/public")).blobs.put(plan, Buffer.from("# The plan of the year\n\nPublic at first.\n"));
  assert.equal((await ask(view, blobPath(plan))).status, 404);
  const old = await ask(view, "/shelf/withdrawn.json");
  assert.equal((old.json() as unknown[]).length, 1);
  assert.doesNotMatch((await ask(view, "/shelf/changes/1.json")).text, /plan/);

  // Records beyond the pointer were never served.
  await write({ "library/notes/late.md": "# Late\n" });
  const pointer = readFileSync(join(dir, "shelf/public/current.json"));
  await publish();
  const late = sha256("# Late\n");
  assert.equal((await ask(view, blobPath(late))).status, 200);
  const again = await openFixtureView(await openConfig(join(dir, "proofshelf.yaml")));
  await writeFiles(join(dir, "shelf/public"), [["current.json", pointer]]);
  assert.equal((await ask(again, "/shelf/snapshots/3.json")).status, 404);
  assert.equal((await ask(again, "/shelf/tile/entries/000.p/3")).status, 404);
  assert.equal((await ask(again, blobPath(late))).status, 404);
  await publish();
  await prune({ shelf, keep: 1 });
  assert.equal((await ask(view, "/shelf/snapshots/2.json")).status, 404);
});

test("the gated view opens no shelf", async (t) => {
  const { opened } = await openLibrary(t);
  const internal = await openFixtureView(opened, "internal");
  for (const path of ["checkpoint", "snapshots.json", "tile/entries/000.p/1", "keys.json"])
    assert.equal((await ask(internal, `/shelf/${path}`)).status, 404, path);
  for await (const { digest } of openShelves(opened).internal.blobs.list())
    assert.equal((await ask(internal, blobPath(digest))).status, 404);
});

test("a damaged snapshot keeps nobody from the others, and comes back when it is mended", async (t) => {
  const { dir, view, publish, write, shelf } = await openLibrary(t);
  const root = (await shelf.readPointer())?.snapshot ?? "";
  await write({ "library/notes/a.txt": "Another note.\n" });
  await publish();
  // A file of its own counts before what is packed.
  const spoilt = join(dir, "shelf/public/blobs", root.slice(0, 2), root);
  await writeFiles(dir, [[spoilt.slice(dir.length + 1), "not a tree"]]);
  const [before, now] = [blobPath(sha256("A note.\n")), blobPath(sha256("Another note.\n"))];
  assert.deepEqual([(await ask(view, before)).status, (await ask(view, now)).status], [404, 200]);
  unlinkSync(spoilt);
  assert.deepEqual([(await ask(view, before)).status, (await ask(view, blobPath(root))).status], [200, 200]);
});

test("an export has the same files", async (t) => {
  const { dir, shelf, view } = await openLibrary(t);
  const { dist } = await compileSite();
  const out = join(dir, "out");
  await exportView({ shelf, dist, dir: out });
  const names = readdirSync(join(out, "shelf"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(out.length));
  for (const name of names) assert.deepEqual((await ask(view, name)).body, readFileSync(join(out, name)), name);
  const record = await shelf.readPointer();
  const needed = await reachable(shelf, [record?.snapshot ?? ""]);
  assert.equal(names.filter((name) => name.startsWith("/shelf/blobs/")).length, needed.size);
  for (const name of [
    "/shelf/checkpoint",
    "/shelf/checkpoints/1",
    "/shelf/tile/0/000.p/1",
    "/shelf/tile/entries/000.p/1",
    "/shelf/changes/1.json",
  ])
    assert.ok(names.includes(name), name);
});

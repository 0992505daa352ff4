import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { sha256 } from "../../digest.ts";
import type { Tree } from "../../format/tree.ts";
import type { OpenSnapshot } from "../../query/open-snapshot.ts";
import { openDirectoryShelf } from "../../shelf/shelf-directory.ts";
import { overriding } from "../../shelf/overriding-fixture.ts";
import type { Shelf } from "../../shelf/shelf.ts";
import { publishTiny, TINY, tinyData } from "../../verify/tiny-shelf-fixture.ts";
import { answer } from "../../http/answer.ts";
import { openView, type View } from "../../http/view.ts";
import { SERVICE } from "../../service/service.ts";

const LONG = "a name that is longer than the old header has room for ".repeat(3).trim();
const KEYS = [
  "notes/a.md",
  "notes/étude 👩‍🔬.md",
  "notes/line\nbreak.md",
  `notes/${LONG}/${LONG}.md`,
  "notes/-rf.md",
  "notes/empty.md",
  "notes/big.md",
];
const textOf = (key: string): string =>
  key.endsWith("empty.md") ? "" : key.endsWith("big.md") ? "0123456789abcde\n".repeat(200_000) : `${key}\n`;

let folder: string;
let view: View;
let open: OpenSnapshot;
let read = 0;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "archive-"));
  const source = { ...TINY, objects: KEYS.map((key) => ({ key, text: textOf(key) })) };
  const plain = openDirectoryShelf(join(folder, "shelf"));
  await publishTiny(plain, tinyData(source, "public"), source);
  const shelf: Shelf = overriding(plain, {
    getBlob(digest) {
      read++;
      return plain.getBlob(digest);
    },
    openBlob(digest) {
      read++;
      return plain.openBlob(digest);
    },
    readMany(digests) {
      read += digests.length;
      return plain.readMany(digests);
    },
  });
  const runtime = { version: "0", components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } };
  view = openView({ service: SERVICE, view: "public", shelf, renderer: null, index: null, runtime, now: () => 0, listing: null });
  const current = await view.current();
  assert.ok(current !== null);
  open = current;
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function get(range: string | null = null, target = "/api/archive.tar") {
  const { status, headers, body } = await answer(view, { method: "GET", target, header: (name) => (name === "range" ? range : null) });
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else if (body !== null) for await (const chunk of body) chunks.push(chunk);
  return { status, headers, bytes: Buffer.concat(chunks) };
}

test("tar unpacks every file of the tree, whatever its name, with the bytes that its digest names", async () => {
  const { status, headers, bytes } = await get();
  assert.equal(status, 200);
  assert.equal(headers["Content-Length"], String(bytes.length));
  writeFileSync(join(folder, "all.tar"), bytes);
  execFileSync("tar", ["--extract", "--file", join(folder, "all.tar"), "--directory", folder]);
  const top = join(folder, `snapshot-${open.snapshot.id.slice(0, 12)}`);
  let files = 0;
  const check = async (tree: Tree, dir: string): Promise<void> => {
    assert.deepEqual(readdirSync(dir).sort(), tree.map(({ name }) => name).sort());
    for (const entry of tree) {
      const path = join(dir, entry.name);
      if (entry.kind === "tree") await check(await open.snapshot.tree(entry.sha256), path);
      else assert.equal(sha256(readFileSync(path)), entry.sha256, path);
      files++;
    }
  };
  await check(await open.snapshot.tree(open.snapshot.id), top);
  assert.ok(files > KEYS.length * 2);
});

test("it is the same each time, also under /at/, and a range is that part of it", async () => {
  const { bytes, headers } = await get();
  const again = await get(null, `/at/${open.snapshot.id}/api/archive.tar`);
  assert.ok(again.bytes.equals(bytes));
  assert.equal(again.headers["ETag"], headers["ETag"]);
  for (const [start, end] of [
    [0, 0],
    [0, 511],
    [511, 513],
    [100, 5000],
    [1_000_000, 1_000_001],
    [bytes.length - 1500, bytes.length - 1],
  ] as const) {
    const part = await get(`bytes=${start}-${end}`);
    assert.equal(part.status, 206);
    assert.equal(part.headers["Content-Range"], `bytes ${start}-${end}/${bytes.length}`);
    assert.ok(part.bytes.equals(bytes.subarray(start, end + 1)), `${start}-${end}`);
  }
  assert.equal((await get(`bytes=${bytes.length}-`)).status, 416);
});

test("a range at the end opens no file before it", async () => {
  const { headers } = await get("bytes=0-0");
  const size = Number((headers["Content-Range"] ?? "").split("/")[1]);
  read = 0;
  await get(`bytes=${size - 10}-`);
  assert.equal(read, 0);
});

test("however many ask for it at once, others have their turn between the parts", async () => {
  let turns = 0;
  let over = false;
  const others = (async () => {
    for (; !over; turns++) await setImmediate();
  })();
  const readers = 40;
  const answers = await Promise.all(Array.from({ length: readers }, () => get()));
  over = true;
  await others;
  const [first] = answers;
  assert.ok(answers.every(({ bytes }) => first?.bytes.equals(bytes)));
  // Big.md is sent in parts of its own; all other files fit into a few.
  assert.ok(turns > readers * 2, `${turns}`);
});

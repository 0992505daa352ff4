/** Bytes of objects while the files under them are damaged, exchanged and read by many. */
import assert from "node:assert/strict";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { sha256 } from "../digest.ts";
import { PART_BYTES } from "../shelf/checked-read.ts";
import { openDirectoryShelf } from "../shelf/shelf-directory.ts";
import { overriding } from "../shelf/overriding-fixture.ts";
import type { Shelf } from "../shelf/shelf.ts";
import { publishTiny, TINY, tinyData } from "../verify/tiny-shelf-fixture.ts";
import { answer } from "./answer.ts";
import { openView, type View } from "./view.ts";
import { SERVICE } from "../service/service.ts";

const SIZES = [100, PART_BYTES, PART_BYTES + 1, 5 * PART_BYTES + 7, 17 * 1024 * 1024];
const keyOf = (size: number): string => `notes/${size}.md`;
/** No two parts of it are the same. */
const textOf = (size: number): string =>
  Array.from({ length: Math.ceil(size / 8) }, (_, at) => String(at).padStart(8, "0"))
    .join("")
    .slice(0, size);

type Library = {
  readonly view: View;
  /** Of the blob of an object of that size. */
  fileOf(size: number): string;
  /** Bytes that were asked of blobs since the last look. */
  takeRead(): number;
};

async function open(t: TestContext, sizes: readonly number[] = SIZES): Promise<Library> {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-object-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const source = { ...TINY, objects: sizes.map((size) => ({ key: keyOf(size), text: textOf(size) })) };
  const plain = openDirectoryShelf(root);
  await publishTiny(plain, tinyData(source, "public"), source);
  let read = 0;
  const shelf: Shelf = overriding(plain, {
    async getBlob(digest) {
      const bytes = await plain.getBlob(digest);
      read += bytes?.length ?? 0;
      return bytes;
    },
    async openBlob(digest) {
      const file = await plain.openBlob(digest);
      if (file === null) return null;
      return {
        ...file,
        read(position, length) {
          read += Math.max(0, Math.min(length, file.size - position));
          return file.read(position, length);
        },
      };
    },
  });
  const runtime = { version: "1", components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } };
  const view = openView({ service: SERVICE, view: "public", shelf, renderer: null, index: null, runtime, now: Date.now, listing: null });
  await view.current();
  return {
    view,
    fileOf(size) {
      const digest = sha256(textOf(size));
      return join(root, "blobs", digest.slice(0, 2), digest);
    },
    takeRead() {
      const taken = read;
      read = 0;
      return taken;
    },
  };
}

type Got = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly bytes: Buffer | null };

/** `bytes` is null when the body ended in the middle. */
async function get(view: View, size: number, headers: Record<string, string> = {}): Promise<Got> {
  const {
    status,
    headers: sent,
    body,
  } = await answer(view, {
    method: "GET",
    target: `/objects/${keyOf(size)}`,
    header: (name) => headers[name] ?? null,
  });
  const bytes =
    body === null || body instanceof Uint8Array ? Buffer.from(body ?? []) : await Array.fromAsync(body).then(Buffer.concat, () => null);
  return { status, headers: sent, bytes };
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

/** Paths of files below a folder that this process holds open. */
function openFiles(of: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(of) ? [path] : [];
    } catch {
      return [];
    }
  });
}

const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  "a flipped bit": (file) => flip(file, Math.floor(statSync(file).size / 2)),
  "a flipped bit at the end": (file) => flip(file, statSync(file).size - 1),
  "a cut end": (file) => truncateSync(file, statSync(file).size - 1),
  "a byte more": (file) => writeFileSync(file, "x", { flag: "a" }),
  "other bytes under the old times": (file) => {
    const { atime, mtime } = statSync(file);
    flip(file, 0);
    utimesSync(file, atime, mtime);
  },
  "another file in its place": (file) => {
    writeFileSync(`${file}.new`, Buffer.alloc(statSync(file).size, "x"));
    renameSync(`${file}.new`, file);
  },
  "no file": (file) => rmSync(file),
};

test("an object that is damaged after a good read is 503, whatever its size and whatever form or part of it is asked for", async (t) => {
  const { view, fileOf } = await open(t);
  for (const size of SIZES) {
    const file = fileOf(size);
    const good = readFileSync(file);
    for (const [name, damage] of Object.entries(DAMAGES)) {
      const whole = await get(view, size);
      assert.deepEqual([whole.status, whole.bytes?.equals(good)], [200, true], `${size} before ${name}`);
      assert.equal(whole.headers["Repr-Digest"], `sha-256=:${Buffer.from(sha256(good), "hex").toString("base64")}:`);
      damage(file);
      for (const headers of [{}, { range: "bytes=0-9" }, { range: "bytes=-5" }, { "accept-encoding": "gzip" }]) {
        const { status, headers: sent, bytes } = await get(view, size, headers);
        assert.equal(status, 503, `${size}, ${name}, ${JSON.stringify(headers)}`);
        assert.deepEqual([sent["ETag"], sent["Repr-Digest"], sent["Cache-Control"]], [undefined, undefined, "no-store"]);
        assert.equal((JSON.parse(String(bytes)) as { code: string }).code, "snapshot_damaged");
      }
      rmSync(file, { force: true });
      writeFileSync(file, good);
    }
  }
});

test("an object that is damaged while it is sent ends before the first wrong part, and leaves no file open", async (t) => {
  const size = 5 * PART_BYTES + 7;
  const { view, fileOf } = await open(t, [size]);
  const file = fileOf(size);
  const good = readFileSync(file);
  await get(view, size);
  const { status, body } = await answer(view, { method: "GET", target: `/objects/${keyOf(size)}`, header: () => null });
  assert.equal(status, 200);
  assert.ok(body !== null && !(body instanceof Uint8Array));
  flip(file, 3 * PART_BYTES);
  const got: Uint8Array[] = [];
  await assert.rejects(async () => {
    for await (const part of body) got.push(part);
  });
  assert.ok(Buffer.concat(got).equals(good.subarray(0, 3 * PART_BYTES)));
  assert.deepEqual(openFiles(file), []);
});

test("a range reads the parts that it lies in, and all of the object only for the first reader", async (t) => {
  const size = 17 * 1024 * 1024;
  const { view, takeRead } = await open(t, [size]);
  const text = Buffer.from(textOf(size));
  await answer(view, { method: "HEAD", target: `/objects/${keyOf(size)}`, header: () => null });
  takeRead();
  const first = await Promise.all(Array.from({ length: 20 }, () => get(view, size, { range: "bytes=70000-70009" })));
  for (const { status, bytes } of first) assert.deepEqual([status, String(bytes)], [206, String(text.subarray(70_000, 70_010))]);
  assert.equal(takeRead(), size + 20 * PART_BYTES, "one pass for twenty readers, and a part for each");
  for (const [from, to, parts] of [
    [0, 9, 1],
    [PART_BYTES - 1, PART_BYTES, 2],
    [size - 1, size - 1, 1],
    [PART_BYTES, 3 * PART_BYTES - 1, 2],
  ] as const) {
    const { bytes } = await get(view, size, { range: `bytes=${from}-${to}` });
    assert.ok(bytes?.equals(text.subarray(from, to + 1)), `${from}-${to}`);
    assert.ok(takeRead() <= parts * PART_BYTES, `${from}-${to}`);
  }
});

test("an answer that nobody reads holds one part and one file, and gives both back", async (t) => {
  const size = 17 * 1024 * 1024;
  const { view, fileOf, takeRead } = await open(t, [size]);
  await get(view, size);
  takeRead();
  const bodies = [];
  for (let n = 0; n < 50; n++) {
    const { body } = await answer(view, { method: "GET", target: `/objects/${keyOf(size)}`, header: () => null });
    assert.ok(body !== null && !(body instanceof Uint8Array));
    bodies.push(body[Symbol.asyncIterator]());
  }
  assert.equal(takeRead(), 50 * PART_BYTES);
  assert.equal(openFiles(fileOf(size)).length, 50);
  await Promise.all(bodies.map((body) => body.return?.()));
  assert.deepEqual(openFiles(fileOf(size)), []);
});

test("of long texts only a few are compressed at once; who comes above gets the plain form, with its own validator", async (t) => {
  const size = 2 * 1024 * 1024;
  const { view } = await open(t, [size]);
  const ask = () =>
    answer(view, { method: "GET", target: `/objects/${keyOf(size)}`, header: (name) => (name === "accept-encoding" ? "br" : null) });
  const found = [];
  for (let n = 0; n < 20; n++) found.push(await ask());
  const codings = found.map(({ headers }) => headers["Content-Encoding"]);
  assert.ok(codings.includes("br") && codings.includes(undefined));
  for (const [at, { headers, body }] of found.entries()) {
    assert.equal(headers["ETag"], `"${sha256(textOf(size))}${codings[at] === "br" ? "-br" : ""}"`);
    const bytes = Buffer.concat(await Array.fromAsync(body as AsyncIterable<Uint8Array>));
    assert.equal(sha256(codings[at] === "br" ? brotliDecompressSync(bytes) : bytes), sha256(textOf(size)));
  }
  assert.equal((await ask()).headers["Content-Encoding"], "br", "later there is room again");
});

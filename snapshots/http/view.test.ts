/** A view while things change under it: publications, prunes, clocks. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openDirectoryShelf } from "../shelf/shelf-directory.ts";
import { prune } from "../shelf/prune.ts";
import type { Shelf } from "../shelf/shelf.ts";
import { publishTiny, TINY, tinyData, type TinySource } from "../verify/tiny-shelf.ts";
import { answer } from "./answer.ts";
import { openView, type View, type ViewOptions } from "./view.ts";

function newShelf(t: TestContext): { readonly root: string; readonly shelf: Shelf } {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-view-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return { root, shelf: openDirectoryShelf(root) };
}

function source(n: number): TinySource {
  return { ...TINY, objects: [...TINY.objects, { key: `notes/${n}.md`, text: `# Note ${n}\n\nThe number is ${n}.\n` }] };
}

async function publishNote(shelf: Shelf, n: number): Promise<string> {
  const of = source(n);
  return (await publishTiny(shelf, tinyData(of, "public"), of)).snapshot;
}

function open(shelf: Shelf, more: Partial<ViewOptions> = {}): View {
  const runtime = { version: "1", components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } };
  return openView({ view: "public", shelf, renderer: null, index: null, runtime, now: Date.now, listing: null, ...more });
}

const get = (view: View, target: string, headers: Record<string, string> = {}) =>
  answer(view, { method: "GET", target, header: (name) => headers[name] ?? null });
const textOf = (body: unknown): string => Buffer.from(body as Uint8Array).toString();

/** The same shelf, whose blobs are counted, and held back while `closed`. */
function watched(shelf: Shelf): { readonly shelf: Shelf; reads: number; hold(): () => void } {
  let gate: Promise<void> = Promise.resolve();
  const seen = {
    reads: 0,
    shelf: {
      ...shelf,
      async getBlob(digest: string) {
        seen.reads++;
        await gate;
        return shelf.getBlob(digest);
      },
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
  return seen;
}

test("while the next snapshot loads, the one before is served, and nobody waits", async (t) => {
  const { shelf } = newShelf(t);
  const first = await publishNote(shelf, 1);
  const slow = watched(shelf);
  let time = 0;
  const view = open(slow.shelf, { monotonic: () => time });
  assert.equal((await get(view, "/api/list")).headers["X-Snapshot"], first);
  const second = await publishNote(shelf, 2);
  const release = slow.hold();
  time += 1000;
  for (let n = 0; n < 20; n++) {
    const { status, headers } = await get(view, "/api/list?prefix=notes/");
    assert.deepEqual([status, headers["X-Snapshot"]], [200, first]);
  }
  release();
  await view.refresh();
  assert.equal((await get(view, "/api/list")).headers["X-Snapshot"], second);
});

test("a wall clock that is set back an hour keeps nobody from seeing the next snapshot", async (t) => {
  const { shelf } = newShelf(t);
  await publishNote(shelf, 1);
  let wall = Date.parse("2026-03-01T12:00:00Z");
  const view = open(shelf, { now: () => wall });
  await get(view, "/api/list");
  const second = await publishNote(shelf, 2);
  wall -= 3_600_000;
  const until = performance.now() + 20_000;
  while ((await get(view, "/api/list")).headers["X-Snapshot"] !== second) {
    assert.ok(performance.now() < until, "the pointer is not followed");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test("what prune removes is gone from a running server: pages of the history, data, search", async (t) => {
  const { shelf } = newShelf(t);
  const first = await publishNote(shelf, 1);
  await publishNote(shelf, 2);
  let time = 0;
  const view = open(shelf, {
    monotonic: () => time,
    renderer: async () => ({ digest: "", assets: [], render: async (input) => Buffer.from(JSON.stringify(input.model)) }),
  });
  const search = `/at/${first}/api/search?q=number`;
  assert.equal((await get(view, `/at/${first}/api/catalog`)).status, 200);
  assert.equal((await get(view, `/at/${first}/api/list`)).status, 200);
  assert.match(textOf((await get(view, "/snapshots/")).body), new RegExp(first));
  await prune({ shelf, keep: 1 });
  time += 1000;
  for (const target of [`/at/${first}/api/catalog`, `/at/${first}/api/list`, search]) {
    const { status, body } = await get(view, target);
    assert.deepEqual([status, (JSON.parse(textOf(body)) as { code: string }).code], [404, "snapshot_not_found"], target);
  }
  assert.doesNotMatch(textOf((await get(view, "/snapshots/")).body), new RegExp(`"id":"${first}"`));
});

test("an answer of a kept snapshot is made once, also when five snapshots take turns", async (t) => {
  const { shelf } = newShelf(t);
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push(await publishNote(shelf, n));
  const seen = watched(shelf);
  const view = open(seen.shelf);
  const round = async (): Promise<readonly string[]> => {
    const bodies: string[] = [];
    for (const id of ids.slice(0, 5)) {
      for (const path of ["/api/catalog", "/api/list?prefix=notes/", "/claims/"])
        bodies.push(textOf((await get(view, `/at/${id}${path}`)).body));
    }
    return bodies;
  };
  const made = await round();
  const { reads } = seen;
  assert.deepEqual(await round(), made);
  assert.equal(seen.reads, reads, "the second round reads nothing");
});

test("an unknown id costs no look at any record", async (t) => {
  const { shelf } = newShelf(t);
  await publishNote(shelf, 1);
  let listed = 0;
  const view = open({ ...shelf, knownRecords: () => (listed++, shelf.knownRecords()) }, { monotonic: () => 0 });
  for (let n = 0; n < 50; n++) assert.equal((await get(view, `/at/${n.toString(16).padStart(64, "0")}/api/catalog`)).status, 404);
  assert.equal(listed, 1);
});

test("records are read once: a shelf that lists them again reads only the newest", async (t) => {
  const { root, shelf } = newShelf(t);
  for (let n = 0; n < 4; n++) await publishNote(shelf, n);
  const reader = openDirectoryShelf(root);
  const first = await reader.knownRecords();
  assert.equal(await reader.knownRecords(), first, "the same list while nothing changes");
  await publishNote(shelf, 9);
  const next = await reader.knownRecords();
  assert.deepEqual(next.slice(0, 4), first);
  assert.ok(
    next.slice(0, 3).every((record, at) => record === first[at]),
    "the older ones are the same objects",
  );
  await shelf.deleteRecord(1);
  assert.equal((await reader.knownRecords()).length, 4);
});

test("when things were first seen is the same whether a server was there all the time or has just been started", async (t) => {
  const { shelf } = newShelf(t);
  const read: number[] = [];
  const counted = { ...shelf, readChanges: (sequence: number) => (read.push(sequence), shelf.readChanges(sequence)) };
  const following = open(counted);
  for (let n = 1; n <= 4; n++) {
    await publishNote(shelf, n);
    await following.refresh();
    read.length = 0;
    // Nobody asks in the third.
    if (n === 3) continue;
    const fresh = await open(shelf).current();
    const old = await following.current();
    for (const key of ["notes/hello.md", `notes/${n}.md`, "notes/1.md", "notes/none.md"]) {
      assert.deepEqual(await old?.firstSeen("objects", key), await fresh?.firstSeen("objects", key), `${n} ${key}`);
    }
    assert.deepEqual(read, n === 4 ? [3, 4] : [n], "only what is new is read");
  }
});

/** A view while things change under it: publications, prunes, clocks. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type DirectoryShelf, openDirectoryShelf } from "../shelf/shelf-directory.ts";
import { prune } from "../shelf/prune.ts";
import { overriding } from "../shelf/overriding-fixture.ts";
import type { SnapshotRecord } from "../shelf/shelf.ts";
import { publishTiny, TINY, tinyData, type TinySource } from "../verify/tiny-shelf-fixture.ts";
import { answer } from "./answer.ts";
import { findReady } from "./prepared.ts";
import { openView, type View, type ViewOptions } from "./view.ts";
import { SERVICE } from "../service/service.ts";

function newShelf(t: TestContext): { readonly root: string; readonly shelf: DirectoryShelf } {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-view-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return { root, shelf: openDirectoryShelf(root) };
}

function source(n: number): TinySource {
  return { ...TINY, objects: [...TINY.objects, { key: `notes/${n}.md`, text: `# Note ${n}\n\nThe number is ${n}.\n` }] };
}

async function publishNote(shelf: DirectoryShelf, n: number): Promise<string> {
  const of = source(n);
  return (await publishTiny(shelf, tinyData(of, "public"), of)).snapshot;
}

function open(shelf: DirectoryShelf, more: Partial<ViewOptions> = {}): View {
  const runtime = { version: "1", components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } };
  return openView({ service: SERVICE, view: "public", shelf, renderer: null, index: null, runtime, now: Date.now, listing: null, ...more });
}

const NO_NAMES = { objects: [], claims: [], records: [] };
const NO_CHANGES = { added: NO_NAMES, changed: NO_NAMES, removed: NO_NAMES };

const get = (view: View, target: string, headers: Record<string, string> = {}) =>
  answer(view, { method: "GET", target, header: (name) => headers[name] ?? null });
const textOf = (body: unknown): string => Buffer.from(body as Uint8Array).toString();

/** The same shelf, whose blobs are counted, and held back while `closed`. */
function watched(shelf: DirectoryShelf): { readonly shelf: DirectoryShelf; reads: number; hold(): () => void } {
  let gate: Promise<void> = Promise.resolve();
  const seen = {
    reads: 0,
    shelf: overriding(shelf, {
      async getBlob(digest: string) {
        seen.reads++;
        await gate;
        return shelf.getBlob(digest);
      },
    }),
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

test("whatever is read of the next snapshot is read while the one before is served", async (t) => {
  const { shelf } = newShelf(t);
  const first = await publishNote(shelf, 1);
  const served: (string | undefined)[] = [];
  const view: View = open(
    overriding(shelf, {
      getBlob(digest: string) {
        served.push(view.peek()?.snapshot.id);
        return shelf.getBlob(digest);
      },
    }),
    { monotonic: () => 0 },
  );
  await view.refresh();
  served.length = 0;
  const forgotten: (string | undefined)[] = [];
  Object.assign(view.prepared, { forget: () => void forgotten.push(view.peek()?.snapshot.id) });
  const second = await publishNote(shelf, 2);
  await view.refresh();
  assert.equal(view.peek()?.snapshot.id, second);
  assert.deepEqual(forgotten, [second], "answers of the one before are forgotten when none is made any more");
  assert.ok(served.length > 1);
  assert.deepEqual([...new Set(served)], [first]);
});

test("what is published while a view looks at the shelf is no setback", async (t) => {
  const { shelf } = newShelf(t);
  await publishNote(shelf, 1);
  let isPublished = false;
  // Two follow as soon as it has read the pointer, or which records there are.
  const thenPublish = async <T>(read: T): Promise<T> => {
    if (!isPublished) {
      isPublished = true;
      for (const n of [2, 3]) await publishNote(shelf, n);
    }
    return read;
  };
  const records = Object.create(shelf.records, { index: { value: () => shelf.records.index().then(thenPublish) } }) as typeof shelf.records;
  const view = open(overriding(shelf, { records, readPointer: () => shelf.readPointer().then(thenPublish) }));
  await view.refresh();
  assert.equal(isPublished, true);
  assert.equal(view.trouble(), null);
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

test("many who ask at once for one thing cost one look", async (t) => {
  const { shelf } = newShelf(t);
  await publishNote(shelf, 1);
  const seen = watched(shelf);
  let looks = 0;
  let clock = 0;
  const view = open(overriding(seen.shelf, { readChecked: () => (looks++, shelf.readChecked()) }), { monotonic: () => clock });
  await view.current();
  assert.equal((await get(view, "/health")).status, 200);
  assert.equal((await get(view, "/health")).status, 200);
  assert.equal(looks, 1, "what was found within the last second is found");
  clock += 1_000;
  const [before, looked] = [seen.reads, looks];
  const answers = await Promise.all(Array.from({ length: 50 }, () => get(view, "/objects/notes/1.md")));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  // Trees, each once: that of the snapshot, of its objects and of their folder.
  assert.ok(seen.reads - before <= 4, `${seen.reads - before} blobs`);
  assert.deepEqual(
    new Set((await Promise.all(Array.from({ length: 50 }, () => get(view, "/health")))).map(({ status }) => status)),
    new Set([200]),
  );
  assert.equal(looks - looked, 1);
  // The look aside may still be under way.
  for (let n = 0; looks - looked < 2 && n < 5; n++) {
    clock += 3_000;
    assert.equal((await get(view, "/health")).status, 200);
  }
  assert.equal(looks - looked, 2, "and who asks when nobody has asked for long waits for another");
});

test("who asks each second how it is waits for no look, and is told of the one before", async (t) => {
  const { shelf } = newShelf(t);
  await publishNote(shelf, 1);
  const seen = watched(shelf);
  let clock = 0;
  let letGo: () => void = () => undefined;
  let gate: Promise<void> | null = null;
  let looks = 0;
  const readChecked = async (): Promise<string | null> => (looks++, await gate, shelf.readChecked());
  const view = open(overriding(seen.shelf, { readChecked }), { monotonic: () => clock });
  await view.current();
  assert.equal((await get(view, "/health")).status, 200);
  gate = new Promise((resolve) => (letGo = resolve));
  const soon = async (): Promise<number | null> =>
    Promise.race([get(view, "/health").then(({ status }) => status), new Promise<null>((resolve) => setTimeout(resolve, 300, null))]);
  for (let n = 0; n < 8; n++) {
    clock += 1_000;
    assert.equal(await soon(), 200, `answered while a look takes ${n} s, as it may under load`);
  }
  assert.equal(looks, 2, "one look aside, however many ask");
  clock += 2_000;
  assert.equal(await soon(), null, "a look that does not end is not hidden for long");
  assert.equal(looks, 2, "and who waits begins no other");
  letGo();
  gate = null;
  while ((await get(view, "/health")).status === 200 && looks === 2) {
    clock += 1_000;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.equal(looks, 3, "and the next second another");
});

test("an unknown id costs no look at any record", async (t) => {
  const { shelf } = newShelf(t);
  await publishNote(shelf, 1);
  let listed = 0;
  const records = overriding(shelf.records, { index: () => (listed++, shelf.records.index()) });
  const view = open(overriding(shelf, { records }), { monotonic: () => 0 });
  for (let n = 0; n < 50; n++) assert.equal((await get(view, `/at/${n.toString(16).padStart(64, "0")}/api/catalog`)).status, 404);
  assert.equal(listed, 2, "one look at the pointer, one at what is kept");
});

test("when things were first seen is the same whether a server was there all the time or has just been started", async (t) => {
  const { shelf } = newShelf(t);
  const read: string[] = [];
  const changes = (after: number, upTo: number) => (read.push(`${after + 1}-${upTo}`), shelf.records.changes(after, upTo));
  const counted = overriding(shelf, { records: overriding(shelf.records, { changes }) });
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
    assert.deepEqual(read, [n === 4 ? "3-4" : `${n}-${n}`], "only what is new is read");
  }
});

test("a pointer that was put back is not followed, and health says so; a rollback is", async (t) => {
  const { root, shelf } = newShelf(t);
  const first = await publishNote(shelf, 1);
  const old = readFileSync(join(root, "current.json"));
  const second = await publishNote(shelf, 2);
  await shelf.records.keep(2);
  const view = open(shelf);
  const checkOf = async (of: View): Promise<string> => {
    const { checks } = JSON.parse(textOf((await get(of, "/health")).body)) as { checks: { snapshot: { status: string; detail: string } } };
    return `${checks.snapshot.status} ${checks.snapshot.detail}`;
  };
  assert.equal((await get(view, "/api/list")).headers["X-Snapshot"], second);
  assert.match(await checkOf(view), /^pass/);
  writeFileSync(join(root, "current.json"), old);
  await view.refresh();
  assert.equal((await get(view, "/api/list")).headers["X-Snapshot"], second);
  assert.match(await checkOf(view), /^warn .*names snapshot 1, but 2 was published after it and is served on/);
  // One that has just been started knows from the shelf alone.
  const fresh = open(openDirectoryShelf(root));
  assert.equal((await get(fresh, "/api/list")).headers["X-Snapshot"], first);
  assert.match(await checkOf(fresh), /^warn .*names snapshot 1, but 2 was published/);
  const [older, newer] = (await shelf.history.listRecords()) as [SnapshotRecord, SnapshotRecord];
  const rollback = { ...older, sequence: 3, previous: newer.snapshot, restores: 1 };
  await shelf.history.putRecord(rollback, NO_CHANGES);
  await shelf.history.swapPointer(rollback, older);
  for (const one of [view, fresh]) {
    await one.refresh();
    assert.equal((await get(one, "/api/list")).headers["X-Snapshot"], first);
    assert.match(await checkOf(one), /^pass/);
  }
});

test("a pointer that says anything else than its record is not served, by who runs nor by who starts, and its record mends it", async (t) => {
  const { root, shelf } = newShelf(t);
  await publishNote(shelf, 1);
  const pointer = join(root, "current.json");
  const right = readFileSync(pointer, "utf8");
  let now = 0;
  const running = open(shelf, { monotonic: () => now });
  assert.equal((await get(running, "/api/catalog")).status, 200);
  writeFileSync(
    pointer,
    right.replace(/"created":"(\d)/, (_, digit) => `"created":"${(Number(digit) + 1) % 10}`),
  );
  now += 1_000;
  const before = textOf((await get(running, "/api/catalog")).body);
  await running.refresh();
  assert.equal(textOf((await get(running, "/api/catalog")).body), before);
  assert.match(running.trouble() ?? "", /current\.json is not what snapshots\/1\.json says/);
  const started = open(shelf);
  assert.equal((await get(started, "/api/catalog")).status, 503);
  writeFileSync(pointer, right);
  now += 1_000;
  await running.refresh();
  assert.equal(running.trouble(), null);
  assert.equal((await get(started, "/api/catalog")).status, 200);
});

test("after a rollback things were first seen when they were in what is served again, and what came between counts for nothing", async (t) => {
  const { shelf } = newShelf(t);
  const following = open(shelf);
  const seenIn = async (key: string): Promise<readonly (number | undefined)[]> => {
    await following.refresh();
    const told = [];
    for (const view of [following, open(shelf)]) told.push((await (await view.current())?.firstSeen("objects", key))?.key.sequence);
    return told;
  };
  const first = await publishNote(shelf, 1);
  assert.deepEqual(await seenIn("notes/1.md"), [1, 1]);
  // Note 1 is replaced by note 2: that is undone.
  const second = await publishNote(shelf, 2);
  assert.deepEqual(await seenIn("notes/2.md"), [2, 2]);
  const rollback = { sequence: 3, snapshot: first, created: "2026-02-03T00:00:00Z", previous: second, inputs: {}, restores: 1 };
  await shelf.history.putRecord(rollback, {
    ...NO_CHANGES,
    added: { ...NO_NAMES, objects: ["notes/1.md"] },
    removed: { ...NO_NAMES, objects: ["notes/2.md"] },
  });
  await shelf.history.swapPointer(rollback, await shelf.readPointer());
  assert.deepEqual(await seenIn("notes/1.md"), [1, 1]);
  assert.deepEqual(await seenIn("notes/2.md"), [undefined, undefined]);
  await publishNote(shelf, 4);
  assert.deepEqual(await seenIn("notes/4.md"), [4, 4]);
  assert.deepEqual(await seenIn("notes/hello.md"), [1, 1]);
});

test("the list of snapshots comes in parts, the newest first, and says what a rollback is", async (t) => {
  const { shelf } = newShelf(t);
  const { snapshot } = (await shelf.readPointer()) ?? { snapshot: await publishNote(shelf, 1) };
  for (let sequence = 2; sequence <= 250; sequence++) {
    const record = {
      sequence,
      snapshot,
      created: "2026-02-01T00:00:00Z",
      previous: snapshot,
      inputs: {},
      ...(sequence === 250 ? { restores: 9 } : {}),
    };
    await shelf.history.putRecord(record, NO_CHANGES);
  }
  const view = open(shelf, {
    renderer: async () => ({ digest: "", assets: [], render: async (input) => Buffer.from(JSON.stringify(input.model)) }),
  });
  type Listed = {
    readonly snapshots: readonly { readonly sequence: number; readonly restores?: number }[];
    readonly part: number;
    readonly parts: number;
  };
  const list = async (path: string): Promise<Listed> => JSON.parse(textOf((await get(view, path)).body)) as Listed;
  const first = await list("/snapshots/");
  assert.deepEqual([first.part, first.parts, first.snapshots.length], [1, 3, 100]);
  assert.deepEqual([first.snapshots[0]?.sequence, first.snapshots[0]?.restores, first.snapshots[1]?.restores], [250, 9, undefined]);
  const last = await list("/snapshots/=p3/");
  assert.deepEqual([last.snapshots.length, last.snapshots.at(-1)?.sequence], [50, 1]);
  for (const path of ["/snapshots/=p4/", "/snapshots/=p1/", "/snapshots/=p0/", "/snapshots/=p01/", "/snapshots/=px/"])
    assert.equal((await get(view, path)).status, 404, path);
  assert.equal((await get(view, "/snapshots/=p2")).headers["Location"], "/snapshots/=p2/");
});

test("a cursor of a snapshot that is pruned is refused, also where its page was answered before", async (t) => {
  const { shelf } = newShelf(t);
  const publishRecords = async (n: number): Promise<string> => {
    const cubs = [1, 2, 3].map((at) => ({ id: `CUB-000${at}`, repo: "r", theorem_name: `t${n}`, statement: "s" }));
    const of = { ...source(n), cubs };
    return (await publishTiny(shelf, tinyData(of, "public"), of)).snapshot;
  };
  const first = await publishRecords(1);
  let time = 0;
  const view = open(shelf, { monotonic: () => time });
  const { next } = JSON.parse(textOf((await get(view, "/api/cubs?limit=1")).body)) as { next: string };
  const second = await publishRecords(2);
  time += 1000;
  await view.refresh();
  const target = `/api/cubs?limit=1&cursor=${next}`;
  const before = await get(view, target);
  assert.deepEqual([before.status, before.headers["X-Snapshot"]], [200, first]);
  const plain = { method: "GET", target, header: () => null };
  assert.equal(findReady(view.prepared, second, plain), null, "it is not ready under the snapshot that is served");
  await prune({ shelf, keep: 1 });
  time += 1000;
  await view.refresh();
  assert.equal((await get(view, target)).status, 410);
});

/** Both views are published at one moment, wherever a publication is cut short. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type DirectoryShelf, openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { findPartner } from "../../snapshots/shelf/served.ts";
import { overriding } from "../../snapshots/shelf/overriding-fixture.ts";
import type { SnapshotRecord } from "../../snapshots/shelf/shelf.ts";
import { draftTiny, TINY, tinyData, type TinySource } from "../../snapshots/verify/tiny-shelf-fixture.ts";
import { verifyShelf } from "../../snapshots/service/verify.ts";
import type { ByView } from "../shelves/by-view.ts";
import { publish } from "./publish.ts";

/** Of a library that has no key. */
const SIGNERS = {
  public: { origin: "library.example/shelf", key: null },
  internal: { origin: "library.example/shelf/internal", key: null },
};

type Pair = { readonly public: DirectoryShelf; readonly internal: DirectoryShelf };

function newRoot(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-publish-"));
  t.after(() => rmSync(root, { recursive: true }));
  return root;
}

function openPair(root: string): Pair {
  const shown = openDirectoryShelf(join(root, "public"));
  return { public: shown, internal: openDirectoryShelf(join(root, "internal"), shown) };
}

/** Each turn adds a note and takes the one before away, so that neither view of one turn contains the other's of the next. */
const sourceOf = (turn: number): TinySource => ({
  ...TINY,
  objects: [...TINY.objects, { key: `notes/turn-${turn}.md`, text: `# Turn ${turn}\n` }],
});
const gatedOnly = (turn: number, draft: number): TinySource => ({
  ...TINY,
  objects: [...sourceOf(turn).objects, { key: "drafts/more.md", text: `# Draft ${draft}\n` }],
});

async function servedOf(pair: Pair): Promise<ByView<SnapshotRecord | null>> {
  return { public: await pair.public.readPointer(), internal: await pair.internal.readPointer() };
}

async function publishTurn(pair: Pair, source: TinySource, through: Pair = pair, created = "2026-02-01T00:00:00Z"): Promise<void> {
  const next = {
    internal: await draftTiny(pair.internal, tinyData(source, "internal"), source),
    public: await draftTiny(pair.public, tinyData(source, "public"), source),
  };
  await publish(through, { current: await servedOf(pair), next, created, inputs: {}, signers: SIGNERS });
}

const errorsOf = async (pair: Pair) => (await verifyShelf(pair)).filter(({ severity }) => severity === "error");

/** The same shelves, on which the process dies before one of its writes. @param before number of the write, from 0 */
function dyingPair(pair: Pair, before: number): Pair {
  let writes = 0;
  const dies = (shelf: DirectoryShelf): DirectoryShelf => {
    const count = <Args extends unknown[]>(write: (...args: Args) => Promise<void>) => {
      return (...args: Args): Promise<void> => (writes++ === before ? Promise.reject(new Error("killed")) : write(...args));
    };
    const log = { ...shelf.log, put: count(shelf.log.put) };
    return overriding(shelf, {
      log,
      history: overriding(shelf.history, {
        putRecord: count(shelf.history.putRecord.bind(shelf.history)),
        swapPointer: count(shelf.history.swapPointer.bind(shelf.history)),
      }),
    });
  };
  return { public: dies(pair.public), internal: dies(pair.internal) };
}

test("wherever a publication is cut short, internal contains public, and the next one goes on", async (t) => {
  const WRITES = 7;
  for (let before = 0; before <= WRITES; before++) {
    const root = newRoot(t);
    await publishTurn(openPair(root), sourceOf(1));
    const dying = publishTurn(openPair(root), sourceOf(2), dyingPair(openPair(root), before));
    if (before < WRITES) await assert.rejects(dying, /killed/);
    else await dying;
    // Whoever looks now sees it as a process does that has just been started.
    const served = await servedOf(openPair(root));
    assert.equal(served.public?.sequence, before < 6 ? 1 : 2, `before write ${before}`);
    assert.equal(served.internal?.public, served.public?.sequence, `before write ${before}`);
    assert.deepEqual(await errorsOf(openPair(root)), [], `before write ${before}`);
    await publishTurn(openPair(root), sourceOf(3));
    assert.deepEqual(await errorsOf(openPair(root)), []);
    const { public: shown, internal } = await servedOf(openPair(root));
    assert.equal(internal?.public, shown?.sequence);
    assert.equal(JSON.parse(readFileSync(join(root, "internal/current.json"), "utf8")).length, 1, "nothing is left of the one cut short");
  }
});

test("a first publication that is cut short serves neither view", async (t) => {
  const root = newRoot(t);
  await assert.rejects(publishTurn(openPair(root), sourceOf(1), dyingPair(openPair(root), 5)), /killed/);
  assert.deepEqual(await servedOf(openPair(root)), { public: null, internal: null });
  await publishTurn(openPair(root), sourceOf(1));
  assert.deepEqual(await errorsOf(openPair(root)), []);
});

test("the internal view alone changes in one step, and the public root says nothing of it", async (t) => {
  const root = newRoot(t);
  const pair = openPair(root);
  await publishTurn(pair, sourceOf(1));
  const pointer = readFileSync(join(root, "public/current.json"), "utf8");
  await publishTurn(pair, gatedOnly(1, 1));
  const { public: shown, internal } = await servedOf(pair);
  assert.deepEqual([shown?.sequence, internal?.sequence, internal?.public], [1, 2, 1]);
  assert.equal(readFileSync(join(root, "public/current.json"), "utf8"), pointer);
  assert.doesNotMatch(pointer, /"public"/);
});

test("with every public record stands an internal one, also where the internal view is as it was", async (t) => {
  const pair = openPair(newRoot(t));
  await publishTurn(pair, sourceOf(1));
  const current = await servedOf(pair);
  const other = await draftTiny(pair.public, tinyData(sourceOf(1), "public"), sourceOf(1), { files: { "pages/llms.txt": "other words" } });
  await publish(pair, {
    current,
    next: { public: other, internal: current.internal?.snapshot ?? "" },
    created: "2026-02-02T00:00:00Z",
    inputs: {},
    signers: SIGNERS,
  });
  const { public: shown, internal } = await servedOf(pair);
  assert.deepEqual([shown?.sequence, internal?.sequence, internal?.public], [2, 2, 2]);
  assert.equal(internal?.snapshot, current.internal?.snapshot);
});

test("an internal pointer that does not fit the public one is told, and put right by publishing", async (t) => {
  const root = newRoot(t);
  const pair = openPair(root);
  await publishTurn(pair, sourceOf(1));
  const old = readFileSync(join(root, "internal/current.json"));
  await publishTurn(pair, sourceOf(2));
  writeFileSync(join(root, "internal/current.json"), old);
  await assert.rejects(openPair(root).internal.readPointer(), { code: "snapshot_damaged" });
  assert.deepEqual(
    (await errorsOf(openPair(root))).map(({ code, root: of }) => [code, of]),
    [["pointer_malformed", "internal"]],
  );
  const current = { public: await pair.public.readPointer(), internal: null };
  const next = {
    public: current.public?.snapshot ?? "",
    internal: await draftTiny(pair.internal, tinyData(sourceOf(2), "internal"), sourceOf(2)),
  };
  await publish(pair, { current, next, created: "2026-02-03T00:00:00Z", inputs: {}, signers: SIGNERS });
  assert.deepEqual(await errorsOf(openPair(root)), []);
});

test("what belongs together is what was published together, whatever the clock said", () => {
  const record = (sequence: number, created: string, open: number): SnapshotRecord => ({
    sequence,
    snapshot: String(sequence),
    created,
    previous: null,
    inputs: {},
    public: open,
  });
  const [early, late] = ["2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z"];
  // The clock went back between the two.
  const records = [record(1, late, 1), record(2, early, 2), record(3, early, 2)];
  assert.equal(findPartner(records, record(1, late, 1))?.sequence, 1);
  assert.equal(findPartner(records, record(2, early, 1))?.sequence, 3, "the last that was served with it");
  assert.equal(findPartner(records, record(4, late, 1)), null);
});

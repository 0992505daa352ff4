import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { compileWorker, WORKER } from "../extract/compile-worker.ts";
import { openExtractPool } from "../extract/pool.ts";
import { readObjects } from "./read-objects.ts";
import { listObjects } from "../sources/list-objects.ts";
import type { ObjectStore } from "../sources/object-store.ts";
import { openMemoryStore } from "../testing/memory-store.ts";

const base = mkdtempSync(join(tmpdir(), "read-objects-"));
before(() => compileWorker(join(base, "compiled")));
after(() => rmSync(base, { recursive: true, force: true }));

const collections = [{ id: "all", title: "All", summary: "", visibility: "public", prefix: "" }] as const;

test("objects that are under way at once stay within the budget of bytes, and one larger than it is read alone", async () => {
  const sizes = new Map(Array.from({ length: 60 }, (_, n) => [`${n}.txt`, n === 30 ? 5000 : 100 + n]));
  const memory = openMemoryStore(new Map([...sizes].map(([key, size]) => [key, { bytes: "x".repeat(size) }])));
  /** Bytes between the call of read and the end of extraction, which is how long they are held. */
  const held = new Map<string, number>();
  const seen: { readonly keys: number; readonly bytes: number }[] = [];
  const store: ObjectStore = {
    ...memory,
    read(key) {
      held.set(key, sizes.get(key) ?? 0);
      seen.push({ keys: held.size, bytes: [...held.values()].reduce((sum, size) => sum + size, 0) });
      return memory.read(key);
    },
  };
  const pool = openExtractPool({ worker: join(base, "compiled", WORKER) });
  const shelves = { public: openDirectoryShelf(join(base, "public")), internal: openDirectoryShelf(join(base, "internal")) };
  const { rows } = await listObjects(store, { collections, store: { include: [], exclude: [] } });
  try {
    const { objects } = await readObjects({
      store,
      originOf: async () => ({ uploaded: null }),
      redacted: new Set(),
      journal: { add() {}, close() {} },
      plan: { kept: [], read: rows.map((row) => ({ row, root: "public", why: ["new"] })) },
      shelves,
      pool: () => ({
        warm: () => pool.warm(),
        close: () => pool.close(),
        async extract(key, bytes) {
          const found = await pool.extract(key, bytes);
          held.delete(key);
          return found;
        },
      }),
      progress: { step: () => undefined, end: () => undefined },
      pageImages: 0,
      bytesAtOnce: 1000,
    });
    assert.equal(objects.length, 60);
  } finally {
    await pool.close();
  }
  const over = seen.filter(({ bytes }) => bytes > 1000);
  assert.deepEqual(over, [{ keys: 1, bytes: 5000 }], "only the large one passes the limit, and then nothing else is held");
  assert.ok(
    seen.some(({ keys }) => keys > 3),
    "small ones are read side by side",
  );
});

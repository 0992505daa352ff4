/** An index thread that is closed at one moment or another of its work, for tests. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** Both indexes are written, and the thread is closed in the middle; in a process of its own, which native code can end. */
const SCRIPT = `
  const { openIndexThread } = await import(${JSON.stringify(new URL("index-thread.ts", import.meta.url).href)});
  const [dir, wait] = process.argv.slice(2);
  const passages = Array.from({ length: 60 }, (_, at) => ({ heading: [], name: null, page: null, start_line: at + 1, end_line: at + 1, text: "abcdefgh ".repeat(60) + at }));
  const upsert = Array.from({ length: 100 }, (_, at) => ({ doc: "d" + at, key: at + ".md", kind: "markdown", collection: "", title: "T", sha256: "0".repeat(64), extract: null, passages }));
  const thread = openIndexThread({ public: dir + "/public", internal: dir + "/internal" });
  const updates = ["public", "internal"].map((view) => thread.update(view, { upsert, remove: [], base: null, onRead: () => {}, tag: view === "public" ? "one" : Promise.withResolvers().promise }));
  const ends = updates.map((update) => update.then(() => true, (error) => /The index thread (was closed|has ended)/.test(error.message) || error.message));
  await new Promise((resolve) => setTimeout(resolve, Number(wait)));
  await thread.close();
  if ((await Promise.all(ends)).some((end) => end !== true)) throw new Error((await Promise.all(ends)).join());
  process.stdout.write("closed");`;

/** closeWhileItWorks closes an index while it works.
 *  @param waits milliseconds before it is closed, each in a process of its own */
export function closeWhileItWorks(t: TestContext, waits: readonly number[]): void {
  const dir = mkdtempSync(join(tmpdir(), "index-thread-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "closes.mjs"), SCRIPT);
  for (const wait of waits) {
    const args = [join(dir, "closes.mjs"), join(dir, String(wait)), String(wait)];
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.deepEqual([status, signal, stdout, stderr], [0, null, "closed", ""], `closed after ${wait} ms`);
  }
}

/** A pointer that moves is told of, whatever happens to its folder. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { watchPointer } from "./watch-pointer.ts";

const BOUND = 2_000; // milliseconds; promised

function temporary(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-watch-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** As a shelf writes it. */
function write(root: string, text: string): void {
  writeFileSync(join(root, "new"), text);
  renameSync(join(root, "new"), join(root, "current.json"));
}

async function tells(t: TestContext, root: string, change: () => void): Promise<boolean> {
  let told = 0;
  const watching = watchPointer([root], () => told++);
  t.after(() => watching.close());
  change();
  const until = performance.now() + BOUND;
  while (told === 0 && performance.now() < until) await wait(20);
  return told > 0;
}

test("a pointer that is written, and one in a folder that was not there yet", async (t) => {
  const root = temporary(t);
  assert.ok(await tells(t, root, () => write(root, "1")));
  assert.ok(await tells(t, root, () => write(root, "2")));
  const later = join(root, "later");
  const change = (): void => {
    mkdirSync(later);
    write(later, "1");
  };
  assert.ok(await tells(t, later, change));
});

test("other files of the root are not told of", async (t) => {
  const root = temporary(t);
  write(root, "1");
  assert.equal(await tells(t, root, () => writeFileSync(join(root, "checked"), "now")), false);
});

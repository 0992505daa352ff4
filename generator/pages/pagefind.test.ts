import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { sha256 } from "../../snapshots/digest.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import { childProcesses } from "../fixtures/child-processes.ts";
import { pagefindFiles } from "./pagefind.ts";
import { openPagefind } from "./pagefind-process.ts";

const OBJECT = { key: "notes/a.md", title: "A", kind: "text" };
const DATA = { objects: [OBJECT], claims: { claims: [] }, cubs: [] } as unknown as ViewData;
const EXTRACT = { passages: [], summary: "Words of it." } as unknown as Extract;

/** @param onContent called when Pagefind runs and has not been given anything yet */
function makeBundle(onContent: () => void, timeLimit?: number): ReturnType<typeof pagefindFiles> {
  return pagefindFiles({
    data: DATA,
    facts: (key) => sha256(key),
    extract: async () => {
      onContent();
      return EXTRACT;
    },
    shelf: { putBlob: async () => true },
    known: {},
    pagefind: openPagefind(timeLimit),
  });
}

/** The one process of Pagefind, made to sleep: what it is asked stays without an answer. */
function stopPagefind(): number {
  const [pid] = childProcesses("--service");
  assert.ok(pid !== undefined, "Pagefind runs");
  process.kill(pid, "SIGSTOP");
  return pid;
}

function onLinux(t: TestContext): boolean {
  if (process.platform !== "linux") t.skip("processes are found in /proc");
  return process.platform === "linux";
}

test("Pagefind that is killed while it is asked ends the build with what to do, at once", { timeout: 30_000 }, async (t) => {
  if (!onLinux(t)) return;
  const making = makeBundle(() => {
    const pid = stopPagefind();
    void wait(100).then(() => process.kill(pid, "SIGKILL"));
  });
  await assert.rejects(making, { code: "build_failed", message: /Pagefind ended.*SIGKILL/ });
  const { made } = await makeBundle(() => undefined);
  assert.equal(made, 1, "and the next build has one of its own");
});

test("Pagefind that is gone before it is asked ends the build too", { timeout: 30_000 }, async (t) => {
  if (!onLinux(t)) return;
  await assert.rejects(
    makeBundle(() => process.kill(stopPagefind(), "SIGKILL")),
    { code: "build_failed", message: /Pagefind/ },
  );
});

test("Pagefind that does not answer is ended after the time limit", { timeout: 30_000 }, async (t) => {
  if (!onLinux(t)) return;
  let pid = 0;
  await assert.rejects(
    makeBundle(() => (pid = stopPagefind()), 200),
    { code: "build_failed", message: /did not answer within 0\.2 s/ },
  );
  for (let attempt = 0; childProcesses("--service").includes(pid); attempt++) {
    assert.ok(attempt < 100, "it does not stay");
    await wait(50);
  }
});

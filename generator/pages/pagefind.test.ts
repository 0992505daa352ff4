import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { sha256 } from "../../snapshots/digest.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import { childProcesses } from "../fixtures/child-processes.ts";
import { dealBundles, makeBundles } from "./pagefind.ts";
import { openPagefind } from "./pagefind-process.ts";

const OBJECT = { key: "notes/a.md", title: "A", kind: "text" };
const DATA = { objects: [OBJECT], claims: { claims: [] }, cubs: [] } as unknown as ViewData;
const EXTRACT = { passages: [], summary: "Words of it." } as unknown as Extract;

/** @param onContent called when Pagefind runs and has not been given anything yet */
async function makeBundle(onContent: () => void, timeLimit?: number): Promise<number> {
  const pagefind = openPagefind(timeLimit);
  const extract = async (): Promise<Extract> => {
    while (process.platform === "linux" && childProcesses("--service").length === 0) await wait(5);
    onContent();
    return EXTRACT;
  };
  try {
    const bundles = dealBundles(DATA, { digest: (key) => sha256(key), read: extract }).map((bundle) => ({ ...bundle, kept: null }));
    const made = await makeBundles(bundles, { putBlob: async () => true }, () => pagefind);
    return made.files.length;
  } finally {
    pagefind.close();
  }
}

/** Pagefind's own program, made to sleep: what it is asked stays without an answer. */
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
  await assert.rejects(making, { code: "build_failed", message: /Pagefind ended before it was done/ });
  assert.ok((await makeBundle(() => undefined)) > 5, "and the next build has one of its own");
});

test("the process that drives Pagefind, killed, ends the build and takes Pagefind along", { timeout: 30_000 }, async (t) => {
  if (!onLinux(t)) return;
  let pid = 0;
  const making = makeBundle(() => {
    pid = stopPagefind();
    const [driver] = childProcesses("pagefind-worker");
    assert.ok(driver !== undefined);
    process.kill(driver, "SIGKILL");
  });
  await assert.rejects(making, { code: "build_failed", message: /Pagefind ended.*SIGKILL/ });
  await waitForEnd(pid);
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
  await waitForEnd(pid);
});

test("Pagefind goes when whoever started it is killed", { timeout: 30_000 }, async (t) => {
  if (!onLinux(t)) return;
  const module = new URL("./pagefind-process.ts", import.meta.url).href;
  const script = `const { openPagefind } = await import(${JSON.stringify(module)}); openPagefind(); setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
  let pid: number | undefined;
  for (; pid === undefined; [pid] = childProcesses("--service")) await wait(5);
  process.kill(pid, "SIGSTOP");
  owner.kill("SIGKILL");
  await waitForEnd(pid);
});

async function waitForEnd(pid: number): Promise<void> {
  for (let attempt = 0; isAlive(pid); attempt++) {
    assert.ok(attempt < 100, "it does not stay");
    await wait(50);
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

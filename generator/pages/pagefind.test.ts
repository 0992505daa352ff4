import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { sha256 } from "../../snapshots/digest.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import { type BrowserCard, cardPath } from "../../snapshots/page/browser-index.ts";
import type { BuildState } from "../kept/state.ts";
import { childProcesses } from "../testing/child-processes.ts";
import { dealBundles, makeBundles } from "./pagefind.ts";
import { openPagefind } from "./pagefind-process.ts";

const OBJECT = { key: "notes/a.md", title: "A", kind: "text", sha256: sha256("Words of it.") };
const MEMORY = (() => {
  const blobs = new Map<string, Uint8Array>();
  return {
    putBlob: async (digest: string, bytes: Uint8Array) => blobs.set(digest, bytes) === blobs,
    getBlob: async (digest: string) => blobs.get(digest) ?? null,
  };
})();
const DATA = { objects: [OBJECT], claims: { claims: [] }, cubs: [], library: { collections: [] } } as unknown as ViewData;
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
    const made = await makeBundles(bundles, MEMORY, () => pagefind);
    return made.files.length;
  } finally {
    pagefind.close();
  }
}

/** A library of notes, made into files: path → digest, what was read of it, and what was written. */
async function makeLibrary(
  texts: Readonly<Record<string, string>>,
  before: BuildState["bundles"] = {},
): Promise<{
  readonly files: ReadonlyMap<string, string>;
  readonly bundles: BuildState["bundles"];
  readonly read: readonly string[];
  /** Digests. */
  readonly written: ReadonlySet<string>;
}> {
  const objects = Object.entries(texts).map(([key, text]) => ({ key, title: `Title of ${key}`, kind: "markdown", sha256: sha256(text) }));
  const data = { ...DATA, objects } as unknown as ViewData;
  const read: string[] = [];
  const written = new Set<string>();
  const putBlob = (digest: string, bytes: Uint8Array): Promise<boolean> => MEMORY.putBlob(digest, bytes).finally(() => written.add(digest));
  const extracts = {
    digest: (key: string) => sha256(texts[key] ?? ""),
    async read(key: string): Promise<Extract> {
      read.push(key);
      return { passages: [{ heading: [], name: null, page: null, start_line: 1, end_line: 1, text: texts[key] }] } as unknown as Extract;
    },
  };
  const pagefind = openPagefind();
  try {
    const planned = dealBundles(data, extracts).map((bundle, number) => {
      const known = before[String(number)];
      return { ...bundle, kept: known?.facts === bundle.facts ? known : null };
    });
    const made = await makeBundles(planned, { ...MEMORY, putBlob }, () => pagefind, before);
    return { files: new Map(made.files.map((file) => [file.path, file.sha256])), bundles: made.bundles, read, written };
  } finally {
    pagefind.close();
  }
}

test("one changed object changes its own card and the shards of the words that changed, and nothing that was kept is read", async () => {
  const texts = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`notes/${at}.md`, `Note ${at} tells of word${at} only.`]));
  const first = await makeLibrary(texts);
  assert.equal(first.read.length, 600);
  const changed = { ...texts, "notes/7.md": "Note 7 tells of another thing only." };
  const second = await makeLibrary(changed, first.bundles);
  assert.ok(second.read.includes("notes/7.md") && second.read.length < 400, "one of two bundles");
  const other = (folder: RegExp): number =>
    [...second.files].filter(([path, digest]) => folder.test(path) && first.files.get(path) !== digest).length;
  assert.equal(other(/\/cards\//), 1);
  const shards = other(/^pagefind\/words\//);
  assert.ok(shards > 0 && shards <= 6, `word7, word, 7, another, thing: ${shards} of 64`);
  const same = [...second.files].filter(([path, digest]) => /^pagefind\/(?:words|near)\//.test(path) && first.files.get(path) === digest);
  assert.deepEqual(
    same.filter(([, digest]) => second.written.has(digest)),
    [],
    "what did not change is not made again",
  );
  const anew = await makeLibrary(changed);
  assert.deepEqual([...anew.files].sort(), [...second.files].sort(), "the same files as from nothing");
});

test("the same bytes at several keys are one page that names them all", async () => {
  const { files, read } = await makeLibrary({ "a/x.md": "Same.", "b/y.md": "Same.", "c/z.md": "Other." });
  assert.deepEqual(read, ["a/x.md", "c/z.md"]);
  const cards = await cardsOf(files);
  assert.equal(cards.length, 2);
  const card = cards.find(({ key }) => key === "a/x.md");
  assert.deepEqual(card?.copies, [{ key: "b/y.md", path: "/object/b/y.md/" }]);
});

test("cards of a full bundle lie in 64 files, each where a page's number leads", async () => {
  const { files } = await makeLibrary(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${at}.md`, `Text ${at}.`])));
  const cards = await cardsOf(files);
  assert.equal(cards.length, 500);
  for (const { page, key, file } of cards) {
    assert.equal(page, crc32(`object:${key}`));
    assert.equal(file, cardPath(0, page));
  }
  assert.ok(new Set(cards.map(({ file }) => file)).size <= 64);
});

/** Each with the file that it lies in. */
async function cardsOf(files: ReadonlyMap<string, string>): Promise<readonly (BrowserCard & { readonly file: string })[]> {
  const lists = await Promise.all(
    [...files]
      .filter(([path]) => path.includes("/cards/"))
      .map(async ([file, digest]) => {
        const cards = JSON.parse(Buffer.from((await MEMORY.getBlob(digest)) ?? "").toString()) as readonly BrowserCard[];
        return cards.map((card) => ({ ...card, file }));
      }),
  );
  return lists.flat();
}

test("words that were kept and are not what was written are not built on", async () => {
  const first = await makeLibrary({ "a.md": "One." });
  const { "0": bundle } = first.bundles;
  assert.ok(bundle !== undefined);
  const files = bundle.files.map((file) => (file.path === "pagefind/0/words" ? { ...file, sha256: "0".repeat(64) } : file));
  await assert.rejects(makeLibrary({ "a.md": "One." }, { "0": { ...bundle, files } }), { code: "snapshot_damaged" });
});

test("words of the last build that are gone are made again, where nothing that is kept needs them", async () => {
  const { bundles } = await makeLibrary({ "a.md": "One." });
  const gone = Object.entries(bundles).map(([name, { facts, files }]) => [
    name,
    { facts, files: files.map((file) => ({ ...file, sha256: "0".repeat(64) })) },
  ]);
  const { files } = await makeLibrary({ "a.md": "Two." }, Object.fromEntries(gone) as BuildState["bundles"]);
  assert.deepEqual(files, (await makeLibrary({ "a.md": "Two." })).files);
});

/** Pagefind's own program, made to sleep: what it is asked stays without an answer. */
function stopPagefind(): number {
  // That of the build before may still be ending.
  const pid = childProcesses("--service").at(-1);
  assert.ok(pid !== undefined, "Pagefind runs");
  process.kill(pid, "SIGSTOP");
  return pid;
}

function onLinux(t: TestContext): boolean {
  if (process.platform !== "linux") t.skip("processes are found in /proc");
  return process.platform === "linux";
}

test("Pagefind that is killed while it is asked ends the build with what to do, at once", { timeout: 120_000 }, async (t) => {
  if (!onLinux(t)) return;
  const making = makeBundle(() => {
    const pid = stopPagefind();
    void wait(100).then(() => process.kill(pid, "SIGKILL"));
  });
  await assert.rejects(making, { code: "build_failed", message: /Pagefind ended before it was done/ });
  assert.ok((await makeBundle(() => undefined)) > 5, "and the next build has one of its own");
});

test("the process that drives Pagefind, killed, ends the build and takes Pagefind along", { timeout: 120_000 }, async (t) => {
  if (!onLinux(t)) return;
  let pid = 0;
  const making = makeBundle(() => {
    pid = stopPagefind();
    // That of the build before may still be ending.
    const drivers = childProcesses("pagefind-worker");
    assert.ok(drivers.length > 0);
    for (const driver of drivers) process.kill(driver, "SIGKILL");
  });
  await assert.rejects(making, { code: "build_failed", message: /Pagefind ended.*SIGKILL/ });
  await waitForEnd(pid);
});

test("Pagefind that is gone before it is asked ends the build too", { timeout: 120_000 }, async (t) => {
  if (!onLinux(t)) return;
  await assert.rejects(
    makeBundle(() => process.kill(stopPagefind(), "SIGKILL")),
    { code: "build_failed", message: /Pagefind/ },
  );
});

test("Pagefind that does not answer is ended after the time limit", { timeout: 120_000 }, async (t) => {
  if (!onLinux(t)) return;
  let pid = 0;
  await assert.rejects(
    makeBundle(() => (pid = stopPagefind()), 200),
    { code: "build_failed", message: /did not answer within 0\.2 s/ },
  );
  await waitForEnd(pid);
});

test("Pagefind goes when whoever started it is killed", { timeout: 120_000 }, async (t) => {
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
    assert.ok(attempt < 2_000, "it does not stay");
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

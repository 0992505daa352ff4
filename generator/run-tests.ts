/** Every test of the project in one run: unit and process tests under node:test, pages in a real browser under Playwright.
 *  Ends with the plain line `N passed, N failed` (`, N skipped` when there are any).
 *
 *      npm test                       everything
 *      npm test -- snapshots/tree     only test files whose path contains a word
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import fastGlob from "fast-glob";
import { shareServer } from "../snapshots/bucket/shared-ceph.ts";
import { shareMade } from "../snapshots/contract/made-once.ts";
import { compileSite } from "./pages/compile-site.ts";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** One hung test must not hold the whole run; milliseconds. */
const TEST_TIMEOUT_MS = 300_000;
/** Nor may a file: a test that waits for a child without giving way is stopped from outside only. */
const FILE_TIMEOUT_MS = 900_000;
/** Files side by side. Two cores carry three: tests wait for timers, processes and the disk about a third of their time. */
const CONCURRENCY = 3;

type Counts = { passed: number; failed: number; skipped: number };

const words = process.argv.slice(2);
const wanted = (file: string): boolean => words.length === 0 || words.some((word) => file.includes(word));
const files = (
  await fastGlob(["{snapshots,generator,site,sidecar}/**/*.test.ts"], { cwd: ROOT, ignore: ["**/dist/**", "snapshots/data/**"] })
)
  .filter(wanted)
  .sort();
const pages = (await fastGlob(["{site,sidecar,generator}/**/*.spec.ts"], { cwd: ROOT, ignore: ["**/dist/**"] })).filter(wanted).sort();

// Beside the tests that need no bucket: it may have to be installed.
const needsBuckets = files.some((file) => /\/server-fixture\.ts"/.test(readFileSync(join(ROOT, file), "utf8")));
const stopServer = needsBuckets ? shareServer() : null;
const removeMade = shareMade();
// Once, before any test needs them: otherwise a dozen test processes would compile the same pages.
await compileSite();
const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
if (files.length > 0) add(await runNodeTests(files));
if (pages.length > 0) add(await runBrowserTests(pages));
await stopServer?.();
removeMade();
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}\n`);
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);

function add(more: Counts): void {
  counts.passed += more.passed;
  counts.failed += more.failed;
  counts.skipped += more.skipped;
}

/** Files side by side, each in a run of its own: a signal can end it whatever holds it. */
async function runNodeTests(paths: readonly string[]): Promise<Counts> {
  const result: Counts = { passed: 0, failed: 0, skipped: 0 };
  const waiting = [...paths];
  const lane = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) process.stdout.write(await runFile(path, result));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return result;
}

/** Adds to `counts`. What was stopped is run once more: a machine may have been held up, and what hangs again fails.
 *  @returns what is to be printed of the file, in one piece */
async function runFile(path: string, counts: Counts): Promise<string> {
  const first = await attempt(path);
  const last = first.stopped ? await attempt(path) : first;
  counts.passed += last.passed;
  counts.failed += last.failed;
  counts.skipped += last.skipped;
  const again = first.stopped
    ? `\n${path} did not end within ${FILE_TIMEOUT_MS / 1000} s and was run again:\n${first.text}\n${first.running}\n`
    : "";
  return `${again}${last.text}${last.failed > 0 ? `\n✖ ${path}: ${last.failed} failed\n` : ""}`;
}

type Attempt = Counts & { readonly text: string; readonly stopped: boolean; readonly running: string };

async function attempt(path: string): Promise<Attempt> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const controller = new AbortController();
  let running = "";
  const watch = setTimeout(() => {
    // Who waits for whom, before it is gone.
    running = spawnSync("ps", ["-eo", "pid,ppid,etimes,stat,wchan:20,args", "--forest"], { encoding: "utf8" }).stdout.replaceAll(
      /^(.{180}).*$/gm,
      "$1",
    );
    controller.abort();
  }, FILE_TIMEOUT_MS);
  // What a test leaves open must not keep its process after the last one.
  const stream = run({ cwd: ROOT, files: [join(ROOT, path)], timeout: TEST_TIMEOUT_MS, forceExit: true, signal: controller.signal });
  stream.on("test:pass", (event) => {
    if (event.details.type === "suite" || isFile(event.name)) return;
    if (event.skip !== undefined || event.todo !== undefined) counts.skipped++;
    else counts.passed++;
  });
  stream.on("test:fail", (event) => {
    if (event.details.type !== "suite") counts.failed++;
  });
  let text = "";
  // Without the counts of one file; those of all stand at the end.
  const shown = stream.filter(({ type }: { type: string }) => type !== "test:diagnostic" && type !== "test:summary");
  for await (const chunk of shown.compose(spec)) text += chunk;
  clearTimeout(watch);
  return { ...counts, text, stopped: controller.signal.aborted, running };
}

/** node:test reports each file as a test of its own. */
function isFile(name: string): boolean {
  return name.endsWith(".test.ts");
}

async function runBrowserTests(paths: readonly string[]): Promise<Counts> {
  if (!existsSync("/usr/bin/chromium")) {
    process.stdout.write("Chromium is not installed: the browser tests are skipped.\n");
    return { passed: 0, failed: process.env["CI"] === "true" ? 1 : 0, skipped: paths.length };
  }
  const child = spawn(process.execPath, ["node_modules/playwright/cli.js", "test", "--reporter=line,json", ...paths], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: "test-results/report.json" },
  });
  child.stdout.pipe(process.stdout, { end: false });
  await new Promise((resolve) => child.once("close", resolve));
  const { readFile } = await import("node:fs/promises");
  const report = JSON.parse(await readFile(`${ROOT}/test-results/report.json`, "utf8")) as {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  };
  return { passed: report.stats.expected, failed: report.stats.unexpected + report.stats.flaky, skipped: report.stats.skipped };
}

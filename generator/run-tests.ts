/** Every test of the project in one run: unit and process tests under node:test, pages in a real browser under Playwright.
 *  Ends with the plain line `N passed, N failed` (`, N skipped` when there are any).
 *
 *      npm test                       everything
 *      npm test -- snapshots/tree     only test files whose path contains a word
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
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
/** Files side by side, the pages in a browser being one of them. Two cores carry four: tests wait for timers, processes and the disk for a
 *  third of their time or more. */
const CONCURRENCY = 4;

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
// The longest first, as far as their size tells: one that begins last would be waited for alone.
const bySize = files.toSorted((a, b) => statSync(join(ROOT, b)).size - statSync(join(ROOT, a)).size);
const jobs = [...(pages.length > 0 ? [() => runBrowserTests(pages)] : []), ...bySize.map((path) => () => runFile(path))];
await Promise.all(Array.from({ length: CONCURRENCY }, runLane));
await stopServer?.();
removeMade();
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}\n`);
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);

async function runLane(): Promise<void> {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    const { text, ...more } = await job();
    counts.passed += more.passed;
    counts.failed += more.failed;
    counts.skipped += more.skipped;
    process.stdout.write(text);
  }
}

/** A file in a run of its own: a signal can end it whatever holds it. What was stopped, or did not say how all its tests ended, is run
 *  once more: a machine may have been held up, and what hangs again fails.
 *  @returns with what is to be printed of it, in one piece */
async function runFile(path: string): Promise<Told> {
  const first = await attempt(path);
  const last = first.amiss === null ? first : await attempt(path);
  const again = first.amiss === null ? "" : `\n${path} ${first.amiss} and was run again:\n${first.text}\n${first.running}\n`;
  const failed = last.failed > 0 || last.amiss === null ? last.failed : 1;
  return { ...last, failed, text: `${again}${last.text}${failed > 0 ? `\n✖ ${path}: ${failed} failed\n` : ""}` };
}

type Told = Counts & { readonly text: string };
type Attempt = Told & { readonly amiss: string | null; readonly running: string };

async function attempt(path: string): Promise<Attempt> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const controller = new AbortController();
  let running = "";
  let whole = false;
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
  // The last that a file says; without it its report was cut short, as a process may that ends itself.
  stream.on("test:summary", ({ file }) => {
    if (file !== undefined) whole = true;
  });
  let text = "";
  // Without the counts of one file; those of all stand at the end.
  const shown = stream.filter(({ type }: { type: string }) => type !== "test:diagnostic" && type !== "test:summary");
  for await (const chunk of shown.compose(spec)) text += chunk;
  clearTimeout(watch);
  const stopped = controller.signal.aborted ? `did not end within ${FILE_TIMEOUT_MS / 1000} s` : null;
  const cut = whole || counts.failed > 0 ? null : "did not say how all its tests ended";
  return { ...counts, text, amiss: stopped ?? cut, running };
}

/** node:test reports each file as a test of its own. */
function isFile(name: string): boolean {
  return name.endsWith(".test.ts");
}

async function runBrowserTests(paths: readonly string[]): Promise<Told> {
  if (!existsSync("/usr/bin/chromium")) {
    const text = "Chromium is not installed: the browser tests are skipped.\n";
    return { passed: 0, failed: process.env["CI"] === "true" ? 1 : 0, skipped: paths.length, text };
  }
  const child = spawn(process.execPath, ["node_modules/playwright/cli.js", "test", "--reporter=line,json", ...paths], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: "test-results/report.json" },
  });
  let text = "\n";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await new Promise((resolve) => child.once("close", resolve));
  const { readFile } = await import("node:fs/promises");
  const report = JSON.parse(await readFile(`${ROOT}/test-results/report.json`, "utf8")) as {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  };
  return { passed: report.stats.expected, failed: report.stats.unexpected + report.stats.flaky, skipped: report.stats.skipped, text };
}

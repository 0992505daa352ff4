/** Runs the tests of the project: unit and process tests under node:test, pages in a real browser under Playwright. Tests that attack for
 *  long lie in `*.slow.test.ts` and `*.slow.spec.ts` and run apart from the others.
 *  Ends with `N s of processor`, what each file took of it (by file, when not all were asked for), and the plain line `N passed, N failed`
 *  (`, N skipped` when there are any).
 *
 *      npm test                       all but the slow ones
 *      npm run test:slow              the slow ones
 *      npm test -- snapshots/tree     only test files whose path contains a word; so with test:slow
 */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import fastGlob from "fast-glob";
import { shareServer } from "../../snapshots/annex/bucket/shared-ceph-fixture.ts";
import { shareMade } from "../../snapshots/contract/made-once.ts";
import { openSources } from "./import-closure.ts";
import { installPrograms } from "./install-programs.ts";
import { compileSite } from "../pages/compile-site.ts";
import { findBrowser } from "./browser.ts";
import { type Costs, processorSeconds } from "./processor.ts";
import { dealGroups } from "./shared-process.ts";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** One hung test must not hold the whole run; milliseconds. */
const TEST_TIMEOUT_MS = 300_000;
/** Nor may a file: a test that waits for a child without giving way is stopped from outside only. */
const FILE_TIMEOUT_MS = 900_000;
/** Files side by side, the pages in a browser being one of them. Two cores carry four: tests wait for timers, processes and the disk for a
 *  third of their time or more. */
const CONCURRENCY = 4;
/** Files whose processor time is told. */
const DEAREST = 20;
/** Names the processor time of every file of the last run. */
const COSTS = join(ROOT, "test-results", "processor.txt");

/** The counts of the browser's tests together. */
const BROWSER = "pages in a browser";

/** For a process of Node: it says what it took. */
const TELLING = ["--import", new URL("./processor.ts", import.meta.url).href];
/** For a process of tests, which is over before a large heap is full: a small one that grows is swept again and again, for a tenth of the time. */
const ROOMY = ["--min-semi-space-size=16", "--initial-old-space-size=256"];
const COUNTING = fileURLToPath(new URL("./count-reporter.ts", import.meta.url));

type Counts = { passed: number; failed: number; skipped: number };

/** Scratch folders lie in memory where there is room: nothing of a test outlives its run, and syncing and removing many small files takes
 *  a fifth of the processor on a disk. */
const MEMORY = "/dev/shm";
const MEMORY_BYTES = 8 * 1024 ** 3;

installPrograms();
const slow = process.argv[2] === "--slow";
const words = process.argv.slice(slow ? 3 : 2);
const files = await findTests("{snapshots,generator,site,sidecar}/**/*.test.ts");
const pages = await findTests("{site,sidecar,generator}/**/*.spec.ts");

const scratch = makeScratch();
// A run makes this ready only when a chosen file may use it.
const sources = openSources();
const used = new Set([...files, ...pages].flatMap((path) => sources.closure([path]).files));
// Beside the tests that need no bucket: it may have to be installed.
const stopServer = used.has("snapshots/annex/bucket/server-fixture.ts") ? shareServer() : null;
const removeMade = shareMade();
// Once, before any test needs them: otherwise a dozen test processes would compile the same pages.
if (used.has("generator/pages/compile-site.ts")) await compileSite();
const costs = mkdtempSync(join(tmpdir(), "proofshelf-costs-"));
const costOf = new Map<string, number>();
const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
/** Paths of files to be run again. */
const setAside: string[] = [];
// The longest first, as far as their size tells: one that begins last would be waited for alone.
const { groups, alone } = dealGroups(files, sources);
const bySize = alone.toSorted((a, b) => statSync(join(ROOT, b)).size - statSync(join(ROOT, a)).size);
const jobs = [
  ...(pages.length > 0 ? [() => runBrowserTests(pages)] : []),
  ...groups.map((paths) => () => runGroup(paths)),
  ...bySize.map((path) => () => runFile(path)),
];
await Promise.all(Array.from({ length: CONCURRENCY }, runLane));
await runAgain();
await stopServer?.();
removeMade();
rmSync(costs, { recursive: true });
if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
process.stdout.write(`\n${formatCosts()}\n${counts.passed} passed, ${counts.failed} failed`);
process.stdout.write(`${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}\n`);
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);

/** makeScratch makes the folder in memory that tests take for the system's temporary one; null where memory is short, or runs no program. */
function makeScratch(): string | null {
  if (process.env["TMPDIR"] !== undefined || !existsSync(MEMORY)) return null;
  const { bavail, bsize } = statfsSync(MEMORY);
  const isBound = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .some((line) => line.split(" ")[1] === MEMORY && line.includes("noexec"));
  if (isBound || Math.min(bavail * bsize, freemem()) < MEMORY_BYTES) return null;
  const folder = mkdtempSync(join(MEMORY, "proofshelf-"));
  // A sandbox and some tests run programs as another user, who may need a temporary file.
  chmodSync(folder, 0o1777);
  process.env["TMPDIR"] = folder;
  return folder;
}

/** @returns paths from the project's root, ascending */
async function findTests(pattern: string): Promise<string[]> {
  const found = await fastGlob(pattern, { cwd: ROOT, ignore: ["**/dist/**", "**/node_modules/**", "snapshots/data/**"] });
  return found
    .filter((path) => /\.slow\.\w+\.ts$/.test(path) === slow && (words.length === 0 || words.some((word) => path.includes(word))))
    .sort();
}

/** formatCosts names the dearest files and the sum; what each file took goes to COSTS. */
function formatCosts(): string {
  const sorted = [...costOf].sort(([, a], [, b]) => b - a);
  const lines = sorted.map(([path, seconds]) => `${seconds.toFixed(1).padStart(8)} s  ${path}\n`);
  mkdirSync(dirname(COSTS), { recursive: true });
  writeFileSync(COSTS, lines.join(""));
  return `${lines.slice(0, DEAREST).join("")}${processorSeconds().toFixed(0)} s of processor`;
}

async function runLane(): Promise<void> {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) count(await job());
}

/** Adds what a file counted, and prints what it says. */
function count({ passed, failed, skipped, text }: Told): void {
  counts.passed += passed;
  counts.failed += failed;
  counts.skipped += skipped;
  process.stdout.write(text);
}

/** A file in a run of its own: a signal can end it whatever holds it. A file that failed, was stopped, or did not say how all its tests
 *  ended is set aside: it runs once more when nothing else runs.
 *  @returns with what is to be printed of it, in one piece; no counts of a file set aside */
async function runFile(path: string): Promise<Told> {
  const first = await attempt(path);
  const amiss = first.amiss ?? (first.failed > 0 ? `failed ${first.failed} times` : null);
  if (amiss === null) return first;
  setAside.push(path);
  return { passed: 0, failed: 0, skipped: 0, text: `${first.text}\n${first.running}\n${path} ${amiss}; it is run again, alone\n` };
}

/** Files in one process. A file of which a test failed, or nothing was told, is set aside, and all of them when the report was cut short
 *  or a test failed that is none of theirs: what is run alone says more.
 *  @returns with the counts of the others */
async function runGroup(paths: readonly string[]): Promise<Told> {
  const told = join(costs, `told ${paths[0]?.replaceAll("/", " ")}`);
  // Not to standard output, which a test may catch.
  const shown = `${told} shown`;
  const child = spawn(
    process.execPath,
    [
      ...TELLING,
      ...ROOMY,
      "--test",
      "--test-isolation=none",
      "--test-force-exit",
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      "--test-reporter=spec",
      `--test-reporter-destination=${shown}`,
      `--test-reporter=${COUNTING}`,
      `--test-reporter-destination=${told}`,
      ...paths,
    ],
    { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"], env: tellTo(paths[0] ?? ""), timeout: FILE_TIMEOUT_MS, killSignal: "SIGKILL" },
  );
  await new Promise((resolve) => child.once("close", resolve));
  const text = existsSync(shown) ? readFileSync(shown, "utf8") : "";
  const lines = existsSync(told) ? readFileSync(told, "utf8").trimEnd().split("\n") : [];
  const ended = lines.pop() === "end";
  const tests = lines.map((line) => line.split("\t")).map(([how = "", file = ""]) => ({ how, path: relative(ROOT, file) }));
  const strange = tests.some(({ how, path }) => how === "failed" && !paths.includes(path));
  const isWhole = (path: string): boolean => {
    const own = tests.filter((one) => one.path === path);
    return ended && !strange && own.length > 0 && own.every(({ how }) => how !== "failed");
  };
  const again = paths.filter((path) => !isWhole(path));
  noteCosts(paths);
  setAside.push(...again);
  const countOf = (how: string): number =>
    tests.filter((one) => one.how === how && (again.length === 0 || (paths.includes(one.path) && !again.includes(one.path)))).length;
  const note = again.length === 0 ? "" : `\n${again.join(", ")}: run again, alone\n`;
  return { passed: countOf("passed"), failed: 0, skipped: countOf("skipped"), text: text.replaceAll(/^ℹ .*\n/gm, "") + note };
}

/** runAgain runs each file that was set aside alone. A machine may have been held up; what fails twice fails. What passes now is named at
 *  the end, so that a test that depends on time is seen and mended. */
async function runAgain(): Promise<void> {
  const unsteady: string[] = [];
  for (const path of setAside.splice(0)) {
    const last = await attempt(path);
    const failed = last.failed > 0 || last.amiss === null ? last.failed : 1;
    if (failed === 0) unsteady.push(path);
    count({ ...last, failed, text: `${last.text}${failed > 0 ? `\n✖ ${path}: ${failed} failed\n` : ""}` });
  }
  for (const path of unsteady) process.stdout.write(`\nunsteady: ${path} failed beside other files and passed alone\n`);
}

type Told = Counts & { readonly text: string };
type Attempt = Told & { readonly amiss: string | null; readonly running: string };

async function attempt(path: string): Promise<Attempt> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const controller = new AbortController();
  let running = "";
  let whole = false;
  const watch = setTimeout(() => {
    // Processes that wait for each other are listed before they are gone.
    running = spawnSync("ps", ["-eo", "pid,ppid,etimes,stat,wchan:20,args", "--forest"], { encoding: "utf8" }).stdout.replaceAll(
      /^(.{180}).*$/gm,
      "$1",
    );
    controller.abort();
  }, FILE_TIMEOUT_MS);
  // A handle that a test leaves open must not keep its process after the last one.
  const stream = run({
    cwd: ROOT,
    files: [join(ROOT, path)],
    timeout: TEST_TIMEOUT_MS,
    forceExit: true,
    signal: controller.signal,
    execArgv: [...TELLING, ...ROOMY],
    env: tellTo(path),
  });
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
  // Without the counts of one file, which stand at the end of all; with errors that came of no test.
  type Event = { readonly type: string; readonly data: { readonly message?: string } };
  const shown = stream.filter(
    ({ type, data }: Event) => type !== "test:summary" && (type !== "test:diagnostic" || data.message?.startsWith("Error: ") === true),
  );
  for await (const chunk of shown.compose(spec)) text += chunk;
  clearTimeout(watch);
  noteCosts([path]);
  const stopped = controller.signal.aborted ? `did not end within ${FILE_TIMEOUT_MS / 1000} s` : null;
  const cut = whole || counts.failed > 0 ? null : "did not say how all its tests ended";
  return { ...counts, text, amiss: stopped ?? cut, running };
}

/** Where it says so. */
function tellTo(path: string): NodeJS.ProcessEnv {
  return { ...process.env, PROOFSHELF_TEST_COST: join(costs, path.replaceAll("/", " ")) };
}

/** Adds what a process said of its files, unless it was killed. What is of no test of theirs is of the first. */
function noteCosts([first = "", ...others]: readonly string[]): void {
  const file = tellTo(first)["PROOFSHELF_TEST_COST"] ?? "";
  if (!existsSync(file)) return;
  const { all, files } = JSON.parse(readFileSync(file, "utf8")) as Costs;
  const seconds = others.map((path) => files[join(ROOT, path)] ?? 0);
  for (const [at, path] of others.entries()) addCost(path, seconds[at] ?? 0);
  addCost(first, all - seconds.reduce((sum, one) => sum + one, 0));
}

function addCost(path: string, seconds: number): void {
  costOf.set(path, (costOf.get(path) ?? 0) + seconds);
}

/** node:test reports each file as a test of its own. */
function isFile(name: string): boolean {
  return name.endsWith(".test.ts");
}

async function runBrowserTests(paths: readonly string[]): Promise<Told> {
  if (findBrowser() === null) {
    const text = "Chromium is not installed: the browser tests are skipped.\n";
    return { passed: 0, failed: process.env["CI"] === "true" ? 1 : 0, skipped: paths.length, text };
  }
  const child = spawn(
    process.execPath,
    [...TELLING, ...ROOMY, "node_modules/playwright/cli.js", "test", "--reporter=line,json", ...paths],
    {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...tellTo(BROWSER), PLAYWRIGHT_JSON_OUTPUT_NAME: "test-results/report.json" },
    },
  );
  let text = "\n";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await new Promise((resolve) => child.once("close", resolve));
  noteCosts([BROWSER]);
  const { readFile } = await import("node:fs/promises");
  const report = JSON.parse(await readFile(`${ROOT}/test-results/report.json`, "utf8")) as {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  };
  const { expected, unexpected, flaky, skipped } = report.stats;
  if (flaky > 0) text += `\nunsteady: ${flaky} tests of pages failed once and passed the second time\n`;
  return { passed: expected + flaky, failed: unexpected, skipped, text };
}

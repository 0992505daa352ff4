/** Every call by which a command changes its files fails in turn, or is the last one that it makes: a kill, a full disk, an error of
 *  the device, a short write, a power cut that takes what was never flushed. Afterwards what is served has to be one whole snapshot,
 *  the command has to have ended in words of its own, and running it again has to give what it gives without a fault.
 *
 *  The faults are those of the real calls of every process of a command: `fault-shim.c`, preloaded. Linux with a C compiler. */
import { execFile, spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { markedProcesses } from "../testing/child-processes.ts";
import { openConfig } from "../config/config.ts";
import type { Finding } from "../../snapshots/verify/finding.ts";
import { describeFindings } from "../publish/verify-library.ts";
import { CLI } from "../testing/serving-process.ts";
import { openShelves, verifyLibrary } from "../testing/whole.ts";

export const FAULT_KINDS = ["kill", "power", "ENOSPC", "EIO", "short"] as const;
type FaultKind = (typeof FAULT_KINDS)[number];
export const FAULT_COMMANDS = ["first build", "next build", "prune", "rollback", "export", "repair"] as const;
type FaultCommand = (typeof FAULT_COMMANDS)[number];

export type FaultOptions = {
  readonly commands: readonly FaultCommand[];
  readonly kinds: readonly FaultKind[];
  /** Each n-th call of a command has its fault; the kinds take turns between them. */
  readonly every: number;
  /** This call alone. */
  readonly call?: number;
  /** Commands that run at the same time, each in a folder of its own. */
  readonly lanes: number;
  readonly onCase?: (done: number, all: number) => void;
  readonly onResult?: (result: FaultResult) => void;
};

/** FaultResult is what one command went through. */
export type FaultResult = {
  readonly command: FaultCommand;
  readonly kind: FaultKind;
  /** Calls that the command makes without a fault. */
  readonly calls: number;
  readonly tried: number;
  /** The things that went wrong, with the number of the call. */
  readonly failures: readonly string[];
};

type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly said: string };
type Lane = { readonly folder: string; readonly work: string; readonly state: string; readonly log: string };
type Scenario = {
  readonly args: readonly string[];
  readonly base: string;
  readonly calls: number;
  readonly result: string;
  /** The served snapshot is damaged before the command, and may be so until it has ended. */
  readonly damaged: boolean;
};

const run = promisify(execFile);
const SHIM = fileURLToPath(new URL("fault-shim.c", import.meta.url));
/** In the environment of every process of a command, so that the last of them can be waited for. */
const MARK = "PROOFSHELF_FAULTS";
const END_MS = 20_000;
/** Two counters, as the shim has them. */
const STATE_BYTES = 16;

/** tortureWithFaults attacks commands with faults.
 *  @throws Error when there is no C compiler */
export async function tortureWithFaults(options: FaultOptions): Promise<readonly FaultResult[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "proofshelf-faults-")));
  try {
    const shim = join(folder, "shim.so");
    await run("cc", ["-shared", "-fPIC", "-O1", "-o", shim, SHIM, "-ldl"]);
    const lanes = await Promise.all(Array.from({ length: options.lanes }, (_, at) => openLane(join(folder, `lane${at}`))));
    const cases: (() => Promise<void>)[] = [];
    const results: FaultResult[] = [];
    for (const command of options.commands) {
      const scenarios = await Promise.all(lanes.map((lane) => prepare(command, lane, shim)));
      const calls = Math.min(...scenarios.map((scenario) => scenario.calls));
      const apart = Math.min(options.every, calls) / options.kinds.length;
      for (const [offset, kind] of options.kinds.entries()) {
        const failures: string[] = [];
        let tried = 0;
        const first = options.call ?? 1 + Math.floor(offset * apart);
        for (let at = first; at <= calls; at += options.call === undefined ? options.every : calls) {
          cases.push(async () => {
            // A lane is used by one case at a time; the number of lanes is that of the cases under way.
            const lane = free.pop() as number;
            const failure = await tryFault(lanes[lane] as Lane, scenarios[lane] as Scenario, kind, at, shim).catch(String);
            free.push(lane);
            tried++;
            if (failure !== null) failures.push(`call ${at}: ${failure}`);
          });
        }
        const all = cases.length;
        const free = lanes.map((_, at) => at);
        let done = 0;
        const worker = async (): Promise<void> => {
          for (let next = cases.shift(); next !== undefined; next = cases.shift()) {
            await next();
            options.onCase?.(++done, all);
          }
        };
        await Promise.all(lanes.map(worker));
        const result = { command, kind, calls, tried, failures };
        results.push(result);
        options.onResult?.(result);
      }
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openLane(folder: string): Promise<Lane> {
  const lane = { folder, work: join(folder, "work"), state: join(folder, "state"), log: join(folder, "log") };
  await mkdir(lane.work, { recursive: true });
  return lane;
}

const CONFIG = `title: Faulty disk
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
claims: { path: ./claims.yaml }
embeddings: { kind: none }
`;
const PAST = new Date("2026-03-04T05:06:07.000Z");

/** The library as it is at the n-th build. */
async function writeLibrary(work: string, turn: number): Promise<void> {
  const files = {
    "proofshelf.yaml": CONFIG,
    "claims.yaml": `claims: [{ id: turn, title: Turn ${turn}, status: scoped, scope: This test, statement: It is turn ${turn}. }]\n`,
    "library/notes/steady.md": "# Steady\n\nAlways the same.\n",
    "library/notes/turn.md": `# Turn\n\nTurn ${turn}.\n`,
    "library/drafts/gated.md": `# Gated\n\nNot for everybody, turn ${turn}.\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(work, name)), { recursive: true });
    await writeFile(join(work, name), text);
    // One that changed just now would be read twice.
    await utimes(join(work, name), PAST, new Date(PAST.getTime() + turn * 1000));
  }
}

/** Puts a lane into the state before the command, and learns what the command does without a fault. */
async function prepare(command: FaultCommand, lane: Lane, shim: string): Promise<Scenario> {
  const { work } = lane;
  await rm(work, { recursive: true, force: true });
  await writeLibrary(work, 1);
  const builds = command === "first build" ? 0 : 2;
  for (let turn = 1; turn <= builds; turn++) {
    await writeLibrary(work, turn);
    await succeed(lane, ["build"]);
    if (command === "export" && turn === 1) await succeed(lane, ["export", join(work, "out/site")]);
  }
  await writeLibrary(work, command === "next build" ? 3 : Math.max(1, builds));
  const args = {
    "first build": ["build"],
    "next build": ["build"],
    prune: ["prune", "--keep", "1"],
    rollback: ["snapshots", "rollback", "1"],
    export: ["export", join(work, "out/site")],
    repair: ["repair"],
  }[command];
  const damaged = command === "repair";
  if (damaged) await damage(work);
  const base = join(lane.folder, `base ${command}`);
  await copy(work, base);
  const { ended, calls } = await runFaulty(lane, args, "kill", 0, shim);
  if (ended.code !== 0) throw new Error(`${command} fails without a fault: ${ended.said}`);
  return { args, base, calls, result: await describe(work), damaged };
}

/** Something of each kind that can be mended: history, and bytes that only what is served has. */
async function damage(work: string): Promise<void> {
  const shelf = join(work, "shelf/public");
  await truncate(join(shelf, "snapshots/1.json"), 10);
  await truncate(join(shelf, "changes/2.json"), 10);
  const packs = (await readdir(join(shelf, "packs"))).map((name) => join(shelf, "packs", name));
  const times = await Promise.all(packs.map(async (pack) => (await stat(pack)).mtimeMs));
  const newest = packs[times.indexOf(Math.max(...times))] ?? "";
  const bytes = await readFile(newest);
  const at = Math.floor(bytes.length / 3);
  await writeFile(newest, bytes.fill((bytes[at] ?? 0) ^ 1, at, at + 1));
}

async function succeed(lane: Lane, args: readonly string[]): Promise<void> {
  const ended = await runCommand(lane, args, {});
  if (ended.code !== 0) throw new Error(`${args.join(" ")} ended with ${ended.code ?? ended.signal}: ${ended.said}`);
}

async function copy(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

function runCommand(lane: Lane, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const mark = randomUUID();
  const config = join(lane.work, "proofshelf.yaml");
  const child = spawn(process.execPath, [CLI, ...args, "--json", "--config", config], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env, [MARK]: mark },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      void waitForLast(`${MARK}=${mark}`).then(() => resolve({ code, signal, said }), reject);
    });
  });
}

/** Children of a killed command have to notice that it is gone. */
async function waitForLast(mark: string): Promise<void> {
  const until = performance.now() + END_MS;
  while (markedProcesses(mark).length > 0) {
    if (performance.now() > until) throw new Error("it left a process behind");
    await wait(20);
  }
}

async function runFaulty(
  lane: Lane,
  args: readonly string[],
  kind: FaultKind,
  at: number,
  shim: string,
): Promise<{ readonly ended: Ended; readonly calls: number }> {
  await writeFile(lane.state, Buffer.alloc(STATE_BYTES));
  await writeFile(lane.log, "");
  const ended = await runCommand(lane, args, {
    LD_PRELOAD: shim,
    FAULT_ROOT: lane.work,
    FAULT_STATE: lane.state,
    FAULT_LOG: lane.log,
    FAULT_AT: String(at),
    FAULT_KIND: kind === "power" ? "kill" : kind,
  });
  return { ended, calls: Number((await readFile(lane.state)).readBigInt64LE(0)) };
}

/** @returns what went wrong; null when all is as it has to be */
async function tryFault(lane: Lane, scenario: Scenario, kind: FaultKind, at: number, shim: string): Promise<string | null> {
  const { work } = lane;
  await copy(scenario.base, work);
  const before = await describe(work);
  const { ended } = await runFaulty(lane, scenario.args, kind, at, shim);
  const kills = kind === "kill" || kind === "power";
  if (kind === "power") await dropUnflushed(await readFile(lane.log, "utf8"));
  if (!kills) {
    if (ended.signal !== null) return `it died of ${ended.signal}`;
    if (ended.said.trim() === "") return `it ended with ${ended.code} and said nothing`;
    if (/at .*\.ts:\d+:\d+|internal error/i.test(ended.said)) return `it did not foresee this: ${ended.said.slice(-400)}`;
  }
  const after = await describe(work);
  if (after !== before && after !== scenario.result) return `what is served is neither what was nor what was to be: ${after}`;
  if (ended.code === 0 && after !== scenario.result) return "it says that it is done, and is not";
  if (!scenario.damaged && (before !== NOTHING || after !== NOTHING)) {
    const found = await errorsIn(work, "current");
    if (found.length > 0 && !mayHaveLost(kind, found)) return `what is served is damaged: ${describeFindings(found).slice(-600)}`;
    // The served snapshot gets its index anew.
    if (found.length > 0) await succeed(lane, ["build"]);
  }
  const again = await runCommand(lane, scenario.args, {});
  if (again.code !== 0 && !(scenario.damaged && mayHaveLost(kind, errorsSaid(again))))
    return `the next run fails: ${again.said.slice(-600)}`;
  const mended = await describe(work);
  if (mended !== scenario.result) return `the next run gives something else: ${mended} instead of ${scenario.result}`;
  const all = await errorsIn(work, "all");
  return all.length === 0 || mayHaveLost(kind, all) ? null : `the next run leaves damage: ${describeFindings(all).slice(-600)}`;
}

async function errorsIn(work: string, snapshots: "current" | "all"): Promise<readonly Finding[]> {
  const config = await openConfig(join(work, "proofshelf.yaml"), { checkSources: false });
  return (await verifyLibrary(config, { snapshots })).filter(({ severity }) => severity === "error");
}

/** Codes of the errors in what a command printed. */
function errorsSaid({ said }: Ended): readonly { readonly code: string }[] {
  return [...said.matchAll(/"severity":"error","code":"([a-z_]+)"/g)].map(([, code = ""]) => ({ code }));
}

const NOTHING = "public none; internal none; exported none";

/** Everything that readers get: which snapshots are served, and the files of the exported site. */
async function describe(work: string): Promise<string> {
  const shelves = openShelves(await openConfig(join(work, "proofshelf.yaml"), { checkSources: false }));
  const served = await Promise.all(
    (["public", "internal"] as const).map(async (view) => {
      const pointer = await shelves[view].readPointer().catch((error: Error) => ({ snapshot: error.message }));
      return `${view} ${pointer?.snapshot ?? "none"}`;
    }),
  );
  return [...served, `exported ${await digestFolder(join(work, "out"))}`].join("; ");
}

async function digestFolder(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true }).catch(() => null);
  if (names === null) return "none";
  const hash = createHash("sha256");
  for (const name of names.sort()) {
    const path = join(folder, name);
    hash.update(`${name}\n`);
    if ((await stat(path)).isFile()) hash.update(await readFile(path));
  }
  return hash.digest("hex");
}

/** The engine of the index flushes nothing, so a power cut may cost indexes, and they have to be named. */
function mayHaveLost(kind: FaultKind, errors: readonly { readonly code: string }[]): boolean {
  return kind === "power" && errors.length > 0 && errors.every(({ code }) => code.startsWith("index_"));
}

/** A power cut: what was written to a file since it was last flushed is gone. Names are kept in order, as journals keep them. */
async function dropUnflushed(log: string): Promise<void> {
  const dirty = new Set<string>();
  for (const line of log.split("\n")) {
    const [what, rest] = [line.slice(0, 1), line.slice(2)];
    const [from = "", to = ""] = rest.split("\t");
    if (what === "w") dirty.add(rest);
    else if (what === "s" && rest === "*") dirty.clear();
    else if (what === "s" || what === "u") dirty.delete(rest);
    else if (what === "l" && dirty.has(from)) dirty.add(to);
    else if (what === "r") {
      dirty.delete(to);
      for (const path of dirty) {
        if (path !== from && !path.startsWith(`${from}/`)) continue;
        dirty.delete(path);
        dirty.add(to + path.slice(from.length));
      }
    }
  }
  for (const path of dirty) {
    const found = await stat(path).catch(() => null);
    if (found?.isFile() === true) await truncate(path, 0);
  }
}

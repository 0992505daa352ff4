/** The harm that clients who mean no good do to everybody else: the server's memory and the time of /health while they are at it, a mix of them
 *  beside readers who check what they get, and publications under load. Clients and server share the machine. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Pool } from "undici";
import { sha256 } from "../../snapshots/digest.ts";
import { CLI, type ServingProcess, startServing } from "../testing/serving-process.ts";
import { type Figure, percentile } from "./figure.ts";
import { measureBuild, WORDS, writeConfig } from "./library.ts";
import { descendants, memoryOf } from "./measure.ts";

const MB = 2 ** 20;
const LONG = "large/200.bin";
const LONG_BYTES = 200 * MB;
const MIDDLE = "large/15.bin";
const CHANGING = "notes/changing.md";
const UNREAD = 600;
const PIPELINED = 400;
/** How long each shape is held, and how long the server has to forget the one before. Milliseconds. */
const HOLD_MS = 10_000;
const REST_MS = 3_000;
const HEALTH_EVERY_MS = 20;
const HEALTH_CONNECTIONS = 64;
const MAX_MEMORY_MB = 150;
const MAX_HEALTH_MS = 200;
const READERS = 16;
/** Between two requests of one reader while something is published: a load, and not all there is of the machine, which the builds need. */
const READ_EVERY_MS = 50;
/** Snapshots that the builder leaves on the shelf: what goes while it is read must harm nobody either. */
const KEPT = 20;
/** The builder's shortest pause, as `--every` takes it, and how often it is seen whether it has published. */
const BUILD_EVERY = "0.001m";
const LOOK_EVERY_MS = 50;
const PUBLICATION_LIMIT_MS = 120_000;

/** benchHostile measures what hostile clients do to others.
 *  @param folder a new one
 *  @param options.seconds of the mix
 *  @param options.publications while readers check what they get */
export async function benchHostile(
  folder: string,
  { seconds, publications }: { readonly seconds: number; readonly publications: number },
): Promise<readonly Figure[]> {
  await mkdir(join(folder, "library", "large"), { recursive: true });
  await mkdir(join(folder, "library", "notes"), { recursive: true });
  await writeFile(join(folder, "library", LONG), randomBytes(LONG_BYTES));
  await writeFile(join(folder, "library", MIDDLE), randomBytes(15 * MB));
  for (const word of WORDS)
    await writeFile(join(folder, "library", "notes", `${word}.md`), `# ${word}\n\n${`A ${word} of words. `.repeat(20_000)}\n`);
  await publish(folder, 0);
  const config = await writeConfig(folder, "Large things", ["large", "notes"]);
  await measureBuild(config);
  const server = await startServing(["--no-rate-limits", "--config", config]);
  try {
    // A file that is read for the first time is hashed for the first time: that is no attack.
    await fetch(`${server.url}/objects/${MIDDLE}`).then((response) => response.arrayBuffer());
    const quiet = describe("nobody", await hold(server, () => []))[1]?.note ?? "";
    process.stderr.write(`/health while nobody else asks: ${quiet}\n`);
    const figures = [
      ...(await shape(server, `${UNREAD} unread connections and ${PIPELINED} pipelined requests of 200 MB`, () => [
        ...Array.from({ length: UNREAD }, () => ask(server, [`/objects/${LONG}`])),
        ask(server, Array<string>(PIPELINED).fill(`/objects/${LONG}`)),
      ])),
      ...(await shape(server, `${PIPELINED} pipelined requests of 15 MB`, () => [
        ask(server, Array<string>(PIPELINED).fill(`/objects/${MIDDLE}`)),
      ])),
      ...(await shape(server, `${UNREAD} unread compressed texts`, () =>
        Array.from({ length: UNREAD }, (_, at) =>
          ask(server, [`/objects/notes/${WORDS[at % WORDS.length]}.md`], "Accept-Encoding: br\r\n"),
        ),
      )),
      ...(await shape(server, `${UNREAD} unread archives`, () => Array.from({ length: UNREAD }, () => ask(server, ["/api/archive.tar"])))),
      ...(await mix(server, seconds)),
    ];
    return [...figures, ...(await publishUnderLoad(server, folder, config, publications))];
  } finally {
    await server.stop();
  }
}

async function publish(folder: string, version: number): Promise<void> {
  await writeFile(join(folder, "library", CHANGING), `# Version ${version}\n\nThis is version ${version}.\n`);
}

function pointerOf(folder: string): Promise<string> {
  return readFile(join(folder, "shelf/public/current.json"), "utf8");
}

/** Requests in one go, and not a byte of an answer is read. */
function ask(server: ServingProcess, targets: readonly string[], headers = ""): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined).pause();
  socket.write(targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: ${hostname}\r\n${headers}\r\n`).join(""));
  return socket;
}

type Watch = { readonly latencies: readonly number[]; failed(): number; memory(): number; stop(): Promise<void> };

/** Asks for /health at a fixed rate, and looks at the server's memory. A load balancer has asked within the last second when an attack begins. */
async function watch(server: ServingProcess): Promise<Watch> {
  await fetch(`${server.url}/health`).then((response) => response.arrayBuffer());
  // Enough that none waits here for the one before: what is measured is the server's time.
  const pool = new Pool(server.url, { connections: HEALTH_CONNECTIONS });
  const memoryNow = (): number => {
    const all = descendants(server.child.pid ?? 0).map(memoryOf);
    return (all.reduce((sum, { own }) => sum + own, 0) + Math.max(0, ...all.map(({ shared }) => shared))) / 1024;
  };
  const before = memoryNow();
  const latencies: number[] = [];
  const open = new Set<Promise<void>>();
  let failed = 0;
  let highest = before;
  const health = async (): Promise<void> => {
    const began = performance.now();
    const { statusCode, body } = await pool.request({ path: "/health", method: "GET" });
    await body.dump();
    latencies.push(performance.now() - began);
    if (statusCode !== 200) failed++;
  };
  const asking = setInterval(() => {
    const one = health()
      .catch(() => void failed++)
      .finally(() => open.delete(one));
    open.add(one);
  }, HEALTH_EVERY_MS);
  const looking = setInterval(() => (highest = Math.max(highest, memoryNow())), 250);
  return {
    latencies,
    failed: () => failed,
    memory: () => highest - before,
    async stop() {
      clearInterval(asking);
      clearInterval(looking);
      await Promise.all(open);
      await pool.close();
    },
  };
}

function describe(name: string, { latencies, failed, memory }: Watch): Figure[] {
  const sorted = [...latencies].sort((a, b) => a - b);
  return [
    {
      figure: `${name}: memory`,
      value: memory(),
      unit: "MB",
      target: { at: "most", value: MAX_MEMORY_MB },
      note: "resident, above what it was before",
    },
    {
      figure: `${name}: /health p99`,
      value: failed() === 0 ? percentile(sorted, 0.99) : Number.POSITIVE_INFINITY,
      unit: "ms",
      target: { at: "most", value: MAX_HEALTH_MS },
      note: `p50 ${percentile(sorted, 0.5).toFixed(1)}, worst ${sorted.at(-1)?.toFixed(0)} ms; ${sorted.length} asked, ${failed()} failed`,
    },
  ];
}

async function shape(server: ServingProcess, name: string, begin: () => readonly Socket[]): Promise<readonly Figure[]> {
  return describe(name, await hold(server, begin));
}

async function hold(server: ServingProcess, begin: () => readonly Socket[]): Promise<Watch> {
  const watching = await watch(server);
  const sockets = begin();
  await wait(HOLD_MS);
  await watching.stop();
  for (const socket of sockets) socket.destroy();
  await wait(REST_MS);
  return watching;
}

/** Hostile clients of every kind, coming and going, beside readers whose answers are counted. */
async function mix(server: ServingProcess, seconds: number): Promise<readonly Figure[]> {
  const watching = await watch(server);
  const until = performance.now() + seconds * 1000;
  const pool = new Pool(server.url, { connections: READERS });
  const counts = { good: 0, busy: 0, wrong: 0 };
  const hostile = async (n: number): Promise<void> => {
    for (let at = n; performance.now() < until; at++) {
      const targets = [
        () => ask(server, [`/objects/${LONG}`]),
        () => ask(server, Array<string>(50).fill(`/objects/${MIDDLE}`)),
        () => ask(server, [`/objects/${LONG}`], `Range: bytes=${(at * 7_919_000) % LONG_BYTES}-\r\n`),
        () => ask(server, [`/api/search?q=${WORDS[at % WORDS.length]}+${at}`, "/llms-full.txt", `/at/${sha256(String(at))}/`]),
        () => ask(server, [`/${"%2e%2e/".repeat(at % 200)}`, `/objects/${"a/".repeat(400)}`]),
        () => ask(server, ["/internal/api/catalog"], `edge-access-token: ${"x".repeat(at % 8_000)}.y.z\r\n`),
      ];
      const socket = (targets[at % targets.length] as () => Socket)();
      await wait(50 + ((at * 37) % 400));
      socket.destroy();
    }
  };
  const reader = async (n: number): Promise<void> => {
    for (let at = n; performance.now() < until; at++) {
      const key = `notes/${WORDS[at % WORDS.length]}.md`;
      const path =
        [`/objects/${key}`, "/api/catalog", "/api/list?prefix=notes/", "/", `/api/search?q=${WORDS[at % WORDS.length]}`][at % 5] ?? "/";
      const { statusCode, headers, body } = await pool.request({ path, method: "GET" });
      const bytes = Buffer.from(await body.arrayBuffer());
      const right = !path.startsWith("/objects/") || headers["etag"] === `"${sha256(bytes)}"`;
      if (statusCode === 503 && headers["retry-after"] !== undefined) counts.busy++;
      else if (statusCode === 200 && right) counts.good++;
      else counts.wrong++;
    }
  };
  const readers = Array.from({ length: READERS }, (_, n) => reader(n));
  await Promise.all([...Array.from({ length: 100 }, (_, n) => hostile(n)), ...readers]);
  await watching.stop();
  await pool.close();
  return [
    ...describe(`a mix of hostile clients for ${seconds} s`, watching),
    {
      figure: `readers beside it: wrong answers`,
      value: counts.wrong,
      unit: "",
      target: { at: "most", value: 0 },
      note: `${counts.good} right, ${counts.busy} told to come back`,
    },
  ];
}

/** Readers check that everything an answer says is of the one snapshot that it names. */
async function publishUnderLoad(server: ServingProcess, folder: string, config: string, publications: number): Promise<readonly Figure[]> {
  const pool = new Pool(server.url, { connections: READERS });
  /** Known facts of each snapshot, by whichever answer said them first. */
  const known = new Map<string, string>();
  const counts = { answers: 0, mixed: 0, failed: 0 };
  let done = false;
  const tell = (snapshot: string, digest: string): void => {
    const before = known.get(snapshot);
    if (before === undefined) known.set(snapshot, digest);
    else if (before !== digest) counts.mixed++;
  };
  const read = async (path: string): Promise<{ snapshot: string; bytes: Buffer; tag: string } | null> => {
    const { statusCode, headers, body } = await pool.request({ path, method: "GET" });
    const bytes = Buffer.from(await body.arrayBuffer());
    counts.answers++;
    if (statusCode === 200) return { snapshot: String(headers["x-snapshot"]), bytes, tag: String(headers["etag"]) };
    counts.failed++;
    return null;
  };
  const reader = async (n: number): Promise<void> => {
    for (let at = n; !done; at++, await wait(READ_EVERY_MS)) {
      if (at % 3 === 0) {
        const found = await read(`/objects/${CHANGING}`);
        if (found === null) continue;
        if (found.tag !== `"${sha256(found.bytes)}"`) counts.mixed++;
        tell(found.snapshot, sha256(found.bytes));
      } else if (at % 3 === 1) {
        const found = await read("/api/catalog");
        if (found === null) continue;
        const { snapshot, collections } = JSON.parse(found.bytes.toString()) as {
          snapshot: string;
          collections: { objects: { key: string; sha256: string }[] }[];
        };
        if (snapshot !== found.snapshot) counts.mixed++;
        tell(snapshot, collections.flatMap(({ objects }) => objects).find(({ key }) => key === CHANGING)?.sha256 ?? "");
      } else {
        const found = await read(`/api/proofs/${CHANGING}`);
        if (found === null) continue;
        if ((JSON.parse(found.bytes.toString()) as { root: string }).root !== found.snapshot) counts.mixed++;
      }
    }
  };
  const readers = Array.from({ length: READERS }, (_, n) =>
    reader(n).catch(() => {
      counts.failed++;
    }),
  );
  const began = performance.now();
  await writeFile(config, JSON.stringify({ ...(JSON.parse(await readFile(config, "utf8")) as object), keep: KEPT }));
  const builder = spawn(process.execPath, [CLI, "schedule", "--every", BUILD_EVERY, "--config", config], { stdio: "ignore" });
  try {
    for (let n = 1; n <= publications; n++) {
      const before = await pointerOf(folder);
      await publish(folder, n);
      const limit = performance.now() + PUBLICATION_LIMIT_MS;
      while ((await pointerOf(folder)) === before && performance.now() < limit) await wait(LOOK_EVERY_MS);
    }
    await wait(1_000);
  } finally {
    builder.kill("SIGTERM");
    if (builder.exitCode === null) await once(builder, "exit");
  }
  done = true;
  await Promise.all(readers);
  await pool.close();
  return [
    {
      figure: `${publications} publications under load: mixed or failed answers`,
      value: counts.mixed + counts.failed,
      unit: "",
      target: { at: "most", value: 0 },
      note: `${counts.answers} answers of ${known.size} snapshots, ${counts.mixed} mixed, ${counts.failed} failed; ${((performance.now() - began) / 1000 / publications).toFixed(1)} s a publication`,
    },
  ];
}

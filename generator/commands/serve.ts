/** `proofshelf serve`: starts the server as a process of its own, tells it what to serve, and prints one line when it is ready. */
import { fork } from "node:child_process";
import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ShelfError } from "#snapshots/errors";
import type { OperationsServing, ServerMessage, SidecarServing, SiteServing, StarterMessage } from "#snapshots/http";
import { type Annexes, build } from "#generator/pipeline";
import { openServed, openShelves } from "#generator/shelves";
import { VERSION } from "#generator/files";
import { type CommonOptions, configOf } from "./options.ts";
import { compileSite } from "#generator/pages";
import { type Config, openConfig, readAccess } from "#generator/config";
import { embedViews } from "#generator/index";
import { checkTrial, describeAddress, letsIn, showTrial } from "./own-machine.ts";
import { liveCatalog } from "./live-catalog.ts";
import { describeEmbedding } from "./build.ts";
import { buildEvery } from "./every.ts";
import { parsePeriod } from "./period.ts";
import { pruneByConfig } from "./prune.ts";

const SITE_MAIN = fileURLToPath(new URL("../../site/main.ts", import.meta.url));
const SIDECAR_MAIN = fileURLToPath(new URL("../../sidecar/main.ts", import.meta.url));
const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
/** Variables that the site process must never see, even if the operator's shell has them. */
const SECRET = /^(REINDEX_TOKEN|SESSION_KEY|OIDC_CLIENT_SECRET|WEBHOOK_SECRET|AI_GATEWAY_ID|INFERENCE_API_KEY|LOG_KEY|AWS_.*)$/;
/** glibc gives nearly every thread an arena of its own that it seldom hands back. */
const FEW_ARENAS = { MALLOC_ARENA_MAX: "2" };
/** Room for young objects: what a server answers is short-lived, and more room saves no processor time. Megabytes. */
const SMALL_NURSERY = ["--max-semi-space-size=4"];
/** An editor writes a file in several steps: it is read this long after the last one. Milliseconds. */
const SETTLE_MS = 200;

export type ServeOptions = CommonOptions & {
  readonly port: string;
  readonly host: string;
  readonly build?: boolean;
  readonly every?: string;
  readonly only?: "site" | "sidecar";
  readonly rateLimits: boolean;
  readonly metrics?: string;
  readonly accessLog?: boolean;
  readonly tryInternal?: boolean;
};

export async function runServe(options: ServeOptions, annexes: Annexes): Promise<void> {
  const port = parsePort("--port", options.port);
  const operations = options.metrics === undefined ? null : parseAddress("--metrics", options.metrics);
  const period = options.every === undefined ? null : parsePeriod(options.every);
  const config = await openConfig(configOf(options), { checkSources: options.build === true });
  checkTrial(config, options);
  if (options.build === true) {
    if (!existsSync(openShelves(config, annexes).buildDir))
      say(options, `Building ${config.title}: what the first build reads, renders and indexes is kept for the next one.`);
    await build(config, annexes);
  }
  const { dist } = await compileSite();
  const views = options.only === "site" ? (["public"] as const) : (["public", "internal"] as const);
  const { publicDir, internalDir, follow } = openServed(config, views, annexes);
  const { baseUrl } = config;
  const common = {
    host: options.host,
    port,
    publicDir,
    dist,
    version: VERSION,
    baseUrl,
    operations,
    accessLog: options.accessLog === true,
  };
  const ended = new AbortController();
  // Here and not in the server, which needs no credentials then, and the site server no network.
  const following = follow?.(ended.signal, (line) => void process.stderr.write(line));
  const started = { config, options, annexes, period, ended };
  try {
    if (options.only === "site") await startServer(SITE_MAIN, { part: "site", ...common }, started);
    else await startServer(SIDECAR_MAIN, { ...common, internalDir, ...sidecarParts(config, options) }, started);
  } finally {
    ended.abort();
    await following;
  }
}

/** Lines for a person; what is printed on standard output is for programs. */
function say({ quiet = false }: CommonOptions, line: string): void {
  if (!quiet) process.stderr.write(`${line}\n`);
}

function parsePort(option: string, text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new ShelfError("bad_config", `${option} takes a number from 0 to 65535.`);
  return port;
}

/** `9464` or `10.0.0.1:9464`; without a host this machine alone is answered. */
function parseAddress(option: string, text: string): OperationsServing {
  const [, host = "127.0.0.1", port = ""] = /^(?:\[?(.+?)\]?:)?([^:]*)$/s.exec(text) ?? [];
  return { host, port: parsePort(option, port) };
}

function sidecarParts(config: Config, options: ServeOptions): Omit<SidecarServing, Exclude<keyof SiteServing, "part"> | "internalDir"> {
  return {
    part: "sidecar",
    access: letsIn(config, options) ? "development" : config.access,
    answers: config.answers,
    embeddings: config.embeddings,
    gateway: config.gateway,
    code: config.code,
    reindexCommand: [process.execPath, CLI, "build", "--json", "--config", config.file],
    rateLimits: options.rateLimits,
    trustProxy: config.trustProxy,
    alone: options.only === "sidecar",
    mcp: config.mcp,
  };
}

async function startServer(
  main: string,
  serving: SiteServing | SidecarServing,
  started: {
    readonly config: Config;
    readonly options: ServeOptions;
    readonly annexes: Annexes;
    readonly period: number | null;
    /** Aborted when the server has ended. */
    readonly ended: AbortController;
  },
): Promise<void> {
  const { config, options, annexes, period, ended } = started;
  const seen = Object.entries(process.env).filter(([name]) => serving.part !== "site" || !SECRET.test(name));
  const env = { ...FEW_ARENAS, ...Object.fromEntries(seen) };
  const child = fork(main, [], { env, execArgv: SMALL_NURSERY, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const send = (message: StarterMessage<SiteServing | SidecarServing>): void => {
    if (child.connected) child.send(message);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const watcher = serving.part === "sidecar" ? watchAccess(config, send) : null;
  // After the line that programs wait for: pages and search do not need the vectors.
  const embed = async (): Promise<void> => {
    const embeddings = await embedViews(config, annexes, { signal: ended.signal });
    if (ended.signal.aborted) return;
    process.stderr.write(describeEmbedding(embeddings));
    process.stderr.write(await pruneByConfig(config, annexes));
  };
  try {
    await new Promise<void>((resolve, reject) => {
      child.on("message", (message: ServerMessage) => {
        if (message.type === "listing") {
          void liveCatalog(config, annexes).then(
            (catalog) => send({ type: "listing", id: message.id, catalog }),
            () => send({ type: "listing", id: message.id, catalog: null }),
          );
        } else if (message.type === "ready") {
          process.stdout.write(
            options.json === true ? `${JSON.stringify({ url: message.url, snapshot: message.snapshot })}\n` : describeReady(message),
          );
          // On stderr, so that standard output stays the one line that programs wait for.
          for (const note of message.notes ?? []) process.stderr.write(`${note}\n`);
          const addresses = options.port === "0" ? [] : describeAddress(config.baseUrl, message.url);
          for (const note of addresses) say(options, note);
          if (message.snapshot === null && period === null)
            say(options, "Nothing is built yet: run proofshelf build, and it is served at once.");
          if (message.token !== undefined) showTrial(message.url, message.token, ended.signal);
          // Its output is said on stderr: standard output stays the one line above.
          if (period !== null)
            void buildEvery(
              period,
              { ...options, config: config.file, demo: false, json: false, beside: true },
              annexes,
              ended.signal,
              (outcome, seconds, next) => send({ type: "built", outcome, seconds, next }),
            );
          else if (options.build === true) void embed();
        } else {
          reject(Object.assign(new Error(message.message), { code: message.code }));
          child.kill();
        }
      });
      child.on("error", reject);
      child.on("exit", (code, signal) => {
        if (code === 0 || signal === "SIGTERM" || signal === "SIGINT") resolve();
        else reject(new ShelfError("internal", `The server ended with ${signal ?? `exit code ${code}`}.`));
      });
      send({ type: "serve", serving });
    });
  } finally {
    ended.abort();
    watcher?.close();
  }
}

function describeReady({ url, snapshot }: { readonly url: string; readonly snapshot: string | null }): string {
  return `Serving ${snapshot === null ? "no snapshot yet" : `snapshot ${snapshot.slice(0, 12)}`} at ${url}/\n`;
}

/** Sends the access section whenever the configuration file changes. Of a file that is wrong elsewhere that section holds all the
 *  same: who was struck out of it stays out. One that is wrong itself changes nothing. The folder is watched, because editors
 *  replace files. */
function watchAccess(config: Config, send: (message: StarterMessage<never>) => void): FSWatcher {
  let timer: NodeJS.Timeout | undefined;
  const take = async (): Promise<void> => {
    try {
      send({ type: "access", access: (await openConfig(config.file, { checkSources: false })).access });
    } catch (error) {
      const access = readAccess(config.file);
      if (access !== undefined) send({ type: "access", access });
      const but = access === undefined ? "" : ", but for its access section";
      process.stderr.write(`The configuration was not taken over${but}: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  };
  return watch(dirname(config.file), (_, name) => {
    if (name !== null && name !== basename(config.file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void take(), SETTLE_MS);
  });
}

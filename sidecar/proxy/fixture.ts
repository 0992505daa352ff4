/** A small library served by the real command, and the real proxies in front of whatever address, for tests. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request as sendRequest, type IncomingHttpHeaders } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { sha256 } from "../../snapshots/digest.ts";
import { jwks, makeToken, SERVICE_SECRET } from "../gate/gate-fixture.ts";

const CLI = fileURLToPath(new URL("../../generator/cli.ts", import.meta.url));
export const CODE_HEAD = "0123456789abcdef0123456789abcdef01234567";
/** Milliseconds; a cold machine compiles the pages first. */
const START_TIMEOUT = 240_000;
const PROXY_TIMEOUT = 20_000;

const GATED_TEXT = "# Canary-gated-title\n\nThe zeppelin lands at the canary-gated-text.\n";
export const CODE_TEXT = "(* canary-gated-code *)\nLemma insert_keeps_sorted : True.\n";
/** REINDEX_TOKEN lets a rebuild be asked for. */
export const REINDEX_TOKEN = "a-token-of-the-tests-that-is-long-enough";
export const GATED_PATH = "drafts/canary-gated-key.md";
export const CODE_PATH = `/api/code/sorting/${CODE_HEAD}/coq/Sort.v`;
/** GATED_BYTES are the bytes of the gated collection and of the code file that could turn up in an answer. */
export const GATED_BYTES = new RegExp(`canary-gated|landing place of canaries|${sha256(GATED_TEXT)}|insert_keeps_sorted : True`, "i");

const CONFIG = `
title: Library behind a proxy
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Landing place of canaries, visibility: email-gated }
registry: { path: ./registry.json }
code: { kind: directory, root: ./code }
embeddings: { kind: none }
access:
  issuer: https://gateway.example.org
  audience: [library]
  humanAudience: [library-people]
  jwks: ./jwks.json
  policy: { domains: [example.org], serviceTokens: [ci] }
  serviceTokens: [{ name: ci, id: ci.example, secretSha256: ${sha256(SERVICE_SECRET)} }]
`;

const RECORD = {
  id: "CUB-0007",
  repo: "sorting",
  theorem_name: "insert_keeps_sorted",
  statement: "forall x l, sorted l -> sorted (insert x l)",
  kind: "Lemma",
  verification_state: "VERIFIED",
  invocation: "runtime",
  files: { coq_file: "coq/Sort.v", lean_file: "" },
  file_shas: { "coq/Sort.v": sha256(CODE_TEXT) },
};

export type Origin = {
  readonly folder: string;
  /** The port of what serves files, pages and queries. */
  readonly port: number;
  /** The port of what has the effects and the gate: another process when they are apart. */
  readonly sidecarPort: number;
  readonly snapshot: string;
  /** The text that it has written to standard error. */
  readonly log: () => string;
  stop(): Promise<void>;
};

/** startOrigin starts `proofshelf serve` over the small library: everything in one process, or `--only site` beside `--only sidecar`.
 *  @param more further files, and others in place of its own, by their paths beside the configuration
 *  @param settings further lines of the configuration */
export async function startOrigin(apart = false, more: Readonly<Record<string, string>> = {}, settings = ""): Promise<Origin> {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-proxy-"));
  const files: Readonly<Record<string, string>> = {
    "proofshelf.yaml": CONFIG + settings,
    "jwks.json": jwks,
    "registry.json": JSON.stringify({ meta: { service: "Test", sources: { sorting: { head: CODE_HEAD } } }, cubs: [RECORD] }),
    [`code/sorting/${CODE_HEAD}/coq/Sort.v`]: CODE_TEXT,
    [`library/${GATED_PATH}`]: GATED_TEXT,
    "library/notes/one.md": `# One\n\n${"The same bytes have the same name everywhere. ".repeat(60)}\n`,
    ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`library/notes/n${at}.md`, `# Note ${at}\n\nNumber ${at}.\n`])),
    ...more,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  let log = "";
  const children: ChildProcess[] = [];
  const start = async (...options: string[]): Promise<{ readonly snapshot: string; readonly port: number }> => {
    const child = spawn(
      process.execPath,
      [CLI, "serve", "--json", "--no-rate-limits", "--port", "0", "--config", join(folder, "proofshelf.yaml"), ...options],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, REINDEX_TOKEN },
      },
    );
    children.push(child);
    child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    await until(
      () => out.includes("\n"),
      START_TIMEOUT,
      child,
      () => log,
    );
    const { url, snapshot } = JSON.parse(out) as { url: string; snapshot: string };
    return { snapshot, port: Number(new URL(url).port) };
  };
  const first = await start("--build", ...(apart ? ["--only", "site"] : []));
  const sidecar = apart ? await start("--only", "sidecar") : first;
  return {
    folder,
    ...first,
    sidecarPort: sidecar.port,
    log: () => log,
    async stop() {
      await Promise.all(children.map(end));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** memberHeaders are credentials that the origin lets in. */
export function memberHeaders(): readonly Readonly<Record<string, string>>[] {
  const soon = Math.floor(Date.now() / 1000) + 3_600;
  return [
    { "edge-access-token": makeToken({ exp: soon, nbf: soon - 7_200, iat: soon - 7_200 }) },
    { "Edge-Access-Client-Id": "ci.example", "Edge-Access-Client-Secret": SERVICE_SECRET },
  ];
}

export type Proxy = { readonly port: number; stop(): Promise<void> };
export type ProxyName = "nginx" | "varnish";
const PROGRAMS: Readonly<Record<ProxyName, string>> = { nginx: "nginx", varnish: "varnishd" };
/** Debian puts both where only root's PATH looks. */
const PATH = `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/local/sbin`;

/** findProxyProblem says why a proxy cannot be tested here, or false. As root on Debian the package is installed. */
export function findProxyProblem(name: ProxyName): string | false {
  const has = (program: string): boolean =>
    spawnSync("sh", ["-c", `command -v ${program}`], { env: { ...process.env, PATH } }).status === 0;
  const program = PROGRAMS[name];
  if (has(program)) return false;
  if (process.getuid?.() === 0 && has("apt-get")) {
    const names = [name === "nginx" ? "nginx-light" : name];
    const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    spawnSync("apt-get", ["update", "-qq"], options);
    spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...names], options);
  }
  return has(program) ? false : `${program} is not installed`;
}

export type Ports = Pick<Origin, "port" | "sidecarPort"> & {
  /** Ports of other servers of the same files, for nginx. */
  readonly others?: readonly number[];
};

/** startProxy starts a proxy with the configuration as it is shipped; only addresses, folders and rates are exchanged.
 *  @param counting leaves the rates of nginx as they are */
export async function startProxy(name: ProxyName, ports: Ports, counting = false): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), `proofshelf-${name}-`));
  const port = await freePort();
  const child = name === "nginx" ? startNginx(folder, port, ports, counting) : startVarnish(folder, port, ports);
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (log += text));
  const answers = async (): Promise<boolean> => (await send(port, "GET", "/health")).status === 200;
  await until(
    () => answers().catch(() => false),
    PROXY_TIMEOUT,
    child,
    () => log,
  );
  return {
    port,
    async stop() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Everything that is exchanged has to be there: a test must not run another configuration than the shipped one. */
function exchange(text: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  return pairs.reduce((done, [from, to]) => {
    if (!done.includes(from)) throw new Error(`the configuration has no "${from}"`);
    return done.replaceAll(from, to);
  }, text);
}

function startNginx(folder: string, port: number, ports: Ports, counting: boolean): ChildProcess {
  const shipped = readFileSync(new URL("./nginx.conf", import.meta.url), "utf8");
  const site = exchange(shipped, [
    ["server 127.0.0.1:4321 max_fails=0; # sidecar", `server 127.0.0.1:${ports.sidecarPort} max_fails=0;`],
    ["server 127.0.0.1:4321 max_fails=0;", siteServers(ports)],
    ["/var/cache/proofshelf", join(folder, "cache")],
    ["listen 127.0.0.1:8080", `listen 127.0.0.1:${port}`],
    // One client stands for a whole attacking network here.
    ["rate=10r/m", counting ? "rate=10r/m" : "rate=100000r/s"],
    ["rate=60r/m", counting ? "rate=60r/m" : "rate=100000r/s"],
  ]);
  writeFileSync(join(folder, "site.conf"), site);
  // As Debian's own file around it: compression is on there, and has to be off for our server.
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((path) => `${path}_temp_path ${join(folder, path)};`).join(" ");
  writeFileSync(
    join(folder, "main.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""} worker_processes 2; daemon off; pid ${join(folder, "pid")}; error_log stderr crit;
     events { worker_connections 1024; } http { access_log off; gzip on; gzip_types application/json; ${paths} include ${join(folder, "site.conf")}; }`,
  );
  return spawn("nginx", ["-p", folder, "-e", "stderr", "-c", join(folder, "main.conf")], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PATH },
  });
}

/** As the README has them for several. */
function siteServers({ port, others = [] }: Ports): string {
  const how = others.length === 0 ? "max_fails=0" : "max_fails=1 fail_timeout=5s";
  return [port, ...others].map((one) => `server 127.0.0.1:${one} ${how};`).join("\n    ");
}

function startVarnish(folder: string, port: number, ports: Ports): ChildProcess {
  const shipped = readFileSync(new URL("./varnish.vcl", import.meta.url), "utf8");
  const file = join(folder, "proofshelf.vcl");
  writeFileSync(
    file,
    exchange(shipped, [
      ['.port = "4321"; # sidecar', `.port = "${ports.sidecarPort}";`],
      ['.port = "4321"', `.port = "${ports.port}"`],
    ]),
  );
  const options = [
    "-F",
    "-j",
    "none",
    "-n",
    join(folder, "run"),
    "-a",
    `127.0.0.1:${port}`,
    "-T",
    "none",
    "-f",
    file,
    "-s",
    "malloc,64m",
    "-p",
    "http_gzip_support=off",
  ];
  return spawn("varnishd", options, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, PATH } });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function until(done: () => boolean | Promise<boolean>, timeout: number, child: ChildProcess, log: () => string): Promise<void> {
  const deadline = Date.now() + timeout;
  while (!(await done())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`${child.spawnfile} did not start:\n${log().slice(-4_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await ended;
  clearTimeout(late);
}

export type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer };

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

export function closeConnections(): void {
  agent.destroy();
}

/** send sends a target exactly as it is written. */
export function send(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  body?: string,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const message = sendRequest(
      { host: "127.0.0.1", port, method, path: target, headers: headers as Record<string, string>, agent },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }));
        response.on("error", reject);
      },
    );
    message.on("error", reject);
    message.end(body);
  });
}

/** textOf returns headers and body as text, unpacked. */
export function textOf({ headers, bytes }: Reply): string {
  const coding = headers["content-encoding"];
  // A HEAD or a 304 names a coding and has no bytes; a range of packed bytes cannot be unpacked, and is read as it is.
  let body = bytes;
  try {
    if (bytes.length > 0 && coding !== undefined) body = coding === "br" ? brotliDecompressSync(bytes) : gunzipSync(bytes);
  } catch {
    body = bytes;
  }
  return `${JSON.stringify(headers)}\n${body.toString("latin1")}`;
}

export function wasHit({ headers }: Reply): boolean {
  return /^(HIT|STALE|UPDATING|REVALIDATED)$/.test(String(headers["x-cache"] ?? ""));
}

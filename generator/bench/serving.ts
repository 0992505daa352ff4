/** The addresses that readers and programs ask for most: from the site server, from nginx over the exported folder, and from nginx with the
 *  project's file in front of the site server. Each has the first core in turn. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServing } from "../testing/serving-process.ts";
import { installed } from "./debian.ts";
import { type Figure, formatNumber, median, type Skipped } from "./figure.ts";
import { runCommand } from "./library.ts";
import { load, LOAD_PACKAGES, ON_FIRST_CORE, type Rate } from "./load.ts";

const PROXY_FILE = fileURLToPath(new URL("../../sidecar/proxy/nginx.conf", import.meta.url));
const MIN_OF_NGINX = 0.25;
const MIN_BEHIND_NGINX = 0.9;
const ROUNDS = 3;
const ROUND_S = 2;
/** Milliseconds. */
const NGINX_START_LIMIT = 20_000;

/** By nginx's name where a plain file needs another. */
const TARGETS = [
  { name: "a record as JSON", path: "/api/cubs/CUB-0001", file: "/api/cubs/CUB-0001.json", conditional: false },
  { name: "the front page", path: "/", file: "/index.html", conditional: false },
  { name: "a 304", path: "/api/cubs/CUB-0001", file: "/api/cubs/CUB-0001.json", conditional: true },
] as const;

type Server = { readonly url: string; readonly child: ChildProcess };

/** benchServing measures what is asked for most.
 *  @param config of a library that is built
 *  @param folder a new one */
export async function benchServing(config: string, folder: string): Promise<readonly Figure[] | Skipped> {
  const missing = await installed([...LOAD_PACKAGES, "nginx-light"]);
  if (missing !== null) return { skipped: missing };
  await runCommand(["export", join(folder, "export"), "--config", config, "--json"]);
  const servers: Server[] = [];
  try {
    const site = await startServing(["--only", "site", "--config", config], ON_FIRST_CORE);
    servers.push(site);
    const plain = await startNginx(join(folder, "plain"), (port) =>
      Promise.resolve(`server { listen 127.0.0.1:${port}; root ${join(folder, "export")}; }`),
    );
    servers.push(plain);
    const proxy = await startNginx(join(folder, "proxy"), (port) => proxyConfig(join(folder, "proxy"), port, new URL(site.url).port));
    servers.push(proxy);
    const cache = await startNginx(join(folder, "cache"), (port) => Promise.resolve(cacheConfig(join(folder, "cache"), port, site.url)));
    servers.push(cache);
    const figures: Figure[] = [];
    for (const { name, path, file, conditional } of TARGETS) {
      const rates = { site: [] as Rate[], plain: [] as Rate[], proxy: [] as Rate[], cache: [] as Rate[] };
      for (let round = 0; round < ROUNDS; round++) {
        rates.site.push(await loadOne(site, path, conditional));
        rates.plain.push(await loadOne(plain, file, conditional));
        rates.proxy.push(await loadOne(proxy, path, conditional));
        rates.cache.push(await loadOne(cache, path, conditional));
      }
      const behind = compare(`${name}, behind nginx with the project's file, of nginx alone`, MIN_BEHIND_NGINX, rates.proxy, rates.plain);
      const { value } = compare("", 0, rates.cache, rates.plain);
      figures.push(compare(`${name}, of nginx`, MIN_OF_NGINX, rates.site, rates.plain), {
        ...behind,
        note: `${behind.note}; nginx's cache without the file's rules: ${value.toFixed(2)} ×`,
      });
    }
    return figures;
  } finally {
    for (const { child } of servers) child.kill("SIGTERM");
  }
}

function compare(figure: string, least: number, ours: readonly Rate[], theirs: readonly Rate[]): Figure {
  const show = (rates: readonly Rate[]): string =>
    `${formatNumber(median(rates.map((rate) => rate.per_core_second)))} (${formatNumber(median(rates.map((rate) => rate.per_second)))})`;
  return {
    figure,
    value: median(ours.map((rate, round) => rate.per_core_second / (theirs[round]?.per_core_second ?? Number.NaN))),
    unit: "×",
    target: { at: "least", value: least },
    note: `${show(ours)} against ${show(theirs)} requests per second of processor time (on a clock)`,
  };
}

async function loadOne({ url, child }: Server, path: string, conditional: boolean): Promise<Rate> {
  const { headers } = await get(url + path, {}, 200);
  const tag = headers.get("etag") ?? "";
  const more = conditional ? { "If-None-Match": tag } : {};
  await get(url + path, more, conditional ? 304 : 200);
  return load(url + path, {
    pid: child.pid ?? 0,
    seconds: ROUND_S,
    headers: Object.entries({ "Accept-Encoding": "identity", ...more }).map(([name, value]) => `${name}: ${value}`),
  });
}

async function get(url: string, headers: Readonly<Record<string, string>>, status: number): Promise<Response> {
  const response = await fetch(url, { headers: { "Accept-Encoding": "identity", ...headers } });
  await response.arrayBuffer();
  if (response.status !== status) throw new Error(`${url} answered ${response.status}, not ${status}.`);
  return response;
}

/** The project's file with other addresses; whoever asks for a page that is kept counts against no limit. */
async function proxyConfig(folder: string, port: number, sitePort: string): Promise<string> {
  return (await readFile(PROXY_FILE, "utf8"))
    .replaceAll("127.0.0.1:4321", `127.0.0.1:${sitePort}`)
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`)
    .replaceAll("/var/cache/proofshelf", join(folder, "cache"));
}

/** The least that nginx's cache can be told. */
function cacheConfig(folder: string, port: number, site: string): string {
  return `proxy_cache_path ${folder}/kept levels=1:2 keys_zone=kept:10m;
  server { listen 127.0.0.1:${port}; location / { proxy_pass ${site}; proxy_cache kept; proxy_ignore_headers Vary; } }`;
}

async function startNginx(folder: string, describe: (port: number) => Promise<string>): Promise<Server> {
  const port = await freePort();
  await mkdir(folder, { recursive: true });
  const conf = join(folder, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  await writeFile(
    conf,
    `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types; access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; open_file_cache max=1000;
  ${temporary}
  ${await describe(port)}
}
`,
  );
  const child = spawn(ON_FIRST_CORE[0], [...ON_FIRST_CORE.slice(1), "/usr/sbin/nginx", "-p", folder, "-c", conf], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  for (const end = performance.now() + NGINX_START_LIMIT; ; ) {
    if ((await fetch(url).catch(() => null)) !== null) return { url, child };
    if (child.exitCode !== null || performance.now() > end)
      throw new Error(`nginx did not start: ${await readFile(join(folder, "error.log"), "utf8").catch(() => "")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

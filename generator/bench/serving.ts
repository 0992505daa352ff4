/** Requests per second of the site server on one processor core, over loopback and kept connections, with nginx beside it
 *  serving the exported folder on the same core; and what the front page weighs on the wire.
 *
 *  The load comes from wrk on the last core. A machine with other work gives a server less than its core, so the rate is also
 *  given per second of processor time that the server really got: that is what it does when it has the core to itself. */
import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed } from "./debian.ts";
import type { Figure, Skipped } from "./figure.ts";
import { frontPageBytes } from "./front-page.ts";
import { CLI, startServing } from "../fixtures/serving-process.ts";
import { cpuOf, descendants, measure } from "./measure.ts";

const DEMO = fileURLToPath(new URL("../demo/", import.meta.url));
const MIN_REQUESTS_PER_SECOND = 30_000;
const MAX_FRONT_PAGE_KB = 60;
const LOAD_S = 5;
const CONNECTIONS = 32;
/** Milliseconds. */
const NGINX_START_LIMIT = 20_000;

/** What readers and programs ask for most; by nginx's name where a plain file needs another. */
const TARGETS = [
  { name: "a record as JSON", path: "/api/cubs/CUB-0001", file: "/api/cubs/CUB-0001.json" },
  { name: "registry metadata as JSON", path: "/api/cubs/meta", file: "/api/cubs/meta.json" },
  { name: "front page", path: "/", file: "/index.html" },
  { name: "claims page", path: "/claims/", file: "/claims/index.html" },
] as const;

type Rate = { readonly wall: number; readonly cpu: number };

/** @param folder a new one */
export async function benchServing(folder: string): Promise<readonly Figure[] | Skipped> {
  const missing = await installed(["wrk", "util-linux"]);
  if (missing !== null) return { skipped: missing };
  const noNginx = await installed(["nginx-light"]);
  const config = await copyDemo(folder);
  const run = (...args: string[]): Promise<unknown> =>
    measure([process.execPath, CLI, ...args, "--config", config, "--json"], { limit_s: 300 });
  await run("build");
  const site = await startSite(config);
  try {
    const kilobytes = (await frontPageBytes(`${site.url}/`)) / 1000;
    const front: Figure = {
      figure: "front page with everything it loads, compressed",
      value: kilobytes,
      unit: "kB",
      target: { at: "most", value: MAX_FRONT_PAGE_KB },
      beside: null,
    };
    let nginx: Server | null = null;
    if (noNginx === null) {
      await run("export", join(folder, "export"));
      nginx = await startNginx(folder);
    }
    try {
      return [...(await compare(site, nginx)), front];
    } finally {
      nginx?.process.kill("SIGTERM");
    }
  } finally {
    site.process.kill("SIGTERM");
  }
}

async function compare(site: Server, nginx: Server | null): Promise<Figure[]> {
  const figures: Figure[] = [];
  const add = (name: string, ours: Rate, theirs: Rate | null): void => {
    const target = { at: "least", value: MIN_REQUESTS_PER_SECOND } as const;
    figures.push(
      {
        figure: `${name}, per second of its processor time`,
        value: ours.cpu,
        unit: "requests/s",
        target,
        beside: theirs === null ? null : { name: "nginx", value: theirs.cpu },
      },
      {
        figure: `${name}, per second on a clock`,
        value: ours.wall,
        unit: "requests/s",
        target: null,
        beside: theirs === null ? null : { name: "nginx", value: theirs.wall },
      },
    );
  };
  for (const { name, path, file } of TARGETS) {
    add(name, await load(site, path), nginx === null ? null : await load(nginx, file));
  }
  const [{ path, file }] = TARGETS;
  add(
    "a 304",
    await load(site, path, await tagOf(site.url + path)),
    nginx === null ? null : await load(nginx, file, await tagOf(nginx.url + file)),
  );
  return figures;
}

async function tagOf(url: string): Promise<string> {
  const response = await fetch(url, { headers: { "Accept-Encoding": "identity" } });
  await response.arrayBuffer();
  return response.headers.get("etag") ?? "";
}

type Server = { readonly url: string; readonly process: ChildProcess };

async function load(server: Server, path: string, tag: string | null = null): Promise<Rate> {
  const headers = tag === null ? [] : ["-H", `If-None-Match: ${tag}`];
  const response = await fetch(server.url + path, {
    headers: { "Accept-Encoding": "identity", ...(tag === null ? {} : { "If-None-Match": tag }) },
  });
  await response.arrayBuffer();
  const wanted = tag === null ? 200 : 304;
  if (response.status !== wanted) throw new Error(`${server.url}${path} answered ${response.status}, not ${wanted}.`);
  const shoot = (seconds: number): ReturnType<typeof measure> =>
    measure(
      [
        "taskset",
        "-c",
        String(availableParallelism() - 1),
        "wrk",
        "-t1",
        `-c${CONNECTIONS}`,
        `-d${seconds}s`,
        ...headers,
        server.url + path,
      ],
      { limit_s: seconds + 30 },
    );
  await shoot(1);
  const before = cpuOfAll(server);
  const { stdout } = await shoot(LOAD_S);
  const cpu = cpuOfAll(server) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const wrong = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1];
  if (wrong !== undefined) throw new Error(`${server.url}${path}: ${wrong} wrong answers under load.`);
  return { wall: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0), cpu: requests / cpu };
}

function cpuOfAll({ process }: Server): number {
  return descendants(process.pid ?? 0).reduce((sum, pid) => sum + (cpuOf(pid) ?? 0), 0);
}

/** The demo library with a shelf of its own. */
async function copyDemo(folder: string): Promise<string> {
  await cp(DEMO, join(folder, "demo"), { recursive: true });
  const file = join(folder, "demo", "proofshelf.yaml");
  await writeFile(file, (await readFile(file, "utf8")).replace(/^shelf:.*$/m, "shelf: { kind: directory, root: ../shelf }"));
  return file;
}

async function startSite(config: string): Promise<Server> {
  const { url, child } = await startServing(["--only", "site", "--config", config], ["taskset", "-c", "0"]);
  return { url, process: child };
}

async function startNginx(folder: string): Promise<Server> {
  const port = await freePort();
  const dir = join(folder, "nginx");
  await mkdir(dir, { recursive: true });
  const conf = join(dir, "nginx.conf");
  await writeFile(
    conf,
    `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; worker_processes 1; pid ${dir}/pid; error_log ${dir}/error.log;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types; access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; open_file_cache max=1000;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${dir}/${name};`).join(" ")}
  server { listen 127.0.0.1:${port}; root ${join(dirname(dir), "export")}; }
}
`,
  );
  const child = spawn("taskset", ["-c", "0", "/usr/sbin/nginx", "-p", dir, "-c", conf], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  for (const end = performance.now() + NGINX_START_LIMIT; ; ) {
    if ((await fetch(url).catch(() => null)) !== null) return { url, process: child };
    if (child.exitCode !== null || performance.now() > end)
      throw new Error(`nginx did not start: ${await readFile(join(dir, "error.log"), "utf8").catch(() => "")}`);
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

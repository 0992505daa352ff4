/** Ceph's gateway on loopback, the real thing for tests: one monitor and one store in memory behind it.
 *
 *  Its processes die with the one that started them, however that ends, so none is left behind. Debian's packages are installed
 *  where that may be done. Everything has a time limit. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { BucketConfig } from "./bucket.ts";

const HOST = "127.0.0.1";
/** A tool of util-linux, which every Debian has. */
const SETPRIV = "setpriv";
const PACKAGES = ["radosgw", "ceph-mon", "ceph-osd"];
const PROGRAMS = ["radosgw", "radosgw-admin", "ceph-mon", "ceph-osd", "ceph", "ceph-authtool", "monmaptool", SETPRIV];
/** Milliseconds. 60 MB come over the network. */
const INSTALL_LIMIT_MS = 240_000;
const STEP_LIMIT_MS = 60_000;
/** Bytes of apt's words that are kept. */
const MAX_SAID = 64 * 1024 * 1024;

export type BucketUser = { readonly accessKeyId: string; readonly secretAccessKey: string };
export type CephServer = {
  readonly endpoint: string;
  /** May make buckets and owns them. */
  readonly owner: BucketUser;
  /** Has no right to anything of the owner's. */
  readonly other: BucketUser;
};
export type RunningCeph = { readonly server: CephServer; stop(): Promise<void> };

/** NoCeph says why it cannot run here, in words for whoever reads that tests were left out. */
export class NoCeph extends Error {}

/** startCeph starts Ceph's gateway.
 *  @param folder for all that it writes; empty, its path without spaces
 *  @throws NoCeph */
export async function startCeph(folder: string): Promise<RunningCeph> {
  if (/[\s,;#$]/.test(folder)) throw new NoCeph(`Ceph takes no folder like ${folder}`);
  await install();
  const ceph = new Daemons(folder);
  try {
    const server = await startAll(ceph, folder);
    return { server, stop: () => ceph.stop() };
  } catch (error) {
    await ceph.stop();
    throw error instanceof NoCeph ? error : new NoCeph(`Ceph did not start: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** useCredentials sets the credentials of this process and of those that it starts. */
export function useCredentials({ accessKeyId, secretAccessKey }: BucketUser): void {
  process.env["AWS_ACCESS_KEY_ID"] = accessKeyId;
  process.env["AWS_SECRET_ACCESS_KEY"] = secretAccessKey;
  // Nobody is to be asked beyond this machine.
  process.env["AWS_EC2_METADATA_DISABLED"] = "true";
}

/** makeBucket returns a new, empty bucket of the owner's. */
export async function makeBucket(server: CephServer, prefix = ""): Promise<BucketConfig> {
  const { CreateBucketCommand, S3Client } = await import("@aws-sdk/client-s3");
  const bucket = `test-${randomUUID()}`;
  const client = new S3Client({ endpoint: server.endpoint, region: "us-east-1", forcePathStyle: true, credentials: server.owner });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return { bucket, prefix, endpoint: server.endpoint, region: "us-east-1", forcePathStyle: true };
}

async function install(): Promise<void> {
  const path = (process.env["PATH"] ?? "").split(delimiter);
  const lacks = (): string[] => PROGRAMS.filter((name) => !path.some((folder) => existsSync(join(folder, name))));
  const missing = lacks();
  if (missing.length === 0) return;
  const command = `apt-get install --no-install-recommends ${PACKAGES.join(" ")}`;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get"))
    throw new NoCeph(`${missing[0]} is not installed; on Debian or Ubuntu run as root: ${command}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const args = ["install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", ...PACKAGES];
  const apt = (given: readonly string[]): Promise<boolean> =>
    promisify(execFile)("apt-get", given, { env, timeout: INSTALL_LIMIT_MS, maxBuffer: MAX_SAID }).then(
      () => true,
      () => false,
    );
  if (!(await apt(args)) && (await apt(["update"]))) await apt(args);
  if (lacks().length > 0) throw new NoCeph(`${missing[0]} could not be installed; try it by hand: ${command}`);
}

async function startAll(ceph: Daemons, folder: string): Promise<CephServer> {
  const at = (name: string): string => join(folder, name);
  for (const name of ["mon", "osd", "rgw", "run", "log", "crash"]) mkdirSync(at(name), { recursive: true });
  const [monitorPort, gatewayPort] = [await freePort(), await freePort()];
  const [fsid, osd] = [randomUUID(), randomUUID()];
  writeFileSync(at("ceph.conf"), configuration(folder, fsid, monitorPort, gatewayPort));

  await ceph.run("ceph-authtool", ["--create-keyring", at("keyring"), "--gen-key", "-n", "mon.", "--cap", "mon", "allow *"]);
  await ceph.run("monmaptool", ["--create", "--fsid", fsid, "--addv", "a", `[v2:${HOST}:${monitorPort}]`, at("monmap")]);
  const making = ceph.run("ceph-osd", ["-i", "0", "--mkfs", "--osd-uuid", osd]);
  making.catch(() => {});
  await ceph.run("ceph-mon", ["-i", "a", "--mkfs", "--monmap", at("monmap"), "--keyring", at("keyring")]);
  ceph.start("ceph-mon", ["-i", "a", "-f"]);
  await ceph.run("ceph", ["--connect-timeout", "50", "osd", "new", osd]);
  await making;
  ceph.start("ceph-osd", ["-i", "0", "-f"]);
  ceph.start("radosgw", ["-n", "client.rgw.a", "-f"]);
  const endpoint = `http://${HOST}:${gatewayPort}`;
  await answers(endpoint, ceph);
  const [owner, other] = await Promise.all([makeUser(ceph, "owner"), makeUser(ceph, "other")]);
  return { endpoint, owner, other };
}

async function makeUser(ceph: Daemons, name: string): Promise<BucketUser> {
  const user = { accessKeyId: `${name}-access-key`, secretAccessKey: randomUUID() };
  const keys = ["--access-key", user.accessKeyId, "--secret-key", user.secretAccessKey];
  await ceph.run("radosgw-admin", ["user", "create", "--uid", name, "--display-name", name, ...keys]);
  return user;
}

async function answers(endpoint: string, ceph: Daemons): Promise<void> {
  for (const end = Date.now() + STEP_LIMIT_MS; Date.now() < end; await sleep(100)) {
    ceph.mustLive();
    const response = await fetch(endpoint, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
    await response?.arrayBuffer().catch(() => null);
    if (response?.ok === true) return;
  }
  throw new NoCeph("Ceph's gateway did not answer in time");
}

/** Outside the range that the kernel takes for outgoing connections. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(21_000, 32_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, HOST, () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

class Daemons {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Map<ChildProcess, string>();

  constructor(folder: string) {
    this.#folder = folder;
    const { CEPH_ARGS: _, http_proxy: _http, HTTP_PROXY: _HTTP, all_proxy: _all, ALL_PROXY: _ALL, ...env } = process.env;
    this.#env = { ...env, CEPH_CONF: join(folder, "ceph.conf") };
  }

  start(program: string, args: readonly string[]): ChildProcess {
    const log = openSync(join(this.#folder, "log", `${program}.out`), "a");
    // The kernel ends it when this process ends.
    const child = spawn(SETPRIV, ["--pdeathsig", "KILL", "--", program, ...args], {
      env: this.#env,
      cwd: this.#folder,
      stdio: ["ignore", log, log],
    });
    this.#running.set(child, program);
    child.once("exit", () => this.#running.delete(child));
    child.once("error", () => this.#running.delete(child));
    // A test that is done must not wait for it.
    child.unref();
    return child;
  }

  /** A program that ends. */
  async run(program: string, args: readonly string[]): Promise<void> {
    const child = this.start(program, args);
    child.ref();
    const timer = setTimeout(() => child.kill("SIGKILL"), STEP_LIMIT_MS);
    const [code] = (await once(child, "exit")) as [number | null];
    clearTimeout(timer);
    if (code !== 0) throw new NoCeph(`${program} failed: ${this.#said(program)}`);
  }

  mustLive(): void {
    const living = new Set(this.#running.values());
    for (const name of ["ceph-mon", "ceph-osd", "radosgw"])
      if (!living.has(name)) throw new NoCeph(`${name} has ended: ${this.#said(name)}`);
  }

  async stop(): Promise<void> {
    await Promise.all(
      [...this.#running.keys()].map(async (child) => {
        const ended = once(child, "exit");
        child.ref();
        child.kill("SIGKILL");
        await ended;
      }),
    );
  }

  #said(program: string): string {
    const log = join(this.#folder, "log");
    const names = readdirSync(log).filter((name) => name.startsWith(program));
    return names.map((name) => readFileSync(join(log, name), "utf8").slice(-1000)).join("\n");
  }
}

function configuration(folder: string, fsid: string, monitorPort: number, gatewayPort: number): string {
  return `[global]
fsid = ${fsid}
mon_host = v2:${HOST}:${monitorPort}
public_addr = ${HOST}
cluster_addr = ${HOST}
ms_bind_ipv4 = true
ms_bind_ipv6 = false
ms_bind_msgr1 = false
ms_bind_port_min = 18000
ms_bind_port_max = 19999
# No keys between the daemons. The gateway alone wants an encrypted connection to the monitor, for which it would need one.
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_mon_client_mode = crc
auth_allow_insecure_global_id_reclaim = true
mon_warn_on_insecure_global_id_reclaim = false
mon_warn_on_insecure_global_id_reclaim_allowed = false
keyring = ${folder}/keyring
run_dir = ${folder}/run
crash_dir = ${folder}/crash
admin_socket =
log_file = ${folder}/log/$name.log
log_to_syslog = false
debug_asok = 0/0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
[mon]
mon_data = ${folder}/mon
mon_cluster_log_file = ${folder}/log/cluster.log
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
mon_max_pg_per_osd = 1000
mon_data_avail_crit = 0
mon_data_avail_warn = 0
# Rounds of agreement with oneself need no waiting, and each new pool takes several.
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
debug_mon = 0/0
debug_paxos = 0/0
debug_rocksdb = 0/0
[osd]
osd_data = ${folder}/osd
osd_objectstore = memstore
memstore_device_bytes = 8589934592
osd_memory_target = 939524096
osd_class_load_list = *
osd_class_default_list = *
debug_osd = 0/0
debug_rocksdb = 0/0
[client]
rgw_data = ${folder}/rgw
rgw_frontends = beast endpoint=${HOST}:${gatewayPort}
rgw_enable_apis = s3
rgw_thread_pool_size = 64
rgw_dynamic_resharding = false
rgw_run_sync_thread = false
rgw_enable_usage_log = false
# The room of large objects that were removed comes back after a minute.
rgw_gc_obj_min_wait = 60
rgw_gc_processor_period = 60
rgw_gc_processor_max_time = 60
debug_rgw = 0/0
`;
}

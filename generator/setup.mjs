/** Makes a fresh clone ready (packages, Node) and then runs a script under the Node that
 *  the packages bring. Plain JavaScript without packages, because it runs before there are any, under whatever Node is there.
 *  Does nothing that is done already.
 *
 *      node generator/setup.mjs [--all] [script arguments…]
 *
 *  Without --all, what only tests and makers of packages need is left out. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isTooOld, OLDEST } from "./files/node-version.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const everything = process.argv[2] === "--all";
const [script, ...scriptArguments] = process.argv.slice(everything ? 3 : 2);
/** Where whoever called npm stands: npm itself runs scripts in the folder of the package. */
const cwd = process.env.npm_package_json === join(root, "package.json") ? (process.env.INIT_CWD ?? process.cwd()) : process.cwd();
/** How often what takes long says that it goes on; milliseconds. */
const TELL_MS = 5000;
/** Room for young objects, in each thread of a build: four times as much saves no time and takes a fifth more memory. Megabytes. */
const NODE_OPTIONS = ["--max-semi-space-size=16"];

async function installPackages() {
  if (isInstalled()) return;
  const began = Date.now();
  const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`;
  process.stderr.write("Installing packages: once, half a minute to two …\n");
  const timer = setInterval(() => process.stderr.write(`  still installing packages, ${seconds()}\n`), TELL_MS);
  const kinds = everything ? [] : ["--omit=dev"];
  const child = spawn("npm", ["ci", ...kinds, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", process.stderr, process.stderr],
    shell: process.platform === "win32",
  });
  const status = await new Promise((resolve) => {
    child.on("error", () => resolve(1));
    child.on("exit", resolve);
  });
  clearInterval(timer);
  if (status !== 0) fail("`npm ci` failed; its output stands above. It needs the network once.");
  process.stderr.write(`Packages are there after ${seconds()}.\n`);
}

/** isInstalled tells whether node_modules holds what the lock file names. npm writes down what it has installed when it is done, whoever called
 *  it. Optional packages, and those for tests only, may have been left out. */
function isInstalled() {
  const { packages: wanted } =
    readLock("package-lock.json") ?? fail("package-lock.json is missing or no JSON; get it from the repository.");
  const found = readLock("node_modules/.package-lock.json")?.packages;
  if (found === undefined) return false;
  return Object.entries(wanted).every(([place, { version, integrity, optional, dev, devOptional }]) => {
    const entry = found[place];
    if (place === "") return true;
    if (entry === undefined) return optional === true || devOptional === true || (dev === true && !everything);
    return entry.version === version && entry.integrity === integrity;
  });
}

function readLock(name) {
  try {
    return JSON.parse(readFileSync(join(root, name), "utf8"));
  } catch {
    return null;
  }
}

/** The Node of the packages, or the one that runs this where there is no build of it. A shell that ran `node` once goes on
 *  running that one, so the script is started from here. */
function findNode() {
  const local = join(root, "node_modules", ".bin", "node");
  if (existsSync(local)) return local;
  if (isTooOld()) {
    fail(`proofshelf needs Node ${OLDEST.join(".")} or newer here; this is ${process.versions.node}. Install a newer Node and try again.`);
  }
  return process.execPath;
}

/** With the compile cache the types are stripped once, and not at every start. glibc gives nearly every thread an arena of its own that
 *  it seldom hands back, and the search engine has many threads. */
function runScript(node) {
  const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(process.platform === "win32" ? ";" : ":");
  const child = spawn(node, [...NODE_OPTIONS, join(root, script), ...scriptArguments], {
    stdio: "inherit",
    cwd,
    env: { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compile"), MALLOC_ARENA_MAX: "2", ...process.env, PATH: path },
  });
  // A terminal sends Ctrl-C to the whole group; who sends a signal to this process alone means the script.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
  child.on("error", (error) => fail(`Node could not be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

await installPackages();
const node = findNode();
if (script !== undefined) runScript(node);

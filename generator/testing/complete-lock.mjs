/** Adds to package-lock.json what `npm install` leaves out when its registry lacks a platform's build: for each exact
 *  version among some package's optional dependencies that has no entry, one that says which platform it is for. Without
 *  them `npm ci` stops with EUSAGE. Run it after every `npm install`; it changes nothing when nothing is missing.
 *  It also frees packages of WebAssembly from a processor that there is not. */
import { readFileSync, writeFileSync } from "node:fs";

const OS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const CPU = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
const LIBC = { gnu: "glibc", glibc: "glibc", musl: "musl", gnueabihf: "glibc", musleabihf: "musl" };

/** findMissing returns entries to add, by their place in the lock. */
export function findMissing(lock) {
  const missing = {};
  for (const [place, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!/^[0-9]+\.[0-9]+\.[0-9]+/.test(version) || isPresent(lock, place, name)) continue;
      missing[`node_modules/${name}`] = stub(name, version);
    }
  }
  return missing;
}

/** freeWebAssembly frees packages of WebAssembly. They say that they are for a processor named so, which nobody has: they are meant to be
 *  installed only
 *  by force. One that our manifest asks for runs on every processor, and without that member `npm ci` installs it.
 *  @returns the places of the entries that it changed */
export function freeWebAssembly(lock) {
  const wanted = Object.keys(lock.packages[""]?.dependencies ?? {}).map((name) => `node_modules/${name}`);
  const bound = wanted.filter((place) => lock.packages[place]?.cpu?.join() === "wasm32");
  for (const place of bound) delete lock.packages[place].cpu;
  return bound;
}

/** Looks where Node would: beside the package that wants it, then in each folder above. */
function isPresent(lock, place, name) {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    if (lock.packages[`${at === "" ? "" : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (at === "") return false;
    if (!at.includes("/node_modules/")) at = "";
  }
}

function stub(name, version) {
  const words = name.split(/[^a-z0-9]+/);
  const os = OS.filter((item) => words.includes(item));
  const cpu = CPU.filter((item) => words.includes(item));
  const libc = Object.keys(LIBC)
    .filter((item) => words.includes(item))
    .map((item) => LIBC[item]);
  return { version, ...(cpu.length > 0 && { cpu }), ...(libc.length > 0 && { libc }), optional: true, ...(os.length > 0 && { os }) };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const file = new URL("../../package-lock.json", import.meta.url);
  const lock = JSON.parse(readFileSync(file, "utf8"));
  const missing = findMissing(lock);
  const freed = freeWebAssembly(lock);
  const names = Object.keys(missing);
  if (names.length + freed.length > 0) {
    Object.assign(lock.packages, missing);
    lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  }
  process.stdout.write(`${names.length} entries added, ${freed.length} freed\n`);
}

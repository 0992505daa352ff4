/** A folder as object store: every regular file under it is an object, its relative path the key. */
import { randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { isUtf8 } from "node:buffer";
import { dirname, join, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ShelfError } from "#snapshots/errors";
import { findKeyProblem } from "#snapshots/format";
import { showBytes } from "#snapshots/terminal";
import { isShortage } from "#generator/files";
import { listIgnored } from "./git-checkout.ts";
import type { ObjectStore, ReadObject, StoredObject } from "./object-store.ts";

const MAX_OBJECT_BYTES = 1024 ** 3; // an object is read whole, and one huge file must not end the build
const READ_ATTEMPTS = 5; // a file that is being written gets this many chances
const RETRY_MS = 20; // pause before the next one, doubled each time
const RACY_MS = 30; // file times tick as rarely as every 10 ms: a change within the same tick leaves them as they are

export function openDirectoryStore(root: string): ObjectStore {
  let ignored: Promise<ReadonlySet<string>> | null = null;
  const look = (): Promise<ReadonlySet<string>> => findIgnored(root, walk(root).checkouts);
  return {
    list: () => list(root),
    find: async (key) => {
      const found = find(root, key);
      return found && marked(found, await (ignored ??= look()));
    },
    read: (key) => read(root, key),
  };
}

/** findIgnored lists what git ignores, in the checkout that holds the store and in those that lie in it. */
async function findIgnored(root: string, checkouts: readonly string[]): Promise<ReadonlySet<string>> {
  const ignored = new Set<string>();
  for (const folder of ["", ...checkouts])
    for (const path of await listIgnored(pathOf(root, Buffer.from(folder)).toString())) ignored.add(folder + path);
  return ignored;
}

/** marked says of an object in which file or folder that is ignored it lies. */
function marked(object: StoredObject, ignored: ReadonlySet<string>): StoredObject {
  const names = object.key.split("/");
  const found = names.map((_, at) => names.slice(0, at + 1).join("/")).find((path) => ignored.has(path));
  return found === undefined ? object : { ...object, ignored: found };
}

/** Codes of errors for names that lead to nothing. */
const NOTHING_THERE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"]);

/** find gives what a listing would give for a key: nothing below a link to a folder, which is not followed. */
function find(root: string, key: string): StoredObject | null {
  const realRoot = findRealRoot(root);
  if (findKeyProblem(key) !== null) return null;
  const name = Buffer.from(key);
  try {
    if (realpathSync.native(dirname(`${realRoot}/${key}`)) !== dirname(join(realRoot, key))) return null;
    const stats = lstatSync(pathOf(root, name));
    return stats.isDirectory() ? null : examine(root, realRoot, name, key, stats.isSymbolicLink());
  } catch (error) {
    if (isShortage(error)) throw error;
    return NOTHING_THERE.has((error as NodeJS.ErrnoException).code ?? "") ? null : rejected(key, explain(error));
  }
}

/** An entry of the tree that is no folder, by its path under the root; or a folder that cannot be read. */
type Entry = { readonly name: Buffer; readonly link: boolean; readonly problem: string | null };

async function* list(root: string): AsyncGenerator<StoredObject> {
  const realRoot = findRealRoot(root);
  const { entries: found, checkouts } = walk(root);
  const ignored = await findIgnored(root, checkouts);
  for (const { name, link, problem } of found) {
    const key = showBytes(name);
    yield marked(problem === null ? examine(root, realRoot, name, key, link) : rejected(key, problem), ignored);
  }
}

/** walk lists the whole tree, and which folders of it are checkouts. A folder that cannot be read is an entry: what lies in it may not go missing
 *  without a word. */
function walk(root: string): { readonly entries: Entry[]; readonly checkouts: string[] } {
  const entries: Entry[] = [];
  const checkouts: string[] = [];
  const folders = [Buffer.alloc(0)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      for (const entry of readdirSync(pathOf(root, folder), { withFileTypes: true, encoding: "buffer" })) {
        const name = Buffer.concat([folder, entry.name]);
        if (entry.name.toString() === ".git" && folder.length > 0) checkouts.push(folder.toString());
        if (entry.isDirectory()) folders.push(Buffer.concat([name, Buffer.from("/")]));
        else entries.push({ name, link: entry.isSymbolicLink(), problem: null });
      }
    } catch (error) {
      if (isShortage(error)) throw error;
      if (folder.length === 0) throw unreadableRoot(error as NodeJS.ErrnoException);
      const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
      entries.push({ name: folder, link: false, problem: `the folder cannot be read (${code})` });
    }
  }
  return { entries, checkouts };
}

function pathOf(root: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), name]);
}

function findRealRoot(root: string): string {
  try {
    const path = realpathSync.native(root);
    if (statSync(path).isDirectory()) return path;
  } catch (cause) {
    throw unreadableRoot(cause as NodeJS.ErrnoException);
  }
  throw new ShelfError("bad_source", "The object store is not a folder.");
}

function unreadableRoot(cause: NodeJS.ErrnoException): ShelfError {
  const why = cause.code === "ENOENT" ? "does not exist" : `cannot be read (${cause.code ?? "unknown error"})`;
  return new ShelfError("bad_source", `The object store ${why}.`, { cause });
}

function examine(root: string, realRoot: string, name: Buffer, key: string, link: boolean): StoredObject {
  const path = pathOf(root, name);
  try {
    if (!isUtf8(name)) return rejected(key, "the name is not valid UTF-8");
    if (link) {
      const problem = findLinkProblem(realRoot, path);
      if (problem !== null) return rejected(key, problem);
    }
    const stats = link ? statSync(path, { bigint: true }) : lstatSync(path, { bigint: true });
    if (stats.isFile()) accessSync(path, constants.R_OK);
    const problem = findKeyProblem(key) ?? findTypeProblem(stats);
    if (problem !== null) return rejected(key, problem);
    // A file changed just now may change again within the tick; such a version is never seen twice, so it is read again.
    const version = isRacy(stats) ? `${versionOf(stats)}~${randomUUID()}` : versionOf(stats);
    return { key, size: Number(stats.size), version, uploaded: timeOf(stats), problem: null };
  } catch (error) {
    if (isShortage(error)) throw error;
    return rejected(key, explain(error));
  }
}

function findLinkProblem(realRoot: string, path: Buffer): string | null {
  let target: string;
  try {
    target = realpathSync.native(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ELOOP") return "the link leads in a circle";
    if (code === "ENOENT" || code === "ENOTDIR") return "the link leads nowhere";
    throw error;
  }
  if (!isInside(realRoot, target)) return "the link leads out of the store";
  if (statSync(target).isDirectory()) return "the link leads to a folder; only links to files are followed";
  return null;
}

function findTypeProblem(stats: BigIntStats): string | null {
  if (stats.isFile()) return stats.size > BigInt(MAX_OBJECT_BYTES) ? "is larger than 1 GiB, the most that an object may have" : null;
  if (stats.isFIFO()) return "is a pipe, not a file";
  if (stats.isSocket()) return "is a socket, not a file";
  if (stats.isBlockDevice() || stats.isCharacterDevice()) return "is a device, not a file";
  return "is not a regular file";
}

async function read(root: string, key: string): Promise<ReadObject> {
  const problem = findKeyProblem(key);
  if (problem !== null) throw new ShelfError("bad_source", `The object cannot be read: ${problem}.`);
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(RETRY_MS * 2 ** (attempt - 1));
    const result = readOnce(root, `${root}/${key}`);
    if (result !== null) return result;
  }
  throw new ShelfError("bad_source", "The object kept changing while it was read.");
}

/** null when the file changed meanwhile, or so recently that a change could not be seen. */
function readOnce(root: string, path: string): ReadObject | null {
  const file = openFile(path);
  try {
    const before = fstatSync(file, { bigint: true });
    const problem = findTypeProblem(before);
    if (problem !== null) throw new ShelfError("bad_source", `The object ${problem}.`);
    // The opened file must be the one that lies inside the root: a folder on the way may have become a link since the listing.
    const found = findTarget(path);
    if (!isInside(realpathSync.native(root), found.path)) throw new ShelfError("bad_source", "The object's path leads out of the store.");
    if (found.ino !== before.ino || found.dev !== before.dev || isRacy(before)) return null;
    const bytes = readFileSync(file);
    const after = fstatSync(file, { bigint: true });
    const version = versionOf(before);
    if (version !== versionOf(after) || BigInt(bytes.length) !== after.size) return null;
    return { bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), version };
  } catch (cause) {
    if (cause instanceof ShelfError || isShortage(cause)) throw cause;
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new ShelfError("bad_source", `The object cannot be read: ${explain(cause)}.`, { cause });
  } finally {
    closeSync(file);
  }
}

function openFile(path: string): number {
  try {
    // O_NONBLOCK: a pipe put in place of the file since the listing must not hang the build.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    if (isShortage(cause)) throw cause;
    throw new ShelfError("bad_source", `The object cannot be read: ${explain(cause)}.`, { cause });
  }
}

/** Where the file that a path leads to really lies, and which one that is now. */
function findTarget(path: string): { readonly path: string; readonly ino: bigint; readonly dev: bigint } {
  const real = realpathSync.native(path);
  const { ino, dev } = lstatSync(real, { bigint: true });
  return { path: real, ino, dev };
}

/** ctime is in it because a writer can set mtime back, but not ctime. */
function versionOf(stats: BigIntStats): string {
  return [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].map((value) => value.toString(36)).join("-");
}

function isRacy(stats: BigIntStats): boolean {
  const age = Date.now() - Number(stats.ctimeNs / 1_000_000n);
  return age >= 0 && age < RACY_MS; // a time in the future is another machine's clock and tells nothing
}

/** Modification time in milliseconds; null outside the years 0000 to 9999, which RFC 3339 cannot write. */
function timeOf(stats: BigIntStats): string | null {
  const milliseconds = Number(stats.mtimeNs / 1_000_000n);
  const time = new Date(milliseconds);
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() < 0 || time.getUTCFullYear() > 9999) return null;
  return time.toISOString();
}

function rejected(key: string, problem: string): StoredObject {
  return { key, size: 0, version: "", uploaded: null, problem };
}

function explain(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "it is gone";
  if (code === "EACCES" || code === "EPERM") return "reading it is not permitted";
  if (code === "ENXIO") return "it is not a regular file";
  if (code === "ENAMETOOLONG") return "its path is too long for this machine";
  return `reading it failed (${code ?? "unknown error"})`;
}

function isInside(realRoot: string, target: string): boolean {
  return target.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
}

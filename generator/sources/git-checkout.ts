/** A folder that is part of a git checkout: which commit its files come from. Only what is committed, byte for byte, counts.
 *
 *  Whoever can write into the folder may have put a repository there, so git is asked for nothing that runs a program which the
 *  repository names: no filters, no file system monitor, no fetching of what is missing, no signatures. */
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ShelfError } from "#snapshots/errors";

type Commit = {
  readonly id: string;
  /** RFC 3339 UTC. */
  readonly time: string;
};

export type Checkout = {
  /** Where it was cloned from, without credentials; null when that is no address. */
  readonly repo: string | null;
  /** Path of the folder in the repository, empty or ending in "/". */
  readonly prefix: string;
  /** The last commit that changed the file at this path under the folder; null when these bytes are not the committed ones. */
  find(path: string, bytes: Uint8Array): Promise<Commit | null>;
};

const run = promisify(execFile);
/** The names of all files of one commit. */
const MAX_LISTING = 1024 * 1024 * 1024;
/** SAFE_GIT are options that stand before each command of git: it runs no program that the repository names, and fetches nothing. */
export const SAFE_GIT = [
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false", "protocol.allow=never"].flatMap((set) => ["-c", set]),
  "--no-pager",
  "--no-replace-objects",
  "--literal-pathspecs",
];
const ENVIRONMENT = { GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };

/** openCheckout opens the checkout that a folder lies in.
 *  @returns null when the folder is in no checkout, when git is not there or refuses it, and when its history is cut off, so that nobody can tell
 *  which commit a file comes from */
export async function openCheckout(root: string): Promise<Checkout | null> {
  // Mostly there is none, and to start a program costs a small build more than all that it has to do for this.
  if (!isInWorkTree(root)) return null;
  const env = safeGitEnvironment();
  const git = async (...args: string[]): Promise<string> =>
    (await run("git", ["-C", root, ...SAFE_GIT, ...args], { env, maxBuffer: MAX_LISTING })).stdout;
  let facts: readonly string[];
  let files: Map<string, string>;
  try {
    facts = (await git("rev-parse", "--is-shallow-repository", "--show-object-format", "--show-prefix")).split("\n");
    if (facts[0] !== "false") return null;
    files = parseTree(await git("ls-tree", "-r", "-z", "HEAD"));
  } catch {
    return null;
  }
  if (files.size === 0) return null;
  const repo = await git("config", "--get", "remote.origin.url").catch(() => "");
  let history: Promise<ReadonlyMap<string, Commit>> | undefined;
  return {
    repo: addressOf(repo.trim()),
    prefix: facts[2] ?? "",
    async find(path, bytes) {
      const blob = files.get(path);
      if (blob === undefined || blob !== blobId(facts[1] ?? "sha1", bytes)) return null;
      history ??= readHistory(root, env, files);
      return (await history).get(path) ?? null;
    },
  };
}

/** listIgnored lists what git ignores in a folder of a checkout: files, and folders whole. It asks although the checkout is somebody else's, since
 *  nothing that the repository names is run. A folder that is ignored itself hides nothing: who names it means it.
 *  @returns paths under the folder; none where it lies in no checkout
 *  @throws ShelfError "bad_source" when it lies in one and git cannot say */
export async function listIgnored(folder: string): Promise<readonly string[]> {
  if (!isInWorkTree(folder)) return [];
  // check-ignore takes no literal paths, and is given none but ".".
  const safe = [...SAFE_GIT.filter((option) => option !== "--literal-pathspecs"), "-c", "safe.directory=*"];
  const options = { env: safeGitEnvironment(), maxBuffer: MAX_LISTING };
  const git = async (...args: string[]): Promise<string> => (await run("git", ["-C", folder, ...safe, ...args], options)).stdout;
  try {
    const isIgnored = await git("check-ignore", "-q", ".").then(
      () => true,
      (error: { code?: unknown }) => {
        if (error.code !== 1) throw error;
        return false;
      },
    );
    if (isIgnored) return [];
    const listed = await git("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory");
    return listed.split("\0").flatMap((path) => (path === "" ? [] : [path.replace(/\/$/, "")]));
  } catch (cause) {
    const { code, stderr = "" } = cause as { code?: unknown; stderr?: string };
    if (/not a git repository|invalid gitfile format/.test(stderr)) return [];
    const why = code === "ENOENT" ? "git is not installed" : (stderr.split("\n")[0] ?? "");
    throw new ShelfError(
      "bad_source",
      `${folder.replace(/(?<=.)\/$/, "")} is a git checkout, and git cannot say what it ignores: ${why}.`,
      {
        cause,
        fixes: ["What git ignores is never published unasked: install git, or mend the repository.", "Or take the folder .git away."],
      },
    );
  }
}

/** safeGitEnvironment returns the environment of git. It leaves out the names by which a hook that starts a build tells of its own repository,
 *  which is another. */
export function safeGitEnvironment(): NodeJS.ProcessEnv {
  const { GIT_DIR: _, GIT_WORK_TREE: __, GIT_INDEX_FILE: ___, ...own } = process.env;
  return { ...own, ...ENVIRONMENT };
}

/** isInWorkTree tells whether git would find a repository from this folder upwards. */
function isInWorkTree(root: string): boolean {
  for (let folder = realPath(root); folder !== null; folder = folder === dirname(folder) ? null : dirname(folder))
    if (existsSync(join(folder, ".git"))) return true;
  return false;
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** Path → id of the blob; no links, no submodules. */
function parseTree(listing: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const line of listing.split("\0")) {
    const [, id, path] = /^100[0-7]{3} blob ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
    if (id !== undefined && path !== undefined) files.set(path, id);
  }
  return files;
}

function blobId(format: string, bytes: Uint8Array): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** The newest commit of each file, read from the newest on until all are found. */
async function readHistory(root: string, env: NodeJS.ProcessEnv, files: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, Commit>> {
  const args = [
    "log",
    "-c",
    "--name-only",
    "-z",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--relative",
    "--format=%x01%H %ct",
    "HEAD",
    "--",
    ".",
  ];
  const child = spawn("git", ["-C", root, ...SAFE_GIT, ...args], { env, stdio: ["ignore", "pipe", "ignore"] });
  const found = new Map<string, Commit>();
  let commit: Commit | null = null;
  let first = false;
  let rest = "";
  child.stdout.setEncoding("utf8");
  for await (const chunk of child.stdout) {
    const parts = (rest + String(chunk)).split("\0");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const [, id, seconds] = /^\u0001([0-9a-f]{40,64}) (\d{1,11})$/.exec(part) ?? [];
      if (id !== undefined) {
        commit = { id, time: new Date(Number(seconds) * 1000).toISOString() };
        first = true;
        continue;
      }
      // A line end stands between a commit and its first name.
      const path = first && part.startsWith("\n") ? part.slice(1) : part;
      first = false;
      if (commit !== null && files.has(path) && !found.has(path)) found.set(path, commit);
    }
    if (found.size === files.size) break;
  }
  child.kill();
  return found;
}

function addressOf(remote: string): string | null {
  // git@host:owner/name.git
  const [, host, path] = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+\.[A-Za-z]+):(?!\/)([^\s]+)$/.exec(remote) ?? [];
  const url = URL.parse(host === undefined ? remote : `https://${host}/${path}`);
  if (url === null || !/^(https?|ssh|git):$/.test(url.protocol) || url.hostname === "") return null;
  return `https://${url.host}${url.pathname.replace(/\.git$/, "").replace(/\/+$/, "")}`;
}

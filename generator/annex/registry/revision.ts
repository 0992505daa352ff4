/** The files of one revision, out of git or out of a folder. Whoever wrote them is not trusted: git runs no program that the repository
 *  names and fetches nothing, links are not followed, and what is no plain text file of ours is told. */
import { execFile, spawn, spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ShelfError } from "#snapshots/errors";
import { compareNames } from "#snapshots/format";
import { SAFE_GIT, safeGitEnvironment } from "#generator/sources";

export type Revision = {
  /** The whole commit id, where it is of git. */
  readonly head: string;
  /** RFC 3339; null for a folder. */
  readonly time: string | null;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Files that were left out, each with its path and why. */
  readonly problems: readonly string[];
};

const MAX_FILE = 8 * 1024 * 1024; // bytes of one source file
const MAX_FILES = 512 * 1024 * 1024; // bytes of all files of a revision that are read
const MAX_LISTING = 256 * 1024 * 1024;
const LFS = Buffer.from("version https://git-lfs.github.com/spec/");
const run = promisify(execFile);

/** readRevision reads the files of a revision of a repository, or of a folder.
 *  @param wanted which paths are read
 *  @throws ShelfError "bad_source" when the repository or the revision is not there */
export async function readRevision(
  place: { readonly git?: string | undefined; readonly folder?: string | undefined; readonly rev: string },
  wanted: (path: string) => boolean,
  maxFile = MAX_FILE,
): Promise<Revision> {
  const read = place.git === undefined ? readFolder(place.folder ?? "", place.rev, wanted) : await readGit(place.git, place.rev, wanted);
  const files = new Map<string, Uint8Array>();
  const problems = [...read.problems];
  for (const [path, bytes] of [...read.files].sort(([a], [b]) => compareNames(a, b))) {
    const why = findFault(path, bytes, maxFile);
    if (why === null) files.set(path, bytes);
    else problems.push(`${say(path)} ${why}`);
  }
  return { ...read, files, problems };
}

/** hasRevision tells whether a repository has a commit; a folder does not tell, and is taken to. */
export function hasRevision(git: string | undefined, rev: string): boolean {
  if (git === undefined) return true;
  const args = ["-C", git, "-c", "safe.directory=*", ...SAFE_GIT, "cat-file", "-e", `${rev}^{commit}`];
  return /^[0-9a-f]{40,64}$/.test(rev) && spawnSync("git", args, { env: safeGitEnvironment(), stdio: "ignore" }).status === 0;
}

/** A path of strangers, for messages. */
function say(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}

function findFault(path: string, bytes: Uint8Array, maxFile: number): string | null {
  if (
    /[\p{Cc}\p{Bidi_Control}]/u.test(path) ||
    path.split("/").some((part) => part === "" || part === "." || part === ".." || part.startsWith("-"))
  )
    return "has a name that nothing here is called by";
  if (bytes.length > maxFile) return `has more than ${maxFile} bytes`;
  if (Buffer.from(bytes.subarray(0, LFS.length)).equals(LFS)) return "is a pointer of Git LFS; its content is not in the repository";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "is not UTF-8";
  }
  return null;
}

async function readGit(dir: string, rev: string, wanted: (path: string) => boolean): Promise<Revision> {
  const env = safeGitEnvironment();
  const base = ["-C", dir, "-c", "safe.directory=*", ...SAFE_GIT];
  const git = async (...args: string[]): Promise<string> => (await run("git", [...base, ...args], { env, maxBuffer: MAX_LISTING })).stdout;
  await git("rev-parse", "--git-dir").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") throw new ShelfError("bad_source", "git is not installed here.", { cause });
    const fixes = ["Name the folder of a clone; of a folder of files one is made by: git init && git add . && git commit -m first"];
    throw new ShelfError("bad_source", `${dir} ${existsSync(dir) ? "is no git repository" : "does not exist"}.`, { cause, fixes });
  });
  const head = (
    await git("rev-parse", "--verify", "--quiet", "--end-of-options", `${rev}^{commit}`).catch(async (cause: unknown) => {
      const shallow = (await git("rev-parse", "--is-shallow-repository")).startsWith("true");
      throw new ShelfError(
        "bad_source",
        `${dir} has no revision ${say(rev)}${shallow ? "; its history is cut off, so fetch more of it" : ""}.`,
        { cause },
      );
    })
  ).trim();
  const seconds = Number((await git("show", "-s", "--format=%ct", head)).trim());
  const problems: string[] = [];
  const blobs: { path: string; id: string }[] = [];
  for (const entry of (await git("ls-tree", "-r", "-z", "--full-tree", head)).split("\0")) {
    const [, mode = "", id = "", path = ""] = /^(\d{6}) \w+ ([0-9a-f]+)\t([^]*)$/.exec(entry) ?? [];
    if (mode === "160000") problems.push(`${say(path)} is a submodule; it is not fetched`);
    else if (mode === "120000" && wanted(path)) problems.push(`${say(path)} is a symbolic link; it is not followed`);
    else if (mode.startsWith("100") && wanted(path)) blobs.push({ path, id });
  }
  const bytes = await readBlobs(
    [...base, "cat-file", "--batch"],
    env,
    blobs.map(({ id }) => id),
  );
  const files = new Map<string, Uint8Array>();
  for (const { path, id } of blobs) {
    const blob = bytes.get(id);
    if (blob === undefined) problems.push(`${say(path)} is not in the repository (${id.slice(0, 12)})`);
    else files.set(path, blob);
  }
  return { head, time: new Date(seconds * 1000).toISOString().replace(".000", ""), files, problems };
}

/** Each blob by its id; what git lacks is left out. */
async function readBlobs(args: readonly string[], env: NodeJS.ProcessEnv, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
  const child = spawn("git", args, { env, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.on("error", () => undefined);
  child.stdin.end([...new Set(ids)].map((id) => `${id}\n`).join(""));
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of child.stdout) {
    size += (chunk as Buffer).length;
    if (size > MAX_FILES) {
      child.kill("SIGKILL");
      throw new ShelfError("bad_source", `The revision has more than ${MAX_FILES} bytes of sources; leave some out with exclude or root.`);
    }
    chunks.push(chunk as Buffer);
  }
  const all = Buffer.concat(chunks);
  const found = new Map<string, Uint8Array>();
  for (let at = 0; at < all.length; ) {
    const line = all.indexOf(10, at);
    if (line < 0) break;
    const [id = "", kind, length] = all.toString("latin1", at, line).split(" ");
    at = line + 1;
    if (kind !== "blob") continue;
    found.set(id, all.subarray(at, at + Number(length)));
    at += Number(length) + 1;
  }
  return found;
}

function readFolder(root: string, head: string, wanted: (path: string) => boolean): Revision {
  const files = new Map<string, Uint8Array>();
  const problems: string[] = [];
  let size = 0;
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (!wanted(path)) continue;
      else if (!entry.isFile()) problems.push(`${say(path)} is no regular file; it is not followed`);
      else if ((size += lstatSync(join(root, path)).size) > MAX_FILES)
        throw new ShelfError("bad_source", `${root} has more than ${MAX_FILES} bytes of sources; leave some out with exclude or root.`);
      else files.set(path, readFileSync(join(root, path)));
    }
  };
  try {
    walk("");
  } catch (cause) {
    if (cause instanceof ShelfError) throw cause;
    throw new ShelfError("bad_source", `${root} cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown error"}).`, { cause });
  }
  return { head, time: null, files, problems };
}

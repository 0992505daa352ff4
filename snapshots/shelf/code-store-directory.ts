/** A folder as exact-revision store.
 *
 *  Nothing in it is followed: a link anywhere on the way makes the file absent. Bytes are read once, and the digest is of
 *  the bytes that were read, so what is compared and what is sent cannot differ. */
import { constants, lstat, open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { CODE_HEAD_PATTERN, CODE_REPO_PATTERN, type CodeRef, findCodePathProblem, parseCodeRef } from "#snapshots/format";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { type OpenFile, toOpenFile } from "./checked-read.ts";
import { type CodeStore, type ListedCode, MAX_CODE_BYTES } from "./code-store.ts";

export function openDirectoryCodeStore(root: string): CodeStore {
  const openSmall = async (ref: CodeRef): Promise<OpenFile | null> => {
    const file = await openFile(root, ref);
    if (file === null || file.size <= MAX_CODE_BYTES) return file;
    await file.close();
    throw new ShelfError("code_store_unavailable", `The file is larger than ${MAX_CODE_BYTES} bytes.`);
  };
  return {
    async stat(ref) {
      const file = await openFile(root, ref);
      await file?.close();
      return file === null ? null : { size: file.size };
    },
    open: openSmall,
    async read(ref) {
      const file = await openSmall(ref);
      if (file === null) return null;
      try {
        const bytes = await file.read(0, file.size);
        return { bytes, sha256: sha256(bytes) };
      } catch (cause) {
        return unavailable(cause);
      } finally {
        await file.close();
      }
    },
    list: () => list(root),
  };
}

async function openFile(root: string, ref: CodeRef): Promise<OpenFile | null> {
  parseCodeRef(ref.repo, ref.head, ref.path); // a caller that forgot must not leave the root
  const realRoot = await realpath(root).catch(unavailable);
  const path = join(realRoot, ref.repo, ref.head, ref.path);
  try {
    // realpath of a path without links is that path; this refuses links in the middle, O_NOFOLLOW one at the end.
    if ((await realpath(path)) !== path) return null;
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const opened = await handle.stat({ bigint: true });
      // A folder on the way may have become a link between the two calls: what was opened must still be what stands there.
      const standing = await lstat(path, { bigint: true });
      if (opened.isFile() && (await realpath(path)) === path && standing.ino === opened.ino && standing.dev === opened.dev)
        return await toOpenFile(handle);
    } catch (cause) {
      await handle.close();
      throw cause;
    }
    await handle.close();
    return null;
  } catch (cause) {
    if (isAbsent(cause)) return null;
    return unavailable(cause);
  }
}

function isAbsent(cause: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO", "EISDIR"].includes((cause as NodeJS.ErrnoException).code ?? "");
}

function unavailable(cause: unknown): never {
  throw new ShelfError("code_store_unavailable", "The exact-revision store cannot be read.", { cause });
}

async function* list(root: string): AsyncGenerator<ListedCode> {
  const realRoot = await realpath(root).catch(unavailable);
  for (const repo of await readdir(realRoot, { withFileTypes: true }).catch(unavailable)) {
    if (!repo.isDirectory() || !CODE_REPO_PATTERN.test(repo.name)) continue;
    for (const head of await readdir(join(realRoot, repo.name), { withFileTypes: true }).catch(unavailable)) {
      if (!head.isDirectory() || !CODE_HEAD_PATTERN.test(head.name)) continue;
      yield* listBelow(join(realRoot, repo.name, head.name), { repo: repo.name, head: head.name }, "");
    }
  }
}

async function* listBelow(folder: string, ref: Omit<CodeRef, "path">, prefix: string): AsyncGenerator<ListedCode> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(unavailable)) {
    const path = prefix + entry.name;
    const reject = (problem: string): ListedCode => ({ ...ref, path, size: 0, problem });
    const problem = findCodePathProblem(path);
    if (entry.isSymbolicLink()) yield reject("is a link; links are not followed");
    else if (problem !== null) yield reject(problem);
    else if (entry.isDirectory()) yield* listBelow(join(folder, entry.name), ref, `${path}/`);
    else if (!entry.isFile()) yield reject("is not a regular file");
    else {
      const stats = await lstat(join(folder, entry.name)).catch(() => null);
      if (stats === null) continue; // gone since the folder was read
      yield {
        ...ref,
        path,
        size: stats.size,
        problem: stats.size > MAX_CODE_BYTES ? `is larger than ${MAX_CODE_BYTES} bytes` : null,
      };
    }
  }
}

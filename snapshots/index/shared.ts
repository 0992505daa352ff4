/** One index for two views: where both hold the same rows, the internal index says under which tag of the public one they are, in a file for
 *  each of its own tags, `shared/<tag>`, and holds no rows itself. The public index says nothing about it. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SHA256_PATTERN } from "#snapshots/digest";
import type { ViewIndex } from "./view-index.ts";

const FOLDER = "shared";
/** Stands for the tag in a file that is not whole: no index has this tag. */
const NOWHERE = "none";

/** findShared returns the tag of the public index that has the rows of a tag; null when the internal index has rows of its own for it, or nothing.
 *  @param uri directory of the internal index */
export function findShared(uri: string, tag: string): string | null {
  if (!SHA256_PATTERN.test(tag)) return null;
  try {
    const shared = readFileSync(join(uri, FOLDER, tag), "utf8");
    return SHA256_PATTERN.test(shared) ? shared : NOWHERE;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

/** shareTag says that a tag has the rows of one of the public index. */
export function shareTag(uri: string, tag: string, shared: string): void {
  if (findShared(uri, tag) === shared) return;
  const path = join(uri, FOLDER, tag);
  mkdirSync(join(uri, FOLDER), { recursive: true });
  writeFileSync(`${path}.new`, shared);
  renameSync(`${path}.new`, path);
}

/** sharing returns an index that looks into another one for the tags that it shares with it.
 *  @param own at `uri`
 *  @param open opens the other one, when it is asked */
export function sharing(uri: string, own: ViewIndex, open: () => Promise<ViewIndex>): ViewIndex {
  let opened: Promise<ViewIndex> | null = null;
  const at = async (tag: string): Promise<{ readonly index: ViewIndex; readonly tag: string }> => {
    const shared = findShared(uri, tag);
    return shared === null ? { index: own, tag } : { index: await (opened ??= open()), tag: shared };
  };
  /** Runs one method on the index that has the tag. */
  const ask = async <T>(tag: string, method: (index: ViewIndex, tag: string) => Promise<T>): Promise<T> => {
    const place = await at(tag);
    return method(place.index, place.tag);
  };
  return {
    ...own,
    findProblem: (tag) => ask(tag, (index, place) => index.findProblem(place)),
    findVectorProblems: (tag) => ask(tag, (index, place) => index.findVectorProblems(place)),
    knows: (tag) => ask(tag, (index, place) => index.knows(place)),
    embed: (options) => ask(options.tag, (index, place) => index.embed({ ...options, tag: place })),
    at: (tag) => ask(tag, (index, place) => index.at(place)),
    async *texts(tag) {
      const place = await at(tag);
      yield* place.index.texts(place.tag);
    },
    async mend() {
      await own.mend();
      for (const tag of tagsIn(uri)) if ((await ask(tag, (index, place) => index.findProblem(place))) !== null) forget(uri, tag);
    },
    async prune(keep, keepVectors) {
      await own.prune(keep, keepVectors);
      for (const tag of tagsIn(uri)) if (!keep.includes(tag)) forget(uri, tag);
    },
    close() {
      own.close();
      void opened?.then((other) => other.close());
    },
  };
}

function tagsIn(uri: string): readonly string[] {
  try {
    return readdirSync(join(uri, FOLDER));
  } catch {
    return [];
  }
}

function forget(uri: string, tag: string): void {
  rmSync(join(uri, FOLDER, tag), { force: true });
}

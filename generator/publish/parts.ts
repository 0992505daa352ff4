/** The parts of a build that are processes, threads or compiled code. They are given to a build, so that one whose subject is what is
 *  planned, refused or told may run without them (plain-parts.ts). */
import { openRenderer, type Renderer } from "#snapshots/page";
import type { ScannedFile } from "#snapshots/verify";
import { type ExtractPool, type ExtractPoolOptions, openExtractPool } from "#generator/extract";
import { type IndexRoots, type IndexThread, openIndexThread } from "#generator/index";
import { compileSite, softwareFiles } from "#generator/pages";

export type Parts = {
  /** Makes ready what renders and reads. @throws ShelfError "build_failed" when a page does not compile */
  site(): Promise<Site>;
  index(roots: IndexRoots): IndexThread;
};

/** Site is the compiled program: pages, and the process that reads objects. */
export type Site = {
  renderer(): Promise<Renderer>;
  pool(options?: Pick<ExtractPoolOptions, "threads" | "budget" | "unread">): ExtractPool;
  /** Yields what the pages say in every library. */
  software(): AsyncIterable<ScannedFile>;
};

export const PARTS: Parts = {
  async site() {
    const { dist, worker } = await compileSite();
    return {
      renderer: () => openRenderer(dist),
      pool: (options) => openExtractPool({ worker, ...options }),
      software: () => softwareFiles(dist),
    };
  },
  index: openIndexThread,
};

let usual: Parts = PARTS;

/** usualParts names the parts of whatever is built, verified or mended without parts of its own. */
export const usualParts = (): Parts => usual;

/** useParts gives this process other usual parts, through which the commands get them, too: for tests whose subject is not what the parts make. */
export function useParts(parts: Parts): void {
  usual = parts;
}

/** Carries a plan out: everything that a snapshot of each view needs is in its shelf and index afterwards, and nothing points to
 *  it yet. Rendering and the index go side by side: one is this process, the other a thread of native code. */
import { type Sha256, sha256 } from "#snapshots/digest";
import { buildSubtrees, type FileEntry, type Subtrees } from "#snapshots/format";
import type { Renderer } from "#snapshots/page";
import type { DirectoryShelf, SnapshotRecord } from "#snapshots/shelf";
import type { ByView, Shelves } from "#generator/shelves";
import { type EarlierSearch, indexEarlier, type IndexThread, updateIndexes } from "#generator/index";
import { renderPages } from "#generator/pages";
import type { WritingPlan } from "./plan.ts";
import type { Progress, Tasks } from "#generator/files";
import type { Views } from "./project.ts";
import { writeApiFiles, writeDraft } from "#generator/publish";
import { objectTrees } from "./object-trees.ts";
import type { ReadObjects } from "./read-objects.ts";
import type { BuildState } from "#generator/kept";

export type WrittenDrafts = {
  /** Nothing points to them. */
  readonly drafts: ByView<Sha256>;
  /** Things that the next build need not make again. */
  readonly known: Pick<BuildState, "pages" | "shared" | "written" | "public" | "internal">;
  /** Pages that were rendered. */
  readonly rendered: number;
  /** Those of the asked-for earlier snapshots that can be searched, and notes on the others. */
  readonly earlier: EarlierSearch;
};

export async function writeViews(
  { run, signal }: Tasks,
  options: {
    readonly plan: WritingPlan;
    readonly views: Views;
    readonly read: ReadObjects;
    /** Public snapshots that are to be written into the index as well. */
    readonly earlier: readonly SnapshotRecord[];
    readonly shelves: Shelves;
    /** May be on its way. */
    readonly renderer: Promise<Renderer>;
    readonly index: IndexThread;
    readonly progress: Progress;
  },
): Promise<WrittenDrafts> {
  const { plan, views, read, earlier, shelves, renderer, index, progress } = options;
  const trees = run(() => objectTrees(views, read));
  const assets = run(async () => siteAssets(await renderer, shelves.public));
  const pages = run(() =>
    renderPages({ data: views.public, pages: plan.pages(), total: plan.pageCount, renderer, shelf: shelves.public, progress, signal }),
  );
  const draft = (view: "public" | "internal", more: () => Promise<readonly Subtrees[]>) =>
    run(async () => {
      const { objects, others } = await writeApiFiles(shelves[view], views[view], plan.json[view].kept);
      // The internal view's pages are rendered per request and need the same styles and scripts.
      const files = buildSubtrees([...objects, ...others, ...(await assets)]);
      const parts = [(await trees)[view], files, ...(await more())];
      const { snapshot, trees: all } = await writeDraft(shelves[view], parts, plan.trees[view]);
      return { snapshot, written: { api: { facts: plan.json[view].facts, files: others }, trees: all } };
    });
  const drafts = {
    public: draft("public", async () => [buildSubtrees((await pages).files)]),
    internal: draft("internal", async () => []),
  };
  const snapshots = {
    public: run(async () => (await drafts.public).snapshot),
    internal: run(async () => (await drafts.internal).snapshot),
  };
  const toIndex = plan.documents.public.upsert.size + plan.documents.internal.upsert.size;
  let inIndex = 0;
  let indexing = false;
  // While pages are rendered, they are what is shown.
  const showIndexing = (): void => {
    if (indexing) progress.step("write the search index", ...(toIndex === 0 ? [] : [inIndex, toIndex]));
  };
  const onRead = (documents: number): void => {
    inIndex += documents;
    showIndexing();
  };
  const indexed = run(() => updateIndexes(index, shelves, snapshots, plan.documents, plan.internalIndex, onRead));
  const searched = run(async () => indexEarlier(index, shelves.public, earlier, (await indexed).public));
  const [shown, internal] = [await drafts.public, await drafts.internal];
  indexing = true;
  showIndexing();
  return {
    drafts: { public: shown.snapshot, internal: internal.snapshot },
    known: {
      pages: (await pages).pages,
      shared: plan.shared,
      written: { public: shown.written, internal: internal.written },
      ...(await indexed),
    },
    rendered: (await pages).rendered,
    earlier: await searched,
  };
}

async function siteAssets({ assets }: Pick<Renderer, "assets">, shelf: DirectoryShelf): Promise<readonly FileEntry[]> {
  const files: FileEntry[] = [];
  for (const { path, mediaType, bytes } of assets) {
    const digest = sha256(bytes);
    await shelf.blobs.put(digest, bytes);
    files.push({ path, sha256: digest, size: bytes.length, type: mediaType });
  }
  return files;
}

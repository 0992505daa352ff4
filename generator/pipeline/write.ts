/** Carries a plan out: everything that a snapshot of each view needs is in its shelf and index afterwards, and nothing points to
 *  it yet. Rendering and the index go side by side: one is this process, the other a thread of native code. */
import { scheduler } from "node:timers/promises";
import { type Sha256, sha256 } from "#snapshots/digest";
import { buildSubtrees, type FileEntry, joinSubtrees, type Subtrees, type ViewData } from "#snapshots/format";
import { type DerivedFile, objectParts, otherApiFiles, type Renderer } from "#snapshots/page";
import { ROUTES } from "#snapshots/service";
import type { DirectoryShelf, SnapshotRecord } from "#snapshots/shelf";
import type { ByView, Shelves } from "#generator/shelves";
import { type EarlierSearch, indexEarlier, type IndexThread, updateIndexes } from "#generator/index";
import { renderPages } from "#generator/pages";
import type { WritingPlan } from "./plan.ts";
import type { Progress, Tasks } from "#generator/files";
import type { Views } from "./project.ts";
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
  const assets = run(async () => writeFiles(shelves.public, (await renderer).assets));
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
  const shown = draft("public", async () => [buildSubtrees((await pages).files)]);
  // A tree that both views have lies in the public root alone, as a blob does: so it has to be there first.
  const drafts = { public: shown, internal: draft("internal", async () => (await shown, [])) };
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
  const internal = await drafts.internal;
  indexing = true;
  showIndexing();
  return {
    drafts: { public: (await shown).snapshot, internal: internal.snapshot },
    known: {
      pages: (await pages).pages,
      shared: plan.shared,
      written: { public: (await shown).written, internal: internal.written },
      ...(await indexed),
    },
    rendered: (await pages).rendered,
    earlier: await searched,
  };
}

/** A view's JSON, in the shelf. @param kept all but the objects' parts, when what decides them is as it was
 *  @returns those parts apart: objects decide them, and nothing else */
async function writeApiFiles(
  shelf: DirectoryShelf,
  data: ViewData,
  kept: readonly FileEntry[] | null,
): Promise<{ readonly objects: readonly FileEntry[]; readonly others: readonly FileEntry[] }> {
  const objects = await writeFiles(shelf, objectParts(data));
  return { objects, others: kept ?? (await writeFiles(shelf, otherApiFiles(data, ROUTES))) };
}

async function writeFiles(shelf: DirectoryShelf, files: Iterable<DerivedFile>): Promise<readonly FileEntry[]> {
  const written: FileEntry[] = [];
  for (const { path, type, bytes } of files) {
    await scheduler.yield();
    const digest = sha256(bytes);
    await shelf.blobs.put(digest, bytes);
    written.push({ path, sha256: digest, size: bytes.length, type });
  }
  return written;
}

/** Writes the trees over all files of a view, whose blobs are in the shelf.
 *  @param there digests of trees that are in the shelf, and whole */
async function writeDraft(
  shelf: DirectoryShelf,
  parts: readonly Subtrees[],
  there: ReadonlySet<Sha256>,
): Promise<{ readonly snapshot: Sha256; readonly trees: readonly Sha256[] }> {
  const { root, trees } = joinSubtrees(parts);
  // Leaves first, as buildTree gives them: a tree never lies in the shelf before what it names.
  for (const [digest, bytes] of trees) {
    if (there.has(digest)) continue;
    await scheduler.yield();
    await shelf.blobs.put(digest, bytes);
  }
  return { snapshot: root.sha256, trees: [...trees.keys()] };
}

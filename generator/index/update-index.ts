/** Brings the search indexes of both views to their new snapshots. */
import { constants } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { copyManifests, openIndex, PASSAGES, shareTag, WORDS } from "#snapshots/index";
import type { Shelf } from "#snapshots/shelf";
import { withBuildLock } from "#generator/files";
import type { DocumentsPlan, InternalIndex } from "./plan-documents.ts";
import { type Shelves, vectorsDir } from "#generator/shelves";
import type { ViewState } from "#generator/kept";
import type { IndexThread } from "./index-thread.ts";

/** updateIndex writes one index. Its rows are invisible until the tag, and harmless before the pointer moves.
 *  @param snapshot may become known while rows are written
 *  @param onRead told of so many more documents that have been read
 *  @returns what is indexed now */
async function updateIndex(
  index: IndexThread,
  view: "public" | "internal",
  snapshot: Promise<string>,
  plan: DocumentsPlan,
  onRead: (documents: number) => void,
): Promise<ViewState> {
  const { upsert, remove, base, documents } = plan;
  const nothing = upsert.size === 0 && remove.length === 0;
  if (!nothing || base !== (await snapshot)) await index.update(view, { upsert, remove, base, tag: snapshot, onRead });
  return { snapshot: await snapshot, documents };
}

/** updateIndexes brings both to their snapshots. The public one is first where the internal one follows from it. */
export async function updateIndexes(
  index: IndexThread,
  shelves: Shelves,
  snapshots: Readonly<Record<"public" | "internal", Promise<string>>>,
  plan: Readonly<Record<"public" | "internal", DocumentsPlan>>,
  kind: InternalIndex,
  onRead: (documents: number) => void,
): Promise<Readonly<Record<"public" | "internal", ViewState>>> {
  if (kind === "own") {
    const [shown, internal] = await Promise.all([
      updateIndex(index, "public", snapshots.public, plan.public, onRead),
      updateIndex(index, "internal", snapshots.internal, plan.internal, onRead),
    ]);
    return { public: shown, internal };
  }
  const shown = await updateIndex(index, "public", snapshots.public, plan.public, onRead);
  if (kind === "shared") {
    const snapshot = await snapshots.internal;
    shareTag(shelves.internal.indexUri, snapshot, shown.snapshot);
    return { public: shown, internal: { snapshot, documents: shown.documents } };
  }
  // It begins as a copy, and the gated documents are all that is missing.
  await seedIndex(shelves.public, shelves.internal);
  const internal = await updateIndex(index, "internal", snapshots.internal, { ...plan.internal, base: shown.snapshot }, onRead);
  return { public: shown, internal };
}

/** trimIndex removes from an index that was made anew what it was made of: as much again as is needed. Only under the build lock. While vectors
 *  are being made, it is left to the next prune. */
export async function trimIndex(shelves: Shelves, view: "public" | "internal"): Promise<void> {
  const { indexUri, sharedIndexUri, records } = shelves[view];
  const kept = [...(await records.index()).byId.keys()];
  const trim = async (): Promise<void> => {
    const index = await openIndex(indexUri, sharedIndexUri);
    await index.prune(kept).finally(() => index.close());
  };
  await withBuildLock(vectorsDir(shelves), trim).catch((error: unknown) => {
    if (!(error instanceof ShelfError && error.code === "build_running")) throw error;
  });
}

/** seedIndex gives an internal index that has no rows a copy of the public one. The copy goes from public to internal, never the other way.
 *  Whatever else is there stays: a server may be reading it. */
export async function seedIndex(from: Shelf, to: Shelf): Promise<void> {
  // Rows on whose table a tag stands are complete with their counts, so the rows come last.
  const tables = [WORDS, PASSAGES].map((name) => `${name}.lance`);
  const staging = `${to.indexUri}.new`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(to.indexUri, { recursive: true });
  for (const name of tables) {
    // With their times: the engine removes no file that is newer than the version which does without it.
    await cp(join(from.indexUri, name), join(staging, name), {
      recursive: true,
      mode: constants.COPYFILE_FICLONE,
      preserveTimestamps: true,
    });
    await rm(join(to.indexUri, name), { recursive: true, force: true });
    await rename(join(staging, name), join(to.indexUri, name));
  }
  for (const name of [WORDS, PASSAGES]) await copyManifests(from.indexUri, to.indexUri, name);
  await rm(staging, { recursive: true, force: true });
}

/** Files → snapshot: trees, index, record, pointer, in the order that leaves the old snapshot served whatever happens. */
import { constants, existsSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { catalogFile, type DerivedFile, otherApiFiles } from "../../snapshots/page/api-files.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { diffSnapshots } from "../../snapshots/shelf/diff.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { PASSAGES, WORDS } from "../../snapshots/index/tables.ts";
import { createTreeCache, openSnapshot } from "../../snapshots/shelf/read.ts";
import type { Changes, Shelf, SnapshotRecord } from "../../snapshots/shelf/shelf.ts";
import { type FileEntry, joinSubtrees, type Subtrees } from "../../snapshots/format/tree.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import type { IndexEntry } from "../index/index-documents.ts";
import type { IndexThread } from "../index/index-thread.ts";
import type { ViewState, Written } from "../state.ts";
import { openTurns } from "../turns.ts";

/** A view written to its shelf but not yet published: nothing points to it. */
export type Draft = { readonly snapshot: string; readonly current: SnapshotRecord | null };

type Derived = { readonly catalog: FileEntry; readonly api: Written["api"] };

/** Writes a view's JSON.
 *  @param known what the last build wrote: what objects do not decide is kept while nothing that decides it changes */
export async function writeDerived(shelf: Shelf, data: ViewData, known: Written): Promise<Derived> {
  const { library, claims, rejected, withheld, cubs, meta, code } = data;
  const facts = sha256(JSON.stringify([library, claims, rejected, withheld, cubs, meta, [...code.values()]]));
  const turn = openTurns();
  const catalog = await writeFile(shelf, catalogFile(data));
  await turn();
  if (facts === known.api.facts) return { catalog, api: known.api };
  const files: FileEntry[] = [];
  for (const file of otherApiFiles(data)) {
    await turn();
    files.push(await writeFile(shelf, file));
  }
  return { catalog, api: { facts, files } };
}

async function writeFile(shelf: Shelf, { path, type, bytes }: DerivedFile): Promise<FileEntry> {
  const digest = sha256(bytes);
  await shelf.putBlob(digest, bytes);
  return { path, sha256: digest, size: bytes.length, type };
}

/** Writes the trees over all files of a view.
 *  @param known what the last build wrote and published: those trees are in the shelf, and whole */
export async function writeDraft(
  shelf: Shelf,
  parts: readonly Subtrees[],
  known: Written,
): Promise<{ readonly draft: Draft; readonly trees: Written["trees"] }> {
  const { root, trees } = joinSubtrees(parts);
  const there = new Set(known.trees);
  const turn = openTurns();
  // Leaves first, as buildTree gives them: a tree never lies in the shelf before what it names.
  for (const [digest, bytes] of trees) {
    if (there.has(digest)) continue;
    await turn();
    await shelf.putBlob(digest, bytes);
  }
  return { draft: { snapshot: root.sha256, current: await shelf.readPointer() }, trees: [...trees.keys()] };
}

/** Brings the search index to a snapshot. What it writes is invisible until the tag, and harmless before the pointer moves.
 *  @param before what the last build indexed, or null when that is not known
 *  @param snapshot may become known while rows are written
 *  @returns what is indexed, and how many documents were written */
export async function updateIndex(
  index: IndexThread,
  view: "public" | "internal",
  snapshot: Promise<string>,
  entries: readonly IndexEntry[],
  before: ViewState | null,
): Promise<{ readonly state: ViewState; readonly written: number }> {
  const documents = Object.fromEntries(entries.map(({ source, facts }) => [source.doc, facts]));
  const known = before !== null && (await index.has(view, before.snapshot)) ? before : null;
  const stale = entries.filter(({ source, facts }) => known === null || known.documents[source.doc] !== facts);
  // Where everything is written, a table made anew takes half the time; what is served stays searchable by its tag.
  const base = stale.length > 0 && stale.length === entries.length ? null : known;
  const remove = base === null ? [] : Object.keys(base.documents).filter((doc) => !Object.hasOwn(documents, doc));
  if (base !== null && stale.length === 0 && remove.length === 0 && base.snapshot === (await snapshot)) {
    return { state: base, written: 0 };
  }
  await index.update(view, { upsert: stale.map(({ source }) => source), remove, base: base?.snapshot ?? null, tag: snapshot });
  return { state: { snapshot: await snapshot, documents }, written: stale.length };
}

/** Gives an internal index that has nothing yet a copy of the public one: the gated documents are then all that is missing.
 *  The copy goes from public to internal, never the other way. Whatever else is there stays: a server may be reading it.
 *  @returns false when the internal index has rows already, of whatever tag and in whatever state */
export async function seedIndex(from: Shelf, to: Shelf): Promise<boolean> {
  // Rows on whose table a tag stands are complete with their counts, so the rows come last.
  const tables = [WORDS, PASSAGES].map((name) => `${name}.lance`);
  if (existsSync(join(to.indexUri, `${PASSAGES}.lance`))) return false;
  const staging = `${to.indexUri}.new`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(to.indexUri, { recursive: true });
  for (const name of tables) {
    await cp(join(from.indexUri, name), join(staging, name), { recursive: true, mode: constants.COPYFILE_FICLONE });
    await rm(join(to.indexUri, name), { recursive: true, force: true });
    await rename(join(staging, name), join(to.indexUri, name));
  }
  await rm(staging, { recursive: true, force: true });
  return true;
}

export type Published = { readonly record: SnapshotRecord; readonly changes: Changes };

/** Moves the pointer to a draft whose blobs, trees and index are complete and survive a power cut.
 *  @throws ShelfError "lost_race" when another publisher was faster */
export async function publish(
  shelf: Shelf,
  draft: Draft,
  options: { readonly created: string; readonly inputs: Readonly<Record<string, string>> },
): Promise<Published> {
  const sequence = ((await shelf.listRecords()).at(-1)?.sequence ?? 0) + 1;
  const record: SnapshotRecord = {
    sequence,
    snapshot: draft.snapshot,
    created: options.created,
    previous: draft.current?.snapshot ?? null,
    inputs: { ...options.inputs },
  };
  const trees = createTreeCache();
  const after = await openSnapshot(shelf, record, trees);
  const before = draft.current === null ? null : await openSnapshot(shelf, draft.current, trees).catch(ignoreDamage);
  const changes = await diffSnapshots(before, after);
  await shelf.putRecord(record, changes);
  await shelf.swapPointer(record, draft.current);
  return { record, changes };
}

/** A damaged predecessor must not keep the next good snapshot from being published. */
function ignoreDamage(error: unknown): null {
  if (error instanceof ShelfError && error.code === "snapshot_damaged") return null;
  throw error;
}

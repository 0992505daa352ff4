/** One build: sources → record set → two views → two snapshots. What did not change is not read, extracted, rendered or
 *  indexed again; a build that changes nothing publishes nothing. */
import { countChanges } from "../snapshots/shelf/diff.ts";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { canonicalJson, sha256 } from "../snapshots/digest.ts";
import { ShelfError } from "../snapshots/errors.ts";
import { openRenderer, type Renderer } from "../snapshots/page/renderer.ts";
import type { Rejection } from "../snapshots/schema/resources.ts";
import { checkWritable, clearTemporary, openDirectoryShelf } from "../snapshots/shelf/shelf-directory.ts";
import type { Changes, Shelf } from "../snapshots/shelf/shelf.ts";
import { buildSubtrees, type FileEntry } from "../snapshots/format/tree.ts";
import { type CompiledSite, compileSite } from "./pages/compile-site.ts";
import type { Config } from "./config/config.ts";
import { indexEntries } from "./index/index-documents.ts";
import { type ExtractPool, openExtractPool } from "./extract/pool.ts";
import { type IndexThread, openIndexThread } from "./index/index-thread.ts";
import { checkLeaks, secretsDigest } from "./publish/leak-check.ts";
import { withBuildLock } from "./lock.ts";
import { pagefindFiles } from "./pages/pagefind.ts";
import { objectTrees } from "./publish/object-trees.ts";
import { openPagefind } from "./pages/pagefind-process.ts";
import { type Progress, openProgress } from "./progress.ts";
import { project, type Views } from "./project.ts";
import { publish, seedIndex, updateIndex, writeDerived, writeDraft } from "./publish/publish.ts";
import { listObjects, readObjects } from "./read-objects.ts";
import { readRegistry } from "./sources/read-registry.ts";
import { renderPages } from "./pages/render.ts";
import type { ObjectStore, StoredObject } from "./sources/object-store.ts";
import { openObjectStore } from "./sources/open-object-store.ts";
import { readClaims } from "./sources/claims.ts";
import {
  clearHalfStates,
  EMPTY_STATE,
  formatState,
  readState,
  writeState,
  type BuildState,
  type KnownObject,
  type ViewState,
} from "./state.ts";

export const VERSION: string = (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string })
  .version;

export type BuildOptions = {
  /** The build's clock; tests pass their own. */
  readonly now?: () => Date;
  readonly progress?: Progress;
  /** In place of the configured store; for tests. */
  readonly store?: ObjectStore;
};

/** Interface §4 POST /api/reindex and conventions: this is its body, with what else an operator asks. */
export type BuildSummary = {
  readonly started: string;
  readonly finished: string;
  readonly previous: string | null;
  readonly snapshot: string;
  readonly sequence: number;
  /** False when nothing changed: the snapshot served before is served on. */
  readonly published: boolean;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly rejected: readonly Rejection[];
  readonly duration_ms: number;
  /** What this build had to do. */
  readonly work: { readonly read: number; readonly rendered: number; readonly indexed: number; readonly bundles: number };
  /** Objects that are served but could not be read in full, with what was wrong. */
  readonly unreadable: readonly { readonly key: string; readonly notes: readonly string[] }[];
  readonly notes: readonly string[];
  readonly internal: { readonly snapshot: string; readonly sequence: number; readonly published: boolean };
};

export type Shelves = {
  readonly public: Shelf;
  readonly internal: Shelf;
  readonly publicDir: string;
  readonly internalDir: string;
  readonly buildDir: string;
};

/** @throws ShelfError "bad_config" for a kind of shelf that this version cannot write */
export function openShelves(config: Config): Shelves {
  if (config.shelf.kind !== "directory") throw new ShelfError("bad_config", "shelf.kind s3 is not supported yet; use kind: directory");
  const publicDir = join(config.shelf.root, "public");
  const internalDir = join(config.shelf.root, "internal");
  const shelf = openDirectoryShelf(publicDir, null, "at once");
  return {
    public: shelf,
    internal: openDirectoryShelf(internalDir, shelf, "at once"),
    publicDir,
    internalDir,
    buildDir: join(internalDir, "build"),
  };
}

/** @throws ShelfError "build_running" when another build holds this shelf, "build_failed" and others with what to do */
export async function build(config: Config, options: BuildOptions = {}): Promise<BuildSummary> {
  const shelves = openShelves(config);
  await checkWritable(shelves.publicDir);
  await checkWritable(shelves.internalDir);
  return withBuildLock(shelves.buildDir, async () => {
    let index: IndexThread | null = null;
    let pool: ExtractPool | null = null;
    try {
      return await buildLocked(config, shelves, options, {
        indexes: () => (index ??= openIndexThread({ public: shelves.publicDir, internal: shelves.internalDir })),
        pool: (worker) => (pool ??= openExtractPool({ worker })),
      });
    } finally {
      await (pool as ExtractPool | null)?.close();
      await (index as IndexThread | null)?.close();
    }
  });
}

/** What a build opens when it needs it, and its caller closes. */
type Opening = {
  /** As soon as it is known that something changed: it loads its engine while the rest is read. */
  indexes(): IndexThread;
  /** @param worker the compiled program of its processes */
  pool(worker: string): ExtractPool;
};

async function buildLocked(config: Config, shelves: Shelves, options: BuildOptions, open: Opening): Promise<BuildSummary> {
  const clock = options.now ?? (() => new Date());
  const progress = options.progress ?? openProgress();
  const started = clock();
  const began = performance.now();
  await clearTemporary(shelves.publicDir);
  await clearTemporary(shelves.internalDir);
  await clearHalfStates(shelves.buildDir);

  const store = options.store ?? openObjectStore(config.store);
  progress.step("list");
  const compiling = compileSite();
  /** Starts the first process when an object has changed, once it is known how to tell. */
  let onRow = (_: StoredObject): void => undefined;
  const [site, listed, registry, claims, state] = await Promise.all([
    compiling,
    listObjects(store, config.collections, (row) => onRow(row)),
    readRegistry(config, join(shelves.buildDir, "registry"), clock),
    config.claims === null ? null : readClaims(config.claims.path),
    readState(shelves.buildDir, compiling.then(stateBasis)).then(async (state) => {
      const pool = open.pool((await compiling).worker);
      const known = new Map(state.objects.map(({ key, version }) => [key, version]));
      onRow = ({ key, version }) => {
        if (known.get(key) !== version) pool.warm();
      };
      return state;
    }),
  ]);
  const inputs = { ...registry.inputs, ...(claims === null ? {} : { claims: claims.sha256 }) };
  const fingerprint = sha256(
    JSON.stringify([
      VERSION,
      site.dist,
      inputs,
      libraryFacts(config),
      listed.rows.map(({ key, size, version, uploaded }) => [key, size, version, uploaded]),
      listed.rejected,
    ]),
  );
  const current = { public: await shelves.public.readPointer(), internal: await shelves.internal.readPointer() };
  const finish = async (
    summary: Pick<
      BuildSummary,
      | "previous"
      | "snapshot"
      | "sequence"
      | "published"
      | "added"
      | "changed"
      | "removed"
      | "unchanged"
      | "rejected"
      | "work"
      | "unreadable"
      | "notes"
      | "internal"
    >,
  ): Promise<BuildSummary> => {
    const unchecked = await noteFailure(
      async () => {
        await shelves.public.writeChecked(clock().toISOString());
        await shelves.internal.writeChecked(clock().toISOString());
      },
      (code) => `The time of this look at the sources could not be kept (${code}): /health takes it for older than it is.`,
    );
    progress.end();
    return {
      started: started.toISOString(),
      finished: clock().toISOString(),
      duration_ms: Math.round(performance.now() - began),
      ...summary,
      notes: [...summary.notes, ...unchecked],
    };
  };
  const same =
    fingerprint === state.fingerprint &&
    // What could not be read is tried again, and said again.
    state.refused.length === 0 &&
    current.public !== null &&
    current.internal !== null &&
    current.public.snapshot === state.public?.snapshot &&
    current.internal.snapshot === state.internal?.snapshot;
  if (same && current.public !== null && current.internal !== null) {
    return finish({
      previous: current.public.snapshot,
      snapshot: current.public.snapshot,
      sequence: current.public.sequence,
      published: false,
      added: 0,
      changed: 0,
      removed: 0,
      unchanged: state.objects.length,
      rejected: [...listed.rejected, ...registry.rejected, ...(claims?.rejected ?? [])],
      work: { read: 0, rendered: 0, indexed: 0, bundles: 0 },
      unreadable: unreadable(state.objects),
      notes: [...registry.notes, ...(claims?.notes ?? [])],
      internal: { snapshot: current.internal.snapshot, sequence: current.internal.sequence, published: false },
    });
  }

  // All load while objects are read, which is other processes' work.
  const index = open.indexes();
  const renderer = openRenderer(site.dist);
  const assets = siteAssets(renderer, shelves.public);
  const pagefind = openPagefind();
  for (const promise of [renderer, assets, pagefind]) promise.catch(() => undefined);
  const usable = await usableState(state, shelves);
  const read = await readObjects({
    store,
    listed,
    collections: config.collections,
    known: usable.objects,
    shelves,
    pool: open.pool(site.worker),
    progress,
  });
  const extractDigests = new Map(read.objects.map((object) => [object.key, object.extract.sha256]));
  const extractDigest = (key: string): string => extractDigests.get(key) ?? "";
  const rejected: Rejection[] = [...listed.rejected, ...read.refused, ...registry.rejected, ...(claims?.rejected ?? [])];
  const notes = [...registry.notes, ...(claims?.notes ?? [])];
  const views = project({
    title: config.title,
    baseUrl: config.baseUrl,
    registryUrl: config.registryUrl ?? "",
    generator: `proofshelf ${VERSION}`,
    collections: config.collections,
    objects: read.objects.map(({ version: _, root: __, ...row }) => row),
    claims: claims ?? { meta: { title: "", subtitle: "", generated: "", fact_checked: "", note: "", pins: {} }, claims: [] },
    cubs: registry.cubs,
    registry: registry.state,
    meta: registry.meta,
    code: registry.code,
    rejected,
    notes,
  });

  // Rendering, the browser's bundles and the index work side by side: one is ours, one a process of its own, one native.
  progress.step("render");
  const begun = Promise.withResolvers<void>();
  const bundling = pagefindFiles({
    data: views.public,
    facts: extractDigest,
    extract: read.extract,
    shelf: shelves.public,
    known: usable.bundles,
    pagefind,
    onBegun: begun.resolve,
  }).finally(begun.resolve);
  const objects = begun.promise.then(() => objectTrees(views, read));
  objects.catch(() => undefined);
  const rendering = begun.promise.then(async () => {
    const rendered = await renderPages({
      data: views.public,
      siteDigest: site.dist,
      renderer,
      extractDigest,
      extract: read.extract,
      shelf: shelves.public,
      known: usable,
      touched: read.touched,
      progress,
    });
    const { catalog, api } = await writeDerived(shelves.public, views.public, usable.written.public);
    const files = [catalog, ...api.files, ...rendered.files, ...(await assets)];
    return { rendered, api, parts: [(await objects).public, buildSubtrees(files)] };
  });
  const pending = {
    public: Promise.all([bundling, rendering]).then(async ([bundled, { rendered, api, parts }]) => {
      const { draft, trees } = await writeDraft(shelves.public, [...parts, buildSubtrees(bundled.files)], usable.written.public);
      return { bundled, rendered, draft, written: { api, trees } };
    }),
    // The internal view's pages are rendered per request and need the same styles and scripts.
    internal: begun.promise.then(async () => {
      const { catalog, api } = await writeDerived(shelves.internal, views.internal, usable.written.internal);
      const parts = [(await objects).internal, buildSubtrees([catalog, ...api.files, ...(await assets)])];
      const { draft, trees } = await writeDraft(shelves.internal, parts, usable.written.internal);
      return { draft, written: { api, trees } };
    }),
  };
  const snapshots = {
    public: pending.public.then(({ draft }) => draft.snapshot),
    internal: pending.internal.then(({ draft }) => draft.snapshot),
  };
  // All are awaited in time, but perhaps not yet when one fails: that must not count as unheard and end the process.
  for (const promise of [pending.public, pending.internal, snapshots.public, snapshots.internal]) promise.catch(() => undefined);
  const [{ rendered, bundled, ...shown }, internal, indexed] = await Promise.all([
    pending.public,
    pending.internal,
    indexViews(index, views, shelves, usable, extractDigest, snapshots),
  ]);
  // The thread ends while the rest is done.
  void index.close();
  const drafts = { public: shown.draft, internal: internal.draft };
  const due = (["internal", "public"] as const).filter((view) => drafts[view].current?.snapshot !== drafts[view].snapshot);
  // Both roots before the first pointer: the internal view refers to blobs of the public one.
  const flushing = Promise.all(due.map((view) => shelves[view].flush()));
  flushing.catch(() => undefined);
  const secrets = secretsDigest(views, registry.privateTexts);
  await checkLeaks({
    views,
    shelf: shelves.public,
    draft: drafts.public,
    extract: read.extract,
    privateTexts: registry.privateTexts,
    dist: site.dist,
    unchangedSince: secrets === usable.secrets ? (usable.public?.snapshot ?? null) : null,
  });
  const knowledge = formatState(stateBasis(site), {
    fingerprint,
    objects: read.objects,
    refused: read.refused,
    pages: rendered.pages,
    shared: rendered.shared,
    bundles: bundled.bundles,
    written: { public: shown.written, internal: internal.written },
    public: indexed.public.state,
    internal: indexed.internal.state,
    secrets,
  });
  knowledge.catch(() => undefined);
  progress.step("publish");
  await flushing;
  let changes: Changes | null = null;
  const created = clock().toISOString();
  for (const view of due) {
    const published = await publish(shelves[view], drafts[view], { created, inputs });
    if (view === "public") changes = published.changes;
  }
  const forgotten = await noteFailure(
    async () => writeState(shelves.buildDir, await knowledge),
    (code) => `What this build knows could not be kept (${code}): the next one has more to do.`,
  );
  const after = { public: await shelves.public.readPointer(), internal: await shelves.internal.readPointer() };
  if (after.public === null || after.internal === null) throw new ShelfError("build_failed", "The pointer is gone after publication.");
  const counts = changes === null ? { added: 0, changed: 0, removed: 0 } : countChanges(changes);
  const total = views.public.objects.length + views.public.claims.claims.length + views.public.cubs.length;
  return finish({
    previous: current.public?.snapshot ?? null,
    snapshot: after.public.snapshot,
    sequence: after.public.sequence,
    published: changes !== null,
    ...counts,
    unchanged: total - counts.added - counts.changed,
    rejected,
    work: {
      read: read.read.size,
      rendered: rendered.rendered.length,
      indexed: indexed.public.written + indexed.internal.written,
      bundles: bundled.made,
    },
    unreadable: unreadable(read.objects),
    notes: [...notes, ...forgotten],
    internal: {
      snapshot: after.internal.snapshot,
      sequence: after.internal.sequence,
      published: after.internal.snapshot !== current.internal?.snapshot,
    },
  });
}

/** What kept work depends on beside the generator's own text: parsers, Pagefind and all of snapshots/ that it may be made with
 *  are inputs of the compiled pages, too. */
export function stateBasis({ dist }: Pick<CompiledSite, "dist">): string {
  return `${VERSION} ${basename(dist)}`;
}

/** For what follows publication: the snapshot is served by then, so a full disk is worth a note and no more.
 *  @returns no note when all went well */
async function noteFailure(work: () => Promise<void>, note: (code: string) => string): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    return [note((error as NodeJS.ErrnoException).code ?? "unknown error")];
  }
}

function unreadable(objects: readonly KnownObject[]): BuildSummary["unreadable"] {
  return objects.filter(({ notes }) => notes.length > 0).map(({ key, notes }) => ({ key, notes }));
}

/** What of the configuration reaches a snapshot. */
function libraryFacts(config: Config): string {
  return canonicalJson([config.title, config.baseUrl, config.registryUrl, config.collections]);
}

/** The state, unless what it names may have been pruned: then everything is read again. */
async function usableState(state: BuildState, shelves: Shelves): Promise<BuildState> {
  if (state.public === null || state.internal === null) return EMPTY_STATE;
  for (const view of ["public", "internal"] as const) {
    const kept = new Set((await shelves[view].listRecords()).map((record) => record.snapshot));
    if (!kept.has(state[view]?.snapshot ?? "")) return EMPTY_STATE;
  }
  return state;
}

async function siteAssets(renderer: Promise<Renderer>, shelf: Shelf): Promise<readonly FileEntry[]> {
  const { assets } = await renderer;
  const files: FileEntry[] = [];
  for (const { path, mediaType, bytes } of assets) {
    const digest = sha256(bytes);
    await shelf.putBlob(digest, bytes);
    files.push({ path, sha256: digest, size: bytes.length, type: mediaType });
  }
  return files;
}

type Indexed = Awaited<ReturnType<typeof updateIndex>>;

/** The indexes of both views, the public one first where the internal one is new: it begins as a copy. */
async function indexViews(
  index: IndexThread,
  views: Views,
  shelves: Shelves,
  state: BuildState,
  extractDigest: (key: string) => string,
  snapshots: Readonly<Record<"public" | "internal", Promise<string>>>,
): Promise<Readonly<Record<"public" | "internal", Indexed>>> {
  const update = (view: "public" | "internal", before: ViewState | null): Promise<Indexed> =>
    updateIndex(index, view, snapshots[view], [...indexEntries(views[view], extractDigest)], before);
  if (state.internal !== null && (await index.has("internal", state.internal.snapshot))) {
    const [shown, internal] = await Promise.all([update("public", state.public), update("internal", state.internal)]);
    return { public: shown, internal };
  }
  const [shown] = await Promise.all([update("public", state.public), snapshots.internal]);
  const before = (await seedIndex(shelves.public, shelves.internal)) ? shown.state : null;
  return { public: shown, internal: await update("internal", before) };
}

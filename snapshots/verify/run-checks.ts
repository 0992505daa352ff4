/** Walks a shelf and runs checks over it. By itself it reads the records, hashes every blob, checks every tree, that the data have their
 *  shape and that the public view says nothing that the internal one does not say. Nothing is changed, and no content, however broken,
 *  makes it fail: trouble becomes a finding. */
import { countOf } from "#snapshots/format";
import type { Sha256 } from "#snapshots/digest";
import { createTreeCache, type DirectoryShelf, openSnapshot, reachable, type SnapshotRecord } from "#snapshots/shelf";
import { type Audit, type Check, type CheckedView, checksOf, type TellProgress } from "./check.ts";
import { checkContents } from "./contents.ts";
import { createReport, type Finding, reasonOf, type Report, type RootName } from "./finding.ts";
import { checkRecords, type Since } from "./records.ts";
import { checkViews } from "./views.ts";
import { checkBlob, MAX_FOLDERS, walkSnapshot } from "./walk.ts";

export type RunOptions = Pick<Audit, "routes"> & {
  readonly public: DirectoryShelf;
  readonly internal: DirectoryShelf | null; // null when only the public side is at hand (a mirror): nothing is said about leaks then
  /** "current" (the default): the snapshots that the pointers name, and the roots of all others. "all": every kept one. */
  readonly snapshots?: "current" | "all";
  /** A public record that is known to have been published. */
  readonly since?: Since | null;
  /** Those who may write meanwhile; without them the shelf is taken to stand still. */
  readonly writers?: Writers;
  /** Folders of one snapshot that are followed; the default is more than a million objects need. */
  readonly maxFolders?: number;
  /** Called often. */
  readonly tell?: TellProgress;
};

type Writers = {
  /** Another text whenever somebody has written since; null while somebody writes. */
  look(): Promise<string | null>;
  /** Runs work while nobody writes. */
  exclude<T>(work: () => Promise<T>): Promise<T>;
};

/** runChecks looks again while writers wait, when it found something beside them: that may have been their work half done. What it found
 *  good is not looked at again. */
export async function runChecks(options: RunOptions, checks: readonly Check[]): Promise<Finding[]> {
  const { writers } = options;
  const good: Good = { hashed: new Map(), derived: new Set(), extracts: new Map() };
  const before = await writers?.look();
  const findings = await runOnce(options, checks, good);
  if (writers === undefined || findings.length === 0 || (before !== null && before === (await writers.look()))) return findings;
  for (const [name, size] of good.hashed) if ((await size) < 0) good.hashed.delete(name);
  return writers.exclude(() => runOnce(options, checks, good));
}

type Good = Pick<Audit, "hashed" | "derived" | "extracts">;

async function runOnce(options: RunOptions, checks: readonly Check[], good: Good): Promise<Finding[]> {
  const report = createReport();
  const { tell = () => undefined, maxFolders = MAX_FOLDERS } = options;
  const shared = { report, checks, routes: options.routes, ...good, maxFolders, tell };
  const open = await openAudit("public", options.public, options.internal, shared);
  const full = options.internal === null ? null : await openAudit("internal", options.internal, null, shared);

  const openRoot = await runOnRoot(open, options);
  const fullRoot = full === null ? null : await runOnRoot(full, options);
  await tellUnreferenced(open, openRoot.reached, fullRoot?.reached ?? null);
  if (full !== null && fullRoot !== null) await tellUnreferenced(full, fullRoot.reached, null);
  const [openView, fullView] = [openRoot.view, fullRoot?.view ?? null];
  if (openView !== null && fullView !== null) {
    await guard(report, "public", openView.snapshot.id, async () => {
      checkViews(report, openView, fullView);
      for (const check of checksOf(checks, "views")) await check.run(report, openView, fullView, openRoot.all);
    });
  }
  return report.finish();
}

/** openAudit lists the blobs of a root and looks at its packs. Roots that are verified together share what was found good. */
export async function openAudit(
  root: RootName,
  shelf: DirectoryShelf,
  other: DirectoryShelf | null,
  shared: Pick<Audit, "report" | "checks" | "routes" | keyof Good | "maxFolders" | "tell">,
): Promise<Audit> {
  const own = new Map<Sha256, number>();
  try {
    for await (const { digest, size } of shelf.blobs.list()) own.set(digest, size);
  } catch (error) {
    shared.report.add("unreadable", root, { path: "blobs" }, reasonOf(error));
  }
  for (const name of await shelf.blobs.findDamagedPacks())
    shared.report.add("pack_damaged", root, { path: `packs/${name}.zip` }, "It has another digest.");
  return { ...shared, root, shelf, own, other, walked: new Set(), redacted: new Set(), cache: createTreeCache() };
}

/** `view`: the current one, when it is sound enough to be compared with the other. `reached`: what all records need, when
 *  that is known: not with a damaged record or tree. */
type VerifiedRoot = {
  readonly view: CheckedView | null;
  readonly reached: ReadonlySet<Sha256> | null;
  readonly all: readonly SnapshotRecord[];
};

async function runOnRoot(audit: Audit, { snapshots = "current", since = null }: RunOptions): Promise<VerifiedRoot> {
  const { report, root, shelf, checks } = audit;
  const records = await checkRecords(audit, root === "public" ? since : null);
  const { current, all, complete } = records;
  const runOnSnapshot = async (snapshot: Sha256, data: CheckedView["data"] | null): Promise<void> => {
    for (const check of checksOf(checks, "snapshot")) {
      audit.tell(`check ${check.name}`);
      await guard(report, root, snapshot, async () => check.run(audit, snapshot, data));
    }
  };
  const view = current === null ? null : await guard(report, root, current.snapshot, () => readView(audit, current));
  if (current !== null) await runOnSnapshot(current.snapshot, view?.data ?? null);
  for (const { snapshot } of all.filter((record) => record.snapshot !== current?.snapshot)) {
    await guard(report, root, snapshot, async () => {
      if (snapshots === "all") await walkSnapshot(audit, snapshot, false);
      else await checkBlob(audit, snapshot, null, { snapshot, path: null });
    });
    if (snapshots === "all") await runOnSnapshot(snapshot, null);
  }
  for (const check of checksOf(checks, "root")) {
    audit.tell(`check ${check.name}`);
    await guard(report, root, null, async () => check.run(audit, records));
  }
  const needed = new Set([...all, ...(current === null ? [] : [current])].map((record) => record.snapshot));
  const reached = !complete ? null : await reachable(shelf, needed).catch(() => null);
  return { view, reached, all };
}

/** @returns null when what is served is damaged, or its data cannot be trusted to have their shape: the report says where */
async function readView(audit: Audit, current: SnapshotRecord): Promise<CheckedView | null> {
  const files = await walkSnapshot(audit, current.snapshot, true);
  if (files === null) return null;
  const snapshot = await openSnapshot(audit.shelf, current, audit.cache);
  const data = await checkContents(audit, snapshot, files);
  if (data === null) return null;
  const view = { snapshot, files, data };
  for (const check of checksOf(audit.checks, "view")) {
    audit.tell(`check ${check.name}`);
    await check.run(audit, view);
  }
  return view;
}

/** Blobs of a root that no record needs, and blobs of the public root that only the internal one needs. */
async function tellUnreferenced(
  { report, root, shelf, own }: Audit,
  reached: ReadonlySet<Sha256> | null,
  others: ReadonlySet<Sha256> | null,
): Promise<void> {
  if (reached === null) return;
  const gated = [...own].filter(([digest]) => !reached.has(digest) && others?.has(digest) === true);
  const spare = await shelf.blobs.findSpare((digest) => reached.has(digest) || others?.has(digest) === true);
  const tell = (code: "unreferenced_blobs" | "gated_blob_in_public", sizes: readonly number[]): void => {
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (sizes.length > 0) report.add(code, root, { path: "blobs" }, `${countOf(sizes.length, "blob")}, ${countOf(bytes, "byte")}.`);
  };
  tell(
    "unreferenced_blobs",
    spare.map(({ size }) => size),
  );
  tell(
    "gated_blob_in_public",
    gated.map(([, size]) => size),
  );
}

async function guard<T>(report: Report, root: RootName, snapshot: Sha256 | null, check: () => Promise<T>): Promise<T | null> {
  try {
    return await check();
  } catch (error) {
    report.add("unreadable", root, { snapshot }, reasonOf(error));
    return null;
  }
}

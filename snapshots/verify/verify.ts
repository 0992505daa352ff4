/** Verification: reads a shelf as if nobody could be trusted, and tells what is wrong with it. Nothing is changed, and no
 *  content, however broken, makes it fail: trouble becomes a finding.
 *
 *  Not covered, since nothing else says what they should be: `created` and `inputs` of records before the current one,
 *  the changes of a snapshot whose predecessor was pruned, blobs that no snapshot reaches, `checked`, `tmp/`, locks, and the index
 *  unless `index` is given. */
import { gatedSecrets } from "./gated.ts";
import { findLeaks, type Leak, type LeakOptions } from "./leaks.ts";
import type { ScannedFile } from "./scan.ts";
import { createTreeCache, openSnapshot, type Snapshot } from "../shelf/read.ts";
import type { Sha256 } from "../digest.ts";
import type { ViewData } from "../format/view-data.ts";
import type { Shelf, SnapshotRecord } from "../shelf/shelf.ts";
import { checkContents } from "./contents.ts";
import { checkDerived, type Deriver } from "./derived.ts";
import { checkLog, type LogTrust } from "./log.ts";
import { createReport, type Finding, reasonOf, type Report, type RootName } from "./finding.ts";
import { indexFiles, snapshotFiles } from "./leak-files.ts";
import { isGatedKey, openGating } from "./held.ts";
import { reachable } from "../shelf/reach.ts";
import { checkChanges, checkRecords, type Since } from "./records.ts";
import { type CheckedView, checkViews } from "./views.ts";
import { type Audit, checkBlob, MAX_FOLDERS, walkSnapshot } from "./walk.ts";

/** @param data of the snapshot; null for one that is not served, or whose files are not sound
 *  @returns what is wrong with the search index of a snapshot, one sentence each */
type IndexCheck = (root: RootName, snapshot: Sha256, data: ViewData | null) => Promise<readonly string[]>;

export type VerifyOptions = {
  readonly public: Shelf;
  readonly internal: Shelf | null; // null when only the public side is at hand (a mirror): nothing is said about leaks then
  /** Makes derived files again; without it they are checked against their digests and against each other. */
  readonly derive?: Deriver;
  readonly index?: IndexCheck;
  /** "current" (the default): the snapshots that the pointers name, and the roots of all others. "all": every kept one. */
  readonly snapshots?: "current" | "all";
  /** A public record that is known to have been published. */
  readonly since?: Since | null;
  /** Who signs the logs of publications, when it is known. */
  readonly log?: LogTrust | null;
  /** The software's own words: what a page says in every library is no leak. */
  readonly software?: () => AsyncIterable<ScannedFile>;
  /** What the rows of the public search index say. */
  readonly rows?: (snapshot: Sha256) => AsyncIterable<ScannedFile>;
  /** How public sources are read anew, and what is allowed. */
  readonly leaks?: (snapshot: Snapshot, data: ViewData) => LeakOptions;
  /** Private values that no view holds, at least twelve characters each: nothing public may hold them. */
  readonly extra?: readonly string[];
  /** Those who may write meanwhile; without them the shelf is taken to stand still. */
  readonly writers?: Writers;
  /** Folders of one snapshot that are followed; the default is more than a million objects need. */
  readonly maxFolders?: number;
};

type Writers = {
  /** Another text whenever somebody has written since; null while somebody writes. */
  look(): Promise<string | null>;
  /** Runs work while nobody writes. */
  exclude<T>(work: () => Promise<T>): Promise<T>;
};

/** What was found with others writing may be their work half done: then it is looked at again while they wait, without what was
 *  found good. */
export async function verifyShelf(options: VerifyOptions): Promise<Finding[]> {
  const { writers } = options;
  const good: Good = { hashed: new Map(), derived: new Set() };
  const before = await writers?.look();
  const findings = await verifyOnce(options, good);
  if (writers === undefined || findings.length === 0 || (before !== null && before === (await writers.look()))) return findings;
  for (const [name, size] of good.hashed) if ((await size) < 0) good.hashed.delete(name);
  return writers.exclude(() => verifyOnce(options, good));
}

type Good = Pick<Audit, "hashed" | "derived">;

async function verifyOnce(options: VerifyOptions, good: Good): Promise<Finding[]> {
  const report = createReport();
  const shared = { report, ...good, maxFolders: options.maxFolders ?? MAX_FOLDERS };
  const open = await openAudit("public", options.public, options.internal, shared);
  const full = options.internal === null ? null : await openAudit("internal", options.internal, null, shared);

  const openRoot = await verifyRoot(open, options);
  const fullRoot = full === null ? null : await verifyRoot(full, options);
  await tellUnreferenced(open, openRoot.reached, fullRoot?.reached ?? null);
  if (full !== null && fullRoot !== null) await tellUnreferenced(full, fullRoot.reached, null);
  if (openRoot.view !== null && fullRoot !== null && fullRoot.view !== null) {
    const [openView, fullView] = [openRoot.view, fullRoot.view];
    await guard(report, "public", openView.snapshot.id, async () => {
      checkViews(report, openView, fullView);
      if (options.snapshots === "all") await checkHistory(report, options, openView, fullView, openRoot.all);
      await checkLeaks(report, options, openView, fullView);
    });
  }
  return report.finish();
}

async function openAudit(
  root: RootName,
  shelf: Shelf,
  other: Shelf | null,
  shared: Pick<Audit, "report" | "hashed" | "derived" | "maxFolders">,
): Promise<Audit> {
  const own = new Map<Sha256, number>();
  try {
    for await (const { digest, size } of shelf.listBlobs()) own.set(digest, size);
  } catch (error) {
    shared.report.add("unreadable", root, { path: "blobs" }, reasonOf(error));
  }
  for (const name of await shelf.findDamagedPacks())
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

async function verifyRoot(
  audit: Audit,
  { derive, index, snapshots = "current", since = null, log = null }: VerifyOptions,
): Promise<VerifiedRoot> {
  const { report, root, shelf } = audit;
  const records = await checkRecords(audit, root === "public" ? since : null);
  const { current, all, complete } = records;
  const checkIndex = (snapshot: Sha256, data: ViewData | null): Promise<null> =>
    guard(report, root, snapshot, async () => {
      for (const detail of (await index?.(root, snapshot, data)) ?? [])
        report.add("index_mismatch", root, { snapshot, path: "index" }, detail);
      return null;
    });
  let view: CheckedView | null = null;
  if (current !== null) {
    view = await guard(report, root, current.snapshot, async () => {
      const files = await walkSnapshot(audit, current.snapshot, true);
      if (files === null) return null;
      const snapshot = await openSnapshot(shelf, current, audit.cache);
      const data = await checkContents(audit, snapshot, files);
      if (data === null) return null;
      if (derive !== undefined) await checkDerived(audit, snapshot, data, files, derive);
      return { snapshot, files, data };
    });
    await checkIndex(current.snapshot, view?.data ?? null);
  }
  for (const { snapshot } of all.filter((record) => record.snapshot !== current?.snapshot)) {
    await guard(report, root, snapshot, async () => {
      if (snapshots === "all") await walkSnapshot(audit, snapshot, false);
      else await checkBlob(audit, snapshot, null, { snapshot, path: null });
    });
    if (snapshots === "all") await checkIndex(snapshot, null);
  }
  if (audit.redacted.size > 0)
    report.add("redacted", root, { path: "redacted" }, `${audit.redacted.size} blobs of earlier snapshots, each with its notice.`);
  await guard(report, root, null, () => checkChanges(audit, records));
  await guard(report, root, null, () => checkLog(audit, all, current, log));
  const needed = new Set([...all, ...(current === null ? [] : [current])].map((record) => record.snapshot));
  const reached = !complete ? null : await reachable(shelf, needed).catch(() => null);
  return { view, reached, all };
}

/** Blobs of a root that no record needs, and blobs of the public root that only the internal one needs. */
async function tellUnreferenced(
  { report, root, shelf, own }: Audit,
  reached: ReadonlySet<Sha256> | null,
  others: ReadonlySet<Sha256> | null,
): Promise<void> {
  if (reached === null) return;
  const gated = [...own].filter(([digest]) => !reached.has(digest) && others?.has(digest) === true);
  const spare = await shelf.findSpare((digest) => reached.has(digest) || others?.has(digest) === true);
  const tell = (code: "unreferenced_blobs" | "gated_blob_in_public", sizes: readonly number[]): void => {
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (sizes.length > 0)
      report.add(code, root, { path: "blobs" }, `${sizes.length} ${sizes.length === 1 ? "blob" : "blobs"}, ${bytes} bytes.`);
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

/** What was public and is gated now: in earlier snapshots, and in what the history names. */
async function checkHistory(
  report: Report,
  { public: shelf, extra = [] }: VerifyOptions,
  open: CheckedView,
  full: CheckedView,
  records: readonly SnapshotRecord[],
): Promise<void> {
  const { collections } = full.data.library;
  const findHeld = openGating({ collections, public: open.data, internal: full.data, privateTexts: extra });
  const trees = createTreeCache();
  for (const record of records.filter(({ snapshot }) => snapshot !== open.snapshot.id)) {
    const { snapshot } = record;
    const held = await openSnapshot(shelf, record, trees)
      .then(async (one) => findHeld(await one.data()))
      .catch(() => []);
    if (held.length > 0) report.add("gated_in_history", "public", { snapshot }, `It holds ${held.length} things that are gated now.`);
  }
  for await (const [sequence, changes] of shelf.records.changes(0, records.at(-1)?.sequence ?? 0)) {
    const keys = [changes.added, changes.changed, changes.removed].flatMap(({ objects }) =>
      objects.filter((key) => isGatedKey(collections, key)),
    );
    const path = `changes/${sequence}.json`;
    if (keys.length > 0) report.add("gated_in_history", "public", { path }, `It names ${new Set(keys).size} keys that are gated now.`);
  }
}

async function checkLeaks(report: Report, options: VerifyOptions, open: CheckedView, full: CheckedView): Promise<void> {
  const secrets = await gatedSecrets(open.data, full.data, (key) => full.snapshot.extract(key), options.extra);
  const files = async function* () {
    yield* options.software?.() ?? [];
    yield* snapshotFiles(open.snapshot, open.data, open.files);
    yield* options.rows?.(open.snapshot.id) ?? [];
    yield* indexFiles(options.public);
  };
  const { leaks } = await findLeaks(secrets, files(), options.leaks?.(open.snapshot, open.data));
  for (const found of Map.groupBy(leaks, ({ severity, kind, public: { path } }) => JSON.stringify([severity, kind, path])).values()) {
    const { severity, kind, public: place } = found[0] as Leak;
    const where = place.line === null ? "" : `, first in line ${place.line}`;
    const detail = `${found.length} ${found.length === 1 ? "occurrence" : "occurrences"}${where}.`;
    report.add(`leak_${kind}`, "public", { snapshot: open.snapshot.id, path: place.path }, detail, severity);
  }
}

async function guard<T>(report: Report, root: RootName, snapshot: Sha256 | null, check: () => Promise<T>): Promise<T | null> {
  try {
    return await check();
  } catch (error) {
    report.add("unreadable", root, { snapshot }, reasonOf(error));
    return null;
  }
}

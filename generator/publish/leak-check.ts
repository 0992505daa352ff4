/** Before publication: nothing gated or private may be in a public byte. A finding stops the build, and the snapshot
 *  served before stays. The index is checked by `verify`: it holds the rows of the public view and nothing else. */
import { canonicalJson, type Sha256, sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { findLeaks, gatedSecrets, type Leak } from "../../snapshots/verify/leaks.ts";
import { createTreeCache, openSnapshot, type Snapshot } from "../../snapshots/shelf/read.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import { type BlobEntry, diffTrees } from "../../snapshots/format/tree.ts";
import { snapshotFiles } from "../../snapshots/verify/leak-files.ts";
import type { Views } from "../project.ts";
import { softwareFiles } from "../pages/software-files.ts";

/** Findings named in the message; the rest is counted. */
const MAX_NAMED = 20;

/** Digest of everything that may not be public: equal to the last build's means that only what changed since has to be read. */
export function secretsDigest(views: Views, privateTexts: readonly string[]): string {
  const open = new Set(views.public.objects.map((row) => row.key));
  const gated = views.internal.objects.filter((row) => !open.has(row.key)).map(({ key, sha256: digest, title }) => [key, digest, title]);
  return sha256(canonicalJson([views.internal.library.collections, gated, views.internal.claims, [...privateTexts].sort()]));
}

/** @param unchangedSince the served public snapshot, when it was clean of the same secrets
 *  @throws ShelfError "build_failed" naming the files, never what they hold */
export async function checkLeaks(options: {
  readonly views: Views;
  readonly shelf: Shelf;
  /** Of the public view. */
  readonly draft: Sha256;
  readonly extract: (key: string) => Promise<Extract>;
  readonly privateTexts: readonly string[];
  /** Folder of the compiled pages. */
  readonly dist: string;
  readonly unchangedSince: string | null;
}): Promise<void> {
  const { views, shelf, draft } = options;
  const secrets = await gatedSecrets(views.public, views.internal, options.extract, options.privateTexts);
  if (secrets.empty) return;
  const record = { sequence: 1, snapshot: draft, created: "", previous: null, inputs: {} };
  const snapshot = await openSnapshot(shelf, record, createTreeCache());
  const scan = async (since: string | null): Promise<readonly Leak[]> => {
    const changed = await filesSince(snapshot, since);
    const files = async function* () {
      yield* snapshotFiles(snapshot, views.public, changed);
      yield* softwareFiles(options.dist);
    };
    const leaks = await findLeaks(secrets, files());
    return leaks.filter((leak) => leak.severity === "error");
  };
  let leaks = await scan(options.unchangedSince);
  // Words that an unchanged public source says itself are no leak: only a look at all sources can tell.
  if (leaks.length > 0 && options.unchangedSince !== null) leaks = await scan(null);
  if (leaks.length === 0) return;
  const named = leaks.slice(0, MAX_NAMED).map(({ kind, path }) => `  ${path}: a gated or private ${kind}`);
  if (leaks.length > MAX_NAMED) named.push(`  and ${leaks.length - MAX_NAMED} more`);
  throw new ShelfError("build_failed", `Nothing was published, because public files would hold what is not public:\n${named.join("\n")}`, {
    fixes: ["Take it out of the public source, the claim or the record that says it, or make its collection public."],
  });
}

/** Files of a snapshot, or only those that differ from another snapshot's. */
async function filesSince(snapshot: Snapshot, since: string | null): Promise<ReadonlyMap<string, BlobEntry>> {
  const files = new Map<string, BlobEntry>();
  for await (const { path, after } of diffTrees(since, snapshot.id, snapshot.tree)) if (after !== null) files.set(path, after);
  return files;
}

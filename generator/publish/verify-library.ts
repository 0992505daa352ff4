/** The verification of a configured library: with everything made again, the search indexes, and beside whoever writes meanwhile. */
import { readRegistry, type RegistryAnnexes } from "#generator/sources";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Sha256 } from "#snapshots/digest";
import type { ViewData } from "#snapshots/format";
import { openIndex, type ViewIndex } from "#snapshots/index";
import { findSearchProblem } from "#snapshots/query";
import type { Shelf } from "#snapshots/shelf";
import { createReport, type Finding, type ScannedFile, type Since } from "#snapshots/verify";
import { type VerifyOptions, verifyShelf } from "#snapshots/service";
import type { Config } from "#generator/config";
import { lookAtLock, withBuildLock } from "#generator/files";
import { areDecisionsDamaged, DECISIONS } from "#generator/kept";
import { type Parts, type Site, usualParts } from "./parts.ts";
import { COPY_MARKER, openShelves, type ShelfAnnexes, type Shelves } from "#generator/shelves";
import { openDeriver } from "./derive.ts";
import { openTrust } from "./log-signer.ts";

/** A LeakAnnex reads public sources anew for the look for leaks, and knows what is allowed. */
export type LeakAnnex = {
  open(
    config: Config,
    site: Site,
    shelves: Shelves,
  ): {
    readonly options: NonNullable<VerifyOptions["leaks"]>;
    readonly kept: NonNullable<VerifyOptions["kept"]>;
    close(): Promise<void>;
  };
};
type VerifyAnnexes = ShelfAnnexes & RegistryAnnexes & { leaks(): Promise<LeakAnnex> };

/** verifyLibrary verifies both views of a library.
 *  @param options.snapshots "all" also hashes what is not served
 *  @param options.derive false compares derived files with their digests alone; default true */
export async function verifyLibrary(
  config: Config,
  annexes: VerifyAnnexes,
  options: {
    readonly snapshots: "current" | "all";
    readonly since?: Since | null;
    readonly derive?: boolean;
    readonly tell?: VerifyOptions["tell"];
  },
  parts: Parts = usualParts(),
): Promise<Finding[]> {
  const { snapshots, since = null, derive = true } = options;
  const shelves = openShelves(config, annexes);
  // No snapshot holds what the registry keeps to itself; the registry as last pulled tells what to look for.
  const { privateTexts } = await readRegistry(config, {
    makeRegistry: annexes.makeRegistry,
    dir: `${shelves.buildDir}/registry`,
    keep: false,
  });
  const site = await parts.site();
  const leaks = (await annexes.leaks()).open(config, site, shelves);
  const deriver = openDeriver(parts);
  // One for all snapshots of a root: what they share is hashed once.
  const indexes = new Map<Shelf, Promise<ViewIndex>>();
  const openOnce = (shelf: Shelf): Promise<ViewIndex> => {
    const index = indexes.get(shelf) ?? openIndex(shelf.indexUri, shelf.sharedIndexUri);
    indexes.set(shelf, index);
    return index;
  };
  try {
    const found = await verifyShelf({
      public: shelves.public,
      internal: isCopy(config) ? null : shelves.internal,
      ...(derive ? { derive: deriver } : {}),
      index: async (root, snapshot, data) => checkIndex(await openOnce(shelves[root]), snapshot, data),
      snapshots,
      since,
      ...(options.tell === undefined ? {} : { tell: options.tell }),
      log: openTrust(config),
      extra: privateTexts,
      software: site.software,
      rows: async function* (snapshot) {
        yield* indexRows(await openOnce(shelves.public), snapshot);
      },
      holdsRemoved: async () => (await openOnce(shelves.public)).holdsRemoved(),
      leaks: leaks.options,
      kept: leaks.kept,
      writers: {
        look: () => lookAtLock(shelves.buildDir),
        exclude: (work) => withBuildLock(shelves.buildDir, work, { wait: true, work: "verification" }),
      },
    });
    const report = createReport();
    for (const { view, object } of (await shelves.remote?.findLost()) ?? [])
      report.add("bucket_object", view, { path: `files/${object}` }, "In the bucket it is not there, or not what its name says.");
    if (areDecisionsDamaged(shelves.buildDir))
      report.add(
        "decisions_damaged",
        "internal",
        { path: `build/${DECISIONS}` },
        "It is not what was written; builds are refused until it is mended.",
      );
    return [...report.finish(), ...found];
  } finally {
    for (const index of indexes.values()) (await index).close();
    await leaks.close();
    await deriver.close();
  }
}

/** A copy of somebody else's library has its public side alone. */
function isCopy({ shelf }: Config): boolean {
  return shelf.kind === "directory" && existsSync(join(shelf.root, COPY_MARKER));
}

/** describeFindings writes one line for each finding, and one for all. */
export function describeFindings(findings: readonly Finding[]): string {
  const errors = countErrors(findings);
  const lines = findings.map(
    ({ severity, code, root, path, detail }) =>
      `${severity} ${code} in ${root}${path === null ? "" : ` ${JSON.stringify(path)}`}: ${detail}`,
  );
  lines.push(
    errors === 0
      ? "Verified: every byte that is served or trusted is what it should be; caches are not looked at, and are made again."
      : `${errors} errors.`,
  );
  return `${lines.join("\n")}\n`;
}

export function countErrors(findings: readonly Finding[]): number {
  return findings.filter((finding) => finding.severity === "error").length;
}

/** indexRows yields what the rows of an index say, as the look for leaks reads it. */
export async function* indexRows(index: ViewIndex, tag: string): AsyncGenerator<ScannedFile> {
  for await (const texts of index.texts(tag))
    yield { path: "index/rows", bytes: Buffer.from(JSON.stringify(texts)), source: false, type: "application/json" };
}

async function checkIndex(index: ViewIndex, snapshot: Sha256, data: ViewData | null): Promise<readonly string[]> {
  if (data === null && !(await index.knows(snapshot))) return [];
  const problem = await index.findProblem(snapshot);
  if (problem !== null) return [problem, ...(await index.findVectorProblems(snapshot))];
  const reader = await index.at(snapshot);
  const missed = data === null ? null : await findSearchProblem(reader, data);
  reader.close();
  return [...(missed === null ? [] : [missed]), ...(await index.findVectorProblems(snapshot))];
}

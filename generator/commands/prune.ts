/** `proofshelf prune` */
import { ShelfError } from "#snapshots/errors";
import { formatBytes, countOf } from "#snapshots/format";
import { openIndex } from "#snapshots/index";
import { openDirectoryShelf, prune, type Pruned } from "#snapshots/shelf";
import { type Config, openConfig } from "#generator/config";
import { embedViews, indexAnew } from "#generator/index";
import { openDecisions } from "#generator/kept";
import { folderSize, withBuildLock } from "#generator/files";
import { closeIndex, keepRecords, openShelves, type ShelfAnnexes, type Shelves, vectorsDir, withShelves } from "#generator/shelves";
import { type CommonOptions, configOf, print } from "./options.ts";

/** Snapshots that are kept when nobody says how many. */
const DEFAULT_KEEP = 10;

type PrunedRoots = Readonly<Record<"public" | "internal", Pruned>>;

export async function runPrune(options: CommonOptions & { readonly keep?: string }, annexes: ShelfAnnexes): Promise<void> {
  const config = await openConfig(configOf(options), { checkSources: false });
  const keep = options.keep === undefined ? (config.keep ?? DEFAULT_KEEP) : Number(options.keep);
  if (!Number.isInteger(keep) || keep < 1) throw new ShelfError("bad_config", "--keep takes a whole number, at least 1.");
  const shelves = openShelves(config, annexes);
  const before = await shelfSize(shelves);
  const { roots, said } = await pruneAll(config, annexes, keep, true);
  const freed = before - (await shelfSize(shelves));
  const { public: open, internal } = roots;
  const total = {
    removed_snapshots: [...internal.removed_snapshots, ...open.removed_snapshots],
    removed_blobs: internal.removed_blobs + open.removed_blobs,
    freed_bytes: freed,
  };
  const now = `The shelf takes ${formatBytes(before - freed)} now, ${formatBytes(Math.max(0, freed))} less.\n`;
  print(options, { ...total, roots }, said + now);
}

/** shelfSize gives the bytes that the shelf takes on this machine's disk. */
export async function shelfSize({ publicDir, internalDir }: Shelves): Promise<number> {
  return (await folderSize(publicDir)) + (await folderSize(internalDir));
}

/** pruneByConfig prunes by `keep` of the configuration, when it has one, for an operator who builds again and again.
 *  @returns which snapshots were removed, in words; empty when none were */
export async function pruneByConfig(config: Config, annexes: ShelfAnnexes): Promise<string> {
  if (config.keep === null) return "";
  try {
    const { roots, said } = await pruneAll(config, annexes, config.keep, false);
    return roots.public.removed_snapshots.length + roots.internal.removed_snapshots.length === 0 ? "" : said;
  } catch (error) {
    // The next build prunes too.
    if (error instanceof ShelfError) return `Nothing was pruned: ${error.message}\n`;
    throw error;
  }
}

/** @param clean writes the public index anew, where it holds passages that no kept snapshot has; else that is done only when something goes that
 *          --keep-history kept, since it takes as long as all texts do
 *  @returns said what was removed, and what is to be told besides
 *  @throws ShelfError "build_running" while somebody builds or makes vectors: those belong to no snapshot yet and would be taken for
 *          another model's */
async function pruneAll(
  config: Config,
  annexes: ShelfAnnexes,
  keep: number,
  clean: boolean,
): Promise<{ readonly roots: PrunedRoots; readonly said: string }> {
  const { notes, ...roots } = await pruneRoots(openShelves(config, annexes), keep, clean);
  // The vectors went with an index that was written anew.
  if (notes !== null) await embedViews(config, annexes);
  return { roots, said: [describe(roots), ...(notes ?? []).map((note) => `Note: ${note}\n`)].join("") };
}

/** @returns notes on the public index where that was written anew, else null */
async function pruneRoots(
  shelves: Shelves,
  keep: number,
  clean: boolean,
): Promise<PrunedRoots & { readonly notes: readonly string[] | null }> {
  return withShelves(shelves, () =>
    withBuildLock(vectorsDir(shelves), async () => {
      shelves.remote?.tidy("at leisure");
      const pruneRoot = async (view: "public" | "internal"): Promise<Pruned> => {
        const shelf = shelves[view];
        const index = await openIndex(shelf.indexUri, shelf.sharedIndexUri);
        const others =
          view === "public"
            ? { alsoUsedBy: [shelves.internal], moveTo: openDirectoryShelf(shelves.internalDir, null, "building") }
            : { servedWith: shelves.public };
        try {
          return await prune({ shelf, keep, index, ...others });
        } finally {
          index.close();
        }
      };
      // Internal first: its old snapshots may be all that still needs some public blobs.
      const internal = await pruneRoot("internal");
      const open = await pruneRoot("public");
      const isGated = (id: string): boolean =>
        openDecisions(shelves.buildDir)
          .of("kept")
          .some(({ sha256 }) => sha256 === id);
      const notes = clean || open.removed_snapshots.some(isGated) ? await indexAnew(shelves) : null;
      await keepRecords(shelves);
      await closeIndex(shelves);
      return { public: open, internal, notes };
    }),
  );
}

function describe(roots: PrunedRoots): string {
  return (["public", "internal"] as const)
    .flatMap((root) => {
      const { removed_snapshots: ids, removed_blobs: blobs } = roots[root];
      return [`${root}: removed ${countOf(ids.length, "snapshot")} and ${countOf(blobs, "blob")}.`, ...ids.map((id) => `    ${id}`)];
    })
    .map((line) => `${line}\n`)
    .join("");
}

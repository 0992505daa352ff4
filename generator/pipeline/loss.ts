/** A store that lost what the last build read: a folder that is not mounted, a copy that broke off, a hand that slipped. Such a
 *  build publishes nothing until somebody says that it was meant.
 *
 *  Lost is an object whose key is gone and whose bytes are nowhere in the store, so what moved is not. What the configuration
 *  leaves out or has no collection for, or what is withdrawn, is left out on purpose. */
import { ShelfError } from "#snapshots/errors";
import { findCollection, type ObjectRow } from "#snapshots/format";
import type { BuildFacts } from "./facts.ts";
import { findLoss } from "#generator/sources";
import { readServed, type Shelves } from "#generator/shelves";
import { findOwnKeys, IGNORED, openLeavingOut } from "#generator/config";

type Named = { readonly key: string; readonly sha256: string };

/** refuseLoss refuses a build whose store has lost objects. @param before what is served now; @param objects what the store holds now, as read
 *  @throws ShelfError "build_failed" when it is empty and was not, or when more than half of a collection is lost */
export function refuseLoss({ config, withdrawals, listed }: BuildFacts, before: readonly Named[], objects: readonly Named[]): void {
  const findLeftOut = openLeavingOut(config.store, config.collections, findOwnKeys(config));
  const ignored = listed.rejected.filter(({ reason }) => reason === IGNORED).map(({ key }) => key);
  const isLeftOut = (key: string): boolean =>
    findLeftOut(key) !== null || ignored.some((path) => key === path || (path.endsWith("/") && key.startsWith(path)));
  const keys = new Set(objects.map(({ key }) => key));
  const digests = new Set(objects.map(({ sha256 }) => sha256));
  const withdrawn = new Set(withdrawals.list.filter(({ what }) => what === "object").map(({ name }) => name));
  const isThere = ({ key, sha256 }: Named): boolean => keys.has(key) || digests.has(sha256);
  const kept = before.filter(({ key }) => !isLeftOut(key) && !withdrawn.has(key));
  const said: string[] = [];
  for (const [id, served] of Map.groupBy(kept, ({ key }) => findCollection(config.collections, key)?.id)) {
    const loss = id === undefined ? null : findLoss(served, isThere, objects.length === 0);
    if (loss !== null) said.push(`${loss.lost} of ${loss.had} in collection ${id}`);
  }
  if (said.length === 0) return;
  throw new ShelfError(
    "build_failed",
    `Nothing was published, because the store has lost objects since the last build: ${said.join(", ")}.`,
    {
      fixes: [
        "Look whether the store is mounted, complete and may be read. What was published before is served on.",
        "If they were taken out on purpose, say so once: proofshelf build --accept-loss",
      ],
    },
  );
}

/** readBefore returns the objects that are served now, or none where even that cannot be read: then there is nothing to compare with. */
export async function readBefore({ state, pointers }: BuildFacts, shelves: Shelves): Promise<readonly ObjectRow[]> {
  if (pointers.internal === null) return [];
  if (pointers.internal.snapshot === state.internal?.snapshot) return state.objects;
  return (await readServed(shelves.internal, pointers.internal))?.objects ?? [];
}

/** Opens what a machine serves from: the shelf itself, this machine's copy of a shelf that lies elsewhere, or a cache of it. */
import type { Config } from "#generator/config";
import type { Served, ShelfAnnexes } from "./kinds.ts";
import { openShelves } from "./shelves.ts";

/** openServed creates nothing, and asks nothing of a bucket. */
export function openServed({ shelf }: Pick<Config, "shelf">, views: readonly ("public" | "internal")[], annexes: ShelfAnnexes): Served {
  if (shelf.kind !== "directory") return annexes.shelves[shelf.kind].serve(shelf, views);
  const { publicDir, internalDir } = openShelves({ shelf }, annexes);
  return { publicDir, internalDir, follow: null, cache: null };
}

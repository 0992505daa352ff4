/** Builds the trees of a snapshot that follow from its objects alone: `objects/`, `extracts/` and `images/`. The internal view holds the public
 *  objects and the gated ones, so the trees of what is public are built once for both. */
import { JSON_TYPE } from "#snapshots/page";
import { ShelfError } from "#snapshots/errors";
import { buildSubtrees, mountSubtrees, type ObjectRow, type Subtrees } from "#snapshots/format";
import type { Views } from "./project.ts";
import type { ReadObjects } from "./read-objects.ts";

const FOLDERS = ["objects", "extracts", "images"] as const;

/** Trees over keys: of the objects' bytes, of their extracts, and of the images of their pages. */
type KeyTrees = Readonly<Record<(typeof FOLDERS)[number], Subtrees>>;

export function objectTrees(views: Views, read: ReadObjects): Readonly<Record<"public" | "internal", Subtrees>> {
  const extracts = new Map(read.objects.map(({ key, extract }) => [key, extract]));
  const drawn = new Map(read.objects.flatMap(({ key, drawn: pages }) => (pages === undefined ? [] : [[key, pages.images] as const])));
  const build = (rows: readonly ObjectRow[]): KeyTrees => ({
    objects: buildSubtrees(
      rows.map(({ key, media_type, sha256: digest, size, uploaded }) => ({ path: key, sha256: digest, size, type: media_type, uploaded })),
    ),
    extracts: buildSubtrees(
      rows.map(({ key }) => {
        const extract = extracts.get(key);
        if (extract === undefined) throw new ShelfError("build_failed", `${key} has no extract.`);
        return { path: key, ...extract, type: JSON_TYPE };
      }),
    ),
    images: buildSubtrees(
      rows.flatMap(({ key }) =>
        (drawn.get(key) ?? []).map(({ page, sha256, size }) => ({ path: `${key}/${page}.png`, sha256, size, type: "image/png" })),
      ),
    ),
  });
  const open = build(views.public.objects);
  const shown = new Set(views.public.objects);
  const gated = views.internal.objects.filter((row) => !shown.has(row));
  if (gated.length === 0) return { public: mount([open]), internal: mount([open]) };
  // Where a folder at the top holds objects of both kinds, its trees are others in each view.
  const tops = new Set(open.objects.entries.map(({ name }) => name));
  const apart = gated.every(({ key }) => !tops.has(key.split("/", 1)[0] ?? ""));
  return { public: mount([open]), internal: mount(apart ? [open, build(gated)] : [build(views.internal.objects)]) };
}

function mount(parts: readonly KeyTrees[]): Subtrees {
  const mounted = FOLDERS.map((folder) =>
    mountSubtrees(
      folder,
      parts.map((part) => part[folder]),
    ),
  );
  return { entries: mounted.flatMap(({ entries }) => entries), trees: new Map(mounted.flatMap(({ trees }) => [...trees])) };
}

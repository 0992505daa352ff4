/** Both views of a shelf as a server has them, without pages, for tests. */
import { openView, type Runtime, type View } from "../http/view.ts";
import { openIndex } from "../index/open.ts";
import type { DirectoryShelf } from "../shelf/shelf-directory.ts";
import { SERVICE } from "./service.ts";

export function openViews(
  publicShelf: DirectoryShelf,
  internalShelf: DirectoryShelf,
  runtime: Runtime,
): { readonly publicView: View; readonly internalView: View } {
  const open = (view: "public" | "internal", shelf: DirectoryShelf): View =>
    openView({
      service: SERVICE,
      view,
      shelf,
      renderer: null,
      index: () => openIndex(shelf.indexUri, shelf.sharedIndexUri),
      runtime,
      now: Date.now,
      listing: null,
    });
  return { publicView: open("public", publicShelf), internalView: open("internal", internalShelf) };
}

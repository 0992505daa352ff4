/** The public read server: files and queries of the public view. Holds no secret and opens no outgoing connection. */
import { openIndex } from "#snapshots/index";
import { lazyRenderer } from "#snapshots/page";
import { openView, type Runtime, type SiteServing, type Starter, type View } from "#snapshots/http";
import { openDirectoryShelf } from "#snapshots/shelf";
import { LIST_PAGE, MAX_LIMIT, MAX_QUERY } from "#snapshots/query";
import { SERVICE } from "#snapshots/service";

function siteRuntime(version: string, starter: Starter | null): Runtime {
  return {
    version,
    components: () => [
      { name: "files", status: "live", note: "catalog, claims, records, objects and pages from the snapshot" },
      { name: "full-text search", status: "live", note: "the snapshot's own index" },
      { name: "answers", status: "wired (opt-in)", note: "served by a sidecar beside this process; alone it answers none" },
      { name: "semantic search", status: "wired (opt-in)", note: "served by a sidecar beside this process" },
      { name: "gated view", status: "wired (opt-in)", note: "served by a sidecar beside this process, which alone can open it" },
      { name: "mcp", status: "wired (opt-in)", note: "served by a sidecar beside this process" },
    ],
    nextBuild: () => starter?.builds().next ?? null,
    limits: { query_characters: MAX_QUERY, records_per_page: MAX_LIMIT, list_entries_per_page: LIST_PAGE },
    auth: { public: "none" },
    mcp: { endpoint: "/mcp", versions: [], tools: [] },
  };
}

export function openSiteView(
  serving: Pick<SiteServing, "publicDir" | "dist" | "version" | "baseUrl">,
  starter: Starter | null,
  now: () => number = Date.now,
): View {
  const shelf = openDirectoryShelf(serving.publicDir);
  return openView({
    service: SERVICE,
    view: "public",
    baseUrl: serving.baseUrl,
    shelf,
    renderer: lazyRenderer(serving.dist),
    index: () => openIndex(shelf.indexUri),
    runtime: siteRuntime(serving.version, starter),
    now,
    listing: starter?.listing ?? null,
  });
}

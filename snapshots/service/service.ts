/** How every row is answered that follows from a snapshot or from the process: the core's and the annexes'. Effects are the sidecar's. */
import { HARVEST_HANDLERS } from "#snapshots/annex/harvest";
import { HISTORY_HANDLERS, HISTORY_REQUEST_PAGES, HISTORY_STAMPS, MEMENTO } from "#snapshots/annex/history";
import { LEAK_HANDLERS, LEAK_STAMPS } from "#snapshots/annex/leaks";
import { LOG_HANDLERS } from "#snapshots/annex/log";
import { PROOF_HANDLERS } from "#snapshots/annex/proofs";
import { BESIDE_HANDLERS, SIDE_HANDLERS } from "#snapshots/annex/side";
import { CORE_HANDLERS, type Handler, type Service, type PageStamp } from "#snapshots/http";
import { PLAIN_FILES } from "#snapshots/format";
import { REQUEST_PAGES } from "#snapshots/page";
import type { EffectRouteId } from "#snapshots/routes";
import { ROUTER, ROUTES, type RowId } from "./routes.ts";

const HANDLERS: Readonly<Record<Exclude<RowId, EffectRouteId>, Handler>> = {
  ...CORE_HANDLERS,
  ...HISTORY_HANDLERS,
  ...LOG_HANDLERS,
  ...SIDE_HANDLERS,
  ...PROOF_HANDLERS,
  ...HARVEST_HANDLERS,
  ...LEAK_HANDLERS,
};

/** The stamp of a page that a host gives whatever the query says: only an export knows that it will lie on one. */
const hostStamp = (html: string): PageStamp => ({
  token: "<!--stamp:host-->",
  pages: ["registry-page", "registry-part", "browse"],
  html: () => html,
});

export const SERVICE: Service = {
  router: ROUTER,
  routes: ROUTES,
  handlers: HANDLERS,
  beside: BESIDE_HANDLERS,
  pages: { ...REQUEST_PAGES, ...HISTORY_REQUEST_PAGES },
  stamps: [...HISTORY_STAMPS, ...LEAK_STAMPS, hostStamp("")],
  memento: MEMENTO,
};

/** PLAIN_FILES_SERVICE is the same for a host of plain files, which answers no query. */
export const PLAIN_FILES_SERVICE: Service = { ...SERVICE, stamps: [...HISTORY_STAMPS, ...LEAK_STAMPS, hostStamp(PLAIN_FILES)] };

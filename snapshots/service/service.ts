/** How every row is answered that follows from a snapshot or from the process: the core's and the annexes'. Effects are the sidecar's. */
import { HARVEST_HANDLERS } from "../annex/harvest/answers.ts";
import { HISTORY_HANDLERS, MEMENTO } from "../annex/history/answers.ts";
import { HISTORY_REQUEST_PAGES } from "../annex/history/pages.ts";
import { HISTORY_STAMPS } from "../annex/history/stamps.ts";
import { LEAK_HANDLERS, LEAK_STAMPS } from "../annex/leaks/answers.ts";
import { LOG_HANDLERS } from "../annex/log/answers.ts";
import { PROOF_HANDLERS } from "../annex/proofs/answers.ts";
import { BESIDE_HANDLERS, SIDE_HANDLERS } from "../annex/side/answers.ts";
import { CORE_HANDLERS } from "../http/core-answers.ts";
import { PLAIN_FILES } from "../format/stamped.ts";
import type { Handler, Service, Stamp } from "../http/view.ts";
import { REQUEST_PAGES } from "../page/request-pages.ts";
import type { EffectRouteId } from "../routes/effect-rows.ts";
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

/** What a page says where a host gives it whatever its query says: only an export knows that it will lie on one. */
const hostStamp = (html: string): Stamp => ({
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

/** The same for a host of plain files, which answers no query. */
export const PLAIN_FILES_SERVICE: Service = { ...SERVICE, stamps: [...HISTORY_STAMPS, ...LEAK_STAMPS, hostStamp(PLAIN_FILES)] };

/** The pages that are made per request, the core's and the history's. */
import { isOf } from "../routes/match.ts";
import { HISTORY_REQUEST_PAGES } from "../annex/history/pages.ts";
import { type PageMaker, type PageRequest, REQUEST_PAGES, type RequestPage } from "./request-pages.ts";

const MAKERS = { ...REQUEST_PAGES, ...HISTORY_REQUEST_PAGES } as const;

/** requestPage makes the page at a path, or returns null when it is a stored page's, or no page's.
 *  @throws ShelfError "snapshot_not_found" for a comparison with a snapshot that is not kept */
export async function requestPage(request: PageRequest): Promise<RequestPage | null> {
  const { match } = request;
  if (match?.exact !== true || !isOf(match, MAKERS)) return null;
  const make: PageMaker = MAKERS[match.route.id];
  return make(request, match.parts);
}
